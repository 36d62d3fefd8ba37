"""`DynamicRnnEstimator`: recurrent networks over sequences of feature columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.feature_column_inputs import input_from_feature_columns
from headrace.contrib.layers.optimizers import OPTIMIZER_SUMMARIES, optimize_loss
from headrace.contrib.layers.sequence_columns import sequence_input_from_feature_columns
from headrace.contrib.layers.target_columns import ProblemType, multi_class_target, regression_target
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
    select_last_activations,
    single_value_predictions,
    with_momentum,
)
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32
from headrace.functions.flow.checks import assert_type
from headrace.functions.flow.rank_checks import assert_rank
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.tile import tile
from headrace.recurrent.dynamic import dynamic_rnn
from headrace.state.global_step import get_global_step

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike
    from headrace.estimator.run_config import RunConfig


def _get_state_name(i: int) -> str:
    """The key of a part of the state."""
    return f"{RNNKeys.STATE_PREFIX}_{i}"


def state_tuple_to_dict(state: Any) -> dict[str, Any]:
    """The parts of a cell's state by key.

    Args:
        state: a tensor, or a nested structure.
    """
    return {_get_state_name(i): part for i, part in enumerate(nest.flatten(state))}


def dict_to_state_tuple(input_dict: Mapping[str, Any], cell: Any) -> Any:
    """A cell's state of its parts.

    Args:
        input_dict: parts by key, among others.
        cell: the cell.

    Returns:
        the state, or None if there are no parts.

    Raises:
        ValueError: if there are some, but not all.
    """
    names = [_get_state_name(i) for i in range(len(nest.flatten(cell.state_size)))]
    parts = [convert_to_tensor(input_dict[name]) for name in names if name in input_dict]
    if not parts:
        return None
    if len(parts) != len(names):
        raise ValueError(
            f"RNN state was partially specified. Expected zero or {len(names)} state Tensors; got {len(parts)}"
        )
    return nest.pack_sequence_as(cell.state_size, parts)


def _checks(value: Tensor, rank: int, what: str) -> list[Any]:
    """Checks of rank and dtype, which are refused here as far as they are known, as operations."""
    of_rank = assert_rank(value, rank, message=f"{what} must have rank {rank}", data=[shape(value)])
    of_dtype = assert_type(value, float32, message=f"{what} must have dtype float32; got {value.dtype!r}.")
    return [of_rank, of_dtype]


def _concatenate_context_input(sequence_input: Tensor, context_input: Tensor) -> Tensor:
    """Sequences with the features of the whole sequence at each step.

    Args:
        sequence_input: [batch, time, size].
        context_input: [batch, size].
    """
    checks = _checks(sequence_input, 3, "sequence_input") + _checks(context_input, 2, "context_input")
    with control_dependencies(checks):
        steps = shape(sequence_input)[1]
        repeated = tile(expand_dims(context_input, 1), concat([[1], [steps], [1]], 0))
    return concat([sequence_input, repeated], 2)


def build_sequence_input(
    features: Mapping[str, Any],
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None,
    weight_collections: Sequence[str] | None = None,
    scope: Any = None,
) -> Tensor:
    """The input of a recurrent network.

    Args:
        features: tensors by key.
        sequence_feature_columns: columns of each step.
        context_feature_columns: columns of the whole sequence, or None.
        weight_collections: to which the variables of embeddings are added.
        scope: a variable scope.

    Returns:
        [batch, time, size].
    """
    tensors = dict(features)
    sequence = sequence_input_from_feature_columns(tensors, sequence_feature_columns, weight_collections, scope=scope)
    if not context_feature_columns:
        return sequence
    context = input_from_feature_columns(tensors, context_feature_columns, weight_collections, scope=scope)
    return _concatenate_context_input(sequence, context)


def construct_rnn(
    initial_state: Any,
    sequence_input: Tensor,
    cell: Any,
    num_label_columns: int,
    dtype: DTypeLike = float32,
    parallel_iterations: int | None = 32,
    swap_memory: bool = True,
) -> tuple[Tensor, Any]:
    """A recurrent network with a linear layer on top.

    Args:
        initial_state: of the cell, or None for zeros.
        sequence_input: [batch, time, size].
        cell: the cell.
        num_label_columns: the size of the layer.
        dtype: the type of the state.
        parallel_iterations, swap_memory: as of `tf.nn.dynamic_rnn`.

    Returns:
        activations [batch, time, num_label_columns], and the last state.
    """
    with name_scope("RNN"):
        outputs, state = dynamic_rnn(
            cell=cell,
            inputs=sequence_input,
            initial_state=initial_state,
            dtype=dtype,
            parallel_iterations=parallel_iterations,
            swap_memory=swap_memory,
            time_major=False,
        )
        return fully_connected(outputs, num_label_columns, activation_fn=None, trainable=True), state


def _multi_value_loss(
    activations: Tensor, labels: Tensor, sequence_length: Tensor | None, target_column: Any, features: Any
) -> Tensor:
    """The loss of predictions of all steps."""
    with name_scope("MultiValueLoss"):
        flat, flat_labels = mask_activations_and_labels(activations, labels, sequence_length)
        return target_column.loss(flat, flat_labels, features)


def _single_value_loss(
    activations: Tensor, labels: Tensor, sequence_length: Tensor | None, target_column: Any, features: Any
) -> Tensor:
    """The loss of predictions of the last steps."""
    with name_scope("SingleValueLoss"):
        return target_column.loss(select_last_activations(activations, sequence_length), labels, features)


def _get_output_alternatives(prediction_type: int, problem_type: int, prediction_dict: Mapping[str, Any]) -> Any:
    """What is exported: predictions of whole sequences, without the state."""
    if prediction_type == PredictionType.MULTIPLE_VALUE:
        return None
    if prediction_type != PredictionType.SINGLE_VALUE:
        raise ValueError(f"Unrecognized prediction_type: {prediction_type}")
    outputs = {key: value for key, value in prediction_dict.items() if not key.startswith(RNNKeys.STATE_PREFIX)}
    return {"dynamic_rnn_output": (problem_type, outputs)}


def _get_dynamic_rnn_model_fn(
    cell_type: Any,
    num_units: Any,
    target_column: Any,
    problem_type: int,
    prediction_type: int,
    optimizer: Any,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None = None,
    predict_probabilities: bool = False,
    learning_rate: float | None = None,
    gradient_clipping_norm: float | None = None,
    dropout_keep_probabilities: Sequence[float] | None = None,
    sequence_length_key: str = RNNKeys.SEQUENCE_LENGTH_KEY,
    dtype: DTypeLike = float32,
    parallel_iterations: int | None = None,
    swap_memory: bool = True,
    name: str = "DynamicRNNModel",
) -> Callable[..., ModelFnOps]:
    """The model function; arguments as of `DynamicRnnEstimator`."""
    _check_types(problem_type, prediction_type)
    check_probabilities(problem_type, predict_probabilities)
    single = prediction_type == PredictionType.SINGLE_VALUE

    def model_fn(features: Any, labels: Any, mode: str) -> ModelFnOps:
        with name_scope(name):
            lengths = features.get(sequence_length_key)
            inputs = build_sequence_input(features, sequence_feature_columns, context_feature_columns)
            cell = construct_rnn_cell(
                num_units, cell_type, dropout_keep_probabilities if mode == ModeKeys.TRAIN else None
            )
            state = dict_to_state_tuple(features, cell)
            activations, final_state = construct_rnn(
                state, inputs, cell, target_column.num_label_columns, dtype, parallel_iterations, swap_memory
            )
            if single:
                with name_scope("SingleValuePrediction"):
                    predictions = single_value_predictions(
                        activations, lengths, target_column, problem_type, predict_probabilities
                    )
            else:
                with name_scope("MultiValuePrediction"):
                    predictions = multi_value_predictions(
                        activations, target_column, problem_type, predict_probabilities
                    )
            predictions.update(state_tuple_to_dict(final_state))
            loss, metrics = None, None
            if mode != ModeKeys.INFER:
                measured = _single_value_loss if single else _multi_value_loss
                loss = measured(activations, labels, lengths, target_column, features)
                metrics = get_eval_metric_ops(problem_type, prediction_type, lengths, predictions, labels)
            train_op: Any = None
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
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=metrics,
            output_alternatives=_get_output_alternatives(prediction_type, problem_type, predictions),
        )

    return model_fn


def _check_types(problem_type: int, prediction_type: int) -> None:
    check_problem_type(problem_type)
    if prediction_type not in (PredictionType.SINGLE_VALUE, PredictionType.MULTIPLE_VALUE):
        raise ValueError(
            "prediction_type must be one of PredictionType.MULTIPLE_VALUE or PredictionType.SINGLE_VALUE; got "
            f"{prediction_type}"
        )


def _model_name(problem_type: int, prediction_type: int) -> str:
    """The name scope of a model, which its summaries are named by."""
    values = "SingleValue" if prediction_type == PredictionType.SINGLE_VALUE else "MultiValue"
    kind = "Regressor" if problem_type == ProblemType.LINEAR_REGRESSION else "Classifier"
    return f"{values}DynamicRNN{kind}"


class DynamicRnnEstimator(Estimator):
    """An estimator of a recurrent network over sequences of any length.

    Args:
        problem_type: `ProblemType.CLASSIFICATION` or `ProblemType.LINEAR_REGRESSION`.
        prediction_type: `PredictionType.SINGLE_VALUE` for a prediction of the whole sequence (1), or `MULTIPLE_VALUE` for
            one of each step (2).
        sequence_feature_columns: columns of each step.
        context_feature_columns: columns of the whole sequence, or None.
        num_classes: how many classes there are.
        num_units: the size of a layer, or of several.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        optimizer: a `tf.train.Optimizer`, its name, or its class.
        learning_rate: of the optimizer.
        predict_probabilities: whether probabilities are predicted besides classes.
        momentum: of the optimizer "Momentum".
        gradient_clipping_norm: the largest norm of gradients, or None.
        dropout_keep_probabilities: how much is kept before, between and after the layers; None for no dropout.
        model_dir: the folder of checkpoints and summaries.
        feature_engineering_fn: of features and labels; returns others, which the model gets.
        config: a `RunConfig`.

    Raises:
        ValueError: for other types, or classification without a number of classes.

    Example:
        >>> column = tf.contrib.layers.real_valued_column("x", dimension=1)
        >>> estimator = tf.contrib.learn.DynamicRnnEstimator(
        ...     problem_type=2, prediction_type=2, sequence_feature_columns=[column], num_units=4)
        >>> estimator.fit(input_fn=lambda: ({"x": tf.ones([2, 3, 1])}, tf.ones([2, 3])), steps=1)
    """

    def __init__(
        self,
        problem_type: int,
        prediction_type: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_classes: int | None = None,
        num_units: int | Sequence[int] | None = None,
        cell_type: Any = "basic_rnn",
        optimizer: Any = "SGD",
        learning_rate: float = 0.1,
        predict_probabilities: bool = False,
        momentum: float | None = None,
        gradient_clipping_norm: float | None = 5.0,
        dropout_keep_probabilities: Sequence[float] | None = None,
        model_dir: str | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
        config: RunConfig | None = None,
    ) -> None:
        _check_types(problem_type, prediction_type)
        if problem_type == ProblemType.LINEAR_REGRESSION:
            target_column: Any = regression_target()
        elif num_classes:
            target_column = multi_class_target(n_classes=num_classes)
        else:
            raise ValueError("For CLASSIFICATION problem_type, num_classes must be specified.")
        optimizer = with_momentum(optimizer, learning_rate, momentum)
        model_fn = _get_dynamic_rnn_model_fn(
            cell_type=cell_type,
            num_units=num_units,
            target_column=target_column,
            problem_type=problem_type,
            prediction_type=prediction_type,
            optimizer=optimizer,
            sequence_feature_columns=sequence_feature_columns,
            context_feature_columns=context_feature_columns,
            predict_probabilities=predict_probabilities,
            learning_rate=learning_rate,
            gradient_clipping_norm=gradient_clipping_norm,
            dropout_keep_probabilities=dropout_keep_probabilities,
            name=_model_name(problem_type, prediction_type),
        )
        super().__init__(
            model_fn=model_fn, model_dir=model_dir, config=config, feature_engineering_fn=feature_engineering_fn
        )
