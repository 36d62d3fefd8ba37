"""Logic and shapes that are worked out while the graph is built where all is known, and by ops where it is not.

What is worked out becomes a constant of the graph, one for each step, as programs that count on the seeds of the ops after
them expect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.functions.flow.case import smart_cond
from headrace.functions.math.reduction import reduce_all
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape
from headrace.ops.array.where import where_v2

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def value_of(x: TensorLike) -> Any:
    """What is known of `x`, made a tensor if it is none: a NumPy array, or None."""
    return constant_value(convert_to_tensor(x))


def equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Whether two are the same."""
    values = value_of(x), value_of(y)
    if any(value is None for value in values):
        return raw.Equal(x, y)
    return constant(np.array_equal(*values))


def negated(x: TensorLike) -> Tensor:
    """Not `x`."""
    value = value_of(x)
    return raw.LogicalNot(x) if value is None else constant(np.logical_not(value))


def all_of(*conditions: Any) -> Tensor:
    """Whether all are true; one that is known to be false decides it."""
    values = [value_of(condition) for condition in conditions]
    if any(value is not None and not value for value in values):
        return constant(False)
    if all(value is not None for value in values):
        return constant(True)
    return raw.LogicalAnd(*conditions) if len(conditions) == 2 else reduce_all(conditions)


def joined(*vectors: Any) -> Tensor:
    """Vectors one after another."""
    values = [value_of(vector) for vector in vectors]
    if any(value is None for value in values):
        return composing.concat(vectors, 0)
    return constant(np.concatenate(values).tolist())


def rank_of(shape: Tensor) -> Tensor:
    """How many dimensions a tensor of this shape has.

    Raises:
        ValueError: if the shape is no vector. TypeError: if it is not of integers.
    """
    if shape.get_shape().ndims not in (None, 1):
        raise ValueError("input is not a valid shape: not 1D")
    if not shape.dtype.is_integer:
        raise TypeError("input is not a valid shape: wrong dtype")
    length = shape.dims[0] if shape.dims else None
    return shape_internal(shape)[0] if length is None else constant(length)


def pick_vector(condition: TensorLike, chosen: TensorLike, other: TensorLike, name: str = "pick_vector") -> Any:
    """`chosen` where the condition holds, else `other`; they may be of different lengths.

    Raises:
        TypeError: if the condition is not bool, or the two are of different types.
    """
    with name_scope(name, values=[condition, chosen, other]):
        condition = convert_to_tensor(condition, name="cond")
        if condition.dtype.name != "bool":
            raise TypeError(f"{condition.op.name}.dtype={condition.dtype} which is not {np.dtype(bool)}")
        value = constant_value(condition)
        if value is not None:
            return chosen if value else other
        chosen = convert_to_tensor(chosen, name="true_vector")
        other = convert_to_tensor(other, name="false_vector")
        if chosen.dtype != other.dtype:
            names = f"{chosen.op.name}.dtype={chosen.dtype} does not match {other.op.name}.dtype={other.dtype}"
            raise TypeError(names)
        length = shape_internal(chosen)[0]
        both = composing.concat([chosen, other], 0)
        return raw.Slice(both, [where_v2(condition, 0, length)], [raw.Select(condition, length, -1)])


def prefer_static_broadcast_shape(
    shape1: TensorLike, shape2: TensorLike, name: str = "prefer_static_broadcast_shape"
) -> Any:
    """The shape to which two shapes broadcast, a TensorShape if it is known.

    Args:
        shape1, shape2: int32 vectors or TensorShapes.
        name: a name for the operations.

    Raises:
        ValueError: if one is a TensorShape known in part, and the other no more than a tensor.
    """
    with name_scope(name, values=[shape1, shape2]):
        static = []
        for shape in (shape1, shape2):
            known = shape if isinstance(shape, TensorShape) else constant_value(_shape_vector(shape))
            static.append(TensorShape(known.tolist()) if isinstance(known, np.ndarray) else known)
        if None not in [None if shape is None else 0 for shape in static]:
            return broadcast_static_shape(*static)
        return broadcast_dynamic_shape(*(_shape_vector(shape) for shape in (shape1, shape2)))


def _shape_vector(shape: Any) -> Tensor:
    if isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ValueError("Cannot broadcast from partially defined `TensorShape`.")
        shape = shape.as_list()
    return convert_to_tensor(shape, "int32", name="shape")


def prefer_static_value(x: Tensor) -> Any:
    """A tensor's value as an array if it is known, else the tensor."""
    known = constant_value(x)
    return x if known is None else known


def prefer_static_rank(x: Tensor) -> Any:
    """How many dimensions `x` has."""
    return prefer_static_value(rank_internal(x))


def prefer_static_shape(x: Tensor) -> Any:
    """The shape of `x`."""
    return prefer_static_value(shape_internal(x))


def dimension_size(x: Tensor, axis: int) -> Any:
    """How large a dimension is, an int if that is known."""
    known = x.get_shape().with_rank_at_least(abs(axis))
    size = None if known.ndims is None else known[axis].value
    return shape_internal(x)[axis] if size is None else size


def move_dimension(x: Tensor, source_idx: int, dest_idx: int) -> Tensor:
    """`x` with one dimension moved to another place, the others in their order.

    Args:
        x: a tensor.
        source_idx, dest_idx: int32 scalars: where the dimension is, and where it shall be.
    """
    rank = prefer_static_rank(x)
    source = rank + source_idx if source_idx < 0 else source_idx
    target = rank + dest_idx if dest_idx < 0 else dest_idx

    def order(*parts: Any) -> np.ndarray:
        return prefer_static_value(composing.concat([*parts], 0))

    def to_left() -> Any:
        between = composing.range_(target, source)
        return order(composing.range_(0, target), [source], between, composing.range_(source + 1, rank))

    def to_right() -> np.ndarray:
        between = composing.range_(source + 1, target + 1)
        return order(composing.range_(0, source), between, [source], composing.range_(target + 1, rank))

    def moved() -> Tensor:
        return composing.transpose(x, smart_cond(source < target, to_right, to_left))

    return smart_cond(raw.Equal(source, target), lambda: convert_to_tensor(x), moved)
