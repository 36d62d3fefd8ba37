"""The resource behind a TensorArray's handle in one run: a list of tensors, each of them written once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.kernels.host_values import boxed


class _Cleared:
    """In the place of an element that was read and freed; its shape is still known."""

    __slots__ = ("shape",)

    def __init__(self, shape: Any) -> None:
        self.shape = shape


def _refuse(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


def _text(shape: Any) -> str:
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"


class TensorArrayResource:
    """One TensorArray in one run.

    Args:
        name: what errors call it.
        dtype: of the elements.
        size: how many there are.
        dims: what is known of every element's shape.
        dynamic: whether writing past the end makes it longer.
        clear: whether an element is freed when it is read.
        identical: whether all elements have the shape of the first.
        forward: of a gradient's array, the array it belongs to; its elements add up.
    """

    __slots__ = ("clear", "dims", "dtype", "dynamic", "forward", "gradients", "identical", "name", "values")

    def __init__(
        self,
        name: str,
        dtype: DType,
        size: int,
        dims: Dims = None,
        dynamic: bool = False,
        clear: bool = True,
        identical: bool = False,
        forward: Any = None,
    ) -> None:
        if size < 0:
            raise _refuse(f"Size should be >= 0: {size}")
        self.name, self.dtype, self.dims = name, dtype, dims
        self.dynamic, self.clear, self.identical = dynamic, clear, identical
        self.forward = forward
        self.values: list[Any] = [None] * size
        self.gradients: dict[str, TensorArrayResource] = {}

    def write(self, index: int, value: Any) -> None:
        """Sets an element, once; a gradient's elements add up."""
        values = self.values
        if value.__class__ is bytes:
            value = boxed(value)
        if index < 0 or index >= len(values):
            if index < 0 or not self.dynamic:
                raise _refuse(
                    f"TensorArray {self.name}: Tried to write to index {index} but array is not resizeable and size is: "
                    f"{len(values)}"
                )
            values.extend([None] * (index + 1 - len(values)))
        if self.dims is not None:
            self._check_shape(index, value)
        if self.identical and (self.dims is None or None in self.dims):
            # What is not written then reads as zeros of that shape.
            self.dims = tuple(value.shape)
        old = values[index]
        if old is None:
            values[index] = value
            return
        if old.__class__ is _Cleared:
            raise _refuse(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because it has already been read."
            )
        if self.forward is None:
            raise _refuse(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because it has already been "
                "written to."
            )
        if old.shape != value.shape:
            raise _refuse(
                f"TensorArray {self.name}: Could not aggregate to TensorArray index {index} because the existing shape is "
                f"{_text(old.shape)} but the new input shape is {_text(value.shape)}."
            )
        values[index] = old + value

    def _check_shape(self, index: int, value: np.ndarray | torch.Tensor) -> None:
        dims: Any = self.dims
        shape = value.shape
        if len(shape) != len(dims) or any(d is not None and d != s for d, s in zip(dims, shape, strict=True)):
            raise _refuse(
                f"TensorArray {self.name}: Could not write to TensorArray index {index} because the value shape is "
                f"{_text(shape)} which is incompatible with the TensorArray's inferred element shape: {_text(dims)} "
                "(consider setting infer_shape=False)."
            )

    def read(self, index: int) -> Any:
        """An element, freed afterwards if the array says so."""
        values = self.values
        if index < 0 or index >= len(values):
            raise _refuse(f"TensorArray {self.name}: Tried to read from index {index} but array size is: {len(values)}")
        value = values[index]
        if value is None:
            return self._zeros(index)
        if value.__class__ is _Cleared:
            raise _refuse(
                f"TensorArray {self.name}: Could not read index {index} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)."
            )
        if self.clear:
            values[index] = _Cleared(value.shape)
        return value

    def _zeros(self, index: int) -> torch.Tensor:
        """What an element is that nothing was written to: zeros, where its shape is known."""
        shape = self.shape_of(index)
        if shape is None:
            raise _refuse(
                f"TensorArray {self.name}: Could not read from TensorArray index {index}.  Furthermore, the element shape is "
                f"not fully defined: {'<unknown>' if self.dims is None else _text(self.dims)}.  It is possible you are "
                "working with a resizeable TensorArray and stop_gradients is not allowing the gradients to be written.  If "
                "you set the full element_shape property on the forward TensorArray, the proper all-zeros tensor will be "
                "returned instead of incurring this error."
            )
        if self.dtype.name == "string":
            return np.full(shape, b"", dtype=object)
        return torch.zeros(shape, dtype=self.dtype.torch)

    def shape_of(self, index: int) -> Any:
        """The shape of an element, None if it is not known."""
        value = self.values[index] if index < len(self.values) else None
        if value is not None:
            return value.shape
        if self.dims is not None and None not in self.dims:
            return self.dims
        return self.forward.shape_of(index) if self.forward is not None else None

    def gradient(self, source: str, prepended: Sequence[int] = ()) -> TensorArrayResource:
        """The array of the gradients of the elements, one for each call of `gradients`."""
        found = self.gradients.get(source)
        if found is None:
            if self.forward is not None:
                raise _refuse(
                    f"TensorArray {self.name}: Creating a gradients TensorArray from a gradients TensorArray is not supported."
                )
            self.dynamic = False
            dims = self.dims if not prepended else None if self.dims is None else (*prepended, *self.dims)
            found = TensorArrayResource(
                f"{self.name}@{source}", self.dtype, len(self.values), dims, clear=False, identical=False, forward=self
            )
            if prepended:
                found.forward = _Prepended(self, tuple(prepended))
            self.gradients[source] = found
        return found

    def stack(self, indices: Sequence[int], dims: Dims) -> Any:
        """The elements at `indices` as one tensor."""
        if not indices:
            known: Any = self.dims if dims is None or None in dims else dims
            if known is None or None in known:
                raise errors.UnimplementedError(
                    None,
                    None,
                    f"TensorArray has size zero, but element shape {'<unknown>' if known is None else _text(known)} is not "
                    "fully defined. Currently only static shapes are supported when packing zero-size TensorArrays.",
                )
            return self._empty((0, *known))
        values = [self.read(i) for i in indices]
        first = values[0].shape
        for i, value in enumerate(values):
            if value.shape != first:
                raise _refuse(
                    f"TensorArray has inconsistent shapes.  Index 0 has shape: {_text(first)} but index {i} has shape: "
                    f"{_text(value.shape)}"
                )
        return torch.stack(values) if isinstance(values[0], torch.Tensor) else np.stack(values)

    def _empty(self, shape: tuple[int, ...]) -> torch.Tensor:
        if self.dtype.name == "string":
            return np.empty(shape, dtype=object)
        return torch.empty(shape, dtype=self.dtype.torch)

    def joined(self, dims: Dims) -> tuple[Any, Any]:
        """All elements one after the other along their first axis, and their lengths."""
        if not self.values:
            known: Any = dims if dims is not None else (None if self.dims is None else self.dims[1:])
            if known is None or None in known:
                raise _refuse(
                    f"TensorArray has size zero, but element_shape_except0 {known} is not fully defined. Currently only "
                    "static shapes are supported when concatenating zero-size TensorArrays."
                )
            return self._empty((0, *known)), torch.zeros([0], dtype=torch.int64)
        values = [self.read(i) for i in range(len(self.values))]
        first = values[0].shape
        for i, value in enumerate(values):
            if not value.shape:
                raise _refuse(
                    f"Concat saw a scalar shape at index {i} but requires at least vectors.  Did you mean to call pack?"
                )
            if value.shape[1:] != first[1:]:
                raise _refuse(
                    "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                    f"{_text(first[1:])} but index {i} has (excepting dimension 0) shape: {_text(value.shape[1:])}"
                )
        lengths = torch.tensor([value.shape[0] for value in values], dtype=torch.int64)
        return (torch.cat(values) if isinstance(values[0], torch.Tensor) else np.concatenate(values)), lengths

    def scatter(self, indices: Sequence[int], value: torch.Tensor) -> None:
        """Writes the rows of `value` to the elements at `indices`."""
        if not value.shape:
            raise _refuse(f"Expected value to be at least a vector, but received shape: {_text(value.shape)}")
        if len(indices) != value.shape[0]:
            raise _refuse(f"Expected len(indices) == values.shape[0], but saw: {len(indices)} vs. {value.shape[0]}")
        largest = max(indices, default=-1)
        if largest >= len(self.values) and not self.dynamic:
            raise _refuse(f"Max scatter index must be < array size ({largest} vs. {len(self.values)})")
        for index, row in zip(indices, value.unbind(0) if isinstance(value, torch.Tensor) else value, strict=True):
            self.write(index, row)

    def split(self, value: torch.Tensor, lengths: Sequence[int]) -> None:
        """Writes consecutive slices of `value`, of the given lengths."""
        if not value.shape:
            raise _refuse(f"Expected value to be at least a vector, but received shape: {_text(value.shape)}")
        if sum(lengths) != value.shape[0]:
            raise _refuse(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{sum(lengths)} and value's shape is: {_text(value.shape)} "
            )
        if len(lengths) > len(self.values) and self.dynamic:
            self.values.extend([None] * (len(lengths) - len(self.values)))
        if len(lengths) != len(self.values):
            raise _refuse(
                f"TensorArray's size is not equal to the size of lengths ({len(self.values)} vs. {len(lengths)}), and the "
                "TensorArray is not marked as dynamically resizeable"
            )
        start = 0
        for i, length in enumerate(lengths):
            self.write(i, value[start : start + length])
            start += length

    def close(self) -> None:
        """Frees all elements; whatever uses the array afterwards is an error."""
        values: Any = _Closed(self.name)
        self.values = values


class _Prepended:
    """An array whose elements have further axes in front: what a gradient with a prepended shape looks back on."""

    __slots__ = ("_axes", "_forward")

    def __init__(self, forward: TensorArrayResource, axes: tuple[int, ...]) -> None:
        self._forward, self._axes = forward, axes

    def shape_of(self, index: int) -> Any:
        """The shape of an element, None if it is not known."""
        shape = self._forward.shape_of(index)
        return None if shape is None else (*self._axes, *shape)


class _Closed:
    """In the place of the elements of an array that was closed."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __len__(self) -> int:
        raise _refuse(f"TensorArray {self._name} has already been closed.")
