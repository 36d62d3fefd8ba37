# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor as Tensor
from headrace.keras.applications import building as building
from headrace.keras.applications.building import Request as Request, Shape as Shape, Weights as Weights
from headrace.keras.applications.residual import normalized as normalized
from headrace.keras.engine.training import Model as Model
from headrace.keras.layers.core import Activation as Activation
from headrace.keras.layers.cropping import ZeroPadding2D as ZeroPadding2D
from headrace.keras.layers.merge import Concatenate as Concatenate
from headrace.layers.convolutional import Conv2D as Conv2D
from headrace.layers.pooling import AveragePooling2D as AveragePooling2D, MaxPooling2D as MaxPooling2D
from typing import Any

def DenseNet121(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''A densely connected network of 121 layers.

    Args:
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        input_shape: the shape of an image.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    '''
def DenseNet169(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''A densely connected network of 169 layers.

    Args:
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        input_shape: the shape of an image.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    '''
def DenseNet201(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''A densely connected network of 201 layers.

    Args:
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        input_shape: the shape of an image.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    '''
__all__ = ['DenseNet121', 'DenseNet169', 'DenseNet201', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.torch_inputs import preprocess_input as preprocess_input
