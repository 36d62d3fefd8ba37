# Made by tools/make_stubs.py.
from typing import Any, overload

from headrace.core.tensor import Tensor
from headrace.core.composite import SparseTensor
from headrace.core.typing import TensorLike
from headrace.core.composite_types import CompositeTensor
__all__ = ['AggregationMethod', 'Assert', 'CriticalSection', 'DType', 'DeviceSpec', 'GradientTape', 'Graph', 'IndexedSlices', 'IndexedSlicesSpec', 'Module', 'Operation', 'OptionalSpec', 'RaggedTensor', 'RaggedTensorSpec', 'RegisterGradient', 'SparseTensor', 'SparseTensorSpec', 'Tensor', 'TensorArray', 'TensorArraySpec', 'TensorShape', 'TensorSpec', 'TypeSpec', 'UnconnectedGradients', 'Variable', 'VariableAggregation', 'VariableSynchronization', 'abs', 'acos', 'acosh', 'add', 'add_n', 'argmax', 'argmin', 'argsort', 'as_dtype', 'as_string', 'asin', 'asinh', 'assert_equal', 'assert_greater', 'assert_less', 'assert_rank', 'atan', 'atan2', 'atanh', 'audio', 'autograph', 'batch_to_space', 'bfloat16', 'bitcast', 'bitwise', 'bool', 'boolean_mask', 'broadcast_dynamic_shape', 'broadcast_static_shape', 'broadcast_to', 'case', 'cast', 'clip_by_global_norm', 'clip_by_norm', 'clip_by_value', 'compat', 'complex', 'complex128', 'complex64', 'concat', 'cond', 'config', 'constant', 'constant_initializer', 'control_dependencies', 'convert_to_tensor', 'cos', 'cosh', 'cumsum', 'custom_gradient', 'data', 'debugging', 'device', 'distribute', 'divide', 'double', 'dtypes', 'dynamic_partition', 'dynamic_stitch', 'edit_distance', 'einsum', 'enable_v2_behavior', 'ensure_shape', 'equal', 'errors', 'estimator', 'executing_eagerly', 'exp', 'expand_dims', 'experimental', 'extract_volume_patches', 'eye', 'feature_column', 'fill', 'fingerprint', 'float16', 'float32', 'float64', 'floor', 'foldl', 'foldr', 'function', 'gather', 'gather_nd', 'get_logger', 'get_static_value', 'grad_pass_through', 'gradients', 'graph_util', 'greater', 'greater_equal', 'group', 'guarantee_const', 'half', 'hessians', 'histogram_fixed_width', 'histogram_fixed_width_bins', 'identity', 'identity_n', 'image', 'import_graph_def', 'init_scope', 'initializers', 'int16', 'int32', 'int64', 'int8', 'io', 'is_tensor', 'keras', 'less', 'less_equal', 'linalg', 'linspace', 'load_library', 'load_op_library', 'logical_and', 'logical_not', 'logical_or', 'lookup', 'losses', 'make_ndarray', 'make_tensor_proto', 'map_fn', 'math', 'matmul', 'matrix_square_root', 'maximum', 'meshgrid', 'metrics', 'minimum', 'multiply', 'name_scope', 'negative', 'nest', 'newaxis', 'nn', 'no_gradient', 'no_op', 'nondifferentiable_batch_function', 'norm', 'not_equal', 'numpy_function', 'one_hot', 'ones', 'ones_initializer', 'ones_like', 'optimizers', 'pad', 'parallel_stack', 'pow', 'print', 'py_function', 'qint16', 'qint32', 'qint8', 'quantization', 'queue', 'quint16', 'quint8', 'ragged', 'random', 'random_normal_initializer', 'random_uniform_initializer', 'range', 'rank', 'raw_ops', 'realdiv', 'recompute_grad', 'reduce_all', 'reduce_any', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod', 'reduce_sum', 'register_tensor_conversion_function', 'repeat', 'required_space_to_batch_paddings', 'reshape', 'resource', 'reverse', 'reverse_sequence', 'roll', 'round', 'saturate_cast', 'saved_model', 'scalar_mul', 'scan', 'scatter_nd', 'searchsorted', 'sequence_mask', 'sets', 'shape', 'shape_n', 'sigmoid', 'sign', 'signal', 'sin', 'sinh', 'size', 'slice', 'sort', 'space_to_batch', 'space_to_batch_nd', 'sparse', 'split', 'sqrt', 'square', 'squeeze', 'stack', 'stop_gradient', 'strided_slice', 'string', 'strings', 'subtract', 'summary', 'switch_case', 'sysconfig', 'tan', 'tanh', 'tensor_scatter_nd_add', 'tensor_scatter_nd_sub', 'tensor_scatter_nd_update', 'tensordot', 'test', 'tile', 'timestamp', 'train', 'transpose', 'truediv', 'truncatediv', 'truncatemod', 'tuple', 'uint16', 'uint32', 'uint64', 'uint8', 'unique', 'unique_with_counts', 'unravel_index', 'unstack', 'variable_creator_scope', 'variant', 'vectorized_map', 'version', 'where', 'while_loop', 'xla', 'zeros', 'zeros_initializer', 'zeros_like']
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
def acos(x: TensorLike, name: str | None = ...) -> Tensor:
    """The angle in [0, pi] whose cosine is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def acosh(x: TensorLike, name: str | None = ...) -> Tensor:
    """The number not below 0 whose hyperbolic cosine is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def add(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x + y; of strings, their concatenation.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, int16, int32, int64, complex64, complex128, string.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def add_n(inputs, name: str | None = ...) -> Tensor:
    """The sum of all of `inputs`, element by element.

    Args:
        inputs: a list of tensors or IndexedSlices of one type and shape; they do not broadcast.
        name: a name for the operation.

    Raises:
        ValueError: if `inputs` is empty, or the shapes or types differ.

    Example:
        >>> tf.Session().run(tf.add_n([[1, 2], [3, 4], [5, 6]]))
        array([ 9, 12], dtype=int32)
    """
argmax: Any
argmin: Any
from headrace.functions.array.sort import argsort as argsort
from headrace.core.dtypes import as_dtype as as_dtype
def as_string(input: TensorLike | CompositeTensor, precision: int = ..., scientific: bool = ..., shortest: bool = ..., width: int = ..., fill: str = ..., name: str | None = ...) -> Tensor:
    """Each number as a string.

    Args:
        input: tensor of numbers or bools.
        precision: how many digits after the point (of floating numbers); -1 for six.
        scientific: whether to write an exponent.
        shortest: whether to write an exponent where that is shorter.
        width: the least width, reached by padding.
        fill: what to pad with: "" or " ", "0", "+" or "-".
        name: a name for the operation.

    Raises:
        InvalidArgumentError: at run time, if the arguments do not fit the type.

    Example:
        >>> tf.Session().run(tf.as_string([3.14159, 2.0], precision=2))
        array([b'3.14', b'2.00'], dtype=object)
    """
def asin(x: TensorLike, name: str | None = ...) -> Tensor:
    """The angle in [-pi/2, pi/2] whose sine is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def asinh(x: TensorLike, name: str | None = ...) -> Tensor:
    """The number whose hyperbolic sine is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
assert_equal: Any
assert_greater: Any
assert_less: Any
assert_rank: Any
def atan(x: TensorLike, name: str | None = ...) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def atan2(y: TensorLike, x: TensorLike, name: str | None = ...) -> Tensor:
    """The angle of the point (x, y), in [-pi, pi].

    Args:
        y, x: float tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Example:
        >>> tf.Session().run(tf.atan2(1.0, -1.0))
        2.3561945
    """
def atanh(x: TensorLike, name: str | None = ...) -> Tensor:
    """The number whose hyperbolic tangent is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
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
def complex(real: TensorLike, imag: TensorLike, name: str | None = ...) -> Tensor:
    """The complex numbers real + imag i.

    Args:
        real, imag: float32 or float64 tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Returns:
        a complex64 or complex128 tensor.

    Raises:
        TypeError: for other types.

    Example:
        >>> tf.Session().run(tf.complex([2.25], [4.75]))
        array([2.25+4.75j], dtype=complex64)
    """
from headrace.core.dtypes import complex128 as complex128
from headrace.core.dtypes import complex64 as complex64
def concat(values, axis, name: str = ...) -> Tensor:
    """Tensors joined along one of their axes.

    Before version 1.0 the order was `concat(concat_dim, values)`; it is taken too.

    Args:
        values: a list of tensors of one type, alike in shape but for `axis`.
        axis: an int32 scalar.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes are known not to fit.

    Example:
        >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], 0)  # [[1, 2], [3, 4], [5, 6]]
    """
cond: Any
from headrace.compat.v2 import config as config
from headrace.functions.array.constant_v2 import constant as constant
from headrace.state.initializers_v2 import Constant as constant_initializer
from headrace.core.defaults import control_dependencies as control_dependencies
convert_to_tensor: Any
def cos(x: TensorLike, name: str | None = ...) -> Tensor:
    """The cosine of each element, in radians.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def cosh(x: TensorLike, name: str | None = ...) -> Tensor:
    """The hyperbolic cosine of each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.math.scan import cumsum as cumsum
from headrace.functions.flow.custom_gradient import custom_gradient as custom_gradient
from headrace.compat.v2 import data as data
from headrace.compat.v2 import debugging as debugging
from headrace.core.defaults import device_v2 as device
from headrace.compat.v2 import distribute as distribute
def divide(x, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y as Python means it; with a name, `tf.truediv`.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.
    """
from headrace.core.dtypes import double as double
from headrace.compat.v2 import dtypes as dtypes
dynamic_partition: Any
from headrace.ops.array.dynamic import dynamic_stitch as dynamic_stitch
from headrace.ops.sparse.edit_distance import edit_distance as edit_distance
from headrace.functions.math.products import einsum as einsum
from headrace.config.behavior import enable_v2_behavior as enable_v2_behavior
from headrace.ops.array.identity import ensure_shape as ensure_shape
def equal(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x == y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, int16, int32, int64, complex64, quint8, qint8, qint32, string, bool, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.compat.v2 import errors as errors
from headrace.compat.v2 import estimator as estimator
from headrace.core.eager import executing_eagerly as executing_eagerly
def exp(x: TensorLike, name: str | None = ...) -> Tensor:
    """e to the power of each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
expand_dims: Any
from headrace.compat.v2 import experimental as experimental
from headrace.ops.array.patches import extract_volume_patches as extract_volume_patches
from headrace.functions.math.matrices import eye as eye
from headrace.compat.v2 import feature_column as feature_column
from headrace.ops.array.fill import fill as fill
from headrace.ops.string.fingerprints import fingerprint as fingerprint
from headrace.core.dtypes import float16 as float16
from headrace.core.dtypes import float32 as float32
from headrace.core.dtypes import float64 as float64
def floor(x: TensorLike, name: str | None = ...) -> Tensor:
    """The largest whole number not above each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
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
def greater(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x > y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x >= y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.ops.flow.grouping import group as group
from headrace.ops.array.identity import guarantee_const as guarantee_const
from headrace.core.dtypes import half as half
hessians: Any
from headrace.functions.math.counting import histogram_fixed_width as histogram_fixed_width
from headrace.functions.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
def identity(input: object, name: str | None = ...) -> Tensor:
    """A tensor with the value of `input`.

    Args:
        input: a tensor of any type and shape.
        name: a name for the operation.

    Example:
        >>> tf.identity([1, 2])
        <tf.Tensor 'Identity:0' shape=(2,) dtype=int32>
    """
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
def less(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x < y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def less_equal(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x <= y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.compat.v2 import linalg as linalg
from headrace.ops.array.range import linspace as linspace
from headrace.config.behavior import load_library as load_library
from headrace.config.behavior import load_op_library as load_op_library
def logical_and(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where both x and y hold.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def logical_not(x: TensorLike, name: str | None = ...) -> Tensor:
    """Where x does not hold.

    Args:
        x: a tensor.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def logical_or(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x or y holds.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.compat.v2 import lookup as lookup
from headrace.compat.v2.keras import losses as losses
make_ndarray: Any
from headrace.messages.tensor_proto import make_tensor_proto as make_tensor_proto
from headrace.recurrent.functional import map_fn as map_fn
from headrace.compat.v2 import math as math
def matmul(a, b: TensorLike | CompositeTensor | None, transpose_a: bool = ..., transpose_b: bool = ..., adjoint_a: bool = ..., adjoint_b: bool = ..., a_is_sparse: bool = ..., b_is_sparse: bool = ..., name: str | None = ...) -> Tensor:
    """The matrix product of `a` and `b`, over broadcast batches if there are more than two dimensions.

    Args:
        a: numbers of shape (..., r, k).
        b: numbers of shape (..., k, c) and the same type.
        transpose_a, transpose_b: take the last two dimensions the other way round.
        adjoint_a, adjoint_b: likewise, and complex conjugates.
        a_is_sparse, b_is_sparse: many elements are 0 (float32 and bfloat16 matrices only).
        name: a name for the operation.

    Returns:
        a tensor of shape (..., r, c).

    Raises:
        ValueError: if shapes do not fit, or something is to be transposed and conjugate-transposed.

    Example:
        >>> tf.Session().run(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]))
        array([[11.]], dtype=float32)
    """
from headrace.functions.math.linalg_functions import matrix_square_root as matrix_square_root
def maximum(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The larger of x and y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, int32, int64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.functions.array.tile import meshgrid as meshgrid
from headrace.compat.v2.keras import metrics as metrics
def minimum(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The smaller of x and y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, int32, int64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def multiply(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x * y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.core.framework_ops import name_scope_v2 as name_scope
@overload
def negative(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """-x.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def negative(x: TensorLike, name: str | None = ...) -> Tensor: ...
from headrace.compat.v2 import nest as nest
newaxis: Any
from headrace.compat.v2 import nn as nn
from headrace.core.registry import no_gradient as no_gradient
from headrace.ops.flow.grouping import no_op as no_op
from headrace.state.batching import nondifferentiable_batch_function as nondifferentiable_batch_function
norm: Any
def not_equal(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """Where x != y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, int16, int32, int64, complex64, quint8, qint8, qint32, string, bool, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.ops.flow.py_func import numpy_function as numpy_function
def one_hot(indices: TensorLike | CompositeTensor | None, depth, on_value: TensorLike | None = ..., off_value: TensorLike | None = ..., axis: int | None = ..., dtype=..., name: str | None = ...) -> Tensor:
    """Vectors that are `on_value` at an index and `off_value` elsewhere.

    Args:
        indices: uint8, int32 or int64 tensor; an index outside [0, depth) gives a vector of `off_value` alone.
        depth: int32 scalar, the length of the vectors.
        on_value, off_value: scalars; 1 and 0 by default.
        axis: where the vectors lie in the result; -1, the last, by default.
        dtype: the element type; that of the given values, or float32.
        name: a name for the operation.

    Raises:
        TypeError: if the types of the values and `dtype` do not agree.

    Example:
        >>> tf.one_hot([0, 2], 3)  # [[1, 0, 0], [0, 0, 1]]
    """
from headrace.kernels.composing.filling import ones as ones
from headrace.state.initializers_v2 import Ones as ones_initializer
ones_like: Any
from headrace.compat.v2.keras import optimizers as optimizers
pad: Any
from headrace.functions.array.join import parallel_stack as parallel_stack
def pow(x: TensorLike | CompositeTensor, y, name: str | None = ...) -> Tensor:
    """x to the power of y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: when run, for an integer to a negative power.

    Example:
        >>> tf.Session().run(tf.pow([[2, 2], [3, 3]], [[8, 16], [2, 3]]))
        array([[  256, 65536],
               [    9,    27]], dtype=int32)
    """
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
def rank(input: TensorLike | SparseTensor | CompositeTensor | None, name: str | None = ...) -> Tensor:
    """The number of axes of a tensor or SparseTensor, as an int32 scalar.
    """
from headrace.api.gen_ops import raw_ops as raw_ops
def realdiv(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y; of integers it is rounded towards zero.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
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
def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = ...) -> Tensor:
    """`tensor` with the order of elements turned around along the listed axes.

    Args:
        tensor: a tensor.
        axis: int32 or int64 vector; before version 1.0, a bool vector with one flag for each axis.
        name: a name for the operation.

    Example:
        >>> tf.reverse([[1, 2], [3, 4]], [0])  # [[3, 4], [1, 2]]
    """
reverse_sequence: Any
from headrace.ops.array.reverse import roll as roll
def round(x: TensorLike, name: str | None = ...) -> Tensor:
    """The nearest whole number, the even one of two; integers are returned as they are.
    """
def saturate_cast(value: Tensor, dtype, name: str | None = ...) -> Tensor:
    """`value` in another element type, clipped to the range of that type first.

    Args:
        value: a tensor of real numbers.
        dtype: the element type.
        name: a name for the operation.
    """
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
@overload
def sign(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """-1, 0 or 1 by the sign of each element; x / |x| for complex ones.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def sign(x: TensorLike, name: str | None = ...) -> Tensor: ...
from headrace.compat.v2 import signal as signal
def sin(x: TensorLike, name: str | None = ...) -> Tensor:
    """The sine of each element, in radians.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def sinh(x: TensorLike, name: str | None = ...) -> Tensor:
    """The hyperbolic sine of each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
size: Any
from headrace.ops.array.slice import slice as slice
from headrace.functions.array.sort import sort as sort
space_to_batch: Any
from headrace.ops.array.space import space_to_batch_nd as space_to_batch_nd
from headrace.compat.v2 import sparse as sparse
from headrace.ops.array.split import split as split
@overload
def sqrt(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """The square root of each element.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def sqrt(x: TensorLike, name: str | None = ...) -> Tensor: ...
@overload
def square(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """x * x.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def square(x: TensorLike, name: str | None = ...) -> Tensor: ...
squeeze: Any
def stack(values, axis: int = ..., name: str = ...) -> Tensor:
    """Tensors of one shape as the slices of a tensor with one more axis.

    Args:
        values: a list of tensors.
        axis: where the new axis is put, in [-r - 1, r] for values of rank r.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes differ or `axis` is out of range.

    Example:
        >>> tf.stack([[1, 4], [2, 5], [3, 6]], axis=1)  # [[1, 2, 3], [4, 5, 6]]
    """
from headrace.ops.array.identity import stop_gradient as stop_gradient
from headrace.ops.array.slice import strided_slice as strided_slice
from headrace.core.dtypes import string as string
from headrace.compat.v2 import strings as strings
def subtract(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x - y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.compat.v2 import summary as summary
from headrace.functions.flow.switch_case import switch_case as switch_case
from headrace.compat.v2 import sysconfig as sysconfig
def tan(x: TensorLike, name: str | None = ...) -> Tensor:
    """The tangent of each element, in radians.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace import tanh as tanh
tensor_scatter_nd_add: Any
tensor_scatter_nd_sub: Any
tensor_scatter_nd_update: Any
from headrace.functions.math.products import tensordot as tensordot
from headrace.compat.v2 import test as test
def tile(input: TensorLike | CompositeTensor, multiples: TensorLike, name: str | None = ...) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis i.

    Args:
        input: a tensor of rank r.
        multiples: int32 or int64 vector of length r.
        name: a name for the operation.

    Example:
        >>> tf.tile([[1, 2]], [2, 2])  # [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
from headrace.ops.flow.printing import timestamp as timestamp
from headrace.compat.v2 import train as train
transpose: Any
def truediv(x: TensorLike | CompositeTensor, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y as Python 3 means it: integers are cast to floats first.

    Args:
        x, y: tensors of one type, of shapes that broadcast; int32 and int64 become float64, smaller ones float32.
        name: a name for the operation.

    Raises:
        TypeError: if the types differ.

    Example:
        >>> tf.Session().run(tf.truediv(3, 2))
        1.5
    """
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y; of integers it is rounded towards zero.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """What is left of x after x / y is rounded towards zero.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int32, int64, bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
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
from headrace.recurrent.parallel_for import vectorized_map as vectorized_map
from headrace import version as version
from headrace.ops.array.where import where_v2 as where
while_loop: Any
from headrace.compat.v2 import xla as xla
from headrace.kernels.composing.filling import zeros as zeros
from headrace.state.initializers_v2 import Zeros as zeros_initializer
zeros_like: Any
