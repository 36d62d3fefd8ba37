"""Checks that values are numbers: of one tensor, or of all floats of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.renamed_arguments import first_given as either
from headrace.ops.flow.grouping import group, with_dependencies

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def verify_tensor_all_finite(
    t: TensorLike | None = None,
    msg: str | None = None,
    name: str | None = None,
    x: Any = None,
    message: str | None = None,
) -> Tensor:
    """`t` again, there only after all its elements proved finite.

    Args:
        t: floating tensor of any shape.
        msg: what the error begins with.
        name: a name for the operation.
        x, message: the later names of `t` and `msg`.

    Raises:
        ValueError: if an argument is given under both its names, or under none.
        InvalidArgumentError: at run time.
    """
    value = either("x", x, "t", t)
    text = either("message", message, "msg", msg)
    with name_scope(name, "VerifyFinite", [value]):
        value = convert_to_tensor(value, name="x")
        with colocate_with(value):
            verified = raw.CheckNumerics(value, message=text)
            return with_dependencies([verified], value)


def add_check_numerics_ops() -> Operation:
    """An operation that checks every floating tensor made so far in the default graph, in the order they were made.

    Raises:
        RuntimeError: while executing eagerly.
        ValueError: if a tensor lies in a branch or loop.

    Example:
        >>> with tf.Graph().as_default(), tf.Session() as session:
        ...     root = tf.sqrt(tf.constant(-1.0), name="root")
        ...     session.run([root, tf.add_check_numerics_ops()])
        Traceback (most recent call last):
        headrace.core.errors.InvalidArgumentError: ...root:0 : Tensor had NaN values...
    """
    if executing_eagerly():
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution: there is no graph whose tensors it could "
            "check. tfe.seterr(inf_or_nan='raise') has operations that run from then on checked."
        )
    checks: list[Any] = []
    for operation in get_default_graph().get_operations():
        for output in operation.outputs:
            if output.dtype.name not in ("float16", "float32", "float64"):
                continue
            if operation._get_control_flow_context() is not None:
                raise ValueError(
                    "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such as "
                    "`tf.cond()` or `tf.while_loop()`."
                )
            with control_dependencies(checks):
                checks = [raw.CheckNumerics(output, message=output.name)]
    return group(*checks)
