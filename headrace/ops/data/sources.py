"""Datasets made of tensors, of numbers and of Python generators."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from headrace.core.cases import body
from headrace.core.errors import CancelledError, InvalidArgumentError, OpError, OutOfRangeError, UnimplementedError
from headrace.core.registry import raw
from headrace.kernels.data.base import (
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
from headrace.kernels.data.case_inputs import INT64_SCALARS, elements
from headrace.kernels.data.samples import Samples
from headrace.kernels.data.slices import STRETCH, Slices


class Tensors(Dataset):
    """One element."""

    def __init__(self, components: Element) -> None:
        super().__init__()
        self.components = components

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain([self.components], itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return 1


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


_ROW, _ROWS = elements(["float32", "int32"], [[2], []]), elements(["float32", "string"], [[2], []])
tensor_dataset.accepts([[2], np.int32(7)], output_shapes=[[2], []], after=_ROW)
tensor_slice_dataset.accepts([[2, 2], np.array([b"a", b"b"])], output_shapes=[[2], []], after=_ROWS)
tensor_slice_dataset.rejects([[]], output_shapes=[[]], error=InvalidArgumentError)
tensor_slice_dataset.rejects([[2], [3]], output_shapes=[[], []], error=InvalidArgumentError)


class SparseSlices(Dataset):
    """The rows of a sparse tensor, each a sparse tensor of its own."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        super().__init__()
        self.indices, self.values, self.shape = indices, values, dense_shape
        first = indices[:, 0]
        if len(first) > 1 and bool((first[1:] < first[:-1]).any()):
            raise UnimplementedError(
                None,
                None,
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not "
                "currently supported. Use tf.sparse.reorder.",
            )

    def start(self, iteration: Iteration) -> Next:
        first = self.indices[:, 0]
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


_INDICES = np.array([[0, 1], [2, 0], [2, 2]])
_PARTS = elements(["int64", "float32", "int64"], [[None, 1], [None], [1]])
sparse_tensor_slice_dataset.accepts(_INDICES, [3], np.array([3, 4]), after=_PARTS)
sparse_tensor_slice_dataset.rejects(_INDICES[::-1], [3], np.array([3, 4]), error=UnimplementedError)


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
            for first in range(0, len(numbers), STRETCH):
                iteration.check()
                part = numbers[first : first + STRETCH]
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


for _bounds in ((0, 3, 1), (5, 0, -2), (3, 3, 1)):
    range_dataset.accepts(*map(np.int64, _bounds), **INT64_SCALARS)
range_dataset.rejects(np.int64(0), np.int64(3), np.int64(0), error=InvalidArgumentError, **INT64_SCALARS)


class Generated(Dataset):
    """What a function returns until it says that there is no more.

    Args:
        begin: makes the state of an iteration.
        following: takes the state, returns an element.
        finish: called with the state at the end.
    """

    def __init__(self, begin: Callable[..., Any], following: Callable[..., Any], finish: Callable[..., Any]) -> None:
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
                iteration.forget(close)
                finish(*state)

        def next_element() -> Element | None:
            nonlocal state
            iteration.check()
            if over:
                return None
            if state is None:
                state = self.begin()
                iteration.when_closed(close)
            try:
                return following(*state)
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


# Only a function of Python can say that there is no more.
_SAME = body(lambda state: state, "int64")
generator_dataset.accepts(
    *([np.int64(4)], [], []),
    init_func=body(lambda x: raw.Mul(x, 2), "int64"),
    next_func=_SAME,
    finalize_func=_SAME,
    **INT64_SCALARS,
)


class RandomNumbers(Dataset):
    """Random 32-bit numbers."""

    def __init__(self, seed: int, seed2: int) -> None:
        super().__init__()
        self.seeds = seed, seed2

    def start(self, iteration: Iteration) -> Next:
        samples = Samples(*self.seeds)

        def next_element() -> Element:
            iteration.check()
            return (torch.tensor(samples.next(), dtype=torch.int64),)

        return next_element

    def cardinality(self) -> int:
        return INFINITE


random_dataset = dataset_op("RandomDataset", "seed: int64, seed2: int64, *, {} -> handle: variant", stateful=True)
experimental_random_dataset = dataset_op(
    "ExperimentalRandomDataset", "seed: int64, seed2: int64, *, {} -> handle: variant", stateful=True
)


@made_by(random_dataset, experimental_random_dataset)
def random_dataset_kernel(node):
    return lambda seed, seed2: RandomNumbers(integer(seed), integer(seed2))


for _decl in (random_dataset, experimental_random_dataset):
    _decl.accepts(np.int64(1), np.int64(2), **INT64_SCALARS)
