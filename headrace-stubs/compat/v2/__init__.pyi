# Made by tools/make_stubs.py.
from typing import Any

from headrace.autodiff.aggregation import AggregationMethod as AggregationMethod
from headrace.functions.flow.assertion import Assert as Assert
from headrace.state.critical_section import CriticalSection as CriticalSection
from headrace.core.dtypes import DType as DType
from headrace.core.device import DeviceSpecV2 as DeviceSpec
from headrace.autodiff.gradient_tape import GradientTape as GradientTape
from headrace.core.graph import Graph as Graph
from headrace.core.composite import IndexedSlices as IndexedSlices
from headrace.core.type_specs import IndexedSlicesSpec as IndexedSlicesSpec
from headrace.checkpoints.module import Module as Module
from headrace.core.operation import Operation as Operation
from headrace.data.optional import OptionalSpec as OptionalSpec
from headrace.functions.ragged.tensor import RaggedTensor as RaggedTensor
from headrace.functions.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from headrace.core.registry import RegisterGradient as RegisterGradient
from headrace.core.composite import SparseTensor as SparseTensor
from headrace.core.type_specs import SparseTensorSpec as SparseTensorSpec
from headrace.core.tensor import Tensor as Tensor
from headrace.functions.flow.tensor_array import TensorArray as TensorArray
from headrace.data.leaves import TensorArraySpec as TensorArraySpec
from headrace.core.shapes import TensorShape as TensorShape
from headrace.core.type_specs import TensorSpec as TensorSpec
from headrace.core.type_specs import TypeSpec as TypeSpec
from headrace.autodiff.gradients import UnconnectedGradients as UnconnectedGradients
from headrace.state.variable_v2 import Variable as Variable
from headrace.state.modes import VariableAggregation as VariableAggregation
from headrace.state.modes import VariableSynchronization as VariableSynchronization
abs: Any
acos: Any
acosh: Any
add: Any
add_n: Any
argmax: Any
argmin: Any
from headrace.functions.array.sort import argsort as argsort
from headrace.core.dtypes import as_dtype as as_dtype
as_string: Any
asin: Any
asinh: Any
assert_equal: Any
assert_greater: Any
assert_less: Any
assert_rank: Any
atan: Any
atan2: Any
atanh: Any
from headrace.compat.v2 import audio as audio
from headrace.compat.v2 import autograph as autograph
batch_to_space: Any
from headrace.core.dtypes import bfloat16 as bfloat16
from headrace.ops.math.cast import bitcast as bitcast
from headrace.compat.v2 import bitwise as bitwise
from headrace.core.dtypes import bool as bool
boolean_mask: Any
from headrace.ops.array.shape import broadcast_dynamic_shape as broadcast_dynamic_shape
from headrace.ops.array.shape import broadcast_static_shape as broadcast_static_shape
from headrace.ops.array.shape import broadcast_to as broadcast_to
from headrace.functions.flow.case import case as case
cast: Any
from headrace.ops.math.clip import clip_by_global_norm as clip_by_global_norm
from headrace.ops.math.clip import clip_by_norm as clip_by_norm
clip_by_value: Any
from headrace.compat.v2 import compat as compat
complex: Any
from headrace.core.dtypes import complex128 as complex128
from headrace.core.dtypes import complex64 as complex64
concat: Any
cond: Any
from headrace.compat.v2 import config as config
from headrace.functions.array.constant_v2 import constant as constant
from headrace.state.initializers_v2 import Constant as constant_initializer
from headrace.core.defaults import control_dependencies as control_dependencies
convert_to_tensor: Any
cos: Any
cosh: Any
from headrace.ops.math.scan import cumsum as cumsum
from headrace.functions.flow.custom_gradient import custom_gradient as custom_gradient
from headrace.compat.v2 import data as data
from headrace.compat.v2 import debugging as debugging
from headrace.core.defaults import device_v2 as device
divide: Any
from headrace.core.dtypes import double as double
from headrace.compat.v2 import dtypes as dtypes
dynamic_partition: Any
from headrace.ops.array.dynamic import dynamic_stitch as dynamic_stitch
from headrace.ops.sparse.edit_distance import edit_distance as edit_distance
from headrace.functions.math.products import einsum as einsum
from headrace.config.behavior import enable_v2_behavior as enable_v2_behavior
from headrace.ops.array.identity import ensure_shape as ensure_shape
equal: Any
from headrace.compat.v2 import errors as errors
from headrace.compat.v2 import estimator as estimator
from headrace.core.eager import executing_eagerly as executing_eagerly
exp: Any
expand_dims: Any
from headrace.compat.v2 import experimental as experimental
from headrace.ops.array.patches import extract_volume_patches as extract_volume_patches
from headrace.functions.math.matrices import eye as eye
from headrace.ops.array.fill import fill as fill
from headrace.ops.string.fingerprints import fingerprint as fingerprint
from headrace.core.dtypes import float16 as float16
from headrace.core.dtypes import float32 as float32
from headrace.core.dtypes import float64 as float64
floor: Any
from headrace.recurrent.functional import foldl as foldl
from headrace.recurrent.functional import foldr as foldr
from headrace.state.polymorphic_function import function as function
gather: Any
gather_nd: Any
from headrace.config.behavior import get_logger as get_logger
get_static_value: Any
from headrace.functions.flow.custom_gradient import grad_pass_through as grad_pass_through
gradients: Any
from headrace.compat.v2 import graph_util as graph_util
greater: Any
greater_equal: Any
from headrace.ops.flow.grouping import group as group
from headrace.ops.array.identity import guarantee_const as guarantee_const
from headrace.core.dtypes import half as half
hessians: Any
from headrace.functions.math.counting import histogram_fixed_width as histogram_fixed_width
from headrace.functions.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
identity: Any
from headrace.ops.array.identity import identity_n as identity_n
from headrace.compat.v2 import image as image
from headrace.messages.graph_def import import_graph_def as import_graph_def
from headrace.state.scoping import init_scope as init_scope
from headrace.compat.v2.keras import initializers as initializers
from headrace.core.dtypes import int16 as int16
from headrace.core.dtypes import int32 as int32
from headrace.core.dtypes import int64 as int64
from headrace.core.dtypes import int8 as int8
from headrace.compat.v2 import io as io
from headrace.core.tensor_util import is_tensor as is_tensor
from headrace.compat.v2 import keras as keras
less: Any
less_equal: Any
from headrace.compat.v2 import linalg as linalg
from headrace.ops.array.range import linspace as linspace
from headrace.config.behavior import load_library as load_library
from headrace.config.behavior import load_op_library as load_op_library
logical_and: Any
logical_not: Any
logical_or: Any
from headrace.compat.v2 import lookup as lookup
from headrace.compat.v2.keras import losses as losses
make_ndarray: Any
from headrace.messages.tensor_proto import make_tensor_proto as make_tensor_proto
from headrace.recurrent.functional import map_fn as map_fn
from headrace.compat.v2 import math as math
matmul: Any
from headrace.functions.math.linalg_functions import matrix_square_root as matrix_square_root
maximum: Any
from headrace.functions.array.tile import meshgrid as meshgrid
from headrace.compat.v2.keras import metrics as metrics
minimum: Any
multiply: Any
from headrace.core.defaults import name_scope as name_scope
negative: Any
from headrace.compat.v2 import nest as nest
newaxis: Any
from headrace.compat.v2 import nn as nn
from headrace.core.registry import no_gradient as no_gradient
from headrace.ops.flow.grouping import no_op as no_op
from headrace.state.batching import nondifferentiable_batch_function as nondifferentiable_batch_function
norm: Any
not_equal: Any
from headrace.ops.flow.py_func import numpy_function as numpy_function
one_hot: Any
from headrace.kernels.composing.filling import ones as ones
from headrace.state.initializers_v2 import Ones as ones_initializer
ones_like: Any
from headrace.compat.v2.keras import optimizers as optimizers
pad: Any
from headrace.functions.array.join import parallel_stack as parallel_stack
pow: Any
print: Any
from headrace.ops.flow.py_func import py_function as py_function
from headrace.core.dtypes import qint16 as qint16
from headrace.core.dtypes import qint32 as qint32
from headrace.core.dtypes import qint8 as qint8
from headrace.compat.v2 import quantization as quantization
from headrace.compat.v2 import queue as queue
from headrace.core.dtypes import quint16 as quint16
from headrace.core.dtypes import quint8 as quint8
from headrace.compat.v2 import ragged as ragged
from headrace.compat.v2 import random as random
from headrace.state.initializers_v2 import RandomNormal as random_normal_initializer
from headrace.state.initializers_v2 import RandomUniform as random_uniform_initializer
from headrace.kernels.composing.arithmetic import range as range
rank: Any
from headrace.api.gen_ops import raw_ops as raw_ops
realdiv: Any
from headrace.autodiff.recomputing import recompute_grad as recompute_grad
reduce_all: Any
reduce_any: Any
reduce_logsumexp: Any
reduce_max: Any
reduce_mean: Any
reduce_min: Any
reduce_prod: Any
reduce_sum: Any
from headrace.core.convert import register_tensor_conversion_function as register_tensor_conversion_function
from headrace.functions.array.tile import repeat as repeat
from headrace.functions.array.space import required_space_to_batch_paddings as required_space_to_batch_paddings
from headrace.ops.array.shape import reshape as reshape
from headrace.core.dtypes import resource as resource
from headrace.ops.array.reverse import reverse as reverse
reverse_sequence: Any
from headrace.ops.array.reverse import roll as roll
round: Any
saturate_cast: Any
from headrace.compat.v2 import saved_model as saved_model
from headrace.ops.math.binary import scalar_mul as scalar_mul
from headrace.recurrent.functional import scan as scan
from headrace.ops.array.scatter import scatter_nd as scatter_nd
from headrace.functions.array.search import searchsorted as searchsorted
from headrace.functions.array.where import sequence_mask as sequence_mask
from headrace.compat.v2 import sets as sets
shape: Any
from headrace.ops.array.shape import shape_n as shape_n
from headrace.ops.math.unary import sigmoid as sigmoid
sign: Any
from headrace.compat.v2 import signal as signal
sin: Any
sinh: Any
size: Any
from headrace.ops.array.slice import slice as slice
from headrace.functions.array.sort import sort as sort
space_to_batch: Any
from headrace.ops.array.space import space_to_batch_nd as space_to_batch_nd
from headrace.compat.v2 import sparse as sparse
from headrace.ops.array.split import split as split
sqrt: Any
square: Any
squeeze: Any
stack: Any
from headrace.ops.array.identity import stop_gradient as stop_gradient
from headrace.ops.array.slice import strided_slice as strided_slice
from headrace.core.dtypes import string as string
from headrace.compat.v2 import strings as strings
subtract: Any
from headrace.compat.v2 import summary as summary
from headrace.functions.flow.switch_case import switch_case as switch_case
from headrace.compat.v2 import sysconfig as sysconfig
tan: Any
from headrace.ops.math.unary import tanh as tanh
tensor_scatter_nd_add: Any
tensor_scatter_nd_sub: Any
tensor_scatter_nd_update: Any
from headrace.functions.math.products import tensordot as tensordot
from headrace.compat.v2 import test as test
tile: Any
from headrace.ops.flow.printing import timestamp as timestamp
from headrace.compat.v2 import train as train
transpose: Any
truediv: Any
truncatediv: Any
truncatemod: Any
tuple: Any
from headrace.core.dtypes import uint16 as uint16
from headrace.core.dtypes import uint32 as uint32
from headrace.core.dtypes import uint64 as uint64
from headrace.core.dtypes import uint8 as uint8
from headrace.ops.array.unique import unique as unique
from headrace.ops.array.unique import unique_with_counts as unique_with_counts
from headrace.ops.array.unique import unravel_index as unravel_index
from headrace.ops.array.join import unstack as unstack
from headrace.state.scoping import variable_creator_scope as variable_creator_scope
from headrace.core.dtypes import variant as variant
from headrace.recurrent.functional import vectorized_map as vectorized_map
from headrace import version as version
from headrace.ops.array.where import where_v2 as where
while_loop: Any
from headrace.compat.v2 import xla as xla
from headrace.kernels.composing.filling import zeros as zeros
from headrace.state.initializers_v2 import Zeros as zeros_initializer
zeros_like: Any
