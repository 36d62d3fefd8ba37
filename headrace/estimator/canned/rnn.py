"""Estimators of recurrent networks of 2.x's interface: `RNNClassifier` and `RNNEstimator`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.estimator.canned.checks_v2 import head_of_classes_v2
from headrace.estimator.canned.optimizers import get_optimizer_instance_v2
from headrace.estimator.canned.partitioning import check_features
from headrace.estimator.estimator import EstimatorV2
from headrace.estimator.heads.sequential_head import SequentialHead, SequentialHeadWrapper
from headrace.estimator.mode_keys import ModeKeys
from headrace.feature_column.features_layer import DenseFeatures, SequenceFeatures
from headrace.feature_column.sequence_input import concatenate_context_input
from headrace.functions.array.where import sequence_mask
from headrace.keras.engine.training import Model
from headrace.keras.layers.recurrent_base import RNN
from headrace.keras.layers.recurrent_gru import GRUCell
from headrace.keras.layers.recurrent_lstm import LSTMCell
from headrace.keras.layers.recurrent_simple import SimpleRNNCell
from headrace.keras.layers.recurrent_v2 import GRU, LSTM
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.layers.core import Dense
from headrace.state.global_step import get_or_create_global_step
from headrace.state.initializers import GlorotUniform
from headrace.summary.operations import histogram

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.estimator.heads.base_head import Head
    from headrace.estimator.model_fn import EstimatorSpec
    from headrace.estimator.run_config import RunConfig
    from headrace.layers.engine import Layer

CellFn = Callable[[], Any]

_LEARNING_RATE = 0.05
_DEFAULT_CELL = "simple_rnn"
_CELLS: dict[str, type[Any]] = {"simple_rnn": SimpleRNNCell, "lstm": LSTMCell, "gru": GRUCell}
# The layers of one cell that have faster kernels of their own.
_LAYERS: dict[str, type[Any]] = {"lstm": LSTM, "gru": GRU}


class _Unset:
    """Stands for a kind of cell that was not chosen."""


USE_DEFAULT = _Unset()


def _single_cell(units: int, cell_type: Any) -> Any:
    kind = _CELLS.get(cell_type, cell_type) if isinstance(cell_type, str) else cell_type
    if not isinstance(kind, type) or not hasattr(kind, "call"):
        raise ValueError(
            "`cell_type` should be a class producing a RNN cell, or a string specifying the cell type. Supported strings "
            f"are: {list(_CELLS)}."
        )
    return kind(units=units)


def make_rnn_layer(
    rnn_cell_fn: CellFn | None, units: int | Iterable[int] | None, cell_type: Any, return_sequences: bool
) -> Layer:
    """The recurrent layer of a model.

    Args:
        rnn_cell_fn: makes its cell; or
        units: the size of the cell, or the sizes of several that are put on one another.
        cell_type: "simple_rnn", "lstm", "gru", or a class of cells.
        return_sequences: whether it gives the outputs of all steps.

    Raises:
        ValueError: if both are given, or for another kind of cell.
    """
    if rnn_cell_fn is not None:
        if units is not None or cell_type is not USE_DEFAULT:
            raise ValueError("units and cell_type must not be specified when using rnn_cell_fn")
        return RNN(cell=rnn_cell_fn(), return_sequences=return_sequences)
    if isinstance(units, int) and isinstance(cell_type, str) and cell_type in _LAYERS:
        return _LAYERS[cell_type](units, return_sequences=return_sequences)
    kind = _DEFAULT_CELL if cell_type is USE_DEFAULT else cell_type
    if not isinstance(units, Iterable):
        raise TypeError(f"units must be a list of the layers' sizes; got {units}.")
    cells = [_single_cell(size, kind) for size in units]
    return RNN(cell=cells[0] if len(cells) == 1 else cells, return_sequences=return_sequences)


class RNNModel(Model):
    """A recurrent network over columns of sequences.

    Args:
        rnn_layer: the recurrent layer.
        units: how many logits.
        sequence_feature_columns: columns of sequences.
        context_feature_columns: dense columns of what is known of a whole sequence; each step sees it.
        activation: of the logits.
        return_sequences: whether there are logits for each step.
    """

    def __init__(
        self,
        rnn_layer: Layer,
        units: int,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        activation: Any = None,
        return_sequences: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._return_sequences = return_sequences
        self._sequence_feature_columns = list(sequence_feature_columns)
        self._context_feature_columns = list(context_feature_columns or [])
        self._sequence_features_layer = SequenceFeatures(self._sequence_feature_columns)
        self._dense_features_layer = (
            DenseFeatures(self._context_feature_columns) if self._context_feature_columns else None
        )
        self._rnn_layer = rnn_layer
        self._logits_layer = Dense(units, activation=activation, kernel_initializer=GlorotUniform(), name="logits")

    def call(  # type: ignore[override]  # the mask comes of the columns
        self, inputs: Any, training: Any = None
    ) -> Tensor:
        """The logits, of the last steps or of all.

        Args:
            inputs: from key to tensor.
            training: whether the model is trained.
        """
        with name_scope("sequence_input_layer"):
            sequences, lengths = self._sequence_features_layer(inputs)
            histogram("sequence_length", lengths)
            if self._dense_features_layer is not None:
                context = self._dense_features_layer(inputs)
                sequences = concatenate_context_input(context, sequences)
        self.sequence_mask = sequence_mask(lengths)
        activations = self._rnn_layer(sequences, mask=self.sequence_mask, training=training)
        return self._logits_layer(activations)


def _rnn_model_fn(
    features: Any,
    labels: Any,
    mode: str,
    head: Head,
    model: RNNModel,
    optimizer: Any,
    return_sequences: bool,
) -> EstimatorSpec:
    training = mode == ModeKeys.TRAIN
    if training:
        optimizer = get_optimizer_instance_v2(optimizer, learning_rate=_LEARNING_RATE)
        optimizer.iterations = get_or_create_global_step()
    logits = model(features, training)
    if return_sequences and isinstance(head, SequentialHead):
        features = {**features, head.input_sequence_mask_key: model.sequence_mask}
    return head.create_estimator_spec(
        features=features,
        mode=mode,
        labels=labels,
        optimizer=optimizer,
        logits=logits,
        trainable_variables=model.trainable_variables,
        update_ops=model.updates,
    )


class RNNEstimator(EstimatorV2):
    """A recurrent network over sequences, whose head is given.

    Args:
        head: what the logits mean: a `tf.estimator.Head`.
        sequence_feature_columns: columns of sequences.
        context_feature_columns: dense columns of what is known of a whole sequence; each step sees it.
        units: the sizes of the layers.
        cell_type: "simple_rnn", the default, "lstm", "gru", or a class of cells of Keras.
        rnn_cell_fn: returns the cell. Instead of `units` and `cell_type`.
        return_sequences: whether there are logits for each step, instead of for the last one.
        model_dir: the folder of checkpoints and summaries.
        optimizer: a name, an instance of Keras, or a function of no arguments.
        config: a `RunConfig`.

    Raises:
        ValueError: if a cell is given in both ways, or if there are logits for each step and the head is not for sequences.

    Example:
        >>> rating = tf.feature_column.sequence_numeric_column("rating")
        >>> head = tf.estimator.RegressionHead()
        >>> estimator = tf.compat.v2.estimator.experimental.RNNEstimator(head, [rating], units=[32], cell_type="lstm")
    """

    def __init__(
        self,
        head: Head,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        units: Iterable[int] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        return_sequences: bool = False,
        model_dir: str | None = None,
        optimizer: Any = "Adagrad",
        config: RunConfig | None = None,
    ) -> None:
        if return_sequences and not isinstance(head, SequentialHead):
            raise ValueError("Provided head must be a `_SequentialHead` object when `return_sequences` is set to True.")
        if rnn_cell_fn is not None and (units is not None or cell_type is not USE_DEFAULT):
            raise ValueError("units and cell_type must not be specified when using rnn_cell_fn")
        sequences, context = tuple(sequence_feature_columns), tuple(context_feature_columns or ())

        def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
            check_features(features)
            layer = make_rnn_layer(rnn_cell_fn, units, cell_type, return_sequences)
            model = RNNModel(layer, head.logits_dimension, sequences, context, return_sequences=return_sequences)
            return _rnn_model_fn(features, labels, mode, head, model, optimizer, return_sequences)

        super().__init__(model_fn, model_dir=model_dir, config=config)


class RNNClassifier(RNNEstimator):
    """A classifier of sequences, or of their steps, by a recurrent network.

    Args:
        n_classes: how many classes.
        weight_column: the key or numeric column of the weights of examples.
        label_vocabulary: the names of the classes, where labels are strings.
        loss_reduction: how the losses of a batch become one: a `tf.keras.losses.Reduction`.
        sequence_mask: the key under which predictions for each step tell which steps there are.
        sequence_feature_columns, context_feature_columns, units, cell_type, rnn_cell_fn, return_sequences, model_dir,
            optimizer, config: as of `RNNEstimator`.

    Example:
        >>> rating = tf.feature_column.sequence_numeric_column("rating")
        >>> estimator = tf.compat.v2.estimator.experimental.RNNClassifier([rating], units=[32], cell_type="lstm")
    """

    def __init__(
        self,
        sequence_feature_columns: Iterable[Any],
        context_feature_columns: Iterable[Any] | None = None,
        units: Iterable[int] | None = None,
        cell_type: Any = USE_DEFAULT,
        rnn_cell_fn: CellFn | None = None,
        return_sequences: bool = False,
        model_dir: str | None = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: Any = "Adagrad",
        loss_reduction: str = ReductionV2.SUM_OVER_BATCH_SIZE,
        sequence_mask: str = "sequence_mask",
        config: RunConfig | None = None,
    ) -> None:
        head = head_of_classes_v2(n_classes, weight_column, label_vocabulary, loss_reduction)
        if return_sequences:
            head = SequentialHeadWrapper(head, sequence_length_mask=sequence_mask, feature_columns=weight_column)
        super().__init__(
            head,
            sequence_feature_columns,
            context_feature_columns,
            units,
            cell_type,
            rnn_cell_fn,
            return_sequences,
            model_dir,
            optimizer,
            config,
        )
