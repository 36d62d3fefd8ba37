"""`tf.estimator.experimental.KMeans`: the clustering of `tf.contrib.factorization` as it moved to the estimators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.factorization.kmeans import RANDOM_INIT, SQUARED_EUCLIDEAN_DISTANCE
from headrace.contrib.factorization.kmeans_estimator import KMeansClustering
from headrace.core.random_seed import get_seed

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class KMeans(KMeansClustering):
    """An estimator that clusters points by k-means.

    Args:
        num_clusters: how many clusters; unused where the centers are given.
        seed: the seed of the initialization, where `config` has no `tf_random_seed`: that goes before it.
        model_dir, initial_clusters, distance_metric, use_mini_batch, mini_batch_steps_per_iteration: as of
            `tf.contrib.factorization.KMeansClustering`.
        kmeans_plus_plus_num_retries, relative_tolerance, config, feature_columns: likewise.

    Raises:
        ValueError: for an unknown initialization or metric.

    Example:
        >>> points = np.float32([[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]])
        >>> kmeans = tf.estimator.experimental.KMeans(num_clusters=2, use_mini_batch=False)
        >>> kmeans.train(lambda: tf.train.limit_epochs(tf.constant(points), num_epochs=1))
        >>> kmeans.cluster_centers()
    """

    def __init__(
        self,
        num_clusters: int | None,
        model_dir: str | None = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        seed: int | None = None,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
        feature_columns: Sequence[Any] | None = None,
    ) -> None:
        self._distance_metric = distance_metric
        super().__init__(
            num_clusters,
            model_dir,
            initial_clusters,
            distance_metric,
            seed,
            use_mini_batch,
            mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries,
            relative_tolerance,
            config,
            feature_columns,
        )

    @staticmethod
    def _op_seed(random_seed: int | None) -> int | None:
        # 1.15 takes the first of both seeds, that of the graph.
        return get_seed(random_seed)[0]

    def transform(self, input_fn: Callable[..., Any]) -> Iterator[Any]:
        """The distances of each point to all centers.

        Args:
            input_fn: returns points.
        """
        for distances in super().transform(input_fn):
            # Rounding may leave the square of a distance of zero below it.
            is_squared = self._distance_metric == SQUARED_EUCLIDEAN_DISTANCE
            yield np.sqrt(np.maximum(distances, 0)) if is_squared else distances
