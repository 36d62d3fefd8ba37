"""The part of a dataset for one of several workers: by the files that it reads, so that each worker opens its own only."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headrace.core.graph_functions import attr_function

if TYPE_CHECKING:
    from headrace.core.graph_functions import Function
    from headrace.core.operation import Operation
    from headrace.kernels.data.base import Dataset

_READERS = frozenset(
    ["FixedLengthRecordDataset", "RecordIODataset", "SSTableDataset", "TextLineDataset", "TFRecordDataset"]
)


def reads_files(function: Function) -> bool:
    """Whether a function of a dataset opens files, or makes datasets whose functions do."""
    return any(op.type in _READERS or any(map(reads_files, _functions_of(op))) for op in function.operations)


def _functions_of(op: Operation) -> list[Function]:
    attributes = op.decl.signature.attrs.values()
    return [attr_function(op, attribute.name) for attribute in attributes if attribute.kind == "func"]


def sharded_by_files(dataset: Dataset, sharded: Callable[[Dataset], Dataset]) -> Dataset | None:
    """A dataset whose file names are taken in part; None where its elements do not come from files by themselves.

    Args:
        dataset: the dataset, which stays as it is.
        sharded: gives the part of a dataset's elements.
    """
    if dataset.opens_files:
        names, shuffles = _unshuffled(dataset.inputs[0])
        part = sharded(names)
        # Workers that shuffle the names differently must not open the same files: each shuffles its own.
        for shuffle in reversed(shuffles):
            part = shuffle.over([part])
        return dataset.over([part])
    if not dataset.inputs or not dataset.passes_shards:
        return None
    parts: list[Dataset] = []
    for source in dataset.inputs:
        found = sharded_by_files(source, sharded)
        if found is None:
            return None
        parts.append(found)
    return dataset.over(parts)


def _unshuffled(dataset: Dataset) -> tuple[Dataset, list[Dataset]]:
    """A dataset without what shuffles in it, and that, the last first."""
    shuffles: list[Dataset] = []
    while dataset.is_shuffle:
        shuffles.append(dataset)
        dataset = dataset.inputs[0]
    sources: list[Dataset] = []
    for source in dataset.inputs:
        plain, found = _unshuffled(source)
        sources.append(plain)
        shuffles += found
    return (dataset.over(sources) if sources else dataset), shuffles
