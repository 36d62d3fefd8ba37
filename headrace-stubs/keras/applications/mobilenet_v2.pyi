# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor as Tensor
from headrace.keras.applications import building as building
from headrace.keras.applications.building import Request as Request, Shape as Shape, Weights as Weights
from headrace.keras.applications.mobilenet import default_size_of as default_size_of, spatial as spatial, trained_size as trained_size
from headrace.keras.engine.training import Model as Model
from headrace.keras.layers.advanced_activations import ReLU as ReLU
from headrace.keras.layers.convolutional import DepthwiseConv2D as DepthwiseConv2D
from headrace.keras.layers.cropping import ZeroPadding2D as ZeroPadding2D
from headrace.keras.layers.merge import Add as Add
from headrace.keras.layers.pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from headrace.layers.convolutional import Conv2D as Conv2D
from headrace.layers.core import Dense as Dense
from headrace.layers.normalization import BatchNormalization as BatchNormalization
from typing import Any

def MobileNetV2(input_shape: Shape | None = None, alpha: float = 1.0, include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''MobileNetV2: 17 blocks that are wide inside and narrow between.

    Args:
        input_shape: the shape of an image.
        alpha: how wide it is: a factor of the numbers of filters.
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    '''
__all__ = ['MobileNetV2', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
