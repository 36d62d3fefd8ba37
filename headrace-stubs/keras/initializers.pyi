# Made by tools/make_stubs.py.

from collections.abc import Callable, Mapping
from headrace.config import tf2 as tf2
from headrace.core.dtypes import float32 as float32
from headrace.core.typing import DTypeLike as DTypeLike
from headrace.keras.utils.generic_utils import deserialize_keras_object as deserialize_keras_object, serialize_keras_object as serialize_keras_object
from headrace.state import initializers as initializers, initializers_v2 as initializers_v2
from typing import Any

class RandomNormal(initializers.RandomNormal):
    """Normally distributed numbers.

    Args:
        mean: their mean.
        stddev: their standard deviation.
        seed: that of the numbers.
        dtype: the element type where the call names none.
    """
    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: DTypeLike = ...) -> None: ...

class RandomUniform(initializers.RandomUniform):
    """Uniformly distributed numbers.

    Args:
        minval, maxval: the bounds.
        seed: that of the numbers.
        dtype: the element type where the call names none.
    """
    def __init__(self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None, dtype: DTypeLike = ...) -> None: ...

class TruncatedNormal(initializers.TruncatedNormal):
    """Normally distributed numbers within two standard deviations of the mean.

    Args:
        mean: their mean.
        stddev: their standard deviation.
        seed: that of the numbers.
        dtype: the element type where the call names none.
    """
    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None, dtype: DTypeLike = ...) -> None: ...
normal = RandomNormal
random_normal = RandomNormal
uniform = RandomUniform
random_uniform = RandomUniform
truncated_normal = TruncatedNormal

def serialize(initializer: Callable[..., Any] | None) -> Any:
    """What stands for an initializer in settings."""
def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The initializer that `serialize` described: one of 2.x with that behavior enabled.

    Args:
        config: a name, or a dictionary of class and settings.
        custom_objects: the program's own initializers by name.

    Raises:
        ValueError: if there is none of the name.
    """
def get(identifier: Any) -> Any:
    '''The initializer an argument stands for: None, a function, a name such as "he_normal", or its settings.

    Raises:
        ValueError: for others.
    '''
__all__ = ['Constant', 'Identity', 'Initializer', 'Ones', 'Orthogonal', 'RandomNormal', 'RandomUniform', 'TruncatedNormal', 'VarianceScaling', 'Zeros', 'constant', 'deserialize', 'get', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'identity', 'lecun_normal', 'lecun_uniform', 'normal', 'ones', 'orthogonal', 'random_normal', 'random_uniform', 'serialize', 'truncated_normal', 'uniform', 'zeros']
from headrace.state.initializers import Constant as Constant
from headrace.state.initializers import Identity as Identity
from headrace.state.initializers import Initializer as Initializer
from headrace.state.initializers import Ones as Ones
from headrace.state.initializers import Orthogonal as Orthogonal
from headrace.state.initializers import VarianceScaling as VarianceScaling
from headrace.state.initializers import Zeros as Zeros
from headrace.state.initializers import Constant as constant
from headrace.state.initializers import GlorotNormal as glorot_normal
from headrace.state.initializers import GlorotUniform as glorot_uniform
from headrace.state.initializers import he_normal as he_normal
from headrace.state.initializers import he_uniform as he_uniform
from headrace.state.initializers import Identity as identity
from headrace.state.initializers import lecun_normal as lecun_normal
from headrace.state.initializers import lecun_uniform as lecun_uniform
from headrace.state.initializers import Ones as ones
from headrace.state.initializers import Orthogonal as orthogonal
from headrace.state.initializers import Zeros as zeros
