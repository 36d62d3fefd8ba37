"""The sparse parts of elements, by the names of 1.15's `tensorflow.python.data.util.sparse`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import variant
from headrace.core.shapes import as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import SparseTensorSpec
from headrace.data import nest

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def any_sparse(classes: Any) -> bool:
    """Whether one of the classes is `tf.SparseTensor`."""
    return any(kind is SparseTensor for kind in nest.flatten(classes))


def get_classes(tensors: Any) -> Any:
    """The class of each part: `tf.SparseTensor` or `tf.Tensor`."""
    return nest.map_structure(lambda part: SparseTensor if isinstance(part, SparseTensor) else Tensor, tensors)


def _where_dense(values: Any, classes: Any, sparse: Any) -> Any:
    pairs = zip(nest.flatten(values), nest.flatten(classes), strict=True)
    return nest.pack_sequence_as(values, [sparse if kind is SparseTensor else value for value, kind in pairs])


def as_dense_shapes(shapes: Any, classes: Any) -> Any:
    """`shapes`, with unknown ones where the class is `tf.SparseTensor`."""
    return _where_dense(shapes, classes, as_shape(None))


def as_dense_types(types: Any, classes: Any) -> Any:
    """`types`, with `tf.variant` where the class is `tf.SparseTensor`."""
    return _where_dense(types, classes, variant)


def serialize_sparse_tensors(tensors: Any) -> Any:
    """`tensors`, with each sparse tensor as one variant tensor."""
    return _encoded(tensors, "_to_tensor_list")


def serialize_many_sparse_tensors(tensors: Any) -> Any:
    """`tensors`, with each sparse tensor as variant tensors of its rows."""
    return _encoded(tensors, "_to_batched_tensor_list")


def _encoded(tensors: Any, encode: str) -> Any:
    def part(value: TensorLike) -> Any:
        if not isinstance(value, SparseTensor):
            return value
        return getattr(SparseTensorSpec.from_value(value), encode)(value)[0]

    return nest.map_structure(part, tensors)


def deserialize_sparse_tensors(tensors: Any, types: Any, shapes: Any, classes: Any) -> Any:
    """`tensors`, with sparse tensors again for those that stand for one."""
    parts = zip(*map(nest.flatten, (tensors, types, shapes, classes)), strict=True)
    return nest.pack_sequence_as(
        types,
        [
            SparseTensorSpec(shape, dtype)._from_compatible_tensor_list([tensor]) if kind is SparseTensor else tensor
            for tensor, dtype, shape, kind in parts
        ],
    )
