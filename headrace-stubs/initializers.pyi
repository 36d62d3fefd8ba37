# Made by tools/make_stubs.py.

__all__ = ['constant', 'global_variables', 'glorot_normal', 'glorot_uniform', 'he_normal', 'he_uniform', 'identity', 'lecun_normal', 'lecun_uniform', 'local_variables', 'ones', 'orthogonal', 'random_normal', 'random_uniform', 'tables_initializer', 'truncated_normal', 'uniform_unit_scaling', 'variables', 'variance_scaling', 'zeros']
from headrace.state.initializers import Constant as constant
from headrace.state.collecting import global_variables_initializer as global_variables
from headrace.state.initializers import GlorotNormal as glorot_normal
from headrace.state.initializers import GlorotUniform as glorot_uniform
from headrace.state.initializers import he_normal as he_normal
from headrace.state.initializers import he_uniform as he_uniform
from headrace.state.initializers import Identity as identity
from headrace.state.initializers import lecun_normal as lecun_normal
from headrace.state.initializers import lecun_uniform as lecun_uniform
from headrace.state.collecting import local_variables_initializer as local_variables
from headrace.state.initializers import Ones as ones
from headrace.state.initializers import Orthogonal as orthogonal
from headrace.state.initializers import RandomNormal as random_normal
from headrace.state.initializers import RandomUniform as random_uniform
from headrace.lookup.tables import tables_initializer as tables_initializer
from headrace.state.initializers import TruncatedNormal as truncated_normal
from headrace.state.initializers import UniformUnitScaling as uniform_unit_scaling
from headrace.state.collecting import variables_initializer as variables
from headrace.state.initializers import VarianceScaling as variance_scaling
from headrace.state.initializers import Zeros as zeros
