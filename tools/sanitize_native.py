"""Runs the tests of the native kernels with a runner that finds wrong addresses and undefined behaviour.

    python tools/sanitize_native.py

It is compiled anew into build/sanitized, where sources have changed, with AddressSanitizer and UndefinedBehaviorSanitizer;
their run-time library has to be there before Python is, so the tests run in a process of their own.
"""

import concurrent.futures
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "headrace/native/src"
FOLDER = ROOT / "build/sanitized"
MODULE = FOLDER / "_runner.abi3.so"
COMPILER = os.environ.get("CXX", "g++")
CHECKS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
FLAGS = [
    "-std=c++17",
    "-O1",
    "-g1",
    "-fno-omit-frame-pointer",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
]
FLAGS += ["-ffp-contract=off", "-fvisibility=hidden", "-Wno-psabi", "-DPy_LIMITED_API=0x030A0000"]
# The kernels for each instruction set: a processor runs those of one, and only these need checks.
KERNELS = {"x86-64-v2": "isa_baseline", "x86-64-v3": "isa_avx2", "x86-64-v4": "isa_avx512"}
# Under this variable the second process knows what it is for.
SECOND = "HEADRACE_SANITIZED"


def build() -> None:
    """Compiles and links what is older than its source."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    newest_header = max(path.stat().st_mtime for path in SOURCES.rglob("*") if path.suffix in (".h", ".inc"))
    include = sysconfig.get_paths()["include"]
    unused = kernels_that_do_not_run()

    def compiled(source: Path) -> Path:
        target = FOLDER / f"{source.stem}.o"
        flags = [*FLAGS, "-O0"] if source.stem in unused else [*FLAGS, *CHECKS]
        if not target.exists() or target.stat().st_mtime < max(source.stat().st_mtime, newest_header):
            subprocess.run([COMPILER, *flags, f"-I{include}", "-c", str(source), "-o", str(target)], check=True)
        return target

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The largest first: else one core would be left with them at the end.
        sources = sorted(SOURCES.glob("*.cpp"), key=lambda source: "isa" not in source.stem)
        objects = list(pool.map(compiled, sources))
    subprocess.run([COMPILER, "-shared", *CHECKS, *map(str, objects), "-o", str(MODULE)], check=True)


def kernels_that_do_not_run() -> set[str]:
    """The sources of kernels for other instruction sets than this processor's; none where that is not known."""
    from headrace import native

    used = next((stem for level, stem in KERNELS.items() if level in native.description()), None)
    return set(KERNELS.values()) - {used} if used else set()


def main() -> int:
    """Builds, and runs the tests in a process that has the sanitizers' library first."""
    if os.environ.get(SECOND):
        return run_tests()
    if shutil.which(COMPILER) is None:
        print(f"no {COMPILER}: the native runner is not tested")
        return 0
    build()
    libraries = [
        subprocess.run(
            [COMPILER, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libstdc++.so")
    ]
    # Python and torch keep memory until the process ends; what they allocate is of no interest.
    settings = {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    arguments = [sys.executable, __file__]
    return subprocess.run(arguments, env={**os.environ, **settings, SECOND: "1"}, check=False).returncode


def run_tests() -> int:
    """Runs the tests of kernels with the runner of this folder."""
    import pytest

    specification = importlib.util.spec_from_file_location("headrace.native._runner", MODULE)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    sys.modules["headrace.native._runner"] = module
    # Those of kernels and of programs; regions are tested without sanitizers.
    paths = sorted(map(str, (ROOT / "tests/native").glob("test_[kp]*.py")))
    return int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *paths]))


if __name__ == "__main__":
    sys.exit(main())
