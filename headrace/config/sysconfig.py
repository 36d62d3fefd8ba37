"""`tf.sysconfig`: what one needs to compile against TensorFlow, of which there is nothing here."""

from __future__ import annotations

from typing import NoReturn

from headrace.core.version import CXX11_ABI_FLAG, MONOLITHIC_BUILD

__all__ = [
    "CXX11_ABI_FLAG", "MONOLITHIC_BUILD", "get_compile_flags", "get_include", "get_lib", "get_link_flags",
]  # fmt: skip


def _nothing_to_compile(function: str) -> NoReturn:
    raise NotImplementedError(
        f"tf.sysconfig.{function}(): Headrace is Python on PyTorch and has no TensorFlow headers or libraries to compile "
        "against; write custom ops in Python, or use tf.py_func."
    )


def get_include() -> NoReturn:
    """Would be the folder of TensorFlow's C++ headers.

    Raises:
        NotImplementedError: always.
    """
    _nothing_to_compile("get_include")


def get_lib() -> NoReturn:
    """Would be the folder of TensorFlow's framework library.

    Raises:
        NotImplementedError: always.
    """
    _nothing_to_compile("get_lib")


def get_compile_flags() -> NoReturn:
    """Would be the compiler's flags for a custom op.

    Raises:
        NotImplementedError: always.
    """
    _nothing_to_compile("get_compile_flags")


def get_link_flags() -> NoReturn:
    """Would be the linker's flags for a custom op.

    Raises:
        NotImplementedError: always.
    """
    _nothing_to_compile("get_link_flags")
