"""The threads that torch's own kernels run on, for kernels that are not torch's."""

from __future__ import annotations

import ctypes
import pathlib

import torch


def team_of_threads() -> int:
    """The address of `GOMP_parallel` in the OpenMP library that torch has loaded, 0 where it has none of that kind.

    The function calls another one on so many threads: `GOMP_parallel(call, data, threads, flags)`. GCC's library and LLVM's
    both have it.
    """
    for library in (pathlib.Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*"):
        try:
            # A name is looked for in what a library needs, too; it is loaded, so nothing new is.
            found = ctypes.CDLL(str(library)).GOMP_parallel
        except (OSError, AttributeError):
            continue
        return ctypes.cast(found, ctypes.c_void_p).value or 0
    return 0
