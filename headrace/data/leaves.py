"""The kinds of leaves that elements have, and each kind as the one tensor that stands for it in dataset ops.

Dense tensors stand for themselves. All else is a variant: a sparse tensor serialized, a ragged tensor encoded, a dataset, an
optional, the stacked elements of a TensorArray.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, variant
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import BatchableTypeSpec, SparseTensorSpec, TensorSpec, TypeSpec
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.ragged.spec import RaggedTensorSpec
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.functions.ragged.variants import ragged_from_variant, ragged_to_variant

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


class LeafSpec(TypeSpec):
    """A description that is a type, a shape and a class of its own in 1.x's descriptions."""

    def _legacy(self, field: str) -> Any:
        return self

    def _flat_dims(self) -> Dims:
        return ()


class TensorArraySpec(TypeSpec):
    """The description of a TensorArray.

    Args:
        element_shape: what is known of the shape of its elements.
        dtype: their type.
        dynamic_size: whether it grows by being written to.
        infer_shape: whether its elements have one shape.
    """

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: DTypeLike = "float32",
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        inner = TensorSpec(element_shape, dtype)
        self._element_shape, self._dtype = inner.shape, inner.dtype
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    @staticmethod
    def from_value(value: SparseTensor | TensorArray) -> TensorArraySpec:
        """The description of a TensorArray.

        Raises:
            TypeError: if `value` is none.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but saw: {type(value)}.")
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    @property
    def value_type(self) -> type:
        """`tf.TensorArray`."""
        return TensorArray

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a TensorArray, or what another description describes, may be described so."""
        return super().is_compatible_with(other)

    def _parts(self) -> tuple[Any, ...]:
        dims = None if self._element_shape.dims is None else tuple(self._element_shape.as_list())
        return dims, self._dtype, self._dynamic_size, self._infer_shape

    def _accepts(self, other: Any) -> bool:
        return (
            self._dtype.is_compatible_with(other._dtype)
            and self._element_shape.is_compatible_with(other._element_shape)
            and self._dynamic_size == other._dynamic_size
        )

    def _with_shape(self, shape: TensorShape) -> TensorArraySpec:
        return TensorArraySpec(shape, self._dtype, self._dynamic_size, self._infer_shape)

    def _legacy(self, field: str) -> Any:
        if field == "dtype":
            return self._dtype
        if field == "shape":
            # 1.15 puts these two settings in front of the shape.
            return as_shape([int(self._dynamic_size) or None, int(self._infer_shape)]).concatenate(self._element_shape)
        return TensorArray

    def _flat_dims(self) -> Dims:
        return ()

    def _encoded(self, value: Any) -> Tensor:
        made: Tensor = raw.OptionalFromValue([value.stack()])
        return made

    def _decoded(self, tensor: Tensor) -> TensorArray:
        shape = as_shape([None]).concatenate(self._element_shape)
        dims = None if shape.dims is None else tuple(shape.as_list())
        stacked = raw.OptionalGetValue(tensor, output_types=[self._dtype], output_shapes=[dims])[0]
        array = TensorArray(
            self._dtype,
            size=raw.Shape(stacked)[0],
            dynamic_size=self._dynamic_size,
            clear_after_read=False,
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )
        return array.unstack(stacked)

    def __repr__(self) -> str:
        return (
            f"TensorArraySpec({self._element_shape!r}, {self._dtype!r}, {self._dynamic_size!r}, {self._infer_shape!r})"
        )


# ---- values ----


def spec_of_leaf(value: object) -> Any:
    """The description of a leaf, None for what is not described without being made a tensor."""
    if isinstance(value, TypeSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensorSpec.from_value(convert_to_tensor_or_sparse_tensor(value))
    if isinstance(value, RaggedTensorValue):
        return RaggedTensorSpec.from_value(convert_to_tensor_or_ragged_tensor(value))
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    return getattr(value, "_type_spec", None)


def normalized_leaf(value: object, name: str | None = None) -> Any:
    """A leaf as a tensor, sparse or ragged tensor, dataset, optional or TensorArray."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return convert_to_tensor_or_sparse_tensor(value)
    if isinstance(value, RaggedTensorValue):
        return convert_to_tensor_or_ragged_tensor(value)
    if hasattr(value, "_type_spec") or isinstance(value, TensorArray):
        return value
    return convert_to_tensor(value, name=name)


# ---- as one tensor ----


def flat_type(leaf: TypeSpec) -> DType:
    """The type of the tensor that stands for a leaf."""
    return leaf.dtype if isinstance(leaf, TensorSpec) else variant


def flat_dims(leaf: TypeSpec) -> Dims:
    """What is known of its shape."""
    if isinstance(leaf, TensorSpec):
        shape = leaf.shape
        return None if shape.dims is None else tuple(shape.as_list())
    if isinstance(leaf, SparseTensorSpec):
        return (*getattr(leaf, "_batch_dims", ()), 3)
    if isinstance(leaf, RaggedTensorSpec):
        # One encoded, or batches of them.
        return None
    dims: Dims = _codec(leaf)._flat_dims()
    return dims


def encoded(leaf: TypeSpec, value: Any) -> Tensor:
    """The tensor that stands for a leaf."""
    if isinstance(leaf, TensorSpec):
        return convert_to_tensor(value, leaf.dtype)
    if isinstance(leaf, SparseTensorSpec):
        made: Tensor = raw.SerializeSparse(value.indices, value.values, value.dense_shape, out_type="variant")
        return made
    if isinstance(leaf, RaggedTensorSpec):
        return ragged_to_variant(value, batched_input=False)
    tensor: Tensor = _codec(leaf)._encoded(value)
    return tensor


def encoded_rows(leaf: BatchableTypeSpec, value: Any) -> Tensor:
    """The tensor whose rows stand for the rows of a leaf.

    Raises:
        ValueError: if it is a scalar.
    """
    if isinstance(leaf, SparseTensorSpec):
        made: Tensor = raw.SerializeManySparse(value.indices, value.values, value.dense_shape, out_type="variant")
        return made
    if isinstance(leaf, RaggedTensorSpec):
        return ragged_to_variant(value, batched_input=True)
    if isinstance(leaf, TensorSpec):
        tensor = convert_to_tensor(value, leaf.dtype)
        if tensor.shape.ndims == 0:
            raise ValueError(f"Value {tensor} has insufficient rank for batching.")
        return tensor
    return encoded(leaf, value)


def decoded(leaf: TypeSpec, tensor: Tensor) -> Any:
    """The leaf that a tensor stands for."""
    if isinstance(leaf, TensorSpec):
        tensor.set_shape(leaf.shape)
        return tensor
    if isinstance(leaf, SparseTensorSpec):
        return _sparse(leaf, tensor)
    if isinstance(leaf, RaggedTensorSpec):
        return _ragged(leaf, tensor)
    return _codec(leaf)._decoded(tensor)


def _codec(leaf: TypeSpec) -> Any:
    if not hasattr(leaf, "_decoded"):
        raise TypeError(f"Elements of datasets have no components described by {leaf!r}.")
    return leaf


def _sparse(leaf: SparseTensorSpec, tensor: Tensor) -> SparseTensor:
    parts = raw.DeserializeSparse(tensor, dtype=leaf.dtype)
    shape = leaf.shape
    if shape.ndims is not None:
        parts[0].set_shape([None, shape.ndims])
        parts[2].set_shape([shape.ndims])
    made = SparseTensor(*parts)
    if shape.ndims is not None:
        made._dense_shape_default = shape  # type: ignore[attr-defined]  # where 1.15 notes it
    return made


def _ragged(leaf: RaggedTensorSpec, tensor: Tensor) -> RaggedTensor:
    rank = leaf._ragged_rank
    if rank <= 0:
        raise ValueError(f"ragged_rank must be non-negative; got {rank}.")
    made = ragged_from_variant(tensor, leaf.dtype, rank)
    if leaf.shape.ndims is not None:
        rows = leaf.shape.as_list()[0]
        if rows is not None:
            made.row_splits.set_shape([rows + 1])
        made.flat_values.set_shape(as_shape([None]).concatenate(leaf.shape[1 + rank :]))
    return made


# ---- batches and rows ----


def batched(leaf: BatchableTypeSpec, size: int | None) -> BatchableTypeSpec:
    """The description of `size` such leaves as the rows of one.

    Raises:
        NotImplementedError: for leaves that make no batch.
    """
    if not isinstance(leaf, BatchableTypeSpec):
        raise NotImplementedError(f"Batching is not implemented for components described by {type(leaf).__name__}.")
    return leaf._batch(size)


def row(leaf: BatchableTypeSpec) -> BatchableTypeSpec:
    """The description of the rows of a leaf.

    Raises:
        ValueError: if it has none.
        NotImplementedError: for leaves that are no batches.
    """
    if not isinstance(leaf, BatchableTypeSpec):
        raise NotImplementedError(f"Unbatching is not implemented for components described by {type(leaf).__name__}.")
    return leaf._unbatch()


# ---- the descriptions of 1.x ----


def legacy(leaf: BatchableTypeSpec, field: str) -> Any:
    """The `dtype`, `shape` or `class` of a leaf in 1.x's descriptions."""
    if hasattr(leaf, "_legacy"):
        return leaf._legacy(field)
    if field == "class":
        return leaf if isinstance(leaf, RaggedTensorSpec) else leaf.value_type
    return getattr(leaf, field)


def from_legacy(dtype: DTypeLike, shape: ShapeLike, kind: RaggedTensorSpec | type) -> Any:
    """The description of a leaf of a type, shape and class.

    Raises:
        TypeError: for a class without one.
    """
    for given in (dtype, kind):
        if isinstance(given, TypeSpec):
            return given
    if isinstance(kind, type) and issubclass(kind, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if isinstance(kind, type) and issubclass(kind, Tensor):
        return TensorSpec(shape, dtype)
    if isinstance(kind, type) and issubclass(kind, TensorArray):
        settings = as_shape(shape)
        grows, infers = settings.as_list()[:2] if settings.ndims is not None else (0, 1)
        return TensorArraySpec(settings[2:], dtype, bool(grows), bool(infers))
    raise TypeError(f"Could not build a structure for output class {kind!r}")


def most_general(first: BatchableTypeSpec, second: BatchableTypeSpec) -> BatchableTypeSpec:
    """The description that fits leaves of both."""
    if isinstance(first, LeafSpec):
        return first
    return first.most_specific_compatible_type(second)
