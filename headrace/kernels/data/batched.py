"""Elements put together to batches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.errors import OpError
from headrace.kernels.data.base import Dataset, Element, Iteration, Next, invalid
from headrace.kernels.data.mapped import Mapped
from headrace.kernels.data.places import parts_of
from headrace.kernels.data.slices import Slices, rows
from headrace.kernels.data.tables import Row, together


def stacked(
    elements: Sequence[Element], mapped: bool = False, storage: Mapping[int, torch.Tensor] | None = None
) -> Element:
    """Elements as the rows of one.

    Args:
        elements: the elements.
        mapped: whether they were mapped into the batch, in the words that errors have then.
        storage: the components, by index, whose values are the rows of a tensor already.

    Raises:
        InvalidArgumentError: if the shapes of a component differ.
    """
    found = together(elements) if type(elements[0]) is Row else None
    if found is not None:
        return found
    filled = storage or {}
    return tuple(
        [
            _rows(filled[i], len(values)) if i in filled else _stack(i, values, mapped)
            for i, values in enumerate(zip(*elements, strict=True))
        ]
    )


def _rows(room: torch.Tensor, count: int) -> torch.Tensor:
    """The first rows; those of a batch that has not become full in memory of their own."""
    return room if count == len(room) else room[:count].clone()


# From so many bytes on a value is copied to its place in the batch as it comes, while it lies in the cache, and its
# memory serves the next one. Batches of more than so many bytes are not reserved before it is known that they fill.
_LARGE_VALUE = 1 << 16
_LARGEST_RESERVED = 1 << 30


def _storage(first: Element, size: int) -> dict[int, torch.Tensor]:
    """Room for a batch of `size` elements like `first`: a tensor for each component of large values."""
    return {
        i: torch.empty((size, *value.shape), dtype=value.dtype)
        for i, value in enumerate(first)
        if isinstance(value, torch.Tensor)
        and _LARGE_VALUE <= value.nbytes <= _LARGEST_RESERVED // size
        and value.dtype is not torch.bfloat16
    }


def _kept(element: Element, storage: dict[int, torch.Tensor], place: int) -> Element:
    """The element with its large values copied to their places.

    Where a value has another shape than the room for it, the component is to be stacked like the others, which tells
    the error.
    """
    values = list(element)
    for i in list(storage):
        value, row = values[i], storage[i][place]
        if value.shape != row.shape:
            del storage[i]
            continue
        # NumPy copies in this thread, whatever the size.
        np.copyto(row.numpy(), value.numpy())
        values[i] = row
    return tuple(values)


def gathered(components: Element, numbers: Sequence[Element]) -> Element:
    """The rows of tensors with these numbers as the rows of one element."""
    chosen = [number[0] for number in numbers]
    index = torch.tensor(chosen)
    return tuple(
        [
            component.index_select(0, index) if isinstance(component, torch.Tensor) else component[chosen]
            for component in components
        ]
    )


def _stack(index: int, values: tuple[Any, ...], mapped: bool) -> np.ndarray | torch.Tensor:
    first = values[0]
    if isinstance(first, torch.Tensor):
        try:
            return torch.stack(values)
        except RuntimeError:
            _check_shapes(index, values, mapped)
            raise
    if isinstance(first, np.ndarray):
        if any(value.shape != first.shape for value in values):
            _check_shapes(index, values, mapped)
        out = np.empty((len(values), *first.shape), object)
        for i, value in enumerate(values):
            out[i] = value[()]
        return out
    made = np.empty(len(values), object)
    for i, value in enumerate(values):
        made[i] = value
    return made


def _check_shapes(index: int, values: Sequence[Any], mapped: bool) -> None:
    first = tuple(values[0].shape)
    for i, value in enumerate(values):
        if tuple(value.shape) != first:
            if mapped:
                raise invalid(
                    "Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: "
                    f"{shape_text(value.shape)}, [batch]: {shape_text(first)}"
                )
            raise invalid(
                f"Cannot batch tensors with different shapes in component {index}. First element had shape "
                f"{shape_text(first)} and element {i} had shape {shape_text(value.shape)}."
            )


def shape_text(shape: Sequence[int]) -> str:
    """A shape as run-time errors write it: `[2,3]`."""
    return f"[{','.join(str(int(size)) for size in shape)}]"


class Batched(Dataset):
    """`size` elements at a time as the rows of one."""

    passes_shards = True

    def __init__(self, source: Dataset, size: int, drop: bool) -> None:
        super().__init__(source)
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        self.size, self.drop = size, drop
        # Whether an element that cannot be made takes the rest of its batch with it.
        self.whole = False

    def start(self, iteration: Iteration) -> Next:
        source, size, drop = self.inputs[0], self.size, self.drop
        if type(source) is Slices:
            return _cut_batches(source, size, drop)
        if isinstance(source, Mapped) and source.of_batches is not None:
            of_batches = source.of_batches()
            if of_batches is not None:
                # The function works on every row at once.
                unmapped = Batched(source.inputs[0], size, False).start(iteration)
                return _mapped_batches(unmapped, of_batches, source.call, size, drop)
        found = source.rows_of()
        upstream = source.start(iteration) if found is None else found[1].start(iteration)
        whole = self.whole

        def next_element() -> Element | None:
            elements: list[Element] = []
            storage: dict[int, torch.Tensor] = {}
            while len(elements) < size:
                try:
                    element = upstream()
                except Exception:
                    if whole:
                        _skip(upstream, size - len(elements) - 1)
                    raise
                if element is None:
                    break
                if not elements and found is None and type(element) is not Row:
                    storage = _storage(element, size)
                elements.append(_kept(element, storage, len(elements)) if storage else element)
            if not elements or (drop and len(elements) < size):
                return None
            return gathered(found[0], elements) if found else stacked(elements, whole, storage)

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if found < 0:
            return found
        return found // self.size if self.drop else -(-found // self.size)


def _skip(upstream: Next, count: int) -> None:
    """Asks for elements that nobody wants."""
    for _ in range(count):
        with contextlib.suppress(Exception):
            if upstream() is None:
                return


def _mapped_batches(
    upstream: Next, call: Callable[..., Element], one: Callable[..., Element], size: int, drop: bool
) -> Next:
    """Batches of what a function makes of elements, made a batch at a time.

    Args:
        upstream: gives the batches of elements, the last one maybe smaller.
        call: takes a batch.
        one: takes an element.
    """

    def next_element() -> Element | None:
        element = upstream()
        if element is None or (drop and len(element[0]) < size):
            return None
        try:
            return call(*element)
        except (OpError, RuntimeError, ValueError):
            # The error to raise is that of the first element that fails.
            return stacked([one(*row) for row in rows(element, len(element[0]))], mapped=True)

    return next_element


def _cut_batches(source: Slices, size: int, drop: bool) -> Next:
    """Batches of rows that lie one after the other in memory anyway."""
    components, count = source.components, source.size
    place = 0

    def next_element() -> Element | None:
        nonlocal place
        first, last = place, min(place + size, count)
        if first >= count or (drop and last - first < size):
            return None
        place = last
        return tuple([component[first:last] for component in components])

    return next_element


def mark_whole(dataset: Dataset) -> None:
    """Makes batches of mapped elements fail as a whole, as TensorFlow's default optimization does."""
    for part in parts_of(dataset):
        if type(part) is Batched and isinstance(part.inputs[0], Mapped):
            part.whole = True


def sparse_value(indices: torch.Tensor, values: torch.Tensor, shape: torch.Tensor) -> np.ndarray:
    """A sparse tensor as one component: what SerializeSparse makes of it."""
    out = np.empty(3, object)
    out[:] = [None] * 3
    for i, part in enumerate((indices, values, shape)):
        out[i] = part
    return out
