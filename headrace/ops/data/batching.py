"""Datasets of batches: elements put together, padded, as sparse tensors, mapped on the way; and taken apart again."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.cases import body, made, result
from headrace.core.errors import DataLossError, InvalidArgumentError
from headrace.core.registry import raw
from headrace.kernels.data.base import (
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
from headrace.kernels.data.batched import Batched, shape_text, sparse_value, stacked
from headrace.kernels.data.case_inputs import INT64_ROWS, INT64_SCALARS, NEGATED, elements, numbers
from headrace.kernels.data.parallel_mapped import mapped
from headrace.kernels.data.slices import rows


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


def _padded(index: int, parts: Sequence[Any], padded_shape: Sequence[int], value: Any) -> np.ndarray | torch.Tensor:
    rank = len(padded_shape)
    sizes = [0 if size < 0 else size for size in padded_shape]
    for part in parts:
        if part.ndim != rank:
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{index}: expected rank {rank} but got element with rank {part.ndim}"
            )
        for d, size in enumerate(part.shape):
            if padded_shape[d] < 0:
                sizes[d] = max(sizes[d], size)
            elif size > padded_shape[d]:
                raise DataLossError(
                    None,
                    None,
                    f"Attempted to pad to a smaller size than the input element: dimension {d} of component {index} is "
                    f"{size}, the padded shape says {padded_shape[d]}.",
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


def _corner(row: int, part: np.ndarray | torch.Tensor) -> tuple[Any, ...]:
    """Where a part goes in its row."""
    return (row, *[slice(size) for size in part.shape])


class SparseBatches(Batched):
    """`size` elements of differing shapes at a time as one sparse tensor."""

    passes_shards = False

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


def _check_row(part: torch.Tensor, padded_shape: Sequence[int]) -> None:
    shapes = shape_text(part.shape), shape_text(padded_shape)
    if part.ndim != len(padded_shape):
        raise invalid("Input element had shape ({}) that is incompatible with the row shape ({}).".format(*shapes))
    if any(0 <= most < size for size, most in zip(part.shape, padded_shape, strict=True)):
        raise DataLossError(
            None, None, "Input element had shape ({}) that is larger than the row shape ({}).".format(*shapes)
        )


def _sparse(parts: Sequence[Any], padded_shape: Sequence[int]) -> np.ndarray:
    sizes = [0 if size < 0 else size for size in padded_shape]
    indices = []
    for i, part in enumerate(parts):
        for d, size in enumerate(part.shape):
            if padded_shape[d] < 0:
                sizes[d] = max(sizes[d], size)
        places = np.indices(part.shape).reshape(part.ndim, -1).T
        indices.append(np.concatenate([np.full((len(places), 1), i), places], axis=1))
    flat = [part.reshape(-1) for part in parts]
    values = torch.cat(flat) if isinstance(flat[0], torch.Tensor) else np.concatenate(flat)
    return sparse_value(
        torch.from_numpy(np.concatenate(indices).astype(np.int64)), values, torch.tensor([len(parts), *sizes])
    )


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
        span = (size - 1) * stride + 1
        held: deque[Element] = deque()

        def next_element() -> Element | None:
            while len(held) < span:
                element = upstream()
                if element is None:
                    held.clear()
                    return None
                held.append(element)
            chosen = [held[i] for i in range(0, span, stride)]
            for _ in range(min(shift, len(held))):
                held.popleft()
            for _ in range(shift - span):
                if upstream() is None:
                    break
            return stacked(chosen)

        return next_element


class Rebatched(Dataset):
    """The parts of each batch, of which the first have as many rows as fit and the last may have fewer, or none.

    Args:
        source: a dataset of batches.
        count: how many parts.
    """

    passes_shards = True

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        if count <= 0:
            raise invalid("num_replicas must be greater than zero.")
        self.count = count

    def start(self, iteration: Iteration) -> Next:
        upstream, count = self.inputs[0].start(iteration), self.count
        waiting: deque[Element] = deque()

        def next_element() -> Element | None:
            if not waiting:
                element = upstream()
                if element is None:
                    return None
                size = -(-len(element[0]) // count)
                waiting.extend(tuple(value[size * i : size * (i + 1)] for value in element) for i in range(count))
            return waiting.popleft()

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        return found if found < 0 else found * self.count


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
                    return row
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


@made_by(batch_dataset, batch_dataset_v2)
def batch_dataset_kernel(node):
    return lambda source, size, drop=False: Batched(source, integer(size), bool(drop))


@made_by(padded_batch_dataset, padded_batch_dataset_v2)
def padded_batch_dataset_kernel(node):
    count = node.attrs["N"]

    def make(source, size, *rest):
        shapes = [shape.tolist() for shape in rest[:count]]
        for size_of_axis in (axis for shape in shapes for axis in shape):
            if size_of_axis < -1:
                raise InvalidArgumentError(None, None, f"Dimension {size_of_axis} must be >= -1")
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


_REBATCH = "input_dataset: variant, num_replicas: int64, *, {}, use_fallback=True -> handle: variant"
rebatch_dataset = dataset_op("RebatchDataset", _REBATCH)
experimental_rebatch_dataset = dataset_op("ExperimentalRebatchDataset", _REBATCH)


@made_by(rebatch_dataset, experimental_rebatch_dataset)
def rebatch_dataset_kernel(node):
    # With use_fallback or without: batches are cut as they come.
    return lambda source, count: Rebatched(source, integer(count))


_MAP_AND_BATCH = (
    "input_dataset: variant, other_arguments: *Targuments, batch_size: int64, num_parallel_calls: int64, "
    "drop_remainder: bool, *, f: func, Targuments: list(type) >= 0, {}, preserve_cardinality=False -> handle: variant"
)
map_and_batch_dataset = dataset_op("MapAndBatchDataset", _MAP_AND_BATCH)
experimental_map_and_batch_dataset = dataset_op("ExperimentalMapAndBatchDataset", _MAP_AND_BATCH)


@made_by(map_and_batch_dataset, experimental_map_and_batch_dataset)
def map_and_batch_dataset_kernel(node):
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

batch_dataset.accepts(numbers(5), np.int64(2), **INT64_ROWS)
batch_dataset.rejects(numbers(5), np.int64(0), error=InvalidArgumentError, **INT64_ROWS)
batch_dataset_v2.accepts(numbers(5), np.int64(2), np.bool_(True), **INT64_ROWS)
batch_dataset_v2.accepts(numbers(5), np.int64(2), np.bool_(False), parallel_copy=True, **INT64_ROWS)
_TRIANGLE = made("MapDataset", numbers(3), [], f=body(lambda x: raw.Range(x, 3, 1), "int64"), **INT64_ROWS)
_PADDING = np.int64(2), [np.array([-1])], [np.int64(7)]
_AS_LARGEST = {"output_shapes": [[None, None]], "after": elements(["int64"], [[None, None]])}
padded_batch_dataset.accepts(_TRIANGLE, *_PADDING, **_AS_LARGEST)
padded_batch_dataset.rejects(
    _TRIANGLE, np.int64(0), *_PADDING[1:], output_shapes=[[None, None]], error=InvalidArgumentError
)
padded_batch_dataset_v2.accepts(_TRIANGLE, *_PADDING, np.bool_(True), **_AS_LARGEST)
_TYPES, _SHAPES = ["int64"] * 3, [[None, None], [None], [None]]
_APART = body(lambda x: raw.DeserializeSparse(x, dtype="int64"), "variant")
_PARTS = elements(
    _TYPES, _SHAPES, dataset=made("MapDataset", result, [], f=_APART, output_types=_TYPES, output_shapes=_SHAPES)
)
for _decl in (dense_to_sparse_batch_dataset, experimental_dense_to_sparse_batch_dataset):
    _decl.accepts(
        *(_TRIANGLE, np.int64(2), np.array([4])), output_types=["variant"], output_shapes=[None], after=_PARTS
    )
for _decl in (sliding_window_dataset, experimental_sliding_window_dataset):
    _decl.accepts(numbers(6), np.int64(2), np.int64(1), np.int64(2), **INT64_ROWS)
    _decl.rejects(numbers(6), np.int64(0), np.int64(1), np.int64(1), error=InvalidArgumentError, **INT64_ROWS)
for _decl in (rebatch_dataset, experimental_rebatch_dataset):
    _decl.accepts(made("BatchDataset", numbers(6), np.int64(4), **INT64_ROWS), np.int64(2), **INT64_ROWS)
    _decl.rejects(numbers(6), np.int64(0), error=InvalidArgumentError, **INT64_ROWS)
for _decl in (map_and_batch_dataset, experimental_map_and_batch_dataset):
    _decl.accepts(numbers(5), [], np.int64(2), np.int64(2), np.bool_(False), f=NEGATED, **INT64_ROWS)
    _decl.accepts(numbers(5), [], np.int64(2), np.int64(1), np.bool_(True), f=NEGATED, **INT64_ROWS)
for _decl in (unbatch_dataset, experimental_unbatch_dataset):
    _decl.accepts(made("BatchDataset", numbers(3), np.int64(2), **INT64_ROWS), **INT64_SCALARS)
