"""Linear models of tensors: predictions and a loss, for model functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_mean
from headrace.functions.nn.cross_entropy import softmax_cross_entropy_with_logits
from headrace.kernels.composing.shapes import squeeze
from headrace.ops.math.unary import square
from headrace.ops.nn.bias import xw_plus_b
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.static import static_bidirectional_rnn
from headrace.state.initializers import RandomNormal
from headrace.state.variable_scope import get_variable, variable_scope
from headrace.summary.operations import histogram

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        vector = y.shape.ndims == 1
        weights, bias = _weights(x, 1 if vector else int(y.shape[1].value), init_mean, init_stddev, "linear_regression")
        predictions = xw_plus_b(x, weights, bias)
        if vector:
            predictions = squeeze(predictions, axis=[1])
        return predictions, reduce_mean(square(predictions - y))


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
        class_weight: a factor of the logits of each class, [classes], or None.
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
        logits = xw_plus_b(x, weights, bias)
        if class_weight is not None:
            logits = logits * class_weight
        loss = reduce_mean(softmax_cross_entropy_with_logits(labels=y, logits=logits))
        return softmax(logits), loss


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
        scope: a variable scope.

    Returns:
        the outputs of both cells side by side for each step, and the sum of their last states.
    """
    outputs, state_fw, state_bw = static_bidirectional_rnn(
        cell_fw, cell_bw, list(inputs), initial_state_fw, initial_state_bw, dtype, sequence_length, scope
    )
    return outputs, state_fw + state_bw
