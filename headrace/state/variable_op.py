"""1.x's `state_ops.variable_op` and its companions: variables as mere operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def variable_op(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: str = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> Tensor:
    """A reference to a variable that a session keeps, by the older operation, which need not say the shape.

    Args:
        shape, dtype, name, container, shared_name: as in `state_ops.variable_op_v2`.
        set_shape: whether the result is of `shape`; else its shape is unknown.
    """
    dims = as_dims(shape) if set_shape else ()
    made = raw.Variable(shape=dims, dtype=dtype, name=name, container=container, shared_name=shared_name)
    if set_shape:
        made.set_shape(shape)
    return made


def init_variable(v: Tensor, init: TensorLike, name: str = "init") -> Tensor:
    """Assigns `init` to a variable.

    Args:
        v: the reference.
        init: the value, or a function of shape and dtype that gives it.
        name: what follows the variable's name in that of the operation.

    Returns:
        the reference, after the assignment.
    """
    with name_scope(None, f"{v.op.name}/", [v, init]), name_scope(name) as scope, colocate_with(v):
        if callable(init):
            dims = v.get_shape()
            if not dims.is_fully_defined():
                raise ValueError("Variable shape must be fully defined to initialize it by a function.")
            with control_dependencies(None):
                value = init(dims.as_list(), as_dtype(v.dtype).base_dtype)
        else:
            value = convert_to_tensor(init, name="init")
        return raw.Assign(v, value, name=scope)
