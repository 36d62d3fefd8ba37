"""The masks of weights, and the collections they are found in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.defaults import add_to_collection, get_collection
from headrace.core.tensor import Tensor
from headrace.functions.nn.moments import zero_fraction
from headrace.ops.math.binary import multiply
from headrace.state.initializers import ones_initializer, zeros_initializer
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


MASK_COLLECTION = "masks"
THRESHOLD_COLLECTION = "thresholds"
MASKED_WEIGHT_COLLECTION = "masked_weights"
WEIGHT_COLLECTION = "kernel"
MASKED_WEIGHT_NAME = "weights/masked_weight"


def masked(weights: Variable, mask: TensorLike, threshold: TensorLike) -> Tensor:
    """The product of weights and mask; all four join their collections, once."""
    product = multiply(mask, weights, MASKED_WEIGHT_NAME)
    if all(mask is not other for other in get_collection(MASK_COLLECTION)):
        add_to_collection(THRESHOLD_COLLECTION, threshold)
        add_to_collection(MASK_COLLECTION, mask)
        add_to_collection(MASKED_WEIGHT_COLLECTION, product)
        add_to_collection(WEIGHT_COLLECTION, weights)
    return product


def apply_mask(x: Variable, scope: str = "") -> Tensor:
    """Weights with a mask, for layers that have none of their own.

    Args:
        x: the weights, a variable.
        scope: the variable scope of the variables `mask` and `threshold`.

    Returns:
        the masked weights, to be used instead of `x`.

    Example:
        >>> logits = tf.matmul(x, tf.contrib.model_pruning.apply_mask(w, "logits"))
    """
    with variable_scope(scope):
        mask = get_variable("mask", x.get_shape(), initializer=ones_initializer(), trainable=False, dtype=x.dtype)
    with variable_scope(scope):
        threshold = get_variable("threshold", [], initializer=zeros_initializer(), trainable=False, dtype=x.dtype)
    return masked(x, mask, threshold)


def get_masked_weights() -> list[Any]:
    """The masked weights of the default graph."""
    return get_collection(MASKED_WEIGHT_COLLECTION)


def get_masks() -> list[Any]:
    """The masks of the default graph."""
    return get_collection(MASK_COLLECTION)


def get_thresholds() -> list[Any]:
    """The thresholds of the default graph, below which weights are zero."""
    return get_collection(THRESHOLD_COLLECTION)


def get_weights() -> list[Any]:
    """The weights of the default graph that have masks."""
    return get_collection(WEIGHT_COLLECTION)


def get_weight_sparsity() -> list[Tensor]:
    """For each mask, what share of it is zero."""
    return [zero_fraction(mask) for mask in get_masks()]
