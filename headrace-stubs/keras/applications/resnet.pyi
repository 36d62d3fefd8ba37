# Made by tools/make_stubs.py.

from headrace.keras.applications.building import Request as Request, Shape as Shape
from headrace.keras.applications.residual import resnet as resnet
from headrace.keras.engine.training import Model as Model
from typing import Any

def ResNet50(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''A residual network of 50 layers.

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
def ResNet101(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''A residual network of 101 layers.

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
def ResNet152(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''A residual network of 152 layers.

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
__all__ = ['ResNet101', 'ResNet152', 'ResNet50', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.caffe_inputs import preprocess_input as preprocess_input
