"""Builds what is to be published, checks it, and says what is left to a person.

    python tools/release.py             # into dist/
    python tools/release.py --no-try    # without installing the wheel on every Python

The wheel is tried on each Python from 3.10 on that is found, in an environment of its own, with a program and `headrace doctor`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PROGRAM = """
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(tf.layers.dense(x, 1) - 1.0))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = [sess.run([train, loss], {x: [[1.0, 2.0], [3.0, 4.0]]})[1] for _ in range(100)]
assert losses[-1] < 0.5 * losses[0], losses
"""


def call(*command: object) -> str:
    """What a command says; ends the release where it fails."""
    done = subprocess.run([str(word) for word in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def version() -> str:
    """The version in pyproject.toml, which the changelog and the citation have to know as well."""
    (found,) = re.findall(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    (newest, *_) = re.findall(r"^## (\S+)(.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if newest[0] != found:
        sys.exit(f"CHANGELOG.md begins with {newest[0]}, pyproject.toml says {found}")
    if f"version: {found}" not in (ROOT / "CITATION.cff").read_text():
        sys.exit(f"CITATION.cff does not say {found}")
    return found


def build() -> tuple[Path, Path]:
    """The source distribution, and the wheel that is built from it."""
    shutil.rmtree(DIST, ignore_errors=True)
    call(sys.executable, "-m", "build", "--outdir", DIST)
    call(sys.executable, "-m", "twine", "check", "--strict", *DIST.iterdir())
    (source,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return source, wheel


def check_contents(source: Path, wheel: Path) -> None:
    """That neither lacks what belongs into it, and the wheel has nothing else."""
    with tarfile.open(source) as archive:
        there = {name.partition("/")[2] for name in archive.getnames()}
    for name in ("CHANGELOG.md", "LICENSE", "docs/start.md", "tests/conftest.py", "headrace/native/src/module.cpp"):
        if name not in there:
            sys.exit(f"{source.name} lacks {name}")
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}
    strays = {top for top in tops if not re.fullmatch(r"headrace|headrace-stubs|headrace-.*\.dist-info", top)}
    if strays:
        sys.exit(f"{wheel.name} has {sorted(strays)} besides the package")


def pythons() -> dict[str, str]:
    """The interpreters that are there, by version."""
    found = {}
    for minor in VERSIONS:
        candidates = [f"python{minor}", *map(str, sorted(Path.home().glob(f".pyenv/versions/{minor}.*/bin/python")))]
        for candidate in candidates:
            asked = f"import sys, venv; assert '%d.%d' % sys.version_info[:2] == '{minor}'"
            try:
                works = not subprocess.run([candidate, "-c", asked], capture_output=True).returncode
            except OSError:
                continue
            if works:
                found[minor] = candidate
                break
    return found


def try_wheel(wheel: Path, python: str) -> str:
    """Installs a wheel into a new environment, runs a program there, and says what runs it."""
    with tempfile.TemporaryDirectory() as folder:
        call(python, "-m", "venv", folder)
        inside = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        call(inside / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        call(inside / "headrace", program)
        return call(inside / "headrace", "doctor")


def main() -> None:
    """Builds, checks, tries, and tells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-try", action="store_true", help="do not install the wheel anywhere")
    arguments = parser.parse_args()
    number = version()
    dirty = call("git", "status", "--porcelain")
    source, wheel = build()
    check_contents(source, wheel)
    print(
        f"built and checked: {source.name} ({source.stat().st_size >> 10} KiB), {wheel.name} ({wheel.stat().st_size >> 10} KiB)"
    )
    tried = [] if arguments.no_try else list(pythons().items())
    for minor, python in tried:
        print(f"Python {minor}: a program runs;", try_wheel(wheel, python).replace("\n", "; ")[:300])
    print("\nleft to a person:")
    for missing in [minor for minor in VERSIONS if minor not in dict(tried)]:
        print(f"  - the wheel was not tried on Python {missing}")
    if dirty:
        print("  - the working tree has changes that are not committed")
    print(f"  - CHANGELOG.md: the date in the place of (unreleased); then: git tag v{number}")
    print("  - wheels for macOS, Windows and other processors: cibuildwheel --platform … (see [tool.cibuildwheel])")
    print("  - twine upload dist/*, and the site: make docs")


if __name__ == "__main__":
    main()
