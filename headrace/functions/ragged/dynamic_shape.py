"""Shapes of ragged tensors that are known when the graph runs, and broadcasting to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import plain_constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import DType, as_dtype, int32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.reduction import reduce_all, reduce_sum
from headrace.functions.ragged.layout import tile
from headrace.functions.ragged.segment_ids import int_tensor, lengths_to_splits, numbers_up_to, repeat_ranges
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_to as dense_broadcast_to
from headrace.ops.array.where import where

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, TensorLike


class RaggedTensorDynamicShape:
    """The sizes of all dimensions of a tensor that may be ragged.

    The outer dimensions, down to the innermost ragged one, are each of a scalar where all slices have one size, or of a
    vector with the size of each slice where the dimension is ragged. The inner ones, within the innermost values, are in
    one vector.

    Args:
        partitioned_dim_sizes: list of int scalars and vectors: the outer sizes. The first is a scalar, the last a vector.
        inner_dim_sizes: int vector: the inner sizes.
        dim_size_dtype: int32 or int64; by default the type of the vectors among the outer sizes, or int64.

    Raises:
        ValueError: if a rank is not known or not as above, or the vectors have different types.

    Example:
        >>> rows = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
        >>> shape = RaggedTensorDynamicShape.from_tensor(rows)  # sizes 3 and [2, 0, 3]
    """

    def __init__(
        self, partitioned_dim_sizes: Sequence[Any], inner_dim_sizes: TensorLike, dim_size_dtype: Any = None
    ) -> None:
        assert isinstance(partitioned_dim_sizes, (list, tuple))
        with name_scope(None, "RaggedTensorDynamicShape", [partitioned_dim_sizes, inner_dim_sizes]):
            outer = [
                convert_to_tensor(size, name=f"partitioned_dimension_size_{axis}")
                for axis, size in enumerate(partitioned_dim_sizes)
            ]
            inner = convert_to_tensor(inner_dim_sizes, name="inner_dim_sizes")
            for axis, size in enumerate(outer):
                if size.dims is None:
                    raise ValueError(f"rank of partitioned_dim_sizes[{axis}] is unknown")
                size.shape.with_rank_at_most(1)
            if outer and outer[0].dims:
                raise ValueError("outermost partitioned dimension must be uniform")
            if outer and not outer[-1].dims:
                raise ValueError("innermost partitioned dimension must be ragged")
            inner.shape.assert_has_rank(1)
            if dim_size_dtype is None:
                dim_size_dtype = _common_type([size.dtype for size in outer if size.dims])
            self._outer = tuple(composing.cast(size, dim_size_dtype) for size in outer)
            self._inner = composing.cast(inner, dim_size_dtype)

    @staticmethod
    def from_dim_sizes(dim_sizes: Sequence[Any]) -> RaggedTensorDynamicShape:
        """The shape of which each dimension has the size in a list: a scalar, or a vector where it is ragged.

        Raises:
            ValueError: if a size is neither.
        """
        with name_scope(None, "RaggedTensorDynamicShapeFromDimensionSizes", [dim_sizes]):
            sizes = [convert_to_tensor(size, preferred_dtype=int64, name="dim_sizes") for size in dim_sizes]
            if any(size.dims is None or len(size.dims) > 1 for size in sizes):
                raise ValueError("Each dim_size must be a scalar or a vector")
            outer = max((axis + 1 for axis, size in enumerate(sizes) if size.dims), default=0)
            return RaggedTensorDynamicShape(sizes[:outer], sizes[outer:])

    @classmethod
    def from_tensor(cls, rt_input: TensorLike | RaggedTensor, dim_size_dtype: Any = None) -> RaggedTensorDynamicShape:
        """The shape of a tensor or ragged tensor."""
        with name_scope(None, "RaggedTensorDynamicShapeFromTensor", [rt_input]):
            rows = convert_to_tensor_or_ragged_tensor(rt_input)
            if not isinstance(rows, RaggedTensor):
                return cls([], composing.shape(rows))
            outer = (rows.nrows(), *rows.nested_row_lengths())
            return cls(outer, composing.shape(rows.flat_values)[1:], dim_size_dtype=dim_size_dtype)

    # ---- what is known of it ----

    def dimension_size(self, axis: int) -> Tensor:
        """The size of the slices along `axis`: a scalar, or a vector where it is ragged.

        Raises:
            TypeError: if `axis` is no int.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        outer = len(self._outer)
        return self._outer[axis] if axis < outer else self._inner[axis - outer]

    def is_ragged(self, axis: int) -> bool:
        """Whether slices along `axis` have different sizes.

        Raises:
            TypeError: if `axis` is no int. ValueError: if it is below 0 or there is no such dimension.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise ValueError("Negative axis values are not supported")
        rank = self.rank
        if rank is not None and axis >= rank:
            raise ValueError(f"Expected axis={axis} < rank={rank}")
        return 0 < axis < len(self._outer) and bool(self._outer[axis].dims)

    @property
    def rank(self) -> int | None:
        """How many dimensions there are, or None if that is not known."""
        inner = self.num_inner_dimensions
        return None if inner is None else len(self._outer) + inner

    @property
    def partitioned_dim_sizes(self) -> tuple[Tensor, ...]:
        """The sizes of the outer dimensions."""
        return self._outer

    @property
    def inner_dim_sizes(self) -> Tensor:
        """The sizes of the inner dimensions, a vector."""
        return self._inner

    @property
    def num_partitioned_dimensions(self) -> int:
        """How many outer dimensions there are."""
        return len(self._outer)

    @property
    def num_inner_dimensions(self) -> int | None:
        """How many inner dimensions there are, or None if that is not known."""
        dims = self._inner.dims
        return None if dims is None else dims[0]

    @property
    def dim_size_dtype(self) -> DType:
        """The type of the sizes."""
        return self._inner.dtype

    def __repr__(self) -> str:
        return f"RaggedTensorDynamicShape(partitioned_dim_sizes={self._outer!r}, inner_dim_sizes={self._inner!r})"

    # ---- other shapes made of it ----

    def with_dim_size_dtype(self, dtype: DTypeLike) -> RaggedTensorDynamicShape:
        """The same with sizes of type int32 or int64.

        Raises:
            ValueError: for another type.
        """
        dtype = as_dtype(dtype)
        if dtype not in (int32, int64):
            raise ValueError("dtype must be int32 or int64")
        if self.dim_size_dtype is dtype:
            return self
        return RaggedTensorDynamicShape(
            [composing.cast(size, dtype) for size in self._outer], composing.cast(self._inner, dtype)
        )

    def broadcast_to_rank(self, rank: int) -> RaggedTensorDynamicShape:
        """The shape with dimensions of size 1 before its own, so that there are `rank`.

        Raises:
            ValueError: if there are more already, or their number is not known.
        """
        own = self.rank
        if own is None:
            raise ValueError("Unable to broadcast: self.rank is unknown")
        if own > rank:
            raise ValueError(f"Unable to broadcast: rank={rank} must be greater than self.rank={own}.")
        if own == rank:
            return self
        if self._outer:
            return RaggedTensorDynamicShape((1,) * (rank - own) + self._outer, self._inner)
        ones = composing.ones([rank - own], self.dim_size_dtype)
        return RaggedTensorDynamicShape([], composing.concat([ones, self._inner], 0))

    def broadcast_dimension(self, axis: int, lengths: TensorLike) -> RaggedTensorDynamicShape:
        """The shape whose dimension `axis` is as long as `lengths` where it was of size 1.

        Args:
            axis: an int.
            lengths: int scalar, or a vector for a ragged dimension.

        Raises:
            ValueError: if the rank of `lengths` is not known or above 1. InvalidArgumentError: when it is run and they do
                not fit.
        """
        lengths = int_tensor(lengths, "lengths", self.dim_size_dtype)
        if lengths.dims is None:
            raise ValueError("lengths must have a known rank.")
        if len(lengths.dims) > 1:
            raise ValueError("lengths must be a scalar or vector")
        ragged = self.is_ragged(axis)
        with control_dependencies([self._fits(axis, lengths, ragged)]):
            if axis >= len(self._outer):
                return self._inner_to_lengths(axis, lengths) if lengths.dims else self._inner_to_length(axis, lengths)
            if ragged:
                # An operation of its own waits for the check.
                return RaggedTensorDynamicShape(self._outer, identity(self._inner))
            return self._outer_to_lengths(axis, lengths)

    def _fits(self, axis: int, lengths: Tensor, ragged: bool) -> Operation | None:
        """The check that dimension `axis` can be as long as `lengths`."""
        if ragged and lengths.dims:
            fit = reduce_all(raw.Equal(lengths, self.dimension_size(axis)))
        elif ragged:
            fit = raw.Equal(lengths, 1)
        else:
            size = self.dimension_size(axis)
            if lengths.dims:
                fit = raw.Equal(size, 1)
            else:
                fit = raw.Equal(lengths, 1) | raw.Equal(size, 1) | raw.Equal(size, lengths)
        message = "Unable to broadcast: dimension size mismatch in dimension"
        sizes = [message, axis, "lengths=", lengths, "dim_size=", self.dimension_size(axis)]
        return Assert(fit, sizes, summarize=10)

    def num_slices_in_dimension(self, axis: int) -> Tensor:
        """How many slices there are along `axis`, in the whole tensor.

        Raises:
            TypeError: if `axis` is no int.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            return convert_to_tensor(1, self.dim_size_dtype)
        if self.is_ragged(axis):
            return reduce_sum(self._outer[axis])
        return self.dimension_size(axis) * self.num_slices_in_dimension(axis - 1)

    def _outer_to_lengths(self, axis: int, lengths: Tensor) -> RaggedTensorDynamicShape:
        """Outer dimension `axis`, of one size, as long as `lengths`: what is below it is there so often."""
        size = self.dimension_size(axis)
        repeats = lengths
        if lengths.dims:
            splits = numbers_up_to(raw.Size(lengths, out_type=self.dim_size_dtype) + 1)
        else:
            lengths = where(raw.Equal(size, 1), lengths, size)
            repeats = where(raw.Equal(size, 1), lengths, 1)
            splits = composing.stack([0, self.num_slices_in_dimension(axis)])
        made = [*self._outer[:axis], lengths]
        for below in self._outer[axis + 1 :]:
            if below.dims:
                made.append(repeat_ranges(below, splits, repeats))
                splits = composing.gather(lengths_to_splits(below), splits)
            else:
                made.append(below)
                splits = splits * below
        return RaggedTensorDynamicShape(made, self._inner)

    def _inner_to_length(self, axis: int, length: Tensor) -> RaggedTensorDynamicShape:
        size = self.dimension_size(axis)
        place = axis - len(self._outer)
        before = self._inner[:place]
        there = [where(raw.Equal(size, 1), length, size)]
        return RaggedTensorDynamicShape(self._outer, composing.concat([before, there, self._inner[place + 1 :]], 0))

    def _inner_to_lengths(self, axis: int, lengths: Tensor) -> RaggedTensorDynamicShape:
        place = axis - len(self._outer)
        outer = [*self._outer, *(self._inner[i] for i in range(place)), lengths]
        return RaggedTensorDynamicShape(outer, self._inner[place + 1 :])


def _common_type(types: list[DType]) -> DType:
    if len(set(types)) > 1:
        raise ValueError("partitioned_dim_sizes must have matching dtypes")
    return types[0] if types else int64


def broadcast_dynamic_shape(
    shape_x: RaggedTensorDynamicShape, shape_y: RaggedTensorDynamicShape
) -> RaggedTensorDynamicShape:
    """The shape that both shapes become when dimensions of size 1 grow to the other's.

    Raises:
        TypeError: if one is no `RaggedTensorDynamicShape`. ValueError: if a rank is not known. InvalidArgumentError: when
            it is run and they do not fit.
    """
    for name, shape in (("shape_x", shape_x), ("shape_y", shape_y)):
        if not isinstance(shape, RaggedTensorDynamicShape):
            raise TypeError(f"{name} must be a RaggedTensorDynamicShape")
    if shape_x.rank is None or shape_y.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(shape_x.rank, shape_y.rank)
    shape_x, shape_y = shape_x.broadcast_to_rank(rank), shape_y.broadcast_to_rank(rank)
    for axis in range(rank):
        shape_x = shape_x.broadcast_dimension(axis, shape_y.dimension_size(axis))
        shape_y = shape_y.broadcast_dimension(axis, shape_x.dimension_size(axis))
    return shape_x


def broadcast_to(
    rt_input: TensorLike | RaggedTensor, shape: RaggedTensorDynamicShape, broadcast_inner_dimensions: bool = True
) -> Any:
    """A tensor or ragged tensor repeated along dimensions of size 1 so that it has a shape.

    Args:
        rt_input: the tensor or ragged tensor; it must fit `shape`.
        shape: the shape.
        broadcast_inner_dimensions: whether the dimensions within the innermost values are repeated too.

    Raises:
        TypeError: if `shape` is no `RaggedTensorDynamicShape`. ValueError: if a rank is not known or greater than that of
            the shape, or the types of the splits differ.

    Example:
        >>> rows = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
        >>> broadcast_to([[10], [20], [30]], RaggedTensorDynamicShape.from_tensor(rows))  # [[10, 10], [], [30, 30, 30]]
    """
    if not isinstance(shape, RaggedTensorDynamicShape):
        raise TypeError("shape must be a RaggedTensorDynamicShape")
    value = convert_to_tensor_or_ragged_tensor(rt_input)
    if shape.num_partitioned_dimensions:
        return _to_ragged_shape(value, shape, broadcast_inner_dimensions)
    if isinstance(value, RaggedTensor):
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    return dense_broadcast_to(value, shape.inner_dim_sizes) if broadcast_inner_dimensions else value


def _to_ragged_shape(value: Tensor | RaggedTensor, shape: RaggedTensorDynamicShape, whole: bool) -> RaggedTensor:
    if isinstance(value, RaggedTensor) and value.row_splits.dtype is not shape.dim_size_dtype:
        raise ValueError(
            "rt_input and dst_shape have different row_split dtypes; use RaggedTensor.with_row_splits_dtype() or "
            "RaggedTensorDynamicShape.with_dim_size_dtype() to convert to a compatible dtype."
        )
    rank, new_rank = value.shape.ndims, shape.rank
    if rank is None or new_rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    if rank > new_rank:
        raise ValueError("Incompatible with shape: rank mismatch")
    if isinstance(value, RaggedTensor) and value.ragged_rank >= shape.num_partitioned_dimensions:
        raise ValueError("Incompatible with shape: ragged rank mismatch")
    own = RaggedTensorDynamicShape.from_tensor(value).broadcast_to_rank(new_rank)
    rows = _partitioned(_of_rank(value, rank, new_rank, shape), shape)
    outer = range(shape.num_partitioned_dimensions)

    multiples: list[Any] = [1] * new_rank
    for axis in outer:
        if own.is_ragged(axis) or shape.is_ragged(axis):
            continue
        have, want = own.dimension_size(axis), shape.dimension_size(axis)
        if plain_constant_value(have) in (1, None) and plain_constant_value(want) != 1:
            multiples[axis] = where(raw.Equal(have, 1), want, 1)
    if any(isinstance(item, Tensor) for item in multiples):
        rows = tile(rows, composing.stack(multiples))
    if whole:
        rows = rows.with_flat_values(_reshaped(rows.flat_values, shape))
    # The outermost first: what is repeated there is repeated further in again.
    for axis in outer:
        if shape.is_ragged(axis) and not own.is_ragged(axis):
            rows = _repeated_along(rows, axis, shape.dimension_size(axis), shape.dim_size_dtype)
    return rows


def _reshaped(values: Tensor, shape: RaggedTensorDynamicShape) -> Tensor:
    return raw.Reshape(values, composing.concat([[-1], shape.inner_dim_sizes], 0))


def _of_rank(value: Any, rank: int, new_rank: int, shape: RaggedTensorDynamicShape) -> Any:
    """`value` in as many rows of one row as there are dimensions missing."""
    if rank == new_rank:
        return value
    if rank < (shape.num_inner_dimensions or 0) + 1:
        value = _reshaped(value, shape)
    for _ in range(new_rank - value.shape.ndims):
        if is_ragged(value):
            count = value.nrows()
        else:
            count = shape_internal(value, out_type=shape.dim_size_dtype)[0]
        value = RaggedTensor.from_row_lengths(value, [count], validate=False)
    return value


def _partitioned(value: Tensor | RaggedTensor, shape: RaggedTensorDynamicShape) -> RaggedTensor:
    """`value` with as many levels of rows as the shape has."""
    if not isinstance(value, RaggedTensor):
        made: RaggedTensor = RaggedTensor.from_tensor(
            value, ragged_rank=shape.num_partitioned_dimensions - 1, row_splits_dtype=shape.dim_size_dtype
        )
        return made
    missing = len(value.flat_values.dims or ()) - 1 - (shape.num_inner_dimensions or 0)
    if missing <= 0:
        return value
    return value.with_flat_values(
        RaggedTensor.from_tensor(value.flat_values, ragged_rank=missing, row_splits_dtype=shape.dim_size_dtype)
    )


def _repeated_along(rows: RaggedTensor, axis: int, repeats: Tensor, dtype: DType) -> RaggedTensor:
    """The one slice of each row along `axis`, as often as `repeats` says for the row."""
    if not isinstance(rows, RaggedTensor):
        rows = RaggedTensor.from_tensor(rows, ragged_rank=1, row_splits_dtype=dtype)
    if axis > 1:
        return rows.with_values(_repeated_along(rows.values, axis - 1, repeats, dtype))
    levels, lengths = rows.nested_row_splits, rows.nested_row_lengths()
    splits = levels[0]
    made = [repeats]
    for level, below in zip(levels[1:], lengths[1:], strict=True):
        made.append(repeat_ranges(below, splits, repeats))
        splits = composing.gather(level, splits)
    values = repeat_ranges(rows.flat_values, splits, repeats)
    whole: RaggedTensor = RaggedTensor.from_nested_row_lengths(values, made, validate=False)
    return whole
