"""The flags that a program defines, by its text and by the texts of the modules beside it that it imports."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

# A definition, up to where its first arguments that are names end: `DEFINE_string(name="job_name"`, `add_argument("-j", "--job"`.
_DEFINED = re.compile(
    r"""(?:\bDEFINE_\w+|\badd_argument)\(\s*((?:(?:flag_)?name\s*=\s*)?["'][-\w]+["'](?:\s*,\s*["']-[-\w]+["'])*)"""
)
_NAME = re.compile(r"""["'](?:--?)?(\w[-\w]*)["']""")
_IMPORTED = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([^#\n]+)|import[ \t]+([\w., \t]+))", re.MULTILINE
)
_MOST_FILES = 500


def defined_flags(text: str) -> dict[str, str]:
    """The flags that a text defines: from the names by which the program knows them to those of the command line.

    Args:
        text: of a Python file, of any version.

    Returns:
        The names, with underscores; each with its spelling on the command line, in which hyphens may stand.

    Example:
        >>> defined_flags('flags.DEFINE_string("job_name", "", "ps or worker")')
        {'job_name': 'job_name'}
        >>> defined_flags('parser.add_argument("-j", "--job-name", type=str)')
        {'j': 'j', 'job_name': 'job-name'}
    """
    spellings = [name for definition in _DEFINED.findall(text) for name in _NAME.findall(definition)]
    return {name.replace("-", "_"): name for name in spellings}


def flags_of_program(script: Path) -> dict[str, str]:
    """The flags that a script defines, or a module of its own that it imports, as `defined_flags` gives them.

    Modules are looked for where Python does, beside the script and in the folders of PYTHONPATH; nothing is imported.

    Raises:
        OSError: if the script cannot be read.
    """
    script = script.absolute()
    if script.is_dir():
        script = script / "__main__.py"
    return _flags(script, [script.parent, *_folders(os.environ.get("PYTHONPATH", ""))])


def flags_of_module(name: str) -> dict[str, str]:
    """The flags that a module, as `python -m` finds it, or a module of its own that it imports defines.

    Args:
        name: with dots; of a package its `__main__` is meant.

    Raises:
        OSError: if the module cannot be read.
        ValueError: if no file is found: where one stands, in the folders of PYTHONPATH, or among what is installed.
    """
    roots = [Path.cwd(), *_folders(os.environ.get("PYTHONPATH", ""))]
    for place in [*roots, *map(Path, sys.path)]:
        base = place.joinpath(*name.split("."))
        for file in (base.with_suffix(".py"), base / "__main__.py"):
            if file.is_file():
                return _flags(file.absolute(), roots)
    raise ValueError(
        f"No module named {name}: it was looked for in {', '.join(map(str, roots))} and in what is installed"
    )


def _folders(listed: str) -> list[Path]:
    """The folders of a variable such as PYTHONPATH."""
    return [Path(each).absolute() for each in listed.split(os.pathsep) if each]


def _flags(program: Path, roots: list[Path]) -> dict[str, str]:
    """The flags that a file defines, or a module below some folders that it imports."""
    found: dict[str, str] = {}
    waiting, seen = [program], {program}
    while waiting:
        path = waiting.pop()
        text = path.read_text("utf-8", "replace")
        found = defined_flags(text) | found
        for each in _modules(text, path.parent, roots):
            if each not in seen and len(seen) < _MOST_FILES:
                seen.add(each)
                waiting.append(each)
    return found


def _modules(text: str, folder: Path, roots: list[Path]) -> Iterator[Path]:
    """The files of the modules that a text imports, those of them that lie below the folders."""
    for origin, members, modules in _IMPORTED.findall(text):
        if not origin:
            wanted = [(each.split()[0], roots) for each in modules.split(",") if each.split()]
        elif origin.startswith("."):
            name = origin.lstrip(".")
            start = folder
            for _ in range(len(origin) - len(name) - 1):
                start = start.parent
            wanted = [(name, [start])] if name else []
            wanted += [(f"{name}.{each}".lstrip("."), [start]) for each in _words(members)]
        else:
            # Programs of Python 2 mean by a plain name a module of their own folder, too.
            wanted = [(origin, [*roots, folder])] + [(f"{origin}.{each}", [*roots, folder]) for each in _words(members)]
        for name, places in wanted:
            parts = name.split(".")
            for place in places:
                base = place.joinpath(*parts)
                found = next((file for file in (base.with_suffix(".py"), base / "__init__.py") if file.is_file()), None)
                if found is not None:
                    yield found
                    break


def _words(members: str) -> list[str]:
    """The names of `import a, b as c`."""
    return [each.split()[0] for each in members.strip("()\\ \t").split(",") if each.split()]
