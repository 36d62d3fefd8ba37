"""Datasets of what functions make of the elements of others, or let pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import body
from headrace.core.registry import raw
from headrace.kernels.data.base import (
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    captured_count,
    dataset_of,
    dataset_op,
    made_by,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, NEGATED, from_zero, numbers
from headrace.kernels.data.mapped import Call, Mapped

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


class Filtered(Dataset):
    """The elements for which a predicate holds."""

    passes_shards = True

    def __init__(self, source: Dataset, predicate: Call) -> None:
        super().__init__(source)
        self.predicate = predicate

    def start(self, iteration: Iteration) -> Next:
        upstream, predicate = self.inputs[0].start(iteration), self.predicate

        def next_element() -> Element | None:
            while (element := upstream()) is not None:
                if predicate(*element)[0]:
                    return element
            return None

        return next_element


class TakenWhile(Filtered):
    """The elements before the first for which a predicate does not hold."""

    passes_shards = False

    def start(self, iteration: Iteration) -> Next:
        upstream, predicate = self.inputs[0].start(iteration), self.predicate
        over = False

        def next_element() -> Element | None:
            nonlocal over
            if over:
                return None
            element = upstream()
            if element is not None and predicate(*element)[0]:
                return element
            over = True
            return None

        return next_element


class FlatMapped(Dataset):
    """The elements of the datasets that a function makes of the input's elements, one dataset after the other."""

    def __init__(self, source: Dataset, call: Call) -> None:
        super().__init__(source)
        self.call = call

    def start(self, iteration: Iteration) -> Next:
        upstream, call = self.inputs[0].start(iteration), self.call
        inner: Next | None = None

        def next_element() -> Element | None:
            nonlocal inner
            while True:
                if inner is None:
                    outer = upstream()
                    if outer is None:
                        return None
                    inner = dataset_of(call(*outer)[0]).start(iteration)
                element = inner()
                if element is not None:
                    return element
                inner = None

        return next_element


class Scanned(Dataset):
    """What a function makes of a state and each element; it returns the next state and the new element."""

    def __init__(self, source: Dataset, state: Element, call: Call) -> None:
        super().__init__(source)
        self.state, self.call = state, call

    def start(self, iteration: Iteration) -> Next:
        upstream, call, state = self.inputs[0].start(iteration), self.call, self.state
        count = len(state)

        def next_element() -> Element | None:
            nonlocal state
            element = upstream()
            if element is None:
                return None
            results = call(*state, *element)
            state = results[:count]
            return results[count:]

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


# ---- the ops ----

_FUNCTION = "input_dataset: variant, other_arguments: *Targuments, *, {}: func, Targuments: list(type) >= 0, "


def _with_function(attr: str, make: Callable[..., Any]) -> Callable[[Any], Any]:
    """A kernel rule for a dataset of one input and a function with captured values."""

    def rule(node: NodeView) -> Callable[..., Any]:
        count = captured_count(node)
        function = BoundFunction(node, attr, 1, count)

        def kernel(source: Dataset, *values: Any) -> Dataset:
            made: Dataset = make(source, function.with_captured(values[:count]), *values[count:])
            made.opens_files = function.reads_files
            return made

        return kernel

    return rule


map_dataset = dataset_op(
    "MapDataset",
    _FUNCTION.format("f") + "{}, use_inter_op_parallelism=True, preserve_cardinality=False -> handle: variant",
)


def map_dataset_kernel(node):
    count = captured_count(node)
    function = BoundFunction(node, "f", 1, count)
    return lambda source, *values: Mapped(source, function.with_captured(values), lambda: function.of_batches(values))


map_dataset.kernel(map_dataset_kernel)
experimental_map_dataset = dataset_op(
    "ExperimentalMapDataset",
    _FUNCTION.format("f") + "{}, use_inter_op_parallelism=True, preserve_cardinality=False -> handle: variant",
)
experimental_map_dataset.kernel(map_dataset_kernel)
flat_map_dataset = dataset_op("FlatMapDataset", _FUNCTION.format("f") + "{} -> handle: variant")
flat_map_dataset.kernel(_with_function("f", FlatMapped))
filter_dataset = dataset_op("FilterDataset", _FUNCTION.format("predicate") + "{} -> handle: variant")
filter_dataset.kernel(_with_function("predicate", Filtered))
take_while_dataset = dataset_op("TakeWhileDataset", _FUNCTION.format("predicate") + "{} -> handle: variant")
experimental_take_while_dataset = dataset_op(
    "ExperimentalTakeWhileDataset", _FUNCTION.format("predicate") + "{} -> handle: variant"
)
made_by(take_while_dataset, experimental_take_while_dataset)(_with_function("predicate", TakenWhile))

_SCAN = (
    "input_dataset: variant, initial_state: *Tstate, other_arguments: *Targuments, *, f: func, Tstate: list(type) >= 1, "
    "Targuments: list(type) >= 0, {}, preserve_cardinality=False -> handle: variant"
)
scan_dataset = dataset_op("ScanDataset", _SCAN)
experimental_scan_dataset = dataset_op("ExperimentalScanDataset", _SCAN)


@made_by(scan_dataset, experimental_scan_dataset)
def scan_dataset_kernel(node):
    states, count = len(node.attrs["Tstate"]), captured_count(node)
    function = BoundFunction(node, "f", 1 + states, count)
    return lambda source, *values: Scanned(source, values[:states], function.with_captured(values[states:]))


_PRODUCT = body(lambda x, y: raw.Mul(x, y), "int64", "int64")
map_dataset.accepts(numbers(3), [], f=NEGATED, **INT64_SCALARS)
map_dataset.accepts(numbers(3), [np.int64(5)], f=_PRODUCT, **INT64_SCALARS)
experimental_map_dataset.accepts(numbers(3), [], f=NEGATED, differs="1.15 has no kernel for it", **INT64_SCALARS)
flat_map_dataset.accepts(numbers(4), [], f=from_zero(), **INT64_SCALARS)
filter_dataset.accepts(numbers(3), [], predicate=body(lambda x: raw.Greater(x, 0), "int64"), **INT64_SCALARS)
_SMALL = body(lambda x, most: raw.Less(x, most), "int64", "int64")
for _decl in (take_while_dataset, experimental_take_while_dataset):
    _decl.accepts(numbers(5), [np.int64(2)], predicate=_SMALL, **INT64_SCALARS)
_RUNNING_SUM = body(lambda total, x: (raw.AddV2(total, x), raw.Neg(total)), "int64", "int64")
for _decl in (scan_dataset, experimental_scan_dataset):
    _decl.accepts(numbers(3), [np.int64(10)], [], f=_RUNNING_SUM, **INT64_SCALARS)
