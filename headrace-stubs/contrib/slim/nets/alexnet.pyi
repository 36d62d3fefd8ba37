# Made by tools/make_stubs.py.

from collections.abc import Callable as Callable
from headrace.contrib.framework.arg_scope import arg_scope as arg_scope
from headrace.contrib.layers.convolution import convolution2d as convolution2d
from headrace.contrib.layers.pooling import max_pool2d as max_pool2d
from headrace.contrib.slim.nets.plain import collected as collected, collecting as collecting, head as head, plain_scope as plain_scope
from headrace.contrib.slim.nets.stages import truncated_normal as truncated_normal
from headrace.core.typing import TensorLike as TensorLike
from headrace.state.initializers import Constant as Constant, Zeros as Zeros
from typing import Any

def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> dict[str, dict[str, str | Callable[..., Any] | Constant]]:
    """The arg scope to build the network in; `weight_decay` is the factor of the L2 loss of weights."""
def alexnet_v2(inputs: TensorLike, num_classes: int = 1000, is_training: bool = True, dropout_keep_prob: float = 0.5, spatial_squeeze: bool = True, scope: str = 'alexnet_v2') -> tuple[Any, Any]:
    """The network.

    Args:
        inputs: images of 224 x 224.
        num_classes: the number of classes.
        is_training: a bool or a bool tensor.
        dropout_keep_prob: the share of activations that dropout keeps.
        spatial_squeeze: whether to give logits as [batch, num_classes].
        scope: the name of the variable scope.

    Returns:
        the logits, and the outputs of all layers by name.

    Example:
        >>> images = tf.zeros([2, 224, 224, 3])
        >>> with slim.arg_scope(slim.nets.alexnet.alexnet_v2_arg_scope()):
        ...     logits, end_points = slim.nets.alexnet.alexnet_v2(images)
    """
__all__ = ['alexnet_v2', 'alexnet_v2_arg_scope', 'trunc_normal']
from headrace.contrib.slim.nets.stages import trunc_normal as trunc_normal
