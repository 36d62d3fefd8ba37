"""What 1.15's `tensor_util` says of tensors: their static value, the shape they describe, whether something is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.constant_value import outer_of
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, unknown_dims
from headrace.core.dtypes import int32
from headrace.core.eager import constant_array
from headrace.core.shapes import TensorShape, dimension_value
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


_tensor_like: list[type] = [Tensor]


def register_dense_tensor_like_type(tensor_type: type) -> None:
    """Registers a type that stands for one dense tensor and has the properties `name` and `dtype`.

    Raises:
        TypeError: if it lacks one of the properties.
    """
    for prop in ("name", "dtype"):
        if not isinstance(getattr(tensor_type, prop, None), property):
            raise TypeError(f"Type {tensor_type.__name__} does not define a `{prop}` property")
    if tensor_type not in _tensor_like:
        _tensor_like.append(tensor_type)


def is_dense_tensor_like(t: object) -> bool:
    """Whether `t` is a tensor, a variable, or of a type registered to stand for one."""
    return isinstance(t, tuple(_tensor_like)) or _is_variable(t)


def _is_variable(t: object) -> bool:
    # Variables are of a layer above; what makes them usable as tensors is this pair.
    return not isinstance(t, type) and hasattr(t, "_as_graph_element") and hasattr(t, "dtype")


def is_tensor(x: TensorLike | SparseTensor | Operation) -> bool:
    """Whether `x` is a tensor, a variable, or a composite tensor.

    Example:
        >>> tf.is_tensor(tf.constant(1)), tf.is_tensor(1)
        (True, False)
    """
    composite = isinstance(x, (SparseTensor, IndexedSlices))
    return composite or is_dense_tensor_like(x) or bool(getattr(x, "is_tensor_like", False))


def constant_value(tensor: int | TensorLike | Sequence[int], partial: bool = False) -> Any:
    """The value of a tensor that is known while the graph is built, as far as 1.15 looks for it.

    It looks through constants, shapes, sizes, ranks, ranges, casts, concatenations, stacks along axis 0, fills and
    comparisons. (Shape inference here sees further: `core.constant_value`.)

    Args:
        tensor: a tensor; anything that is no tensor is returned as it is.
        partial: whether a stack of which only some elements are known gives an array with None for the others.

    Returns:
        a NumPy array, or None. A tensor whose value was read can no longer be fed.

    Example:
        >>> tf.get_static_value(tf.shape(tf.zeros([2, 3])))
        array([2, 3], dtype=int32)
    """
    if not is_tensor(tensor):
        return tensor
    if not isinstance(tensor, Tensor):
        return None
    if not tensor._is_graph_tensor:
        return constant_array(tensor)
    rule = tensor.op.decl.python_value_rule
    value = None if rule is None else rule(tensor.op, _Known(partial))
    if value is not None:
        tensor.graph.prevent_feeding(tensor)
    return value


class _Known:
    """What is known of an operation's inputs, each of which can no longer be fed once it was asked for."""

    def __init__(self, partial: bool) -> None:
        self.partial = partial

    def of(self, tensor: Tensor) -> Any:
        """The value of a tensor, or None."""
        return constant_value(tensor, self.partial)

    def all(self, tensors: Sequence[Tensor]) -> list[np.ndarray] | None:
        """The values of tensors, or None if one of them is not known."""
        values = [constant_value(tensor) for tensor in tensors]
        return None if any(value is None for value in values) else values


def constant_value_as_shape(tensor: Tensor) -> TensorShape:
    """The shape that an integer vector describes, as far as it is known; -1 is an unknown size.

    Args:
        tensor: an int vector, or the scalar -1, which stands for a shape of unknown rank.

    Raises:
        ValueError: if a scalar is not known to be -1.
    """
    if tensor.dims == ():
        value = constant_value(tensor)
        if value is None:
            raise ValueError(
                "Received a scalar with unknown value as shape; require a statically known scalar with value '-1' to "
                "describe an unknown shape."
            )
        if value != -1:
            raise ValueError(
                f"Received a scalar value '{value}' as shape; require a statically known scalar with value '-1' to "
                "describe an unknown shape."
            )
        return TensorShape(None)
    tensor.shape.with_rank(1)
    return TensorShape.from_dims(_described(tensor))


def _described(tensor: Tensor) -> Dims:
    op = tensor._op
    # A tensor with a value is not made by an operation.
    kind = op.type if tensor._is_graph_tensor else "Const"
    if kind == "Shape":
        return op.inputs[0].dims
    if kind == "Placeholder":
        outer = outer_of(tensor)
        if outer is not None:
            return _described(outer)
    if kind == "Pack":
        return tuple(_size(constant_value(source)) for source in op.inputs)
    if kind in ("Concat", "ConcatV2"):
        parts = [_described(source) for source in (op.inputs[1:] if kind == "Concat" else op.inputs[:-1])]
        return None if None in parts else tuple(size for part in parts if part is not None for size in part)
    if kind == "StridedSlice" and not (op.attrs["ellipsis_mask"] or op.attrs["new_axis_mask"]):
        bounds = [constant_value(source) for source in op.inputs[1:4]]
        whole = _described(op.inputs[0])
        if whole is not None and not op.attrs["shrink_axis_mask"] and all(b is not None for b in bounds):
            begin, end, stride = (int(bound[0]) for bound in bounds)
            return whole[
                None if op.attrs["begin_mask"] & 1 else begin : None if op.attrs["end_mask"] & 1 else end : stride
            ]
    value = constant_value(tensor)
    if value is not None:
        return tuple(_size(size) for size in value)
    length = None if tensor.dims is None else tensor.dims[0]
    return unknown_dims(length)


def _size(value: np.integer[Any] | np.ndarray | None) -> int | None:
    return None if value is None or value < 0 else int(value)


def shape_tensor(shape: Any) -> Tensor:
    """A shape, given as a list, tuple or tensor, as a tensor."""
    dtype = None
    if isinstance(shape, (tuple, list)):
        if not shape:
            dtype = int32
        shape = tuple(dimension_value(size) for size in shape)
    return convert_to_tensor(shape, dtype=dtype, name="shape")


def maybe_set_static_shape(tensor: Tensor, shape: Any) -> None:
    """Gives `tensor` the static shape that `shape`, an int vector, is known to describe."""
    if tensor.dims is None or None in tensor.dims:
        tensor.set_shape(constant_value_as_shape(shape_tensor(shape)))


def TensorShapeProtoToList(shape: Any) -> list[int]:
    """The sizes of a TensorShapeProto; unknown ones are -1."""
    return [dim.size for dim in shape.dim]


def ShapeEquals(tensor_proto: Any, shape: Sequence[int]) -> bool:
    """Whether a TensorProto has a shape.

    Args:
        tensor_proto: a `TensorProto`.
        shape: a list, a tuple, or a `TensorShapeProto`.

    Raises:
        TypeError: if an argument is of another type.
    """
    if not hasattr(tensor_proto, "tensor_shape"):
        raise TypeError("tensor_proto is not a tensor_pb2.TensorProto object")
    if hasattr(shape, "dim"):
        shape = TensorShapeProtoToList(shape)
    elif not isinstance(shape, (list, tuple)):
        raise TypeError("shape is not a list or tuple")
    return TensorShapeProtoToList(tensor_proto.tensor_shape) == list(shape)
