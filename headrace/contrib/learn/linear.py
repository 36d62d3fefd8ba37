"""Linear models over feature columns: classifiers, regressors, and estimators with a head of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.canned import Classifier, Regressor
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.columns_models import linear_model_fn
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.heads import Head, regression_head
from headrace.contrib.learn.sdca_models import SdcaUpdateWeightsHook, sdca_model_fn
from headrace.contrib.linear_optimizer.sdca_optimizer import SDCAOptimizer

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class LinearEstimator(Estimator):
    """A linear model with a head of one's own.

    Args:
        feature_columns: columns of `tf.contrib.layers` or `tf.feature_column`.
        head: a `Head`.
        model_dir: the folder of checkpoints and summaries.
        weight_column_name: the key of the examples' weights among the features, for an `SDCAOptimizer`.
        optimizer: an optimizer, or a function that returns one; FTRL by default. An `SDCAOptimizer` may be one.
        gradient_clip_norm: the largest global norm of gradients.
        _joint_weights: whether all weights lie in one variable; for sparse columns.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.

    Raises:
        AssertionError: if there are no columns.
        ValueError: for joint weights with an `SDCAOptimizer`.
    """

    def __init__(
        self,
        feature_columns: Any,
        head: Head,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        _joint_weights: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if not feature_columns:
            raise AssertionError(f"A linear model needs feature_columns, got {feature_columns!r}")
        params: dict[str, Any] = {"head": head, "feature_columns": feature_columns, "optimizer": optimizer}
        if isinstance(optimizer, SDCAOptimizer):
            if _joint_weights:
                raise ValueError("_joint_weights is incompatible with SDCAOptimizer.")
            params.update(weight_column_name=weight_column_name, update_weights_hook=self._weights_hook())
            super().__init__(sdca_model_fn, model_dir, config, params, feature_engineering_fn)
            return
        params.update(gradient_clip_norm=gradient_clip_norm, joint_weights=_joint_weights)
        super().__init__(linear_model_fn, model_dir, config, params, feature_engineering_fn)

    def _weights_hook(self) -> SdcaUpdateWeightsHook | None:
        """What brings weights up to date while an `SDCAOptimizer` trains."""
        return SdcaUpdateWeightsHook()


class LinearClassifier(Classifier, LinearEstimator):
    """A linear model that tells classes apart.

    Args:
        feature_columns, model_dir, optimizer, gradient_clip_norm, config, feature_engineering_fn: see `LinearEstimator`.
        n_classes: how many classes there are.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        _joint_weight: whether all weights lie in one variable; for sparse columns.
        label_keys: the labels' words where these are strings.

    Raises:
        ValueError: for more than two classes, or a centered bias, with an `SDCAOptimizer`.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> classifier = tf.contrib.learn.LinearClassifier([x], model_dir="model")
        >>> classifier.fit(input_fn=input_fn, steps=100)
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        _joint_weight: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_keys: Any = None,
    ) -> None:
        if isinstance(optimizer, SDCAOptimizer):
            if n_classes != 2:
                raise ValueError("SDCA only applies to binary classification.")
            if enable_centered_bias:
                raise ValueError("enable_centered_bias is not supported with SDCA")
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        LinearEstimator.__init__(
            self,
            feature_columns,
            head,
            model_dir,
            weight_column_name,
            optimizer,
            gradient_clip_norm,
            _joint_weight,
            config,
            feature_engineering_fn,
        )


class LinearRegressor(Regressor, LinearEstimator):
    """A linear model that predicts numbers.

    Args:
        feature_columns, model_dir, optimizer, gradient_clip_norm, config, feature_engineering_fn: see `LinearEstimator`.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        label_dimension: how many numbers an example has.
        _joint_weights: whether all weights lie in one variable; for sparse columns.

    Raises:
        ValueError: for labels of more than one number, or a centered bias, with an `SDCAOptimizer`.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        _joint_weights: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ) -> None:
        if isinstance(optimizer, SDCAOptimizer):
            if label_dimension != 1:
                raise ValueError("SDCA can only be used with label_dimension=1.")
            if enable_centered_bias:
                raise ValueError("enable_centered_bias is not supported with SDCA")
        head = regression_head(
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
        )
        LinearEstimator.__init__(
            self,
            feature_columns,
            head,
            model_dir,
            weight_column_name,
            optimizer,
            gradient_clip_norm,
            _joint_weights,
            config,
            feature_engineering_fn,
        )
