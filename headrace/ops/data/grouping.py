"""Datasets of groups of elements: windows, and elements with one key."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import body, made, result
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import KernelRule, raw
from headrace.kernels.data.base import (
    BoundFunction,
    Dataset,
    Element,
    Iteration,
    Next,
    captured_count,
    dataset_of,
    dataset_op,
    integer,
    invalid,
    scalar,
)
from headrace.kernels.data.case_inputs import INT64_ROWS, INT64_SCALARS, elements, numbers
from headrace.kernels.data.mapped import Call

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


class Listed(Dataset):
    """Elements that are there already."""

    def __init__(self, elements: list[Element]) -> None:
        super().__init__()
        self.elements = elements

    def start(self, iteration: Iteration) -> Next:
        return itertools.chain(self.elements, itertools.repeat(None)).__next__

    def cardinality(self) -> int:
        return len(self.elements)


class Windowed(Dataset):
    """Datasets of `size` elements that are `stride` apart, each beginning `shift` after the one before."""

    def __init__(self, source: Dataset, size: int, shift: int, stride: int, drop: bool) -> None:
        super().__init__(source)
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise invalid(f"Window {name} must be greater than zero.")
        self.size, self.shift, self.stride, self.drop = size, shift, stride, drop

    def start(self, iteration: Iteration) -> Next:
        upstream: Next | None = self.inputs[0].start(iteration)
        size, shift, stride, drop = self.size, self.shift, self.stride, self.drop
        span = (size - 1) * stride + 1
        held: deque[Element] = deque()

        def take() -> Element | None:
            nonlocal upstream
            element = None if upstream is None else upstream()
            if element is None:
                upstream = None
            return element

        def next_element() -> Element | None:
            while len(held) < span and (element := take()) is not None:
                held.append(element)
            if not held or (drop and len(held) < span):
                held.clear()
                return None
            chosen = list(itertools.islice(held, 0, span, stride))
            for _ in range(max(0, shift - len(held))):
                if take() is None:
                    break
            for _ in range(min(shift, len(held))):
                held.popleft()
            return tuple(Listed([(value,) for value in component]) for component in zip(*chosen, strict=True))

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if found < 0:
            return found
        if not self.drop:
            return -(-found // self.shift)
        rest = found - ((self.size - 1) * self.stride + 1)
        return rest // self.shift + 1 if rest >= 0 else 0


class GroupedByWindow(Dataset):
    """The elements of the datasets that a function makes of groups of elements with one key.

    Args:
        key: takes an element, returns its key.
        reduce: takes a key and a dataset of elements, returns a dataset.
        window: takes a key, returns how many elements make a group.
    """

    def __init__(self, source: Dataset, key: Call, reduce: Call, window: Call) -> None:
        super().__init__(source)
        self.key, self.reduce, self.window = key, reduce, window

    def start(self, iteration: Iteration) -> Next:
        upstream: Next | None = self.inputs[0].start(iteration)
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        inner: Next | None = None

        def flush(key: int) -> Next:
            made = self.reduce(scalar(key), Listed(groups.pop(key)))
            return dataset_of(made[0]).start(iteration)

        def next_element() -> Element | None:
            nonlocal upstream, inner
            while True:
                if inner is not None:
                    element = inner()
                    if element is not None:
                        return element
                    inner = None
                while upstream is not None and inner is None:
                    element = upstream()
                    if element is None:
                        upstream = None
                        break
                    key = int(self.key(*element)[0])
                    size = sizes.get(key)
                    if size is None:
                        size = int(self.window(scalar(key))[0])
                        if size <= 0:
                            raise invalid(f"Window size must be greater than zero, but got {size}.")
                        sizes[key] = size
                    group = groups.setdefault(key, [])
                    group.append(element)
                    if len(group) == size:
                        inner = flush(key)
                if inner is None:
                    if not groups:
                        return None
                    inner = flush(min(groups))

        return next_element


class GroupedByReducer(Dataset):
    """What reducing all elements with one key gives, for each key."""

    def __init__(self, source: Dataset, key: Call, begin: Call, reduce: Call, finish: Call) -> None:
        super().__init__(source)
        self.key, self.begin, self.reduce, self.finish = key, begin, reduce, finish

    def start(self, iteration: Iteration) -> Next:
        results: list[Element] | None = None

        def next_element() -> Element | None:
            nonlocal results
            if results is None:
                states: dict[int, Element] = {}
                upstream = self.inputs[0].start(iteration)
                while (element := upstream()) is not None:
                    key = int(self.key(*element)[0])
                    state = states.get(key)
                    if state is None:
                        state = self.begin(scalar(key))
                    states[key] = self.reduce(*state, *element)
                results = [self.finish(*states[key]) for key in sorted(states, reverse=True)]
            return results.pop() if results else None

        return next_element


# ---- the ops ----

window_dataset = dataset_op(
    "WindowDataset",
    "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool, *, {} -> handle: variant",
)


@window_dataset.kernel
def window_dataset_kernel(node):
    return lambda source, size, shift, stride, drop: Windowed(
        source, integer(size), integer(shift), integer(stride), bool(drop)
    )


_WINDOWS = {"output_types": ["variant"], "output_shapes": [[]]}
_IN_ROWS = made(
    "FlatMapDataset",
    result,
    [],
    f=body(lambda window: raw.BatchDataset(window, 9, **INT64_ROWS), "variant"),
    **INT64_ROWS,
)
_EACH_WINDOW = elements(["int64"], [[None]], dataset=_IN_ROWS, count=4)
for _sizes in ((2, 2, 1, False), (2, 1, 2, True), (2, 3, 1, False)):
    _arguments = [*map(np.int64, _sizes[:3]), np.bool_(_sizes[3])]
    window_dataset.accepts(numbers(5), *_arguments, **_WINDOWS, after=_EACH_WINDOW)
window_dataset.rejects(
    numbers(5), np.int64(0), np.int64(1), np.int64(1), np.bool_(True), error=InvalidArgumentError, **_WINDOWS
)


def _kernel_with_functions(made: Callable[..., Dataset], *names: str) -> KernelRule:
    """The kernel rule of a dataset that calls functions.

    Args:
        made: makes the dataset of its input and of the functions.
        names: the attributes that hold the functions, in the order of what they capture.
    """

    def rule(node: NodeView) -> Callable[..., Dataset]:
        counts = [captured_count(node, f"T{name}_other_arguments") for name in names]
        starts = [1 + sum(counts[:i]) for i in range(len(names))]
        bound = [BoundFunction(node, name, start, count) for name, start, count in zip(names, starts, counts)]

        def kernel(source: Dataset, *values: Any) -> Dataset:
            return made(
                source,
                *[
                    function.with_captured(values[start - 1 : start - 1 + count])
                    for function, start, count in zip(bound, starts, counts)
                ],
            )

        return kernel

    return rule


_GROUP_BY_WINDOW = (
    "input_dataset: variant, key_func_other_arguments: *Tkey_func_other_arguments, "
    "reduce_func_other_arguments: *Treduce_func_other_arguments, "
    "window_size_func_other_arguments: *Twindow_size_func_other_arguments, *, "
    "key_func: func, reduce_func: func, window_size_func: func, Tkey_func_other_arguments: list(type) >= 0, "
    "Treduce_func_other_arguments: list(type) >= 0, Twindow_size_func_other_arguments: list(type) >= 0, {} "
    "-> handle: variant"
)
for _decl in (
    dataset_op("GroupByWindowDataset", _GROUP_BY_WINDOW),
    dataset_op("ExperimentalGroupByWindowDataset", _GROUP_BY_WINDOW),
):
    _decl.kernel(_kernel_with_functions(GroupedByWindow, "key_func", "reduce_func", "window_size_func"))
    _decl.accepts(
        *(numbers(6), [], [], []),
        key_func=body(lambda x: raw.FloorMod(x, 2), "int64"),
        reduce_func=body(lambda key, group: raw.BatchDataset(group, 9, **INT64_ROWS), "int64", "variant"),
        window_size_func=body(lambda key: raw.AddV2(key, 2), "int64"),
        **INT64_ROWS,
    )

_GROUP_BY_REDUCER = (
    "input_dataset: variant, key_func_other_arguments: *Tkey_func_other_arguments, "
    "init_func_other_arguments: *Tinit_func_other_arguments, "
    "reduce_func_other_arguments: *Treduce_func_other_arguments, "
    "finalize_func_other_arguments: *Tfinalize_func_other_arguments, *, "
    "key_func: func, init_func: func, reduce_func: func, finalize_func: func, "
    "Tkey_func_other_arguments: list(type) >= 0, Tinit_func_other_arguments: list(type) >= 0, "
    "Treduce_func_other_arguments: list(type) >= 0, Tfinalize_func_other_arguments: list(type) >= 0, {} "
    "-> handle: variant"
)
for _decl in (
    dataset_op("GroupByReducerDataset", _GROUP_BY_REDUCER, stateful=True),
    dataset_op("ExperimentalGroupByReducerDataset", _GROUP_BY_REDUCER, stateful=True),
):
    _decl.kernel(_kernel_with_functions(GroupedByReducer, "key_func", "init_func", "reduce_func", "finalize_func"))
    _decl.accepts(
        *(numbers(6), [], [], [], []),
        key_func=body(lambda x: raw.FloorMod(x, 2), "int64"),
        init_func=body(lambda key: raw.Mul(key, 100), "int64"),
        reduce_func=body(lambda total, x: raw.AddV2(total, x), "int64", "int64"),
        finalize_func=body(lambda total: raw.Neg(total), "int64"),
        **INT64_SCALARS,
    )
