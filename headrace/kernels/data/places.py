"""The places of a pipeline: what is used twice stands in two of them, each with state of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from headrace.core import errors
from headrace.kernels.data.base import Dataset, Iteration, Next, dataset_of

# A pipeline of n parts may have 2^n places.
_MOST_PLACES = 100_000


def parts_of(dataset: Dataset) -> Iterator[Dataset]:
    """A dataset and all that it is made of, each once."""
    met = {id(dataset)}
    left = [dataset]
    while left:
        part = left.pop()
        yield part
        for source in part.inputs:
            if id(source) not in met:
                met.add(id(source))
                left.append(source)


def apart(
    dataset: Dataset, copied: Callable[[Dataset, list[Dataset]], Dataset], met: dict[int, bool] | None = None
) -> Dataset:
    """`dataset` without parts that draw and that it consists of twice: the second place and those after it have copies.

    Args:
        dataset: the last of a pipeline.
        copied: makes the copy of a part over inputs of its own.
        met: the parts that have been come by, by `id`, and whether anything is drawn in them.

    Raises:
        ResourceExhaustedError: for a pipeline whose parts stand in too many places.
    """
    met = {} if met is None else met
    known = met.get(id(dataset))
    if known is False:
        return dataset
    sources = dataset.inputs
    inputs = [apart(source, copied, met) for source in sources]
    if known:
        made = copied(dataset, inputs)
        met[id(made)] = True
        if len(met) > _MOST_PLACES:
            raise errors.ResourceExhaustedError(
                None,
                None,
                f"The parts of a dataset that draw random numbers stand in more than {_MOST_PLACES} places of it.",
            )
        return made
    dataset.inputs = inputs
    met[id(dataset)] = dataset.draws() or any(met[id(source)] for source in sources)
    return dataset


def iterate(dataset: object, iteration: Iteration) -> Next:
    """Begins an iteration of a whole pipeline.

    What an iterator of TensorFlow knows belongs to a place in the pipeline: a shuffle that comes again elsewhere in it draws
    the order of its first place again, and does not go on with the next.

    Raises:
        InvalidArgumentError: if `dataset` is none.
    """
    return apart(dataset_of(dataset), lambda part, inputs: part.over(inputs)).start(iteration)


def begin_anew(dataset: Dataset) -> None:
    """Makes the next iteration the same as the first."""
    for part in parts_of(dataset):
        part.renew_streams()
