"""Values made of several tensors: IndexedSlices and SparseTensor, and what they become in a session."""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.constant_value import plain_constant_dims
from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.defaults import graph_of_inputs, name_scope
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, as_dtype, int64
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.made_of_tensors import MadeOfTensors
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.stacks import session_for
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import DTypeLike, FeedDict, SessionLike, ShapeLike, TensorLike


IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])

# Making a gradient of this many elements dense deserves a word.
_LARGE_SPARSE = 100_000_000


class IndexedSlices(MadeOfTensors):
    """Some slices of a larger tensor along its first dimension: what the gradient of a gather is.

    Args:
        values: the slices, of shape [n, ...].
        indices: an int vector [n]: where they belong.
        dense_shape: the shape of the larger tensor, or None.
    """

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        graph_of_inputs([t for t in (values, indices, dense_shape) if t is not None])
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where the slices belong."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the dense tensor, if known."""
        return self._dense_shape

    def _as_control_input(self) -> Operation:
        return self._values.op

    @property
    def _type_spec(self) -> Any:
        """What describes it."""
        return slots.type_spec_of(self)

    @property
    def shape(self) -> TensorShape:
        """The static shape of the dense tensor."""
        return TensorShape.from_dims(_static(self._dense_shape))

    def get_shape(self) -> TensorShape:
        """The static shape of the dense tensor."""
        return self.shape

    @property
    def name(self) -> str:
        """The name of `values`."""
        return self._values.name

    @property
    def device(self) -> str:
        """The device of `values`."""
        return self._values.device

    @property
    def op(self) -> Operation:
        """The operation that makes `values`."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """The element type of `values`."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph of its tensors."""
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """The operations that take one of its tensors."""
        tensors = [t for t in (self._values, self._indices, self._dense_shape) if t is not None]
        return list(dict.fromkeys(user for tensor in tensors for user in tensor.consumers()))

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)


def _static(dense_shape: Tensor | None) -> Dims:
    return None if dense_shape is None else plain_constant_dims(dense_shape)


class SparseTensor(MadeOfTensors):
    """A tensor most of whose elements are not stored.

    Args:
        indices: int64 [n, rank]: the places of the stored elements.
        values: [n]: the elements.
        dense_shape: int64 [rank]: the shape of the whole.
        shape: what 0.x called `dense_shape`.

    Raises:
        TypeError: without a shape.
        ValueError: if the static shapes do not fit each other.

    Example:
        >>> tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
    """

    def __init__(
        self, indices: TensorLike, values: TensorLike, dense_shape: Any = ..., *, shape: ShapeLike | None = None
    ) -> None:
        if dense_shape is ...:
            dense_shape = shape
            if shape is None:
                raise TypeError("SparseTensor needs a dense_shape.")
        if dense_shape is None:
            raise ValueError("SparseTensor needs a dense_shape: None values not supported.")
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, int64, name="indices")
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, int64, name="dense_shape")
        indices_shape = self._indices.shape.with_rank(2)
        values_shape = self._values.shape.with_rank(1)
        dense_shape_shape = self._dense_shape.shape.with_rank(1)
        indices_shape[0].merge_with(values_shape[0])
        indices_shape[1].merge_with(dense_shape_shape[0])

    @classmethod
    def from_value(cls, sparse_tensor_value: object) -> SparseTensor:
        """The sparse tensor of a `SparseTensorValue` (or a SparseTensor)."""
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                "Neither a SparseTensor nor SparseTensorValue: %s." % sparse_tensor_value  # noqa: UP031 (any object)
            )
        value = sparse_tensor_value
        return cls(indices=value.indices, values=value.values, dense_shape=value.dense_shape)

    @property
    def _type_spec(self) -> Any:
        """What describes it."""
        return slots.type_spec_of(self)

    @property
    def indices(self) -> Tensor:
        """The places of the stored elements, int64 [n, rank]."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The stored elements, [n]."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole, int64 [rank]."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        return TensorShape.from_dims(_static(self._dense_shape))

    def get_shape(self) -> TensorShape:
        """The static shape of the whole."""
        return self.shape

    @property
    def op(self) -> Operation:
        """The operation that makes `values`."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph of its tensors."""
        return self._indices.graph

    def eval(self, feed_dict: FeedDict | None = None, session: SessionLike | None = None) -> Any:
        """Its `SparseTensorValue` in `session` or the default session."""
        indices, values, dense_shape = _session(self, session).run(
            [self._indices, self._values, self._dense_shape], feed_dict
        )
        return SparseTensorValue(indices, values, dense_shape)

    def consumers(self) -> list[Operation]:
        """The operations that take its values or indices."""
        return list(dict.fromkeys([*self._values.consumers(), *self._indices.consumers()]))

    @classmethod
    def _override_operator(cls, operator: str, function: Callable[..., Any]) -> None:
        setattr(cls, operator, function)

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices!s}, values={self._values!s}, dense_shape={self._dense_shape!s})"


def _session(item: Any, session: Any) -> Any:
    return session_for(item.graph, session, "tensor", "eval")


def _installed_at_first_use(operator: str) -> Callable[..., Any]:
    def first(self: SparseTensor, *operands: Any) -> Tensor:
        slots.install_operators()
        return getattr(SparseTensor, operator)(self, *operands)

    first.__name__ = operator
    return first


for _operator in ("__div__", "__truediv__", "__mul__"):
    SparseTensor._override_operator(_operator, _installed_at_first_use(_operator))


def is_sparse(value: TensorLike | SparseTensor) -> bool:
    """Whether `value` is a SparseTensor or SparseTensorValue."""
    return isinstance(value, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(value: object, dtype: DTypeLike | None = None, name: str | None = None) -> Any:
    """`value` as a SparseTensor where it is one (or its value), else as a tensor.

    Raises:
        RuntimeError: if it is sparse and of another type than `dtype`.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if dtype is not None and value.dtype != dtype:
            raise RuntimeError(f"Sparse dtype: requested = {as_dtype(dtype).name}, actual = {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype, name)


def convert_to_tensor_or_indexed_slices(
    value: TensorLike | SparseTensor | CompositeTensor, dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """`value` itself where it is an IndexedSlices, else as a tensor."""
    if isinstance(value, (IndexedSlices, SparseTensor)):
        if dtype is not None and value.dtype.base_dtype != dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for Tensor with dtype {value.dtype.name}: {value}"
            )
        return value
    return convert_to_tensor(value, dtype, name)


def densified_quietly(value: TensorLike) -> AbstractContextManager[Any]:
    """Within it `value` becomes dense without a warning if it is IndexedSlices: that is what its use asks for."""
    return _without_warnings() if isinstance(value, IndexedSlices) else nullcontext()


@contextmanager
def _without_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Converting sparse IndexedSlices")
        yield


def _indexed_slices_to_tensor(
    value: IndexedSlices, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype {value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(f"Tensor conversion requested for IndexedSlices without dense_shape: {value}")
    static = value.shape
    elements = static.num_elements()
    if elements is None:
        warnings.warn(
            "Converting sparse IndexedSlices to a dense Tensor of unknown shape. This may consume a large amount of memory.",
            stacklevel=2,
        )
    elif elements >= _LARGE_SPARSE:
        warnings.warn(
            f"Converting sparse IndexedSlices to a dense Tensor with {elements} elements. This may consume a large amount "
            "of memory.",
            stacklevel=2,
        )
    rows = value.dense_shape[0]
    return raw.UnsortedSegmentSum(value.values, value.indices, rows, name=name)


def _sparse_to_tensor(
    value: SparseTensor, dtype: DTypeLike | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    raise not_dense(value, "it is sparse; use tf.sparse.to_dense")


def not_dense(value: object, why: str) -> Exception:
    """The error of a value of several tensors where one is asked for: a TypeError, a ValueError while executing eagerly."""
    kind = ValueError if executing_eagerly() else TypeError
    return kind(f"Failed to convert object of type {type(value)} to Tensor: {why}. Contents: {value}")


register_tensor_conversion_function(IndexedSlices, _indexed_slices_to_tensor)
register_tensor_conversion_function(SparseTensor, _sparse_to_tensor, 100)


def numpy_sparse(indices: Any, values: Any, dense_shape: Any) -> SparseTensorValue:
    """A `SparseTensorValue` of NumPy arrays."""
    return SparseTensorValue(np.asarray(indices, np.int64), np.asarray(values), np.asarray(dense_shape, np.int64))


__all__ = ["IndexedSlices", "IndexedSlicesValue", "SparseTensor", "SparseTensorValue"]
