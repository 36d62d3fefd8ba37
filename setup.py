"""Builds the native runner (headrace/native/src) where there is a C++ compiler; without one everything works, only slower.

The rest of the package is described in pyproject.toml. HEADRACE_NATIVE=0 leaves the runner out.
"""

import concurrent.futures
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError, PlatformError

SOURCES = Path("headrace/native/src")

# On Windows Clang with the arguments of Microsoft's compiler, which does not know vector types.
WINDOWS = sys.platform == "win32"

# No fast-math: NaN, infinities and rounding are those of IEEE 754. Integers wrap, as torch's do.
FLAGS = [
    "-std=c++17",
    "-O3",
    "-fwrapv",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=off",
    "-fvisibility=hidden",
    "-Wno-psabi",
    # What debuggers would want of it is several times its size.
    "-g0",
]
if WINDOWS:
    FLAGS = ["/std:c++17", "/O2", "/EHsc", *(f"/clang:{flag}" for flag in FLAGS if flag.startswith("-f"))]


class BuildRunner(build_ext):
    """Compiles the sources at once on all cores, and goes on without the runner where that fails."""

    def run(self) -> None:
        """Builds it, or says in one line why not."""
        if os.environ.get("HEADRACE_NATIVE") == "0":
            self.extensions = []
            print("headrace: the native runner is left out, HEADRACE_NATIVE=0")
            return
        try:
            super().run()
        except (CompileError, LinkError, PlatformError, OSError) as error:
            why = type(error).__name__
            print(f"headrace: the native runner is not built ({why}); everything works without it", file=sys.stderr)

    def build_extension(self, ext: Extension) -> None:
        """Compiles and links the extension."""
        compiler = self.compiler
        # The largest first: else one core would be left with them at the end.
        sources = sorted(ext.sources, key=lambda source: ("isa" not in source, source))
        if WINDOWS:
            compiler.initialize()
            compiler.cc = "clang-cl"

        def compiled(source: str) -> str:
            (made,) = compiler.compile(
                [source],
                output_dir=self.build_temp,
                macros=ext.define_macros,
                include_dirs=ext.include_dirs,
                extra_postargs=ext.extra_compile_args,
                depends=ext.depends,
            )
            return made

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compiled, sources))
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        compiler.link_shared_object(objects, str(target), extra_postargs=ext.extra_link_args, target_lang="c++")

    def copy_extensions_to_source(self) -> None:
        """For editable installations; nothing where nothing was built."""
        if all(Path(self.build_lib, self.get_ext_filename(ext.name)).exists() for ext in self.extensions):
            super().copy_extensions_to_source()


runner = Extension(
    "headrace.native._runner",
    sources=[str(path) for path in SOURCES.glob("*.cpp")],
    depends=[str(path) for pattern in ("*.h", "isa/*.inc") for path in SOURCES.glob(pattern)],
    include_dirs=[str(SOURCES)],
    # The second for macOS, whose headers keep `lgamma_r` from programs without threads.
    define_macros=[("Py_LIMITED_API", "0x030A0000"), ("_REENTRANT", "1")],
    extra_compile_args=FLAGS,
    extra_link_args=[] if WINDOWS else ["-pthread"],
    language="c++",
    py_limited_api=True,
)

setup(
    ext_modules=[runner],
    cmdclass={"build_ext": BuildRunner},
    # One wheel for all versions of Python from 3.10 on.
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
