"""A linear model and a network over feature columns, trained together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.canned import Classifier, ScoredRegressor
from headrace.contrib.learn.classification_heads import multi_class_head
from headrace.contrib.learn.columns_models import MIN_SLICE, combined_model_fn
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.heads import Head, regression_head
from headrace.ops.nn.activations import relu
from headrace.state.partitioned import min_max_variable_partitioner

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a network whose logits are added, with a head of one's own.

    Args:
        head: a `Head`.
        model_dir: the folder of checkpoints and summaries.
        linear_feature_columns: the columns of the linear model.
        linear_optimizer: its optimizer, FTRL by default.
        _joint_linear_weights: whether its weights lie in one variable.
        dnn_feature_columns: the columns of the network.
        dnn_optimizer: its optimizer, Adagrad by default.
        dnn_hidden_units: how many units each of its layers has.
        dnn_activation_fn: the function of its layers, relu by default.
        dnn_dropout: the part of its units that is left out in training.
        gradient_clip_norm: the largest global norm of gradients.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        embedding_lr_multipliers: from embedding column to factor of its gradients.
        fix_global_step_increment_bug: whether a step counts once, rather than once for each of the two parts.
        input_layer_partitioner: how the variables of the input layer are partitioned.

    Raises:
        ValueError: if there are no columns.
    """

    def __init__(
        self,
        head: Head,
        model_dir: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = None,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: Any = None,
        fix_global_step_increment_bug: bool = False,
        input_layer_partitioner: Any = None,
        *,
        input_layer_min_slice_size: int | None = None,
    ) -> None:
        linear_columns, dnn_columns = tuple(linear_feature_columns or ()), tuple(dnn_feature_columns or ())
        if not linear_columns and not dnn_columns:
            raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
        params = {
            "head": head,
            "linear_feature_columns": linear_columns,
            "linear_optimizer": linear_optimizer,
            "joint_linear_weights": _joint_linear_weights,
            "dnn_feature_columns": dnn_columns,
            "dnn_optimizer": dnn_optimizer,
            "dnn_hidden_units": dnn_hidden_units,
            "dnn_activation_fn": relu if dnn_activation_fn is None else dnn_activation_fn,
            "dnn_dropout": dnn_dropout,
            "gradient_clip_norm": gradient_clip_norm,
            "embedding_lr_multipliers": embedding_lr_multipliers,
            "fix_global_step_increment_bug": fix_global_step_increment_bug,
            "input_layer_partitioner": input_layer_partitioner
            or min_max_variable_partitioner(
                max_partitions=0 if config is None else config.num_ps_replicas,
                min_slice_size=input_layer_min_slice_size or MIN_SLICE,
            ),
        }
        super().__init__(combined_model_fn, model_dir, config, params, feature_engineering_fn)


class DNNLinearCombinedClassifier(Classifier, DNNLinearCombinedEstimator):
    """A linear model and a network that tell classes apart.

    Args:
        n_classes: how many classes there are.
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        input_layer_min_slice_size: the least size of parts of the input layer's variables, in bytes.
        label_keys: the labels' words where these are strings.

    The other arguments are those of `DNNLinearCombinedEstimator`.

    Example:
        >>> x = tf.contrib.layers.real_valued_column("x")
        >>> wide, deep = [tf.contrib.layers.bucketized_column(x, [0.3, 0.6])], [x]
        >>> classifier = tf.contrib.learn.DNNLinearCombinedClassifier(
        ...     model_dir="model", linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[100, 50])
        >>> classifier.fit(input_fn=input_fn, steps=200)
    """

    def __init__(
        self,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        label_keys: Any = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = multi_class_head(
            n_classes,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
            label_keys=label_keys,
        )
        DNNLinearCombinedEstimator.__init__(
            self,
            head,
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            config,
            feature_engineering_fn,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )


class DNNLinearCombinedRegressor(ScoredRegressor, DNNLinearCombinedEstimator):
    """A linear model and a network that predict numbers.

    Args:
        weight_column_name: the key of the examples' weights among the features.
        enable_centered_bias: whether the head learns a bias of its own.
        label_dimension: how many numbers an example has.
        input_layer_min_slice_size: the least size of parts of the input layer's variables, in bytes.

    The other arguments are those of `DNNLinearCombinedEstimator`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        weight_column_name: str | None = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = None,
        _joint_linear_weights: bool = False,
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = None,
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Callable[..., Any] | None = relu,
        dnn_dropout: float | None = None,
        gradient_clip_norm: float | None = None,
        enable_centered_bias: bool = False,
        label_dimension: int = 1,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        embedding_lr_multipliers: Any = None,
        input_layer_min_slice_size: int | None = None,
        fix_global_step_increment_bug: bool = False,
    ) -> None:
        head = regression_head(
            label_dimension=label_dimension,
            weight_column_name=weight_column_name,
            enable_centered_bias=enable_centered_bias,
        )
        DNNLinearCombinedEstimator.__init__(
            self,
            head,
            model_dir,
            linear_feature_columns,
            linear_optimizer,
            _joint_linear_weights,
            dnn_feature_columns,
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            gradient_clip_norm,
            config,
            feature_engineering_fn,
            embedding_lr_multipliers,
            fix_global_step_increment_bug,
            input_layer_min_slice_size=input_layer_min_slice_size,
        )
