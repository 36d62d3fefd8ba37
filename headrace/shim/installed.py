"""The `tensorflow` package that stands for Headrace in an environment: install, remove, recognise it."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from headrace.api import internal_paths
from headrace.api.lazy import ROOT_ALIAS, finder
from headrace.core.version import VERSION
from headrace.shim.distribution import METADATA
from headrace.shim.tools import console_scripts

_MARK = "__headrace_shim__ = True"
_INIT = f'''\
"""TensorFlow 1.15's interface, served by Headrace (made by `headrace shim install`)."""

{_MARK}

from typing import TYPE_CHECKING

from headrace import install_as_tensorflow

# Replaces this module in sys.modules, so that it is gone once the import is done.
install_as_tensorflow()

if TYPE_CHECKING:
'''
_COMMAND_MARK = "# Made by `headrace shim install`."
_COMMAND = f"""\
#!{{python}}
{_COMMAND_MARK}
import runpy
import sys

sys.argv[0] = sys.argv[0].removesuffix(".exe")
runpy.run_module("{{module}}", run_name="__main__", alter_sys=True)
"""
_FILES = {
    f"tensorflow-{VERSION}.dist-info/METADATA": METADATA,
    f"tensorflow-{VERSION}.dist-info/INSTALLER": "headrace\n",
    f"tensorflow-{VERSION}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: headrace\n"
    "Root-Is-Purelib: true\nTag: py3-none-any\n",
    f"tensorflow-{VERSION}.dist-info/top_level.txt": "tensorflow\n",
}
_ANY_NAME = "from typing import Any\n\ndef __getattr__(name: str) -> Any: ...\n"
_RECORD = f"tensorflow-{VERSION}.dist-info/RECORD"


class ShimError(Exception):
    """The package cannot be installed or removed; the message says why and what to do."""


def installation_of(python: str | None) -> Installation:
    """What there is in the environment of a Python.

    Args:
        python: an interpreter, or a folder that packages go to, which has no place for commands; None for this process's
            environment.

    Raises:
        ShimError: if it is neither, or Headrace cannot be imported there.
    """
    if python is None:
        paths = sysconfig.get_paths()
        return Installation(Path(paths["purelib"]), Path(paths["scripts"]), sys.executable)
    if os.path.isdir(python):
        return Installation(Path(python))
    program = (
        "import sys, sysconfig; paths = sysconfig.get_paths()\n"
        "print(paths['purelib'], paths['scripts'], sys.executable, sep='\\n')\n"
        "import headrace"
    )
    try:
        done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ShimError(f"{python} is neither a Python nor a folder: {error.strerror}.") from None
    lines = done.stdout.splitlines()
    if len(lines) != 3:
        raise ShimError(f"{python} is not a Python: {done.stderr.strip() or 'it printed nothing'}")
    if done.returncode:
        raise ShimError(f"Headrace is not installed for {python}. Run `{python} -m pip install headrace` first.")
    return Installation(Path(lines[0]), Path(lines[1]), lines[2])


class Installation:
    """The state of one environment.

    Args:
        site: its site-packages folder.
        scripts: its folder of commands, where it has one.
        python: its interpreter, for them.
    """

    def __init__(self, site: Path, scripts: Path | None = None, python: str | None = None) -> None:
        self.site = site
        self.scripts = scripts
        self._files = {site / name: text for name, text in {**_FILES, **_modules()}.items()}
        self._commands: dict[Path, str] = {}
        if scripts is not None:
            commands = console_scripts().items()
            self._commands = {
                scripts / name: _COMMAND.format(python=python, module=module) for name, module in commands
            }

    @property
    def package(self) -> Path:
        """The folder of the package, whosever it is."""
        return self.site / "tensorflow"

    def is_ours(self) -> bool:
        """Whether the package there was made here."""
        init = self.package / "__init__.py"
        return init.is_file() and _MARK in init.read_text(errors="replace")

    def foreign(self) -> str | None:
        """The name of what there is of another TensorFlow, or None."""
        for entry in (*self.site.glob("tensorflow-*.dist-info"), *self.site.glob("tensorflow-*.egg-info")):
            installer = entry / "INSTALLER"
            if not installer.is_file() or installer.read_text().strip() != "headrace":
                return entry.name
        if (self.package.exists() or self.package.is_symlink()) and not self.is_ours():
            return self.package.name
        return None

    def describe(self) -> str:
        """One line about what is installed."""
        if foreign := self.foreign():
            return f"another tensorflow ({foreign})"
        return f"Headrace as tensorflow {VERSION}" if self.is_ours() else "no tensorflow"

    def install(self) -> None:
        """Writes the package and its metadata; writes them anew if they are there.

        Raises:
            ShimError: if another TensorFlow is there, or the folder cannot be written.
        """
        if foreign := self.foreign():
            raise ShimError(
                f"{self.site} has another tensorflow ({foreign}), which is left as it is. Uninstall it first "
                "(pip uninstall tensorflow), or run single programs with `python -m headrace script.py`."
            )
        # A command of somebody else's stays.
        commands = {path: text for path, text in self._commands.items() if not path.exists() or _is_ours(path)}
        files = {**self._files, **commands}
        try:
            for path, text in {**files, self.site / _RECORD: self._record(files)}.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            for path in commands:
                path.chmod(0o755)
        except OSError as error:
            raise ShimError(f"{error.filename} cannot be written: {error.strerror}.") from None

    def remove(self) -> bool:
        """Removes what `install` wrote; files that others put beside it stay.

        Returns:
            whether there was anything to remove.

        Raises:
            ShimError: if the package there is another TensorFlow, or cannot be removed.
        """
        if not self.is_ours():
            if foreign := self.foreign():
                raise ShimError(f"The tensorflow in {self.site} ({foreign}) is not Headrace's and is left as it is.")
            return False
        try:
            for cached in (self.package / "__pycache__").glob("__init__.*.pyc"):
                cached.unlink()
            for path in (*self._files, self.site / _RECORD, *filter(_is_ours, self._commands)):
                path.unlink(missing_ok=True)
            folders = {folder for path in self._files for folder in path.parents if self.site in folder.parents}
            for folder in sorted({*folders, self.package / "__pycache__"}, reverse=True):
                if folder.is_dir() and not any(folder.iterdir()):
                    folder.rmdir()
        except OSError as error:
            raise ShimError(f"{error.filename} cannot be removed: {error.strerror}.") from None
        return True

    def _record(self, files: dict[Path, str]) -> str:
        """The list of files by which pip can uninstall the package."""
        rows = []
        for path, text in files.items():
            data = text.encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{Path(os.path.relpath(path, self.site)).as_posix()},sha256={digest},{len(data)}")
        return "\n".join([*rows, f"{_RECORD},,"]) + "\n"


def _modules() -> dict[str, str]:
    """What tells type checkers and editors that `tensorflow` has the names of Headrace: a file for each module.

    No program runs them, since the import system asks Headrace for everything below `tensorflow`. They are no stubs:
    pyright warns of modules that only stubs are there for. Names in internal modules are of any kind.
    """
    public = {*finder().public_modules(), ROOT_ALIAS} - {""}
    known = public | internal_paths.paths()
    packages = {above for module in known for above in _above(module)}
    made = {"tensorflow/py.typed": ""}
    imports = {module: f"from headrace.{module} import *\n" for module in public}
    texts = {module: imports.get(module, _ANY_NAME) for module in sorted(known | packages)}
    texts[""] = "from headrace import *\n"
    for module in sorted(known | packages):
        parent, _, leaf = module.rpartition(".")
        texts[parent] += f"from tensorflow{'.' * bool(parent)}{parent} import {leaf} as {leaf}\n"
    made["tensorflow/__init__.py"] = _INIT + "".join(f"    {line}\n" for line in texts.pop("").splitlines())
    for module, text in texts.items():
        place = f"tensorflow/{module.replace('.', '/')}"
        made[f"{place}/__init__.py" if module in packages else f"{place}.py"] = text
    return made


def _above(path: str) -> list[str]:
    """The packages above a package."""
    parts = path.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def _is_ours(command: Path) -> bool:
    """Whether a command that is there was made here."""
    return command.is_file() and _COMMAND_MARK in command.read_text(errors="replace")
