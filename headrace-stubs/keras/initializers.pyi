# Made by tools/make_stubs.py.

__all__ = ['Constant', 'Identity', 'Initializer', 'Ones', 'Orthogonal', 'RandomNormal', 'RandomUniform', 'TruncatedNormal', 'VarianceScaling', 'Zeros', 'constant', 'deserialize', 'get', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'identity', 'lecun_normal', 'lecun_uniform', 'normal', 'ones', 'orthogonal', 'random_normal', 'random_uniform', 'serialize', 'truncated_normal', 'uniform', 'zeros']
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
from headrace.state.initializers import Constant as constant
from headrace.keras.initializers import deserialize as deserialize
from headrace.keras.initializers import get as get
from headrace.state.initializers import GlorotNormal as glorot_normal
from headrace.state.initializers import GlorotUniform as glorot_uniform
from headrace.state.initializers import he_normal as he_normal
from headrace.state.initializers import he_uniform as he_uniform
from headrace.state.initializers import Identity as identity
from headrace.state.initializers import lecun_normal as lecun_normal
from headrace.state.initializers import lecun_uniform as lecun_uniform
from headrace.keras.initializers import normal as normal
from headrace.state.initializers import Ones as ones
from headrace.state.initializers import Orthogonal as orthogonal
from headrace.keras.initializers import random_normal as random_normal
from headrace.keras.initializers import random_uniform as random_uniform
from headrace.keras.initializers import serialize as serialize
from headrace.keras.initializers import truncated_normal as truncated_normal
from headrace.keras.initializers import uniform as uniform
from headrace.state.initializers import Zeros as zeros
