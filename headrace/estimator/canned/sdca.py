"""Linear estimators trained by stochastic dual coordinate ascent.

Shalev-Shwartz and Zhang, "Stochastic dual coordinate ascent methods for regularized loss minimization", arXiv:1209.1873.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.estimator.canned.linear_logits import linear_layer_logits
from headrace.estimator.heads.binary_class_head import BinaryClassHead
from headrace.estimator.heads.canned_heads import BinaryLogisticHead, MeanSquaredErrorHead
from headrace.estimator.heads.regression_head import RegressionHead
from headrace.estimator.linear_optimizer.sdca_model import UnboundedSdcaModel
from headrace.estimator.linear_optimizer.sparse_features import feature_of_classes
from headrace.estimator.mode_keys import ModeKeys
from headrace.feature_column.base import CategoricalColumn, DenseColumn, TransformationCache
from headrace.feature_column.linear_layer import is_feature_column_v2
from headrace.kernels.composing import cast, ones, shape
from headrace.ops.array.shape import reshape
from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.estimator.linear_optimizer.sdca_model import SdcaModel
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.feature_column.features_layer import LayerState

_LOGISTIC, _SQUARED = "logistic_loss", "squared_loss"


class LinearSDCA:
    """The optimizer of `LinearClassifier` and `LinearRegressor` that ascends the dual, one example after the other.

    It needs no learning rate, and keeps four numbers for each example. Its model has no more than one logit.

    Args:
        example_id_column: the key of the feature that tells examples apart, strings.
        num_loss_partitions: how many train at once.
        num_table_shards: in how many parts the table with what is known of examples is; 1 by default.
        symmetric_l1_regularization, symmetric_l2_regularization: how much weights cost; the latter is above 0.
        adaptive: whether examples are drawn by how much they can gain.

    Example:
        >>> optimizer = tf.estimator.experimental.LinearSDCA("id", symmetric_l2_regularization=2.0)
        >>> estimator = tf.estimator.LinearClassifier([tf.feature_column.numeric_column("x")], optimizer=optimizer)
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = False,
    ) -> None:
        self._example_id_column = example_id_column
        self._num_loss_partitions = num_loss_partitions
        self._num_table_shards = num_table_shards
        self._symmetric_l1_regularization = symmetric_l1_regularization
        self._symmetric_l2_regularization = symmetric_l2_regularization
        self._adaptive = adaptive

    def get_train_step(
        self,
        state_manager: LayerState,
        weight_column_name: str | None,
        loss_type: str,
        feature_columns: Iterable[Any],
        features: Mapping[str, Any],
        targets: Tensor,
        bias_var: Any,
        global_step: Any,
    ) -> tuple[SdcaModel, Operation]:
        """A model over the columns, and the operation that trains it.

        Args:
            state_manager: who holds the columns' weights.
            weight_column_name: the feature with the examples' weights; None for ones.
            loss_type: "logistic_loss" or "squared_loss".
            feature_columns: the columns.
            features: from key to tensor.
            targets: the labels.
            bias_var: the variable of the bias.
            global_step: a variable that is increased by 1.

        Raises:
            ValueError: for a column that is neither dense nor one of classes.
        """
        batch_size = shape(targets)[0]
        cache = TransformationCache(features)
        dense: list[tuple[Any, Any]] = []
        sparse: list[tuple[Any, Any]] = []
        for column in sorted(feature_columns, key=lambda each: each.name):
            if isinstance(column, CategoricalColumn):
                found = column.get_sparse_tensors(cache, state_manager)
                classes = found.id_tensor
                weights = ones([shape(classes.indices)[0]])
                if found.weight_tensor is not None:
                    weights = reshape(found.weight_tensor.values, [-1])
                sparse.append((feature_of_classes(classes, weights), state_manager.get_variable(column, "weights")))
            elif isinstance(column, DenseColumn):
                tensor = column.get_dense_tensor(cache, state_manager)
                dense.append((tensor, state_manager.get_variable(column, "weights")))
            else:
                raise ValueError(f"LinearSDCA does not support column type {type(column).__name__}.")
        dense.append((ones([batch_size, 1]), bias_var))
        if weight_column_name:
            example_weights = reshape(features[weight_column_name], [-1])
        else:
            example_weights = ones([batch_size])
        examples = {
            "sparse_features": [feature for feature, _ in sparse],
            "dense_features": [feature for feature, _ in dense],
            "example_labels": cast(reshape(targets, [-1]), "float32"),
            "example_weights": example_weights,
            "example_ids": features[self._example_id_column],
        }
        trained = {
            "sparse_features_weights": [weights for _, weights in sparse],
            "dense_features_weights": [weights for _, weights in dense],
        }
        options = {
            "symmetric_l1_regularization": self._symmetric_l1_regularization,
            "symmetric_l2_regularization": self._symmetric_l2_regularization,
            "adaptive": self._adaptive,
            "num_loss_partitions": self._num_loss_partitions,
            "num_table_shards": self._num_table_shards,
            "loss_type": loss_type,
        }
        model = UnboundedSdcaModel(examples=examples, variables=trained, options=options)
        return model, model.minimize(global_step=global_step)


class UpdateWeightsHook(SessionRunHook):
    """Sets the weights, after each step, to what the ascent has come to.

    Args:
        model: who holds them.
        train_op: the operation of a step.
    """

    def __init__(self, model: SdcaModel, train_op: Operation) -> None:
        self._model, self._train_op = model, train_op

    def begin(self) -> None:
        """Adds the operation to the graph."""
        self._update_op = self._model.update_weights(self._train_op)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Has the operation run with each step."""
        return SessionRunArgs(self._update_op)


def sdca_model_fn(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    head: Any,
    feature_columns: Iterable[Any],
    optimizer: LinearSDCA,
    name: str = "linear_model",
) -> EstimatorSpec:
    """The model function of a linear model that `LinearSDCA` trains.

    Args:
        name: that of the layer.
        features, labels, mode, head, feature_columns, optimizer: as of `LinearEstimator`.

    Raises:
        ValueError: for columns of before 1.13, or a head of several logits.
    """
    columns = list(feature_columns)
    if not is_feature_column_v2(columns):
        raise ValueError("V2 feature columns required when optimizer is a LinearSDCA object.")
    loss_type = _loss_type_of(head)
    logits, model = linear_layer_logits(features, columns, 1, "sum", name)
    if mode != ModeKeys.TRAIN:
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, logits=logits, train_op_fn=lambda loss: loss
        )
    sdca_model, train_op = optimizer.get_train_step(
        model.state,
        _weight_key(head),
        loss_type,
        columns,
        features,
        labels,
        model.bias,
        get_global_step(),
    )
    spec = head.create_estimator_spec(
        features=features, mode=mode, labels=labels, logits=logits, train_op_fn=lambda loss: train_op
    )
    hook = UpdateWeightsHook(sdca_model, train_op)
    return spec._replace(training_chief_hooks=(*spec.training_chief_hooks, hook))


def _loss_type_of(head: Any) -> str:
    """The loss that the ascent minimizes.

    Raises:
        ValueError: for a head of several logits.
    """
    if isinstance(head, (BinaryClassHead, BinaryLogisticHead)):
        return _LOGISTIC
    if isinstance(head, (RegressionHead, MeanSquaredErrorHead)) and head.logits_dimension == 1:
        return _SQUARED
    raise ValueError(f"Unsupported head type: {type(head)}")


def _weight_key(head: Any) -> str | None:
    column = head.weight_column
    return getattr(column, "key", column)


def check_sdca(columns: Iterable[Any], single: bool, optimizer: Any, sparse_combiner: str, what: str) -> None:
    """Raises ValueError if the optimizer is a `LinearSDCA`, which cannot train such a model.

    Args:
        columns: the columns.
        single: whether the model has one logit.
        optimizer: any optimizer.
        sparse_combiner: how the weights of an example's classes become one.
        what: what is said of a model with several logits.
    """
    if not isinstance(optimizer, LinearSDCA):
        return
    if not single:
        raise ValueError(what)
    if not is_feature_column_v2(columns):
        raise ValueError("V2 feature columns required when optimizer is a LinearSDCA object.")
    if sparse_combiner != "sum":
        raise ValueError('sparse_combiner must be "sum" when optimizer is a LinearSDCA object.')


def check_sdca_classifier(columns: Iterable[Any], n_classes: int, optimizer: Any, sparse_combiner: str) -> None:
    """As `check_sdca`, for a classifier."""
    text = "LinearSDCA cannot be used in a multi-class setting."
    check_sdca(columns, n_classes == 2, optimizer, sparse_combiner, text)


def check_sdca_regressor(columns: Iterable[Any], label_dimension: int, optimizer: Any, sparse_combiner: str) -> None:
    """As `check_sdca`, for a regression."""
    text = "LinearSDCA can only be used with one-dimensional label."
    check_sdca(columns, label_dimension == 1, optimizer, sparse_combiner, text)
