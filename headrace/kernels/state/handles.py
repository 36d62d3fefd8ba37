"""What the ops on state share: shape checks in TensorFlow's words, static facts of handles, safe sources of copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, dtype_text
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.func_graph import FuncGraph
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView


# torch has few kernels for these; the signed types of the same width share their bits.
SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def shape_text(shape: Iterable[int | None]) -> str:
    """A shape as run-time errors write it: `[2,3]`."""
    return f"[{','.join('?' if size is None else str(size) for size in shape)}]"


def merge_shapes(a: Dims, b: Dims) -> Dims:
    """What two shapes that must be the same together know.

    Raises:
        ValueError: in the words of TensorFlow's shape functions, if they differ.
    """
    if a is None:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x is not None and y is not None and x != y:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. Shapes are {shape_text(a)} and "
                f"{shape_text(b)}."
            )
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


class _EagerMaker:
    """What would be the operation behind an eager handle."""

    def __init__(self, handle: Any) -> None:
        buffer = handle._value
        known = isinstance(buffer, VariableBuffer)
        self.type = "VarHandleOp" if known else "EagerTensor"
        self.inputs: tuple[Tensor, ...] = ()
        self.attrs = {"shape": buffer.dims, "dtype": buffer.dtype} if known else {}


def maker(handle: Tensor) -> Operation | _EagerMaker:
    """What made the resource that a handle leads to, through branches, loops and functions."""
    while True:
        if not handle._is_graph_tensor:
            return _EagerMaker(handle)
        op = handle.op
        if (known := getattr(handle, "_known_handle", None)) is not None:
            handle = known
        elif op.decl.handle_of == "first":
            handle = op.inputs[0]
        elif op.type == "Placeholder" and isinstance(op.graph, FuncGraph):
            outer = op.graph.outer_of(handle)
            if outer is None:
                return op
            handle = outer
        else:
            return op


def copy_handle_data(source_t: Tensor, target_t: Tensor) -> None:
    """Lets what is known of a handle, the type and shape it leads to, be known of another tensor that stands for it.

    Args:
        source_t: a handle.
        target_t: the other tensor; nothing happens if it is of another type.
    """
    if target_t.dtype.name in ("resource", "variant"):
        target_t._known_handle = source_t  # type: ignore[attr-defined]  # read where the maker of a handle is asked for


def handle_dims(handle: Tensor) -> Dims:
    """The static shape of the variable that a resource handle leads to."""
    op = maker(handle)
    return op.attrs["shape"] if op.type == "VarHandleOp" else None


def handle_dtype(handle: Tensor) -> DType | None:
    """The type of the variable that a resource handle leads to, where it is known."""
    op = maker(handle)
    return op.attrs["dtype"] if op.type == "VarHandleOp" else None


def check_handle_dtype(handle: Tensor, dtype: DType) -> None:
    """Raises ValueError if the variable behind `handle` is known to be of another type than `dtype`."""
    op = maker(handle)
    if op.type == "VarHandleOp" and op.attrs["dtype"] is not dtype:
        raise ValueError(
            "Trying to read variable with wrong dtype. "
            f"Expected {dtype_text(op.attrs['dtype'])} got {dtype_text(dtype)}"
        )


def may_share_memory(node: NodeView, index: int) -> bool:
    """Whether the value of input `index` may be a view of a variable: an in-place copy onto it needs care then."""
    source = node.inputs[index].node.decl
    return bool(source.may_alias or source.lends_state)


def is_view_of(value: np.ndarray | torch.Tensor, target: np.ndarray | torch.Tensor | None) -> bool:
    """Whether two tensors live in the same memory."""
    return (
        isinstance(value, torch.Tensor)
        and isinstance(target, torch.Tensor)
        and value.untyped_storage().data_ptr() == target.untyped_storage().data_ptr()
    )


def assigner(node: NodeView, index: int) -> Callable[[Any, Any], None]:
    """A function that gives a buffer the value of input `index` of `node`."""
    if not may_share_memory(node, index):
        return lambda buffer, value: buffer.assign(value)

    def assign(buffer: VariableBuffer, value: Any) -> None:
        if is_view_of(value, buffer.value):
            value = value.clone()
        buffer.assign(value)

    return assign


def invalid(message: str) -> InvalidArgumentError:
    """The run-time error with `message`; the session says of which op."""
    return InvalidArgumentError(None, None, message)


def in_place(node, name):
    """`target.add_(value)` or `sub_` for the element type of the node's second input."""
    dtype = node.inputs[1].dtype.torch
    signed = SIGNED.get(dtype)
    method = getattr(torch.Tensor, name)
    if signed is None:
        return method
    return lambda target, value: method(target.view(signed), value.view(signed))


def missing(buffer):
    """The error of an update of a variable that has no value."""
    return NotFoundError(None, None, f"Resource localhost/{buffer.name}/N10tensorflow3VarE does not exist.")
