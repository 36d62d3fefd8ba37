"""Which inputs a locally connected layer connects to which outputs, and the products over these connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.registry import raw
from headrace.functions.math.reduction import reduce_prod
from headrace.keras.utils.conv_utils import conv_kernel_mask
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.state.variables import Variable


def get_locallyconnected_mask(
    input_shape: Sequence[int], kernel_shape: Sequence[int], strides: Sequence[int], padding: str, data_format: str
) -> np.ndarray:
    """`conv_kernel_mask` with axes for the channels of inputs and outputs, which are all connected.

    Raises:
        ValueError: for an unknown layout.
    """
    mask = conv_kernel_mask(input_shape, kernel_shape, strides, padding)
    rank = len(input_shape)
    if data_format == "channels_first":
        return np.expand_dims(mask, (0, rank + 1))
    if data_format == "channels_last":
        return np.expand_dims(mask, (rank, 2 * rank + 1))
    raise ValueError(f"Unrecognized data_format: {data_format}")


def make_2d(tensor: Any, split_dim: int) -> Tensor:
    """The tensor as a matrix: the axes before `split_dim` are its rows, the others its columns."""
    sizes = shape(tensor)
    before, behind = sizes[:split_dim], sizes[split_dim:]
    return reshape(tensor, [reduce_prod(before), reduce_prod(behind)])


def local_conv_matmul(
    inputs: Any, kernel: Variable, kernel_mask: np.ndarray, output_shape: Sequence[int | None]
) -> Tensor:
    """The layer as one product with a matrix that is 0 where nothing is connected.

    Args:
        inputs: [batch, ...].
        kernel: the weights between all inputs and outputs.
        kernel_mask: 1 where they are connected, else 0.
        output_shape: that of the outputs.
    """
    flat = reshape(inputs, (shape(inputs)[0], -1))
    matrix = make_2d(kernel_mask * kernel, split_dim=len(kernel.shape) // 2)
    # Most of the matrix is 0.
    outputs = raw.SparseMatMul(flat, matrix, b_is_sparse=True)
    return reshape(outputs, [shape(outputs)[0], *list(output_shape)[1:]])


def local_conv_sparse_matmul(
    inputs: Any,
    kernel: Variable,
    kernel_idxs: list[tuple[int, int]],
    kernel_shape: tuple[int, int],
    output_shape: Sequence[int | None],
) -> Tensor:
    """The layer as a product with a sparse matrix.

    Args:
        inputs: [batch, ...].
        kernel: the weights of the connections, a vector.
        kernel_idxs: the connections, pairs (output, input).
        kernel_shape: (number of outputs, number of inputs).
        output_shape: that of the outputs.
    """
    flat = reshape(inputs, (shape(inputs)[0], -1))
    # The op itself, not the function of sparse tensors: its operations are named as in 1.15.
    outputs = raw.SparseTensorDenseMatMul(kernel_idxs, kernel, kernel_shape, flat, adjoint_b=True)
    outputs = transpose(outputs, perm=[1, 0])
    return reshape(outputs, [shape(outputs)[0], *list(output_shape)[1:]])
