"""Datasets of batches: elements put together, padded, as sparse tensors, mapped on the way; and taken apart again."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.errors import DataLossError, OpError
from headrace.ops.data.base import (
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    captured_count,
    dataset_op,
    integer,
    invalid,
    made_by,
)
from headrace.ops.data.mapping import Mapped
from headrace.ops.data.sources import Slices, rows
from headrace.ops.data.tables import Row, together


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


def _stack(index: int, values: tuple[Any, ...], mapped: bool) -> Any:
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
                        _pass_over(upstream, size - len(elements) - 1)
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


def _pass_over(upstream: Next, count: int) -> None:
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


class PaddedBatches(Batched):
    """`size` elements at a time as the rows of one, each padded to a common shape.

    Args:
        shapes: of each component the shape to pad to, -1 for the largest of the batch.
        values: what to pad with.
    """

    def __init__(
        self, source: Dataset, size: int, drop: bool, shapes: Sequence[Sequence[int]], values: Sequence[Any]
    ) -> None:
        super().__init__(source, size, drop)
        self.shapes, self.values = [list(shape) for shape in shapes], list(values)

    def start(self, iteration: Iteration) -> Next:
        upstream, size, drop = self.inputs[0].start(iteration), self.size, self.drop
        shapes, values = self.shapes, self.values

        def next_element() -> Element | None:
            elements: list[Element] = []
            while len(elements) < size:
                element = upstream()
                if element is None:
                    break
                elements.append(element)
            if not elements or (drop and len(elements) < size):
                return None
            parts = zip(zip(*elements, strict=True), shapes, values, strict=True)
            return tuple([_padded(i, part, shape, value) for i, (part, shape, value) in enumerate(parts)])

        return next_element


def _padded(index: int, parts: Sequence[Any], wanted: Sequence[int], value: Any) -> Any:
    rank = len(wanted)
    sizes = [0 if size < 0 else size for size in wanted]
    for part in parts:
        if part.ndim != rank:
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{index}: expected rank {rank} but got element with rank {part.ndim}"
            )
        for d, size in enumerate(part.shape):
            if wanted[d] < 0:
                sizes[d] = max(sizes[d], size)
            elif size > wanted[d]:
                raise DataLossError(
                    None,
                    None,
                    f"Attempted to pad to a smaller size than the input element: dimension {d} of component {index} is "
                    f"{size}, the padded shape says {wanted[d]}.",
                )
    if isinstance(parts[0], torch.Tensor):
        out = torch.empty((len(parts), *sizes), dtype=parts[0].dtype)
        if out.numel():
            out.fill_(value.item() if value.numel() == 1 else value)
        for i, part in enumerate(parts):
            out[_corner(i, part)] = part
        return out
    texts = np.empty((len(parts), *sizes), object)
    texts.fill(value[()])
    for i, part in enumerate(parts):
        texts[_corner(i, part)] = part if part.ndim else part[()]
    return texts


def _corner(row: int, part: Any) -> tuple[Any, ...]:
    """Where a part goes in its row."""
    return (row, *[slice(size) for size in part.shape])


class SparseBatches(Batched):
    """`size` elements of differing shapes at a time as one sparse tensor."""

    def __init__(self, source: Dataset, size: int, shape: Sequence[int]) -> None:
        super().__init__(source, size, False)
        self.shape = list(shape)

    def start(self, iteration: Iteration) -> Next:
        upstream, size, shape = self.inputs[0].start(iteration), self.size, self.shape

        def next_element() -> Element | None:
            parts: list[Any] = []
            while len(parts) < size:
                element = upstream()
                if element is None:
                    break
                _check_row(element[0], shape)
                parts.append(element[0])
            return (_sparse(parts, shape),) if parts else None

        return next_element


def _check_row(part: Any, wanted: Sequence[int]) -> None:
    shapes = shape_text(part.shape), shape_text(wanted)
    if part.ndim != len(wanted):
        raise invalid("Input element had shape ({}) that is incompatible with the row shape ({}).".format(*shapes))
    if any(0 <= most < size for size, most in zip(part.shape, wanted, strict=True)):
        raise DataLossError(
            None, None, "Input element had shape ({}) that is larger than the row shape ({}).".format(*shapes)
        )


def _sparse(parts: Sequence[Any], wanted: Sequence[int]) -> Any:
    sizes = [0 if size < 0 else size for size in wanted]
    indices = []
    for i, part in enumerate(parts):
        for d, size in enumerate(part.shape):
            if wanted[d] < 0:
                sizes[d] = max(sizes[d], size)
        places = np.indices(part.shape).reshape(part.ndim, -1).T
        indices.append(np.concatenate([np.full((len(places), 1), i), places], axis=1))
    flat = [part.reshape(-1) for part in parts]
    values = torch.cat(flat) if isinstance(flat[0], torch.Tensor) else np.concatenate(flat)
    return sparse_value(
        torch.from_numpy(np.concatenate(indices).astype(np.int64)), values, torch.tensor([len(parts), *sizes])
    )


def sparse_value(indices: Any, values: Any, shape: Any) -> np.ndarray:
    """A sparse tensor as one component: what SerializeSparse makes of it."""
    out = np.empty(3, object)
    out[:] = [None] * 3
    for i, part in enumerate((indices, values, shape)):
        out[i] = part
    return out


class SlidingWindows(Dataset):
    """Windows of elements as the rows of one."""

    def __init__(self, source: Dataset, size: int, shift: int, stride: int) -> None:
        super().__init__(source)
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise invalid(f"Window {name} must be greater than zero.")
        self.size, self.shift, self.stride = size, shift, stride

    def start(self, iteration: Iteration) -> Next:
        upstream, size, shift, stride = self.inputs[0].start(iteration), self.size, self.shift, self.stride
        wanted = (size - 1) * stride + 1
        held: deque[Element] = deque()

        def next_element() -> Element | None:
            while len(held) < wanted:
                element = upstream()
                if element is None:
                    held.clear()
                    return None
                held.append(element)
            chosen = [held[i] for i in range(0, wanted, stride)]
            for _ in range(min(shift, len(held))):
                held.popleft()
            for _ in range(shift - wanted):
                if upstream() is None:
                    break
            return stacked(chosen)

        return next_element


class Unbatched(Dataset):
    """The rows of each element."""

    def start(self, iteration: Iteration) -> Next:
        upstream = self.inputs[0].start(iteration)
        current: Any = iter(())

        def next_element() -> Element | None:
            nonlocal current
            while True:
                row = next(current, None)
                if row is not None:
                    return row  # type: ignore[no-any-return]
                element = upstream()
                if element is None:
                    return None
                if any(not value.ndim for value in element):
                    raise invalid("Input element must have a non-scalar value in each component.")
                sizes = {len(value) for value in element}
                if len(sizes) > 1:
                    first = len(element[0])
                    other = next(i for i, value in enumerate(element) if len(value) != first)
                    raise invalid(
                        "Input element must have the same batch size in each component. Component 0 had size "
                        f"{first} but component {other} had size {len(element[other])}."
                    )
                current = rows(element, sizes.pop())

        return next_element


# ---- the ops ----

batch_dataset = dataset_op("BatchDataset", "input_dataset: variant, batch_size: int64, *, {} -> handle: variant")
batch_dataset_v2 = dataset_op(
    "BatchDatasetV2",
    "input_dataset: variant, batch_size: int64, drop_remainder: bool, *, parallel_copy=False, {} -> handle: variant",
)
_PADDED = "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, N: int >= 1 -> handle: variant"
padded_batch_dataset = dataset_op(
    "PaddedBatchDataset",
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: *Toutput_types, *, "
    + _PADDED,
)
padded_batch_dataset_v2 = dataset_op(
    "PaddedBatchDatasetV2",
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: *Toutput_types, "
    "drop_remainder: bool, *, parallel_copy=False, " + _PADDED,
)


def mark_whole(dataset: Dataset) -> None:
    """Makes batches of mapped elements fail as a whole, as TensorFlow's default optimization does."""
    if type(dataset) is Batched and isinstance(dataset.inputs[0], Mapped):
        dataset.whole = True
    for source in dataset.inputs:
        mark_whole(source)


@made_by(batch_dataset, batch_dataset_v2)
def batch_dataset_kernel(node):
    return lambda source, size, drop=False: Batched(source, integer(size), bool(drop))


@made_by(padded_batch_dataset, padded_batch_dataset_v2)
def padded_batch_dataset_kernel(node):
    count = node.attrs["N"]

    def make(source, size, *rest):
        shapes = [shape.tolist() for shape in rest[:count]]
        drop = bool(rest[2 * count]) if len(rest) > 2 * count else False
        return PaddedBatches(source, integer(size), drop, shapes, rest[count : 2 * count])

    return make


_DENSE_TO_SPARSE = "input_dataset: variant, batch_size: int64, row_shape: int64, *, {} -> handle: variant"
dense_to_sparse_batch_dataset = dataset_op("DenseToSparseBatchDataset", _DENSE_TO_SPARSE)
experimental_dense_to_sparse_batch_dataset = dataset_op("ExperimentalDenseToSparseBatchDataset", _DENSE_TO_SPARSE)


@made_by(dense_to_sparse_batch_dataset, experimental_dense_to_sparse_batch_dataset)
def dense_to_sparse_batch_dataset_kernel(node):
    return lambda source, size, shape: SparseBatches(source, integer(size), shape.tolist())


_SLIDING = (
    "input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64, *, {} -> handle: variant"
)
sliding_window_dataset = dataset_op("SlidingWindowDataset", _SLIDING)
experimental_sliding_window_dataset = dataset_op("ExperimentalSlidingWindowDataset", _SLIDING)


@made_by(sliding_window_dataset, experimental_sliding_window_dataset)
def sliding_window_dataset_kernel(node):
    return lambda source, *sizes: SlidingWindows(source, *map(integer, sizes))


_MAP_AND_BATCH = (
    "input_dataset: variant, other_arguments: *Targuments, batch_size: int64, num_parallel_calls: int64, "
    "drop_remainder: bool, *, f: func, Targuments: list(type) >= 0, {}, preserve_cardinality=False -> handle: variant"
)
map_and_batch_dataset = dataset_op("MapAndBatchDataset", _MAP_AND_BATCH)
experimental_map_and_batch_dataset = dataset_op("ExperimentalMapAndBatchDataset", _MAP_AND_BATCH)


@made_by(map_and_batch_dataset, experimental_map_and_batch_dataset)
def map_and_batch_dataset_kernel(node):
    from headrace.ops.data.background import mapped

    count = captured_count(node)
    function = BoundFunction(node, "f", 1, count)

    def make(source, *values):
        size, parallel, drop = values[count:]
        if integer(size) <= 0:
            raise invalid("batch_size must be greater than zero.")
        made = Batched(mapped(source, function, values[:count], integer(parallel)), integer(size), bool(drop))
        made.whole = True
        return made

    return make


_UNBATCH = "input_dataset: variant, *, {} -> handle: variant"
unbatch_dataset = dataset_op("UnbatchDataset", _UNBATCH)
experimental_unbatch_dataset = dataset_op("ExperimentalUnbatchDataset", _UNBATCH)
made_by(unbatch_dataset, experimental_unbatch_dataset)(lambda node: Unbatched)
