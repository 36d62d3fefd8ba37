"""Estimators of linear models by stochastic dual coordinate ascent, over columns of `tf.contrib.layers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.heads import regression_head
from headrace.contrib.learn.linear import LinearEstimator
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer

if TYPE_CHECKING:
    from headrace.core.typing import Partitioner
    from headrace.estimator.run_config import RunConfig


class _SDCAEstimator(LinearEstimator):
    """What both estimators share.

    Args:
        example_id_column: the key of the feature that tells examples apart, strings.
        feature_columns: columns of `tf.contrib.layers`.
        weight_column_name: the key of the examples' weights among the features.
        model_dir: the folder of checkpoints and summaries.
        head: what the logits mean.
        l1_regularization, l2_regularization: how much weights cost.
        num_loss_partitions: how many train at once; as many as there are workers by default.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        partitioner: how weights are partitioned.
    """

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Iterable[Any],
        weight_column_name: str | None,
        model_dir: str | None,
        head: Any,
        l1_regularization: float,
        l2_regularization: float,
        num_loss_partitions: int | None,
        config: RunConfig | None,
        feature_engineering_fn: Callable[..., Any] | None,
        partitioner: Partitioner | None,
    ) -> None:
        workers = config.num_worker_replicas if config else 1
        optimizer = SDCAOptimizer(
            example_id_column,
            num_loss_partitions=num_loss_partitions or max(1, workers),
            symmetric_l1_regularization=l1_regularization,
            symmetric_l2_regularization=l2_regularization,
            partitioner=partitioner,
        )
        super().__init__(
            tuple(feature_columns),
            head,
            model_dir,
            weight_column_name,
            optimizer,
            config=config,
            feature_engineering_fn=feature_engineering_fn,
        )

    def _each(self, key: str, input_fn: Callable[[], Any] | None) -> Iterator[Any]:
        """One of the predictions, of each example."""
        found: Any = self.predict(input_fn=input_fn, outputs=[key])
        return (prediction[key] for prediction in found)


class SDCALogisticClassifier(_SDCAEstimator):
    """Logistic regression for two classes; arguments as of `SVM`, and `partitioner`, which says how weights are parted."""

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Iterable[Any],
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        partitioner: Partitioner | None = None,
    ) -> None:
        super().__init__(
            example_id_column,
            feature_columns,
            weight_column_name,
            model_dir,
            multi_class_head(2, weight_column_name=weight_column_name),
            l1_regularization,
            l2_regularization,
            num_loss_partitions,
            config,
            feature_engineering_fn,
            partitioner,
        )

    def predict_classes(self, input_fn: Callable[[], Any] | None = None) -> Iterator[Any]:
        """The likelier class of each example that `input_fn` gives."""
        return self._each(PredictionKey.CLASSES, input_fn)

    def predict_proba(self, input_fn: Callable[[], Any] | None = None) -> Iterator[Any]:
        """The probabilities of both classes, of each example that `input_fn` gives."""
        return self._each(PredictionKey.PROBABILITIES, input_fn)


class SDCALinearRegressor(_SDCAEstimator):
    """Linear regression; arguments as of `SDCALogisticClassifier`."""

    def __init__(
        self,
        example_id_column: str,
        feature_columns: Iterable[Any],
        weight_column_name: str | None = None,
        model_dir: str | None = None,
        l1_regularization: float = 0.0,
        l2_regularization: float = 1.0,
        num_loss_partitions: int | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        partitioner: Partitioner | None = None,
    ) -> None:
        super().__init__(
            example_id_column,
            feature_columns,
            weight_column_name,
            model_dir,
            regression_head(weight_column_name=weight_column_name),
            l1_regularization,
            l2_regularization,
            num_loss_partitions,
            config,
            feature_engineering_fn,
            partitioner,
        )

    def predict_scores(self, input_fn: Callable[[], Any] | None) -> Iterator[Any]:
        """The score of each example that `input_fn` gives."""
        return self._each(PredictionKey.SCORES, input_fn)
