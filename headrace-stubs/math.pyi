# Made by tools/make_stubs.py.
from typing import overload

from headrace.core.tensor import Tensor
from headrace.core.composite import SparseTensor
from headrace.core.typing import TensorLike
__all__ = ['abs', 'accumulate_n', 'acos', 'acosh', 'add', 'add_n', 'angle', 'argmax', 'argmin', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'bessel_i0', 'bessel_i0e', 'bessel_i1', 'bessel_i1e', 'betainc', 'bincount', 'ceil', 'confusion_matrix', 'conj', 'cos', 'cosh', 'count_nonzero', 'cumprod', 'cumsum', 'cumulative_logsumexp', 'digamma', 'divide', 'divide_no_nan', 'equal', 'erf', 'erfc', 'exp', 'expm1', 'floor', 'floordiv', 'floormod', 'greater', 'greater_equal', 'igamma', 'igammac', 'imag', 'in_top_k', 'invert_permutation', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_strictly_increasing', 'l2_normalize', 'lbeta', 'less', 'less_equal', 'lgamma', 'log', 'log1p', 'log_sigmoid', 'log_softmax', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'maximum', 'minimum', 'mod', 'multiply', 'multiply_no_nan', 'negative', 'nextafter', 'not_equal', 'polygamma', 'polyval', 'pow', 'real', 'reciprocal', 'reciprocal_no_nan', 'reduce_all', 'reduce_any', 'reduce_euclidean_norm', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod', 'reduce_std', 'reduce_sum', 'reduce_variance', 'rint', 'round', 'rsqrt', 'scalar_mul', 'segment_max', 'segment_mean', 'segment_min', 'segment_prod', 'segment_sum', 'sigmoid', 'sign', 'sin', 'sinh', 'softmax', 'softplus', 'softsign', 'sqrt', 'square', 'squared_difference', 'subtract', 'tan', 'tanh', 'top_k', 'truediv', 'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min', 'unsorted_segment_prod', 'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'xdivy', 'xlogy', 'zero_fraction', 'zeta']
from headrace.ops.math.unary import abs as abs
from headrace.ops.math.add_n import accumulate_n as accumulate_n
from headrace import acos as acos
from headrace import acosh as acosh
from headrace import add as add
from headrace.ops.math.add_n import add_n as add_n
from headrace.ops.math.complex import angle as angle
from headrace.ops.math.argmax import argmax as argmax
from headrace.ops.math.argmax import argmin as argmin
from headrace import asin as asin
from headrace import asinh as asinh
from headrace import atan as atan
from headrace.ops.math.trigonometric import atan2 as atan2
from headrace import atanh as atanh
from headrace.functions.math.special import bessel_i0 as bessel_i0
@overload
def bessel_i0e(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """exp(-|x|) times the modified Bessel function of order 0.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def bessel_i0e(x: TensorLike, name: str | None = ...) -> Tensor: ...
from headrace.functions.math.special import bessel_i1 as bessel_i1
@overload
def bessel_i1e(x: SparseTensor, name: str | None = ...) -> SparseTensor:
    """exp(-|x|) times the modified Bessel function of order 1.

    Args:
        x: a tensor or SparseTensor of bfloat16, float16, float32, float64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
@overload
def bessel_i1e(x: TensorLike, name: str | None = ...) -> Tensor: ...
from headrace.ops.math.special import betainc as betainc
from headrace.functions.math.counting import bincount as bincount
from headrace import ceil as ceil
from headrace.functions.confusion import confusion_matrix as confusion_matrix
from headrace.kernels.composing.arithmetic import conj as conj
from headrace import cos as cos
from headrace import cosh as cosh
from headrace.functions.math.reduction import count_nonzero as count_nonzero
from headrace.ops.math.scan import cumprod as cumprod
from headrace.ops.math.scan import cumsum as cumsum
from headrace.ops.math.scan import cumulative_logsumexp as cumulative_logsumexp
from headrace import digamma as digamma
from headrace.ops.math.division import divide as divide
from headrace.ops.math.division import div_no_nan as divide_no_nan
from headrace import equal as equal
from headrace import erf as erf
from headrace import erfc as erfc
from headrace import exp as exp
from headrace import expm1 as expm1
from headrace import floor as floor
from headrace.ops.math.division import floordiv as floordiv
from headrace import floormod as floormod
from headrace import greater as greater
from headrace import greater_equal as greater_equal
from headrace.ops.math.special import igamma as igamma
from headrace.ops.math.special import igammac as igammac
from headrace.ops.math.complex import imag as imag
from headrace.ops.nn.topk import in_top_k as in_top_k
from headrace.ops.array.transpose import invert_permutation as invert_permutation
from headrace import is_finite as is_finite
from headrace import is_inf as is_inf
from headrace import is_nan as is_nan
from headrace.functions.flow.checks import is_non_decreasing as is_non_decreasing
from headrace.functions.flow.checks import is_strictly_increasing as is_strictly_increasing
from headrace.functions.nn.moments import l2_normalize as l2_normalize
from headrace.ops.math.special import lbeta as lbeta
from headrace import less as less
from headrace import less_equal as less_equal
from headrace import lgamma as lgamma
from headrace import log as log
from headrace import log1p as log1p
from headrace.ops.math.unary import log_sigmoid as log_sigmoid
from headrace.ops.nn.softmax import log_softmax as log_softmax
from headrace import logical_and as logical_and
from headrace import logical_not as logical_not
from headrace import logical_or as logical_or
from headrace.ops.math.logical import logical_xor as logical_xor
from headrace import maximum as maximum
from headrace import minimum as minimum
from headrace import floormod as mod
from headrace import mul as multiply
from headrace.ops.math.binary import multiply_no_nan as multiply_no_nan
from headrace import neg as negative
from headrace.ops.math.special import nextafter as nextafter
from headrace import not_equal as not_equal
from headrace.ops.math.special import polygamma as polygamma
from headrace.ops.math.binary import polyval as polyval
from headrace.ops.math.binary import pow as pow
from headrace.ops.math.complex import real as real
from headrace import reciprocal as reciprocal
from headrace.ops.math.division import reciprocal_no_nan as reciprocal_no_nan
from headrace import reduce_all as reduce_all
from headrace import reduce_any as reduce_any
from headrace.functions.math.reduction import reduce_euclidean_norm as reduce_euclidean_norm
from headrace.functions.math.reduction import reduce_logsumexp as reduce_logsumexp
from headrace import reduce_max as reduce_max
from headrace import reduce_mean as reduce_mean
from headrace import reduce_min as reduce_min
from headrace import reduce_prod as reduce_prod
from headrace.functions.math.reduction import reduce_std as reduce_std
from headrace import reduce_sum as reduce_sum
from headrace.functions.math.reduction import reduce_variance as reduce_variance
from headrace import rint as rint
from headrace.ops.math.unary import round as round
from headrace import rsqrt as rsqrt
from headrace.ops.math.binary import scalar_mul as scalar_mul
from headrace import segment_max as segment_max
from headrace import segment_mean as segment_mean
from headrace import segment_min as segment_min
from headrace import segment_prod as segment_prod
from headrace import segment_sum as segment_sum
from headrace.ops.math.unary import sigmoid as sigmoid
from headrace import sign as sign
from headrace import sin as sin
from headrace import sinh as sinh
from headrace.ops.nn.softmax import softmax as softmax
from headrace.ops.nn.activations import softplus as softplus
from headrace.ops.nn.activations import softsign as softsign
from headrace import sqrt as sqrt
from headrace import square as square
from headrace import squared_difference as squared_difference
from headrace import sub as subtract
from headrace import tan as tan
from headrace import tanh as tanh
from headrace.ops.nn.topk import top_k as top_k
from headrace.ops.math.division import truediv as truediv
from headrace import unsorted_segment_max as unsorted_segment_max
from headrace.functions.math.segments import unsorted_segment_mean as unsorted_segment_mean
from headrace import unsorted_segment_min as unsorted_segment_min
from headrace import unsorted_segment_prod as unsorted_segment_prod
from headrace.functions.math.segments import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from headrace import unsorted_segment_sum as unsorted_segment_sum
def xdivy(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x / y, but 0 wherever x is 0.

    Args:
        x, y: tensors of one type, of shapes that broadcast of float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def xlogy(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x * log(y), but 0 wherever x is 0.

    Args:
        x, y: tensors of one type, of shapes that broadcast of float16, float32, float64, complex64, complex128.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
from headrace.functions.nn.moments import zero_fraction as zero_fraction
from headrace.ops.math.special import zeta as zeta
