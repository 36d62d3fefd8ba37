"""Matrix products: MatMul, BatchMatMul, SparseMatMul; `tf.matmul`, which chooses among them, is in `composing`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.defaults import name_scope
from headrace.core.dims import Dims, is_fully_defined, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.multiply_adds import matrix_product
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.devices.large_products import large_product, turned_product
from headrace.kernels import composing
from headrace.kernels.composing import matmul
from headrace.kernels.math.elementwise import broadcast_or_raise
from headrace.kernels.math.turned_products import product_of_turned
from headrace.kernels.native import known

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, OpView, TensorLike


_TYPES = "{bfloat16, half, float, double, int32, int64, complex64, complex128}"


def _matrix(dims: Dims) -> tuple[int | None, int | None]:
    if dims is None:
        return None, None
    if len(dims) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
    return dims[0], dims[1]


def _product(rows: int | None, inner_a: int | None, inner_b: int | None, columns: int | None) -> Dims:
    if inner_a is not None and inner_b is not None and inner_a != inner_b:
        raise ValueError(f"Dimensions must be equal, but are {inner_a} and {inner_b}")
    return rows, columns


def matmul_shape(op: OpView) -> list[Dims]:
    a, b = _matrix(op.inputs[0].dims), _matrix(op.inputs[1].dims)
    if op.attrs["transpose_a"]:
        a = a[::-1]
    if op.attrs["transpose_b"]:
        b = b[::-1]
    return [_product(*a, *b)]


def _fits(node: NodeView) -> bool:
    """Whether both are known to be matrices whose inner sizes are the same."""
    a, b = node.inputs[0].dims, node.inputs[1].dims
    if a is None or b is None or len(a) != 2 or len(b) != 2:
        return False
    inner = a[0 if node.attrs["transpose_a"] else 1]
    return inner is not None and inner == b[1 if node.attrs["transpose_b"] else 0]


matmul_op = (
    op("MatMul", f"a: T, b: T, *, transpose_a=False, transpose_b=False, T: {_TYPES} -> product: T")
    .never_fails()
    .work(matrix_product())
)
matmul_op.fresh().shape(matmul_shape)


@matmul_op.equal_sizes
def matmul_sizes(node: NodeView, sizes: Any) -> None:
    a, b, c = (sizes.of(value) for value in (*node.inputs, node.outputs[0]))
    if a is None or b is None or c is None or not len(a) == len(b) == len(c) == 2:
        return
    rows, inner = reversed(a) if node.attrs["transpose_a"] else a
    met, columns = reversed(b) if node.attrs["transpose_b"] else b
    sizes.same(rows, c[0])
    sizes.same(columns, c[1])
    sizes.same(inner, met)


@matmul_op.kernel
def matmul_kernel(node):
    """The bare torch function where the sizes are known to fit, else one that explains what does not."""
    transpose_a, transpose_b = node.attrs["transpose_a"], node.attrs["transpose_b"]
    mm = torch.mm
    if transpose_a and transpose_b:

        def product(a, b):
            return mm(a.t(), b.t())
    elif transpose_a:

        def product(a, b):
            return mm(a.t(), b)
    elif transpose_b:

        def product(a, b):
            return mm(a, b.t())
    else:
        product = mm
    if _fits(node):
        return product

    def checked(a, b):
        try:
            return product(a, b)
        except RuntimeError:
            _explain(a, b, transpose_a, transpose_b)
            raise

    return checked


@matmul_op.kernel_on("cpu")
def matmul_kernel_on_cpu(node):
    """The runner's product of a turned matrix, or oneDNN's, where that is worth it, else the generic kernel."""
    transpose_a, transpose_b = node.attrs["transpose_a"], node.attrs["transpose_b"]
    if transpose_a and not transpose_b:
        generic = matmul_kernel(node)
        return product_of_turned(node, turned_product(node, generic) or generic)
    large = large_product(node) if _fits(node) and not transpose_a else None
    if large is None:
        return matmul_kernel(node)
    return lambda a, b: large(a, b.t() if transpose_b else b, None)


def _explain(a: torch.Tensor, b: torch.Tensor, transpose_a: bool, transpose_b: bool) -> None:
    for which, x in (("0", a), ("1", b)):
        if x.dim() != 2:
            raise InvalidArgumentError(None, None, f"In[{which}] is not a matrix. Instead it has shape {_text(x)}")
    if a.shape[0 if transpose_a else 1] != b.shape[1 if transpose_b else 0]:
        raise InvalidArgumentError(None, None, f"Matrix size-incompatible: In[0]: {_text(a)}, In[1]: {_text(b)}")


def _text(x: torch.Tensor) -> str:
    return "[" + ",".join(str(n) for n in x.shape) + "]"


@matmul_op.gradient
def matmul_gradient(op, grad):
    transpose_a, transpose_b = op.attrs["transpose_a"], op.attrs["transpose_b"]
    a, b = composing.conj(op.inputs[0]), composing.conj(op.inputs[1])
    if transpose_a:
        grad_a = raw.MatMul(b, grad, transpose_a=transpose_b, transpose_b=True)
    else:
        grad_a = raw.MatMul(grad, b, transpose_b=not transpose_b)
    if transpose_b:
        grad_b = raw.MatMul(grad, a, transpose_a=True, transpose_b=transpose_a)
    else:
        grad_b = raw.MatMul(a, grad, transpose_a=not transpose_a)
    return [grad_a, grad_b]


matmul_op.accepts([2, 3], [3, 4]).accepts([3, 2], [4, 3], transpose_a=True, transpose_b=True).accepts([2, 0], [0, 4])
matmul_op.rejects([2, 3], [2, 3], error=ValueError, match="must be equal").rejects([2], [2, 3], error=ValueError)

sparse_matmul_op = op(
    "SparseMatMul",
    "a: Ta, b: Tb, *, transpose_a=False, transpose_b=False, a_is_sparse=False, b_is_sparse=False, "
    "Ta: {float, bfloat16} = float, Tb: {float, bfloat16} = float -> product: float",
)
sparse_matmul_op.shape(matmul_shape)


@sparse_matmul_op.kernel
def sparse_matmul_kernel(node):
    """The product as if nothing were sparse: that many zeros are only a promise of speed."""
    dense = matmul_kernel(node)
    if all(value.dtype.name == "float32" for value in node.inputs):
        return dense
    return lambda a, b: dense(a.float(), b.float())


@sparse_matmul_op.gradient
def sparse_matmul_gradient(op, grad):
    a, b = op.inputs
    transpose_a, transpose_b = op.attrs["transpose_a"], op.attrs["transpose_b"]
    sparse = {id(a): op.attrs["a_is_sparse"], id(b): op.attrs["b_is_sparse"], id(grad): grad._op.type == "ReluGrad"}

    def product(x: Tensor, y: Tensor, dtype: DType, transpose_x: bool = False, transpose_y: bool = False) -> Tensor:
        x_sparse, y_sparse = sparse[id(x)], sparse[id(y)]
        if transpose_y:
            y = composing.transpose(y)
        result = matmul(x, y, transpose_a=transpose_x, a_is_sparse=x_sparse, b_is_sparse=y_sparse)
        return composing.cast(result, dtype)

    if transpose_a:
        grad_a = product(b, grad, a.dtype, transpose_b, True)
    else:
        grad_a = product(grad, b, a.dtype, False, not transpose_b)
    if transpose_b:
        grad_b = product(grad, a, b.dtype, True, transpose_a)
    else:
        grad_b = product(a, grad, b.dtype, not transpose_a, False)
    return [grad_a, grad_b]


sparse_matmul_op.accepts([2, 3], [3, 4], a_is_sparse=True).rejects([2, 3], [2, 3], error=ValueError)


def _batch_parts(op: Any) -> list[tuple[tuple[int | None, ...] | None, tuple[int | None, int | None]]]:
    """Batch sizes, then rows and columns, of both inputs; None where a rank is unknown."""
    parts = []
    for tensor, flag in zip(op.inputs, ("adj_x", "adj_y"), strict=True):
        dims = tensor.dims
        if dims is not None and len(dims) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
        matrix = (None, None) if dims is None else dims[-2:]
        parts.append((None if dims is None else dims[:-2], matrix[::-1] if op.attrs[flag] else matrix))
    return parts


def _batch_shape(join: Callable[..., Any]) -> Callable[..., Any]:
    def rule(op: Operation) -> list[Dims]:
        (x_batch, x), (y_batch, y) = _batch_parts(op)
        batch = join(x_batch, y_batch)
        matrix = _product(*x, *y)
        return [None if batch is None or matrix is None else (*batch, *matrix)]

    return rule


def _batch_kernel(node: Any) -> Callable[..., Any]:
    adj_x, adj_y = node.attrs["adj_x"], node.attrs["adj_y"]
    x_dims, y_dims = node.inputs[0].dims, node.inputs[1].dims
    product = torch.matmul
    ranks = {None if dims is None else len(dims) for dims in (x_dims, y_dims)}
    if ranks == {3} and x_dims[0] is not None and x_dims[0] == y_dims[0]:
        product = torch.bmm
    transposed = "mH" if node.inputs[0].dtype.is_complex else "mT"
    if not adj_x and not adj_y:
        run = product
    elif transposed == "mT":
        if adj_x and adj_y:
            run = lambda x, y: product(x.mT, y.mT)  # noqa: E731
        elif adj_x:
            run = lambda x, y: product(x.mT, y)  # noqa: E731
        else:
            run = lambda x, y: product(x, y.mT)  # noqa: E731
    else:
        run = lambda x, y: product(x.mH if adj_x else x, y.mH if adj_y else y)  # noqa: E731

    def checked(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        for which, value in (("0", x), ("1", y)):
            if value.dim() < 2:
                raise InvalidArgumentError(None, None, f"In[{which}] ndims must be >= 2: {value.dim()}")
        try:
            return run(x, y)
        except RuntimeError:
            columns, rows = x.shape[-2 if adj_x else -1], y.shape[-1 if adj_y else -2]
            if columns != rows:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"In[0] mismatch In[1] shape: {columns} vs. {rows}: {_text(x)} {_text(y)} {adj_x:d} {adj_y:d}",
                ) from None
            raise InvalidArgumentError(
                None, None, f"In[0] and In[1] must have compatible batch dimensions: {_text(x)} vs. {_text(y)}"
            ) from None

    if x_dims is not None and y_dims is not None and None not in x_dims and None not in y_dims:
        return run
    return checked


batch_matmul_op = (
    op("BatchMatMul", f"x: T, y: T, *, T: {_TYPES}, adj_x=False, adj_y=False -> output: T")
    .never_fails()
    .work(matrix_product())
)
batch_matmul_op.fresh().shape(_batch_shape(merge_dims))


@batch_matmul_op.kernel
def batch_matmul_kernel(node):
    return _batch_kernel(node)


batch_matmul_op.accepts([5, 2, 3], [5, 3, 4]).accepts([2, 5, 3, 2], [2, 5, 4, 3], adj_x=True, adj_y=True)
batch_matmul_op.rejects([5, 2, 3], [4, 3, 4], error=ValueError)

batch_matmul_v2_op = (
    op("BatchMatMulV2", f"x: T, y: T, *, T: {_TYPES}, adj_x=False, adj_y=False -> output: T")
    .never_fails()
    .work(matrix_product())
)
batch_matmul_v2_op.fresh().shape(_batch_shape(broadcast_or_raise))


@batch_matmul_v2_op.kernel
def batch_matmul_v2_kernel(node):
    return _batch_kernel(node)


batch_matmul_v2_op.accepts([5, 2, 3], [3, 4]).accepts([5, 1, 3, 2], [2, 4, 3], adj_x=True, adj_y=True)
batch_matmul_v2_op.rejects([5, 2, 3], [5, 2, 4], error=ValueError).rejects([3], [3, 2], error=ValueError)


_RESULTS = _TYPES.replace("}", ", int16}")
_WIDENED = _TYPES.replace("}", ", int8, uint8, int16}")
batch_matmul_v3_op = op(
    "BatchMatMulV3",
    f"x: Ta, y: Tb, *, Ta: {_WIDENED}, Tb: {_WIDENED}, Tout: {_RESULTS}, adj_x=False, adj_y=False, grad_x=False, "
    "grad_y=False -> output: Tout",
).not_differentiable()
batch_matmul_v3_op.shape(_batch_shape(broadcast_or_raise))


@batch_matmul_v3_op.kernel
def batch_matmul_v3_kernel(node):
    product, dtype = _batch_kernel(node), node.attrs["Tout"].torch
    if all(value.dtype is node.attrs["Tout"] for value in node.inputs):
        return product
    return lambda x, y: product(x.to(dtype), y.to(dtype))


batch_matmul_v3_op.accepts([5, 2, 3], [3, 4], Tout="float32")
batch_matmul_v3_op.accepts([2, 3], [2, 4], Ta="int8", Tb="uint8", Tout="int32", adj_x=True)
batch_matmul_v3_op.rejects([2, 3], [2, 4], Tout="float32", error=ValueError)


def _batch_gradients(op: Operation, grad: Tensor) -> tuple[Any, Any]:
    x, y = op.inputs
    adj_x, adj_y = op.attrs["adj_x"], op.attrs["adj_y"]
    if adj_x:
        grad_x = matmul(y, grad, adjoint_a=adj_y, adjoint_b=True)
    else:
        grad_x = matmul(grad, y, adjoint_b=not adj_y)
    if adj_y:
        grad_y = matmul(grad, x, adjoint_a=True, adjoint_b=adj_x)
    else:
        grad_y = matmul(x, grad, adjoint_a=not adj_x)
    return grad_x, grad_y


@batch_matmul_op.gradient
def batch_matmul_gradient(op, grad):
    return list(_batch_gradients(op, grad))


@batch_matmul_v2_op.gradient
def batch_matmul_v2_gradient(op, grad):
    x, y = op.inputs
    grads = _batch_gradients(op, grad)
    if is_fully_defined(x.dims) and x.dims == y.dims:
        return list(grads)
    # Batch dimensions that were broadcast are summed again.
    shapes = composing.shape(x), composing.shape(y)
    axes = raw.BroadcastGradientArgs(shapes[0][:-2], shapes[1][:-2])
    return [raw.Reshape(raw.Sum(part, over), shape) for part, over, shape in zip(grads, axes, shapes, strict=True)]


def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The float32 product of two float32 or bfloat16 matrices that may have many zeros.

    Args:
        a: shape (r, k).
        b: shape (k, c).
        transpose_a, transpose_b: take the dimensions the other way round.
        a_is_sparse, b_is_sparse: many elements are 0.
        name: a name for the operation.

    Raises:
        ValueError: if shapes do not fit.
    """
    return raw.SparseMatMul(
        a,
        b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )


def batch_matmul(
    x: TensorLike, y: TensorLike, adj_x: bool = False, adj_y: bool = False, name: str | None = None
) -> Tensor:
    """The matrix products of two batches: `matmul` in the spelling of versions before 1.0.

    Args:
        x: numbers of shape (..., r, k).
        y: numbers of shape (..., k, c).
        adj_x, adj_y: take conjugate transposes.
        name: a name for the operation.

    Raises:
        ValueError: if shapes do not fit.
    """
    return raw.BatchMatMul(x, y, adj_x=adj_x, adj_y=adj_y, name=name)


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The products of matrices and vectors.

    Args:
        a: numbers of shape (..., r, k).
        b: numbers of shape (..., k) and the same type.
        transpose_a: take the last two dimensions of `a` the other way round.
        adjoint_a: likewise, and complex conjugates.
        a_is_sparse, b_is_sparse: many elements are 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (..., r).

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> tf.Session().run(tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]))
        array([3., 7.], dtype=float32)
    """
    with name_scope(name, "MatVec", [a, b]):
        product = matmul(
            a,
            composing.expand_dims(b, -1),
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return composing.squeeze(product, [-1])


# ---- native instructions


@matmul_op.native
def _matmul_native(node):
    return applied("matmul", [int(node.attrs["transpose_a"]), int(node.attrs["transpose_b"])])


@batch_matmul_v2_op.native
def _batch_matmul_v2_native(node):
    return applied("batch_matmul", [int(node.attrs["adj_x"]), int(node.attrs["adj_y"])])


@batch_matmul_op.native
def _batch_matmul_native(node):
    # Its batches do not broadcast.
    x, y = known(node.inputs[0].dims), known(node.inputs[1].dims)
    return None if x is None or y is None or x[:-2] != y[:-2] else _batch_matmul_v2_native(node)
