"""Networks over feature columns: classifiers, regressors, and estimators with a head of one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.canned import Classifier, ScoredRegressor
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.columns_models import dnn_model_fn
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.heads import Head, regression_head
from headrace.ops.nn.activations import relu

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class DNNEstimator(Estimator):
    """A network with a head of one's own.

    Args:
        head: a `Head`.
        hidden_units: how many units each layer has.
        feature_columns: columns of `tf.contrib.layers` or `tf.feature_column`.
        model_dir: the folder of checkpoints and summaries.
        optimizer: an optimizer, or a function that returns one; Adagrad with rate 0.05 by default.
        activation_fn: of the layers.
        dropout: the part of units that is left out in training.
        gradient_clip_norm: the largest global norm of gradients.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        embedding_lr_multipliers: from embedding column to factor of its gradients.
        input_layer_min_slice_size: the least size of parts of the input layer's variables, in bytes.
    """

    def __init__(
        self,
        head: Head,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        super().__init__(
            dnn_model_fn,
            model_dir,
            config,
            {
                "head": head,
                "hidden_units": hidden_units,
                "feature_columns": tuple(feature_columns or ()),
                "optimizer": optimizer,
                "activation_fn": activation_fn,
                "dropout": dropout,
                "gradient_clip_norm": gradient_clip_norm,
                "embedding_lr_multipliers": embedding_lr_multipliers,
                "input_layer_min_slice_size": input_layer_min_slice_size,
            },
            feature_engineering_fn,
        )


class DNNClassifier(Classifier, DNNEstimator):
    """A network that tells classes apart.

    Args:
        hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, gradient_clip_norm, config,
            feature_engineering_fn, embedding_lr_multipliers, input_layer_min_slice_size: see `DNNEstimator`.
        n_classes: how many classes there are.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        label_keys: the labels' words where these are strings.

    Example:
        >>> x, y = np.float32([[0, 1], [1, 0], [1, 1], [0, 0]]), np.array([0, 1, 2, 0])
        >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input(x)
        >>> classifier = tf.contrib.learn.DNNClassifier([10, 20, 10], columns, n_classes=3, model_dir="model")
        >>> classifier.fit(x, y, steps=20)
        >>> list(classifier.predict_classes(x[:3]))
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
    ) -> None:
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        DNNEstimator.__init__(
            self,
            head,
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            gradient_clip_norm,
            config,
            feature_engineering_fn,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )


class DNNRegressor(ScoredRegressor, DNNEstimator):
    """A network that predicts numbers.

    Args:
        hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, gradient_clip_norm, config,
            feature_engineering_fn, embedding_lr_multipliers, input_layer_min_slice_size: see `DNNEstimator`.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        label_dimension: how many numbers an example has.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Any,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        optimizer: Any = None,
        activation_fn: Callable[..., Any] | None = relu,
        dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        label_dimension: int = 1,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        head = regression_head(
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
        )
        DNNEstimator.__init__(
            self,
            head,
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            gradient_clip_norm,
            config,
            feature_engineering_fn,
            embedding_lr_multipliers,
            input_layer_min_slice_size,
        )
