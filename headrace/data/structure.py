"""Descriptions of dataset elements, and elements as the flat lists of tensors that dataset ops take and give."""

from __future__ import annotations

from typing import Any

from headrace.core.composite import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, as_dtype, variant
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import Dims, TensorShape, as_shape
from headrace.core.type_specs import SparseTensorSpec, TensorSpec, TypeSpec, spec_from_value
from headrace.data import nest


class DatasetSpec(TypeSpec):
    """The description of a dataset that is a component of an element.

    Args:
        element_spec: of the elements of that dataset.
        dataset_shape: the shape of a tensor of datasets; () for one.
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The description of the elements."""
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        """The shape of the tensor of datasets."""
        return self._dataset_shape

    @property
    def value_type(self) -> Any:
        """`tf.data.Dataset`."""
        from headrace.data.dataset import Dataset

        return Dataset

    def _parts(self) -> tuple[Any, ...]:
        return (self._element_spec,)


class OptionalSpec(TypeSpec):
    """The description of an optional element.

    Args:
        value_structure: of the element.
    """

    def __init__(self, value_structure: Any) -> None:
        self._value_structure = value_structure

    @property
    def value_type(self) -> Any:
        """`tf.data.experimental.Optional`."""
        from headrace.data.optional import Optional

        return Optional

    def _parts(self) -> tuple[Any, ...]:
        return (self._value_structure,)


def spec_of(value: Any) -> Any:
    """The description of an element or of a part of one."""
    return nest.map_structure(_leaf_spec, value)


def _leaf_spec(value: Any) -> Any:
    if isinstance(value, TypeSpec):
        return value
    try:
        return spec_from_value(value)
    except TypeError:
        return spec_from_value(convert_to_tensor(value))


def normalized(element: Any) -> Any:
    """`element` with each leaf as a tensor, sparse tensor or dataset."""
    leaves = nest.flatten(element)
    made = []
    with name_scope("normalize_element"):
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, (SparseTensor, SparseTensorValue)):
                made.append(convert_to_tensor_or_sparse_tensor(leaf))
            elif hasattr(leaf, "_type_spec"):
                made.append(leaf)
            else:
                made.append(convert_to_tensor(leaf, name=f"component_{i}"))
    return nest.pack_sequence_as(element, made)


def normalized_result(returned: Any) -> Any:
    """What a function returned, with each leaf as a tensor, sparse tensor or dataset."""

    def leaf(value: Any) -> Any:
        if isinstance(value, (SparseTensor, SparseTensorValue)):
            return convert_to_tensor_or_sparse_tensor(value)
        return value if hasattr(value, "_type_spec") else convert_to_tensor(value)

    return nest.map_structure(leaf, returned)


# ---- flat tensors ----


def flat_types(spec: Any) -> list[DType]:
    """The element types of the tensors that stand for an element."""
    return [leaf.dtype if isinstance(leaf, TensorSpec) else variant for leaf in nest.flatten(spec)]


def flat_dims(spec: Any) -> list[Dims]:
    """What is known of their shapes."""
    return [_dims(leaf) for leaf in nest.flatten(spec)]


def _dims(leaf: Any) -> Dims:
    if isinstance(leaf, TensorSpec):
        shape = leaf.shape
        return None if shape.dims is None else tuple(shape.as_list())
    if isinstance(leaf, SparseTensorSpec):
        extra = getattr(leaf, "_batch_dims", ())
        return (*extra, 3)
    if isinstance(leaf, DatasetSpec):
        return None if leaf.shape.dims is None else tuple(leaf.shape.as_list())
    return ()


def described(spec: Any) -> dict[str, Any]:
    """The attributes of a dataset op that describe its elements."""
    return {"output_types": flat_types(spec), "output_shapes": flat_dims(spec)}


def to_tensors(spec: Any, value: Any) -> list[Tensor]:
    """The tensors that stand for an element.

    Raises:
        ValueError, TypeError: if `value` is not as `spec` describes.
    """
    nest.assert_same_structure(spec, value)
    tensors: list[Tensor] = []
    for leaf, part in zip(nest.flatten(spec), nest.flatten(value), strict=True):
        if isinstance(leaf, SparseTensorSpec):
            tensors.append(raw.SerializeSparse(part.indices, part.values, part.dense_shape, out_type="variant"))
        elif isinstance(leaf, (DatasetSpec, OptionalSpec)):
            tensors.append(part._variant_tensor)
        else:
            tensors.append(convert_to_tensor(part, leaf.dtype))
    return tensors


def to_batched_tensors(spec: Any, value: Any) -> list[Tensor]:
    """The tensors whose rows stand for the rows of an element."""
    tensors: list[Tensor] = []
    for leaf, part in zip(nest.flatten(spec), nest.flatten(value), strict=True):
        if isinstance(leaf, SparseTensorSpec):
            tensors.append(raw.SerializeManySparse(part.indices, part.values, part.dense_shape, out_type="variant"))
        else:
            tensors.extend(to_tensors(leaf, part))
    return tensors


def from_tensors(spec: Any, tensors: list[Tensor]) -> Any:
    """The element that tensors stand for."""
    leaves = nest.flatten(spec)
    return nest.pack_sequence_as(spec, [_from_tensor(leaf, t) for leaf, t in zip(leaves, tensors, strict=True)])


def _from_tensor(leaf: Any, tensor: Tensor) -> Any:
    if isinstance(leaf, SparseTensorSpec):
        parts = raw.DeserializeSparse(tensor, dtype=leaf.dtype)
        shape = leaf.shape
        if shape.ndims is not None:
            parts[0].set_shape([None, shape.ndims])
            parts[2].set_shape([shape.ndims])
        made = SparseTensor(*parts)
        if shape.ndims is not None:
            made._dense_shape_default = shape  # type: ignore[attr-defined]
        return made
    if isinstance(leaf, DatasetSpec):
        if leaf.shape.ndims:
            return tensor
        from headrace.data.dataset import Dataset

        return Dataset(tensor, leaf.element_spec)
    if isinstance(leaf, OptionalSpec):
        from headrace.data.optional import Optional

        return Optional(tensor, leaf._value_structure)
    tensor.set_shape(leaf.shape)
    return tensor


# ---- batches and rows ----


def batched(spec: Any, size: int | None) -> Any:
    """The description of `size` elements as the rows of one."""
    return nest.map_structure(lambda leaf: _batched(leaf, size), spec)


def _batched(leaf: Any, size: int | None) -> Any:
    if isinstance(leaf, OptionalSpec):
        raise NotImplementedError("Batching of optional elements is not implemented.")
    shape = as_shape([size]).concatenate(leaf.shape)
    if isinstance(leaf, SparseTensorSpec):
        made = SparseTensorSpec(shape, leaf.dtype)
        made._batch_dims = (size, *getattr(leaf, "_batch_dims", ()))  # type: ignore[attr-defined]
        return made
    if isinstance(leaf, DatasetSpec):
        return DatasetSpec(leaf.element_spec, shape)
    return TensorSpec(shape, leaf.dtype)


def row(spec: Any) -> Any:
    """The description of the rows of an element.

    Raises:
        ValueError: if a component has none.
    """
    return nest.map_structure(_row, spec)


def _row(leaf: Any) -> Any:
    shape = leaf.shape
    if shape.ndims == 0:
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    inner = shape if shape.ndims is None else shape[1:]
    if isinstance(leaf, SparseTensorSpec):
        return SparseTensorSpec(inner, leaf.dtype)
    if isinstance(leaf, DatasetSpec):
        return DatasetSpec(leaf.element_spec, inner)
    return TensorSpec(inner, leaf.dtype)


# ---- the descriptions of 1.x ----


def legacy_types(spec: Any) -> Any:
    """A DType for each leaf."""
    return nest.map_structure(lambda leaf: _legacy(leaf, "dtype"), spec)


def legacy_shapes(spec: Any) -> Any:
    """A TensorShape for each leaf."""
    return nest.map_structure(lambda leaf: _legacy(leaf, "shape"), spec)


def legacy_classes(spec: Any) -> Any:
    """A class for each leaf."""
    return nest.map_structure(lambda leaf: leaf if isinstance(leaf, DatasetSpec) else leaf.value_type, spec)


def _legacy(leaf: Any, field: str) -> Any:
    return leaf if isinstance(leaf, (DatasetSpec, OptionalSpec)) else getattr(leaf, field)


def from_legacy(types: Any, shapes: Any, classes: Any = None) -> Any:
    """The description of elements with these types, shapes and classes.

    Raises:
        TypeError, ValueError: if they do not fit each other.
    """
    types = nest.map_structure(lambda t: t if isinstance(t, TypeSpec) else as_dtype(t), types)
    flat = nest.flatten(types)
    shape_list = [None] * len(flat) if shapes is None else nest.flatten_up_to(types, shapes)
    class_list = [Tensor] * len(flat) if classes is None else nest.flatten_up_to(types, classes)
    made = []
    for dtype, shape, kind in zip(flat, shape_list, class_list, strict=True):
        if isinstance(dtype, TypeSpec):
            made.append(dtype)
        elif isinstance(kind, TypeSpec):
            made.append(kind)
        elif isinstance(kind, type) and issubclass(kind, SparseTensor):
            made.append(SparseTensorSpec(shape, dtype))
        elif isinstance(kind, type) and issubclass(kind, Tensor):
            made.append(TensorSpec(shape, dtype))
        else:
            raise TypeError(f"Could not build a structure for output class {kind!r}")
    return nest.pack_sequence_as(types, made)


def most_general(first: Any, second: Any) -> Any:
    """The description that fits elements of both."""

    def both(a: Any, b: Any) -> Any:
        if isinstance(a, (DatasetSpec, OptionalSpec)):
            return a
        return type(a)(_common_shape(a.shape, b.shape), a.dtype)

    return nest.map_structure(both, first, second)


def _common_shape(a: TensorShape, b: TensorShape) -> TensorShape:
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return as_shape(None)
    return as_shape([x if x == y else None for x, y in zip(a.as_list(), b.as_list(), strict=True)])


def are_compatible(first: Any, second: Any) -> bool:
    """Whether elements described so may be of one dataset."""
    try:
        nest.assert_same_structure(first, second)
    except (TypeError, ValueError):
        return False
    return all(a.is_compatible_with(b) for a, b in zip(nest.flatten(first), nest.flatten(second), strict=True))
