"""Losses over many classes of which few are sampled: the hard ones, and with one label an example."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_logsumexp
from headrace.functions.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from headrace.functions.nn.embedding import embedding_lookup
from headrace.functions.nn.sampled_losses import sampled_logits, sampled_softmax_loss
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape, squeeze
from headrace.ops.array.gather import gather
from headrace.ops.array.identity import stop_gradient
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.nn.candidates import learned_unigram_candidate_sampler
from headrace.ops.nn.topk import top_k

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _hardest(
    weights: TensorLike,
    biases: TensorLike,
    inputs: TensorLike,
    sampled_values: Any,
    count: int,
    temperature: Any,
    strategy: str,
) -> tuple[Any, Any, Any]:
    """Of the sampled classes, the `count` that the inputs of the batch together come closest to."""
    sampled, true_counts, sampled_counts = sampled_values
    sampled = cast(stop_gradient(sampled), "int64")
    true_counts, sampled_counts = stop_gradient(true_counts), stop_gradient(sampled_counts)
    tempered = inputs / temperature
    rows = embedding_lookup(weights, sampled, strategy)
    similarity: Tensor = reduce_logsumexp(matmul(rows, tempered, transpose_b=True), axis=1, keepdims=False)
    offsets = reshape(embedding_lookup(biases, sampled, strategy), [-1])
    similarity += offsets / temperature
    _, places = top_k(similarity, k=count, sorted=False)
    return gather(sampled, indices=places), true_counts, gather(sampled_counts, indices=places)


def rank_sampled_softmax_loss(
    weights: Tensor | Sequence[Tensor],
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_resampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Sequence[TensorLike] | None,
    resampling_temperature: float,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None = None,
) -> Tensor:
    """The sampled softmax loss over the hardest of the sampled classes.

    Args:
        weights: the classes' weights [num_classes, dim], or a list of tables as in `embedding_lookup`.
        biases: their biases [num_classes].
        labels: int64 true classes [batch, num_true].
        inputs: floats [batch, dim].
        num_sampled: how many classes to sample for a batch.
        num_resampled: how many of these to keep.
        num_classes: the number of classes.
        num_true: the number of true classes of each example.
        sampled_values: what a candidate sampler returned; by default that of `learned_unigram_candidate_sampler`.
        resampling_temperature: what logits are divided by when the hardest are chosen; the higher, the more it is the
            sum over the batch that decides, the lower, the single example.
        remove_accidental_hits: whether sampled classes that are true ones are left out.
        partition_strategy: "mod" or "div", as in `embedding_lookup`.
        name: a name scope.

    Returns:
        a loss for each example, [batch].

    Raises:
        ValueError: if more classes are sampled than there are, no fewer kept than sampled, or for another strategy.

    Example:
        >>> weights, biases = tf.get_variable("weights", [1000, 3]), tf.zeros([1000])
        >>> labels = tf.constant([[7], [3], [0], [9]], tf.int64)
        >>> losses = tf.contrib.nn.rank_sampled_softmax_loss(
        ...     weights, biases, labels, x, 20, 5, 1000, 1, None, 1.0, True, "div")
    """
    if num_sampled > num_classes:
        raise ValueError(f"num_sampled ({num_sampled}) cannot be greater than num_classes ({num_classes})")
    if num_sampled <= num_resampled:
        raise ValueError(f"num_resampled ({num_resampled}) must be less than num_sampled ({num_sampled})")
    if partition_strategy not in ("div", "mod"):
        raise ValueError(f"unsupported partition_strategy ({partition_strategy})")
    with name_scope(name, "rank_sampled_softmax_loss", [weights, biases, labels, inputs]) as scope:
        if not sampled_values:
            sampled_values = learned_unigram_candidate_sampler(
                true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True, range_max=num_classes
            )
        kept = _hardest(
            weights, biases, inputs, sampled_values, num_resampled, resampling_temperature, partition_strategy
        )
        return sampled_softmax_loss(
            weights=weights,
            biases=biases,
            labels=labels,
            inputs=inputs,
            num_sampled=num_resampled,
            num_classes=num_classes,
            num_true=num_true,
            sampled_values=kept,
            remove_accidental_hits=remove_accidental_hits,
            partition_strategy=partition_strategy,
            name=scope,
        )


def sampled_sparse_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_sparse_softmax_loss",
) -> Tensor:
    """The sampled softmax loss for one true class an example.

    Args:
        weights: the classes' weights [num_classes, dim], or a list of tables as in `embedding_lookup`.
        biases: their biases [num_classes].
        labels: int64 true classes [batch, 1].
        inputs: floats [batch, dim].
        num_sampled: how many classes to sample for a batch.
        num_classes: the number of classes.
        sampled_values: what a candidate sampler returned; by default that of `log_uniform_candidate_sampler`.
        remove_accidental_hits: whether sampled classes that are true ones are left out.
        partition_strategy: "mod" or "div", as in `embedding_lookup`.
        name: a name scope.

    Returns:
        a loss for each example, [batch].
    """
    logits, _ = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        1,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
    )
    # The true class is the first of those whose logits these are.
    first = zeros([shape(logits)[0], 1], dtype="int64")
    return sparse_softmax_cross_entropy_with_logits(labels=squeeze(first), logits=logits)
