"""Datasets of the elements of several others: side by side, one after the other, by turns."""

from __future__ import annotations

from typing import Any

from headrace.kernels.data.base import (
    INFINITE,
    UNKNOWN,
    Dataset,
    Element,
    Iteration,
    Next,
    dataset_op,
    invalid,
    made_by,
)
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers


class Zipped(Dataset):
    """The elements of several datasets side by side, as long as all have one."""

    passes_shards = True

    def start(self, iteration: Iteration) -> Next:
        part = iteration.part()
        upstreams = [source.start(part) for source in self.inputs]
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
                    part.close()
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

    passes_shards = True

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


# ---- the ops ----

zip_dataset = dataset_op("ZipDataset", "input_datasets: N * variant, *, {}, N: int >= 1 -> handle: variant")
concatenate_dataset = dataset_op(
    "ConcatenateDataset", "input_dataset: variant, another_dataset: variant, *, {} -> handle: variant"
)


@zip_dataset.kernel
def zip_dataset_kernel(node):
    return Zipped


@concatenate_dataset.kernel
def concatenate_dataset_kernel(node):
    return Concatenated


_DIRECTED = "selector_input_dataset: variant, data_input_datasets: N * variant, *, {}, N: int >= 1 -> handle: variant"
directed_interleave_dataset = dataset_op("DirectedInterleaveDataset", _DIRECTED)
experimental_directed_interleave_dataset = dataset_op("ExperimentalDirectedInterleaveDataset", _DIRECTED)
made_by(directed_interleave_dataset, experimental_directed_interleave_dataset)(lambda node: Directed)

zip_dataset.accepts([numbers(3), numbers(2)], output_types=["int64", "int64"], output_shapes=[[], []])
concatenate_dataset.accepts(numbers(1), numbers(2), **INT64_SCALARS)
for _decl in (directed_interleave_dataset, experimental_directed_interleave_dataset):
    _decl.accepts(numbers(2), [numbers(3), numbers(2)], **INT64_SCALARS)
