"""Datasets of groups of elements: windows, and elements with one key."""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

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
    scalar,
)
from headrace.ops.data.mapping import Call


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
        wanted = (size - 1) * stride + 1
        held: deque[Element] = deque()

        def take() -> Element | None:
            nonlocal upstream
            element = None if upstream is None else upstream()
            if element is None:
                upstream = None
            return element

        def next_element() -> Element | None:
            while len(held) < wanted and (element := take()) is not None:
                held.append(element)
            if not held or (drop and len(held) < wanted):
                held.clear()
                return None
            chosen = list(itertools.islice(held, 0, wanted, stride))
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
            return made[0].start(iteration)  # type: ignore[no-any-return]

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


def _several_functions(op_type: str, names: list[str], made: Any, stateful: bool) -> None:
    inputs = ", ".join(f"{name}_other_arguments: *T{name}_other_arguments" for name in names)
    functions = ", ".join(f"{name}: func" for name in names)
    types = ", ".join(f"T{name}_other_arguments: list(type) >= 0" for name in names)
    decl = dataset_op(
        op_type,
        f"input_dataset: variant, {inputs}, *, {functions}, {types}, {{}} -> handle: variant",
        stateful=stateful,
    )

    @decl.kernel
    def several_functions_kernel(node):
        counts = [captured_count(node, f"T{name}_other_arguments") for name in names]
        starts = [1 + sum(counts[:i]) for i in range(len(names))]
        bound = [BoundFunction(node, name, start, count) for name, start, count in zip(names, starts, counts)]

        def kernel(source, *values):
            return made(
                source,
                *[
                    function.with_captured(values[start - 1 : start - 1 + count])
                    for function, start, count in zip(bound, starts, counts)
                ],
            )

        return kernel


for _prefix in ("", "Experimental"):
    _several_functions(
        f"{_prefix}GroupByWindowDataset", ["key_func", "reduce_func", "window_size_func"], GroupedByWindow, False
    )
    _several_functions(
        f"{_prefix}GroupByReducerDataset",
        ["key_func", "init_func", "reduce_func", "finalize_func"],
        GroupedByReducer,
        True,
    )
