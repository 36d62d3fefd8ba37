"""What lies in a queue: tuples of values, made of tensors and joined to batches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.kernels.host_values import boxed
from headrace.kernels.state.handles import invalid, shape_text
from headrace.native.direct import direct_call


class Batch(tuple[Any, ...]):
    """What was put in together, a component each. Its rows lie in the queue as elements `(batch, row)`."""

    __slots__ = ()


# The values of the components, or a batch and which of its rows.
Element = tuple[Any, ...]
# One component of many rows at once, where the runner is there.
_gather_rows = direct_call("gather_rows")


def kept(value: np.ndarray | torch.Tensor) -> Any:
    """A copy of a value that nobody else holds, to keep after the step."""
    return value.clone() if isinstance(value, torch.Tensor) else boxed(value)


def rows_of(value: np.ndarray | torch.Tensor) -> Sequence[Any]:
    """The parts of a batch along its first dimension, which keep it alive."""
    if isinstance(value, torch.Tensor):
        return value.clone().unbind(0)
    return [boxed(item) for item in value]


def elements_of(values: Element) -> list[Element]:
    """The rows of batches, one a component, as elements; nobody else holds what they refer to."""
    batch = Batch(
        value.clone(memory_format=torch.contiguous_format) if isinstance(value, torch.Tensor) else value.copy()
        for value in values
    )
    return list(zip(itertools.repeat(batch), range(len(batch[0]))))


def values_of(element: Element) -> Element:
    """The values of an element, a component each."""
    batch = element[0]
    if batch.__class__ is not Batch:
        return element
    row = element[1]
    return tuple([part[row] if isinstance(part, torch.Tensor) else boxed(part[row]) for part in batch])


def stacked(values: Sequence[Any]) -> Any:
    """Values of one shape as a batch."""
    first = values[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(values)
    if first.ndim == 0:
        batch = np.empty(len(values), object)
        batch[:] = [value[()] for value in values]
        return batch
    return np.stack(values)


def padded(values: Sequence[Any]) -> Any:
    """Values of one rank as a batch as large as the largest of each dimension, filled up with zeros or b''."""
    shapes = {tuple(value.shape) for value in values}
    if len(shapes) == 1:
        return stacked(values)
    largest = [max(sizes) for sizes in zip(*shapes, strict=True)]
    first = values[0]
    batch: Any
    if isinstance(first, torch.Tensor):
        batch = first.new_zeros([len(values), *largest])
    else:
        batch = np.full([len(values), *largest], b"", object)
    for i, value in enumerate(values):
        place = (i, *(slice(size) for size in value.shape))
        batch[place] = value
    return batch


def empty_batch(dtype: DType, dims: Dims) -> torch.Tensor:
    """A batch of no elements; unknown dimensions count as 0."""
    sizes = [0, *(dim or 0 for dim in dims or ())]
    if dtype.name == "string":
        return np.empty(sizes, object)
    return torch.empty(sizes, dtype=dtype.torch)


def batch_of(
    elements: list[Element], dtypes: Sequence[DType], shapes: Sequence[Dims], join: Callable[[Sequence[Any]], Any]
) -> tuple[Any, ...]:
    """Elements as one batch a component."""
    if not elements:
        return tuple(empty_batch(dtype, dims) for dtype, dims in zip(dtypes, shapes, strict=True))
    gathered = [None if _gather_rows is None else _gather_rows(elements, i) for i in range(len(dtypes))]
    if all(made is not None for made in gathered):
        return tuple(gathered)
    columns = zip(*map(values_of, elements), strict=True)
    return tuple(join(column) if made is None else made for made, column in zip(gathered, columns, strict=True))


def fits(shape: Iterable[int], dims: Dims) -> bool:
    """Whether a value's shape is one that `dims` allows."""
    if dims is None:
        return True
    shape = tuple(shape)
    return len(shape) == len(dims) and all(dim is None or dim == size for size, dim in zip(shape, dims, strict=True))


def component_checker(dims: Sequence[Dims], shapes: Sequence[Dims], many: bool) -> Callable[[Element], None] | None:
    """A function that refuses components of a wrong shape; None where the static shapes say that they fit.

    Args:
        dims: the static shapes of the components.
        shapes: what the queue takes.
        many: whether the components are batches.
    """
    doubtful = [
        (i, expected)
        for i, (have, expected) in enumerate(zip(dims, shapes, strict=True))
        if expected is not None
        and not (have is not None and None not in have and len(have) >= many and fits(have[many:], expected))  # type: ignore[arg-type]  # no size is None: it has been asked
    ]
    if many:
        return lambda values: _check_batches(values, shapes)
    if not doubtful:
        return None

    def check(values: Element) -> None:
        for i, expected in doubtful:
            shape = np.shape(values[i]) if isinstance(values[i], bytes) else values[i].shape
            if not fits(shape, expected):
                raise _mismatch(i, expected or (), shape)

    return check


def _check_batches(values: Element, shapes: Sequence[Dims]) -> None:
    length = None
    for i, (value, expected) in enumerate(zip(values, shapes, strict=True)):
        shape = tuple(getattr(value, "shape", ()))
        if not shape:
            if expected is None:
                raise invalid("Input scalar has no first dimension to enqueue along")
            raise _mismatch(i, (length or 0, *expected), shape)
        if length is None:
            length = shape[0]
        if expected is not None:
            if not fits(shape, (length, *expected)):
                raise _mismatch(i, (length, *expected), shape)
        elif shape[0] != length:
            raise invalid(
                f"All input tensors must have the same size in the 0th dimension. Component {i} has {shape[0]}, and "
                f"should have {length}"
            )


def _mismatch(index: int, expected: Iterable[int | None], shape: Iterable[int]) -> Exception:
    return invalid(
        f"Shape mismatch in tuple component {index}. Expected {shape_text(expected)}, got {shape_text(shape)}"
    )
