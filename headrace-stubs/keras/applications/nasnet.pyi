# Made by tools/make_stubs.py.

from dataclasses import dataclass
from headrace.core.tensor import Tensor as Tensor
from headrace.keras.applications import building as building
from headrace.keras.applications.building import Request as Request, Shape as Shape, Weights as Weights
from headrace.keras.backend_config import image_data_format as image_data_format
from headrace.keras.engine.training import Model as Model
from headrace.keras.layers.core import Activation as Activation
from headrace.keras.layers.cropping import Cropping2D as Cropping2D, ZeroPadding2D as ZeroPadding2D
from headrace.keras.layers.merge import Add as Add, Concatenate as Concatenate
from headrace.layers.convolutional import Conv2D as Conv2D
from headrace.layers.normalization import BatchNormalization as BatchNormalization
from headrace.layers.pooling import AveragePooling2D as AveragePooling2D, MaxPooling2D as MaxPooling2D
from headrace.layers.separable import SeparableConv2D as SeparableConv2D
from typing import Any

@dataclass(frozen=True)
class _Plan:
    """What differs between the networks.

    Attributes:
        size: the height and the width of an image.
        last_filters: how many channels come out.
        cells: how many normal cells each of the three parts has.
        first_filters: how many filters the first convolution has.
        skips_reduction: whether a cell after a reduction looks past it.
        weights: where trained weights are.
    """
    size: int
    last_filters: int
    cells: int
    first_filters: int
    skips_reduction: bool
    weights: Weights

def NASNetLarge(input_shape: Shape | None = None, include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, pooling: str | None = None, classes: int = 1000) -> Model:
    '''NASNet-A (6 @ 4032).

    Args:
        input_shape: the shape of an image.
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
def NASNetMobile(input_shape: Shape | None = None, include_top: bool = True, weights: str | None = 'imagenet', input_tensor: Any = None, pooling: str | None = None, classes: int = 1000) -> Model:
    """NASNet-A (4 @ 1056).

    Args:
        input_shape, include_top, weights, input_tensor, pooling, classes: as for `NASNetLarge`.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
__all__ = ['NASNetLarge', 'NASNetMobile', 'decode_predictions', 'preprocess_input']
from headrace.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from headrace.keras.applications.tf_inputs import preprocess_input as preprocess_input
