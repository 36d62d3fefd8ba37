"""Compiles and links the native runner for systems that are not at hand, by the Clang that PyPI has as `ziglang`.

    python -m pip install ziglang
    python tools/cross_compile_native.py                     # for all of them, several minutes
    python tools/cross_compile_native.py aarch64-macos

It tells that the sources are fit for a system, not that they are right there; wheels are built on the systems themselves.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "headrace/native/src"
FOLDER = ROOT / "build/cross"
TARGETS = ("aarch64-macos", "x86_64-macos", "x86_64-windows-gnu", "aarch64-linux-gnu")
COMPILER = [sys.executable, "-m", "ziglang"]
FLAGS = [
    "-std=c++17",
    "-O1",
    "-Wall",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-Wno-psabi",
    "-DPy_LIMITED_API=0x030A0000",
    "-D_REENTRANT=1",
]
# What Python's headers ask for of its configuration on Windows, which the ones at hand do not have.
WINDOWS_CONFIGURATION = """
#pragma once
#include <io.h>
#include <sys/types.h>
#define MS_WIN32 1
#define MS_WINDOWS 1
#define MS_WIN64 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_INT 4
#define SIZEOF_SHORT 2
#define SIZEOF_WCHAR_T 2
#define SIZEOF_TIME_T 8
#define SIZEOF_PID_T 4
#define ALIGNOF_SIZE_T 8
#define HAVE_ERRNO_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_STDDEF_H 1
#define HAVE_WCHAR_H 1
"""


def headers(folder: Path, target: str) -> Path:
    """Where Python's headers for a target are."""
    found = Path(sysconfig.get_paths()["include"])
    if "windows" not in target:
        return found
    # They look for the configuration beside themselves first.
    copied = folder / "include"
    shutil.copytree(found, copied, dirs_exist_ok=True)
    (copied / "pyconfig.h").write_text(WINDOWS_CONFIGURATION)
    return copied


def python_library(folder: Path, objects: list[Path]) -> list[str]:
    """What Windows links Python's names with: an import library of those that the objects ask for."""
    symbols: set[str] = set()
    for path in objects:
        symbols |= set(re.findall(rb"\b_?Py[A-Z_]\w+", path.read_bytes().replace(b"__imp_", b" ")))
    definition = folder / "python3.def"
    definition.write_text(
        "LIBRARY python3.dll\nEXPORTS\n" + "\n".join(sorted(name.decode() for name in symbols)) + "\n"
    )
    library = folder / "libpython3.a"
    subprocess.run([*COMPILER, "dlltool", "-d", str(definition), "-l", str(library), "-m", "i386:x86-64"], check=True)
    return [str(library)]


def build(target: str) -> Path:
    """Compiles all sources for a target and links them; raises CalledProcessError where that fails."""
    folder = FOLDER / target
    folder.mkdir(parents=True, exist_ok=True)
    options = ["-target", target, *FLAGS, f"-I{SOURCES}", f"-I{headers(folder, target)}"]
    if "windows" not in target:
        options.append("-fPIC")

    def compiled(source: Path) -> Path:
        made = folder / f"{source.stem}.o"
        subprocess.run([*COMPILER, "c++", *options, "-c", str(source), "-o", str(made)], check=True)
        return made

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compiled, sorted(SOURCES.glob("*.cpp"))))
    module = folder / ("_runner.pyd" if "windows" in target else "_runner.abi3.so")
    more = python_library(folder, objects) if "windows" in target else []
    if "macos" in target:
        more = ["-Wl,-undefined,dynamic_lookup"]
    linked = [*COMPILER, "c++", "-target", target, "-shared", *map(str, objects), *more, "-o", str(module)]
    subprocess.run(linked, check=True)
    return module


def main() -> None:
    """Builds for the targets that were asked for, and tells of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all if none is named")
    for target in parser.parse_args().targets or TARGETS:
        module = build(target)
        print(f"{target}: {module.stat().st_size >> 10} kB", flush=True)


if __name__ == "__main__":
    main()
