"""Exponentials of matrices, by scaling, Padé approximants and squaring.

N. Higham, "The scaling and squaring method for the matrix exponential revisited", SIAM Journal on Matrix Analysis and
Applications 26 (2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.linalg_functions import matrix_solve
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# The coefficients of the approximants by their degree, from that of the identity on; that of the highest power is 1.
_COEFFICIENTS = {
    3: [120.0, 60.0, 12.0],
    5: [30240.0, 15120.0, 3360.0, 420.0, 30.0],
    7: [17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0],
    9: [17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0],
    13: [
        64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0,
        10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0,
    ],
}  # fmt: skip
# How many even powers of the matrix, the identity among them, each is made of.
_POWERS = {3: 2, 5: 3, 7: 4, 9: 5, 13: 4}
# By precision: up to which norm the highest degree needs no scaling, and up to which the lower ones are enough.
_SINGLE = (3.925724783138660, (4.258730016922831e-001, 1.880152677804762e000), (3, 5, 7))
_DOUBLE = (
    5.371920351148152,
    (1.495585217958292e-002, 2.539398330063230e-001, 9.504178996162932e-001, 2.097847961257068e000),
    (3, 5, 7, 9, 13),
)
_PRECISIONS = {
    "float16": _SINGLE,
    "float32": _SINGLE,
    "complex64": _SINGLE,
    "float64": _DOUBLE,
    "complex128": _DOUBLE,
}


def _weighted(coefficients: list[Tensor], powers: list[Tensor]) -> Tensor:
    """The powers times every second coefficient, the highest first."""
    total = coefficients[-1] * powers[-1]
    for coefficient, power in zip(coefficients[-2::-1], powers[-2::-1]):
        total = total + coefficient * power
    return total


def _approximant(matrix: Tensor, degree: int) -> tuple[Tensor, Tensor]:
    """The odd and the even part of the numerator."""
    b = [constant(value, matrix.dtype) for value in _COEFFICIENTS[degree]]
    rows = shape_internal(matrix)[-2]
    ones = eye(rows, batch_shape=shape_internal(matrix)[:-2], dtype=matrix.dtype)
    powers = [ones, matmul(matrix, matrix)]
    while len(powers) < _POWERS[degree]:
        powers.append(matmul(powers[-1], powers[1]))
    odd, even = b[1::2], b[0::2]
    if degree < 13:
        inner = powers[-1]
        for coefficient, power in zip(odd[::-1], powers[-2::-1]):
            inner = inner + coefficient * power
        return matmul(matrix, inner), _weighted(even, powers)
    # The powers above the sixth are products with it.
    above = powers[3] + odd[5] * powers[2] + odd[4] * powers[1]
    inner = matmul(powers[3], above)
    for coefficient, power in zip(odd[3::-1], powers[3::-1]):
        inner = inner + coefficient * power
    first = matmul(matrix, inner)
    second = matmul(powers[3], _weighted(even[4:], powers[1:]))
    for coefficient, power in zip(even[3::-1], powers[3::-1]):
        second = second + coefficient * power
    return first, second


def _by_norm(norms: Tensor, limits: tuple[float, ...], parts: list[Tensor]) -> Tensor:
    """For each matrix the part of the first limit that its norm is below."""
    below = raw.Less(norms, constant(limits[0], norms.dtype))
    other = parts[1] if len(limits) == 1 else None
    return raw.Select(below, parts[0], _by_norm(norms, limits[1:], parts[1:]) if other is None else other)


def matrix_exponential(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponentials of square matrices: sums of A^k / k!.

    Args:
        input: floating or complex numbers of shape (..., n, n).
        name: a name scope.

    Raises:
        ValueError: for other types.

    Example:
        >>> tf.Session().run(tf.linalg.expm([[0.0, 0.0], [0.0, 0.0]]))
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    with name_scope(name, "matrix_exponential", [input]):
        matrix = convert_to_tensor(input, name="input")
        static = matrix.get_shape()
        if static[-2:] == [0, 0]:
            return matrix
        batch: Any = static[:-2]
        if not batch.is_fully_defined():
            batch = shape_internal(matrix)[:-2]
        matrix = reshape(matrix, composing.concat([[-1], shape_internal(matrix)[-2:]], 0))
        sizes = absolute(matrix)
        norms = reduce_max(reduce_sum(sizes, axis=composing.size(shape_internal(matrix)) - 2), axis=-1)
        if matrix.dtype.name not in _PRECISIONS:
            raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
        largest, limits, degrees = _PRECISIONS[matrix.dtype.name]
        ratio = raw.Log(norms / constant(largest, norms.dtype))
        squarings = raw.Maximum(raw.Floor(ratio / raw.Log(constant(2.0, norms.dtype))), 0)
        pairs = [_approximant(matrix, degree) for degree in degrees[:-1]]
        scale = raw.Pow(constant(2.0, matrix.dtype), cast(squarings, matrix.dtype))
        pairs.append(_approximant(matrix / scale[..., None, None], degrees[-1]))
        u = _by_norm(norms, limits, [pair[0] for pair in pairs])
        v = _by_norm(norms, limits, [pair[1] for pair in pairs])
        numerator = u + v
        result = matrix_solve(-u + v, numerator)
        most = reduce_max(squarings)

        def squared(index: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
            following = index + 1
            should_square = raw.Less(index, squarings)
            return following, raw.Select(should_square, matmul(value, value), value)

        start = constant(0.0, norms.dtype)
        _, result = while_loop(lambda index, _: raw.Less(index, most), squared, [start, result])
        if not matrix.get_shape().is_fully_defined():
            return reshape(result, composing.concat([batch, shape_internal(result)[-2:]], 0))
        return reshape(result, batch.concatenate(result.get_shape()[-2:]))
