"""What model functions of `tf.contrib.learn` begin and end with: embeddings of categories; a layer with its loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.functions.nn import embedding
from headrace.kernels.composing.shapes import squeeze
from headrace.losses import supervised
from headrace.ops.array import where
from headrace.ops.math.cast import cast
from headrace.ops.nn.bias import xw_plus_b
from headrace.ops.nn.softmax import softmax
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def embedding_lookup(params: TensorLike, ids: TensorLike, name: str = "embedding_lookup") -> Tensor:
    """The rows of a matrix that ids of any shape name.

    Args:
        params: the matrix.
        ids: numbers of rows.
        name: a name for the operations.

    Returns:
        a row for each id: one axis more than `ids`.

    Example:
        >>> vectors = tf.contrib.learn.ops.embedding_lookup(tf.eye(3), [[0, 2]])
    """
    with name_scope(name, "embedding_lookup", [params, ids]):
        return embedding.embedding_lookup(convert_to_tensor(params), ids)


def categorical_variable(tensor_in: TensorLike, n_classes: int, embedding_size: int, name: str) -> Tensor:
    """A trained vector for each category.

    Args:
        tensor_in: numbers of categories.
        n_classes: how many categories there are.
        embedding_size: the size of the vectors.
        name: the scope of the variable, which is called by it too.

    Example:
        >>> words = tf.contrib.learn.ops.categorical_variable([[1, 2, 0]], n_classes=3, embedding_size=8, name="words")
    """
    with variable_scope(name):
        vectors = get_variable(f"{name}_embeddings", [n_classes, embedding_size])
        return embedding_lookup(vectors, tensor_in)


def one_hot_matrix(tensor_in: TensorLike, num_classes: int, on_value: float = 1.0, off_value: float = 0.0) -> Tensor:
    """Numbers as rows of one `on_value` among `off_value`s; of releases before 0.10.

    Args:
        tensor_in: the numbers.
        num_classes: how long the rows are.
        on_value, off_value: what stands at the number, and elsewhere.
    """
    return where.one_hot(cast(convert_to_tensor(tensor_in), "int64"), num_classes, on_value, off_value)


def mean_squared_error_regressor(
    tensor_in: TensorLike, labels: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """A linear layer, and the mean squared error of what it predicts.

    Args:
        tensor_in: [batch, size].
        labels: [batch], or [batch, outputs].
        weights, biases: [size, outputs] and [outputs].
        name: a name for the operations.

    Returns:
        predictions and the loss.
    """
    with name_scope(name, "mean_squared_error_regressor", [tensor_in, labels]):
        predictions = xw_plus_b(tensor_in, convert_to_tensor(weights), convert_to_tensor(biases))
        labels = convert_to_tensor(labels)
        if labels.shape.ndims == 1:
            predictions = squeeze(predictions, axis=[1])
        return predictions, supervised.mean_squared_error(labels, predictions)


def softmax_classifier(
    tensor_in: TensorLike,
    labels: TensorLike,
    weights: TensorLike,
    biases: TensorLike,
    class_weight: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """A linear layer, and the cross entropy of the probabilities it gives.

    Args:
        tensor_in: [batch, size].
        labels: [batch, classes], probabilities or rows of zeros and a one.
        weights, biases: [size, classes] and [classes].
        class_weight: a factor of the logits of each class, [classes].
        name: a name for the operations.

    Returns:
        probabilities and the loss.
    """
    with name_scope(name, "softmax_classifier", [tensor_in, labels]):
        logits = xw_plus_b(tensor_in, convert_to_tensor(weights), convert_to_tensor(biases))
        if class_weight is not None:
            logits = logits * class_weight
        return softmax(logits), supervised.softmax_cross_entropy(labels, logits)
