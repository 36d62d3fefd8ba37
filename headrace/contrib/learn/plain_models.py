"""Linear models of tensors: predictions and a loss, for model functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.learn.classifier_ops import mean_squared_error_regressor, softmax_classifier
from headrace.contrib.learn.network_ops import dnn
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.kernels.composing.arranging import concat
from headrace.recurrent.attention_wrappers import AttentionCellWrapper
from headrace.recurrent.basic_cells import BasicRNNCell, GRUCell
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.lstm_cells import BasicLSTMCell
from headrace.recurrent.multi_cell import MultiRNNCell
from headrace.recurrent.static import reversed_steps, static_rnn
from headrace.state.initializers import RandomNormal
from headrace.state.variable_scope import get_variable, variable_scope
from headrace.summary.operations import histogram

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


def _weights(x: Tensor, outputs: int, init_mean: float | None, init_stddev: float, scope: str) -> tuple[Any, Any]:
    size = x.shape[1].value
    # None is the variable scope's own initializer.
    of_weights: Any = None if init_mean is None else RandomNormal(init_mean, init_stddev, dtype=x.dtype)
    weights = get_variable("weights", [size, outputs], x.dtype, of_weights)
    bias = get_variable("bias", [outputs], x.dtype, of_weights)
    histogram(f"{scope}.weights", weights)
    histogram(f"{scope}.bias", bias)
    return weights, bias


def linear_regression(
    x: TensorLike, y: TensorLike, init_mean: float | None = None, init_stddev: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Linear regression.

    Args:
        x: features, [batch, size].
        y: labels, [batch] or [batch, outputs].
        init_mean, init_stddev: the normal distribution that weights start from; the scope's initializer by default.

    Returns:
        predictions and the mean squared error.

    Example:
        >>> predictions, loss = tf.contrib.learn.models.linear_regression(tf.ones([3, 2]), tf.zeros([3]))
    """
    with variable_scope("linear_regression"):
        x, y = convert_to_tensor(x), convert_to_tensor(y)
        histogram("linear_regression.x", x)
        histogram("linear_regression.y", y)
        outputs = 1 if y.shape.ndims == 1 else int(y.shape[1].value)
        weights, bias = _weights(x, outputs, init_mean, init_stddev, "linear_regression")
        return mean_squared_error_regressor(x, y, weights, bias)


def linear_regression_zero_init(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Linear regression whose weights start from zero; see `linear_regression`.

    Args:
        x, y: features and labels.
    """
    return linear_regression(x, y, init_mean=0.0, init_stddev=0.0)


def logistic_regression(
    x: TensorLike,
    y: TensorLike,
    class_weight: TensorLike | None = None,
    init_mean: float | None = None,
    init_stddev: float = 1.0,
) -> tuple[Tensor, Tensor]:
    """Logistic regression of classes.

    Args:
        x: features, [batch, size].
        y: labels as one-hot vectors, [batch, classes].
        class_weight: a factor of the logits of each class, [classes]; by default the graph's tensor "class_weight", if
            there is one.
        init_mean, init_stddev: the normal distribution that weights start from; the scope's initializer by default.

    Returns:
        probabilities and the mean cross entropy.

    Example:
        >>> labels = tf.one_hot([0, 1, 1], 2)
        >>> probabilities, loss = tf.contrib.learn.models.logistic_regression(tf.ones([3, 2]), labels)
    """
    with variable_scope("logistic_regression"):
        x, y = convert_to_tensor(x), convert_to_tensor(y)
        histogram("logistic_regression.x", x)
        histogram("logistic_regression.y", y)
        weights, bias = _weights(x, int(y.shape[1].value), init_mean, init_stddev, "logistic_regression")
        if class_weight is None:
            class_weight = _class_weight_of_graph()
        return softmax_classifier(x, y, weights, bias, class_weight)


def _class_weight_of_graph() -> Tensor | None:
    """The tensor that estimators hand weights of classes on by: it is called "class_weight"."""
    try:
        return get_default_graph().get_tensor_by_name("class_weight:0")
    except KeyError:
        return None


def logistic_regression_zero_init(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Logistic regression whose weights start from zero; see `logistic_regression`.

    Args:
        x, y: features and labels.
    """
    return logistic_regression(x, y, init_mean=0.0, init_stddev=0.0)


def bidirectional_rnn(
    cell_fw: Any,
    cell_bw: Any,
    inputs: Sequence[Tensor],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: Any = None,
) -> tuple[list[Tensor], Tensor]:
    """A recurrent network in both directions.

    Args:
        cell_fw, cell_bw: the cells.
        inputs: a tensor [batch, size] for each step.
        initial_state_fw, initial_state_bw: where the cells start; zeros by default.
        dtype: the type of states where these are not given.
        sequence_length: how many steps of each sequence there are, [batch].
        scope: what the names of both variable scopes begin with, "BiRNN" by default.

    Returns:
        the outputs of both cells side by side for each step, and their last states side by side.

    Raises:
        TypeError: if a cell is none, or the inputs are no list.
        ValueError: if there are no inputs.
    """
    for name, cell in (("cell_fw", cell_fw), ("cell_bw", cell_bw)):
        if not isinstance(cell, RNNCell):
            raise TypeError(f"{name} must be an instance of RNNCell, got {cell!r}")
    if not isinstance(inputs, list):
        raise TypeError(f"inputs must be a list, got {type(inputs).__name__}")
    if not inputs:
        raise ValueError("inputs must not be empty")
    prefix = scope or "BiRNN"
    with variable_scope(f"{prefix}_FW"):
        forward, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length)
    with variable_scope(f"{prefix}_BW"):
        turned = reversed_steps(inputs, sequence_length)
        backward, state_bw = static_rnn(cell_bw, turned, initial_state_bw, dtype, sequence_length)
    pairs = zip(forward, reversed_steps(backward, sequence_length), strict=True)
    return [concat(list(pair), 1) for pair in pairs], concat([state_fw, state_bw], 1)


def get_dnn_model(
    hidden_units: Sequence[int], target_predictor_fn: Callable[[Any, Any], Any], dropout: float | None = None
) -> Callable[[Any, Any], Any]:
    """A model of fully connected layers; of releases before 0.10.

    Args:
        hidden_units: the sizes of the layers.
        target_predictor_fn: of what the layers give and the labels, such as `logistic_regression`.
        dropout: the share of each layer's numbers that training leaves out.

    Returns:
        a function of features and labels, which returns what `target_predictor_fn` does.
    """

    def dnn_model(x: Any, y: Any) -> Any:
        return target_predictor_fn(dnn(x, hidden_units, dropout=dropout), y)

    return dnn_model


_CELLS: dict[str, Any] = {"rnn": BasicRNNCell, "gru": GRUCell, "lstm": BasicLSTMCell}


def get_rnn_model(
    rnn_size: int,
    cell_type: str,
    num_layers: int,
    input_op_fn: Callable[[Any], list[Tensor]],
    bidirectional: bool,
    target_predictor_fn: Callable[[Any, Any], Any],
    sequence_length: Any,
    initial_state: Any,
    attn_length: int | None = None,
    attn_size: int | None = None,
    attn_vec_size: int | None = None,
) -> Callable[[Any, Any], Any]:
    """A model that predicts from the last state of a recurrent network.

    Args:
        rnn_size: the size of the cells.
        cell_type: "rnn", "gru" or "lstm".
        num_layers: how many cells lie upon one another.
        input_op_fn: of the features; returns a tensor [batch, size] for each step.
        bidirectional: whether there is a network backwards too.
        target_predictor_fn: of the last state and the labels, such as `logistic_regression`.
        sequence_length: how many steps of each sequence there are, [batch]; None for all.
        initial_state: the state to start with; zeros by default. In both directions zeros are the only one.
        attn_length: how many steps cells look back by attention; None for none.
        attn_size, attn_vec_size: the sizes of attention vectors and of the layer that scores.

    Returns:
        a function of features and labels, which returns what `target_predictor_fn` does.

    Raises:
        ValueError: when the model is built, for another type of cell.
    """

    def network() -> MultiRNNCell:
        make = _CELLS.get(cell_type) if isinstance(cell_type, str) else None
        if make is None:
            raise ValueError(f"cell_type {cell_type} is not supported: use one of {sorted(_CELLS)}.")

        def layer() -> Any:
            cell = make(rnn_size, state_is_tuple=False) if make is BasicLSTMCell else make(rnn_size)
            if attn_length is None:
                return cell
            return AttentionCellWrapper(cell, attn_length, attn_size, attn_vec_size, state_is_tuple=False)

        return MultiRNNCell([layer() for _ in range(num_layers)], state_is_tuple=False)

    def rnn_model(x: Any, y: Any) -> Any:
        inputs = input_op_fn(x)
        if bidirectional:
            _, encoding = bidirectional_rnn(
                network(), network(), inputs, dtype="float32", sequence_length=sequence_length
            )
        else:
            _, encoding = static_rnn(network(), inputs, initial_state, "float32", sequence_length)
        return target_predictor_fn(encoding, y)

    return rnn_model
