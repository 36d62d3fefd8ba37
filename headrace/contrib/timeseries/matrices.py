"""Powers, blocks and products of matrices for models of time series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arithmetic import matmul, range
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.filling import ones, zeros
from headrace.kernels.composing.shapes import expand_dims, rank, shape
from headrace.ops.array.gather import gather
from headrace.ops.array.join import stack
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.where import where_v2
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.math.unary import abs

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


def batch_times_matrix(batch: TensorLike, matrix: TensorLike, adj_x: bool = False, adj_y: bool = False) -> Tensor:
    """The product of each matrix of a batch with one matrix.

    Args:
        batch: [batch, m, n].
        matrix: [n, p].
        adj_x, adj_y: whether the matrices of the batch, or the matrix, are transposed first.

    Returns:
        [batch, m, p].

    Example:
        >>> left, right = tf.ones([5, 3, 2]), tf.ones([2, 4])
        >>> batch_times_matrix(left, right).shape.as_list()
        [5, 3, 4]
    """
    batch = convert_to_tensor(batch)
    if adj_x:
        batch = transpose(batch, [0, 2, 1])
    matrix = convert_to_tensor(matrix, dtype=batch.dtype)
    # One large product instead of many small ones.
    flat = matmul(reshape(batch, stack([-1, shape(batch)[2]])), matrix, transpose_b=adj_y)
    result = reshape(flat, stack([shape(batch)[0], shape(batch)[1], shape(flat)[1]]))
    columns = matrix.shape[0 if adj_y else 1] if matrix.shape.ndims == 2 else None
    if batch.shape.ndims is not None:
        result.set_shape([batch.shape[0], batch.shape[1], columns])
    return result


def matrix_times_batch(matrix: TensorLike, batch: TensorLike, adj_x: bool = False, adj_y: bool = False) -> Tensor:
    """The product of one matrix with each matrix of a batch.

    Args:
        matrix: [m, n].
        batch: [batch, n, p].
        adj_x, adj_y: whether the matrix, or the matrices of the batch, are transposed first.

    Returns:
        [batch, m, p].
    """
    # (M B)' = B' M'.
    return transpose(batch_times_matrix(batch, matrix, adj_x=not adj_y, adj_y=not adj_x), [0, 2, 1])


def batch_matrix_pow(matrices: TensorLike, powers: TensorLike) -> Tensor:
    """Each matrix of a batch to a power of its own, by repeated squaring.

    Args:
        matrices: [batch, n, n].
        powers: integers [batch], not negative.

    Returns:
        [batch, n, n].
    """
    matrices = convert_to_tensor(matrices)
    powers = convert_to_tensor(powers)
    identity = eye(shape(matrices)[-1], batch_shape=[shape(matrices)[0]], dtype=matrices.dtype)

    def step(left: Tensor, base: Tensor, product: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        odd = reshape(equal(left % 2, 1), [-1, 1, 1])
        return left // 2, matmul(base, base), where_v2(odd, matmul(base, product), product)

    # The product may know less of its shape, or more.
    size = matrices.shape[-1].value if matrices.shape.ndims is not None else None
    sizes = TensorShape([None, size, size])
    identity.set_shape(sizes)
    _, _, result = while_loop(
        lambda left, base, product: reduce_max(left) > 0,
        step,
        [powers, matrices, identity],
        shape_invariants=[TensorShape([None]), sizes, sizes],
    )
    result.set_shape(matrices.shape)
    return result


def matrix_to_powers(matrix: TensorLike, powers: TensorLike) -> Tensor:
    """One matrix to several powers.

    Args:
        matrix: [n, n].
        powers: integers [count], not negative.

    Returns:
        [count, n, n].
    """
    matrix, powers = convert_to_tensor(matrix), convert_to_tensor(powers)
    repeated = tile(expand_dims(matrix, 0), concat([shape(powers), [1, 1]], 0))
    return batch_matrix_pow(repeated, powers)


def power_sums_tensor(array_size: int | Tensor, power_matrix: TensorLike, multiplier: TensorLike) -> Tensor:
    """Sums of A^i B A'^i over i below 0, 1, 2, ...: how noise adds up over steps of a linear model.

    Args:
        array_size: the largest number of terms.
        power_matrix: A, [n, n].
        multiplier: B, [n, n].

    Returns:
        [array_size + 1, n, n]; the first matrix is zero.
    """
    a, b = convert_to_tensor(power_matrix), convert_to_tensor(multiplier)
    total = cast(array_size, "int32")
    size = b.shape[0].value if b.shape.ndims == 2 else None

    def step(i: Tensor, sums: Tensor) -> tuple[Tensor, Tensor]:
        # S(n + 1) = B + A S(n) A'.
        following = b + matmul(matmul(a, sums[-1]), a, transpose_b=True)
        return i + 1, concat([sums, expand_dims(following, 0)], 0)

    first = zeros(concat([[1], shape(b)], 0), dtype=b.dtype)
    _, sums = while_loop(
        lambda i, sums: i < total,
        step,
        [0, first],
        shape_invariants=[TensorShape([]), TensorShape([None, size, size])],
    )
    return sums


def block_diagonal(
    matrices: Sequence[TensorLike], dtype: DTypeLike = "float32", name: str = "block_diagonal"
) -> Tensor:
    """A matrix with the given ones along its diagonal, and zeros elsewhere.

    Args:
        matrices: matrices, of any sizes.
        dtype: their type.
        name: a name scope.
    """
    parts: list[Any] = [convert_to_tensor(matrix, dtype=dtype) for matrix in matrices]
    with name_scope(name):
        before: Any = 0
        sizes = [shape(part) for part in parts]
        columns = sum(size[1] for size in sizes)
        rows = []
        for part, size in zip(parts, sizes, strict=True):
            width = size[1]
            rows.append(pad(part, [[0, 0], stack([before, columns - before - width])]))
            before = before + width
        blocked = concat(rows, 0)
    known = [part.shape.with_rank(2) for part in parts]
    blocked.set_shape([_total([size[0].value for size in known]), _total([size[1].value for size in known])])
    return blocked


def _total(sizes: Sequence[int | None]) -> int | None:
    found = [size for size in sizes if size is not None]
    return sum(found) if len(found) == len(sizes) else None


def make_toeplitz_matrix(inputs: TensorLike, name: str | None = None) -> Tensor:
    """A symmetric block Toeplitz matrix: the block (i, j) is `inputs[abs(i - j)]`.

    Args:
        inputs: [n, block, block].
        name: a name scope.

    Returns:
        [n * block, n * block].
    """
    with name_scope(name, "make_toeplitz_matrix", [inputs]):
        blocks = convert_to_tensor(inputs)
        count, size = shape(blocks)[0], shape(blocks)[1]
        places = range(count)
        chosen = gather(blocks, abs(expand_dims(places, 1) - expand_dims(places, 0)), axis=0)
        return reshape(transpose(chosen, [0, 2, 1, 3]), stack([count * size, count * size]))


def replicate_state(start_state: Any, batch_size: int | Tensor) -> Any:
    """The state at the start, repeated for each series of a batch.

    Args:
        start_state: a tensor, or a nested structure of them, without a dimension for the batch.
        batch_size: how many series there are.
    """
    from_state = convert_to_tensor(start_state) if not isinstance(start_state, (tuple, list)) else None
    if from_state is None:
        return tuple(replicate_state(part, batch_size) for part in start_state)
    expanded = expand_dims(from_state, 0)
    return tile(expanded, concat([[batch_size], ones([rank(from_state)], dtype="int32")], 0))


def batch_start_time(times: Tensor) -> Tensor:
    """The first time of each series.

    Args:
        times: [batch, window].
    """
    return times[:, 0]


def batch_end_time(times: Tensor) -> Tensor:
    """The last time of each series.

    Args:
        times: [batch, window].
    """
    return times[:, -1]
