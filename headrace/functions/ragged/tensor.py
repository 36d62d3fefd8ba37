"""`RaggedTensor`: the values of all rows and where each row begins."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.attributes import check_attribute
from headrace.core.composite import SparseTensor, not_dense
from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dtypes import DType, as_dtype, int32, int64
from headrace.core.graph import Graph
from headrace.core.made_of_tensors import MadeOfTensors
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_max
from headrace.functions.ragged.from_tensors import FromTensors
from headrace.functions.ragged.segment_ids import row_splits_to_segment_ids
from headrace.functions.ragged.spec import RaggedTensorSpec
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.functions.ragged.variant_form import VariantForm
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.where import where

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_INDEX_TYPES = (int32, int64)


def is_ragged(value: object) -> bool:
    """Whether `value` is a `RaggedTensor` or a `RaggedTensorValue`."""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def positive_axis(axis: int, rank: int | None) -> int:
    """`axis` counted from the front.

    Raises:
        TypeError: if it is no Python integer. ValueError: if there is no such axis, or the rank would have to be known.
    """
    if not isinstance(axis, int):
        raise TypeError(f"axis must be an int; got {type(axis).__name__}")
    if rank is not None:
        if -rank <= axis < rank:
            return axis % rank
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    if axis < 0:
        raise ValueError("axis may only be negative if ndims is statically known.")
    return axis


class RaggedTensor(MadeOfTensors, FromTensors, VariantForm):
    """A tensor whose rows may have different lengths; made with one of its `from_…` methods or `tf.ragged.constant`.

    Args:
        values: the values of all rows: a tensor, or a ragged one where rows have rows.
        row_splits: int32 or int64 vector: row i is `values[row_splits[i]:row_splits[i + 1]]`.
        cached_row_lengths, cached_value_rowids, cached_nrows: what is known of the rows in other forms.
        internal: whether one of the methods that make ragged tensors calls.

    Raises:
        ValueError: if it is called from elsewhere, or the splits are no int vector. TypeError: for arguments that are no
            tensors.

    Example:
        >>> rows = tf.RaggedTensor.from_row_splits([3, 1, 4, 1, 5], [0, 2, 2, 5])
        >>> tf.Session().run(rows).to_list()
        [[3, 1], [], [4, 1, 5]]
    """

    # NumPy's operators leave it to this class what to do with it.
    __array_priority__ = 100
    __hash__ = object.__hash__

    def __init__(
        self,
        values: Tensor | RaggedTensor,
        row_splits: TensorLike,
        cached_row_lengths: Tensor | None = None,
        cached_value_rowids: Tensor | None = None,
        cached_nrows: Tensor | None = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                "RaggedTensor.from_row_lengths())"
            )
        if not isinstance(row_splits, Tensor):
            raise TypeError(f"Row-partitioning argument must be a Tensor, got {row_splits!r}")
        if not isinstance(values, (RaggedTensor, Tensor)):
            raise TypeError(f"values must be a Tensor or RaggedTensor, got {values!r}")
        if row_splits.dtype not in _INDEX_TYPES:
            raise ValueError("Row-partitioning argument must be int32 or int64")
        row_splits.shape.assert_has_rank(1)
        values.shape.with_rank_at_least(1)
        row_splits.set_shape([None])
        self._values = values
        self._row_splits = row_splits
        for cached in (cached_row_lengths, cached_value_rowids, cached_nrows):
            if cached is not None and not isinstance(cached, Tensor):
                raise TypeError("Cached value must be a Tensor or None.")
            if cached is not None and cached.dtype not in _INDEX_TYPES:
                raise TypeError("Cached value must be int32 or int64.")
        self._cached_row_lengths = cached_row_lengths
        self._cached_value_rowids = cached_value_rowids
        self._cached_nrows = cached_nrows

    # ---- what it is made of ----

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape: None where rows may differ."""
        dims = self._row_splits.dims
        rows = None if dims is None or dims[0] is None else dims[0] - 1
        return TensorShape([rows, None]).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The static shape: None where rows may differ."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """How many levels of splits there are."""
        return len(self.nested_row_splits)

    @property
    def values(self) -> Any:
        """The values of all rows."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where the rows begin and end."""
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all levels, the outermost first."""
        return tuple(level._row_splits for level in self._levels())

    def _levels(self) -> list[RaggedTensor]:
        found: list[RaggedTensor] = []
        level: Tensor | RaggedTensor = self
        while isinstance(level, RaggedTensor):
            found.append(level)
            level = level._values
        return found

    @property
    def graph(self) -> Graph:
        """The graph of its tensors."""
        return self._row_splits.graph

    @property
    def op(self) -> Operation:
        """The operation that makes the innermost values."""
        return self.flat_values.op

    @property
    def name(self) -> str:
        """The name of the innermost values."""
        return self.flat_values.name

    def _as_graph_element(self) -> Tensor:
        return self.flat_values

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each of `values` the number of its row."""
        if self._cached_value_rowids is not None:
            return self._cached_value_rowids
        with name_scope(name, "RaggedValueRowIds"):
            return row_splits_to_segment_ids(self._row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """`value_rowids` of all levels, the outermost first."""
        with name_scope(name, "RaggedNestedValueRowIds"):
            return tuple(level.value_rowids() for level in self._levels())

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """The number of rows, an int scalar of `out_type` (that of the splits by default)."""
        out_type = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        if self._cached_nrows is not None:
            return composing.cast(self._cached_nrows, out_type)
        with name_scope(name, "RaggedNRows"):
            return shape_internal(self._row_splits, out_type=out_type)[0] - 1

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where the rows begin."""
        with name_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where the rows end."""
        with name_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows along `axis`: a vector for axis 1, a ragged tensor for further ones.

        Raises:
            ValueError: if there is no such axis.
        """
        if axis == 1 and self._cached_row_lengths is not None:
            return self._cached_row_lengths
        with name_scope(name, "RaggedRowLengths"):
            axis = positive_axis(axis, self.shape.ndims)
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            shape = shape_internal(self._values, out_type=self._row_splits.dtype)
            return self.with_values(raw.Fill(shape[: axis - 1], shape[axis - 1]))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The lengths of the rows of all levels, the outermost first."""
        with name_scope(name, "RaggedNestedRowLengths"):
            return tuple(level.row_lengths() for level in self._levels())

    def bounding_shape(self, axis: TensorLike | None = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The shape of the smallest tensor it fits into.

        Args:
            axis: int scalar or vector: of which axes; None for all.
            name: a name for the operations.
            out_type: the type of the result; that of the splits by default.

        Returns:
            an int vector, or a scalar for one axis.
        """
        out_type = self._row_splits.dtype if out_type is None else as_dtype(out_type)
        with name_scope(name, "RaggedBoundingBox", [axis]):
            if isinstance(axis, int) and axis == 0:
                return shape_internal(self._row_splits, out_type=out_type)[0] - 1
            if isinstance(axis, int) and axis == 1:
                return composing.cast(_longest(self.row_lengths()), out_type)
            splits_shape = shape_internal(self._row_splits, out_type=out_type)
            values_shape = shape_internal(self.flat_values, out_type=out_type)
            rows = splits_shape[0] - 1
            longest = [_longest(splits[1:] - splits[:-1]) for splits in self.nested_row_splits]
            ragged = composing.stack([rows, *(composing.cast(length, out_type) for length in longest)])
            box = composing.concat([ragged, values_shape[1:]], 0)
            return box if axis is None else composing.gather(box, axis)

    # ---- with other parts ----

    def with_values(self, new_values: Tensor | RaggedTensor) -> RaggedTensor:
        """The same rows of other values.

        Args:
            new_values: tensor or ragged tensor with as many values.

        Raises:
            ValueError: if what is known of the shapes does not fit, or the splits have different types.
        """
        new_values = convert_to_tensor_or_ragged_tensor(new_values)
        new_values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(new_values.shape[:1])
        if isinstance(new_values, RaggedTensor) and self._row_splits.dtype is not new_values.row_splits.dtype:
            raise ValueError(
                "self and new_values have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
                "convert them to compatible dtypes."
            )
        cached = self._cached_row_lengths, self._cached_value_rowids, self._cached_nrows
        return RaggedTensor(new_values, self._row_splits, *cached, internal=True)

    def with_flat_values(self, new_values: Tensor | RaggedTensor) -> RaggedTensor:
        """The same rows of rows of other innermost values.

        Raises:
            ValueError: as `with_values`.
        """
        if isinstance(self._values, RaggedTensor):
            new_values = self._values.with_flat_values(new_values)
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same with splits of type int32 or int64.

        Raises:
            ValueError: for another type.
        """
        dtype = as_dtype(dtype)
        if dtype not in _INDEX_TYPES:
            raise ValueError("dtype must be int32 or int64")
        if self._row_splits.dtype is dtype:
            return self
        splits = composing.cast(self._row_splits, dtype)
        known = (self._cached_row_lengths, self._cached_value_rowids, self._cached_nrows)
        lengths, ids, nrows = (None if tensor is None else composing.cast(tensor, dtype) for tensor in known)
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor(values, splits, lengths, ids, nrows, internal=True)

    # ---- as something else ----

    def to_tensor(self, default_value: Any = None, name: str | None = None) -> Tensor:
        """A tensor in which short rows are filled up at their ends.

        Args:
            default_value: what with: a scalar or a value of the shape of one of the innermost; 0 or "" by default.
            name: a name for the operations.

        Returns:
            a tensor of the bounding shape.

        Raises:
            ValueError, TypeError: if `default_value` does not fit.

        Example:
            >>> tf.Session().run(tf.ragged.constant([[9, 8, 7], [], [5]]).to_tensor())
            array([[9, 8, 7],
                   [0, 0, 0],
                   [5, 0, 0]], dtype=int32)
        """
        with name_scope(name, "RaggedToTensor", [default_value]):
            if default_value is not None:
                default_value = convert_to_tensor(default_value, self.dtype, name="default_value")
            values = self._values.to_tensor(default_value) if isinstance(self._values, RaggedTensor) else self._values
            if default_value is not None:
                rank, own = values.shape.ndims, default_value.shape.ndims
                if rank is not None:
                    default_value.shape.with_rank_at_most(rank - 1)
                if rank is None or own is None or rank != own + 1:
                    default_value = raw.BroadcastTo(default_value, shape_internal(values)[1:])
                default_value.shape.assert_is_compatible_with(values.shape[1:])
            splits = self._row_splits
            lengths = splits[1:] - splits[:-1]
            rows = shape_internal(splits, out_type=splits.dtype)[0] - 1
            # As in TensorFlow, the lengths are those of a list of rows.
            columns = _longest([lengths])
            shape = shape_internal(values, out_type=splits.dtype)
            inner, count = shape[1:], shape[0]
            filling = composing.zeros(inner, self.dtype) if default_value is None else default_value
            filling.shape.assert_is_compatible_with(values.shape[1:])
            filling.set_shape(values.shape[1:])
            starts, limits = composing.expand_dims(splits[:-1], 1), composing.expand_dims(splits[1:], 1)
            numbers = composing.expand_dims(range_of(0, columns), 0)
            # The filling stands after the values, where rows that have ended point to.
            padded = composing.concat([values, composing.stack([filling])], 0)
            places = starts + numbers
            has_value = raw.Less(places, limits, name="Less")
            beyond = raw.Fill(composing.stack([rows, columns]), count)
            return composing.gather(padded, where(has_value, places, beyond))

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A `SparseTensor` of the bounding shape."""
        with name_scope(name, "RaggedToSparse"):
            return SparseTensor(*raw.RaggedTensorToSparse(list(self.nested_row_splits), self.flat_values, name=name))

    def to_list(self) -> list[Any]:
        """The rows as nested lists, while executing eagerly.

        Raises:
            ValueError: in a graph: run it and ask its value.
        """
        if not self._is_eager:
            raise ValueError(
                "RaggedTensor.to_list() is only supported in eager mode; in graph mode, evaluate the RaggedTensor first "
                "and then use RaggedTensorValue.to_list()."
            )
        rows: Any = self._values
        rows = rows.to_list() if isinstance(rows, RaggedTensor) else rows.numpy().tolist()
        splits: Any = self._row_splits
        return [rows[begin:end] for begin, end in itertools.pairwise(splits.numpy().tolist())]

    @property
    def _is_eager(self) -> bool:
        return not (self.flat_values._is_graph_tensor or self._row_splits._is_graph_tensor)

    def __iter__(self) -> Iterator[Any]:
        if not self._is_eager:
            message = "RaggedTensor can be iterated over while executing eagerly only; use tf.map_fn."
            # In functions of whose loops TensorFlow makes the graph's, it is those that look for a length.
            raise (ValueError if getattr(get_default_graph(), "autograph", False) else TypeError)(message)
        splits: Any = self._row_splits
        return (self[row] for row in range(splits.dims[0] - 1))

    def consumers(self) -> list[Operation]:
        """The operations that take one of its tensors."""
        return self._consumers()

    def _fetched(self) -> tuple[list[Any], Callable[[list[Any]], Any]]:
        return [*self.nested_row_splits, self.flat_values], _value_of_parts

    def _fed(self, value: Any) -> list[tuple[Any, Any]]:
        keys = (*self.nested_row_splits, self.flat_values)
        if isinstance(value, RaggedTensorValue):
            return list(zip(keys, (*value.nested_row_splits, value.flat_values), strict=True))
        check_attribute("What is fed for a RaggedTensor", value, "nested_row_splits", "a RaggedTensorValue")
        return [(key, getattr(value, "flat_values", value)) for key in keys]

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._row_splits.dtype)

    def _dispatch(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Tensor | RaggedTensor | list[RaggedTensor]:
        return slots.dispatch_ragged(function, args, kwargs)

    def __getitem__(self, key: object) -> Any:
        return slots.ragged_item(self, key)

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __repr__(self) -> str:
        if self._is_eager:
            return f"<tf.RaggedTensor {self.to_list()}>"
        return f"tf.RaggedTensor(values={self._values!s}, row_splits={self._row_splits!s})"


def _longest(lengths: Tensor | Sequence[Tensor]) -> Tensor:
    return raw.Maximum(reduce_max(lengths), 0)


def _value_of_parts(parts: list[Any]) -> RaggedTensorValue:
    *splits, value = parts
    for level in reversed(splits):
        value = RaggedTensorValue(value, level)
    return value


def convert_to_tensor_or_ragged_tensor(
    value: object, dtype: DTypeLike | None = None, preferred_dtype: DTypeLike | None = None, name: str | None = None
) -> Any:
    """`value` as a ragged tensor where it is one (or its value), else as a tensor.

    Raises:
        ValueError: if it is ragged and of another type than `dtype`.
    """
    if isinstance(value, RaggedTensor):
        if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {as_dtype(dtype).name} for RaggedTensor with dtype "
                f"{value.dtype.name}: {value!r}"
            )
        return value
    if isinstance(value, RaggedTensorValue):
        with name_scope(name, "ConvertToTensorOrRaggedTensor"):
            flat = convert_to_tensor(value.flat_values, dtype, preferred_dtype=preferred_dtype, name="flat_values")
            return RaggedTensor.from_nested_row_splits(flat, value.nested_row_splits, validate=False)
    return convert_to_tensor(value, dtype, preferred_dtype=preferred_dtype, name=name)


def _refuse(value: RaggedTensor, dtype: DType | None = None, name: str | None = None, as_ref: bool = False) -> Any:
    raise not_dense(value, "it is ragged; use its to_tensor()")


register_tensor_conversion_function((RaggedTensor, RaggedTensorValue), _refuse, 100)


def _operator(name: str) -> Callable[..., Any]:
    def operator(*operands: Any) -> RaggedTensor:
        # Functions of ragged tensors stand on this class.
        return slots.ragged_operator(name, *operands)

    operator.__name__ = f"__{name}__"
    return operator


_BINARY = ["add", "sub", "mul", "div", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"]
for _name in [*_BINARY, *(f"r{name}" for name in _BINARY), *["lt", "le", "gt", "ge", "neg", "abs", "invert"]]:
    setattr(RaggedTensor, f"__{_name}__", _operator(_name))
