"""Losses over many classes that look at a few sampled ones only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.attributes import check_attribute
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2
from headrace.functions.nn.embedding import Partitioned, embedding_lookup
from headrace.kernels import composing
from headrace.ops.nn.candidates import compute_accidental_hits, log_uniform_candidate_sampler

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _sum_rows(x: Tensor) -> Tensor:
    """The sums of rows, as a product with ones: its gradient is a product too."""
    columns = composing.shape(x)[1]
    ones = composing.ones(composing.stack([columns, 1]), x.dtype)
    return raw.Reshape(_matmul(x, ones), [-1])


def _matmul(a: Tensor, b: Tensor, transpose_b: bool = False) -> Tensor:
    with name_scope(None, "MatMul", [a, b]) as scope:
        return raw.MatMul(a, b, transpose_b=transpose_b, name=scope)


def sampled_logits(
    weights: Any,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    name: str | None,
    seed: int | None = None,
    subtract_log_q: bool = True,
) -> tuple[Tensor, Tensor]:
    """The logits of the true and of sampled classes, corrected for how likely each was drawn, and their labels.

    The correction is derived in Jean et al., "On using very large target vocabulary for neural machine translation",
    arXiv:1412.2007, section 3.

    Returns:
        (logits, labels), both [batch, num_true + num_sampled].
    """
    if isinstance(weights, Partitioned):
        weights = list(weights)
    if not isinstance(weights, list):
        weights = [weights]
    with name_scope(name, "compute_sampled_logits", [*weights, biases, inputs, labels]):
        check_attribute("compute_sampled_logits: labels", labels, "dtype")
        check_attribute("compute_sampled_logits: inputs", inputs, "dtype")
        labels = labels if isinstance(labels, Tensor) else convert_to_tensor(labels)
        inputs = inputs if isinstance(inputs, Tensor) else convert_to_tensor(inputs)
        if labels.dtype.is_floating and inputs.dtype.is_integer:
            labels, inputs = inputs, labels  # the order of 0.x
        labels = composing.cast(labels, "int64")
        flat = raw.Reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(
                true_classes=labels,
                num_true=num_true,
                num_sampled=num_sampled,
                unique=True,
                range_max=num_classes,
                seed=seed,
            )
        sampled, true_count, sampled_count = (raw.StopGradient(value) for value in sampled_values)
        sampled = composing.cast(sampled, "int64")
        # One look-up for all, so that the table is read once.
        ids = composing.concat([flat, sampled], 0)
        rows = composing.cast(embedding_lookup(weights, ids, partition_strategy=partition_strategy), inputs.dtype)
        true_rows = raw.Slice(rows, [0, 0], composing.stack([composing.shape(flat)[0], -1]))
        sampled_rows = raw.Slice(rows, composing.stack([composing.shape(flat)[0], 0]), [-1, -1])
        sampled_logits = _matmul(inputs, sampled_rows, transpose_b=True)
        offsets = composing.cast(embedding_lookup(biases, ids, partition_strategy=partition_strategy), inputs.dtype)
        true_offsets = raw.Slice(offsets, [0], composing.shape(flat))
        sampled_offsets = raw.Slice(offsets, composing.shape(flat), [-1])

        width = composing.shape(true_rows)[1:2]
        by_example = composing.concat([[-1, num_true], width], 0)
        products = raw.Mul(raw.ExpandDims(inputs, 1), raw.Reshape(true_rows, by_example))
        products = raw.Reshape(products, composing.concat([[-1], width], 0))
        true_logits = raw.Reshape(_sum_rows(products), [-1, num_true])
        true_offsets = raw.Reshape(true_offsets, [-1, num_true])
        true_logits = true_logits + true_offsets
        sampled_logits = sampled_logits + sampled_offsets
        if remove_accidental_hits:
            sampled_logits = sampled_logits + _hit_weights(labels, sampled, num_true, num_sampled, sampled_logits)
        if subtract_log_q:
            true_logits = true_logits - raw.Log(true_count)
            sampled_logits = sampled_logits - raw.Log(sampled_count)
        logits = composing.concat([true_logits, sampled_logits], 1)
        targets = composing.concat(
            [composing.ones_like(true_logits) / num_true, composing.zeros_like(sampled_logits)], 1
        )
        return logits, targets


def _compute_sampled_logits(
    weights: Tensor | Sequence[float],
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    subtract_log_q: bool = True,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = None,
    seed: int | None = None,
) -> tuple[Tensor, Tensor]:
    """`sampled_logits` with the arguments in 1.15's order; `subtract_log_q`: whether to correct for the likelihood."""
    return sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
        subtract_log_q,
    )


def _hit_weights(labels: Tensor, sampled: Tensor, num_true: int, num_sampled: int, like: Tensor) -> Tensor:
    """What makes the logits of sampled classes that are true ones vanish."""
    rows, columns, weights = compute_accidental_hits(labels, sampled, num_true=num_true)
    rows = raw.Reshape(rows, [-1, 1])
    columns = raw.Reshape(composing.cast(columns, "int32"), [-1, 1])
    places = composing.concat([rows, columns], 1, "sparse_indices")
    shape = composing.concat([composing.shape(labels)[:1], raw.ExpandDims(num_sampled, 0)], 0)
    weights = composing.cast(weights, like.dtype)
    return raw.SparseToDense(places, shape, weights, 0.0, validate_indices=False)


def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Sequence[TensorLike] | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: true classes are told from sampled ones.

    Gutmann and Hyvärinen, "Noise-contrastive estimation: a new estimation principle for unnormalized statistical
    models", AISTATS 2010.

    Args:
        weights: the classes' weights [num_classes, dim], or a list of tables as in `embedding_lookup`.
        biases: their biases [num_classes].
        labels: int64 true classes [batch, num_true].
        inputs: floats [batch, dim].
        num_sampled: how many classes to sample for a batch.
        num_classes: the number of classes.
        num_true: the number of true classes of each example.
        sampled_values: what a candidate sampler returned; by default that of `log_uniform_candidate_sampler`.
        remove_accidental_hits: whether sampled classes that are true ones are left out.
        partition_strategy: as in `embedding_lookup`.
        name: a name scope.

    Returns:
        a loss for each example, [batch].
    """
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
    )
    return _sum_rows(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses"))


def sampled_softmax_loss(
    weights: Tensor | Sequence[Tensor],
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: int | None = None,
) -> Tensor:
    """The softmax cross-entropy over the true and some sampled classes, for training only (arXiv:1412.2007).

    Args:
        weights: the classes' weights [num_classes, dim], or a list of tables as in `embedding_lookup`.
        biases: their biases [num_classes].
        labels: int64 true classes [batch, num_true].
        inputs: floats [batch, dim].
        num_sampled: how many classes to sample for a batch.
        num_classes: the number of classes.
        num_true: the number of true classes of each example.
        sampled_values: what a candidate sampler returned; by default that of `log_uniform_candidate_sampler`.
        remove_accidental_hits: whether sampled classes that are true ones are left out.
        partition_strategy: as in `embedding_lookup`.
        name: a name scope.
        seed: a Python int for reproducible classes; see `set_random_seed`.

    Returns:
        a loss for each example, [batch].
    """
    logits, targets = sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        name,
        seed,
    )
    targets = raw.StopGradient(targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)
