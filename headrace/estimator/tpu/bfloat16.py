"""Models that compute in bfloat16, with variables in float32."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from headrace.core.dtypes import bfloat16, float32
from headrace.ops.math.cast import cast
from headrace.state.current_scope import VariableScope
from headrace.state.variable_scope import variable_scope


def _float32_for_bfloat16(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    if kwargs.get("dtype") != bfloat16:
        return getter(*args, **kwargs)
    kwargs["dtype"] = float32
    return cast(getter(*args, **kwargs), bfloat16)


@contextmanager
def bfloat16_scope() -> Iterator[VariableScope]:
    """A scope in which variables that are asked for in bfloat16 are kept in float32, and read in bfloat16.

    Yields:
        the variable scope.

    Example:
        >>> with tf.contrib.tpu.bfloat16_scope():
        ...     y = tf.layers.dense(tf.cast(x, tf.bfloat16), 10)
        >>> y = tf.cast(y, tf.float32)
    """
    with variable_scope("", custom_getter=_float32_for_bfloat16) as scope:
        yield scope
