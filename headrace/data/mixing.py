"""Datasets that draw their elements from several others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.type_specs import TensorSpec
from headrace.data import structure
from headrace.data.dataset import Dataset, DatasetV2
from headrace.data.sources import RandomDataset
from headrace.ops.math.unary import log

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def directed(selector: Dataset, datasets: Sequence[Dataset]) -> Dataset:
    """The elements of `datasets` in the order that the numbers of `selector` say."""
    for each in datasets:
        if not isinstance(each, Dataset):
            raise TypeError(f"datasets must be a list of datasets, and has {each!r} of {type(each)}.")
    first = datasets[0]
    spec = first.element_spec
    for other in datasets[1:]:
        if other.output_types != first.output_types or other.output_classes != first.output_classes:
            raise TypeError("All datasets must have the same type and class.")
        spec = structure.most_general(spec, other.element_spec)
    variant = raw.DirectedInterleaveDataset(
        selector._variant_tensor, [d._variant_tensor for d in datasets], **structure.described(spec)
    )
    return Dataset(variant, spec, [selector, *datasets])


def sample_from_datasets(
    datasets: Sequence[Dataset], weights: Dataset | Sequence[float] | None = None, seed: int | None = None
) -> Dataset:
    """Elements of several datasets, each time of one chosen at random.

    Args:
        datasets: datasets with elements of the same structure.
        weights: the probability of each, a list or a dataset of them; the same for all by default.
        seed: the seed of the choice.

    Raises:
        TypeError: if the weights are no floating-point numbers; ValueError: if they are not as many as datasets.
    """

    def chosen(logits: TensorLike, seeds: Tensor) -> Tensor:
        return raw.Squeeze(raw.StatelessMultinomial(logits, 1, seeds), squeeze_dims=[0, 1])

    if isinstance(weights, DatasetV2):
        logits_of = weights.map(lambda *p: log(p, name="logits"))
        selector = Dataset.zip((logits_of, RandomDataset(seed).batch(2))).map(chosen)
        return directed(selector, datasets)
    if weights is None:
        logits: Tensor | list[list[float]] = [[1.0] * len(datasets)]
    else:
        given = convert_to_tensor(weights, name="weights")
        if given.dtype.name not in ("float32", "float64"):
            raise TypeError("`weights` must be convertible to a tensor of `tf.float32` or `tf.float64` elements.")
        if not given.shape.is_compatible_with([len(datasets)]):
            raise ValueError("`weights` must be a vector of length `len(datasets)`.")
        logits = raw.ExpandDims(log(given, name="logits"), 0)
    if len(datasets) == 1:
        return datasets[0]
    return directed(RandomDataset(seed).batch(2).map(lambda seeds: chosen(logits, seeds)), datasets)


def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset) -> Dataset:
    """Elements of several datasets in the order that a dataset of their numbers says.

    Raises:
        TypeError: if `choice_dataset` has other elements than int64 scalars.
    """
    if not structure.are_compatible(choice_dataset.element_spec, TensorSpec([], "int64")):
        raise TypeError("`choice_dataset` must be a dataset of scalar `tf.int64` tensors.")
    return directed(choice_dataset, datasets)
