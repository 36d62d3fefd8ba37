"""Sparse matrices times dense ones: SparseTensorDenseMatMul."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import merge_dim, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, numbers, rank_is, shape_text
from headrace.kernels.sparse.indices import COMPUTED_AS, sparse_input
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.typing import TensorLike


sparse_tensor_dense_mat_mul_op = op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T, *, Tindices: index = int64, adjoint_a=False, adjoint_b=False "
    "-> product: T",
)
sparse_tensor_dense_mat_mul_op.on_host("a_shape")

# Sums of bags of rows, as of embeddings, are an order of magnitude faster than torch's sparse products, and than adding
# up the rows one by one; they are made for these types.
_FAST = (torch.float32, torch.float64)


@sparse_tensor_dense_mat_mul_op.shape
def sparse_tensor_dense_mat_mul_shape(op):
    indices, values, shape, b = (t.dims for t in op.inputs)
    merge_dim(rank_is(indices, 2)[0], rank_is(values, 1)[0])
    merge_dims(rank_is(shape, 1), None)
    a = rank_is(op.constant_dims(2), 2)
    b = rank_is(b, 2)
    left, right = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    inner = a[0 if left else 1], b[1 if right else 0]
    if None not in inner and inner[0] != inner[1]:
        raise ValueError(f"Dimensions must be equal, but are {inner[0]} and {inner[1]}")
    return [(a[1 if left else 0], b[0 if right else 1])]


def _check(
    indices: torch.Tensor, values: torch.Tensor, shape: torch.Tensor, b: torch.Tensor, adjoint_a: bool, adjoint_b: bool
) -> tuple[int, int]:
    for what, value, rank, kind in (("b", b, 2, "matrix"), ("a_shape", shape, 1, "vector")):
        if value.ndim != rank:
            raise invalid(f"Tensor '{what}' is not a {kind}")
    if shape.shape[0] != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    if values.ndim != 1 or indices.ndim != 2:
        raise invalid("Tensor 'a_values' is not a vector or tensor 'a_indices' not a matrix")
    if indices.shape[0] != values.shape[0]:
        raise invalid("Number of rows of a_indices does not match number of entries in a_values")
    if indices.shape[1] != 2:
        raise invalid("Number of columns of a_indices does not match number of entries in a_shape")
    rows, columns = numbers(shape)
    inner_a, inner_b = rows if adjoint_a else columns, b.shape[1 if adjoint_b else 0]
    if inner_a != inner_b:
        raise invalid(
            f"Cannot multiply A and B because inner dimension does not match: {inner_a} vs. {inner_b}.  Did you forget a "
            f"transpose?  Dimensions of A: [{rows}, {columns}).  Dimensions of B: {shape_text(b.shape)}"
        )
    return rows, columns


def _check_range(positions: torch.Tensor, size: int, letter: str, column: int) -> None:
    if not positions.numel():
        return
    low, high = torch.aminmax(positions)
    if low < 0 or high >= size:
        first = int(((positions < 0) | (positions >= size)).nonzero()[0, 0])
        raise invalid(f"{letter} ({int(positions[first])}) from index[{first},{column}] out of bounds (>={size})")


def _order(keys: np.ndarray, height: int) -> torch.Tensor:
    """What puts keys below `height` in order, stably: by NumPy's radix sort, which is for 16 bits."""
    order = np.argsort(keys.astype(np.uint16), kind="stable")
    if height > 1 << 16:
        order = order[np.argsort((keys[order] >> 16).astype(np.uint16), kind="stable")]
    return torch.from_numpy(order)


def _bags(
    grid: np.ndarray, values: torch.Tensor, b: torch.Tensor, sizes: tuple[int, int], by: int
) -> torch.Tensor | None:
    """The product with the matrix of `sizes` or, if `by` is 1, with its transpose, on the host.

    Args:
        grid: int64 [2, n], the rows and the columns of the elements.
        by: which of the two numbers the rows of the product.

    Returns:
        the product; None if a row or column is out of bounds.
    """
    # Negative numbers are large ones without their sign.
    highest = grid.view(np.uint64).max(1).tolist()
    if highest[0] >= sizes[0] or highest[1] >= sizes[1]:
        return None
    height, keys, others = sizes[by], grid[by], torch.from_numpy(grid[1 - by])
    if not (keys[1:] >= keys[:-1]).all():
        order = _order(keys, height)
        others, values = others.index_select(0, order), values.index_select(0, order)
        keys = keys.take(order.numpy())
    # A row of the product is the weighted sum of a bag of rows of b.
    begins = torch._convert_indices_from_coo_to_csr(torch.from_numpy(keys), height)
    return torch.embedding_bag(b.contiguous(), others, begins, False, 0, False, values, True)[0]


def _product(
    rows: torch.Tensor, columns: torch.Tensor, values: torch.Tensor, b: torch.Tensor, height: int
) -> torch.Tensor:
    dtype = values.dtype
    wider = COMPUTED_AS.get(dtype, dtype)
    picked = b.to(wider).index_select(0, columns) * values.to(wider)[:, None]
    return picked.new_zeros((height, b.shape[1])).index_add_(0, rows, picked).to(dtype)


@sparse_tensor_dense_mat_mul_op.kernel
def sparse_tensor_dense_mat_mul_kernel(node):
    adjoint_a, adjoint_b = node.attrs["adjoint_a"], node.attrs["adjoint_b"]
    is_complex = node.inputs[1].dtype.is_complex
    fast = node.inputs[1].dtype.torch in _FAST
    asked = direct_call("sparse_times_dense") if fast and not adjoint_b else None

    def multiply(indices, values, shape, b):
        height, width = _check(indices, values, shape, b, adjoint_a, adjoint_b)
        product = asked and asked(indices, values, b, height, width, adjoint_a)
        if product is not None:
            return product
        on_host = values.is_cpu and indices.is_cpu and b.is_cpu
        if fast and on_host and values.numel() and b.numel() and max(height, width) < 1 << 32:
            grid = np.ascontiguousarray(indices.numpy().T, np.int64)
            product = _bags(grid, values, b.mT if adjoint_b else b, (height, width), int(adjoint_a))
            if product is not None:
                return product
        rows, columns = (column.contiguous() for column in indices.long().unbind(1))
        _check_range(rows, height, "k" if adjoint_a else "m", 0)
        _check_range(columns, width, "m" if adjoint_a else "k", 1)
        if adjoint_a:
            # Complex values are not conjugated here, whatever the name says: TensorFlow 1.15 does not.
            rows, columns, height = columns, rows, width
        if adjoint_b:
            b = b.mH.resolve_conj() if is_complex else b.mT
        return _product(rows, columns, values, b, height)

    return multiply


@sparse_tensor_dense_mat_mul_op.gradient
def sparse_tensor_dense_mat_mul_gradient(op, grad):
    """d(A b): A' grad for b; for each stored element of A the product of its row of grad and its column's row of b."""
    indices, values, shape, b = op.inputs
    left, right = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    if values.dtype.is_complex:
        raise NotImplementedError(
            "SparseTensorDenseMatMul has no gradient for complex types: multiply real and imaginary parts instead."
        )
    of_b = raw.SparseTensorDenseMatMul(indices, values, shape, grad, adjoint_a=not left)
    if right:
        of_b = composing.transpose(of_b)
    rows, columns = indices[:, 0], indices[:, 1]
    of_rows = composing.gather(grad, columns if left else rows)
    of_columns = composing.gather(composing.transpose(b) if right else b, rows if left else columns)
    return [None, raw.Sum(of_rows * of_columns, 1), None, of_b]


sparse_tensor_dense_mat_mul_op.accepts(
    np.array([[0, 1], [2, 0]]), np.array([1.0, 2.0]), np.array([3, 2]), np.ones([2, 4])
).rejects(np.array([[0, 5]]), np.array([1.0]), np.array([3, 2]), np.ones([2, 4]), error=InvalidArgumentError)


def sparse_tensor_dense_matmul(
    sp_a: SparseTensor, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse matrix and a dense one.

    Args:
        sp_a: a SparseTensor [r, k].
        b: a matrix [k, c] of the same type.
        adjoint_a, adjoint_b: take the transpose of the matrix, of `b` the conjugate one.
        name: a name scope.

    Returns:
        a dense matrix [r, c].

    Raises:
        TypeError: if `sp_a` is not sparse.
        ValueError: if shapes are known not to fit.
        InvalidArgumentError: when run, if they do not fit or an index is out of bounds.

    Example:
        >>> x = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
        >>> tf.Session().run(tf.sparse.matmul(x, [[1.0], [3.0]]))
        array([[6.],
               [0.]], dtype=float32)
    """
    sp_a = sparse_input(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, sp_a.values, b]):
        b = convert_to_tensor(b, name="b")
        return raw.SparseTensorDenseMatMul(
            sp_a.indices, sp_a.values, sp_a.dense_shape, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
        )
