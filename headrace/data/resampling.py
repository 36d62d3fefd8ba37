"""`rejection_resample`: elements left out at random so that the classes of the others have a wanted distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.data.dataset import Dataset
from headrace.data.experimental import unbatch
from headrace.data.mixing import sample_from_datasets
from headrace.data.scanning import scan
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_max, reduce_min, reduce_sum
from headrace.ops.array.fill import fill
from headrace.ops.array.where import one_hot
from headrace.ops.flow.printing import Print
from headrace.ops.math.cast import cast
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_ESTIMATED_AT_A_TIME = 32
_SEEN_AT_FIRST = 10


def rejection_resample(
    class_func: Callable[..., Any],
    target_dist: TensorLike,
    initial_dist: TensorLike | None = None,
    seed: int | None = None,
) -> Callable[[Dataset], Dataset]:
    """A transformation to pairs of a class and an element, in which the classes have a wanted distribution.

    Args:
        class_func: takes an element, returns its class, an int32 scalar.
        target_dist: the wanted probability of each class.
        initial_dist: the probabilities in the dataset; estimated on the way by default.
        seed: the seed of the choice.
    """

    def apply(dataset: Dataset) -> Dataset:
        target = convert_to_tensor(target_dist, name="target_dist")
        classes = dataset.map(class_func)
        static = None
        if initial_dist is not None:
            initial = convert_to_tensor(initial_dist, name="initial_dist")
            accepted, original = _acceptance(initial, target)
            initial_of = Dataset.from_tensors(initial).repeat()
            accepted_of = Dataset.from_tensors(accepted).repeat()
            original_of = Dataset.from_tensors(original).repeat()
            initial_probs, target_probs = constant_value(initial), constant_value(target)
            if initial_probs is not None and target_probs is not None:
                static = np.min(target_probs / initial_probs)
        else:
            initial_of = _estimated(target, classes)
            both = initial_of.map(lambda initial: _acceptance(initial, target))
            accepted_of = both.map(lambda accepted, _: accepted)
            original_of = both.map(lambda _, original: original)
        filtered = _filtered(dataset, accepted_of, initial_of, classes, seed).prefetch(3)
        if static == 1:
            return Dataset.zip((classes, dataset))
        if static == 0:
            return filtered
        return sample_from_datasets(
            [Dataset.zip((classes, dataset)), filtered],
            weights=original_of.map(lambda original: [(original, 1.0 - original)]),
            seed=seed,
        )

    return apply


def _filtered(dataset: Dataset, accepted_of: Dataset, initial_of: Dataset, classes: Dataset, seed: Any) -> Dataset:
    def checked(accepted: Tensor, initial: Tensor) -> Tensor:
        rejected = reduce_sum((1 - accepted) * initial)
        message = "Proportion of examples rejected by sampler is high: "
        return cond(
            raw.Less(rejected, 0.5),
            lambda: accepted,
            lambda: Print(accepted, [rejected, initial, accepted], message=message, summarize=100, first_n=10),
        )

    accepted_of = Dataset.zip((accepted_of, initial_of)).map(checked)
    joined = Dataset.zip((classes, accepted_of, dataset)).map(
        lambda kind, accepted, data: (kind, raw.GatherV2(accepted, kind, 0), data)
    )
    kept = joined.filter(lambda _, probability, data: random_uniform([], seed=seed) < probability)
    return kept.map(lambda kind, _, data: (kind, data))


def _estimated(target: Tensor, classes: Dataset) -> Dataset:
    """The distribution of classes seen so far, for each element."""
    count = target.shape.as_list()[0]

    def update(seen: Tensor, batch: Tensor) -> tuple[Tensor, Tensor]:
        now = seen + reduce_sum(one_hot(batch, count, dtype="int64"), 0)
        share = cast(cast(now, "float64") / cast(reduce_sum(now), "float64"), "float32")
        return now, raw.Tile(raw.ExpandDims(share, 0), [_ESTIMATED_AT_A_TIME, 1])

    first = fill([count], np.int64(_SEEN_AT_FIRST))  # type: ignore[list-item]  # None is refused when it is converted
    return classes.batch(_ESTIMATED_AT_A_TIME).apply(scan(first, update)).apply(unbatch())


def _acceptance(initial: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """How likely each class is to be kept, and how often an element may be taken without asking.

    Rejecting as little as possible means taking as many elements as the rarest class allows as they come, and the
    others with a probability in proportion to what their class still lacks.
    """
    ratio = target / (initial + np.finfo(initial.dtype.as_numpy_dtype).tiny)
    most, least = reduce_max(ratio), reduce_min(ratio)
    return (ratio - least) / (most - least), least
