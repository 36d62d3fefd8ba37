"""k-means, on all points at once or in batches.

S. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28 (1982); D. Sculley, "Web-scale
k-means clustering", WWW 2010.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.factorization.initial_clusters import (
    KMC2_INIT,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    InitialClusters,
)
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.math.segments import unsorted_segment_sum
from headrace.functions.nn.moments import l2_normalize
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, identity, transpose
from headrace.kernels.composing.filling import ones, ones_like, zeros, zeros_like
from headrace.kernels.composing.shapes import rank, shape, size, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.unique import unique
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import reciprocal, square
from headrace.state.updates import assign, assign_sub, scatter_add
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


__all__ = [
    "COSINE_DISTANCE",
    "KMC2_INIT",
    "KMEANS_PLUS_PLUS_INIT",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "KMeans",
]

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
CLUSTERS_VAR_NAME = "clusters"

_SMALL = 1e-6  # so that a cluster without points does not divide by zero


class KMeans:
    """Builds the graph of k-means clustering.

    Args:
        inputs: float32 points [count, dims], or a list of such.
        num_clusters: how many clusters, an int or an int32 scalar; unused where the centers are given.
        initial_clusters: "random", "kmeans_plus_plus" or "kmc2"; or the centers [num_clusters, dims]; or a function of
            (inputs, how many are wanted) to centers.
        distance_metric: "squared_euclidean" or "cosine".
        use_mini_batch: whether the points come in batches, so that centers are moved a step at a time.
        mini_batch_steps_per_iteration: after how many batches the moved centers become those that points are
            assigned to.
        random_seed: the seed of the initialization.
        kmeans_plus_plus_num_retries: how many points k-means++ draws more for each center; negative for a number that
            grows with the number of clusters.
        kmc2_chain_length: how many points each center of k-MC2 is chosen from.

    Raises:
        ValueError: for an unknown initialization or metric.

    Example:
        >>> points = tf.constant([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]])
        >>> kmeans = tf.contrib.factorization.KMeans([points], 2, use_mini_batch=False)
        >>> scores, cluster_idx, distances, initialized, init_op, train_op = kmeans.training_graph()
    """

    def __init__(
        self,
        inputs: TensorLike,
        num_clusters: TensorLike | None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int | None = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        methods = (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT, KMC2_INIT)
        if isinstance(initial_clusters, str) and initial_clusters not in methods:
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")
        self._inputs = inputs if isinstance(inputs, list) else [inputs]
        self._num_clusters = num_clusters
        self._initial_clusters = initial_clusters
        self._cosine = distance_metric == COSINE_DISTANCE
        self._batches = use_mini_batch
        self._steps = int(mini_batch_steps_per_iteration)
        self._seed = random_seed
        self._num_retries = kmeans_plus_plus_num_retries
        self._chain_length = kmc2_chain_length

    def training_graph(self) -> tuple[Any, Any, Any, Any, Any, Any]:
        """Builds the ops.

        Returns:
            (`all_scores`, the distances of each part's points to all centers; `cluster_idx`, the cluster of each point;
            `scores`, the distances to it; `cluster_centers_initialized`, a bool variable; `init_op`, which chooses the
            centers; `training_op`, which moves them). The first three are tuples with an entry for each part of the
            inputs.
        """
        initial = self._initial_clusters
        if isinstance(initial, str) or callable(initial):
            num_clusters = convert_to_tensor(self._num_clusters)
        else:
            initial = convert_to_tensor(initial)
            num_clusters = shape(initial)[0]
        centers, initialized, counts, updated, steps_left = self._variables(num_clusters)
        init_op = InitialClusters(
            self._inputs,
            num_clusters,
            initial,
            self._cosine,
            self._seed,
            self._num_retries,
            self._chain_length,
            centers,
            updated,
            initialized,
        ).op()
        inputs, used = self._inputs, centers
        if self._cosine:
            inputs = [_colocated(part, lambda part=part: l2_normalize(part, dim=1)) for part in inputs]
            if not self._centers_are_normalized():
                used = l2_normalize(centers, dim=1)
        all_scores, scores, cluster_idx = self._assigned(inputs, used)
        if self._batches:
            with control_dependencies([self._synchronized(steps_left, centers, updated, counts)]):
                training_op: Operation | Tensor = self._moved_by_batch(inputs, cluster_idx, updated, counts)
        else:
            training_op = self._moved(inputs, num_clusters, cluster_idx, centers)
        return all_scores, cluster_idx, scores, initialized, init_op, training_op

    def _centers_are_normalized(self) -> bool:
        return self._cosine and (not self._batches or self._steps > 1)

    def _variables(self, num_clusters: Tensor) -> tuple[Any, Any, Any, Any, Any]:
        empty = constant([], dtype="float32")
        # References whatever variables are by default: they come to have other shapes than they begin with.
        centers = VariableV1(empty, name=CLUSTERS_VAR_NAME, validate_shape=False, use_resource=False)
        initialized = VariableV1(False, dtype="bool", name="initialized", use_resource=False)
        if self._batches and self._steps > 1:
            updated = VariableV1(empty, name="clusters_updated", validate_shape=False, use_resource=False)
            steps_left = VariableV1(self._steps, dtype="int64", name="update_in_steps", use_resource=False)
            counts = VariableV1(zeros([num_clusters], dtype="int64"), use_resource=False)
            return centers, initialized, counts, updated, steps_left
        # The counts begin at 1, so that the first batch does not replace the centers.
        ones_or_none: Variable | None = None
        if self._batches:
            ones_or_none = VariableV1(ones([num_clusters], dtype="int64"), use_resource=False)
        return centers, initialized, ones_or_none, centers, None

    def _distances(self, inputs: list[Any], centers: Tensor | Variable) -> list[Tensor]:
        if self._cosine:
            return [_colocated(part, lambda part=part: 1 - matmul(part, centers, transpose_b=True)) for part in inputs]

        def squared(part: Tensor) -> Tensor:
            return (
                reduce_sum(square(part), 1, keepdims=True)
                - 2 * matmul(part, centers, transpose_b=True)
                + transpose(reduce_sum(square(centers), 1, keepdims=True))
            )

        return [_colocated(part, lambda part=part: squared(part)) for part in inputs]

    def _assigned(self, inputs: list[Any], centers: Tensor | Variable) -> Any:
        every = self._distances(inputs, centers)
        if self._cosine and not self._centers_are_normalized():
            with colocate_with(centers, ignore_existing=True):
                centers = l2_normalize(centers, dim=1)
        results = []
        for part, scores in zip(inputs, every, strict=True):
            with colocate_with(part, ignore_existing=True):
                indices, distances = raw.NearestNeighbors(part, centers, 1)
                if self._cosine:
                    distances *= 0.5
                results.append((scores, squeeze(distances, [-1]), squeeze(indices, [-1])))
        return zip(*results, strict=True)

    def _synchronized(
        self, steps_left: Variable | None, centers: Variable, updated: Variable, counts: Variable
    ) -> Operation | Tensor:
        """Lets the moved centers be those that points are assigned to, once in so many steps."""
        if steps_left is None:
            return no_op()

        def take_over() -> Tensor:
            with control_dependencies([assign(steps_left, self._steps - 1)]):
                with colocate_with(updated, ignore_existing=True):
                    new = l2_normalize(updated, dim=1) if self._cosine else updated
                with colocate_with(centers, ignore_existing=True):
                    taken = assign(centers, new)
                with control_dependencies([taken]):
                    reset = assign(counts, zeros_like(counts))
                with control_dependencies([reset]):
                    return identity(steps_left)

        with colocate_with(steps_left, ignore_existing=True):
            return cond(steps_left <= 0, take_over, lambda: assign_sub(steps_left, 1))

    def _moved_by_batch(self, inputs: list[Any], cluster_idx: Any, centers: TensorLike, counts: Any) -> Operation:
        """Moves centers toward the means of their points, by less the more points they have seen (Sculley 2010)."""
        updates = []
        for part, clusters in zip(inputs, cluster_idx, strict=True):
            with colocate_with(part, ignore_existing=True):
                clusters = reshape(clusters, [-1])
                seen, places = unique(clusters)
                count = size(seen)
                with colocate_with(counts, ignore_existing=True):
                    old_counts = gather(counts, seen)
                with colocate_with(centers, ignore_existing=True):
                    old_centers = gather(centers, seen)
                more = unsorted_segment_sum(ones_like(places, dtype=counts.dtype), places, count)
                move = unsorted_segment_sum(part, places, count)
                columns = concat([reshape(count, [1]), ones(reshape(rank(part) - 1, [1]), dtype="int32")], 0)
                move -= cast(reshape(more, columns), part.dtype) * old_centers
                rate = reshape(reciprocal(cast(old_counts + more, part.dtype)), columns)
                move *= rate
            updates += [scatter_add(counts, seen, more), scatter_add(centers, seen, move)]
            # The paper's rate is 1 / (n + k). In 1.15 nothing says which comes first, and the new count is read nearly always:
            # numbers are those of 1.15's programs.
            old_counts.op._add_control_input(updates[-2].op)
        return group(*updates)

    def _moved(self, inputs: list[Any], num_clusters: Tensor, cluster_idx: Sequence[Tensor], centers: Variable) -> Any:
        sums, counts = [], []
        small = constant(_SMALL, dtype=inputs[0].dtype)
        for part, clusters in zip(inputs, cluster_idx, strict=True):
            with colocate_with(part, ignore_existing=True):
                sums.append(unsorted_segment_sum(part, clusters, num_clusters))
                each = reshape(ones(reshape(shape(part)[0], [-1])), [-1, 1])
                counts.append(unsorted_segment_sum(each, clusters, num_clusters))
        with colocate_with(centers, ignore_existing=True):
            means = add_n(sums) / (cast(add_n(counts), sums[0].dtype) + small)
            if self._centers_are_normalized():
                means = l2_normalize(means, dim=1)
        return assign(centers, means)


def _colocated(part: TensorLike, build: Callable[..., Any]) -> Tensor:
    with colocate_with(part, ignore_existing=True):
        return build()
