"""Datasets as tensors: reduced, taken as their only element, counted; and the datasets that only pass elements on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from headrace.core.cases import body, made
from headrace.core.errors import CancelledError, InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.waiting import check_deadline
from headrace.devices import pool
from headrace.kernels.data.base import (
    ELEMENTS,
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    Passing,
    captured_count,
    dataset_of,
    dataset_op,
    integer,
    invalid,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers
from headrace.kernels.data.places import iterate

reduce_op = op(
    "ReduceDataset",
    "input_dataset: variant, initial_state: *Tstate, other_arguments: *Targuments, *, f: func, Tstate: list(type) >= 1, "
    f"Targuments: list(type) >= 0, {ELEMENTS}, use_inter_op_parallelism=True -> components: *output_types",
    stateful=True,
)
reduce_op.aliases().on_host("initial_state", "other_arguments", outputs=True).not_differentiable()
reduce_op.shape(lambda op: list(op.attrs["output_shapes"]))


@reduce_op.kernel
def reduce_kernel(node):
    states, count = len(node.attrs["Tstate"]), captured_count(node)
    function = BoundFunction(node, "f", 1 + states, count)
    waits = node.runtime.waits

    def reduce(dataset, *values):
        call = function.with_captured(values[states:])
        state = values[:states]
        iteration = Iteration()
        # There may be no end of elements but that of the session, or of the time its step has.
        waits.also_closes(iteration)
        try:
            upstream = iterate(dataset, iteration)
            while (element := upstream()) is not None:
                if waits.closed:
                    raise CancelledError(None, None, "Operation was cancelled")
                check_deadline()
                state = call(*state, *element)
        finally:
            iteration.close()
        return state

    return reduce


_SUM = body(lambda total, x: raw.AddV2(total, x), "int64", "int64")
reduce_op.accepts(numbers(4), [np.int64(10)], [], f=_SUM, **INT64_SCALARS)
reduce_op.accepts(numbers(0), [np.int64(10)], [], f=_SUM, **INT64_SCALARS)

_SINGLE = f"dataset: variant, *, {ELEMENTS} -> components: *output_types"
single_element_op = op("DatasetToSingleElement", _SINGLE, stateful=True)
single_element_op.aliases().on_host(outputs=True)
single_element_op.shape(lambda op: list(op.attrs["output_shapes"]))


@single_element_op.kernel
def single_element_kernel(node):
    def single(dataset):
        iteration = Iteration()
        try:
            upstream = iterate(dataset, iteration)
            element = upstream()
            if element is None:
                raise invalid("Dataset was empty.")
            if upstream() is not None:
                raise invalid("Dataset had more than one element.")
        finally:
            iteration.close()
        return element

    return single


single_element_op.accepts(numbers(1), **INT64_SCALARS)
for _count in (0, 2):
    single_element_op.rejects(numbers(_count), error=InvalidArgumentError, **INT64_SCALARS)

cardinality_op = op("DatasetCardinality", "input_dataset: variant -> cardinality: int64")
experimental_cardinality_op = op("ExperimentalDatasetCardinality", "input_dataset: variant -> cardinality: int64")
for _decl in (cardinality_op, experimental_cardinality_op):
    _decl.on_host(outputs=True).shape(lambda op: [()])
    _decl.kernel(lambda node: lambda dataset: torch.tensor(dataset_of(dataset).cardinality(), dtype=torch.int64))
    _decl.accepts(numbers(3))
    # Without an end, and of a number that nobody knows.
    _decl.accepts(made("RepeatDataset", numbers(3), np.int64(-1), **INT64_SCALARS))
    _decl.accepts(made("UniqueDataset", numbers(3), **INT64_SCALARS))


# ---- datasets that pass elements on ----

_INPUT = "input_dataset: variant, "


def _passing(op_type: str, signature: str, *case: Any) -> OpDecl:
    decl = dataset_op(op_type, signature)
    decl.kernel(lambda node: lambda source, *settings: Passing(source))
    return decl.accepts(numbers(3), *case, **INT64_SCALARS)


_passing("ModelDataset", _INPUT + "*, algorithm=0, cpu_budget=0, {} -> handle: variant")
_passing("NonSerializableDataset", _INPUT + "*, {} -> handle: variant")
_passing("ExperimentalNonSerializableDataset", _INPUT + "*, {} -> handle: variant")
_ASSERT_NEXT = _INPUT + "transformations: string, *, {} -> handle: variant"
_passing("AssertNextDataset", _ASSERT_NEXT, np.array([], "S1"))
_passing("ExperimentalAssertNextDataset", _ASSERT_NEXT, np.array([], "S1"))


class OnOwnThreads(Passing):
    """The elements of its input, whose functions are called on `most` threads of its own where they are called in parallel."""

    def __init__(self, source: Dataset, most: int) -> None:
        super().__init__(source)
        self.threads = pool.Pool(most)

    def start(self, iteration: Iteration) -> Next:
        return self.inputs[0].start(iteration.part(self.threads))


_THREADS = _INPUT + "num_threads: int64, *, {} -> handle: variant"


def _on_own_threads(source: Dataset, num_threads: Any) -> Dataset:
    most = integer(num_threads)
    if most < 1:
        raise InvalidArgumentError(None, None, "`num_threads` must be >= 1")
    return OnOwnThreads(source, most)


for _type in ("PrivateThreadPoolDataset", "ExperimentalPrivateThreadPoolDataset"):
    _decl = dataset_op(_type, _THREADS)
    _decl.kernel(lambda node: _on_own_threads)
    _decl.accepts(numbers(3), np.int64(1), **INT64_SCALARS)
    _decl.rejects(numbers(3), np.int64(0), error=InvalidArgumentError, **INT64_SCALARS)

_PARALLELISM = _INPUT + "max_intra_op_parallelism: int64, *, {} -> handle: variant"


def _with_parallelism(source: Dataset, max_intra_op_parallelism: Any) -> Dataset:
    # The threads that call functions compute on one thread each.
    if integer(max_intra_op_parallelism) < 0:
        raise InvalidArgumentError(None, None, "`max_intra_op_parallelism` must be >= 0")
    return Passing(source)


for _type in ("MaxIntraOpParallelismDataset", "ExperimentalMaxIntraOpParallelismDataset"):
    _decl = dataset_op(_type, _PARALLELISM)
    _decl.kernel(lambda node: _with_parallelism)
    _decl.accepts(numbers(3), np.int64(1), **INT64_SCALARS)
    _decl.rejects(numbers(3), np.int64(-1), error=InvalidArgumentError, **INT64_SCALARS)


class Slow(Dataset):
    """The elements of its input, each after a pause."""

    def __init__(self, source: Dataset, seconds: float) -> None:
        super().__init__(source)
        self.seconds = seconds

    def start(self, iteration: Iteration) -> Next:
        upstream, seconds = self.inputs[0].start(iteration), self.seconds

        def next_element() -> Element | None:
            time.sleep(seconds)
            return upstream()

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


def _with_pauses(source: Dataset, pause: Any) -> Slow:
    if integer(pause) < 0:
        raise invalid("`sleep_microseconds` must be >= 0")
    return Slow(source, integer(pause) / 1e6)


for _name in ("SleepDataset", "ExperimentalSleepDataset"):
    _decl = dataset_op(_name, _INPUT + "sleep_microseconds: int64, *, {} -> handle: variant")
    _decl.kernel(lambda node: _with_pauses)
    _decl.accepts(numbers(3), np.int64(1), **INT64_SCALARS)
