"""Estimators of recurrent networks: `RNNClassifier` and `RNNEstimator`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.estimator.extenders import clip_gradients_by_norm
from headrace.contrib.estimator.heads import binary_classification_head, multi_class_head
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int64
from headrace.estimator.canned.optimizers import get_optimizer_instance
from headrace.estimator.canned.partitioning import check_features, hidden_partitioner, input_partitioner
from headrace.estimator.estimator import Estimator
from headrace.estimator.heads.sequential_head import SequentialHead
from headrace.feature_column.input_layer import input_layer
from headrace.feature_column.sequence_input import concatenate_context_input, sequence_input_layer
from headrace.functions.array.where import sequence_mask
from headrace.kernels.composing import cast, shape
from headrace.kernels.composing.arithmetic import range as range_
from headrace.layers.classic.core import dense
from headrace.losses.weighting import Reduction
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.optimizers.optimizer import Optimizer
from headrace.recurrent.basic_cells import BasicRNNCell, GRUCell
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.dynamic import dynamic_rnn
from headrace.recurrent.lstm_cells import BasicLSTMCell
from headrace.recurrent.multi_cell import MultiRNNCell
from headrace.state.global_step import get_global_step
from headrace.state.initializers import GlorotUniform
from headrace.state.variable_scope import variable_scope
from headrace.summary.operations import histogram

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Partitioner
    from headrace.estimator.heads.canned_heads import CannedHead
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.estimator.run_config import RunConfig

CellFn = Callable[[str], Any]

_LEARNING_RATE, _CLIP_NORM = 0.05, 5.0
_DEFAULT_CELL = "basic_rnn"
_CELLS: dict[str, type[Any]] = {"basic_rnn": BasicRNNCell, "gru": GRUCell, "lstm": BasicLSTMCell}


class _Unset:
    """Stands for a kind of cell that was not chosen."""


USE_DEFAULT = _Unset()


def _single_cell(num_units: int, cell_type: Any) -> Any:
    if isinstance(cell_type, str):
        if cell_type not in _CELLS:
            raise ValueError(f"The supported cell types are {sorted(_CELLS)}; got {cell_type}.")
        cell_type = _CELLS[cell_type]
    if not isinstance(cell_type, type) or not issubclass(cell_type, RNNCell):
        raise ValueError(f"The supported cell types are {sorted(_CELLS)} and classes of cells; got {cell_type}.")
    return cell_type(num_units=num_units)


def _cell_fn(rnn_cell_fn: CellFn | None, num_units: Iterable[int] | None, cell_type: Any) -> CellFn:
    """What makes the cell for a mode.

    Raises:
        ValueError: if both it and what to make it of are given.
    """
    if rnn_cell_fn is not None:
        if num_units is not None or cell_type is not USE_DEFAULT:
            raise ValueError("num_units and cell_type must not be specified when using rnn_cell_fn")
        return rnn_cell_fn
    kind = _DEFAULT_CELL if cell_type is USE_DEFAULT else cell_type

    def made(mode: str) -> Any:
        del mode  # the same network in each
        cells = [_single_cell(size, kind) for size in num_units or ()]
        return cells[0] if len(cells) == 1 else MultiRNNCell(cells)

    return made


def _last_activations(activations: Tensor, lengths: Tensor) -> Tensor:
    """The outputs after the last step of each sequence."""
    with name_scope("select_last_activations"):
        sizes = shape(activations)
        examples, steps, outputs = sizes[0], sizes[1], sizes[2]
        first = cast(range_(examples) * steps, int64, name="ToInt64")
        last = first + lengths - 1
        found = gather(reshape(activations, [examples * steps, outputs]), last)
        # Of sequences of unknown number and length the size of outputs is still known.
        found.set_shape([activations.shape[0], activations.shape[2]])
        return found


def _rnn_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: CannedHead,
    rnn_cell_fn: CellFn,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None,
    return_sequences: bool,
    optimizer: Any,
    input_layer_partitioner: Partitioner | None,
    config: RunConfig | None,
) -> EstimatorSpec:
    check_features(features)
    if not isinstance(optimizer, Optimizer):
        # What is not made by the program clips, too.
        optimizer = clip_gradients_by_norm(get_optimizer_instance(optimizer, learning_rate=_LEARNING_RATE), _CLIP_NORM)
    values = tuple(features.values())
    with variable_scope("rnn", values=values, partitioner=hidden_partitioner(config)):
        partitioner = input_layer_partitioner or input_partitioner(config)
        with variable_scope("sequence_input_layer", values=values, partitioner=partitioner):
            inputs, lengths = sequence_input_layer(features, sequence_feature_columns)
            histogram("sequence_length", lengths)
            if context_feature_columns:
                inputs = concatenate_context_input(input_layer(features, list(context_feature_columns)), inputs)
        outputs, _ = dynamic_rnn(
            cell=rnn_cell_fn(mode), inputs=inputs, sequence_length=lengths, dtype=float32, time_major=False
        )
        if not return_sequences:
            outputs = _last_activations(outputs, lengths)
        with variable_scope("logits", values=(outputs,)):
            logits = dense(outputs, head.logits_dimension, None, kernel_initializer=GlorotUniform())
        mask = sequence_mask(lengths)
        if isinstance(head, SequentialHead) and head.input_sequence_mask_key not in features:
            features = {**features, head.input_sequence_mask_key: mask}
        return head.create_estimator_spec(
            features=features,
            mode=mode,
            labels=labels,
            train_op_fn=lambda loss: optimizer.minimize(loss, global_step=get_global_step()),
            logits=logits,
        )


class RNNClassifier(Estimator):
    """A classifier of sequences by a recurrent network.

    Args:
        sequence_feature_columns: columns of sequences.
        context_feature_columns: dense columns of what is known of a whole sequence; each step sees it.
        num_units: the sizes of the layers.
        cell_type: "basic_rnn", the default, "lstm", "gru", or a class of cells.
        rnn_cell_fn: of the mode; it returns the cell. Instead of `num_units` and `cell_type`.
        model_dir: the folder of checkpoints and summaries.
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        optimizer: an instance; or a name or a function of no arguments, whose gradients are clipped to a norm of 5.
        loss_reduction: how the losses of a batch become one.
        input_layer_partitioner: how tables are parted.
        config: a `RunConfig`.

    Raises:
        ValueError: if a cell is given in both ways; for another reduction, or less than 2 classes.

    Example:
        >>> rating = tf.contrib.feature_column.sequence_numeric_column("rating")
        >>> estimator = tf.contrib.estimator.RNNClassifier([rating], num_units=[32, 16], cell_type="lstm")
    """

    def __init__(
        self,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_units: Iterable[int] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
    ) -> None:
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        if n_classes == 2:
            head = binary_classification_head(
                weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction
            )
        else:
            head = multi_class_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        model_fn = _model_fn(
            head,
            cell_fn,
            sequence_feature_columns,
            context_feature_columns,
            False,
            optimizer,
            input_layer_partitioner,
        )
        super().__init__(model_fn, model_dir=model_dir, config=config)


class RNNEstimator(Estimator):
    """A recurrent network over sequences, whose head is given.

    Args:
        head: what the logits mean.
        return_sequences: whether there are logits for each step, instead of for the last one; for sequential heads.
        sequence_feature_columns, context_feature_columns, num_units, cell_type, rnn_cell_fn, model_dir, optimizer,
            input_layer_partitioner, config: as of `RNNClassifier`.

    Raises:
        ValueError: for `return_sequences` with a head that is not sequential.

    Example:
        >>> rating = tf.contrib.feature_column.sequence_numeric_column("rating")
        >>> estimator = tf.contrib.estimator.RNNEstimator(tf.contrib.estimator.regression_head(), [rating], num_units=[8])
    """

    def __init__(
        self,
        head: CannedHead,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        num_units: Iterable[int] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        return_sequences: bool = False,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        input_layer_partitioner: Partitioner | None = None,
        config: RunConfig | None = None,
    ) -> None:
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        if return_sequences and not isinstance(head, SequentialHead):
            raise ValueError(f"With return_sequences=True the head must be a sequential one, but it is a {type(head)}.")
        model_fn = _model_fn(
            head,
            cell_fn,
            sequence_feature_columns,
            context_feature_columns,
            return_sequences,
            optimizer,
            input_layer_partitioner,
        )
        super().__init__(model_fn, model_dir=model_dir, config=config)


def _model_fn(
    head: CannedHead,
    cell_fn: CellFn,
    sequence_feature_columns: Iterable[Any],
    context_feature_columns: Iterable[Any] | None,
    return_sequences: bool,
    optimizer: Any,
    partitioner: Partitioner | None,
) -> Callable[..., EstimatorSpec]:
    sequences, context = tuple(sequence_feature_columns), tuple(context_feature_columns or ())

    def model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        return _rnn_model_fn(
            features,
            labels,
            mode,
            head,
            cell_fn,
            sequences,
            context,
            return_sequences,
            optimizer,
            partitioner,
            config,
        )

    return model_fn
