"""Wide and deep models: a linear model and a network that are trained together.

Cheng et al., "Wide & deep learning for recommender systems", Workshop on Deep Learning for Recommender Systems (2016).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.collections import GraphKeys
from headrace.core.defaults import control_dependencies, get_collection
from headrace.core.tensor import Tensor
from headrace.estimator.canned.dnn import Activation, dnn_logit_fn_builder
from headrace.estimator.canned.layer_summaries import summarize_layer
from headrace.estimator.canned.linear import default_learning_rate, linear_logit_fn_builder
from headrace.estimator.canned.optimizers import get_optimizer_instance
from headrace.estimator.canned.partitioning import check_features, hidden_partitioner, input_partitioner
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.canned_heads import binary_or_multi_class_head, regression_head
from headrace.estimator.model_fn import EstimatorSpec
from headrace.losses.weighting import Reduction
from headrace.ops.flow.grouping import group
from headrace.ops.nn.activations import relu
from headrace.optimizers.sync_replicas import SyncReplicasOptimizer
from headrace.state.global_step import get_global_step
from headrace.state.updates import assign_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import Partitioner
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.warm_start import WarmStartSettings

DNN_LEARNING_RATE = 0.001
LINEAR_LEARNING_RATE = 0.005


class _Parts(NamedTuple):
    """The settings of both parts, as the constructors take them."""

    linear_feature_columns: Sequence[Any]
    linear_optimizer: Any
    linear_sparse_combiner: str
    dnn_feature_columns: Sequence[Any]
    dnn_optimizer: Any
    dnn_hidden_units: Sequence[int] | None
    dnn_activation_fn: Activation | None
    dnn_dropout: float | None
    batch_norm: bool
    input_layer_partitioner: Partitioner | None


def check_not_synchronized(optimizer: Any) -> Any:
    """An optimizer of a part of a model.

    Raises:
        ValueError: for one that waits for replicas, which would count the steps of each part.
    """
    if isinstance(optimizer, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is not supported in "
            "DNNLinearCombined model. If you want to use this optimizer, please use either DNN or Linear model."
        )
    return optimizer


def _dnn_logits(features: Any, mode: str, units: int, parts: _Parts, config: RunConfig | None) -> tuple[Tensor, str]:
    """The logits of the network, and the scope of its variables."""
    if not parts.dnn_hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    partitioner = hidden_partitioner(config)
    with variable_scope("dnn", values=tuple(features.values()), partitioner=partitioner) as scope:
        logit_fn = dnn_logit_fn_builder(
            units,
            parts.dnn_hidden_units,
            parts.dnn_feature_columns,
            parts.dnn_activation_fn,
            parts.dnn_dropout,
            parts.input_layer_partitioner or input_partitioner(config),
            parts.batch_norm,
        )
        return logit_fn(features=features, mode=mode), scope.name


def _linear_logits(features: Any, units: int, parts: _Parts, config: RunConfig | None) -> tuple[Tensor, str]:
    """The logits of the linear model, and the scope of its variables."""
    partitioner = parts.input_layer_partitioner or input_partitioner(config)
    with variable_scope("linear", values=tuple(features.values()), partitioner=partitioner) as scope:
        logit_fn = linear_logit_fn_builder(units, parts.linear_feature_columns, parts.linear_sparse_combiner)
        logits = logit_fn(features=features)
        summarize_layer(logits, scope.name)
        return logits, scope.name


def _combined_model_fn(
    features: Any, labels: Any, mode: str, head: Any, parts: _Parts, config: RunConfig | None
) -> EstimatorSpec:
    check_features(features)
    trained: list[tuple[Any, str]] = []
    logits: Any = None
    if parts.dnn_feature_columns:
        optimizer = check_not_synchronized(get_optimizer_instance(parts.dnn_optimizer, learning_rate=DNN_LEARNING_RATE))
        logits, scope = _dnn_logits(features, mode, head.logits_dimension, parts, config)
        trained.append((optimizer, scope))
    if parts.linear_feature_columns:
        rate = default_learning_rate(parts.linear_feature_columns, LINEAR_LEARNING_RATE)
        optimizer = check_not_synchronized(get_optimizer_instance(parts.linear_optimizer, learning_rate=rate))
        of_linear, scope = _linear_logits(features, head.logits_dimension, parts, config)
        trained.append((optimizer, scope))
        logits = of_linear if logits is None else logits + of_linear

    def train_op_fn(loss: Tensor) -> Any:
        steps = [
            optimizer.minimize(loss, var_list=get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=scope))
            for optimizer, scope in trained
        ]
        with control_dependencies([group(*steps)]):
            return assign_add(get_global_step(), 1).op

    return head.create_estimator_spec(
        features=features, mode=mode, labels=labels, train_op_fn=train_op_fn, logits=logits
    )


def combined_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    linear_feature_columns: Iterable[Any] | None = None,
    linear_optimizer: Any = "Ftrl",
    dnn_feature_columns: Iterable[Any] | None = None,
    dnn_optimizer: Any = "Adagrad",
    dnn_hidden_units: Sequence[int] | None = None,
    dnn_activation_fn: Activation | None = relu,
    dnn_dropout: float | None = None,
    input_layer_partitioner: Partitioner | None = None,
    config: RunConfig | None = None,
    batch_norm: bool = False,
    linear_sparse_combiner: str = "sum",
) -> EstimatorSpec:
    """The model function of a linear model and a network together.

    Args:
        features, labels, mode, head, config: as of any model function.
        linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
            dnn_dropout, input_layer_partitioner, batch_norm, linear_sparse_combiner: as of `DNNLinearCombinedClassifier`.

    Raises:
        ValueError: without columns, for a network without hidden units, or if the features are no dictionary.
    """
    parts = _Parts(
        list(linear_feature_columns or []),
        linear_optimizer,
        linear_sparse_combiner,
        list(dnn_feature_columns or []),
        dnn_optimizer,
        dnn_hidden_units,
        dnn_activation_fn,
        dnn_dropout,
        batch_norm,
        input_layer_partitioner,
    )
    return _model_fn(head, parts)(features, labels, mode, config)


def _model_fn(head: Any, parts: _Parts) -> Callable[..., EstimatorSpec]:
    columns = [*parts.linear_feature_columns, *parts.dnn_feature_columns]
    if not columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig | None) -> EstimatorSpec:
        return _combined_model_fn(features, labels, mode, head, parts, config)

    return model_fn


class DNNLinearCombinedClassifier(Estimator):
    """A classifier by a linear model and a network together.

    Args:
        model_dir: the folder of checkpoints and summaries.
        linear_feature_columns, linear_optimizer: the columns of the linear model, and what trains it.
        dnn_feature_columns, dnn_optimizer: the dense columns of the network, and what trains it.
        dnn_hidden_units: the sizes of its hidden layers.
        dnn_activation_fn: of each hidden layer.
        dnn_dropout: which part of the activations is dropped in training, or None.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        input_layer_partitioner: how tables and linear weights are parted.
        config: a `RunConfig`.
        warm_start_from: a checkpoint, or a `WarmStartSettings`, from which variables take their first values.
        loss_reduction: how the losses of a batch become one.
        batch_norm: whether each hidden layer is normalized.
        linear_sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".

    Raises:
        ValueError: without columns; for a network without hidden units.

    Example:
        >>> words = tf.feature_column.categorical_column_with_hash_bucket("words", 1000)
        >>> embedded = tf.feature_column.embedding_column(words, 8)
        >>> estimator = tf.estimator.DNNLinearCombinedClassifier(
        ...     linear_feature_columns=[words], dnn_feature_columns=[embedded], dnn_hidden_units=[16, 8]
        ... )
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Activation | None = relu,
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        parts = _Parts(
            list(linear_feature_columns or []),
            linear_optimizer,
            linear_sparse_combiner,
            list(dnn_feature_columns or []),
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
            input_layer_partitioner,
        )
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, parts), model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressor(Estimator):
    """A regression by a linear model and a network together.

    Args:
        label_dimension: how many numbers an example has.
        model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units,
            dnn_activation_fn, dnn_dropout, weight_column, input_layer_partitioner, config, warm_start_from,
            loss_reduction, batch_norm, linear_sparse_combiner: as of `DNNLinearCombinedClassifier`.
    """

    def __init__(
        self,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Activation | None = relu,
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        parts = _Parts(
            list(linear_feature_columns or []),
            linear_optimizer,
            linear_sparse_combiner,
            list(dnn_feature_columns or []),
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
            input_layer_partitioner,
        )
        head = regression_head(weight_column, label_dimension, loss_reduction)
        super().__init__(_model_fn(head, parts), model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNLinearCombinedEstimator(Estimator):
    """A linear model and a network together, whose head is given.

    Args:
        head: what the logits mean.
        model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units,
            dnn_activation_fn, dnn_dropout, input_layer_partitioner, config, linear_sparse_combiner: as of
            `DNNLinearCombinedClassifier`.
    """

    def __init__(
        self,
        head: Any,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Activation | None = relu,
        dnn_dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        parts = _Parts(
            list(linear_feature_columns or []),
            linear_optimizer,
            linear_sparse_combiner,
            list(dnn_feature_columns or []),
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            False,
            input_layer_partitioner,
        )
        super().__init__(_model_fn(head, parts), model_dir=model_dir, config=config)
