"""Direct calls: kernels in C++ whose results have sizes that only their values tell, or that take texts.

Each takes tensors and NumPy arrays of `bytes`, and gives tensors of their own memory, in two or three microseconds for what a
batch of examples has. It answers None, before anything is written, where it does not compute what it is given: values that
are refused, other types or layouts, so many elements that torch with all its threads is not slower. The kernel in Python then
computes or raises the right error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import headrace.native.program  # noqa: F401  it tells the runner of torch and NumPy
from headrace.native import loading


def direct_call(name: str) -> Callable[..., Any] | None:
    """The function of the runner of that name, None where there is no runner."""
    return None if loading.why_not() else getattr(loading.runner(), name, None)


def directly(name: str, plain: Callable[..., Any], *settings: Any) -> Callable[..., Any]:
    """A kernel that asks the runner first.

    Args:
        name: the function of the runner.
        plain: the kernel, which it falls back to.
        *settings: what the function is told after the values.
    """
    function = direct_call(name)
    if function is None:
        return plain
    asked = function
    if not settings:

        def run(*values: Any) -> Any:
            made = asked(*values)
            return plain(*values) if made is None else made

        return run

    def run_with(*values: Any) -> Any:
        made = asked(*values, *settings)
        return plain(*values) if made is None else made

    return run_with
