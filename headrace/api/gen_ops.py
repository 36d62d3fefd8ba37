"""Every op type by the function name of 1.x's generated modules: `gen_math_ops.mat_mul` is `raw.MatMul`."""

from __future__ import annotations

import re
from typing import Any

from headrace.core.registry import raw

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")


def function_name(op_type: str) -> str:
    """The function name of an op type.

    Example:
        >>> function_name("SparseMatMul"), function_name("LRNGrad"), function_name("Conv2DBackpropInput")
        ('sparse_mat_mul', 'lrn_grad', 'conv2d_backprop_input')
    """
    return _WORDS.sub("_", op_type).lower()


def __getattr__(name: str) -> Any:
    # Before 1.8 the functions without a public home had a leading underscore.
    wanted = name.removeprefix("_")
    if not name.startswith("__"):
        for op_type in dir(raw):
            if function_name(op_type) == wanted:
                return getattr(raw, op_type)
    raise AttributeError(f"module 'tensorflow.python.ops' has no generated op function {name!r}")


def __dir__() -> list[str]:
    return [function_name(op_type) for op_type in dir(raw)]
