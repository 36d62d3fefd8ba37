"""Random choices of datasets: the numbers that TensorFlow draws, one after the other."""

from __future__ import annotations

from collections import deque

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.data.base import (
    INFINITE,
    Choosing,
    Dataset,
    Element,
    Iteration,
    Next,
    dataset_op,
    integer,
)
from headrace.kernels.data.batched import mark_whole
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers
from headrace.kernels.data.places import apart, parts_of
from headrace.kernels.data.samples import Samples, fresh_seed
from headrace.kernels.random.philox import Philox


class Shuffled(Choosing):
    """The elements of its input in an order drawn from a buffer, `count` times over.

    Args:
        source: the dataset to shuffle.
        size: of the buffer.
        seeds: the two seeds.
        reshuffle: whether each iteration draws new seeds from those given.
        count: how often to go through the input, -1 for ever; the end of one pass fills the buffer with the next.
    """

    def __init__(self, source: Dataset, size: int, seeds: tuple[int, int], reshuffle: bool, count: int = 1) -> None:
        super().__init__(source)
        if size <= 0:
            raise InvalidArgumentError(None, None, "buffer_size must be greater than zero.")
        self.size = size
        if seeds == (0, 0):
            seeds = fresh_seed(), fresh_seed()
        self.seeds = seeds
        self.reshuffle = reshuffle
        self.count = count
        self.is_shuffle = count == 1
        self._seed_samples = Samples(*seeds)

    def over(self, inputs: list[Dataset]) -> Dataset:
        return Shuffled(inputs[0], self.size, self.seeds, self.reshuffle, self.count)

    def renew_streams(self) -> None:
        super().renew_streams()
        self._seed_samples = Samples(*self.seeds)

    def draws(self) -> bool:
        return True

    def start(self, iteration: Iteration) -> Next:
        seeds = (self._seed_samples.next(), self._seed_samples.next()) if self.reshuffle else self.seeds
        # Drawn zeros are seeds like any others.
        samples = Samples(*seeds) if seeds != (0, 0) else _zero_samples()
        size, count, source = self.size, self.count, self.inputs[0]
        draw = samples.next
        # Elements of each pass that has begun, oldest first; what has been taken out is filled up from the front, so a
        # pass is a list of which the first `taken` places are free.
        passes: deque[tuple[list[Element], list[int]]] = deque([([], [0])])
        held = 0
        epoch = 0
        upstream: Next | None = source.start(iteration)
        nothing_yet = True

        def refill() -> bool:
            """Fills the buffer; False if the input turns out to be empty for ever."""
            nonlocal upstream, held, epoch, nothing_yet
            while upstream is not None and held < size:
                element = upstream()
                if element is not None:
                    nothing_yet = False
                    passes[-1][0].append(element)
                    held += 1
                    continue
                if nothing_yet and count == -1:
                    upstream = None
                    return False
                epoch += 1
                if count != -1 and epoch >= count:
                    upstream = None
                else:
                    iteration.check()
                    passes.append(([], [0]))
                    upstream = source.start(iteration)
            return True

        def next_element() -> Element | None:
            nonlocal held
            if upstream is not None and not refill():
                return None
            if not held:
                return None
            while True:
                elements, taken = passes[0]
                start = taken[0]
                if start < len(elements):
                    break
                passes.popleft()
            index = start + draw() % (len(elements) - start)
            element = elements[index]
            elements[index] = elements[start]
            elements[start] = None  # type: ignore[call-overload]  # the place is not read again
            start += 1
            if start > 4096 and start * 2 > len(elements):
                del elements[:start]
                start = 0
            taken[0] = start
            held -= 1
            return element

        return next_element

    def cardinality(self) -> int:
        each = self.inputs[0].cardinality()
        if self.count == -1:
            return 0 if each == 0 else INFINITE
        return each * self.count if each >= 0 else each


def _zero_samples() -> Samples:
    samples = Samples(1, 0)
    samples._place = Philox(0, 0)
    return samples


class Repeated(Choosing):
    """The elements of its input again and again, `count` times, or for ever if that is negative."""

    def __init__(self, source: Dataset, count: int) -> None:
        super().__init__(source)
        self.count = count

    def start(self, iteration: Iteration) -> Next:
        source, count = self.inputs[0], self.count
        if count == 0:
            return lambda: None
        upstream = source.start(iteration)
        epoch = 0
        nothing_yet = True
        over = False

        def next_element() -> Element | None:
            nonlocal upstream, epoch, nothing_yet, over
            while not over:
                element = upstream()
                if element is not None:
                    nothing_yet = False
                    return element
                epoch += 1
                if (count > 0 and epoch >= count) or (count < 0 and nothing_yet):
                    over = True
                    return None
                nothing_yet = True
                iteration.check()
                upstream = source.start(iteration)
            return None

        return next_element

    def cardinality(self) -> int:
        each = self.inputs[0].cardinality()
        if self.count < 0:
            return 0 if each == 0 else INFINITE
        if self.count == 0:
            return 0
        return each * self.count if each >= 0 else each


shuffle_dataset = dataset_op(
    "ShuffleDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, *, reshuffle_each_iteration=True, {} -> "
    "handle: variant",
)
shuffle_and_repeat_dataset = dataset_op(
    "ShuffleAndRepeatDataset",
    "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64, *, {} -> handle: variant",
)
repeat_dataset = dataset_op("RepeatDataset", "input_dataset: variant, count: int64, *, {} -> handle: variant")


@shuffle_dataset.kernel
def shuffle_dataset_kernel(node):
    reshuffle = node.attrs["reshuffle_each_iteration"]
    return lambda source, size, seed, seed2: Shuffled(source, integer(size), (integer(seed), integer(seed2)), reshuffle)


@shuffle_and_repeat_dataset.kernel
def shuffle_and_repeat_dataset_kernel(node):
    return lambda source, size, seed, seed2, count: Shuffled(
        source, integer(size), (integer(seed), integer(seed2)), False, _checked_count(integer(count))
    )


def _checked_count(count: int) -> int:
    if count <= 0 and count != -1:
        raise InvalidArgumentError(None, None, "count must be greater than zero or equal to -1.")
    return count


@repeat_dataset.kernel
def repeat_dataset_kernel(node):
    return lambda source, count: Repeated(source, integer(count))


class Sampled(Choosing):
    """Each element of its input with a certain probability."""

    passes_shards = False

    def __init__(self, source: Dataset, rate: float, seeds: tuple[int, int]) -> None:
        super().__init__(source)
        self.rate, self.seeds = rate, seeds

    def start(self, iteration: Iteration) -> Next:
        upstream, samples, rate = self.inputs[0].start(iteration), Samples(*self.seeds), self.rate

        def next_element() -> Element | None:
            while (element := upstream()) is not None:
                word = np.uint32(0x3F800000 | samples.next() & 0x7FFFFF)
                if float(word.view(np.float32)) - 1.0 < rate:
                    return element
            return None

        return next_element


sampling_dataset = dataset_op(
    "SamplingDataset", "input_dataset: variant, rate: float, seed: int64, seed2: int64, *, {} -> handle: variant"
)


@sampling_dataset.kernel
def sampling_dataset_kernel(node):
    return lambda source, rate, seed, seed2: Sampled(source, float(rate), (integer(seed), integer(seed2)))


def fused(dataset: Dataset) -> Dataset:
    """`dataset` as TensorFlow's default optimization leaves it: a shuffle that is repeated does both at once."""
    for part in list(parts_of(dataset)):
        part.inputs = [_fused_alone(source) for source in part.inputs]
    return _fused_alone(dataset)


def _fused_alone(dataset: Dataset) -> Dataset:
    if isinstance(dataset, Repeated) and dataset.inputs and type(dataset.inputs[0]) is Shuffled:
        inner = dataset.inputs[0]
        # A repeat that goes once is left out before.
        if inner.reshuffle and inner.count == 1 and (dataset.count == -1 or dataset.count > 1):
            return Shuffled(inner.inputs[0], inner.size, inner.seeds, False, dataset.count)
    return dataset


optimize_dataset = dataset_op(
    "OptimizeDataset",
    "input_dataset: variant, optimizations: string, *, {}, optimization_configs: list(string) = [] -> handle: variant",
)


@optimize_dataset.kernel
def optimize_dataset_kernel(node):
    def optimize(source, optimizations):
        # The pipeline is rewritten as a graph, where what is used twice stands twice, its functions with their state too.
        source = apart(source, lambda part, inputs: part.twin(inputs))
        names = {bytes(name) for name in optimizations.reshape(-1)}
        if b"map_and_batch_fusion" in names:
            mark_whole(source)
        if b"make_sloppy" in names:
            for part in parts_of(source):
                part.make_sloppy()
        return fused(source) if b"shuffle_and_repeat_fusion" in names else source

    return optimize


optimize_dataset.accepts(numbers(3), np.array([b"noop_elimination"]), **INT64_SCALARS)
repeat_dataset.accepts(numbers(2), np.int64(2), **INT64_SCALARS).accepts(numbers(2), np.int64(-1), **INT64_SCALARS)
_SEEDS = np.int64(1), np.int64(2)
shuffle_dataset.accepts(numbers(4), np.int64(3), *_SEEDS, **INT64_SCALARS)
shuffle_dataset.rejects(numbers(4), np.int64(0), *_SEEDS, error=InvalidArgumentError, **INT64_SCALARS)
shuffle_and_repeat_dataset.accepts(numbers(2), np.int64(2), *_SEEDS, np.int64(2), **INT64_SCALARS)
shuffle_and_repeat_dataset.rejects(
    numbers(2), np.int64(2), *_SEEDS, np.int64(0), error=InvalidArgumentError, **INT64_SCALARS
)
sampling_dataset.accepts(numbers(9), np.float32(0.5), *_SEEDS, **INT64_SCALARS)
