"""A loss by how well embeddings fall into clusters.

Oh Song, Jegelka, Rathod and Murphy, "Deep metric learning via facility location", arXiv:1612.01213.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_min, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import squeeze
from headrace.losses.metric_learning import pairwise_distance
from headrace.ops.array.unique import unique
from headrace.ops.flow.printing import Print
from headrace.ops.flow.py_func import py_func
from headrace.summary.operations import scalar

_ROUNDS = 5
_Score = Callable[[np.ndarray, np.ndarray], Any]


def _scores() -> dict[str, _Score]:
    """How alike two clusterings are, by the name of the margin: 1 where they are the same."""
    try:
        from sklearn import metrics
    except ImportError as error:
        raise ImportError("Cluster loss depends on sklearn.") from error
    return {
        "nmi": metrics.normalized_mutual_info_score,
        "ami": lambda labels, found: max(0.0, metrics.adjusted_mutual_info_score(labels, found)),
        "ari": lambda labels, found: max(0.0, metrics.adjusted_rand_score(labels, found)),
        "vmeasure": metrics.v_measure_score,
        "const": lambda labels, found: float(np.array_equal(labels, found)),
    }


def _assigned(distances: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """The nearest centre of each point by its place in `centres`; a centre is its own, whatever rounding says."""
    nearest = np.argmin(distances[centres], axis=0)
    own = np.zeros(len(distances), np.int64)
    np.add.at(own, centres, np.arange(len(centres)))
    return np.where(np.isin(np.arange(len(distances)), centres), own, nearest)


class _Search:
    """The centres for which distances and badness of the clustering together are greatest, found greedily.

    Args:
        distances: those of all points, [n, n].
        labels: the points' classes.
        multiplier: how much badness counts.
        score: how alike two clusterings are.
    """

    def __init__(self, distances: np.ndarray, labels: np.ndarray, multiplier: float, score: _Score) -> None:
        self.distances, self.labels, self.multiplier, self.score = distances, labels, multiplier, score

    def badness(self, centres: np.ndarray) -> np.float32:
        return np.float32(1.0) - np.float32(self.score(self.labels, _assigned(self.distances, centres)))

    def _best(self, candidates: np.ndarray, scores: np.ndarray, centres_with: Callable[[int], np.ndarray]) -> int:
        bad = np.array([self.badness(centres_with(int(one))) for one in candidates], np.float32)
        return int(candidates[np.argmax(scores + np.float32(self.multiplier) * bad)])

    def greedy(self) -> np.ndarray:
        """One centre after the other, as many as there are classes."""
        centres = np.zeros(0, np.int32)
        for _ in range(len(np.unique(self.labels))):
            candidates = np.setdiff1d(np.arange(len(self.distances), dtype=np.int32), centres)
            nearest = np.minimum(self.distances[centres].min(axis=0, initial=np.inf), self.distances[candidates])

            def joined(one: int, before: np.ndarray = centres) -> np.ndarray:
                return np.append(before, one)

            chosen = self._best(candidates, -nearest.sum(axis=1), joined)
            centres = np.append(centres, np.int32(chosen))
        return centres

    def refined(self, centres: np.ndarray) -> np.ndarray:
        """Centres exchanged for members of their clusters where those are better."""
        for _ in range(_ROUNDS):
            clusters = _assigned(self.distances, centres)
            for index in range(len(centres)):
                members = np.flatnonzero(clusters == index)

                def exchanged(one: int, place: int = index, before: np.ndarray = centres) -> np.ndarray:
                    after = before.copy()
                    after[place] = one
                    return after

                base_scores = -self.distances[np.ix_(members, members)].sum(axis=0)
                centres = exchanged(self._best(members, base_scores, exchanged))
        return centres


def cluster_loss(
    labels: Tensor,
    embeddings: Tensor,
    margin_multiplier: float,
    enable_pam_finetuning: bool = True,
    margin_type: str = "nmi",
    print_losses: bool = False,
) -> Tensor:
    """How much better a wrong clustering looks than the right one, which scikit-learn scores.

    Args:
        labels: int32 vector [batch], the classes.
        embeddings: float matrix [batch, size].
        margin_multiplier: how much the badness of a clustering counts.
        enable_pam_finetuning: whether the centres that are found are refined.
        margin_type: "nmi", "ami", "ari", "vmeasure" or "const", how clusterings are compared.
        print_losses: whether the loss is printed when it is computed.

    Returns:
        float32 scalar.

    Raises:
        ImportError: without scikit-learn. ValueError: for another margin.

    Example:
        >>> embeddings = tf.nn.l2_normalize(logits, axis=1)
        >>> loss = tf.contrib.losses.metric_learning.cluster_loss(labels, embeddings, 1.0)
    """
    scores = _scores()
    if margin_type not in scores:
        raise ValueError(f"Unrecognized margin_type: {margin_type}")
    distances = pairwise_distance(embeddings)
    labels = squeeze(labels)

    def search(distances: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.floating[Any]]:
        found = _Search(distances, labels, margin_multiplier, scores[margin_type])
        centres = found.greedy()
        if enable_pam_finetuning:
            centres = found.refined(centres)
        return centres.astype(np.int32), np.float32(1.0) - found.badness(centres)

    # Which points are centres has no gradient; how far the others are from them has.
    centres, score = py_func(search, [distances, labels], ["int32", "float32"], name=margin_type)
    centres.set_shape([None])
    score.set_shape([])
    found_energy = -1.0 * reduce_sum(reduce_min(composing.gather(distances, centres), axis=0))
    classes, places = unique(labels)
    same = composing.cast(raw.Equal(raw.ExpandDims(labels, 0), raw.ExpandDims(labels, 1)), distances.dtype)
    inside = reduce_sum(distances * same, axis=0)
    right_energy = -1.0 * reduce_sum(raw.UnsortedSegmentMin(inside, places, composing.size(classes)))
    difference = found_energy + margin_multiplier * (1.0 - score) - right_energy
    loss = raw.Maximum(difference, 0.0, name="clustering_loss")
    loss.set_shape([])
    if print_losses:
        loss = Print(loss, ["clustering_loss: ", loss, composing.shape(loss)])
    scalar("losses/score_pred", found_energy)
    scalar(f"losses/{margin_type}", score)
    scalar("losses/score_gt", right_energy)
    return loss
