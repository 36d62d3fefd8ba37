"""Wide and deep models of 2.x's interface: they train by optimizers of Keras, and losses are means over batches.

Cheng et al., "Wide & deep learning for recommender systems", Workshop on Deep Learning for Recommender Systems (2016).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.estimator.canned.checks_v2 import check_columns_v2, head_of_classes_v2
from headrace.estimator.canned.dnn_linear_combined import (
    DNN_LEARNING_RATE,
    LINEAR_LEARNING_RATE,
    check_not_synchronized,
)
from headrace.estimator.canned.dnn_v2 import dnn_logits_v2
from headrace.estimator.canned.layer_summaries import summarize_layer
from headrace.estimator.canned.linear import default_learning_rate
from headrace.estimator.canned.linear_logits import linear_layer_logits
from headrace.estimator.canned.optimizers import get_optimizer_instance_v2
from headrace.estimator.canned.partitioning import check_features
from headrace.estimator.estimator import EstimatorV2
from headrace.estimator.heads.regression_head import RegressionHead
from headrace.estimator.mode_keys import ModeKeys
from headrace.keras.utils.losses_utils import ReductionV2, scale_loss_for_distribution
from headrace.ops.flow.grouping import group
from headrace.ops.nn.activations import relu
from headrace.state.global_step import get_or_create_global_step

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.canned.dnn import Activation
    from headrace.estimator.heads.base_head import Head
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.warm_start import WarmStartSettings

_LINEAR = "linear"


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
    loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE


class _Trained(NamedTuple):
    """A part of the model that an optimizer trains."""

    optimizer: Any
    variables: Sequence[Any]
    updates: Sequence[Any]


def _combined_model_fn(features: Any, labels: Any, mode: str, head: Head, parts: _Parts) -> EstimatorSpec:
    check_features(features)
    trained: list[_Trained] = []
    logits: Any = None
    units = head.logits_dimension
    if parts.dnn_feature_columns:
        if not parts.dnn_hidden_units:
            raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
        optimizer = parts.dnn_optimizer
        if mode == ModeKeys.TRAIN:
            optimizer = check_not_synchronized(get_optimizer_instance_v2(optimizer, learning_rate=DNN_LEARNING_RATE))
        logits, model = dnn_logits_v2(
            units,
            parts.dnn_hidden_units,
            parts.dnn_feature_columns,
            parts.dnn_activation_fn,
            parts.dnn_dropout,
            parts.batch_norm,
            features,
            mode,
        )
        trained.append(_Trained(optimizer, model.trainable_variables, model.updates))
    if parts.linear_feature_columns:
        rate = default_learning_rate(parts.linear_feature_columns, LINEAR_LEARNING_RATE)
        optimizer = parts.linear_optimizer
        if mode == ModeKeys.TRAIN:
            optimizer = check_not_synchronized(get_optimizer_instance_v2(optimizer, learning_rate=rate))
        check_columns_v2(parts.linear_feature_columns)
        combiner = parts.linear_sparse_combiner
        of_linear, layer = linear_layer_logits(
            features, parts.linear_feature_columns, units, combiner, f"{_LINEAR}/linear_model"
        )
        summarize_layer(of_linear, _LINEAR)
        trained.append(_Trained(optimizer, layer.trainable_variables, layer.updates))
        logits = of_linear if logits is None else logits + of_linear

    def train_op_fn(loss: Tensor) -> Any:
        if parts.loss_reduction == ReductionV2.SUM_OVER_BATCH_SIZE:
            loss = scale_loss_for_distribution(loss)
        # One of the optimizers counts the steps of the whole model.
        trained[0].optimizer.iterations = get_or_create_global_step()
        steps = [part.optimizer.get_updates(loss, part.variables)[0] for part in trained]
        return group(*steps)

    updates = [update for part in trained for update in part.updates]
    return head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        train_op_fn=train_op_fn,
        update_ops=updates,
        logits=logits,
    )


def combined_model_fn_v2(
    features: Any,
    labels: Any,
    mode: str,
    head: Head,
    linear_feature_columns: Iterable[Any] | None = None,
    linear_optimizer: Any = "Ftrl",
    dnn_feature_columns: Iterable[Any] | None = None,
    dnn_optimizer: Any = "Adagrad",
    dnn_hidden_units: Sequence[int] | None = None,
    dnn_activation_fn: Activation | None = relu,
    dnn_dropout: float | None = None,
    config: RunConfig | None = None,
    batch_norm: bool = False,
    linear_sparse_combiner: str = "sum",
    loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
) -> EstimatorSpec:
    """The model function of a linear model and a network together.

    Args:
        features, labels, mode, head: as of any model function; a `tf.estimator.Head`.
        config: a `RunConfig`; nothing depends on it.
        linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn,
            dnn_dropout, batch_norm, linear_sparse_combiner, loss_reduction: as of `DNNLinearCombinedClassifierV2`.

    Raises:
        ValueError: without columns, for a network without hidden units, or if the features are no dictionary.
    """
    del config
    parts = _Parts(
        tuple(linear_feature_columns or ()),
        linear_optimizer,
        linear_sparse_combiner,
        tuple(dnn_feature_columns or ()),
        dnn_optimizer,
        dnn_hidden_units,
        dnn_activation_fn,
        dnn_dropout,
        batch_norm,
        loss_reduction,
    )
    return _model_fn(head, parts)(features, labels, mode)


def _model_fn(head: Head, parts: _Parts) -> Callable[..., EstimatorSpec]:
    if not parts.linear_feature_columns and not parts.dnn_feature_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return _combined_model_fn(features, labels, mode, head, parts)

    return model_fn


class DNNLinearCombinedClassifierV2(EstimatorV2):
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
        config: a `RunConfig`.
        warm_start_from: a checkpoint, or a `WarmStartSettings`, from which variables take their first values.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        batch_norm: whether each hidden layer is normalized.
        linear_sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".

    Raises:
        ValueError: without columns; for a network without hidden units.

    Example:
        >>> words = tf.feature_column.categorical_column_with_hash_bucket("words", 1000)
        >>> embedded = tf.feature_column.embedding_column(words, 8)
        >>> estimator = tf.compat.v2.estimator.DNNLinearCombinedClassifier(
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
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        parts = _Parts(
            tuple(linear_feature_columns or ()),
            linear_optimizer,
            linear_sparse_combiner,
            tuple(dnn_feature_columns or ()),
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
            loss_reduction,
        )
        head = head_of_classes_v2(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(_model_fn(head, parts), model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNLinearCombinedRegressorV2(EstimatorV2):
    """A regression by a linear model and a network together.

    Args:
        label_dimension: how many numbers an example has.
        model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units,
            dnn_activation_fn, dnn_dropout, weight_column, config, warm_start_from, loss_reduction, batch_norm,
            linear_sparse_combiner: as of `DNNLinearCombinedClassifierV2`.
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
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        parts = _Parts(
            tuple(linear_feature_columns or ()),
            linear_optimizer,
            linear_sparse_combiner,
            tuple(dnn_feature_columns or ()),
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
            loss_reduction,
        )
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(_model_fn(head, parts), model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNLinearCombinedEstimatorV2(EstimatorV2):
    """A linear model and a network together, whose head is given.

    Args:
        head: what the logits mean: a `tf.estimator.Head`.
        model_dir, linear_feature_columns, linear_optimizer, dnn_feature_columns, dnn_optimizer, dnn_hidden_units,
            dnn_activation_fn, dnn_dropout, config, batch_norm, linear_sparse_combiner: as of
            `DNNLinearCombinedClassifierV2`.
    """

    def __init__(
        self,
        head: Head,
        model_dir: str | None = None,
        linear_feature_columns: Iterable[Any] | None = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Iterable[Any] | None = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: Activation | None = relu,
        dnn_dropout: float | None = None,
        config: RunConfig | None = None,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        parts = _Parts(
            tuple(linear_feature_columns or ()),
            linear_optimizer,
            linear_sparse_combiner,
            tuple(dnn_feature_columns or ()),
            dnn_optimizer,
            dnn_hidden_units,
            dnn_activation_fn,
            dnn_dropout,
            batch_norm,
        )
        super().__init__(_model_fn(head, parts), model_dir=model_dir, config=config)
