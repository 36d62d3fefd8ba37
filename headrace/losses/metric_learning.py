"""Losses that learn distances: embeddings of one class near, those of others far.

Distances are taken by |a - b|² = |a|² - 2 a·b + |b|².
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.matrices import diag
from headrace.functions.math.reduction import reduce_max, reduce_mean, reduce_min, reduce_sum
from headrace.functions.nn.cross_entropy import softmax_cross_entropy_with_logits
from headrace.kernels import composing
from headrace.ops.array.pad import pad
from headrace.ops.flow.printing import Print
from headrace.ops.math.division import truediv
from headrace.ops.sparse.cwise import sparse_minimum
from headrace.ops.sparse.reduce import sparse_reduce_sum

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _column(labels: Any) -> Tensor:
    """A vector of labels as a matrix of one column."""
    shape = composing.shape(labels)
    if shape.get_shape() != [1]:
        raise AssertionError(f"labels must be a vector, got {labels!r}")
    return raw.Reshape(labels, [shape[0], 1])


def pairwise_distance(feature: Tensor, squared: bool = False) -> Tensor:
    """The Euclidean distances of all rows, 0 in the diagonal and where they are within rounding of it.

    Args:
        feature: float32 matrix of shape (rows, width).
        squared: give squares.

    Returns:
        a matrix of shape (rows, rows).
    """
    rows = reduce_sum(raw.Square(feature), axis=[1], keepdims=True)
    columns = reduce_sum(raw.Square(composing.transpose(feature)), axis=[0], keepdims=True)
    squares = raw.Add(rows, columns) - 2.0 * composing.matmul(feature, composing.transpose(feature))
    squares = raw.Maximum(squares, 0.0)
    none = raw.LessEqual(squares, 0.0)
    # A square root of 0 would have an infinite gradient.
    distances = squares if squared else raw.Sqrt(squares + composing.cast(none, "float32") * 1e-16)
    distances = raw.Mul(distances, composing.cast(raw.LogicalNot(none), "float32"))
    number = composing.shape(feature)[0]
    return raw.Mul(distances, composing.ones_like(distances) - diag(composing.ones([number])))


def contrastive_loss(
    labels: TensorLike, embeddings_anchor: TensorLike, embeddings_positive: TensorLike, margin: float = 1.0
) -> Tensor:
    """The squared distance of pairs that belong together, and of others how far they are within a margin.

    Hadsell, Chopra and LeCun, "Dimensionality reduction by learning an invariant mapping", CVPR 2006.

    Args:
        labels: 1 for a pair that belongs together, 0 for another; a vector.
        embeddings_anchor, embeddings_positive: float matrices with a pair in each row.
        margin: how far others are to be apart.

    Returns:
        a float32 scalar.
    """
    distances = raw.Sqrt(reduce_sum(raw.SquaredDifference(embeddings_anchor, embeddings_positive), 1))
    together = composing.cast(labels, distances.dtype) * raw.Square(distances)
    apart = 1.0 - composing.cast(labels, distances.dtype)
    return reduce_mean(together + apart * raw.Square(raw.Maximum(margin - distances, 0.0)), name="contrastive_loss")


def _masked_maximum(data: Tensor, mask: Tensor) -> Tensor:
    """The greatest of each row where `mask` is 1."""
    least = reduce_min(data, 1, keepdims=True)
    return reduce_max(raw.Mul(data - least, mask), 1, keepdims=True) + least


def _masked_minimum(data: Tensor, mask: Tensor) -> Tensor:
    """The least of each row where `mask` is 1."""
    greatest = reduce_max(data, 1, keepdims=True)
    return reduce_min(raw.Mul(data - greatest, mask), 1, keepdims=True) + greatest


def triplet_semihard_loss(labels: Tensor | Sequence[int], embeddings: Tensor, margin: float = 1.0) -> Tensor:
    """For each pair of one class its distance against the nearest other class's embedding that is farther.

    Schroff, Kalenichenko and Philbin, "FaceNet", arXiv:1503.03832, with its semi-hard negatives.

    Args:
        labels: class indices, a vector.
        embeddings: float32 unit vectors, one in each row.
        margin: how much farther other classes are to be.

    Returns:
        a float32 scalar.
    """
    labels = _column(labels)
    distances = pairwise_distance(embeddings, squared=True)
    same = raw.Equal(labels, composing.transpose(labels))
    other = raw.LogicalNot(same)
    number = composing.size(labels)
    # Row i * number + j belongs to the pair (j, i).
    repeated = raw.Tile(distances, [number, 1])
    others = raw.Tile(other, [number, 1])
    mask = raw.LogicalAnd(others, raw.Greater(repeated, raw.Reshape(composing.transpose(distances), [-1, 1])))
    square = [number, number]
    some = reduce_sum(composing.cast(mask, "float32"), 1, keepdims=True) > 0.0
    some = composing.transpose(raw.Reshape(some, square))
    different, mask = composing.cast(other, "float32"), composing.cast(mask, "float32")
    outside = _masked_minimum(repeated, mask)
    outside = composing.transpose(raw.Reshape(outside, square))
    inside = raw.Tile(_masked_maximum(distances, different), [1, number])
    negatives = raw.Select(some, outside, inside)
    losses = raw.Add(margin, distances - negatives)
    pairs = composing.cast(same, "float32") - diag(composing.ones([number]))
    count = reduce_sum(pairs)
    return truediv(reduce_sum(raw.Maximum(raw.Mul(losses, pairs), 0.0)), count, name="triplet_semihard_loss")


def _embedding_decay(anchor: TensorLike, positive: TensorLike, factor: float) -> Tensor:
    of_anchor = reduce_mean(reduce_sum(raw.Square(anchor), 1))
    of_positive = reduce_mean(reduce_sum(raw.Square(positive), 1))
    return raw.Mul(0.25 * factor, of_anchor + of_positive, name="l2loss")


def _similarity_entropy(similarity: Tensor, adjacency: Tensor, decay: Tensor, print_losses: bool) -> Tensor:
    targets = adjacency / reduce_sum(adjacency, 1, keepdims=True)
    entropy = softmax_cross_entropy_with_logits(logits=similarity, labels=targets)
    entropy = reduce_mean(entropy, name="xentropy")
    if print_losses:
        entropy = Print(entropy, ["cross entropy:", entropy, "l2loss:", decay])
    return decay + entropy


def npairs_loss(
    labels: TensorLike,
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """The cross entropy of which anchors and positives are of one class, by their inner products.

    Sohn, "Improved deep metric learning with multi-class N-pair loss objective", NIPS 2016.

    Args:
        labels: class indices, a vector.
        embeddings_anchor, embeddings_positive: float matrices with one embedding in each row.
        reg_lambda: how much the squared length of embeddings counts.
        print_losses: print both parts.

    Returns:
        a float32 scalar.
    """
    decay = _embedding_decay(embeddings_anchor, embeddings_positive, reg_lambda)
    similarity = composing.matmul(embeddings_anchor, embeddings_positive, transpose_b=True)
    labels = _column(labels)
    adjacency = composing.cast(raw.Equal(labels, composing.transpose(labels)), "float32")
    return _similarity_entropy(similarity, adjacency, decay, print_losses)


def npairs_loss_multilabel(
    sparse_labels: Sequence[int | SparseTensor],
    embeddings_anchor: TensorLike,
    embeddings_positive: TensorLike,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Tensor:
    """`npairs_loss` where embeddings have several labels; how many two share is how much they belong together.

    Args:
        sparse_labels: a list of SparseTensors of 0 and 1, one for each row.
        embeddings_anchor, embeddings_positive, reg_lambda, print_losses: as for `npairs_loss`.

    Returns:
        a float32 scalar.

    Raises:
        TypeError: if a label is no SparseTensor.
    """
    if not all(isinstance(labels, SparseTensor) for labels in sparse_labels):
        raise TypeError(f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}")
    with name_scope("NpairsLossMultiLabel"):
        decay = _embedding_decay(embeddings_anchor, embeddings_positive, reg_lambda)
        similarity = composing.matmul(embeddings_anchor, embeddings_positive, transpose_b=True)
        number = len(sparse_labels)
        adjacency = composing.zeros([number, number])
        for i, one in enumerate(sparse_labels):
            for j, other in enumerate(sparse_labels):
                shared = composing.cast(sparse_reduce_sum(sparse_minimum(one, other)), "float32")
                shared = composing.expand_dims(composing.expand_dims(shared, 0), 1)
                adjacency += pad(shared, [[i, number - i - 1], [j, number - j - 1]], "CONSTANT")
        return _similarity_entropy(similarity, composing.cast(adjacency, "float32"), decay, print_losses)


def lifted_struct_loss(labels: Tensor, embeddings: Tensor, margin: float = 1.0) -> Tensor:
    """For each pair of one class its distance against a smooth maximum over all pairs with other classes.

    Oh Song et al., "Deep metric learning via lifted structured feature embedding", arXiv:1511.06452.

    Args:
        labels: class indices, a vector.
        embeddings: float32 matrix with one embedding in each row.
        margin: how far other classes are to be.

    Returns:
        a float32 scalar.
    """
    labels = _column(labels)
    distances = pairwise_distance(embeddings)
    same = raw.Equal(labels, composing.transpose(labels))
    other = raw.LogicalNot(same)
    number = composing.size(labels)
    similarity = margin - distances
    mask = composing.cast(other, "float32")
    nearest = _masked_maximum(similarity, mask)
    # Exponentials are taken relative to the greatest of both rows of a pair.
    greatest = raw.Maximum(nearest, composing.transpose(nearest))
    repeated, mask = raw.Tile(similarity, [number, 1]), raw.Tile(mask, [number, 1])
    column = raw.Reshape(composing.transpose(greatest), [-1, 1])
    sums = reduce_sum(raw.Mul(raw.Exp(repeated - column), mask), 1, keepdims=True)
    sums = raw.Reshape(sums, [number, number])
    losses = greatest + raw.Log(sums + composing.transpose(sums))
    losses += distances
    pairs = composing.cast(same, "float32") - diag(composing.ones([number]))
    count = reduce_sum(pairs) / 2.0
    squares = raw.Square(raw.Maximum(raw.Mul(losses, pairs), 0.0))
    return truediv(0.25 * reduce_sum(squares), count, name="liftedstruct_loss")
