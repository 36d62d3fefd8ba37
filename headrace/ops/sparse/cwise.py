"""Element by element: SparseDenseCwiseAdd/Mul/Div, SparseSparseMaximum/Minimum, SparseSoftmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import GradientRule, OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, numbers, rank_is, shape_text
from headrace.kernels.ranks import ranked
from headrace.kernels.sparse.indices import COMPUTED_AS, check_parts, numbered, row_keys, sorting, wholly_on_host
from headrace.kernels.sparse.operands import check_operands, union_of_rows


def _divided(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if x.is_floating_point() or x.is_complex():
        return x / y
    if bool((y == 0).any()):
        raise invalid("Integer division by zero")
    return torch.div(x, y, rounding_mode="trunc")


def _dense_at(indices: torch.Tensor, sizes: list[int], dense: torch.Tensor) -> torch.Tensor:
    """The elements that index vectors over axes of `sizes` meet in `dense`, broadcast to them."""
    shape, extra = tuple(dense.shape), len(sizes) - dense.ndim
    if extra < 0 or any(own not in (1, size) for own, size in zip(shape, sizes[extra:])):
        raise invalid(
            f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {shape_text(sizes)} vs. "
            f"{shape_text(shape)}"
        )
    if indices.is_cpu and indices.shape[1]:
        # Negative numbers are large ones without their sign.
        highest = np.ascontiguousarray(indices.numpy().T).view(np.uint64).max(1, initial=0).tolist()
        outside = indices.shape[0] > 0 and any(most >= size for most, size in zip(highest, sizes))
    else:
        limits = torch.tensor(sizes, dtype=torch.int64, device=indices.device)
        outside = bool(((indices < 0) | (indices >= limits)).any())
    if outside:
        raise invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
    columns = indices.unbind(1)[extra:]
    where = tuple(torch.zeros_like(c) if own == 1 else c for own, c in zip(shape, columns))
    return dense[where] if where else dense.expand(indices.shape[0])


_Computed = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def _declare_with_dense(op_type: str, compute: _Computed) -> OpDecl:
    decl = op(
        op_type,
        "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T, *, T: numeric -> output: T",
    ).on_host("sp_shape")

    @decl.shape
    def shape(op):
        return [(rank_is(op.inputs[0].dims, 2)[0],)]

    @decl.kernel
    def kernel(node):
        dtype = node.inputs[1].dtype.torch
        wider = COMPUTED_AS.get(dtype, dtype)

        def run(indices, values, shape, dense):
            check_parts(indices, values, shape)
            met = _dense_at(indices, numbers(shape), dense.to(wider))
            return compute(values.to(wider), met).to(dtype)

        return run

    parts = (np.array([[0, 1]]), np.array([1.0]), np.array([1, 2]))
    return (
        decl.accepts(*parts, np.ones([1, 2]))
        .accepts(*parts, np.float64(2))
        .rejects(*parts, np.ones([3, 2]), error=InvalidArgumentError)
    )


dense_add_op = _declare_with_dense("SparseDenseCwiseAdd", torch.add)
dense_mul_op = _declare_with_dense("SparseDenseCwiseMul", torch.mul)
dense_div_op = _declare_with_dense("SparseDenseCwiseDiv", _divided)


def _no_gradient(instead: str) -> GradientRule:
    def gradient(op: Operation, *grads: Tensor) -> NoReturn:
        raise NotImplementedError(f"Gradient for {op.type} is not implemented (nor is it in 1.x): {instead}.")

    return gradient


dense_add_op.gradient(_no_gradient("use tf.sparse.add"))


def _gradient_with_dense(of_both: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]) -> GradientRule:
    """The gradient rule of an op with a dense operand.

    Args:
        of_both: from the gradient, the stored elements and the dense elements that they met to the gradients of these.
    """

    def gradient(op: Operation, grad: Tensor) -> list[Tensor | None]:
        """Each stored element has its own gradient; those that met one dense element are added up for it."""
        indices, values, shape, dense = op.inputs
        dense_shape = composing.cast(composing.shape(dense), int64)
        added = composing.expand_dims(composing.size(shape) - composing.size(dense_shape), 0)
        full_shape = raw.ConcatV2([composing.ones(added, int64), dense_shape], 0, name="concat")
        scale = shape // full_shape
        met = indices // scale
        met = raw.Slice(met, raw.ConcatV2([[0], added], 0, name="concat"), [-1, -1])
        there = raw.GatherNd(dense, met)
        of_values, of_dense = of_both(grad, values, there)
        # Places repeat where the dense operand was broadcast.
        spread = raw.SparseTensorDenseAdd(met, of_dense, dense_shape, composing.zeros_like(dense))
        return [None, of_values, None, spread]

    return gradient


dense_mul_op.gradient(_gradient_with_dense(lambda grad, x, y: (grad * y, grad * x)))
dense_div_op.gradient(_gradient_with_dense(lambda grad, x, y: (grad / y, grad * (-x / raw.Square(y)))))


def _declare_extreme(op_type: str, types: str, compute: _Computed) -> OpDecl:
    decl = wholly_on_host(
        op(
            op_type,
            "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64, *, "
            f"T: {types} -> output_indices: int64, output_values: T",
        )
    )

    @decl.shape
    @ranked(2, 1, 1, 2, 1, 1)
    def shape(op):
        return [(None, None), (None,)]

    @decl.kernel
    def kernel(node):
        dtype = node.inputs[1].dtype.torch
        wider = COMPUTED_AS.get(dtype, dtype)

        def run(a_indices, a_values, a_shape, b_indices, b_values, b_shape):
            check_operands((a_indices, a_values, a_shape), (b_indices, b_values, b_shape))
            rows, which = union_of_rows(a_indices, b_indices)
            # What one of them does not store is 0.
            operands = []
            for places, values in zip(which.split([a_values.shape[0], b_values.shape[0]]), (a_values, b_values)):
                operand = torch.zeros(rows.shape[0], dtype=wider)
                operand[places] = values.to(wider)
                operands.append(operand)
            return rows, compute(*operands).to(dtype)

        return run

    decl.gradient(_no_gradient("make the operands dense with tf.sparse.to_dense"))
    parts = (np.array([[0, 1]]), np.array([1.0]), np.array([1, 2]))
    return decl.accepts(*parts, *parts).rejects(*parts, *parts[:2], np.array([1, 3]), error=InvalidArgumentError)


maximum_op = _declare_extreme("SparseSparseMaximum", "realnumeric", torch.maximum)
minimum_op = _declare_extreme("SparseSparseMinimum", "numeric", torch.minimum)

sparse_softmax_op = op(
    "SparseSoftmax", "sp_indices: int64, sp_values: T, sp_shape: int64, *, T: {float, double} -> output: T"
).on_host("sp_shape")


@sparse_softmax_op.shape
@ranked(2, 1, 1)
def sparse_softmax_shape(op):
    rank_is(op.inputs[0].dims, 2)
    return [rank_is(op.inputs[1].dims, 1)]


@sparse_softmax_op.kernel
def sparse_softmax_kernel(node):
    def softmax(indices, values, shape):
        check_parts(indices, values, shape)
        if shape.shape[0] < 2:
            raise invalid(f"Input should have rank >= 2, but received shape: {', '.join(map(str, shape.tolist()))}")
        if not values.shape[0]:
            return values.clone()
        order = sorting(row_keys(indices)[0])
        if order is not None:
            # TensorFlow sorts the elements, and gives them in that order whatever the order of their places.
            indices, values = indices.index_select(0, order), values.index_select(0, order)
        first, row = numbered(row_keys(indices[:, :-1])[0])
        greatest = torch.full(first.shape, -torch.inf, dtype=values.dtype, device=values.device)
        greatest.scatter_reduce_(0, row, values, "amax")
        powers = torch.exp(values - greatest.index_select(0, row))
        sums = torch.zeros_like(greatest).index_add_(0, row, powers)
        return powers / sums.index_select(0, row)

    return softmax


@sparse_softmax_op.gradient
def sparse_softmax_gradient(op, grad):
    """As for a dense softmax, grad s - sum(grad s) s, over the stored elements."""
    indices, shape, out = op.inputs[0], op.inputs[2], op.outputs[0]
    softmax, of_softmax = SparseTensor(indices, out, shape), SparseTensor(indices, grad, shape)
    product = SparseTensor(indices, softmax.values * of_softmax.values, shape)
    total = -raw.SparseReduceSum(product.indices, product.values, product.dense_shape, [-1], keep_dims=True)
    centred = raw.SparseDenseCwiseAdd(of_softmax.indices, of_softmax.values, of_softmax.dense_shape, total)
    centred = SparseTensor(of_softmax.indices, centred, of_softmax.dense_shape)
    return [None, centred.values * softmax.values, None]


sparse_softmax_op.accepts(np.array([[0, 1], [0, 2]]), np.array([1.0, 2.0]), np.array([1, 3])).rejects(
    np.array([[0]]), np.array([1.0]), np.array([3]), error=InvalidArgumentError
)


def sparse_softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """Softmax over the stored elements of each innermost row; what is not stored counts as minus infinity.

    Args:
        sp_input: a SparseTensor of float32 or float64 and rank 2 or more, its elements in order: as in TensorFlow, the
            values that come are in row-major order of the places even if the places are not (see `tf.sparse.reorder`).
        name: a name scope.

    Returns:
        a SparseTensor with the same places.

    Raises:
        InvalidArgumentError: when run, if its rank is less than 2.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [0, 2]], [1.0, 1.0], [1, 3])
        >>> tf.Session().run(tf.sparse.softmax(x)).values
        array([0.5, 0.5], dtype=float32)
    """
    with name_scope(name, "SparseSoftmax", [sp_input.indices, sp_input.values]):
        values = raw.SparseSoftmax(sp_input.indices, sp_input.values, sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _extreme(apply: OpDecl, short_name: str, word: str, example: str) -> Callable[..., SparseTensor]:
    def extreme(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
        parts = [sp_a.indices, sp_a.values, sp_b.indices, sp_b.values]
        with name_scope(name, apply.type, parts) as scope:
            indices, values = apply(
                sp_a.indices, sp_a.values, sp_a.dense_shape, sp_b.indices, sp_b.values, sp_b.dense_shape, name=scope
            )
        return SparseTensor(indices, values, sp_a.dense_shape)

    extreme.__name__ = extreme.__qualname__ = f"sparse_{short_name}"
    extreme.__doc__ = f"""The {word} of each two elements, of which those not stored are 0.

    Args:
        sp_a, sp_b: SparseTensors of one type and shape.
        name: a name for the operation.

    Returns:
        a SparseTensor with all places of both.

    Raises:
        InvalidArgumentError: when run, if the shapes differ.

    Example:
        >>> x, y = tf.SparseTensor([[0]], [-1.0], [2]), tf.SparseTensor([[1]], [3.0], [2])
        >>> tf.Session().run(tf.sparse.{short_name}(x, y)).values
        array([{example}], dtype=float32)
    """
    return extreme


sparse_maximum = _extreme(maximum_op, "maximum", "greater", "0., 3.")
sparse_minimum = _extreme(minimum_op, "minimum", "lesser", "-1.,  0.")
