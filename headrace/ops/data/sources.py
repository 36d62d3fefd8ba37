"""Datasets made of tensors, of numbers and of Python generators."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from headrace.core.errors import CancelledError, OpError, OutOfRangeError, UnimplementedError
from headrace.ops.data.base import (
    INFINITE,
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    dataset_op,
    integer,
    invalid,
    made_by,
)

# Rows are cut off in stretches: one call for many is far quicker than one each.
_STRETCH = 512


class Tensors(Dataset):
    """One element."""

    def __init__(self, components: Element) -> None:
        super().__init__()
        self.components = components

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain([self.components], itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return 1


class Slices(Dataset):
    """The rows of tensors with the same first dimension."""

    def __init__(self, components: Element) -> None:
        super().__init__()
        self.components = components
        sizes = {len(component) for component in components}
        if len(sizes) > 1:
            raise invalid("All components must have the same size in the 0th dimension")
        self.size = sizes.pop()

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain(rows(self.components, self.size), itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return self.size

    def rows_of(self) -> tuple[Element, Dataset]:
        return self.components, Numbers(self.size)


class Numbers(Dataset):
    """The numbers of rows, as Python integers."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain(zip(range(self.size)), itertools.repeat(None)).__next__


def rows(components: Sequence[Any], size: int) -> Iterator[Element]:
    """The rows of `components` as elements."""
    for first in range(0, size, _STRETCH):
        yield from zip(*[_cut(component, first, first + _STRETCH) for component in components], strict=False)


def _cut(component: Any, first: int, last: int) -> Any:
    if isinstance(component, torch.Tensor):
        return component[first:last].unbind(0)
    part = component[first:last]
    if component.ndim > 1:
        return part
    return [part[i, ...] for i in range(len(part))]


tensor_dataset = dataset_op(
    "TensorDataset",
    "components: *Toutput_types, *, Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1 -> handle: variant",
    stateful=True,
)
tensor_slice_dataset = dataset_op(
    "TensorSliceDataset",
    "components: *Toutput_types, *, Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1 -> handle: variant",
    stateful=True,
)


@tensor_dataset.kernel
def tensor_dataset_kernel(node):
    return lambda *components: Tensors(components)


@tensor_slice_dataset.kernel
def tensor_slice_dataset_kernel(node):
    return lambda *components: Slices(components)


class SparseSlices(Dataset):
    """The rows of a sparse tensor, each a sparse tensor of its own."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        super().__init__()
        self.indices, self.values, self.shape = indices, values, dense_shape

    def start(self, iteration: Iteration) -> Next:
        first = self.indices[:, 0]
        if len(first) > 1 and bool((first[1:] < first[:-1]).any()):
            raise UnimplementedError(
                None,
                None,
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not "
                "currently supported. Use tf.sparse.reorder.",
            )
        bounds = torch.searchsorted(first.contiguous(), torch.arange(int(self.shape[0]) + 1)).tolist()
        inner = self.indices[:, 1:]
        shape = self.shape[1:]

        def each() -> Iterator[Element]:
            for begin, end in itertools.pairwise(bounds):
                yield inner[begin:end], self.values[begin:end], shape

        return itertools.chain(each(), itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return int(self.shape[0])


sparse_tensor_slice_dataset = dataset_op(
    "SparseTensorSliceDataset", "indices: int64, values: Tvalues, dense_shape: int64 -> handle: variant", stateful=True
)


@sparse_tensor_slice_dataset.kernel
def sparse_tensor_slice_dataset_kernel(node):
    return SparseSlices


class Range(Dataset):
    """The integers from `start` up to (down to) `stop`."""

    def __init__(self, first: int, stop: int, step: int) -> None:
        super().__init__()
        if step == 0:
            raise invalid("step must be a non-zero integer.")
        self.range = range(first, stop, step)

    def start(self, iteration: Iteration) -> Next:
        numbers = self.range

        def each() -> Iterator[Element]:
            for first in range(0, len(numbers), _STRETCH):
                part = numbers[first : first + _STRETCH]
                yield from zip(torch.arange(part.start, part.stop, part.step, dtype=torch.int64).unbind(0), strict=True)

        return itertools.chain(each(), itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return len(self.range)


range_dataset = dataset_op(
    "RangeDataset", "start: int64, stop: int64, step: int64, *, {} -> handle: variant", stateful=True
)


@range_dataset.kernel
def range_dataset_kernel(node):
    return lambda start, stop, step: Range(integer(start), integer(stop), integer(step))


class Generated(Dataset):
    """What a function returns until it says that there is no more.

    Args:
        begin: makes the state of an iteration.
        following: takes the state, returns an element.
        finish: called with the state at the end.
    """

    def __init__(self, begin: Any, following: Any, finish: Any) -> None:
        super().__init__()
        self.begin, self.following, self.finish = begin, following, finish

    def start(self, iteration: Iteration) -> Next:
        state: Element | None = None
        over = False
        following, finish = self.following, self.finish

        def close() -> None:
            nonlocal over
            if state is not None and not over:
                over = True
                finish(*state)

        def next_element() -> Element | None:
            nonlocal state
            if over:
                return None
            if state is None:
                state = self.begin()
                iteration.when_closed(close)
            try:
                return following(*state)  # type: ignore[no-any-return]
            except OutOfRangeError:
                close()
                return None
            except OpError:
                if over:
                    # Closed by another thread while this one was asking.
                    raise CancelledError(None, None, "Iterator was cancelled") from None
                raise

        return next_element


generator_dataset = dataset_op(
    "GeneratorDataset",
    "init_func_other_args: *Tinit_func_args, next_func_other_args: *Tnext_func_args, finalize_func_other_args: "
    "*Tfinalize_func_args, *, init_func: func, next_func: func, finalize_func: func, Tinit_func_args: list(type) >= 0, "
    "Tnext_func_args: list(type) >= 0, Tfinalize_func_args: list(type) >= 0, {} -> handle: variant",
    stateful=True,
)


@generator_dataset.kernel
def generator_dataset_kernel(node):
    counts = [len(node.attrs[key]) for key in ("Tinit_func_args", "Tnext_func_args", "Tfinalize_func_args")]
    starts = [0, counts[0], counts[0] + counts[1]]
    names = ("init_func", "next_func", "finalize_func")
    functions = [BoundFunction(node, name, start, count) for name, start, count in zip(names, starts, counts)]

    def make(*captured):
        return Generated(
            *[
                function.with_captured(captured[start : start + count])
                for function, start, count in zip(functions, starts, counts)
            ]
        )

    return make


class RandomNumbers(Dataset):
    """Random 32-bit numbers."""

    def __init__(self, seed: int, seed2: int) -> None:
        super().__init__()
        self.seeds = seed, seed2

    def start(self, iteration: Iteration) -> Next:
        from headrace.ops.data.random import Samples

        samples = Samples(*self.seeds)
        return lambda: (torch.tensor(samples.next(), dtype=torch.int64),)

    def cardinality(self) -> int:
        return INFINITE


random_dataset = dataset_op("RandomDataset", "seed: int64, seed2: int64, *, {} -> handle: variant", stateful=True)
experimental_random_dataset = dataset_op(
    "ExperimentalRandomDataset", "seed: int64, seed2: int64, *, {} -> handle: variant", stateful=True
)


@made_by(random_dataset, experimental_random_dataset)
def random_dataset_kernel(node):
    return lambda seed, seed2: RandomNumbers(integer(seed), integer(seed2))
