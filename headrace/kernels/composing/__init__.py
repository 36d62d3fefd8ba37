"""The few functions that gradients and composed functions of every family are put together from.

They declare nothing. Each makes the operations, under the names, that the public function of the same name makes in
TensorFlow 1.15: what is known while the graph is built becomes a constant. Most are those public functions.
"""

from headrace.kernels.composing.arithmetic import cast, conj, matmul
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat, gather, matrix_transpose, stack, transpose
from headrace.kernels.composing.filling import ones, ones_like, zeros, zeros_like
from headrace.kernels.composing.shapes import all_axes, expand_dims, rank, shape, size, squeeze

__all__ = [
    "all_axes",
    "cast",
    "concat",
    "conj",
    "expand_dims",
    "gather",
    "matmul",
    "matrix_transpose",
    "ones",
    "ones_like",
    "range_",
    "rank",
    "shape",
    "size",
    "squeeze",
    "stack",
    "transpose",
    "zeros",
    "zeros_like",
]
