# Made by tools/make_stubs.py.

from collections.abc import Sequence
from headrace.core.constant_value import constant_value as constant_value
from headrace.core.convert import convert_to_tensor as convert_to_tensor
from headrace.core.defaults import name_scope as name_scope
from headrace.core.registry import raw as raw
from headrace.core.tensor import Tensor as Tensor
from headrace.core.typing import TensorLike as TensorLike
from headrace.functions.nn.cross_entropy import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits, sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from headrace.kernels import composing as composing
from headrace.ops.random.uniform import random_uniform as random_uniform

def alpha_dropout(x: TensorLike, keep_prob: TensorLike, noise_shape: Sequence[int] | None = None, seed: int | None = None, name: str | None = None) -> Tensor:
    '''Dropout for networks of selu units: mean and variance stay as they are.

    Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515.

    Args:
        x: a floating-point tensor.
        keep_prob: scalar: the probability that an element is kept.
        noise_shape: int vector: the shape of the choices, which are broadcast; by default that of `x`.
        seed: the seed of the operation.
        name: a name for the operations.

    Returns:
        a tensor like `x`; `x` itself if everything is kept.

    Raises:
        ValueError: if `keep_prob` is not in (0, 1] or no scalar.

    Example:
        >>> tf.contrib.nn.alpha_dropout(tf.nn.selu(x), 0.9)
    '''
def deprecated_flipped_softmax_cross_entropy_with_logits(logits: TensorLike, labels: TensorLike, dim: int = -1, name: str | None = None) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` with its arguments in the order of TensorFlow 0.x."""
def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits: TensorLike, labels: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with its arguments in the order of TensorFlow 0.x."""
def deprecated_flipped_sigmoid_cross_entropy_with_logits(logits: TensorLike, targets: TensorLike, name: str | None = None) -> Tensor:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with its arguments in the order of TensorFlow 0.x."""
def scaled_softplus(x: TensorLike, alpha: TensorLike, clip: TensorLike | None = None, name: str | None = None) -> Tensor:
    """`alpha * log(1 + exp(x / alpha))`, no more than `clip`.

    Args:
        x: a floating-point tensor.
        alpha: a tensor that broadcasts to `x`: how far below 0 the bend begins.
        clip: a tensor that broadcasts to `x`, or None.
        name: a name for the operations.

    Returns:
        a tensor like `x`.

    Example:
        >>> tf.contrib.nn.scaled_softplus(x, 0.1, clip=6.0)
    """
__all__ = ['alpha_dropout', 'conv1d_transpose', 'deprecated_flipped_sigmoid_cross_entropy_with_logits', 'deprecated_flipped_softmax_cross_entropy_with_logits', 'deprecated_flipped_sparse_softmax_cross_entropy_with_logits', 'nth_element', 'rank_sampled_softmax_loss', 'sampled_sparse_softmax_loss', 'scaled_softplus']
from headrace.functions.nn.transposed_functions import conv1d_transpose as conv1d_transpose
from headrace.functions.math.counting import nth_element as nth_element
from headrace.contrib.nn.sampling import rank_sampled_softmax_loss as rank_sampled_softmax_loss
from headrace.contrib.nn.sampling import sampled_sparse_softmax_loss as sampled_sparse_softmax_loss
