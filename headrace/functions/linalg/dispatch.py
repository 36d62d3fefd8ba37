"""What public functions of matrices do with linear operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.composite_types import Dispatching
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.functions.linalg.supported import SUPPORTED
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint as adjoint_of

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.functions.linalg.simple import LinearOperatorFullMatrix


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The operator of the conjugate transpose."""
    return matrix.adjoint(name)


def cholesky(input: Any, name: str | None = None) -> Any:
    """The operator of the lower triangular factor."""
    return input.cholesky(name)


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant.

    Raises:
        ValueError: unless the operator is said to be positive definite and self-adjoint.
    """
    if not (matrix.is_positive_definite and matrix.is_self_adjoint):
        raise ValueError("Expected matrix to be self-adjoint positive definite.")
    return matrix.log_abs_determinant(name)


def determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinant."""
    return input.determinant(name)


def inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The operator of the inverse, or of its adjoint."""
    made = input.inverse(name)
    return made.adjoint() if adjoint else made


def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The x of `matrix x = rhs`.

    Raises:
        ValueError: if only `rhs` is an operator.
    """
    if not isinstance(matrix, Dispatching):
        raise ValueError("Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported.")
    return matrix.solve(rhs, adjoint=adjoint, name=name)  # type: ignore[attr-defined]  # of the values that dispatch, matrices are linear operators


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of which one factor is an operator, or both are.

    Raises:
        ValueError: for a transpose (operators have adjoints) or a factor that is said to be sparse.
    """
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, Dispatching):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b, name=name)  # type: ignore[attr-defined]  # of the values that dispatch, matrices are linear operators
    # Operators multiply from the left: a b is the adjoint of b* a*.
    return adjoint_of(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a, name=name))


def matvec(
    a: LinearOperatorFullMatrix,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of an operator and a vector."""
    with name_scope(name, "MatVec"):
        column = composing.expand_dims(b, -1)
        product = matmul(a, column, transpose_a, False, adjoint_a, False, a_is_sparse, b_is_sparse)
        return raw.Squeeze(product, squeeze_dims=[-1])


def diag_part(
    input: LinearOperatorFullMatrix, name: str = "diag_part", k: TensorLike = 0, padding_value: int = 0
) -> Tensor:
    """The diagonal."""
    return input.diag_part(name)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal."""
    return x.trace(name)


def apply(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function` with arguments of which some are linear operators; one that takes none refuses them itself."""
    own = SUPPORTED.get((function.__module__.partition(".")[2], function.__name__))
    return (globals()[own] if own else function)(*args, **kwargs)
