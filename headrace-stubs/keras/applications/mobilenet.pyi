# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor as Tensor
from headrace.keras.applications import building as building
from headrace.keras.applications.building import Request as Request, Shape as Shape, Weights as Weights
from headrace.keras.backend_config import image_data_format as image_data_format
from headrace.keras.engine.training import Model as Model
from headrace.keras.layers.advanced_activations import ReLU as ReLU
from headrace.keras.layers.convolutional import DepthwiseConv2D as DepthwiseConv2D
from headrace.keras.layers.core import Activation as Activation, Reshape as Reshape
from headrace.keras.layers.cropping import ZeroPadding2D as ZeroPadding2D
from headrace.keras.layers.pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from headrace.layers.convolutional import Conv2D as Conv2D
from headrace.layers.core import Dropout as Dropout
from headrace.layers.normalization import BatchNormalization as BatchNormalization
from headrace.util import tf_logging as tf_logging
from typing import Any

def spatial(shape: Shape) -> tuple[int | None, int | None]:
    """The height and the width in the shape of an image."""
def default_size_of(input_shape: Shape | None, sizes: tuple[int, ...]) -> int:
    """The size of images: the one asked for, if there are trained weights for it, or 224."""
def trained_size(request: Request, shape: Shape, sizes: tuple[int, ...]) -> int:
    """The size of images for which trained weights are taken.

    Args:
        request: what the program asks for.
        shape: the shape of an image.
        sizes: the sizes there are weights for.
    """
def MobileNet(input_shape: Shape | None = None, alpha: float = 1.0, depth_multiplier: int = 1, dropout: float = 0.001, include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''MobileNet: 13 blocks of a depthwise convolution and one of 1 by 1.

    Args:
        input_shape: the shape of an image.
        alpha: how wide it is: a factor of the numbers of filters.
        depth_multiplier: how many filters a channel has in depthwise convolutions.
        dropout: the part that is left out before the top.
        include_top: whether it ends with layers that classify.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    '''
__all__ = ['MobileNet', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
