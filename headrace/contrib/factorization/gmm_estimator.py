"""`GMM`: mixtures of Gaussians as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.factorization.cluster_initializing import CountStepsHook, InitializeClustersHook
from headrace.contrib.factorization.mixtures import FULL_COVARIANCE, GmmAlgorithm, gmm
from headrace.contrib.framework.variables import local_variable
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import with_dependencies
from headrace.state.global_step import get_global_step
from headrace.state.updates import assign_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _points(features: Any) -> Tensor:
    """The points of a tensor, or of a dict of tensors in the order of its keys."""
    if not isinstance(features, dict):
        return features
    parts = [features[key] for key in sorted(features)]
    return concat(parts, 1) if len(parts) > 1 else parts[0]


class GMM(Estimator):
    """An estimator that fits a mixture of Gaussians.

    Args:
        num_clusters: the number of Gaussians.
        model_dir: the folder of checkpoints and summaries.
        random_seed: the seed of random means.
        params: which parameters are fitted, of "w" (weights), "m" (means), "c" (covariances).
        initial_clusters: "random", or the means to begin with [num_clusters, dims].
        covariance_type: "full" or "diag".
        config: a `RunConfig`.

    Example:
        >>> points = np.float32([[0, 0], [0, 1], [1, 0], [8, 8], [8, 9], [9, 8]])
        >>> mixture = tf.contrib.factorization.GMM(2, initial_clusters=points[[0, 3]])
        >>> mixture.fit(input_fn=lambda: (tf.constant(points), None), steps=10)
        >>> mixture.clusters()
    """

    SCORES = "scores"
    LOG_LIKELIHOOD = "loss"
    ASSIGNMENTS = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        random_seed: int = 0,
        params: str = "wmc",
        initial_clusters: Any = "random",
        covariance_type: str = FULL_COVARIANCE,
        config: Any = None,
    ) -> None:
        self._num_clusters, self._fitted, self._start = num_clusters, params, initial_clusters
        self._covariance_type, self._random_seed = covariance_type, random_seed
        super().__init__(self._build, model_dir, config)

    def _build(self, features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
        """The graph of the mixture. There are no labels."""
        if labels is not None:
            raise ValueError(f"Clusters are found without labels, but input_fn returns {labels}.")
        loss, scores, assignments, step, init_op, initialized = gmm(
            _points(features),
            self._start,
            self._num_clusters,
            self._random_seed,
            self._covariance_type,
            self._fitted,
        )
        counted = assign_add(get_global_step(), 1)
        summed = local_variable(constant(0.0))
        # A tensor is a metric that adds nothing up.
        metrics: dict[str, Any] = {self.SCORES: scores, self.LOG_LIKELIHOOD: (summed, summed.assign_add(loss))}
        return ModelFnOps(
            mode,
            predictions={self.ASSIGNMENTS: assignments[0][0]},
            loss=loss,
            train_op=with_dependencies([step], loss),
            eval_metric_ops=metrics,
            training_hooks=[InitializeClustersHook(init_op, initialized, config.is_chief), CountStepsHook(counted)],
        )

    def predict_assignments(
        self,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Iterator[Any]:
        """The number of the likeliest Gaussian of each point.

        Args:
            input_fn: returns (points, None).
            batch_size: of points, for estimators that are given arrays.
            outputs: which predictions are made; all by default.
        """
        for prediction in self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs, as_iterable=True):
            yield prediction[self.ASSIGNMENTS]

    def score(
        self, input_fn: Callable[[], Any] | None = None, batch_size: int | None = None, steps: int | None = None
    ) -> Any:
        """The logarithm of the sum of the likelihoods of the points, those of the last batch.

        Args:
            input_fn: returns (points, None).
            batch_size: of points, for estimators that are given arrays.
            steps: over how many batches.
        """
        results = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return np.log(np.sum(np.exp(results[self.SCORES])))

    def weights(self) -> Any:
        """The weights of the Gaussians."""
        return self.get_variable_value(GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> Any:
        """The means of the Gaussians, as a matrix."""
        return np.squeeze(self.get_variable_value(GmmAlgorithm.CLUSTERS_VARIABLE), axis=1)

    def covariances(self) -> Any:
        """The covariances of the Gaussians: matrices, or their diagonals."""
        return self.get_variable_value(GmmAlgorithm.CLUSTERS_COVS_VARIABLE)
