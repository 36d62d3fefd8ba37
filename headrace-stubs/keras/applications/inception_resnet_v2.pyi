# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor as Tensor
from headrace.keras.applications import building as building
from headrace.keras.applications.building import Request as Request, Shape as Shape, Weights as Weights
from headrace.keras.applications.inception import conv as conv, joined as joined, narrowed as narrowed, pooled_then as pooled_then, stem as stem
from headrace.keras.engine.training import Model as Model
from headrace.keras.layers.core import Activation as Activation
from headrace.keras.layers.lambda_layer import Lambda as Lambda
from headrace.layers.convolutional import Conv2D as Conv2D
from typing import Any

def InceptionResNetV2(include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, input_shape: Shape | None = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''InceptionResNetV2: 40 residual blocks of branches.

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
__all__ = ['InceptionResNetV2', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
