"""Estimators that look at no features: they learn what labels are like on the whole, to measure others against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.optimizers import optimize_loss
from headrace.contrib.learn.canned import Classifier, Regressor
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.columns_models import features_by_name
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.heads import regression_head
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.composite import SparseTensor
from headrace.kernels import composing
from headrace.kernels.composing.filling import zeros
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.run_config import RunConfig

_RATE = 0.3


def debug_model_fn(
    features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: RunConfig | None = None
) -> ModelFnOps:
    """The model function: logits of 0, to which the head adds a bias that it learns.

    Args:
        features, labels: tensors, or dicts of them.
        mode: a `ModeKeys`.
        params: `head`.
        config: a `RunConfig`.

    Raises:
        ValueError: without features.
    """
    head = params["head"]
    by_name = features_by_name(features)
    if not by_name:
        raise ValueError("There are no features: they say how many examples a batch has.")
    sizes = [
        feature.dense_shape[0] if isinstance(feature, SparseTensor) else composing.shape(feature)[0]
        for feature in by_name.values()
    ]
    logits = zeros([sizes[0], head.logits_dimension])

    def train_op_fn(loss: Tensor) -> Any:
        return optimize_loss(loss, get_global_step(), learning_rate=_RATE, optimizer="Adagrad")

    return head.create_model_fn_ops(features=by_name, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits)


class DebugClassifier(Classifier, Estimator):
    """A classifier that looks at no features.

    Args:
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes there are.
        weight_column_name: the key of the examples' weights among the features.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        label_keys: the labels' words where these are strings.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_keys: Any = None,
    ) -> None:
        head = multi_class_head(
            n_classes, weight_column_name=weight_column_name, enable_centered_bias=True, label_keys=label_keys
        )
        Estimator.__init__(self, debug_model_fn, model_dir, config, {"head": head}, feature_engineering_fn)

    # As of any estimator: all predictions, and exports.
    predict = Estimator.predict  # type: ignore[assignment]  # with iterate_batches
    export = Estimator.export  # type: ignore[assignment]  # with prediction_key

    def predict_classes(  # type: ignore[override]  # 1.15's takes no x
        self, input_fn: Callable[[], Any] | None = None, batch_size: int | None = None
    ) -> Any:
        """The likeliest classes, one after the other; arguments as in `BaseEstimator.predict`."""
        return super().predict_classes(input_fn=input_fn, batch_size=batch_size)

    def predict_proba(  # type: ignore[override]  # 1.15's takes no x
        self, input_fn: Callable[[], Any] | None = None, batch_size: int | None = None
    ) -> Any:
        """The probabilities of all classes, one example after the other; arguments as in `BaseEstimator.predict`."""
        return super().predict_proba(input_fn=input_fn, batch_size=batch_size)


class DebugRegressor(Regressor, Estimator):
    """A regressor that looks at no features.

    Args:
        model_dir, weight_column_name, config, feature_engineering_fn: see `DebugClassifier`.
        label_dimension: how many numbers an example has.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column_name: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        head = regression_head(
            weight_column_name=weight_column_name, label_dimension=label_dimension, enable_centered_bias=True
        )
        Estimator.__init__(self, debug_model_fn, model_dir, config, {"head": head}, feature_engineering_fn)

    # As of any estimator: all predictions, and metrics as they are given.
    predict = Estimator.predict  # type: ignore[assignment]  # with iterate_batches
    evaluate = Estimator.evaluate  # type: ignore[assignment]  # with log_progress
    export = Estimator.export  # type: ignore[assignment]  # with prediction_key

    def predict_scores(  # type: ignore[override]  # 1.15's takes no x
        self, input_fn: Callable[[], Any] | None = None, batch_size: int | None = None
    ) -> Any:
        """The scores, one example after the other; arguments as in `BaseEstimator.predict`."""
        return super().predict_scores(input_fn=input_fn, batch_size=batch_size)
