"""Datasets that take elements of other datasets one by one: mapped, chosen, joined, cut into windows."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.ops.data.base import (
    INFINITE,
    UNKNOWN,
    BoundFunction,
    Choosing,
    Dataset,
    Element,
    Iteration,
    Next,
    captured_count,
    dataset_op,
    integer,
    invalid,
    made_by,
    scalar,
)

Call = Callable[..., Element]


class Mapped(Dataset):
    """What a function makes of each element.

    Args:
        call: takes the components of an element.
        of_batches: gives the function of batches, or None where there is none.
    """

    def __init__(self, source: Dataset, call: Call, of_batches: Callable[[], Call | None] | None = None) -> None:
        super().__init__(source)
        self.call = call
        self.of_batches = of_batches

    def start(self, iteration: Iteration) -> Next:
        upstream, call = self.inputs[0].start(iteration), self.call

        def next_element() -> Element | None:
            element = upstream()
            return None if element is None else call(*element)

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class Filtered(Dataset):
    """The elements for which a predicate holds."""

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
                    inner = call(*outer)[0].start(iteration)
                element = inner()
                if element is not None:
                    return element
                inner = None

        return next_element


class Zipped(Dataset):
    """The elements of several datasets side by side, as long as all have one."""

    def start(self, iteration: Iteration) -> Next:
        upstreams = [source.start(iteration) for source in self.inputs]
        over = False

        def next_element() -> Element | None:
            nonlocal over
            if over:
                return None
            parts: list[Any] = []
            for upstream in upstreams:
                element = upstream()
                if element is None:
                    over = True
                    return None
                parts.extend(element)
            return tuple(parts)

        return next_element

    def cardinality(self) -> int:
        found = [source.cardinality() for source in self.inputs]
        if UNKNOWN in found:
            return UNKNOWN
        finite = [n for n in found if n != INFINITE]
        return min(finite) if finite else INFINITE


class Concatenated(Dataset):
    """The elements of one dataset after those of another."""

    def start(self, iteration: Iteration) -> Next:
        waiting = iter(self.inputs)
        upstream: Next | None = next(waiting).start(iteration)

        def next_element() -> Element | None:
            nonlocal upstream
            while upstream is not None:
                element = upstream()
                if element is not None:
                    return element
                source = next(waiting, None)
                upstream = None if source is None else source.start(iteration)
            return None

        return next_element

    def cardinality(self) -> int:
        first, second = (source.cardinality() for source in self.inputs)
        if INFINITE in (first, second):
            return INFINITE
        return UNKNOWN if UNKNOWN in (first, second) else first + second


class Taken(Choosing):
    """The first elements; all if `count` is negative."""

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        self.count = count

    def start(self, iteration: Iteration) -> Next:
        count = self.count
        if count < 0:
            return self.inputs[0].start(iteration)
        if count == 0:
            return lambda: None
        upstream = self.inputs[0].start(iteration)
        given = 0

        def next_element() -> Element | None:
            nonlocal given
            if given >= count:
                return None
            element = upstream()
            given += 1
            return element

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if self.count < 0 or found == UNKNOWN:
            return found
        return self.count if found == INFINITE else min(found, self.count)


class Skipped(Choosing):
    """All but the first elements; none if `count` is negative."""

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        self.count = count

    def start(self, iteration: Iteration) -> Next:
        left = self.count
        if left < 0:
            return lambda: None
        upstream = self.inputs[0].start(iteration)

        def next_element() -> Element | None:
            nonlocal left
            while left:
                left -= 1
                if upstream() is None:
                    left = 0
                    return None
            return upstream()

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if found < 0:
            return found
        return 0 if self.count < 0 else max(0, found - self.count)


class Sharded(Choosing):
    """Every `count`-th element, from the one at `index` on."""

    def __init__(self, source: Dataset, count: int, index: int, non_empty: bool) -> None:
        super().__init__(source)
        if count <= 0:
            raise invalid(f"Number of shards must be greater than zero (currently num_shards = {count}).")
        if index < 0 or index >= count:
            raise invalid(f"Index must be between 0 and {count - 1} (currently index = {index}).")
        self.count, self.index, self.non_empty = count, index, non_empty

    def start(self, iteration: Iteration) -> Next:
        upstream, count, index = self.inputs[0].start(iteration), self.count, self.index
        place = 0
        non_empty = self.non_empty

        def next_element() -> Element | None:
            nonlocal place
            while (element := upstream()) is not None:
                here = place % count
                place += 1
                if here == index:
                    return element
            if non_empty and place < count:
                raise invalid(
                    "There aren't enough elements in this dataset for each shard to have at least one element (# elems = "
                    f"{place}, # shards = {count}). If you are using datasets with distribution strategy, considering "
                    "setting the auto sharding policy to either DATA or OFF using the "
                    "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`."
                )
            return None

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if found < 0:
            return found
        return found // self.count + (self.index < found % self.count)


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


def key_of(value: Any) -> Any:
    """What makes a scalar equal to another."""
    return value[()] if isinstance(value, np.ndarray) else value.item()


class Unique(Dataset):
    """Each element at its first occurrence."""

    def start(self, iteration: Iteration) -> Next:
        upstream = self.inputs[0].start(iteration)
        seen: set[Any] = set()

        def next_element() -> Element | None:
            while (element := upstream()) is not None:
                value = element[0]
                key = tuple(value.reshape(-1).tolist()) if value.ndim else key_of(value)
                if key not in seen:
                    seen.add(key)
                    return element
            return None

        return next_element


class WithoutErrors(Dataset):
    """The elements that could be made."""

    def start(self, iteration: Iteration) -> Next:
        upstream = self.inputs[0].start(iteration)

        def next_element() -> Element | None:
            while True:
                try:
                    return upstream()
                except Exception:
                    if iteration.closed:
                        raise

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


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


class Directed(Dataset):
    """The elements of several datasets, the first input saying which of the others comes next."""

    def start(self, iteration: Iteration) -> Next:
        selector: Next | None = self.inputs[0].start(iteration)
        sources: list[Next | None] = [source.start(iteration) for source in self.inputs[1:]]
        left = len(sources)

        def next_element() -> Element | None:
            nonlocal selector, left
            while selector is not None and left:
                chosen = selector()
                if chosen is None:
                    break
                index = int(chosen[0])
                if index < 0 or index >= len(sources):
                    raise invalid(f"Selector index out of range: {index} >= {len(sources)}")
                source = sources[index]
                if source is None:
                    continue
                element = source()
                if element is not None:
                    return element
                sources[index] = None
                left -= 1
            selector = None
            return None

        return next_element


class Unbatched(Dataset):
    """The rows of each element."""

    def start(self, iteration: Iteration) -> Next:
        from headrace.ops.data.sources import rows

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


class ByLastComponent(Dataset):
    """The elements whose last component is true, without it."""

    def start(self, iteration: Iteration) -> Next:
        upstream = self.inputs[0].start(iteration)

        def next_element() -> Element | None:
            while (element := upstream()) is not None:
                if element[-1]:
                    return element[:-1]
            return None

        return next_element


# ---- the ops ----

_FUNCTION = "input_dataset: variant, other_arguments: *Targuments, *, {}: func, Targuments: list(type) >= 0, "


def _with_function(attr: str, make: Callable[..., Any]) -> Callable[[Any], Any]:
    """A kernel rule for a dataset of one input and a function with captured values."""

    def rule(node: Any) -> Any:
        count = captured_count(node)
        function = BoundFunction(node, attr, 1, count)

        def kernel(source: Dataset, *values: Any) -> Dataset:
            made: Dataset = make(source, function.with_captured(values[:count]), *values[count:])
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


zip_dataset = dataset_op("ZipDataset", "input_datasets: N * variant, *, {}, N: int >= 1 -> handle: variant")
concatenate_dataset = dataset_op(
    "ConcatenateDataset", "input_dataset: variant, another_dataset: variant, *, {} -> handle: variant"
)
take_dataset = dataset_op("TakeDataset", "input_dataset: variant, count: int64, *, {} -> handle: variant")
skip_dataset = dataset_op("SkipDataset", "input_dataset: variant, count: int64, *, {} -> handle: variant")
shard_dataset = dataset_op(
    "ShardDataset",
    "input_dataset: variant, num_shards: int64, index: int64, *, require_non_empty=False, {} -> handle: variant",
)
window_dataset = dataset_op(
    "WindowDataset",
    "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool, *, {} -> handle: variant",
)


@zip_dataset.kernel
def zip_dataset_kernel(node):
    return Zipped


@concatenate_dataset.kernel
def concatenate_dataset_kernel(node):
    return Concatenated


@take_dataset.kernel
def take_dataset_kernel(node):
    return lambda source, count: Taken(source, integer(count))


@skip_dataset.kernel
def skip_dataset_kernel(node):
    return lambda source, count: Skipped(source, integer(count))


@shard_dataset.kernel
def shard_dataset_kernel(node):
    non_empty = node.attrs["require_non_empty"]
    return lambda source, count, index: Sharded(source, integer(count), integer(index), non_empty)


@window_dataset.kernel
def window_dataset_kernel(node):
    return lambda source, size, shift, stride, drop: Windowed(
        source, integer(size), integer(shift), integer(stride), bool(drop)
    )


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


_INPUT = "input_dataset: variant, *, {} -> handle: variant"


def _unary(names: str, made: Any) -> None:
    for name in names.split():
        decl = dataset_op(name, _INPUT)
        decl.kernel(lambda node: made)


_unary("UniqueDataset ExperimentalUniqueDataset", Unique)
_unary("IgnoreErrorsDataset ExperimentalIgnoreErrorsDataset", WithoutErrors)
_unary("UnbatchDataset ExperimentalUnbatchDataset", Unbatched)
filter_by_last_component = dataset_op(
    "FilterByLastComponentDataset", "input_dataset: variant, *, {} -> output: variant"
)
filter_by_last_component.kernel(lambda node: ByLastComponent)


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
    dataset_op(
        f"{_prefix}DirectedInterleaveDataset",
        "selector_input_dataset: variant, data_input_datasets: N * variant, *, {}, N: int >= 1 -> handle: variant",
    ).kernel(lambda node: Directed)
