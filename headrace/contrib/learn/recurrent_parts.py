"""What estimators of recurrent networks share: cells, and predictions of sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.metric_spec import PredictionKey
from headrace.functions.array.gather import gather_nd
from headrace.functions.array.where import boolean_mask
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.shapes import shape, squeeze
from headrace.metrics.legacy_names import streaming_accuracy
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.math.argmax import argmax
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.nn.softmax import softmax
from headrace.optimizers.descent import MomentumOptimizer
from headrace.recurrent.basic_cells import BasicRNNCell, GRUCell
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.lstm_cells import LSTMCell
from headrace.recurrent.multi_cell import MultiRNNCell
from headrace.recurrent.wrappers import DropoutWrapper

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

_CELLS: dict[str, Any] = {"basic_rnn": BasicRNNCell, "lstm": LSTMCell, "gru": GRUCell}


class PredictionType:
    """Whether a sequence has one prediction, or one for each step."""

    SINGLE_VALUE = 1
    MULTIPLE_VALUE = 2


class RNNKeys:
    """Keys of features and predictions."""

    FINAL_STATE_KEY = "final_state"
    LABELS_KEY = "__labels__"
    SEQUENCE_LENGTH_KEY = "sequence_length"
    STATE_PREFIX = "rnn_cell_state"


def check_problem_type(problem_type: int) -> None:
    """Raises ValueError for what is neither a linear regression nor a classification."""
    if problem_type not in (ProblemType.CLASSIFICATION, ProblemType.LINEAR_REGRESSION):
        raise ValueError(
            "problem_type must be either ProblemType.LINEAR_REGRESSION or ProblemType.CLASSIFICATION; got "
            f"{problem_type}"
        )


def check_probabilities(problem_type: int, predict_probabilities: bool) -> None:
    """Raises ValueError where probabilities are wanted of what is no classification."""
    if predict_probabilities and problem_type != ProblemType.CLASSIFICATION:
        raise ValueError(
            "predict_probabilities can only be set to True for problem_type ProblemType.CLASSIFICATION; got "
            f"{problem_type}."
        )


def _cell(cell_type: Any, num_units: int) -> Any:
    if isinstance(cell_type, type) and issubclass(cell_type, RNNCell):
        return cell_type(num_units=num_units)
    if not isinstance(cell_type, str) or cell_type not in _CELLS:
        raise ValueError(f"The supported cell types are {sorted(_CELLS)} and subclasses of RNNCell, got {cell_type!r}.")
    return _CELLS[cell_type](num_units=num_units)


def apply_dropout(
    cells: Sequence[Any], dropout_keep_probabilities: Sequence[float], random_seed: int | None = None
) -> Any:
    """Cells that forget a part of what goes in and comes out.

    Args:
        cells: the cells, from the first layer on.
        dropout_keep_probabilities: how much is kept before the first cell, between cells, and after the last.
        random_seed: where the random numbers start.

    Raises:
        ValueError: for another number of probabilities than one more than of cells.
    """
    if len(dropout_keep_probabilities) != len(cells) + 1:
        raise ValueError(
            "The number of dropout probabilities must be one greater than the number of cells. Got "
            f"{len(cells)} cells and {len(dropout_keep_probabilities)} dropout probabilities."
        )
    wrapped = [
        DropoutWrapper(cell, input_keep_prob=keep, output_keep_prob=1.0, seed=random_seed)
        for cell, keep in zip(cells[:-1], dropout_keep_probabilities[:-2], strict=True)
    ]
    before, after = dropout_keep_probabilities[-2:]
    wrapped.append(DropoutWrapper(cells[-1], input_keep_prob=before, output_keep_prob=after))
    return wrapped


def with_momentum(optimizer: Any, learning_rate: float, momentum: float | None) -> Any:
    """The optimizer that is meant: of the name "Momentum" with its momentum, any other as it is.

    Raises:
        ValueError: if momentum is wanted and not given.
    """
    if optimizer != "Momentum":
        return optimizer
    if momentum is None:
        raise ValueError("The optimizer 'Momentum' needs momentum; got None.")
    return MomentumOptimizer(learning_rate, momentum)


def construct_rnn_cell(
    num_units: int | Sequence[int],
    cell_type: Any = "basic_rnn",
    dropout_keep_probabilities: Sequence[float] | None = None,
) -> Any:
    """A cell, or a stack of them.

    Args:
        num_units: the size of each layer.
        cell_type: "basic_rnn", "lstm", "gru", or a class of cells.
        dropout_keep_probabilities: see `apply_dropout`; None for no dropout.

    Raises:
        ValueError: for another type.
    """
    sizes = list(num_units) if isinstance(num_units, Sequence) else [num_units]
    cells = [_cell(cell_type, size) for size in sizes]
    if dropout_keep_probabilities:
        cells = apply_dropout(cells, dropout_keep_probabilities)
    return cells[0] if len(cells) == 1 else MultiRNNCell(cells)


def mask_activations_and_labels(
    activations: Tensor, labels: Tensor, sequence_lengths: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Activations and labels of all steps of all sequences one after the other, without what lies after their ends.

    Args:
        activations: [batch, time, size].
        labels: [batch, time, ...].
        sequence_lengths: [batch], or None where all sequences are full.

    Returns:
        [steps, size] and [steps, ...].
    """
    size = shape(activations)
    if sequence_lengths is None:
        flat = reshape(activations, stack([-1, size[2]]))
        flat.set_shape([None, activations.shape[2]])
        return flat, reshape(labels, stack([size[0] * size[1], 1]))[:, 0]
    steps = tile(reshape(range_(size[1]), [1, -1]), stack([size[0], 1]))
    mask = steps < reshape(cast(sequence_lengths, "int32"), [-1, 1])
    return boolean_mask(activations, mask), boolean_mask(reshape(labels, size[:2]), mask)


def select_last_activations(activations: Tensor, sequence_lengths: Tensor | None) -> Tensor:
    """The activations at the ends of sequences.

    Args:
        activations: [batch, time, size].
        sequence_lengths: [batch], or None for full ones.

    Returns:
        [batch, size].
    """
    if sequence_lengths is None:
        return activations[:, -1]
    last = maximum(cast(sequence_lengths, "int32") - 1, 0)
    chosen = gather_nd(activations, stack([range_(shape(activations)[0]), last], axis=1))
    chosen.set_shape([activations.shape[0], activations.shape[2]])
    return chosen


def multi_value_predictions(
    activations: Tensor, target_column: Any, problem_type: int, predict_probabilities: bool
) -> dict[str, Tensor]:
    """A prediction for each step.

    Args:
        activations: [batch, time, columns].
        target_column: says what the activations mean.
        problem_type: a `ProblemType`.
        predict_probabilities: whether probabilities are wanted besides classes.
    """
    size = shape(activations)
    flat = reshape(activations, stack([-1, size[2]]))
    flat.set_shape([None, activations.shape[2]])
    found = _predictions(flat, target_column, problem_type, predict_probabilities)

    def by_step(values: Tensor) -> Tensor:
        inner = values.shape.as_list()[1:]
        shaped = reshape(values, stack([size[0], size[1], *inner]))
        shaped.set_shape([*activations.shape.as_list()[:2], *inner])
        return shaped

    return {name: by_step(values) for name, values in found.items()}


def single_value_predictions(
    activations: Tensor,
    sequence_length: Tensor | None,
    target_column: Any,
    problem_type: int,
    predict_probabilities: bool,
) -> dict[str, Tensor]:
    """A prediction for each sequence, of its last step; arguments as of `multi_value_predictions`."""
    last = select_last_activations(activations, sequence_length)
    return _predictions(last, target_column, problem_type, predict_probabilities)


def _predictions(activations: Tensor, target_column: Any, problem_type: int, probabilities: bool) -> dict[str, Tensor]:
    if problem_type == ProblemType.LINEAR_REGRESSION:
        return {PredictionKey.SCORES: squeeze(activations, axis=[1])}
    if problem_type != ProblemType.CLASSIFICATION:
        raise ValueError(
            "problem_type must be either ProblemType.LINEAR_REGRESSION or ProblemType.CLASSIFICATION; got "
            f"{problem_type}"
        )
    if not probabilities:
        return {PredictionKey.CLASSES: target_column.logits_to_predictions(activations, proba=False)}
    if activations.shape[-1].value == 1:
        shares = target_column.logits_to_predictions(activations, proba=True)
    else:
        shares = softmax(activations)
    return {PredictionKey.PROBABILITIES: shares, PredictionKey.CLASSES: argmax(shares, 1)}


def get_eval_metric_ops(
    problem_type: int,
    prediction_type: int,
    sequence_length: Tensor | None,
    prediction_dict: dict[str, Any],
    labels: Any,
) -> dict[str, Any]:
    """The metrics of predictions: the accuracy of classes.

    Args:
        problem_type: a `ProblemType`.
        prediction_type: a `PredictionType`.
        sequence_length: [batch], or None.
        prediction_dict: the predictions.
        labels: what they are compared with.
    """
    if problem_type != ProblemType.CLASSIFICATION:
        return {}
    classes = prediction_dict[PredictionKey.CLASSES]
    if prediction_type == PredictionType.SINGLE_VALUE:
        return {"accuracy": streaming_accuracy(classes, reshape(labels, shape(classes)))}
    columns = reshape(classes, stack([*(shape(classes)[i] for i in (0, 1)), 1]))
    columns.set_shape([None, None, 1])
    masked, masked_labels = mask_activations_and_labels(columns, labels, sequence_length)
    return {"accuracy": streaming_accuracy(reshape(masked, [-1]), masked_labels)}
