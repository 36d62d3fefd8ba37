"""`tf.Assert`: a condition that must hold when the graph runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_n_to_tensor, convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.ops.flow.assertion import summarized
from headrace.ops.flow.grouping import no_op

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def Assert(condition: TensorLike, data: Any, summarize: int | None = None, name: str | None = None) -> Operation:
    """An operation that fails, telling `data`, unless `condition` is true; make others depend on it.

    Args:
        condition: a bool scalar tensor.
        data: a list of tensors to tell.
        summarize: how many elements of each are shown; 3 by default, all if negative.
        name: a name for the operation.

    Returns:
        the operation. It raises InvalidArgumentError at run time.

    Example:
        >>> with tf.control_dependencies([tf.Assert(tf.reduce_max(x) <= 1.0, [x])]):
        ...     y = tf.identity(x)
    """
    with name_scope(name, "Assert", [condition, data]):
        tensors = convert_n_to_tensor(data)
        if executing_eagerly():
            if not condition:
                summary = "\n".join(summarized(tensor, summarize) for tensor in tensors)
                raise InvalidArgumentError(
                    None, None, f"Expected '{condition!s}' to be true. Summarized data: {summary}"
                )
            return None  # type: ignore[return-value]  # eagerly there is no operation, as in 1.x
        if all(tensor.dtype.name in ("string", "int32") for tensor in tensors):
            return raw.Assert(condition, data, summarize=summarize, name="Assert")
        # Values that may lie on another device are only fetched from there when there is something to tell.
        condition = convert_to_tensor(condition, name="Condition")
        guarded = cond(
            condition,
            no_op,
            lambda: raw.Assert(condition, data, summarize=summarize, name="Assert"),
            name="AssertGuard",
        )
        return guarded.op
