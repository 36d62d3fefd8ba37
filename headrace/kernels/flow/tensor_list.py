"""The value of a TensorList: a list of tensors, which functional loops (`While`) carry and stack their results in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, dtype_text
from headrace.kernels.flow.persistent_list import PersistentList

if TYPE_CHECKING:
    from headrace.kernels.data.optional import Optional


def refusal(message: str) -> errors.InvalidArgumentError:
    """The error for a value that does not do."""
    return errors.InvalidArgumentError(None, None, message)


def text_of(dims: Dims) -> str:
    """A shape as messages write it."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"


def dims_of(shape: np.ndarray | torch.Tensor) -> Dims:
    """A shape given as a vector, or as the scalar -1 for an unknown rank."""
    array = np.asarray(shape)
    if array.ndim == 0:
        if int(array) != -1:
            raise refusal(
                f"The only valid scalar shape tensor is the fully unknown shape specified as -1, got {array}."
            )
        return None
    return tuple(None if size < 0 else int(size) for size in array.tolist())


def merged(one: Dims, other: Dims) -> Dims:
    """What two descriptions of a shape say together; InvalidArgumentError if they contradict each other."""
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other) or any(None not in (a, b) and a != b for a, b in zip(one, other, strict=True)):
        raise refusal(f"Tried to combine incompatible element shapes of a list: {text_of(one)} vs. {text_of(other)}")
    return tuple(b if a is None else a for a, b in zip(one, other, strict=True))


def _fits(dims: Dims, shape: Sequence[int]) -> bool:
    return dims is None or (
        len(dims) == len(shape) and all(d is None or d == s for d, s in zip(dims, shape, strict=True))
    )


class TensorList:
    """The value of a TensorList; operations on it make others.

    Args:
        dtype: of the elements.
        dims: what is known of every element's shape.
        values: the elements; None for one that was never set, which reads as zeros.
        limit: how many there may be; -1 for any number.
    """

    __slots__ = ("dims", "dtype", "limit", "values")

    # As an element of another list it is a scalar.
    shape = ()

    def __init__(self, dtype: DType, dims: Dims, values: PersistentList, limit: int = -1) -> None:
        self.dtype, self.dims, self.values, self.limit = dtype, dims, values, limit

    def __len__(self) -> int:
        return len(self.values)

    def with_values(self, values: PersistentList) -> TensorList:
        """The list of the same kind with other elements."""
        return TensorList(self.dtype, self.dims, values, self.limit)

    def of(self, dtype: DType) -> TensorList:
        """Itself.

        Raises:
            InvalidArgumentError: if its elements are of another type than `dtype`.
        """
        if self.dtype is not dtype and self.dtype != dtype:
            raise refusal(
                f"Invalid data types; op elements {dtype_text(dtype)} but list elements {dtype_text(self.dtype)}"
            )
        return self

    def checked(self, value: Optional | TensorList | torch.Tensor, is_new: bool = False) -> Any:
        """A value that is to become an element.

        Args:
            value: the value.
            is_new: whether it is one more, rather than in the place of another.

        Raises:
            InvalidArgumentError: if it has another shape than the elements.
        """
        if not _fits(self.dims, value.shape):
            if is_new:
                raise refusal(
                    f"Tried to append a tensor with incompatible shape to a list. Op element shape: {text_of(value.shape)} "
                    f"list shape: {text_of(self.dims)}"
                )
            raise refusal(
                f"Tried to set a tensor with incompatible shape at a list index. Item element shape: {text_of(value.shape)} "
                f"list shape: {text_of(self.dims)}"
            )
        return value

    def clone(self) -> TensorList:
        """Itself: a list never changes, so a copy for keeping is not needed."""
        return self

    def at(self, index: int, count: int) -> int:
        """`index`, if it is below `count`.

        Raises:
            InvalidArgumentError: if it is not.
        """
        if not 0 <= index < count:
            raise refusal(f"Trying to access element {index} in a list with {count} elements.")
        return index

    def zeros(self, dims: Dims) -> Any:
        """What an element is that was never set.

        Raises:
            InvalidArgumentError: if its shape is not known.
        """
        dims = merged(self.dims, dims)
        if dims is None or None in dims:
            raise refusal(
                "Trying to read an uninitialized tensor but element_shape is not fully defined. element_shape: "
                f"{text_of(dims)}"
            )
        return zeros_of(self.dtype, dims)  # type: ignore[arg-type]  # no size is None: it has been asked above

    def elements(self, dims: Dims, places: Iterable[int] | None = None) -> list[Any]:
        """Elements, zeros for those that were never set: of the shape of the others, where that is all there is to know."""
        items = self.values.items()
        if places is None:
            found = list(items)
        else:
            places = list(places)
            for i in places:
                if not 0 <= i < len(items):
                    # Written so in TensorFlow.
                    raise refusal(f"Index {i} out o range; list only has {len(items)} elements.")
            found = [items[i] for i in places]
        if any(value is None for value in found):
            known = dims
            if places is None and all(value is None for value in items):
                shape = merged(self.dims, dims)
                if shape is None or None in shape:
                    raise refusal(
                        "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
                        f"element_shape: {text_of(shape)}"
                    )
            for value in items:
                if value is not None:
                    known = merged(merged(known, self.dims), tuple(value.shape))
                    break
            zeros = self.zeros(known)
            found = [zeros if value is None else value for value in found]
        for value in found:
            if not _fits(dims, value.shape):
                raise refusal(
                    f"Tried to stack elements of the shape {text_of(tuple(value.shape))} where {text_of(dims)} is expected."
                )
        return found

    def zeros_like(self) -> TensorList:
        """The list of zeros in the place of the elements."""
        made = [None if value is None else zeros_of(self.dtype, tuple(value.shape)) for value in self.values.items()]
        return self.with_values(PersistentList(made))

    def __add__(self, other: TensorList) -> TensorList:
        mine, theirs = list(self.values.items()), list(other.values.items())
        if len(mine) != len(theirs):
            raise refusal(f"Trying to add two lists of tensors with different lengths: {len(mine)} and {len(theirs)}")
        sums = [b if a is None else a if b is None else a + b for a, b in zip(mine, theirs, strict=True)]
        return TensorList(self.dtype, merged(self.dims, other.dims), PersistentList(sums), self.limit)


# What TensorFlow has in the gaps of a list that scattering made longer: a tensor of no elements, whatever the list holds.
GAP = torch.zeros(0)


def zeros_of(dtype: DType, shape: Sequence[int]) -> torch.Tensor:
    """A value of zeros."""
    if dtype.name == "string":
        return np.full(shape, b"", dtype=object)
    if dtype.name == "variant":
        return None
    return torch.zeros(tuple(shape), dtype=dtype.torch)


def stacked(values: list[Any], source: TensorList, dims: Dims) -> torch.Tensor:
    """Elements as one tensor; InvalidArgumentError if their shapes differ, or are unknown for want of elements."""
    if not values:
        dims = merged(source.dims, dims)
        if dims is None or None in dims:
            raise refusal(
                f"Tried to stack elements of an empty list with non-fully-defined element_shape: {text_of(dims)}"
            )
        return zeros_of(source.dtype, (0, *dims))  # type: ignore[arg-type]  # no size is None: it has been asked above
    first = values[0].shape
    for i, value in enumerate(values):
        if value.shape != first:
            raise refusal(
                f"Tried to stack elements of a list with different shapes: Incompatible shapes during merge: "
                f"{text_of(tuple(first))} vs. {text_of(tuple(value.shape))}, of elements 0 and {i}"
            )
    return np.stack(values) if isinstance(values[0], np.ndarray) else torch.stack(values)


def unstacked(tensor: torch.Tensor, dims: Dims) -> list[Any]:
    """The rows of a tensor; InvalidArgumentError if they have not the shape `dims`."""
    if tensor.ndim == 0:
        raise refusal("Tensor must be at least a vector, but saw shape: []")
    if not _fits(dims, tensor.shape[1:]):
        raise refusal(
            f"Specified a list with shape {text_of(dims)} from a tensor with shape {text_of(tuple(tensor.shape[1:]))}"
        )
    if isinstance(tensor, np.ndarray):
        return [np.asarray(tensor[i], dtype=object) for i in range(len(tensor))]
    return list(tensor.unbind(0))
