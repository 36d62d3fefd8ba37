"""`KMeansClustering`: k-means as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.factorization.cluster_initializing import CountStepsHook, InitializeClustersHook
from headrace.contrib.factorization.kmeans import (
    CLUSTERS_VAR_NAME,
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from headrace.core.convert import convert_to_tensor
from headrace.estimator.estimator import Estimator
from headrace.estimator.model_fn import EstimatorSpec
from headrace.feature_column.input_layer import input_layer
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arranging import concat
from headrace.metrics.means import mean
from headrace.ops.flow.grouping import with_dependencies
from headrace.saved_model import names
from headrace.saved_model.export_output import PredictOutput
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from headrace.state.global_step import get_global_step
from headrace.state.updates import assign_add
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.run_config import RunConfig


class LossRelativeChangeHook(SessionRunHook):
    """Ends training when the loss changes little from one step to the next."""

    def __init__(self, loss: Tensor, tolerance: float) -> None:
        self._loss, self._tolerance = loss, tolerance
        self._previous: float | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Asks for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Compares it with that of the step before."""
        loss = run_values.results
        if self._previous is not None:
            change = abs(loss - self._previous) / (1.0 + abs(self._previous))
            if change < self._tolerance:
                run_context.request_stop()
        self._previous = loss


def _points(features: Any, feature_columns: Sequence[Any] | None) -> Tensor:
    """The points of a tensor, or of a dict of tensors in the order of its keys."""
    if feature_columns:
        return input_layer(features, feature_columns)
    if not isinstance(features, Mapping):
        return convert_to_tensor(features)
    if not features:
        raise ValueError("features must not be an empty dict.")
    return concat([convert_to_tensor(features[key]) for key in sorted(features)], 1)


class _ModelFn:
    """The model function; arguments as of `KMeansClustering`."""

    def __init__(
        self,
        settings: Mapping[str, Any],
        relative_tolerance: float | None,
        feature_columns: Sequence[Any] | None,
        seed_of: Callable[[int | None], int | None],
    ) -> None:
        self._settings, self._tolerance, self._columns = settings, relative_tolerance, feature_columns
        self._seed_of = seed_of

    def model_fn(self, features: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        """Builds the graph of k-means."""
        points = _points(features, self._columns)
        settings = {**self._settings, "random_seed": self._seed_of(self._settings["random_seed"])}
        distances, indices, losses, initialized, init_op, training_op = KMeans(
            inputs=points, **settings
        ).training_graph()
        loss = reduce_sum(losses)
        scalar("loss/raw", loss)
        hooks: list[SessionRunHook] = [
            InitializeClustersHook(init_op, initialized, config.is_chief),
            CountStepsHook(assign_add(get_global_step(), 1)),
        ]
        train_op = with_dependencies([training_op], loss)
        if self._tolerance is not None:
            hooks.append(LossRelativeChangeHook(loss, self._tolerance))
        by_name = {
            KMeansClustering.ALL_DISTANCES: PredictOutput(distances[0]),
            KMeansClustering.CLUSTER_INDEX: PredictOutput(indices[0]),
            names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(indices[0]),
        }
        return EstimatorSpec(
            mode,
            predictions={
                KMeansClustering.ALL_DISTANCES: distances[0],
                KMeansClustering.CLUSTER_INDEX: indices[0],
            },
            loss=loss,
            train_op=train_op,
            eval_metric_ops={KMeansClustering.SCORE: mean(loss)},
            training_hooks=hooks,
            export_outputs=by_name,
        )


class KMeansClustering(Estimator):
    """An estimator that clusters points by k-means.

    Args:
        num_clusters: how many clusters; unused where the centers are given.
        model_dir: the folder of checkpoints and summaries.
        initial_clusters: "random" or "kmeans_plus_plus"; or the centers [num_clusters, dims]; or a function of (inputs,
            how many are wanted) to centers.
        distance_metric: "squared_euclidean" or "cosine".
        random_seed: the seed of the initialization.
        use_mini_batch: whether a step sees some of the points, and moves centers a bit; else it sees all of them.
        mini_batch_steps_per_iteration: after how many batches the moved centers become those that points are assigned to.
        kmeans_plus_plus_num_retries: how many points k-means++ draws more for each center.
        relative_tolerance: where the loss changes by less than this share in a step, training ends. Not for batches.
        config: a `RunConfig`.
        feature_columns: feature columns that make points of the features; by default the features are points, or a dict
            of columns of points.

    Raises:
        ValueError: for an unknown initialization or metric.

    Example:
        >>> points = np.float32([[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]])
        >>> kmeans = tf.contrib.factorization.KMeansClustering(num_clusters=2, use_mini_batch=False)
        >>> kmeans.train(lambda: tf.train.limit_epochs(tf.constant(points), num_epochs=1))
        >>> kmeans.cluster_centers()
    """

    SQUARED_EUCLIDEAN_DISTANCE = SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = COSINE_DISTANCE
    RANDOM_INIT = RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    ALL_DISTANCES = "all_distances"
    CLUSTER_CENTERS_VAR_NAME = CLUSTERS_VAR_NAME

    def __init__(
        self,
        num_clusters: int | None,
        model_dir: str | None = None,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int | None = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
        feature_columns: Sequence[Any] | None = None,
    ) -> None:
        if isinstance(initial_clusters, str) and initial_clusters not in (RANDOM_INIT, KMEANS_PLUS_PLUS_INIT):
            raise ValueError(f"Unsupported initialization algorithm '{initial_clusters}'")
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise ValueError(f"Unsupported distance metric '{distance_metric}'")
        settings = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "random_seed": random_seed,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
        }
        function = _ModelFn(settings, relative_tolerance, feature_columns, self._op_seed).model_fn
        super().__init__(model_fn=function, model_dir=model_dir, config=config)

    @staticmethod
    def _op_seed(random_seed: int | None) -> int | None:
        """The seed of operations, in the graph of a model."""
        return random_seed

    def predict_cluster_index(self, input_fn: Callable[..., Any]) -> Iterator[Any]:
        """The number of the nearest center of each point.

        Args:
            input_fn: returns points.
        """
        for prediction in self.predict(input_fn, predict_keys=[self.CLUSTER_INDEX]):
            yield prediction[self.CLUSTER_INDEX]

    def score(self, input_fn: Callable[..., Any]) -> Any:
        """The sum of the distances of the points to their nearest centers, squared where distances are Euclidean.

        Args:
            input_fn: returns the points at once.
        """
        return self.evaluate(input_fn)[self.SCORE]

    def transform(self, input_fn: Callable[..., Any]) -> Iterator[Any]:
        """The distances of each point to all centers, squared where they are Euclidean.

        Args:
            input_fn: returns points.
        """
        for prediction in self.predict(input_fn, predict_keys=[self.ALL_DISTANCES]):
            yield prediction[self.ALL_DISTANCES]

    def cluster_centers(self) -> Any:
        """The centers, as a matrix.

        Raises:
            ValueError: if nothing was trained yet.
        """
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)
