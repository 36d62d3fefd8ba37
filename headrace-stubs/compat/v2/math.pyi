# Made by tools/make_stubs.py.
from typing import Any

__all__ = ['abs', 'accumulate_n', 'acos', 'acosh', 'add', 'add_n', 'angle', 'argmax', 'argmin', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'bessel_i0', 'bessel_i0e', 'bessel_i1', 'bessel_i1e', 'betainc', 'bincount', 'ceil', 'confusion_matrix', 'conj', 'cos', 'cosh', 'count_nonzero', 'cumprod', 'cumsum', 'cumulative_logsumexp', 'digamma', 'divide', 'divide_no_nan', 'equal', 'erf', 'erfc', 'exp', 'expm1', 'floor', 'floordiv', 'floormod', 'greater', 'greater_equal', 'igamma', 'igammac', 'imag', 'in_top_k', 'invert_permutation', 'is_finite', 'is_inf', 'is_nan', 'is_non_decreasing', 'is_strictly_increasing', 'l2_normalize', 'lbeta', 'less', 'less_equal', 'lgamma', 'log', 'log1p', 'log_sigmoid', 'log_softmax', 'logical_and', 'logical_not', 'logical_or', 'logical_xor', 'maximum', 'minimum', 'mod', 'multiply', 'multiply_no_nan', 'negative', 'nextafter', 'not_equal', 'polygamma', 'polyval', 'pow', 'real', 'reciprocal', 'reciprocal_no_nan', 'reduce_all', 'reduce_any', 'reduce_euclidean_norm', 'reduce_logsumexp', 'reduce_max', 'reduce_mean', 'reduce_min', 'reduce_prod', 'reduce_std', 'reduce_sum', 'reduce_variance', 'rint', 'round', 'rsqrt', 'scalar_mul', 'segment_max', 'segment_mean', 'segment_min', 'segment_prod', 'segment_sum', 'sigmoid', 'sign', 'sin', 'sinh', 'softmax', 'softplus', 'softsign', 'sqrt', 'square', 'squared_difference', 'subtract', 'tan', 'tanh', 'top_k', 'truediv', 'unsorted_segment_max', 'unsorted_segment_mean', 'unsorted_segment_min', 'unsorted_segment_prod', 'unsorted_segment_sqrt_n', 'unsorted_segment_sum', 'xdivy', 'xlogy', 'zero_fraction', 'zeta']
from headrace.math import abs as abs
from headrace.math import accumulate_n as accumulate_n
from headrace.math import acos as acos
from headrace.math import acosh as acosh
from headrace.math import add as add
from headrace.math import add_n as add_n
from headrace.math import angle as angle
argmax: Any
argmin: Any
from headrace.math import asin as asin
from headrace.math import asinh as asinh
from headrace.math import atan as atan
from headrace.math import atan2 as atan2
from headrace.math import atanh as atanh
from headrace.math import bessel_i0 as bessel_i0
from headrace.math import bessel_i0e as bessel_i0e
from headrace.math import bessel_i1 as bessel_i1
from headrace.math import bessel_i1e as bessel_i1e
from headrace.math import betainc as betainc
bincount: Any
from headrace.math import ceil as ceil
confusion_matrix: Any
from headrace.math import conj as conj
from headrace.math import cos as cos
from headrace.math import cosh as cosh
count_nonzero: Any
from headrace.math import cumprod as cumprod
from headrace.math import cumsum as cumsum
from headrace.math import cumulative_logsumexp as cumulative_logsumexp
from headrace.math import digamma as digamma
from headrace.math import divide as divide
from headrace.math import divide_no_nan as divide_no_nan
from headrace.math import equal as equal
from headrace.math import erf as erf
from headrace.math import erfc as erfc
from headrace.math import exp as exp
from headrace.math import expm1 as expm1
from headrace.math import floor as floor
from headrace.math import floordiv as floordiv
from headrace.math import floormod as floormod
from headrace.math import greater as greater
from headrace.math import greater_equal as greater_equal
from headrace.math import igamma as igamma
from headrace.math import igammac as igammac
from headrace.math import imag as imag
in_top_k: Any
from headrace.math import invert_permutation as invert_permutation
from headrace.math import is_finite as is_finite
from headrace.math import is_inf as is_inf
from headrace.math import is_nan as is_nan
from headrace.math import is_non_decreasing as is_non_decreasing
from headrace.math import is_strictly_increasing as is_strictly_increasing
l2_normalize: Any
from headrace.math import lbeta as lbeta
from headrace.math import less as less
from headrace.math import less_equal as less_equal
from headrace.math import lgamma as lgamma
from headrace.math import log as log
from headrace.math import log1p as log1p
from headrace.math import log_sigmoid as log_sigmoid
log_softmax: Any
from headrace.math import logical_and as logical_and
from headrace.math import logical_not as logical_not
from headrace.math import logical_or as logical_or
from headrace.math import logical_xor as logical_xor
from headrace.math import maximum as maximum
from headrace.math import minimum as minimum
from headrace.math import mod as mod
from headrace.math import multiply as multiply
from headrace.math import multiply_no_nan as multiply_no_nan
from headrace.math import negative as negative
from headrace.math import nextafter as nextafter
from headrace.math import not_equal as not_equal
from headrace.math import polygamma as polygamma
from headrace.math import polyval as polyval
from headrace.math import pow as pow
from headrace.math import real as real
from headrace.math import reciprocal as reciprocal
from headrace.math import reciprocal_no_nan as reciprocal_no_nan
reduce_all: Any
reduce_any: Any
from headrace.math import reduce_euclidean_norm as reduce_euclidean_norm
reduce_logsumexp: Any
reduce_max: Any
reduce_mean: Any
reduce_min: Any
reduce_prod: Any
from headrace.math import reduce_std as reduce_std
reduce_sum: Any
from headrace.math import reduce_variance as reduce_variance
from headrace.math import rint as rint
from headrace.math import round as round
from headrace.math import rsqrt as rsqrt
from headrace.math import scalar_mul as scalar_mul
from headrace.math import segment_max as segment_max
from headrace.math import segment_mean as segment_mean
from headrace.math import segment_min as segment_min
from headrace.math import segment_prod as segment_prod
from headrace.math import segment_sum as segment_sum
from headrace.math import sigmoid as sigmoid
from headrace.math import sign as sign
from headrace.math import sin as sin
from headrace.math import sinh as sinh
softmax: Any
from headrace.math import softplus as softplus
from headrace.math import softsign as softsign
from headrace.math import sqrt as sqrt
from headrace.math import square as square
from headrace.math import squared_difference as squared_difference
from headrace.math import subtract as subtract
from headrace.math import tan as tan
from headrace.math import tanh as tanh
from headrace.math import top_k as top_k
from headrace.math import truediv as truediv
from headrace.math import unsorted_segment_max as unsorted_segment_max
from headrace.math import unsorted_segment_mean as unsorted_segment_mean
from headrace.math import unsorted_segment_min as unsorted_segment_min
from headrace.math import unsorted_segment_prod as unsorted_segment_prod
from headrace.math import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from headrace.math import unsorted_segment_sum as unsorted_segment_sum
from headrace.math import xdivy as xdivy
from headrace.math import xlogy as xlogy
from headrace.math import zero_fraction as zero_fraction
from headrace.math import zeta as zeta
