"""Datasets of some elements of another: by their number, their value, or whether they can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import body, made
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import raw
from headrace.kernels.data.auto_sharding import sharded_by_files
from headrace.kernels.data.base import (
    INFINITE,
    UNKNOWN,
    Choosing,
    Dataset,
    Element,
    Iteration,
    Next,
    dataset_op,
    integer,
    invalid,
    made_by,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers

if TYPE_CHECKING:
    import torch


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
        # Those behind are not asked for, so that what gives them can go.
        part = iteration.part()
        upstream = self.inputs[0].start(part)
        given = 0

        def next_element() -> Element | None:
            nonlocal given
            if given >= count:
                if not part.closed:
                    part.close()
                return None
            element = upstream()
            given += 1
            return element

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if found == UNKNOWN:
            return found
        # A negative count, which stands for all elements, is given as the number of them, as 1.15 does.
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
                    check_others()
                    return element
            return None

        def check_others() -> None:
            nonlocal place
            while non_empty and place < count:
                if upstream() is not None:
                    place += 1
                    continue
                raise invalid(
                    "There aren't enough elements in this dataset for each shard to have at least one element (# elems = "
                    f"{place}, # shards = {count}). If you are using datasets with distribution strategy, considering "
                    "setting the auto sharding policy to either DATA or OFF using the "
                    "`experimental_distribute.auto_shard_policy` option of `tf.data.Options()`."
                )

        return next_element

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        if found < 0:
            return found
        return found // self.count + (self.index < found % self.count)


def key_of(value: np.ndarray | torch.Tensor) -> Any:
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

take_dataset = dataset_op("TakeDataset", "input_dataset: variant, count: int64, *, {} -> handle: variant")
skip_dataset = dataset_op("SkipDataset", "input_dataset: variant, count: int64, *, {} -> handle: variant")
shard_dataset = dataset_op(
    "ShardDataset",
    "input_dataset: variant, num_shards: int64, index: int64, *, require_non_empty=False, {} -> handle: variant",
)


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


_AUTO_SHARD = "input_dataset: variant, num_workers: int64, index: int64, *, {} -> handle: variant"
auto_shard_dataset = dataset_op("AutoShardDataset", _AUTO_SHARD)
experimental_auto_shard_dataset = dataset_op("ExperimentalAutoShardDataset", _AUTO_SHARD)


@made_by(auto_shard_dataset, experimental_auto_shard_dataset)
def auto_shard_dataset_kernel(node):
    def make(source, workers, index):
        count, number = integer(workers), integer(index)
        if count < 1:
            raise invalid("num_workers must be greater than zero.")
        if not 0 <= number < count:
            raise invalid(f"index must be between 0 and {count - 1}")

        if count == 1:
            return source

        def sharded(dataset):
            return Sharded(dataset, count, number, True)

        return sharded_by_files(source, sharded) or sharded(source)

    return make


_INPUT = "input_dataset: variant, *, {} -> handle: variant"
unique_dataset = dataset_op("UniqueDataset", _INPUT)
experimental_unique_dataset = dataset_op("ExperimentalUniqueDataset", _INPUT)
made_by(unique_dataset, experimental_unique_dataset)(lambda node: Unique)
ignore_errors_dataset = dataset_op("IgnoreErrorsDataset", _INPUT)
experimental_ignore_errors_dataset = dataset_op("ExperimentalIgnoreErrorsDataset", _INPUT)
made_by(ignore_errors_dataset, experimental_ignore_errors_dataset)(lambda node: WithoutErrors)
filter_by_last_component = dataset_op(
    "FilterByLastComponentDataset", "input_dataset: variant, *, {} -> output: variant"
)
filter_by_last_component.kernel(lambda node: ByLastComponent)

take_dataset.accepts(numbers(5), np.int64(2), **INT64_SCALARS).accepts(numbers(3), np.int64(-1), **INT64_SCALARS)
skip_dataset.accepts(numbers(3), np.int64(1), **INT64_SCALARS).accepts(numbers(3), np.int64(-1), **INT64_SCALARS)
shard_dataset.accepts(numbers(5), np.int64(2), np.int64(1), **INT64_SCALARS)
shard_dataset.rejects(numbers(5), np.int64(2), np.int64(2), error=InvalidArgumentError, **INT64_SCALARS)
for _decl in (auto_shard_dataset, experimental_auto_shard_dataset):
    _decl.accepts(numbers(5), np.int64(2), np.int64(1), **INT64_SCALARS)
    _decl.rejects(numbers(5), np.int64(2), np.int64(2), error=InvalidArgumentError, **INT64_SCALARS)
for _decl in (unique_dataset, experimental_unique_dataset):
    _parity = body(lambda x: raw.FloorMod(x, 2), "int64")
    _decl.accepts(made("MapDataset", numbers(5), [], f=_parity, **INT64_SCALARS), **INT64_SCALARS)
for _decl in (ignore_errors_dataset, experimental_ignore_errors_dataset):
    _quotient = body(lambda x: raw.FloorDiv(x, raw.Sub(x, 1)), "int64")
    _decl.accepts(made("MapDataset", numbers(4), [], f=_quotient, **INT64_SCALARS), **INT64_SCALARS)
_with_sign = made(
    *("MapDataset", numbers(3), []),
    f=body(lambda x: (x, raw.Greater(x, 0)), "int64"),
    output_types=["int64", "bool"],
    output_shapes=[[], []],
)
filter_by_last_component.accepts(_with_sign, differs="1.15 has no kernel for it", gives=(1, 2), **INT64_SCALARS)
