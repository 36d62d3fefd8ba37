"""`KMeansClustering` of `tf.contrib.learn`: k-means as an estimator with `fit` and `transform`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.factorization.cluster_initializing import CountStepsHook, InitializeClustersHook
from headrace.contrib.factorization.kmeans import (
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from headrace.contrib.factorization.kmeans_estimator import LossRelativeChangeHook
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arranging import concat
from headrace.ops.flow.grouping import with_dependencies
from headrace.state.global_step import get_global_step
from headrace.state.updates import assign_add
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.run_config import RunConfig
    from headrace.sessions.session_run_hook import SessionRunHook


def _points(features: Any) -> Tensor:
    """Points of a tensor, or of a dict of their columns in the order of keys."""
    if not isinstance(features, Mapping):
        return convert_to_tensor(features)
    return concat([convert_to_tensor(features[key]) for key in sorted(features)], 1)


def _kmeans_clustering_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any
) -> ModelFnOps:
    """The model function; `params` are the arguments of `KMeansClustering`."""
    assert labels is None, f"clusters are found without labels, got {labels!r}"
    settings = {key: value for key, value in params.items() if key != "relative_tolerance"}
    distances, indices, losses, initialized, init_op, training_op = KMeans(
        inputs=_points(features), **settings
    ).training_graph()
    step = assign_add(get_global_step(), 1)
    loss = reduce_sum(losses, name=KMeansClustering.LOSS_OP_NAME)
    scalar("loss/raw", loss)
    metrics: dict[str, Any] = {KMeansClustering.SCORES: loss}
    train_op: Any = with_dependencies([training_op], loss)
    hooks: list[SessionRunHook] = [InitializeClustersHook(init_op, initialized, config.is_chief), CountStepsHook(step)]
    if params["relative_tolerance"] is not None:
        hooks.append(LossRelativeChangeHook(loss, params["relative_tolerance"]))
    return ModelFnOps(
        mode=mode,
        predictions={
            KMeansClustering.ALL_SCORES: distances[0],
            KMeansClustering.CLUSTER_IDX: indices[0],
        },
        eval_metric_ops=metrics,
        loss=loss,
        train_op=train_op,
        training_hooks=hooks,
    )


class KMeansClustering(Estimator):
    """An estimator that clusters points by k-means.

    Args:
        num_clusters: how many clusters.
        model_dir: the folder of checkpoints and summaries.
        initial_clusters: "random" or "kmeans_plus_plus"; or the centers; or a function of (inputs, how many are wanted).
        distance_metric: "squared_euclidean" or "cosine".
        random_seed: the seed of the initialization.
        use_mini_batch: whether a step sees some of the points, and moves centers a bit; else it sees all of them.
        mini_batch_steps_per_iteration: after how many batches the moved centers become those that points are assigned to.
        kmeans_plus_plus_num_retries: how many points k-means++ draws more for each center.
        relative_tolerance: where the loss changes by less than this share in a step, training ends. Not for batches.
        config: a `RunConfig`.

    Example:
        >>> points = np.float32([[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]])
        >>> kmeans = tf.contrib.learn.KMeansClustering(num_clusters=2, use_mini_batch=False)
        >>> kmeans.fit(input_fn=lambda: (tf.constant(points), None), steps=5)
        >>> kmeans.clusters()
    """

    SQUARED_EUCLIDEAN_DISTANCE = SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = COSINE_DISTANCE
    RANDOM_INIT = RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = KMEANS_PLUS_PLUS_INIT
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = "clusters"
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = "kmeans_loss"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
    ) -> None:
        params = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
            "relative_tolerance": relative_tolerance,
        }
        super().__init__(model_fn=_kmeans_clustering_model_fn, params=params, model_dir=model_dir, config=config)

    def predict_cluster_idx(self, input_fn: Callable[[], Any] | None = None) -> Iterator[Any]:
        """The number of the nearest center of each point.

        Args:
            input_fn: returns points.
        """
        for prediction in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX], as_iterable=True):
            yield prediction[self.CLUSTER_IDX]

    def score(self, input_fn: Callable[[], Any] | None = None, steps: int | None = None) -> Any:
        """The sum of the distances of points to their nearest centers, squared where distances are Euclidean.

        Args:
            input_fn: returns points.
            steps: how many batches of them.
        """
        return np.sum(self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES])

    def transform(self, input_fn: Callable[[], Any] | None = None, as_iterable: bool = False) -> Any:
        """The distances of each point to all centers, squared where they are Euclidean.

        Args:
            input_fn: returns points.
            as_iterable: whether to give an iterator over dicts, rather than a matrix.
        """
        results = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES], as_iterable=as_iterable)
        return results if as_iterable else results[self.ALL_SCORES]

    def clusters(self) -> Any:
        """The centers, as a matrix."""
        return self.get_variable_value(self.CLUSTERS)
