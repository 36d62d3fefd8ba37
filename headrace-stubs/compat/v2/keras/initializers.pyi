# Made by tools/make_stubs.py.

__all__ = ['Constant', 'GlorotNormal', 'GlorotUniform', 'Identity', 'Initializer', 'Ones', 'Orthogonal', 'RandomNormal', 'RandomUniform', 'TruncatedNormal', 'VarianceScaling', 'Zeros', 'constant', 'deserialize', 'get', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'identity', 'lecun_normal', 'lecun_uniform', 'ones', 'orthogonal', 'serialize', 'zeros']
from headrace.state.initializers_v2 import Constant as Constant
from headrace.state.initializers_v2 import GlorotNormal as GlorotNormal
from headrace.state.initializers_v2 import GlorotUniform as GlorotUniform
from headrace.state.initializers_v2 import Identity as Identity
from headrace.state.initializers_v2 import Initializer as Initializer
from headrace.state.initializers_v2 import Ones as Ones
from headrace.state.initializers_v2 import Orthogonal as Orthogonal
from headrace.state.initializers_v2 import RandomNormal as RandomNormal
from headrace.state.initializers_v2 import RandomUniform as RandomUniform
from headrace.state.initializers_v2 import TruncatedNormal as TruncatedNormal
from headrace.state.initializers_v2 import VarianceScaling as VarianceScaling
from headrace.state.initializers_v2 import Zeros as Zeros
from headrace.state.initializers_v2 import Constant as constant
from headrace.keras.initializers import deserialize as deserialize
from headrace.keras.initializers import get as get
from headrace.state.initializers_v2 import GlorotNormal as glorot_normal
from headrace.state.initializers_v2 import GlorotUniform as glorot_uniform
from headrace.state.initializers_v2 import he_normal as he_normal
from headrace.state.initializers_v2 import he_uniform as he_uniform
from headrace.state.initializers_v2 import Identity as identity
from headrace.state.initializers_v2 import lecun_normal as lecun_normal
from headrace.state.initializers_v2 import lecun_uniform as lecun_uniform
from headrace.state.initializers_v2 import Ones as ones
from headrace.state.initializers_v2 import Orthogonal as orthogonal
from headrace.keras.initializers import serialize as serialize
from headrace.state.initializers_v2 import Zeros as zeros
