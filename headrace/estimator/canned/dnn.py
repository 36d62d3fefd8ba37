"""Feed-forward networks: `DNNClassifier`, `DNNRegressor`, `DNNEstimator`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.framework_ops import get_name_scope
from headrace.core.tensor import Tensor
from headrace.estimator.canned.layer_summaries import summarize_layer
from headrace.estimator.canned.optimizers import get_optimizer_instance
from headrace.estimator.canned.partitioning import check_features, hidden_partitioner, input_partitioner
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.canned_heads import binary_or_multi_class_head, regression_head
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.feature_column.features_layer import DenseFeatures
from headrace.feature_column.input_layer import input_layer
from headrace.feature_column.linear_layer import is_feature_column_v2
from headrace.layers.classic.core import dense
from headrace.layers.classic.core import dropout as drop
from headrace.layers.classic.normalization import batch_normalization
from headrace.losses.weighting import Reduction
from headrace.ops.nn.activations import relu
from headrace.state.initializers import GlorotUniform
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import Partitioner
    from headrace.estimator.run_config import RunConfig
    from headrace.estimator.warm_start import WarmStartSettings

Activation = Callable[..., Any]

LEARNING_RATE = 0.05
_MOMENTUM = 0.999


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    activation_fn: Activation | None,
    dropout: float | None,
    input_layer_partitioner: Partitioner | None,
    batch_norm: bool,
) -> Callable[..., Tensor]:
    """A function of features and the mode that makes the logits of a network.

    Args:
        units: how many logits.
        hidden_units: the sizes of the hidden layers.
        feature_columns: dense columns.
        activation_fn: of each hidden layer.
        dropout: which part of the activations is dropped in training, or None.
        input_layer_partitioner: how tables are parted.
        batch_norm: whether each hidden layer is normalized.

    Returns:
        a function of `features` and `mode`.

    Raises:
        ValueError: if the number of logits is no integer.

    Example:
        >>> columns = [tf.feature_column.numeric_column("price")]
        >>> build = tf.estimator.experimental.dnn_logit_fn_builder
        >>> logit_fn = build(1, [16], columns, tf.nn.relu, None, None, False)
        >>> logits = logit_fn({"price": tf.constant([[1.0], [2.0]])}, tf.estimator.ModeKeys.TRAIN)
    """
    if not isinstance(units, int):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")
    columns, sizes = list(feature_columns), list(hidden_units)

    def dnn_logit_fn(features: Mapping[str, Any], mode: str) -> Tensor:
        """The logits of a network."""
        training, around = mode == ModeKeys.TRAIN, get_name_scope()
        # As the model that it is in 1.15: outside of all scopes its inputs and summaries are named in one of their own.
        with (
            name_scope(f"{around}/" if around else "dnn") as own,
            variable_scope(
                "input_from_feature_columns", values=tuple(features.values()), partitioner=input_layer_partitioner
            ),
        ):
            if is_feature_column_v2(columns):
                net = DenseFeatures(columns, name="input_layer")(features)
            else:
                net = input_layer(features, columns)
        for i, size in enumerate(sizes):
            with variable_scope(f"hiddenlayer_{i}", values=(net,), use_resource=True) as scope:
                net = dense(net, size, activation_fn, kernel_initializer=GlorotUniform(), name=scope)
            if dropout is not None and training:
                with name_scope(own):
                    net = drop(net, rate=dropout, training=True)
            if batch_norm:
                with variable_scope(scope, auxiliary_name_scope=False), name_scope(scope.original_name_scope):
                    net = batch_normalization(net, momentum=_MOMENTUM, training=training, name=f"batchnorm_{i}")
            with name_scope(own):
                summarize_layer(net, scope.name)
        with variable_scope("logits", values=(net,), use_resource=True) as scope:
            logits = dense(net, units, None, kernel_initializer=GlorotUniform(), name=scope)
        with name_scope(own):
            summarize_layer(logits, scope.name)
        return logits

    return dnn_logit_fn


def dnn_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Any,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    optimizer: Any = "Adagrad",
    activation_fn: Activation | None = relu,
    dropout: float | None = None,
    input_layer_partitioner: Partitioner | None = None,
    config: RunConfig | None = None,
    batch_norm: bool = False,
) -> EstimatorSpec:
    """The model function of a network.

    Raises:
        ValueError: if the features are no dictionary.
    """
    check_features(features)
    # Before all variables: seeds of what comes after the operations of a function's optimizer count on their number.
    optimizer = get_optimizer_instance(optimizer, learning_rate=LEARNING_RATE)
    with variable_scope("dnn", values=tuple(features.values()), partitioner=hidden_partitioner(config)):
        logit_fn = dnn_logit_fn_builder(
            head.logits_dimension,
            hidden_units,
            feature_columns,
            activation_fn,
            dropout,
            input_layer_partitioner or input_partitioner(config),
            batch_norm,
        )
        logits = logit_fn(features=features, mode=mode)
        return head.create_estimator_spec(
            features=features,
            mode=mode,
            labels=labels,
            optimizer=optimizer,
            logits=logits,
        )


class DNNClassifier(Estimator):
    """A classifier by a feed-forward network.

    Args:
        hidden_units: the sizes of the hidden layers.
        feature_columns: dense columns.
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: a name, an instance or a function of no arguments.
        activation_fn: of each hidden layer.
        dropout: which part of the activations is dropped in training, or None.
        input_layer_partitioner: how tables are parted.
        config: a `RunConfig`.
        warm_start_from: a checkpoint, or a `WarmStartSettings`, from which variables take their first values.
        loss_reduction: how the losses of a batch become one.
        batch_norm: whether each hidden layer is normalized.

    Raises:
        ValueError: for another reduction, or less than 2 classes.

    Example:
        >>> estimator = tf.estimator.DNNClassifier([16, 8], [tf.feature_column.numeric_column("x", shape=4)], n_classes=3)
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
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _model_fn(
            head, hidden_units, feature_columns, optimizer, activation_fn, dropout, input_layer_partitioner, batch_norm
        )
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNRegressor(Estimator):
    """A regression by a feed-forward network.

    Args:
        label_dimension: how many numbers an example has.
        hidden_units, feature_columns, model_dir, weight_column, optimizer, activation_fn, dropout,
            input_layer_partitioner, config, warm_start_from, loss_reduction, batch_norm: as of `DNNClassifier`.

    Example:
        >>> estimator = tf.estimator.DNNRegressor([16, 8], [tf.feature_column.numeric_column("x")])
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
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = regression_head(weight_column, label_dimension, loss_reduction)
        model_fn = _model_fn(
            head, hidden_units, feature_columns, optimizer, activation_fn, dropout, input_layer_partitioner, batch_norm
        )
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


class DNNEstimator(Estimator):
    """A feed-forward network whose head is given.

    Args:
        head: what the logits mean.
        hidden_units, feature_columns, model_dir, optimizer, activation_fn, dropout, input_layer_partitioner, config,
            warm_start_from, batch_norm: as of `DNNClassifier`.
    """

    def __init__(
        self,
        head: Any,
        hidden_units: Iterable[int],
        feature_columns: Iterable[Any],
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        activation_fn: Activation | None = relu,
        dropout: float | None = None,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        batch_norm: bool = False,
    ) -> None:
        model_fn = _model_fn(
            head, hidden_units, feature_columns, optimizer, activation_fn, dropout, input_layer_partitioner, batch_norm
        )
        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


def _model_fn(
    head: Any,
    hidden_units: Iterable[int],
    feature_columns: Iterable[Any],
    optimizer: Any,
    activation_fn: Activation | None,
    dropout: float | None,
    input_layer_partitioner: Partitioner | None,
    batch_norm: bool,
) -> Callable[..., EstimatorSpec]:
    columns, sizes = tuple(feature_columns or []), tuple(hidden_units)

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        return dnn_model_fn(
            features,
            labels,
            mode,
            head,
            sizes,
            columns,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            batch_norm,
        )

    return model_fn
