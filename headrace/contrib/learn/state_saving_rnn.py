"""`StateSavingRnnEstimator`: recurrent networks unrolled over segments of sequences, with the state kept in between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.optimizers import OPTIMIZER_SUMMARIES, optimize_loss
from headrace.contrib.layers.sequence_columns import sequence_input_from_feature_columns
from headrace.contrib.layers.target_columns import ProblemType, multi_class_target, regression_target
from headrace.contrib.learn.dynamic_rnn import state_tuple_to_dict
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.metric_spec import ModeKeys
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.contrib.learn.recurrent_parts import (
    PredictionType,
    RNNKeys,
    check_probabilities,
    check_problem_type,
    construct_rnn_cell,
    get_eval_metric_ops,
    mask_activations_and_labels,
    multi_value_predictions,
    with_momentum,
)
from headrace.contrib.training.sequence_batching import batch_sequences_with_states
from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.kernels.composing.arranging import concat, identity, stack
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.ops.array.join import unstack
from headrace.ops.array.tile import tile
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.recurrent.static import static_state_saving_rnn
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.contrib.training.sequence_states import NextQueuedSequenceBatch
    from headrace.core.tensor import Tensor
    from headrace.estimator.run_config import RunConfig

# Random numbers behind it make the keys of sequences.
_KEY = "key"


def construct_state_saving_rnn(
    cell: Any, inputs: Sequence[Tensor], num_label_columns: int, state_saver: Any, state_name: Any, scope: str = "rnn"
) -> tuple[Tensor, Tensor]:
    """A recurrent network that takes its state from a saver, with a linear layer on top.

    Args:
        cell: the cell.
        inputs: a tensor [batch, size] for each step.
        num_label_columns: the size of the layer.
        state_saver: has `state(name)` and `save_state(name, value)`.
        state_name: the name of the state, or names in the structure of the cell's state.
        scope: the name scope.

    Returns:
        activations [batch, time, num_label_columns], and the last state as one tensor.
    """
    with name_scope(scope):
        outputs, state = static_state_saving_rnn(
            cell=cell, inputs=inputs, state_saver=state_saver, state_name=state_name, scope=scope
        )
        activations = fully_connected(stack(outputs, axis=1), num_label_columns, activation_fn=None, trainable=True)
        return activations, identity(state, name="final_state")


def _multi_value_loss(
    activations: Tensor, labels: Tensor, sequence_length: Tensor | None, target_column: Any, features: Any
) -> Tensor:
    """The loss of predictions of all steps."""
    with name_scope("MultiValueLoss"):
        flat, flat_labels = mask_activations_and_labels(activations, labels, sequence_length)
        loss: Tensor = target_column.loss(flat, flat_labels, features)
        return loss


def _get_name_or_parent_names(column: Any) -> list[str]:
    """The keys of the features that a column needs."""
    return list(column.config)


def _taken(features: Mapping[str, Any], columns: Iterable[Any] | None, kind: str) -> dict[str, Any]:
    """The features of columns."""
    found = {}
    for column in columns or ():
        for name in _get_name_or_parent_names(column):
            if features.get(name) is None:
                raise ValueError(f"No key in features for {kind} feature: {name}")
            found[name] = features[name]
    return found


def _prepare_features_for_sqss(
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of each step, with the labels, and those of whole sequences.

    Raises:
        ValueError: if a feature is missing.
    """
    sequences = _taken(features, sequence_feature_columns, "sequence")
    context = _taken(features, context_feature_columns, "context")
    if mode != ModeKeys.INFER:
        sequences[RNNKeys.LABELS_KEY] = labels
    return sequences, context


def _get_state_names(cell: Any) -> Any:
    """The names of a cell's state, or of its parts."""

    def names(size: Any, number: int) -> Any:
        name = f"{RNNKeys.STATE_PREFIX}_{number}"
        return [f"{name}_{part}" for part in size._fields] if isinstance(size, LSTMStateTuple) else name

    sizes = cell.state_size
    if isinstance(sizes, LSTMStateTuple) or not nest.is_sequence(sizes):
        return names(sizes, 0)
    return [names(size, number) for number, size in enumerate(sizes)]


def _get_initial_states(cell: Any) -> dict[str, Tensor]:
    """The states that sequences begin with, by name: zeros."""
    states = nest.flatten(cell.zero_state(1, float32))
    return {
        name: squeeze(state, axis=[0]) for name, state in zip(nest.flatten(_get_state_names(cell)), states, strict=True)
    }


def _read_batch(
    cell: Any,
    features: Mapping[str, Any],
    labels: Any,
    mode: str,
    num_unroll: int,
    batch_size: int,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None = None,
    num_threads: int = 3,
    queue_capacity: int = 1000,
    seed: int | None = None,
) -> NextQueuedSequenceBatch:
    """A batch of segments, with the states after those before; arguments as of `StateSavingRnnEstimator`."""
    states = _get_initial_states(cell)
    sequences, context = _prepare_features_for_sqss(
        features, labels, mode, sequence_feature_columns, context_feature_columns
    )
    return batch_sequences_with_states(
        input_key=_KEY,
        input_sequences=sequences,
        input_context=context,
        input_length=None,
        initial_states=states,
        num_unroll=num_unroll,
        batch_size=batch_size,
        num_threads=num_threads,
        capacity=queue_capacity,
        allow_small_batch=True,
        pad=True,
        make_keys_unique=True,
        make_keys_unique_seed=seed,
    )


def _prepare_inputs_for_rnn(
    sequence_features: Mapping[str, Any],
    context_features: Mapping[str, Tensor] | None,
    sequence_feature_columns: Iterable[Any],
    num_unroll: int,
) -> list[Tensor]:
    """The inputs of the network, a tensor [batch, size] for each step.

    Args:
        sequence_features: tensors [batch, num_unroll, ...], or sparse ones, by key.
        context_features: tensors [batch, 1] by key, which come to each step.
        sequence_feature_columns: columns of each step.
        num_unroll: how many steps there are.
    """
    inputs = sequence_input_from_feature_columns(dict(sequence_features), sequence_feature_columns)
    if context_features:
        repeated = [
            squeeze(tile(expand_dims(context_features[name], 1), [1, num_unroll, 1]), axis=[2])
            for name in sorted(context_features)
        ]
        inputs = concat([inputs, stack(repeated, axis=2)], axis=2)
    steps: list[Tensor] = unstack(inputs, num=num_unroll, axis=1)
    return steps


def _get_rnn_model_fn(
    cell_type: Any,
    target_column: Any,
    problem_type: int,
    optimizer: Any,
    num_unroll: int,
    num_units: Any,
    num_threads: int,
    queue_capacity: int,
    batch_size: int,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None = None,
    predict_probabilities: bool = False,
    learning_rate: float | None = None,
    gradient_clipping_norm: float | None = None,
    dropout_keep_probabilities: Sequence[float] | None = None,
    name: str = "StateSavingRNNModel",
    seed: int | None = None,
) -> Callable[..., ModelFnOps]:
    """The model function; arguments as of `StateSavingRnnEstimator`.

    Raises:
        ValueError: for an unknown problem, probabilities of numbers, or segments without a step.
    """
    check_problem_type(problem_type)
    check_probabilities(problem_type, predict_probabilities)
    if num_unroll <= 0:
        raise ValueError(f"num_unroll must be positive; got {num_unroll}.")

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        with name_scope(name):
            dropout = dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            cell = construct_rnn_cell(num_units, cell_type, dropout)
            batch = _read_batch(
                cell, features, labels, mode, num_unroll, batch_size, sequence_feature_columns,
                context_feature_columns, num_threads, queue_capacity, seed,
            )  # fmt: skip
            sequences, lengths = batch.sequences, batch.length
            labels = sequences.pop(RNNKeys.LABELS_KEY, None)
            inputs = _prepare_inputs_for_rnn(sequences, batch.context, sequence_feature_columns, num_unroll)
            activations, final_state = construct_state_saving_rnn(
                cell, inputs, target_column.num_label_columns, batch, _get_state_names(cell)
            )
            with name_scope("MultiValuePrediction"):
                predictions = multi_value_predictions(activations, target_column, problem_type, predict_probabilities)
            predictions.update(state_tuple_to_dict(final_state))
            loss, metrics = None, {}
            train_op: Any = None
            if mode != ModeKeys.INFER:
                loss = _multi_value_loss(activations, labels, lengths, target_column, features)
                metrics = get_eval_metric_ops(problem_type, PredictionType.MULTIPLE_VALUE, lengths, predictions, labels)
            if mode == ModeKeys.TRAIN:
                assert loss is not None, "a loss is made for training"
                train_op = optimize_loss(
                    loss=loss,
                    global_step=get_global_step(),
                    learning_rate=learning_rate,
                    optimizer=optimizer,
                    clip_gradients=gradient_clipping_norm,
                    summaries=OPTIMIZER_SUMMARIES,
                )
        return ModelFnOps(mode=mode, predictions=predictions, loss=loss, train_op=train_op, eval_metric_ops=metrics)

    return model_fn


class StateSavingRnnEstimator(Estimator):
    """An estimator of a recurrent network that is unrolled over segments of sequences.

    Input functions give one sequence at a time. It is cut into segments of `num_unroll` steps; a segment starts with the
    state that the one before has left. There is a prediction for each step.

    Args:
        problem_type: `ProblemType.CLASSIFICATION` or `ProblemType.LINEAR_REGRESSION`.
        num_unroll: how many steps make a segment.
        batch_size: how many segments make a batch.
        sequence_feature_columns: columns of each step.
        context_feature_columns: columns of the whole sequence, or None.
        num_classes: how many classes there are.
        num_units: the size of a layer, or of several.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        optimizer_type: a `tf.train.Optimizer`, its name, or its class.
        learning_rate: of the optimizer.
        predict_probabilities: whether probabilities are predicted besides classes.
        momentum: of the optimizer "Momentum".
        gradient_clipping_norm: the largest norm of gradients, or None.
        dropout_keep_probabilities: how much is kept before, between and after the layers; None for no dropout.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        num_threads: how many threads read sequences.
        queue_capacity: how many sequences may be under way.
        seed: where the random numbers in the sequences' keys start.

    Raises:
        ValueError: for other types, classification without a number of classes, or segments without a step.

    Example:
        >>> column = tf.contrib.layers.real_valued_column("x", dimension=1)
        >>> estimator = tf.contrib.learn.StateSavingRnnEstimator(
        ...     problem_type=2, num_unroll=2, batch_size=1, sequence_feature_columns=[column], num_units=[4])
        >>> estimator.fit(input_fn=lambda: ({"x": tf.ones([3, 1])}, tf.ones([3])), steps=1)
    """

    def __init__(
        self,
        problem_type: int,
        num_unroll: int,
        batch_size: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer_type: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float] | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        num_threads: int = 3,
        queue_capacity: int = 1000,
        seed: int | None = None,
    ) -> None:
        if problem_type == ProblemType.CLASSIFICATION:
            if not num_classes:
                raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
            target_column: Any = multi_class_target(n_classes=num_classes)
            name = "MultiValueStateSavingRNNClassifier"
        else:
            check_problem_type(problem_type)
            target_column, name = regression_target(), "MultiValueStateSavingRNNRegressor"
        optimizer_type = with_momentum(optimizer_type, learning_rate, momentum)
        model_fn = _get_rnn_model_fn(
            cell_type=cell_type,
            target_column=target_column,
            problem_type=problem_type,
            optimizer=optimizer_type,
            num_unroll=num_unroll,
            num_units=num_units,
            num_threads=num_threads,
            queue_capacity=queue_capacity,
            batch_size=batch_size,
            sequence_feature_columns=sequence_feature_columns,
            context_feature_columns=context_feature_columns,
            predict_probabilities=predict_probabilities,
            learning_rate=learning_rate,
            gradient_clipping_norm=gradient_clipping_norm,
            dropout_keep_probabilities=dropout_keep_probabilities,
            name=name,
            seed=seed,
        )
        super().__init__(
            model_fn=model_fn, model_dir=model_dir, config=config, feature_engineering_fn=feature_engineering_fn
        )
