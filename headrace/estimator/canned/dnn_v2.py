"""Feed-forward networks of 2.x's interface: they train by optimizers of Keras, and losses are means over batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.estimator.canned.checks_v2 import check_columns_v2, head_of_classes_v2
from headrace.estimator.canned.layer_summaries import summarize_layer
from headrace.estimator.canned.optimizers import get_optimizer_instance_v2
from headrace.estimator.canned.partitioning import check_features
from headrace.estimator.estimator import EstimatorV2
from headrace.estimator.heads.regression_head import RegressionHead
from headrace.estimator.mode_keys import ModeKeys
from headrace.feature_column.features_layer import DenseFeaturesV2
from headrace.keras.engine.training import Model
from headrace.keras.layers.normalization_v2 import BatchNormalization
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.layers.core import Dense, Dropout
from headrace.ops.nn.activations import relu
from headrace.state.global_step import get_or_create_global_step
from headrace.state.initializers import GlorotUniform

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.canned.dnn import Activation
    from headrace.estimator.heads.base_head import Head
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.warm_start import WarmStartSettings

_MOMENTUM = 0.999


class DNNModel(Model):
    """A feed-forward network over feature columns.

    Args:
        units: how many logits.
        hidden_units: the sizes of the hidden layers.
        feature_columns: dense columns.
        activation_fn: of each hidden layer.
        dropout: which part of the activations is dropped in training, or None.
        batch_norm: whether each hidden layer is normalized.
        name: its name.
    """

    def __init__(
        self,
        units: int,
        hidden_units: Iterable[int],
        feature_columns: Iterable[Any],
        activation_fn: Activation | None,
        dropout: float | None,
        batch_norm: bool,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        columns = list(feature_columns)
        check_columns_v2(columns)
        # Layers are named by scopes, so that two models in a graph do not share names.
        with name_scope("input_from_feature_columns") as scope:
            self._input_layer = DenseFeaturesV2(columns, name=f"{scope}input_layer")
        self._hidden_layers: list[Dense] = []
        self._dropout_layers: list[Dropout] = []
        self._batch_norm_layers: list[BatchNormalization] = []
        for i, size in enumerate(hidden_units):
            with name_scope(f"hiddenlayer_{i}") as scope:
                layer = scope.rstrip("/")
                self._hidden_layers.append(
                    Dense(size, activation=activation_fn, kernel_initializer=GlorotUniform(), name=layer)
                )
                if dropout is not None:
                    self._dropout_layers.append(Dropout(rate=dropout))
                if batch_norm:
                    self._batch_norm_layers.append(
                        BatchNormalization(momentum=_MOMENTUM, name=f"{layer}/batchnorm_{i}")
                    )
        with name_scope("logits") as scope:
            self._logits_layer = Dense(
                units, activation=None, kernel_initializer=GlorotUniform(), name=scope.rstrip("/")
            )

    def call(  # type: ignore[override]  # the model function is who calls it, with a mode
        self, features: Mapping[str, Any], mode: str
    ) -> Tensor:
        """The logits.

        Args:
            features: from key to tensor.
            mode: a `ModeKeys`.
        """
        training = mode == ModeKeys.TRAIN
        net = self._input_layer(features)
        for i, hidden in enumerate(self._hidden_layers):
            net = hidden(net)
            if self._dropout_layers and training:
                net = self._dropout_layers[i](net, training=True)
            if self._batch_norm_layers:
                net = self._batch_norm_layers[i](net, training=training)
            summarize_layer(net, hidden.name)
        logits = self._logits_layer(net)
        summarize_layer(logits, self._logits_layer.name)
        return logits


def dnn_logits_v2(
    units: int,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    activation_fn: Activation | None,
    dropout: float | None,
    batch_norm: bool,
    features: Mapping[str, Any],
    mode: str,
) -> tuple[Tensor, DNNModel]:
    """The logits of a network, and the model that makes them.

    Args:
        features: from key to tensor.
        mode: a `ModeKeys`.
        units, hidden_units, feature_columns, activation_fn, dropout, batch_norm: as of `DNNModel`.

    Raises:
        ValueError: if the number of logits is no integer.
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")
    model = DNNModel(units, hidden_units, feature_columns, activation_fn, dropout, batch_norm, name="dnn")
    return model(features, mode), model


def dnn_logit_fn_builder_v2(
    units: int,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    activation_fn: Activation | None,
    dropout: float | None,
    batch_norm: bool,
) -> Callable[..., Tensor]:
    """A function of features and the mode that makes the logits of a network.

    Args:
        units, hidden_units, feature_columns, activation_fn, dropout, batch_norm: as of `DNNModel`.
    """

    def dnn_logit_fn(features: Mapping[str, Any], mode: str) -> Tensor:
        """The logits of a network."""
        return dnn_logits_v2(units, hidden_units, feature_columns, activation_fn, dropout, batch_norm, features, mode)[
            0
        ]

    return dnn_logit_fn


def dnn_model_fn_v2(
    features: Any,
    labels: Any,
    mode: str,
    head: Head,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    optimizer: Any = "Adagrad",
    activation_fn: Activation | None = relu,
    dropout: float | None = None,
    config: RunConfig | None = None,
    use_tpu: bool = False,
    batch_norm: bool = False,
) -> EstimatorSpec:
    """The model function of a network.

    Args:
        config: of no use here; model functions get it.
        use_tpu: whether the model is one for TPUs, which there are none of.
        features, labels, mode, head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm: as of
            `DNNEstimatorV2`.

    Raises:
        ValueError: if the features are no dictionary.
    """
    del config
    if use_tpu:
        raise NotImplementedError("dnn_model_fn_v2(use_tpu=True): there are no TPUs; train on the CPU or a GPU.")
    check_features(features)
    logits, model = dnn_logits_v2(
        head.logits_dimension, hidden_units, feature_columns, activation_fn, dropout, batch_norm, features, mode
    )
    if mode == ModeKeys.TRAIN:
        optimizer = get_optimizer_instance_v2(optimizer)
        optimizer.iterations = get_or_create_global_step()
    return head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        optimizer=optimizer,
        trainable_variables=model.trainable_variables,
        update_ops=model.updates,
        logits=logits,
    )


class DNNClassifierV2(EstimatorV2):
    """A classifier by a feed-forward network.

    Args:
        hidden_units: the sizes of the hidden layers.
        feature_columns: dense columns.
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: a name, an instance of Keras, or a function of no arguments.
        activation_fn: of each hidden layer.
        dropout: which part of the activations is dropped in training, or None.
        config: a `RunConfig`.
        warm_start_from: a checkpoint, or a `WarmStartSettings`, from which variables take their first values.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        batch_norm: whether each hidden layer is normalized.

    Raises:
        ValueError: for another reduction, or less than 2 classes.

    Example:
        >>> columns = [tf.feature_column.numeric_column("x", shape=4)]
        >>> estimator = tf.compat.v2.estimator.DNNClassifier([16, 8], columns, n_classes=3)
    """

    def __init__(
        self,
        hidden_units: Iterable[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Activation | None = relu,
        dropout: float | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
    ) -> None:
        head = head_of_classes_v2(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNRegressorV2(EstimatorV2):
    """A regression by a feed-forward network.

    Args:
        label_dimension: how many numbers an example has.
        hidden_units, feature_columns, model_dir, weight_column, optimizer, activation_fn, dropout, config,
            warm_start_from, loss_reduction, batch_norm: as of `DNNClassifierV2`.
    """

    def __init__(
        self,
        hidden_units: Iterable[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Activation | None = relu,
        dropout: float | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        batch_norm: bool = False,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        model_fn = _model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNEstimatorV2(EstimatorV2):
    """A feed-forward network whose head is given.

    Args:
        head: what the logits mean: a `tf.estimator.Head`.
        hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, config, warm_start_from,
            batch_norm: as of `DNNClassifierV2`.
    """

    def __init__(
        self,
        head: Head,
        hidden_units: Iterable[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Activation | None = relu,
        dropout: float | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        batch_norm: bool = False,
    ) -> None:
        model_fn = _model_fn(head, hidden_units, feature_columns, optimizer, activation_fn, dropout, batch_norm)
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


def _model_fn(
    head: Head,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    optimizer: Any,
    activation_fn: Activation | None,
    dropout: float | None,
    batch_norm: bool,
) -> Callable[..., EstimatorSpec]:
    columns, sizes = tuple(feature_columns or []), tuple(hidden_units)

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        return dnn_model_fn_v2(
            features,
            labels,
            mode,
            head,
            sizes,
            columns,
            optimizer,
            activation_fn,
            dropout,
            config,
            batch_norm=batch_norm,
        )

    return model_fn
