# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['Constant', 'Identity', 'Initializer', 'Ones', 'Orthogonal', 'RandomNormal', 'RandomUniform', 'TruncatedNormal', 'VarianceScaling', 'Zeros', 'deserialize', 'get', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'lecun_normal', 'lecun_uniform', 'serialize']
from headrace.state.initializers import Constant as Constant
from headrace.state.initializers import Identity as Identity
from headrace.state.initializers import Initializer as Initializer
from headrace.state.initializers import Ones as Ones
from headrace.state.initializers import Orthogonal as Orthogonal
from headrace.keras.initializers import RandomNormal as RandomNormal
from headrace.keras.initializers import RandomUniform as RandomUniform
from headrace.keras.initializers import TruncatedNormal as TruncatedNormal
from headrace.state.initializers import VarianceScaling as VarianceScaling
from headrace.state.initializers import Zeros as Zeros
from headrace.keras.initializers import deserialize as deserialize
from headrace.keras.initializers import get as get
glorot_normal: Any
glorot_uniform: Any
from headrace.state.initializers import he_normal as he_normal
from headrace.state.initializers import he_uniform as he_uniform
from headrace.state.initializers import lecun_normal as lecun_normal
from headrace.state.initializers import lecun_uniform as lecun_uniform
from headrace.keras.initializers import serialize as serialize
