"""Sums with sparse tensors: SparseAdd with its gradient, SparseTensorDenseAdd."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor, is_sparse
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import broadcast_dims
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import Lowering, NativeBuilder
from headrace.core.registry import op, raw
from headrace.core.shapes import TensorShape
from headrace.kernels.array.arguments import invalid, numbers, rank_is, shape_text
from headrace.kernels.native import integers, known
from headrace.kernels.renamed_arguments import first_given
from headrace.kernels.sparse.indices import COMPUTED_AS, row_keys, sparse_input, wholly_on_host
from headrace.kernels.sparse.operands import check_operands, is_in_order, met, union_of_rows

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import NodeView


sparse_add_op = wholly_on_host(
    op(
        "SparseAdd",
        "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, thresh: Treal, *, "
        "T: numeric, Treal: realnumeric -> sum_indices: int64, sum_values: T, sum_shape: int64",
    )
)


@sparse_add_op.shape
def sparse_add_shape(op):
    shape = rank_is(op.inputs[2].dims, 1)
    return [(None, shape[0]), (None,), shape]


@sparse_add_op.kernel
def sparse_add_kernel(node):
    dtype = node.inputs[1].dtype.torch
    wider = COMPUTED_AS.get(dtype, dtype)

    def add(a_indices, a_values, a_shape, b_indices, b_values, b_shape, threshold):
        check_operands((a_indices, a_values, a_shape), (b_indices, b_values, b_shape))
        if threshold.ndim:
            raise invalid(f"The magnitude threshold must be a scalar: got shape {shape_text(threshold.shape)}")
        rows, which = union_of_rows(a_indices, b_indices)
        values = torch.cat((a_values, b_values)).to(wider)
        total = torch.zeros(rows.shape[0], dtype=wider).index_add_(0, which, values).to(dtype)
        # What only one of them stores is kept whatever its size.
        least = threshold.to(COMPUTED_AS.get(threshold.dtype, threshold.dtype))
        if not least.item() > 0:
            return rows, total, a_shape.clone()
        small = total.to(wider).abs() < least
        small &= torch.bincount(which, minlength=rows.shape[0]) > 1
        if bool(small.any()):
            rows, total = rows[~small], total[~small]
        return rows, total, a_shape.clone()

    return add


@sparse_add_op.gradient
def sparse_add_gradient(op, _, grad, __):
    of_a, of_b = raw.SparseAddGrad(grad, op.inputs[0], op.inputs[3], op.outputs[0])
    of_a.set_shape(op.inputs[1].dims)
    of_b.set_shape(op.inputs[4].dims)
    return [None, of_a, None, None, of_b, None, None]


_PARTS = (np.array([[0, 1]]), np.array([1.0]), np.array([1, 2]))
sparse_add_op.accepts(*_PARTS, *_PARTS, np.float64(0)).rejects(
    *_PARTS, *_PARTS[:2], np.array([1, 3]), np.float64(0), error=InvalidArgumentError
)

sparse_add_grad_op = op(
    "SparseAddGrad",
    "backprop_val_grad: T, a_indices: int64, b_indices: int64, sum_indices: int64, *, T: numeric -> a_val_grad: T, "
    "b_val_grad: T",
)
sparse_add_grad_op.not_differentiable()


@sparse_add_grad_op.shape
def sparse_add_grad_shape(op):
    rank_is(op.inputs[3].dims, 2)
    return [(rank_is(op.inputs[1].dims, 2)[0],), (rank_is(op.inputs[2].dims, 2)[0],)]


@sparse_add_grad_op.kernel
def sparse_add_grad_kernel(node):
    def back(grad, a_indices, b_indices, sum_indices):
        if any(indices.ndim != 2 for indices in (a_indices, b_indices, sum_indices)):
            raise invalid("a_indices, b_indices and sum_indices should be matrices")
        if grad.shape != sum_indices.shape[:1]:
            raise invalid(
                f"# rows of sum_indices should be # of elements of backprop_val_grad: {shape_text(sum_indices.shape)}, "
                f"{shape_text(grad.shape)}"
            )
        if not a_indices.shape[1] == b_indices.shape[1] == sum_indices.shape[1]:
            raise invalid("The densified operands should have the same ndims.")
        *operands, there = row_keys(a_indices, b_indices, sum_indices)
        if not there.shape[0]:
            return tuple(grad.new_zeros(keys.shape[0]) for keys in operands)
        if not all(map(is_in_order, (*operands, there))):
            return tuple(_taken(grad, met(keys.tolist(), there.tolist())) for keys in operands)
        results = []
        for keys in operands:
            if keys.shape == there.shape and torch.equal(keys, there):
                results.append(grad.clone())
                continue
            # An element whose sum was too small to be kept has no gradient.
            at = torch.searchsorted(there, keys.contiguous()).clamp_(max=there.shape[0] - 1)
            missing = there.index_select(0, at).ne_(keys).bool()
            results.append(grad.index_select(0, at).masked_fill_(missing, 0))
        return tuple(results)

    return back


def _taken(grad: torch.Tensor, places: list[int]) -> torch.Tensor:
    """The gradients at some places, 0 at those of -1."""
    at = torch.tensor(places, dtype=torch.int64)
    return grad.index_select(0, at.clamp(min=0)).masked_fill_(at < 0, 0)


sparse_add_grad_op.accepts(np.array([1.0]), np.array([[0, 1]]), np.array([[0, 1]]), np.array([[0, 1]]))

sparse_tensor_dense_add_op = op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T, *, T: numeric, Tindices: index -> output: T",
).on_host("a_shape")


@sparse_tensor_dense_add_op.shape
def sparse_tensor_dense_add_shape(op):
    return [op.inputs[3].dims]


@sparse_tensor_dense_add_op.kernel
def sparse_tensor_dense_add_kernel(node):
    dtype = node.inputs[1].dtype.torch
    wider = COMPUTED_AS.get(dtype, dtype)

    def add(indices, values, shape, b):
        if indices.ndim != 2 or values.ndim != 1 or indices.shape[0] != values.shape[0]:
            raise invalid(
                "Input a_indices should be a matrix with a row for each of the vector a_values but received shapes: "
                f"{shape_text(indices.shape)}, {shape_text(values.shape)}"
            )
        sizes = numbers(shape)
        if indices.shape[1] != len(sizes) or b.ndim != len(sizes):
            raise invalid(f"Two operands have different ranks; received: {len(sizes)} and {b.ndim}")
        for i, (one, other) in enumerate(zip(sizes, b.shape)):
            if one != other:
                raise invalid(
                    f"Dimension {i} does not equal (no broadcasting is supported): sparse side {one} vs dense side {other}"
                )
        if not sizes:
            return (b.to(wider) + values.to(wider).sum(dtype=wider)).to(dtype)
        if not indices.shape[0]:
            return b.clone()
        indices = indices.long()
        lowest, highest = torch.aminmax(indices)
        # Every dimension is asked only where one may be wrong.
        if int(lowest) < 0 or int(highest) >= min(sizes):
            _check_indices(indices, b)
        at = indices[:, 0]
        for place in range(1, len(sizes)):
            at = torch.add(indices[:, place], at, alpha=sizes[place])
        return b.to(wider).reshape(-1).scatter_add(0, at, values.to(wider)).view(b.shape).to(dtype)

    return add


def _check_indices(indices: torch.Tensor, b: torch.Tensor) -> None:
    bad = ((indices < 0) | (indices >= torch.tensor(b.shape, device=indices.device))).any(0)
    if bool(bad.any()):
        raise invalid(
            f"Sparse tensor has some invalid index on dimension {int(bad.nonzero()[-1])}; dense tensor shape: "
            f"{shape_text(b.shape)}"
        )


@sparse_tensor_dense_add_op.native
def sparse_tensor_dense_add_native(node: NodeView) -> Lowering | None:
    """For a dense side of sizes that are known, and are those of the sparse one."""
    sizes, dims, rows = integers(node, 2), known(node.inputs[3].dims), node.inputs[0].dims
    if not sizes or dims is None or sizes != list(dims) or rows is None or rows[1:] != (len(sizes),):
        return None
    if node.inputs[1].dims is None or len(node.inputs[1].dims) != 1:
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        indices, values, _, dense = inputs
        return b.apply("add", [dense, *b.apply("scatter_nd", [values, indices], sizes)])

    return lower


@sparse_tensor_dense_add_op.gradient
def sparse_tensor_dense_add_gradient(op, grad):
    return [None, raw.GatherNd(grad, op.inputs[0]), None, grad]


sparse_tensor_dense_add_op.accepts(np.array([[0, 1]]), np.array([1.0]), np.array([1, 2]), np.ones([1, 2])).rejects(
    np.array([[0, 9]]), np.array([1.0]), np.array([1, 2]), np.ones([1, 2]), error=InvalidArgumentError
)


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """The sum of two sparse tensors, or of a sparse and a dense one.

    Args:
        a, b: SparseTensors of one shape with their elements in order, or one such and a dense tensor of its shape.
        threshold: a real scalar: sums of two elements whose magnitude is less are left out; 0 keeps all.
        thresh: the older name of `threshold`.

    Returns:
        a SparseTensor if both are sparse, else a dense tensor.

    Raises:
        TypeError: if neither is sparse.
        InvalidArgumentError: when run, if the shapes differ.

    Example:
        >>> x = tf.SparseTensor([[0, 1]], [2.0], [1, 2])
        >>> tf.Session().run(tf.sparse.add(x, [[1.0, 1.0]]))
        array([[1., 3.]], dtype=float32)
    """
    threshold = first_given("threshold", threshold, "thresh", thresh)
    threshold = 0 if threshold is None else threshold
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (is_sparse(a) and is_sparse(b)):
        sparse, dense = (a, b) if is_sparse(a) else (b, a)
        return raw.SparseTensorDenseAdd(sparse.indices, sparse.values, sparse.dense_shape, dense)
    a, b = sparse_input(a), sparse_input(b)
    threshold = convert_to_tensor(threshold, dtype=_real(a.values.dtype), name="threshold")
    indices, values, shape = raw.SparseAdd(
        a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, threshold
    )
    a.shape.assert_is_compatible_with(b.shape)
    static = TensorShape.from_dims(broadcast_dims(a.shape.as_dims, b.shape.as_dims))
    return SparseTensor(indices, values, static.as_list() if static.is_fully_defined() else shape)


def _real(dtype: DType) -> DType:
    return as_dtype({"complex64": "float32", "complex128": "float64"}.get(dtype.base_dtype.name, dtype.base_dtype))
