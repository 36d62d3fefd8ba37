"""Variables kept in several parts, and the functions that decide into how many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import register_tensor_conversion_function
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.ops.array.split import split

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, Partitioner, ShapeLike


class PartitionedVariable:
    """Several variables that are the parts of one along an axis.

    Args:
        name: the name of the whole.
        shape: the shape of the whole.
        dtype: the element type.
        variable_list: the parts, each with its `SaveSliceInfo`.
        partitions: the number of parts along each axis.

    Raises:
        TypeError: if `variable_list` or `partitions` is no list.
        ValueError: if they are empty, or do not fit `shape`.
    """

    _distribute_strategy = None

    def __init__(
        self, name: str, shape: TensorShape, dtype: DType, variable_list: Sequence[Any], partitions: Sequence[int]
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f"partitions is not a list or tuple: {partitions}")
        if not all(p >= 1 for p in partitions):
            raise ValueError(f"partition values must be positive: {partitions}")
        if not variable_list:
            raise ValueError("variable_list may not be empty")
        if any(v._get_save_slice_info() is None for v in variable_list):
            raise ValueError(f"All variables must have a save_slice_info available: {[v.name for v in variable_list]}")
        if len(shape) != len(partitions):
            raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
        for v in variable_list:
            full = v._get_save_slice_info().full_shape
            if TensorShape(full) != TensorShape(shape):
                raise ValueError(
                    f"All variables' full shapes must match shape: {shape}; but full shapes were: {[full]}"
                )
        self._variable_list = sorted(variable_list, key=lambda v: v._get_save_slice_info().var_offset)
        self._name = name
        self._shape = shape
        self._dtype = dtype
        self._partitions = partitions

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        axes = len(self._partition_axes())
        if axes > 1:
            raise ValueError(f"Cannot get a length for {axes} > 1 partition axes")
        return len(self._variable_list)

    def _partition_axes(self) -> list[int]:
        return [i for i, p in enumerate(self._partitions) if p > 1] or [0]

    def _single_axis(self, doing: str) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"Cannot {doing} along more than one dimension: {axes}.  Multi-axis partition is not supported"
            )
        return axes[0]

    def _concat(self) -> Tensor:
        if len(self._variable_list) == 1:
            with name_scope(None):
                return raw.Identity(self._variable_list[0], name=self._name)
        axis = self._single_axis("concatenate")
        with name_scope(self._name + "/ConcatPartitions/"):
            joined = composing.concat(self._variable_list, axis)
        with name_scope(None):
            return raw.Identity(joined, name=self._name)

    def as_tensor(self) -> Tensor:
        """The parts joined, read regardless of the control dependencies in force."""
        with control_dependencies(None):
            return self._concat()

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def shape(self) -> Any:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> Any:
        """The shape of the whole."""
        return self._shape

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> Sequence[int]:
        return self._partitions

    def _assigned(self, assign: Callable[[Any, Any], Any], value: Any) -> list[Any]:
        axis = self._single_axis("do assign action")
        if isinstance(value, list):
            if len(value) != len(self._variable_list):
                raise ValueError(f"{len(self._variable_list)} parts take as many values, got {len(value)}.")
            values: Any = value
        elif isinstance(value, PartitionedVariable):
            values = list(value)
        else:
            sizes = [part.shape.as_list()[axis] for part in self._variable_list]
            values = split(value, sizes, axis=axis)
        return [assign(part, part_value) for part, part_value in zip(self._variable_list, values, strict=True)]

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Assigns to every part; `value` is a list of them, a partitioned variable or a tensor to be split."""
        done = self._assigned(
            lambda v, x: v.assign(x, use_locking=use_locking, name=name, read_value=read_value), value
        )
        return done if read_value else [item.op if isinstance(item, Tensor) else item for item in done]

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Adds to every part; arguments as in `assign`."""
        return self._assigned(
            lambda v, x: v.assign_add(x, use_locking=use_locking, name=name, read_value=read_value), value
        )

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Takes from every part; arguments as in `assign`."""
        return self._assigned(
            lambda v, x: v.assign_sub(x, use_locking=use_locking, name=name, read_value=read_value), value
        )


def _to_tensor(
    variable: PartitionedVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{variable.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
    return variable.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _to_tensor)


# ---- dividing ----


class PartitionInfo:
    """What an initializer knows of the whole variable that it makes a part of.

    Attributes:
        full_shape: the shape of the whole.
        var_offset: where the part begins.
    """

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        for value, what in ((full_shape, "full_shape"), (var_offset, "var_offset")):
            if not isinstance(value, Sequence) or isinstance(value, str):
                raise TypeError(f"`{what}` must be a sequence (like tuple or list) instead of {type(value).__name__}")
        if len(full_shape) != len(var_offset):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} while full_shape is of length "
                f"{len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape, strict=True):
            if offset < 0 or offset >= size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self) -> Sequence[int]:
        """The shape of the whole."""
        return self._full_shape

    @property
    def var_offset(self) -> Sequence[int]:
        """Where the part begins."""
        return self._var_offset

    def single_offset(self, shape: Sequence[int]) -> int:
        """The offset along the one axis that is divided; 0 if none is."""
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else self.var_offset[axis]

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The one axis along which a part of `shape` is smaller than the whole; None if none is.

        Raises:
            TypeError, ValueError: if `shape` does not fit the whole, or several axes are divided.
        """
        if not isinstance(shape, (tuple, list)):
            raise TypeError(f"`shape` must be a sequence (like tuple or list) instead of {type(shape).__name__}")
        if len(shape) != len(self.full_shape):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while self.full_shape="
                f"{self.full_shape} is of length {len(self.full_shape)}."
            )
        for i, size in enumerate(shape):
            if self.var_offset[i] + size > self.full_shape[i]:
                raise ValueError(
                    f"With self.var_offset={self.var_offset}, a partition of shape={shape} would exceed self.full_shape="
                    f"{self.full_shape} in dimension {i}."
                )
        divided = [i for i, size in enumerate(shape) if size < self.full_shape[i]]
        if len(divided) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={self.full_shape} since slice dim "
                f"could be either dimension {divided[1]} or {divided[0]}."
            )
        return divided[0] if divided else None


def call_partitioner(partitioner: Partitioner, shape: TensorShape, dtype: DType) -> Sequence[int]:
    """What a partitioner answers for `shape`, checked.

    Raises:
        ValueError: if `shape` is not fully known, or the answer does not fit it or divides several axes.
    """
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if shape.ndims is None or shape.ndims < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    slicing = partitioner(shape=shape, dtype=dtype)
    if not isinstance(slicing, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {slicing}")
    if len(slicing) != shape.ndims:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {slicing} vs. {shape}"
        )
    if any(p < 1 for p in slicing):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {slicing}")
    if sum(p > 1 for p in slicing) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {slicing}")
    return slicing


def slice_axis(slicing: Sequence[int]) -> tuple[int, int]:
    """The axis that is divided and into how many parts."""
    return next(((i, count) for i, count in enumerate(slicing) if count > 1), (0, 1))


def slices_of(full_shape: Sequence[int], count: int, axis: int) -> Iterator[tuple[list[int], list[int]]]:
    """Offset and shape of each of `count` parts along `axis`; the first ones are longer where it does not go evenly."""
    least, excess = divmod(full_shape[axis], count)
    offset = [0] * len(full_shape)
    for i in range(count):
        shape = list(full_shape)
        shape[axis] = least + (i < excess)
        yield list(offset), shape
        offset[axis] += shape[axis]


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Callable[..., list[int]]:
    """A partitioner that keeps parts along `axis` within a number of bytes.

    Args:
        max_shard_bytes: the most bytes a part may have.
        axis: the axis to divide.
        bytes_per_string_element: how long strings are taken to be.
        max_shards: the most parts, whatever their size.

    Raises:
        ValueError: if a limit is less than 1.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("Both max_shard_bytes and bytes_per_string_element must be positive.")
    if max_shards and max_shards < 1:
        raise ValueError("max_shards must be positive.")

    def _partitioner(shape: ShapeLike, dtype: DType) -> list[int]:
        shape = _fully_known(shape)
        if not isinstance(dtype, DType):
            raise ValueError(f"dtype is not a DType: {dtype}")
        partitions = [1] * len(shape)
        element = bytes_per_string_element if dtype.base_dtype.name == "string" else dtype.size
        others = math.prod(shape) // max(shape[axis], 1)
        slice_bytes = max(others * element, 1)
        per_shard = max(1, math.floor(max_shard_bytes / slice_bytes))
        count = math.ceil(shape[axis] / per_shard)
        partitions[axis] = max(1, min(count, max_shards) if max_shards else count)
        return partitions

    return _partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Callable[..., list[int]]:
    """A partitioner that makes up to `max_partitions` parts along `axis` of at least `min_slice_size` bytes each."""

    def _partitioner(shape: Sequence[int], dtype: DTypeLike) -> list[int]:
        if axis >= len(shape):
            raise ValueError(f"Cannot partition variable along axis {axis} when shape is only {shape}")
        if not isinstance(dtype, DType) or not isinstance(shape, TensorShape):
            raise AttributeError(f"A partitioner takes a TensorShape and a DType, got {shape!r} and {dtype!r}")
        sizes = _fully_known(shape)
        element = bytes_per_string_element if dtype.base_dtype.name == "string" else dtype.size
        total = math.prod(sizes) * element
        partitions = [1] * len(sizes)
        partitions[axis] = max(1, min(sizes[axis], max_partitions, math.ceil(total / min_slice_size)))
        return partitions

    return _partitioner


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A partitioner that makes `num_shards` parts along `axis`, fewer where the axis is shorter."""

    def _partitioner(shape: ShapeLike, **_: Any) -> list[int]:
        sizes = _fully_known(shape)
        partitions = [1] * len(sizes)
        partitions[axis] = min(num_shards, sizes[axis])
        return partitions

    return _partitioner


def _fully_known(shape: ShapeLike) -> list[Any]:
    if not isinstance(shape, TensorShape):
        raise ValueError(f"shape is not a TensorShape: {shape}")
    if not shape.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {shape}")
    return shape.as_list()
