# Made by tools/make_stubs.py.
from typing import Any, overload

from headrace.core.tensor import Tensor
from headrace.core.composite import SparseTensor
from headrace.core.typing import TensorLike
from headrace.shim import install_as_tensorflow as install_as_tensorflow
__version__: str
__headrace_version__: str
__all__ = ['AUTO_REUSE', 'AggregationMethod', 'Assert', 'AttrValue', 'COMPILER_VERSION', 'CXX11_ABI_FLAG', 'ConditionalAccumulator', 'ConditionalAccumulatorBase', 'ConfigProto', 'CriticalSection', 'DType', 'DeviceSpec', 'Dimension', 'Event', 'FIFOQueue', 'FixedLenFeature', 'FixedLenSequenceFeature', 'FixedLengthRecordReader', 'GIT_VERSION', 'GPUOptions', 'GRAPH_DEF_VERSION', 'GRAPH_DEF_VERSION_MIN_CONSUMER', 'GRAPH_DEF_VERSION_MIN_PRODUCER', 'GradientTape', 'Graph', 'GraphDef', 'GraphKeys', 'GraphOptions', 'HistogramProto', 'IdentityReader', 'IndexedSlices', 'IndexedSlicesSpec', 'InteractiveSession', 'LMDBReader', 'LogMessage', 'MONOLITHIC_BUILD', 'MetaGraphDef', 'Module', 'NameAttrList', 'NoGradient', 'NodeDef', 'NotDifferentiable', 'OpError', 'Operation', 'OptimizerOptions', 'OptionalSpec', 'PaddingFIFOQueue', 'Print', 'PriorityQueue', 'QUANTIZED_DTYPES', 'QueueBase', 'RaggedTensor', 'RaggedTensorSpec', 'RandomShuffleQueue', 'ReaderBase', 'RegisterGradient', 'RunMetadata', 'RunOptions', 'Session', 'SessionLog', 'SparseConditionalAccumulator', 'SparseFeature', 'SparseTensor', 'SparseTensorSpec', 'SparseTensorValue', 'Summary', 'SummaryMetadata', 'TFRecordReader', 'Tensor', 'TensorArray', 'TensorArraySpec', 'TensorInfo', 'TensorShape', 'TensorSpec', 'TextLineReader', 'TypeSpec', 'UnconnectedGradients', 'VERSION', 'VarLenFeature', 'Variable', 'VariableAggregation', 'VariableScope', 'VariableSynchronization', 'VariableV1', 'WholeFileReader', '__headrace_version__', '__version__', 'abs', 'accumulate_n', 'acos', 'acosh', 'add', 'add_check_numerics_ops', 'add_n', 'add_to_collection', 'add_to_collections', 'all_variables', 'angle', 'app', 'arg_max', 'arg_min', 'argmax', 'argmin', 'argsort', 'as_dtype', 'as_string', 'asin', 'asinh', 'assert_equal', 'assert_greater', 'assert_greater_equal', 'assert_integer', 'assert_less', 'assert_less_equal', 'assert_near', 'assert_negative', 'assert_non_negative', 'assert_non_positive', 'assert_none_equal', 'assert_positive', 'assert_proper_iterable', 'assert_rank', 'assert_rank_at_least', 'assert_rank_in', 'assert_same_float_dtype', 'assert_scalar', 'assert_type', 'assert_variables_initialized', 'assign', 'assign_add', 'assign_sub', 'atan', 'atan2', 'atanh', 'audio', 'audio_summary', 'autograph', 'batch_cholesky', 'batch_cholesky_solve', 'batch_fft', 'batch_fft2d', 'batch_fft3d', 'batch_gather', 'batch_ifft', 'batch_ifft2d', 'batch_ifft3d', 'batch_matmul', 'batch_matrix_band_part', 'batch_matrix_determinant', 'batch_matrix_diag', 'batch_matrix_diag_part', 'batch_matrix_inverse', 'batch_matrix_set_diag', 'batch_matrix_solve', 'batch_matrix_solve_ls', 'batch_matrix_transpose', 'batch_matrix_triangular_solve', 'batch_scatter_update', 'batch_self_adjoint_eig', 'batch_self_adjoint_eigvals', 'batch_svd', 'batch_to_space', 'batch_to_space_nd', 'betainc', 'bfloat16', 'bincount', 'bitcast', 'bitwise', 'bool', 'boolean_mask', 'broadcast_dynamic_shape', 'broadcast_static_shape', 'broadcast_to', 'case', 'cast', 'ceil', 'check_numerics', 'cholesky', 'cholesky_solve', 'clip_by_average_norm', 'clip_by_global_norm', 'clip_by_norm', 'clip_by_value', 'colocate_with', 'compat', 'complex', 'complex128', 'complex64', 'complex_abs', 'concat', 'concat_v2', 'cond', 'config', 'confusion_matrix', 'conj', 'constant', 'constant_initializer', 'container', 'contrib', 'control_dependencies', 'control_flow_v2_enabled', 'convert_to_tensor', 'convert_to_tensor_or_indexed_slices', 'convert_to_tensor_or_sparse_tensor', 'cos', 'cosh', 'count_nonzero', 'count_up_to', 'create_partitioned_variables', 'cross', 'ctc_loss_v2', 'cumprod', 'cumsum', 'custom_gradient', 'data', 'debugging', 'decode_base64', 'decode_compressed', 'decode_csv', 'decode_json_example', 'decode_raw', 'delete_session_tensor', 'depth_to_space', 'dequantize', 'deserialize_many_sparse', 'device', 'diag', 'diag_part', 'digamma', 'dimension_at_index', 'dimension_value', 'disable_control_flow_v2', 'disable_eager_execution', 'disable_resource_variables', 'disable_tensor_equality', 'disable_v2_behavior', 'disable_v2_tensorshape', 'distribute', 'distributions', 'div', 'div_no_nan', 'divide', 'double', 'dtypes', 'dynamic_partition', 'dynamic_stitch', 'edit_distance', 'einsum', 'enable_control_flow_v2', 'enable_eager_execution', 'enable_resource_variables', 'enable_tensor_equality', 'enable_v2_behavior', 'enable_v2_tensorshape', 'encode_base64', 'ensure_shape', 'equal', 'erf', 'erfc', 'errors', 'estimator', 'examples', 'executing_eagerly', 'exp', 'expand_dims', 'experimental', 'expm1', 'extract_image_patches', 'extract_volume_patches', 'eye', 'fake_quant_with_min_max_args', 'fake_quant_with_min_max_args_gradient', 'fake_quant_with_min_max_vars', 'fake_quant_with_min_max_vars_gradient', 'fake_quant_with_min_max_vars_per_channel', 'fake_quant_with_min_max_vars_per_channel_gradient', 'feature_column', 'fft', 'fft2d', 'fft3d', 'fill', 'fingerprint', 'fixed_size_partitioner', 'flags', 'float16', 'float32', 'float64', 'floor', 'floor_div', 'floordiv', 'floormod', 'foldl', 'foldr', 'function', 'gather', 'gather_nd', 'get_collection', 'get_collection_ref', 'get_default_graph', 'get_default_session', 'get_local_variable', 'get_logger', 'get_seed', 'get_session_handle', 'get_session_tensor', 'get_static_value', 'get_variable', 'get_variable_scope', 'gfile', 'global_norm', 'global_variables', 'global_variables_initializer', 'glorot_normal_initializer', 'glorot_uniform_initializer', 'grad_pass_through', 'gradients', 'graph_util', 'greater', 'greater_equal', 'group', 'guarantee_const', 'half', 'hessians', 'histogram_fixed_width', 'histogram_fixed_width_bins', 'histogram_summary', 'identity', 'identity_n', 'ifft', 'ifft2d', 'ifft3d', 'igamma', 'igammac', 'imag', 'image', 'image_summary', 'import_graph_def', 'init_scope', 'initialize_all_tables', 'initialize_all_variables', 'initialize_local_variables', 'initialize_variables', 'initializers', 'install_as_tensorflow', 'int16', 'int32', 'int64', 'int8', 'inv', 'invert_permutation', 'io', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_numeric_tensor', 'is_strictly_increasing', 'is_tensor', 'is_variable_initialized', 'keras', 'layers', 'lbeta', 'less', 'less_equal', 'lgamma', 'lin_space', 'linalg', 'linspace', 'listdiff', 'load_file_system_library', 'load_library', 'load_op_library', 'local_variables', 'local_variables_initializer', 'log', 'log1p', 'log_sigmoid', 'logging', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'lookup', 'losses', 'make_ndarray', 'make_template', 'make_tensor_proto', 'manip', 'map_fn', 'matching_files', 'math', 'matmul', 'matrix_band_part', 'matrix_determinant', 'matrix_diag', 'matrix_diag_part', 'matrix_inverse', 'matrix_set_diag', 'matrix_solve', 'matrix_solve_ls', 'matrix_square_root', 'matrix_transpose', 'matrix_triangular_solve', 'maximum', 'merge_all_summaries', 'merge_summary', 'meshgrid', 'metrics', 'min_max_variable_partitioner', 'minimum', 'mod', 'model_variables', 'moving_average_variables', 'mul', 'multinomial', 'multiply', 'name_scope', 'neg', 'negative', 'nest', 'newaxis', 'nn', 'no_gradient', 'no_op', 'no_regularizer', 'nondifferentiable_batch_function', 'norm', 'not_equal', 'numpy_function', 'one_hot', 'ones', 'ones_initializer', 'ones_like', 'op_scope', 'orthogonal_initializer', 'pack', 'pad', 'parallel_stack', 'parse_example', 'parse_single_example', 'parse_single_sequence_example', 'parse_tensor', 'placeholder', 'placeholder_with_default', 'polygamma', 'pow', 'print', 'profiler', 'py_func', 'py_function', 'python_io', 'pywrap_tensorflow', 'qint16', 'qint32', 'qint8', 'qr', 'quantization', 'quantize', 'quantize_v2', 'quantized_concat', 'queue', 'quint16', 'quint8', 'ragged', 'random', 'random_crop', 'random_gamma', 'random_normal', 'random_normal_initializer', 'random_poisson', 'random_shuffle', 'random_uniform', 'random_uniform_initializer', 'range', 'rank', 'raw_ops', 'read_file', 'real', 'realdiv', 'reciprocal', 'recompute_grad', 'reduce_all', 'reduce_any', 'reduce_join', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod', 'reduce_sum', 'regex_replace', 'register_tensor_conversion_function', 'repeat', 'report_uninitialized_variables', 'required_space_to_batch_paddings', 'reset_default_graph', 'reshape', 'resource', 'resource_loader', 'resource_variables_enabled', 'reverse', 'reverse_sequence', 'reverse_v2', 'rint', 'roll', 'round', 'rsqrt', 'saturate_cast', 'saved_model', 'scalar_mul', 'scalar_summary', 'scan', 'scatter_add', 'scatter_div', 'scatter_max', 'scatter_min', 'scatter_mul', 'scatter_nd', 'scatter_nd_add', 'scatter_nd_sub', 'scatter_nd_update', 'scatter_sub', 'scatter_update', 'searchsorted', 'segment_max', 'segment_mean', 'segment_min', 'segment_prod', 'segment_sum', 'select', 'self_adjoint_eig', 'self_adjoint_eigvals', 'sequence_mask', 'serialize_many_sparse', 'serialize_sparse', 'serialize_tensor', 'set_random_seed', 'setdiff1d', 'sets', 'shape', 'shape_n', 'sigmoid', 'sign', 'signal', 'sin', 'sinh', 'size', 'slice', 'sort', 'space_to_batch', 'space_to_batch_nd', 'space_to_depth', 'sparse', 'sparse_add', 'sparse_concat', 'sparse_fill_empty_rows', 'sparse_mask', 'sparse_matmul', 'sparse_maximum', 'sparse_merge', 'sparse_minimum', 'sparse_placeholder', 'sparse_reduce_max', 'sparse_reduce_max_sparse', 'sparse_reduce_sum', 'sparse_reduce_sum_sparse', 'sparse_reorder', 'sparse_reset_shape', 'sparse_reshape', 'sparse_retain', 'sparse_segment_mean', 'sparse_segment_sqrt_n', 'sparse_segment_sum', 'sparse_slice', 'sparse_softmax', 'sparse_split', 'sparse_tensor_dense_matmul', 'sparse_tensor_to_dense', 'sparse_to_dense', 'sparse_to_indicator', 'sparse_transpose', 'spectral', 'split', 'split_v', 'sqrt', 'square', 'squared_difference', 'squeeze', 'stack', 'stop_gradient', 'strided_slice', 'string', 'string_join', 'string_split', 'string_strip', 'string_to_hash_bucket', 'string_to_hash_bucket_fast', 'string_to_hash_bucket_strong', 'string_to_number', 'strings', 'sub', 'substr', 'subtract', 'summary', 'svd', 'switch_case', 'sysconfig', 'tables_initializer', 'tan', 'tanh', 'tensor_scatter_add', 'tensor_scatter_nd_add', 'tensor_scatter_nd_sub', 'tensor_scatter_nd_update', 'tensor_scatter_sub', 'tensor_scatter_update', 'tensordot', 'test', 'tile', 'timestamp', 'to_bfloat16', 'to_complex128', 'to_complex64', 'to_double', 'to_float', 'to_int32', 'to_int64', 'torch_func', 'tpu', 'trace', 'train', 'trainable_variables', 'transpose', 'truediv', 'truncated_normal', 'truncated_normal_initializer', 'truncatediv', 'truncatemod', 'tuple', 'uint16', 'uint32', 'uint64', 'uint8', 'uniform_unit_scaling_initializer', 'unique', 'unique_with_counts', 'unpack', 'unravel_index', 'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min', 'unsorted_segment_prod', 'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'unstack', 'user_ops', 'variable_axis_size_partitioner', 'variable_creator_scope', 'variable_op_scope', 'variable_scope', 'variables_initializer', 'variance_scaling_initializer', 'variant', 'vectorized_map', 'verify_tensor_all_finite', 'version', 'where', 'where_v2', 'while_loop', 'wrap_function', 'write_file', 'xla', 'zeros', 'zeros_initializer', 'zeros_like', 'zeta']
from headrace.state.variable_scope import AUTO_REUSE as AUTO_REUSE
from headrace.autodiff.aggregation import AggregationMethod as AggregationMethod
from headrace.functions.flow.assertion import Assert as Assert
AttrValue: Any
from headrace.core.version import COMPILER_VERSION as COMPILER_VERSION
from headrace.core.version import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from headrace.functions.queues.accumulating import ConditionalAccumulator as ConditionalAccumulator
from headrace.functions.queues.accumulating import ConditionalAccumulatorBase as ConditionalAccumulatorBase
ConfigProto: Any
from headrace.state.critical_section import CriticalSection as CriticalSection
from headrace.core.dtypes import DType as DType
from headrace.core.device import DeviceSpec as DeviceSpec
from headrace.core.shapes import Dimension as Dimension
Event: Any
from headrace.functions.queues.queues import FIFOQueue as FIFOQueue
from headrace.functions.parsing.features import FixedLenFeature as FixedLenFeature
from headrace.functions.parsing.features import FixedLenSequenceFeature as FixedLenSequenceFeature
from headrace.functions.readers.readers import FixedLengthRecordReader as FixedLengthRecordReader
from headrace.core.version import GIT_VERSION as GIT_VERSION
GPUOptions: Any
from headrace.core.version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from headrace.core.version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from headrace.core.version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from headrace.autodiff.gradient_tape import GradientTape as GradientTape
from headrace.core.graph import Graph as Graph
GraphDef: Any
from headrace.core.collections import GraphKeys as GraphKeys
GraphOptions: Any
HistogramProto: Any
from headrace.functions.readers.readers import IdentityReader as IdentityReader
from headrace.core.composite import IndexedSlices as IndexedSlices
from headrace.core.type_specs import IndexedSlicesSpec as IndexedSlicesSpec
from headrace.runtime.interactive_session import InteractiveSession as InteractiveSession
from headrace.functions.readers.readers import LMDBReader as LMDBReader
LogMessage: Any
from headrace.core.version import MONOLITHIC_BUILD as MONOLITHIC_BUILD
MetaGraphDef: Any
from headrace.checkpoints.module import Module as Module
NameAttrList: Any
from headrace.core.registry import no_gradient as NoGradient
NodeDef: Any
from headrace.core.registry import no_gradient as NotDifferentiable
from headrace.core.errors import OpError as OpError
from headrace.core.operation import Operation as Operation
OptimizerOptions: Any
from headrace.data.optional import OptionalSpec as OptionalSpec
from headrace.functions.queues.queues import PaddingFIFOQueue as PaddingFIFOQueue
from headrace.ops.flow.printing import Print as Print
from headrace.functions.queues.queues import PriorityQueue as PriorityQueue
from headrace.core.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from headrace.functions.queues.queues import QueueBase as QueueBase
from headrace.functions.ragged.tensor import RaggedTensor as RaggedTensor
from headrace.functions.ragged.spec import RaggedTensorSpec as RaggedTensorSpec
from headrace.functions.queues.queues import RandomShuffleQueue as RandomShuffleQueue
from headrace.functions.readers.readers import ReaderBase as ReaderBase
from headrace.core.registry import RegisterGradient as RegisterGradient
RunMetadata: Any
RunOptions: Any
from headrace.runtime.session import Session as Session
SessionLog: Any
from headrace.functions.queues.accumulating import SparseConditionalAccumulator as SparseConditionalAccumulator
from headrace.functions.parsing.features import SparseFeature as SparseFeature
from headrace.core.composite import SparseTensor as SparseTensor
from headrace.core.type_specs import SparseTensorSpec as SparseTensorSpec
from headrace.core.composite import SparseTensorValue as SparseTensorValue
Summary: Any
SummaryMetadata: Any
from headrace.functions.readers.readers import TFRecordReader as TFRecordReader
from headrace.core.tensor import Tensor as Tensor
from headrace.functions.flow.tensor_array import TensorArray as TensorArray
from headrace.data.leaves import TensorArraySpec as TensorArraySpec
TensorInfo: Any
from headrace.core.shapes import TensorShape as TensorShape
from headrace.core.type_specs import TensorSpec as TensorSpec
from headrace.functions.readers.readers import TextLineReader as TextLineReader
from headrace.core.type_specs import TypeSpec as TypeSpec
from headrace.autodiff.gradients import UnconnectedGradients as UnconnectedGradients
from headrace.core.version import VERSION as VERSION
from headrace.functions.parsing.features import VarLenFeature as VarLenFeature
from headrace.state.variables import Variable as Variable
from headrace.state.modes import VariableAggregation as VariableAggregation
from headrace.state.variable_scope import VariableScope as VariableScope
from headrace.state.modes import VariableSynchronization as VariableSynchronization
from headrace.state.variables import VariableV1 as VariableV1
from headrace.functions.readers.readers import WholeFileReader as WholeFileReader
from headrace.ops.math.unary import abs as abs
from headrace.ops.math.add_n import accumulate_n as accumulate_n
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
from headrace.functions.flow.numerics import add_check_numerics_ops as add_check_numerics_ops
from headrace.ops.math.add_n import add_n as add_n
from headrace.core.defaults import add_to_collection as add_to_collection
from headrace.core.defaults import add_to_collections as add_to_collections
from headrace.state.collecting import all_variables as all_variables
from headrace.ops.math.complex import angle as angle
from headrace import app as app
from headrace.ops.math.argmax import arg_max as arg_max
from headrace.ops.math.argmax import arg_min as arg_min
from headrace.ops.math.argmax import argmax as argmax
from headrace.ops.math.argmax import argmin as argmin
from headrace.functions.array.sort import argsort as argsort
from headrace.core.dtypes import as_dtype as as_dtype
from headrace.ops.string.conversion import as_string as as_string
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
from headrace.functions.flow.checks import assert_equal as assert_equal
from headrace.functions.flow.checks import assert_greater as assert_greater
from headrace.functions.flow.checks import assert_greater_equal as assert_greater_equal
from headrace.functions.flow.checks import assert_integer as assert_integer
from headrace.functions.flow.checks import assert_less as assert_less
from headrace.functions.flow.checks import assert_less_equal as assert_less_equal
from headrace.functions.flow.checks import assert_near as assert_near
from headrace.functions.flow.checks import assert_negative as assert_negative
from headrace.functions.flow.checks import assert_non_negative as assert_non_negative
from headrace.functions.flow.checks import assert_non_positive as assert_non_positive
from headrace.functions.flow.checks import assert_none_equal as assert_none_equal
from headrace.functions.flow.checks import assert_positive as assert_positive
from headrace.functions.flow.checks import assert_proper_iterable as assert_proper_iterable
from headrace.functions.flow.rank_checks import assert_rank as assert_rank
from headrace.functions.flow.rank_checks import assert_rank_at_least as assert_rank_at_least
from headrace.functions.flow.rank_checks import assert_rank_in as assert_rank_in
from headrace.functions.flow.checks import assert_same_float_dtype as assert_same_float_dtype
from headrace.functions.flow.checks import assert_scalar as assert_scalar
from headrace.functions.flow.checks import assert_type as assert_type
from headrace.state.collecting import assert_variables_initialized as assert_variables_initialized
from headrace.state.updates import assign as assign
from headrace.state.updates import assign_add as assign_add
from headrace.state.updates import assign_sub as assign_sub
def atan(x: TensorLike, name: str | None = ...) -> Tensor:
    """The angle in (-pi/2, pi/2) whose tangent is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.math.trigonometric import atan2 as atan2
def atanh(x: TensorLike, name: str | None = ...) -> Tensor:
    """The number whose hyperbolic tangent is each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace import audio as audio
from headrace.summary.legacy import audio_summary as audio_summary
from headrace import autograph as autograph
from headrace.functions.math.linalg_functions import cholesky as batch_cholesky
from headrace.functions.math.linalg_functions import cholesky_solve as batch_cholesky_solve
def batch_fft(input: TensorLike, name: str | None = ...) -> Tensor:
    """The discrete Fourier transform over the last dimension.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than 1 dimensions.
    """
def batch_fft2d(input: TensorLike, name: str | None = ...) -> Tensor:
    """The discrete Fourier transform over the last two dimensions.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than 2 dimensions.
    """
def batch_fft3d(input: TensorLike, name: str | None = ...) -> Tensor:
    """The discrete Fourier transform over the last three dimensions.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than 3 dimensions.
    """
from headrace.functions.array.gather import batch_gather as batch_gather
def batch_ifft(input: TensorLike, name: str | None = ...) -> Tensor:
    """The inverse discrete Fourier transform over the last dimension.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than 1 dimensions.
    """
def batch_ifft2d(input: TensorLike, name: str | None = ...) -> Tensor:
    """The inverse discrete Fourier transform over the last two dimensions.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than 2 dimensions.
    """
def batch_ifft3d(input: TensorLike, name: str | None = ...) -> Tensor:
    """The inverse discrete Fourier transform over the last three dimensions.

    Args:
        input: complex numbers.
        name: a name for the operation.

    Returns:
        a tensor of the shape and type of `input`.

    Raises:
        ValueError: if the input has less than 3 dimensions.
    """
from headrace.ops.math.matmul import batch_matmul as batch_matmul
from headrace.functions.math.matrices import matrix_band_part as batch_matrix_band_part
from headrace.functions.math.linalg_functions import matrix_determinant as batch_matrix_determinant
from headrace.functions.math.matrices import matrix_diag as batch_matrix_diag
from headrace.functions.math.matrices import matrix_diag_part as batch_matrix_diag_part
from headrace.functions.math.linalg_functions import matrix_inverse as batch_matrix_inverse
from headrace.functions.math.matrices import matrix_set_diag as batch_matrix_set_diag
from headrace.functions.math.linalg_functions import matrix_solve as batch_matrix_solve
from headrace.functions.math.linalg_functions import matrix_solve_ls as batch_matrix_solve_ls
from headrace.kernels.composing.arranging import matrix_transpose as batch_matrix_transpose
from headrace.functions.math.linalg_functions import matrix_triangular_solve as batch_matrix_triangular_solve
from headrace.state.updates import batch_scatter_update as batch_scatter_update
from headrace.functions.math.linalg_functions import self_adjoint_eig as batch_self_adjoint_eig
from headrace.functions.math.linalg_functions import self_adjoint_eigvals as batch_self_adjoint_eigvals
from headrace.functions.math.linalg_functions import svd as batch_svd
from headrace.ops.array.space import batch_to_space as batch_to_space
from headrace.ops.array.space import batch_to_space_nd as batch_to_space_nd
from headrace.ops.math.special import betainc as betainc
from headrace.core.dtypes import bfloat16 as bfloat16
from headrace.functions.math.counting import bincount as bincount
from headrace.ops.math.cast import bitcast as bitcast
from headrace import bitwise as bitwise
from headrace.core.dtypes import bool as bool
from headrace.functions.array.where import boolean_mask as boolean_mask
from headrace.ops.array.shape import broadcast_dynamic_shape as broadcast_dynamic_shape
from headrace.ops.array.shape import broadcast_static_shape as broadcast_static_shape
from headrace.ops.array.shape import broadcast_to as broadcast_to
from headrace.functions.flow.case import case as case
from headrace.ops.math.cast import cast as cast
def ceil(x: TensorLike, name: str | None = ...) -> Tensor:
    """The smallest whole number not below each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.flow.numerics import check_numerics as check_numerics
from headrace.functions.math.linalg_functions import cholesky as cholesky
from headrace.functions.math.linalg_functions import cholesky_solve as cholesky_solve
from headrace.ops.math.clip import clip_by_average_norm as clip_by_average_norm
from headrace.ops.math.clip import clip_by_global_norm as clip_by_global_norm
from headrace.ops.math.clip import clip_by_norm as clip_by_norm
from headrace.ops.math.clip import clip_by_value as clip_by_value
from headrace.core.defaults import colocate_with as colocate_with
from headrace import compat as compat
from headrace.ops.math.complex import complex as complex
from headrace.core.dtypes import complex128 as complex128
from headrace.core.dtypes import complex64 as complex64
from headrace.ops.math.complex import complex_abs as complex_abs
from headrace.kernels.composing.arranging import concat as concat
from headrace.kernels.composing.arranging import concat as concat_v2
from headrace.functions.flow.cond import cond as cond
from headrace import config as config
from headrace.functions.confusion import confusion_matrix as confusion_matrix
from headrace.kernels.composing.arithmetic import conj as conj
from headrace.ops.array.constant import constant as constant
from headrace.state.initializers import constant_initializer as constant_initializer
from headrace.core.defaults import container as container
from headrace import contrib as contrib
from headrace.core.defaults import control_dependencies as control_dependencies
from headrace.config.behavior import control_flow_v2_enabled as control_flow_v2_enabled
from headrace.core.convert import convert_to_tensor as convert_to_tensor
from headrace.core.composite import convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices
from headrace.core.composite import convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor
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
from headrace.functions.math.reduction import count_nonzero as count_nonzero
from headrace.state.updates import count_up_to as count_up_to
from headrace.state.create_partitioned import create_partitioned_variables as create_partitioned_variables
from headrace.ops.math.cross import cross as cross
from headrace.functions.nn.ctc_functions import ctc_loss_v2 as ctc_loss_v2
from headrace.ops.math.scan import cumprod as cumprod
from headrace.ops.math.scan import cumsum as cumsum
from headrace.functions.flow.custom_gradient import custom_gradient as custom_gradient
from headrace import data as data
from headrace import debugging as debugging
from headrace.ops.string.conversion import decode_base64 as decode_base64
from headrace.ops.parsing.tensors import decode_compressed as decode_compressed
from headrace.ops.parsing.csv import decode_csv as decode_csv
from headrace.ops.parsing.tensors import decode_json_example as decode_json_example
from headrace.ops.string.conversion import decode_raw as decode_raw
from headrace.ops.state.session_tensors import delete_session_tensor as delete_session_tensor
from headrace.ops.array.space import depth_to_space as depth_to_space
from headrace.ops.quantized.conversion import dequantize as dequantize
from headrace.functions.sparse.serialized import deserialize_many_sparse as deserialize_many_sparse
from headrace.core.defaults import device as device
from headrace.functions.math.matrices import diag as diag
from headrace.functions.math.matrices import diag_part as diag_part
def digamma(x: TensorLike, name: str | None = ...) -> Tensor:
    """The derivative of the logarithm of gamma(x).

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.core.shapes import dimension_at_index as dimension_at_index
from headrace.core.shapes import dimension_value as dimension_value
from headrace.config.behavior import disable_control_flow_v2 as disable_control_flow_v2
from headrace.config.behavior import disable_eager_execution as disable_eager_execution
from headrace.state.variable_scope import disable_resource_variables as disable_resource_variables
from headrace.config.behavior import disable_tensor_equality as disable_tensor_equality
from headrace.config.behavior import disable_v2_behavior as disable_v2_behavior
from headrace.config.behavior import disable_v2_tensorshape as disable_v2_tensorshape
from headrace import distribute as distribute
from headrace import distributions as distributions
from headrace.ops.math.division import div as div
from headrace.ops.math.division import div_no_nan as div_no_nan
from headrace.ops.math.division import divide as divide
from headrace.core.dtypes import double as double
from headrace import dtypes as dtypes
from headrace.ops.array.dynamic import dynamic_partition as dynamic_partition
from headrace.ops.array.dynamic import dynamic_stitch as dynamic_stitch
from headrace.ops.sparse.edit_distance import edit_distance as edit_distance
from headrace.functions.math.products import einsum as einsum
from headrace.config.behavior import enable_control_flow_v2 as enable_control_flow_v2
from headrace.config.behavior import enable_eager_execution as enable_eager_execution
from headrace.state.variable_scope import enable_resource_variables as enable_resource_variables
from headrace.config.behavior import enable_tensor_equality as enable_tensor_equality
from headrace.config.behavior import enable_v2_behavior as enable_v2_behavior
from headrace.config.behavior import enable_v2_tensorshape as enable_v2_tensorshape
from headrace.ops.string.conversion import encode_base64 as encode_base64
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
@overload
def erf(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """The error function of each element.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def erf(x: TensorLike, name: str | None = ...) -> Tensor: ...
def erfc(x: TensorLike, name: str | None = ...) -> Tensor:
    """1 - erf(x), exact for large x as well.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace import errors as errors
from headrace import estimator as estimator
from headrace import examples as examples
from headrace.config.behavior import executing_eagerly as executing_eagerly
def exp(x: TensorLike, name: str | None = ...) -> Tensor:
    """e to the power of each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.kernels.composing.shapes import expand_dims as expand_dims
from headrace import experimental as experimental
def expm1(x: TensorLike, name: str | None = ...) -> Tensor:
    """exp(x) - 1, exact for small x as well.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.array.patches import extract_image_patches as extract_image_patches
from headrace.ops.array.patches import extract_volume_patches as extract_volume_patches
from headrace.functions.math.matrices import eye as eye
from headrace.ops.array.fake_quant import fake_quant_with_min_max_args as fake_quant_with_min_max_args
from headrace.ops.array.fake_quant import fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars as fake_quant_with_min_max_vars
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient
from headrace import feature_column as feature_column
fft = batch_fft
fft2d = batch_fft2d
fft3d = batch_fft3d
from headrace.ops.array.fill import fill as fill
from headrace.ops.string.fingerprints import fingerprint as fingerprint
from headrace.state.partitioned import fixed_size_partitioner as fixed_size_partitioner
from headrace import flags as flags
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
def floor_div(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y rounded towards minus infinity.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.ops.math.division import floordiv as floordiv
def floormod(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """What is left of x after floor division by y; it has the sign of y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int32, int64, bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.recurrent.functional import foldl as foldl
from headrace.recurrent.functional import foldr as foldr
from headrace.state.polymorphic_function import function as function
from headrace.ops.array.gather import gather as gather
from headrace.functions.array.gather import gather_nd as gather_nd
from headrace.core.defaults import get_collection as get_collection
from headrace.core.defaults import get_collection_ref as get_collection_ref
from headrace.core.defaults import get_default_graph as get_default_graph
from headrace.core.defaults import get_default_session as get_default_session
from headrace.state.variable_scope import get_local_variable as get_local_variable
from headrace.config.behavior import get_logger as get_logger
from headrace.core.random_seed import get_seed as get_seed
from headrace.ops.state.session_tensors import get_session_handle as get_session_handle
from headrace.ops.state.session_tensors import get_session_tensor as get_session_tensor
from headrace.core.tensor_util import constant_value as get_static_value
from headrace.state.variable_scope import get_variable as get_variable
from headrace.state.variable_scope import get_variable_scope as get_variable_scope
from headrace import gfile as gfile
from headrace.ops.math.clip import global_norm as global_norm
from headrace.state.collecting import global_variables as global_variables
from headrace.state.collecting import global_variables_initializer as global_variables_initializer
from headrace.state.initializers import glorot_normal_initializer as glorot_normal_initializer
from headrace.state.initializers import glorot_uniform_initializer as glorot_uniform_initializer
from headrace.functions.flow.custom_gradient import grad_pass_through as grad_pass_through
from headrace.autodiff.gradients import gradients as gradients
from headrace import graph_util as graph_util
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
from headrace.autodiff.hessians import hessians as hessians
from headrace.functions.math.counting import histogram_fixed_width as histogram_fixed_width
from headrace.functions.math.counting import histogram_fixed_width_bins as histogram_fixed_width_bins
from headrace.summary.legacy import histogram_summary as histogram_summary
from headrace.kernels.composing.arranging import identity as identity
from headrace.ops.array.identity import identity_n as identity_n
ifft = batch_ifft
ifft2d = batch_ifft2d
ifft3d = batch_ifft3d
from headrace.ops.math.special import igamma as igamma
from headrace.ops.math.special import igammac as igammac
from headrace.ops.math.complex import imag as imag
from headrace import image as image
from headrace.summary.legacy import image_summary as image_summary
from headrace.messages.graph_def import import_graph_def as import_graph_def
from headrace.state.scoping import init_scope as init_scope
from headrace.lookup.tables import tables_initializer as initialize_all_tables
from headrace.state.collecting import initialize_all_variables as initialize_all_variables
from headrace.state.collecting import initialize_local_variables as initialize_local_variables
from headrace.state.collecting import initialize_variables as initialize_variables
from headrace import initializers as initializers
from headrace.core.dtypes import int16 as int16
from headrace.core.dtypes import int32 as int32
from headrace.core.dtypes import int64 as int64
from headrace.core.dtypes import int8 as int8
def inv(x: TensorLike, name: str | None = ...) -> Tensor:
    """1 / x, as 0.x spelled `reciprocal`.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.array.transpose import invert_permutation as invert_permutation
from headrace import io as io
def is_finite(x: TensorLike, name: str | None = ...) -> Tensor:
    """Which elements are neither an infinity nor NaN, as bools.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def is_inf(x: TensorLike, name: str | None = ...) -> Tensor:
    """Which elements are an infinity, as bools.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def is_nan(x: TensorLike, name: str | None = ...) -> Tensor:
    """Which elements are NaN, as bools.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.functions.flow.checks import is_non_decreasing as is_non_decreasing
from headrace.functions.flow.checks import is_numeric_tensor as is_numeric_tensor
from headrace.functions.flow.checks import is_strictly_increasing as is_strictly_increasing
from headrace.core.tensor_util import is_tensor as is_tensor
from headrace.state.updates import is_variable_initialized as is_variable_initialized
from headrace import keras as keras
from headrace import layers as layers
from headrace.ops.math.special import lbeta as lbeta
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
def lgamma(x: TensorLike, name: str | None = ...) -> Tensor:
    """The logarithm of |gamma(x)|.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.array.range import lin_space as lin_space
from headrace import linalg as linalg
from headrace.ops.array.range import linspace as linspace
from headrace.ops.array.unique import listdiff as listdiff
from headrace.config.behavior import load_file_system_library as load_file_system_library
from headrace.config.behavior import load_library as load_library
from headrace.config.behavior import load_op_library as load_op_library
from headrace.state.collecting import local_variables as local_variables
from headrace.state.collecting import local_variables_initializer as local_variables_initializer
def log(x: TensorLike, name: str | None = ...) -> Tensor:
    """The natural logarithm of each element.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def log1p(x: TensorLike, name: str | None = ...) -> Tensor:
    """log(1 + x), exact for small x as well.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.math.unary import log_sigmoid as log_sigmoid
from headrace import logging as logging
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
from headrace.ops.math.logical import logical_xor as logical_xor
from headrace import lookup as lookup
from headrace import losses as losses
from headrace.messages.tensor_proto import MakeNdarray as make_ndarray
from headrace.state.template import make_template as make_template
from headrace.messages.tensor_proto import make_tensor_proto as make_tensor_proto
from headrace import manip as manip
from headrace.recurrent.functional import map_fn as map_fn
from headrace.ops.readers.files import matching_files as matching_files
from headrace import math as math
from headrace.kernels.composing.arithmetic import matmul as matmul
from headrace.functions.math.matrices import matrix_band_part as matrix_band_part
from headrace.functions.math.linalg_functions import matrix_determinant as matrix_determinant
from headrace.functions.math.matrices import matrix_diag as matrix_diag
from headrace.functions.math.matrices import matrix_diag_part as matrix_diag_part
from headrace.functions.math.linalg_functions import matrix_inverse as matrix_inverse
from headrace.functions.math.matrices import matrix_set_diag as matrix_set_diag
from headrace.functions.math.linalg_functions import matrix_solve as matrix_solve
from headrace.functions.math.linalg_functions import matrix_solve_ls as matrix_solve_ls
from headrace.functions.math.linalg_functions import matrix_square_root as matrix_square_root
from headrace.kernels.composing.arranging import matrix_transpose as matrix_transpose
from headrace.functions.math.linalg_functions import matrix_triangular_solve as matrix_triangular_solve
def maximum(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The larger of x and y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, int32, int64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.summary.legacy import merge_all_summaries as merge_all_summaries
from headrace.summary.legacy import merge_summary as merge_summary
from headrace.functions.array.tile import meshgrid as meshgrid
from headrace import metrics as metrics
from headrace.state.partitioned import min_max_variable_partitioner as min_max_variable_partitioner
def minimum(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The smaller of x and y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, int32, int64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
mod = floormod
from headrace.state.collecting import model_variables as model_variables
from headrace.state.collecting import moving_average_variables as moving_average_variables
def mul(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x * y, element by element.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.ops.random.sampling import multinomial as multinomial
multiply = mul
from headrace.core.defaults import name_scope as name_scope
@overload
def neg(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """-x.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def neg(x: TensorLike, name: str | None = ...) -> Tensor: ...
negative = neg
from headrace import nest as nest
from headrace.functions.array.brackets import newaxis as newaxis
from headrace import nn as nn
from headrace.core.registry import no_gradient as no_gradient
from headrace.ops.flow.grouping import no_op as no_op
from headrace.state.variable_scope import no_regularizer as no_regularizer
from headrace.state.batching import nondifferentiable_batch_function as nondifferentiable_batch_function
from headrace.functions.math.norms import norm as norm
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
from headrace.ops.array.where import one_hot as one_hot
from headrace.kernels.composing.filling import ones as ones
from headrace.state.initializers import ones_initializer as ones_initializer
from headrace.kernels.composing.filling import ones_like as ones_like
from headrace.core.defaults import op_scope as op_scope
from headrace.state.initializers import orthogonal_initializer as orthogonal_initializer
from headrace.ops.array.join import pack as pack
from headrace.ops.array.pad import pad as pad
from headrace.functions.array.join import parallel_stack as parallel_stack
from headrace.functions.parsing.example import parse_example as parse_example
from headrace.functions.parsing.example import parse_single_example as parse_single_example
from headrace.functions.parsing.sequence_example import parse_single_sequence_example as parse_single_sequence_example
from headrace.ops.parsing.tensors import parse_tensor as parse_tensor
from headrace.ops.array.constant import placeholder as placeholder
from headrace.ops.array.constant import placeholder_with_default as placeholder_with_default
from headrace.ops.math.special import polygamma as polygamma
from headrace.ops.math.binary import pow as pow
from headrace.ops.flow.printing import print_ as print
from headrace import profiler as profiler
from headrace.ops.flow.py_func import py_func as py_func
from headrace.ops.flow.py_func import py_function as py_function
from headrace import python_io as python_io
from headrace import pywrap_tensorflow as pywrap_tensorflow
from headrace.core.dtypes import qint16 as qint16
from headrace.core.dtypes import qint32 as qint32
from headrace.core.dtypes import qint8 as qint8
from headrace.functions.math.linalg_functions import qr as qr
from headrace import quantization as quantization
from headrace.ops.quantized.conversion import quantize as quantize
from headrace.ops.quantized.conversion import quantize_v2 as quantize_v2
from headrace.ops.quantized.arithmetic import quantized_concat as quantized_concat
from headrace import queue as queue
from headrace.core.dtypes import quint16 as quint16
from headrace.core.dtypes import quint8 as quint8
from headrace import ragged as ragged
from headrace import random as random
from headrace.functions.random.crop import random_crop as random_crop
from headrace.ops.random.sampling import random_gamma as random_gamma
from headrace.ops.random.normal import random_normal as random_normal
from headrace.state.initializers import random_normal_initializer as random_normal_initializer
from headrace.ops.random.sampling import random_poisson as random_poisson
from headrace.ops.random.shuffle import random_shuffle as random_shuffle
from headrace.ops.random.uniform import random_uniform as random_uniform
from headrace.state.initializers import random_uniform_initializer as random_uniform_initializer
from headrace.kernels.composing.arithmetic import range as range
from headrace.kernels.composing.shapes import rank as rank
from headrace.api.gen_ops import raw_ops as raw_ops
from headrace.ops.readers.files import read_file as read_file
from headrace.ops.math.complex import real as real
def realdiv(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y; of integers it is rounded towards zero.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def reciprocal(x: TensorLike, name: str | None = ...) -> Tensor:
    """1 / x.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.autodiff.recomputing import recompute_grad as recompute_grad
def reduce_all(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """Whether all elements over axes are true.

    Args:
        input_tensor: bool of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_all([True, False]))
        False
    """
def reduce_any(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """Whether any element over axes is true.

    Args:
        input_tensor: bool of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_any([True, False]))
        True
    """
from headrace.ops.string.joining import reduce_join as reduce_join
from headrace.functions.math.reduction import reduce_logsumexp as reduce_logsumexp
def reduce_max(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """The greatest element over axes.

    Args:
        input_tensor: numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_max([[1, 2], [3, 4]]))
        4
    """
def reduce_mean(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """The mean over axes; of integers, rounded towards zero.

    Args:
        input_tensor: numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_mean([1.0, 2.0, 4.5]))
        2.5
    """
def reduce_min(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """The least element over axes.

    Args:
        input_tensor: numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_min([[1, 2], [3, 4]]))
        1
    """
def reduce_prod(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """The product over axes.

    Args:
        input_tensor: numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_prod([[1, 2], [3, 4]]))
        24
    """
def reduce_sum(input_tensor, axis: TensorLike | None = ..., keepdims: bool | None = ..., name: str | None = ..., reduction_indices=..., keep_dims: bool | None = ...) -> Tensor:
    """The sum over axes.

    Args:
        input_tensor: numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.reduce_sum([[1, 2], [3, 4]]))
        10
    """
from headrace.ops.string.regex import regex_replace as regex_replace
from headrace.core.convert import register_tensor_conversion_function as register_tensor_conversion_function
from headrace.functions.array.tile import repeat as repeat
from headrace.state.collecting import report_uninitialized_variables as report_uninitialized_variables
from headrace.functions.array.space import required_space_to_batch_paddings as required_space_to_batch_paddings
from headrace.core.defaults import reset_default_graph as reset_default_graph
from headrace.ops.array.shape import reshape as reshape
from headrace.core.dtypes import resource as resource
from headrace import resource_loader as resource_loader
from headrace.state.variable_scope import resource_variables_enabled as resource_variables_enabled
from headrace.ops.array.reverse import reverse as reverse
from headrace.ops.array.reverse import reverse_sequence as reverse_sequence
from headrace.ops.array.reverse import reverse as reverse_v2
def rint(x: TensorLike, name: str | None = ...) -> Tensor:
    """The nearest whole number, the even one of two.

    Args:
        x: a tensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.array.reverse import roll as roll
from headrace.ops.math.unary import round as round
def rsqrt(x: TensorLike, name: str | None = ...) -> Tensor:
    """1 / sqrt(x).

    Args:
        x: a tensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
from headrace.ops.math.cast import saturate_cast as saturate_cast
from headrace import saved_model as saved_model
from headrace.ops.math.binary import scalar_mul as scalar_mul
from headrace.summary.legacy import scalar_summary as scalar_summary
from headrace.recurrent.functional import scan as scan
from headrace.state.updates import scatter_add as scatter_add
from headrace.state.updates import scatter_div as scatter_div
from headrace.state.updates import scatter_max as scatter_max
from headrace.state.updates import scatter_min as scatter_min
from headrace.state.updates import scatter_mul as scatter_mul
from headrace.ops.array.scatter import scatter_nd as scatter_nd
from headrace.state.updates import scatter_nd_add as scatter_nd_add
from headrace.state.updates import scatter_nd_sub as scatter_nd_sub
from headrace.state.updates import scatter_nd_update as scatter_nd_update
from headrace.state.updates import scatter_sub as scatter_sub
from headrace.state.updates import scatter_update as scatter_update
from headrace.functions.array.search import searchsorted as searchsorted
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = ...) -> Tensor:
    """The maximum of the rows of each segment.

    Args:
        data: numbers of shape (n, ...).
        segment_ids: int32 or int64 of shape (n,): the segment of each row, sorted, from 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (last id + 1, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if the ids are not sorted or negative.

    Example:
        >>> tf.segment_max([[1, 2], [3, 4], [5, 6]], [0, 0, 1])
        <tf.Tensor 'SegmentMax:0' shape=(?, 2) dtype=int32>
    """
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = ...) -> Tensor:
    """The mean of the rows of each segment.

    Args:
        data: numbers of shape (n, ...).
        segment_ids: int32 or int64 of shape (n,): the segment of each row, sorted, from 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (last id + 1, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if the ids are not sorted or negative.

    Example:
        >>> tf.segment_mean([[1, 2], [3, 4], [5, 6]], [0, 0, 1])
        <tf.Tensor 'SegmentMean:0' shape=(?, 2) dtype=int32>
    """
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = ...) -> Tensor:
    """The minimum of the rows of each segment.

    Args:
        data: numbers of shape (n, ...).
        segment_ids: int32 or int64 of shape (n,): the segment of each row, sorted, from 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (last id + 1, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if the ids are not sorted or negative.

    Example:
        >>> tf.segment_min([[1, 2], [3, 4], [5, 6]], [0, 0, 1])
        <tf.Tensor 'SegmentMin:0' shape=(?, 2) dtype=int32>
    """
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = ...) -> Tensor:
    """The product of the rows of each segment.

    Args:
        data: numbers of shape (n, ...).
        segment_ids: int32 or int64 of shape (n,): the segment of each row, sorted, from 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (last id + 1, ...); a segment without rows is 1.

    Raises:
        InvalidArgumentError: when run, if the ids are not sorted or negative.

    Example:
        >>> tf.segment_prod([[1, 2], [3, 4], [5, 6]], [0, 0, 1])
        <tf.Tensor 'SegmentProd:0' shape=(?, 2) dtype=int32>
    """
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = ...) -> Tensor:
    """The sum of the rows of each segment.

    Args:
        data: numbers of shape (n, ...).
        segment_ids: int32 or int64 of shape (n,): the segment of each row, sorted, from 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (last id + 1, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if the ids are not sorted or negative.

    Example:
        >>> tf.segment_sum([[1, 2], [3, 4], [5, 6]], [0, 0, 1])
        <tf.Tensor 'SegmentSum:0' shape=(?, 2) dtype=int32>
    """
from headrace.ops.math.select import select as select
from headrace.functions.math.linalg_functions import self_adjoint_eig as self_adjoint_eig
from headrace.functions.math.linalg_functions import self_adjoint_eigvals as self_adjoint_eigvals
from headrace.functions.array.where import sequence_mask as sequence_mask
from headrace.functions.sparse.serialized import serialize_many_sparse as serialize_many_sparse
from headrace.functions.sparse.serialized import serialize_sparse as serialize_sparse
from headrace.ops.parsing.tensors import serialize_tensor as serialize_tensor
from headrace.core.random_seed import set_random_seed as set_random_seed
from headrace.ops.array.unique import setdiff1d as setdiff1d
from headrace import sets as sets
from headrace.kernels.composing.shapes import shape as shape
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
from headrace import signal as signal
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
from headrace.kernels.composing.shapes import size as size
from headrace.ops.array.slice import slice as slice
from headrace.functions.array.sort import sort as sort
from headrace.ops.array.space import space_to_batch as space_to_batch
from headrace.ops.array.space import space_to_batch_nd as space_to_batch_nd
from headrace.ops.array.space import space_to_depth as space_to_depth
from headrace import sparse as sparse
from headrace.ops.sparse.add import sparse_add as sparse_add
from headrace.functions.sparse.join import sparse_concat as sparse_concat
from headrace.ops.sparse.rows import sparse_fill_empty_rows as sparse_fill_empty_rows
from headrace.functions.sparse.building import sparse_mask as sparse_mask
from headrace.ops.math.matmul import sparse_matmul as sparse_matmul
from headrace.ops.sparse.cwise import sparse_maximum as sparse_maximum
from headrace.functions.sparse.building import sparse_merge as sparse_merge
from headrace.ops.sparse.cwise import sparse_minimum as sparse_minimum
from headrace.functions.sparse.building import sparse_placeholder as sparse_placeholder
def sparse_reduce_max(sp_input: SparseTensor, axis=..., keepdims=..., reduction_axes=..., keep_dims=...) -> Tensor:
    """The greatest of the stored elements over axes, as a dense tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an int, a list of ints or an int32 tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        reduction_axes, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a dense tensor; 0 where no elements are stored.

    Raises:
        ValueError: if an argument is given under both names.
        InvalidArgumentError: when run, if an axis is out of range.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [0, 2]], [1.0, 4.0], [2, 3])
        >>> tf.Session().run(tf.sparse.reduce_max(x, 1))
        array([4., 0.], dtype=float32)
    """
from headrace.ops.sparse.reduce import sparse_reduce_max_sparse as sparse_reduce_max_sparse
def sparse_reduce_sum(sp_input: SparseTensor, axis=..., keepdims=..., reduction_axes=..., keep_dims=...) -> Tensor:
    """The sum of the stored elements over axes, as a dense tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an int, a list of ints or an int32 tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        reduction_axes, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a dense tensor; 0 where no elements are stored.

    Raises:
        ValueError: if an argument is given under both names.
        InvalidArgumentError: when run, if an axis is out of range.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [0, 2]], [1.0, 4.0], [2, 3])
        >>> tf.Session().run(tf.sparse.reduce_sum(x, 1))
        array([5., 0.], dtype=float32)
    """
from headrace.ops.sparse.reduce import sparse_reduce_sum_sparse as sparse_reduce_sum_sparse
from headrace.ops.sparse.reshape import sparse_reorder as sparse_reorder
from headrace.functions.sparse.layout import sparse_reset_shape as sparse_reset_shape
from headrace.ops.sparse.reshape import sparse_reshape as sparse_reshape
from headrace.functions.sparse.layout import sparse_retain as sparse_retain
def sparse_segment_mean(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, name: str | None = ..., num_segments=...) -> Tensor:
    """The mean of the picked rows of each segment.

    Args:
        data: numbers of shape (m, ...).
        indices: int32 or int64 of shape (n,): the rows of `data` that are picked.
        segment_ids: int32 of shape (n,): the segment of each picked row, sorted, from 0.
        name: a name for the operation.
        num_segments: how many segments there are, if not the last id + 1.

    Returns:
        a tensor of shape (segments, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if an index is out of range, or the ids are not sorted.

    Example:
        >>> tf.sparse_segment_mean([[1.0], [2.0], [3.0]], [2, 0], [0, 0])
        <tf.Tensor 'SparseSegmentMean:0' shape=(?, 1) dtype=float32>
    """
def sparse_segment_sqrt_n(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, name: str | None = ..., num_segments=...) -> Tensor:
    """The sum, divided by the square root of the number, of the picked rows of each segment.

    Args:
        data: numbers of shape (m, ...).
        indices: int32 or int64 of shape (n,): the rows of `data` that are picked.
        segment_ids: int32 of shape (n,): the segment of each picked row, sorted, from 0.
        name: a name for the operation.
        num_segments: how many segments there are, if not the last id + 1.

    Returns:
        a tensor of shape (segments, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if an index is out of range, or the ids are not sorted.

    Example:
        >>> tf.sparse_segment_sqrt_n([[1.0], [2.0], [3.0]], [2, 0], [0, 0])
        <tf.Tensor 'SparseSegmentSqrtN:0' shape=(?, 1) dtype=float32>
    """
def sparse_segment_sum(data: TensorLike, indices: TensorLike, segment_ids: TensorLike, name: str | None = ..., num_segments=...) -> Tensor:
    """The sum of the picked rows of each segment.

    Args:
        data: numbers of shape (m, ...).
        indices: int32 or int64 of shape (n,): the rows of `data` that are picked.
        segment_ids: int32 of shape (n,): the segment of each picked row, sorted, from 0.
        name: a name for the operation.
        num_segments: how many segments there are, if not the last id + 1.

    Returns:
        a tensor of shape (segments, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if an index is out of range, or the ids are not sorted.

    Example:
        >>> tf.sparse_segment_sum([[1.0], [2.0], [3.0]], [2, 0], [0, 0])
        <tf.Tensor 'SparseSegmentSum:0' shape=(?, 1) dtype=float32>
    """
from headrace.ops.sparse.slice import sparse_slice as sparse_slice
from headrace.ops.sparse.cwise import sparse_softmax as sparse_softmax
from headrace.ops.sparse.slice import sparse_split as sparse_split
from headrace.ops.sparse.matmul import sparse_tensor_dense_matmul as sparse_tensor_dense_matmul
from headrace.functions.sparse.building import sparse_tensor_to_dense as sparse_tensor_to_dense
from headrace.ops.array.scatter import sparse_to_dense as sparse_to_dense
from headrace.functions.sparse.building import sparse_to_indicator as sparse_to_indicator
from headrace.functions.sparse.layout import sparse_transpose as sparse_transpose
from headrace import spectral as spectral
from headrace.ops.array.split import split as split
from headrace.ops.array.split import split as split_v
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
def squared_difference(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """(x - y) * (x - y).

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.kernels.composing.shapes import squeeze as squeeze
from headrace.kernels.composing.arranging import stack as stack
from headrace.ops.array.identity import stop_gradient as stop_gradient
from headrace.ops.array.slice import strided_slice as strided_slice
from headrace.core.dtypes import string as string
from headrace.ops.string.joining import string_join as string_join
from headrace.functions.string.splitting import string_split as string_split
from headrace.ops.string.text import string_strip as string_strip
from headrace.ops.string.hashing import string_to_hash_bucket as string_to_hash_bucket
from headrace.ops.string.hashing import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from headrace.ops.string.hashing import string_to_hash_bucket_strong as string_to_hash_bucket_strong
from headrace.ops.string.conversion import string_to_number as string_to_number
from headrace import strings as strings
def sub(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x - y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of bfloat16, float16, float32, float64, uint8, int8, uint16, int16, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.ops.string.text import substr as substr
subtract = sub
from headrace import summary as summary
from headrace.functions.math.linalg_functions import svd as svd
from headrace.functions.flow.switch_case import switch_case as switch_case
from headrace import sysconfig as sysconfig
from headrace.lookup.tables import tables_initializer as tables_initializer
def tan(x: TensorLike, name: str | None = ...) -> Tensor:
    """The tangent of each element, in radians.

    Args:
        x: a tensor of bfloat16, float16, float32, float64, int32, int64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def tanh(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """The hyperbolic tangent of each element.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def tanh(x: TensorLike, name: str | None = ...) -> Tensor: ...
from headrace.ops.array.scatter import tensor_scatter_add as tensor_scatter_add
from headrace.ops.array.scatter import tensor_scatter_add as tensor_scatter_nd_add
from headrace.ops.array.scatter import tensor_scatter_sub as tensor_scatter_nd_sub
from headrace.ops.array.scatter import tensor_scatter_update as tensor_scatter_nd_update
from headrace.ops.array.scatter import tensor_scatter_sub as tensor_scatter_sub
from headrace.ops.array.scatter import tensor_scatter_update as tensor_scatter_update
from headrace.functions.math.products import tensordot as tensordot
from headrace import test as test
from headrace.ops.array.tile import tile as tile
from headrace.ops.flow.printing import timestamp as timestamp
from headrace.ops.math.cast import to_bfloat16 as to_bfloat16
from headrace.ops.math.cast import to_complex128 as to_complex128
from headrace.ops.math.cast import to_complex64 as to_complex64
from headrace.ops.math.cast import to_double as to_double
from headrace.ops.math.cast import to_float as to_float
from headrace.ops.math.cast import to_int32 as to_int32
from headrace.ops.math.cast import to_int64 as to_int64
from headrace.interop.torch_func import torch_func as torch_func
from headrace import tpu as tpu
from headrace.functions.math.matrices import trace as trace
from headrace import train as train
from headrace.state.collecting import trainable_variables as trainable_variables
from headrace.kernels.composing.arranging import transpose as transpose
from headrace.ops.math.division import truediv as truediv
from headrace.ops.random.normal import truncated_normal as truncated_normal
from headrace.state.initializers import truncated_normal_initializer as truncated_normal_initializer
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
from headrace.ops.flow.grouping import tuple as tuple
from headrace.core.dtypes import uint16 as uint16
from headrace.core.dtypes import uint32 as uint32
from headrace.core.dtypes import uint64 as uint64
from headrace.core.dtypes import uint8 as uint8
from headrace.state.initializers import uniform_unit_scaling_initializer as uniform_unit_scaling_initializer
from headrace.ops.array.unique import unique as unique
from headrace.ops.array.unique import unique_with_counts as unique_with_counts
from headrace.ops.array.join import unpack as unpack
from headrace.ops.array.unique import unravel_index as unravel_index
def unsorted_segment_max(data, segment_ids, num_segments: TensorLike, name: str | None = ...) -> Tensor:
    """The maximum of the rows of each segment, in any order.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name for the operation.

    Returns:
        a tensor of shape (num_segments, ...); a segment without rows is the least number of the type.

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.unsorted_segment_max([1, 2, 3], [1, 0, 1], 2)
        <tf.Tensor 'UnsortedSegmentMax:0' shape=(2,) dtype=int32>
    """
from headrace.functions.math.segments import unsorted_segment_mean as unsorted_segment_mean
def unsorted_segment_min(data, segment_ids, num_segments: TensorLike, name: str | None = ...) -> Tensor:
    """The minimum of the rows of each segment, in any order.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name for the operation.

    Returns:
        a tensor of shape (num_segments, ...); a segment without rows is the greatest number of the type.

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.unsorted_segment_min([1, 2, 3], [1, 0, 1], 2)
        <tf.Tensor 'UnsortedSegmentMin:0' shape=(2,) dtype=int32>
    """
def unsorted_segment_prod(data, segment_ids, num_segments: TensorLike, name: str | None = ...) -> Tensor:
    """The product of the rows of each segment, in any order.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name for the operation.

    Returns:
        a tensor of shape (num_segments, ...); a segment without rows is 1.

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.unsorted_segment_prod([1, 2, 3], [1, 0, 1], 2)
        <tf.Tensor 'UnsortedSegmentProd:0' shape=(2,) dtype=int32>
    """
from headrace.functions.math.segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
def unsorted_segment_sum(data, segment_ids, num_segments: TensorLike, name: str | None = ...) -> Tensor:
    """The sum of the rows of each segment, in any order.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name for the operation.

    Returns:
        a tensor of shape (num_segments, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 2)
        <tf.Tensor 'UnsortedSegmentSum:0' shape=(2,) dtype=int32>
    """
from headrace.ops.array.join import unstack as unstack
from headrace import user_ops as user_ops
from headrace.state.partitioned import variable_axis_size_partitioner as variable_axis_size_partitioner
from headrace.state.scoping import variable_creator_scope as variable_creator_scope
from headrace.state.variable_scope import variable_op_scope as variable_op_scope
from headrace.state.variable_scope import variable_scope as variable_scope
from headrace.state.collecting import variables_initializer as variables_initializer
from headrace.state.initializers import variance_scaling_initializer as variance_scaling_initializer
from headrace.core.dtypes import variant as variant
from headrace.recurrent.parallel_for import vectorized_map as vectorized_map
from headrace.functions.flow.numerics import verify_tensor_all_finite as verify_tensor_all_finite
from headrace import version as version
from headrace.ops.array.where import where as where
from headrace.ops.array.where import where_v2 as where_v2
from headrace.functions.flow.while_loop import while_loop as while_loop
from headrace.state.wrapped_function import wrap_function as wrap_function
from headrace.ops.readers.files import write_file as write_file
from headrace import xla as xla
from headrace.kernels.composing.filling import zeros as zeros
from headrace.state.initializers import zeros_initializer as zeros_initializer
from headrace.kernels.composing.filling import zeros_like as zeros_like
from headrace.ops.math.special import zeta as zeta
