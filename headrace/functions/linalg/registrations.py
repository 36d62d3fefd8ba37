"""The adjoints, inverses, Cholesky factors, products and solutions of operators that are simpler than in general."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.functions.linalg import algebra
from headrace.functions.linalg.circulant import LinearOperatorCirculant
from headrace.functions.linalg.combined import (
    LinearOperatorAdjoint,
    LinearOperatorBlockDiag,
    LinearOperatorComposition,
    LinearOperatorInversion,
)
from headrace.functions.linalg.combined_hints import (
    combined_commuting_positive_definite_hint,
    combined_commuting_self_adjoint_hint,
    combined_non_singular_hint,
    is_square,
)
from headrace.functions.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorZeros
from headrace.functions.linalg.kronecker import LinearOperatorKronecker
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import (
    LinearOperatorDiag,
    LinearOperatorHouseholder,
    LinearOperatorLowerTriangular,
)
from headrace.functions.math.linalg_functions import cholesky
from headrace.kernels.composing.arithmetic import conj

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


_DIAG, _SCALED, _TRIANGLE = LinearOperatorDiag, LinearOperatorScaledIdentity, LinearOperatorLowerTriangular


def _hints(operator: LinearOperator, **changed: Any) -> dict[str, Any]:
    """What is known of an operator and so of the one made from it."""
    names = ("is_non_singular", "is_self_adjoint", "is_positive_definite")
    return {**{name: getattr(operator, name) for name in names}, "is_square": True, **changed}


def _conjugated(values: Tensor) -> Tensor:
    return conj(values) if values.dtype.is_complex else values


# ------------------------------------------------------------------------------------------------------------ adjoints


@algebra.RegisterAdjoint(LinearOperator)
def _adjoint(a: LinearOperator) -> LinearOperator:
    return LinearOperatorAdjoint(a, **_hints(a, is_square=a.is_square))


@algebra.RegisterAdjoint(LinearOperatorAdjoint)
@algebra.RegisterInverse(LinearOperatorInversion)
def _wrapped_operator(a: Any) -> LinearOperator:
    return a.operator


@algebra.RegisterAdjoint(LinearOperatorIdentity)
@algebra.RegisterAdjoint(LinearOperatorHouseholder)
@algebra.RegisterInverse(LinearOperatorIdentity)
@algebra.RegisterInverse(LinearOperatorHouseholder)
def _itself(a: LinearOperator) -> LinearOperator:
    return a


@algebra.RegisterAdjoint(_SCALED)
def _adjoint_of_scaled(a: Any) -> LinearOperator:
    return _SCALED(a._num_rows, _conjugated(a.multiplier), **_hints(a))


@algebra.RegisterAdjoint(_DIAG)
def _adjoint_of_diag(a: LinearOperatorDiag) -> LinearOperator:
    return _DIAG(_conjugated(a.diag), **_hints(a))


@algebra.RegisterAdjoint(LinearOperatorBlockDiag)
@algebra.RegisterAdjoint(LinearOperatorKronecker)
def _adjoint_of_parts(a: Any) -> LinearOperator:
    return type(a)([each.adjoint() for each in a.operators], **_hints(a))


@algebra.RegisterAdjoint(LinearOperatorCirculant)
def _adjoint_of_circulant(a: Any) -> LinearOperator:
    return LinearOperatorCirculant(_conjugated(a.spectrum), **_hints(a))


# ------------------------------------------------------------------------------------------------------------ inverses


@algebra.RegisterInverse(LinearOperator)
def _inverse(a: LinearOperator) -> LinearOperator:
    return LinearOperatorInversion(a, **_hints(a, is_square=a.is_square))


@algebra.RegisterInverse(_DIAG)
def _inverse_of_diag(a: LinearOperatorDiag) -> LinearOperator:
    return _DIAG(1.0 / a.diag, **_hints(a))


@algebra.RegisterInverse(_SCALED)
def _inverse_of_scaled(a: LinearOperatorScaledIdentity) -> LinearOperator:
    return _SCALED(a._num_rows, 1.0 / a.multiplier, **_hints(a, is_self_adjoint=True))


@algebra.RegisterInverse(LinearOperatorBlockDiag)
@algebra.RegisterInverse(LinearOperatorKronecker)
def _inverse_of_parts(a: Any) -> LinearOperator:
    return type(a)([each.inverse() for each in a.operators], **_hints(a))


@algebra.RegisterInverse(LinearOperatorCirculant)
def _inverse_of_circulant(a: Any) -> LinearOperator:
    return LinearOperatorCirculant(1.0 / a.spectrum, **_hints(a))


# ---------------------------------------------------------------------------------------------------- Cholesky factors


@algebra.RegisterCholesky(LinearOperator)
def _cholesky(a: LinearOperator) -> LinearOperator:
    return _TRIANGLE(cholesky(a.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True)


_POSITIVE: dict[str, Any] = {
    "is_non_singular": True,
    "is_self_adjoint": True,
    "is_positive_definite": True,
    "is_square": True,
}


@algebra.RegisterCholesky(_DIAG)
def _cholesky_of_diag(a: LinearOperatorDiag) -> LinearOperator:
    return _DIAG(raw.Sqrt(a.diag), **_POSITIVE)


@algebra.RegisterCholesky(LinearOperatorIdentity)
def _cholesky_of_identity(a: LinearOperatorIdentity) -> LinearOperator:
    return LinearOperatorIdentity(a._num_rows, batch_shape=a.batch_shape, dtype=a.dtype, **_POSITIVE)


@algebra.RegisterCholesky(_SCALED)
def _cholesky_of_scaled(a: LinearOperatorScaledIdentity) -> LinearOperator:
    return _SCALED(a._num_rows, raw.Sqrt(a.multiplier), **_POSITIVE)


@algebra.RegisterCholesky(LinearOperatorBlockDiag)
@algebra.RegisterCholesky(LinearOperatorKronecker)
def _cholesky_of_parts(a: Any) -> LinearOperator:
    parts = [each.cholesky() for each in a.operators]
    return type(a)(parts, is_non_singular=True, is_self_adjoint=None, is_square=True)


# --------------------------------------------------------------------------------------------- products and solutions


def _commuting(a: LinearOperator, b: LinearOperator, triangular: bool = False) -> dict[str, Any]:
    """What is known of the product of two that commute; of a triangle and a diagonal only part of it."""
    return {
        "is_non_singular": combined_non_singular_hint(a, b),
        "is_self_adjoint": combined_commuting_self_adjoint_hint(a, b),
        "is_positive_definite": None if triangular else combined_commuting_positive_definite_hint(a, b),
        "is_square": True,
    }


def _of_both(first: LinearOperator, a: LinearOperator, b: LinearOperator) -> LinearOperator:
    """The composition of `first`, which is `a` or its inverse, and `b`."""
    square = is_square(a, b)
    none = False if square is False else None
    non_singular = combined_non_singular_hint(a, b) if square else none
    return LinearOperatorComposition([first, b], non_singular, none, none, square)


@algebra.RegisterMatmul(LinearOperator, LinearOperator)
def _product(a: LinearOperator, b: LinearOperator) -> LinearOperator:
    return _of_both(a, a, b)


@algebra.RegisterMatmul(LinearOperatorIdentity, LinearOperator)
@algebra.RegisterSolve(LinearOperatorIdentity, LinearOperator)
def _the_second(_: LinearOperatorIdentity, b: LinearOperator) -> LinearOperator:
    return b


@algebra.RegisterMatmul(LinearOperator, LinearOperatorIdentity)
def _the_first(a: LinearOperator, _: LinearOperatorIdentity) -> LinearOperator:
    return a


def _zeros(zeros: LinearOperatorZeros, other: LinearOperator) -> LinearOperator:
    if not zeros.is_square or not other.is_square:
        raise ValueError(
            "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
        )
    return zeros


@algebra.RegisterMatmul(LinearOperatorZeros, LinearOperator)
def _zeros_first(a: LinearOperatorZeros, b: LinearOperator) -> LinearOperator:
    return _zeros(a, b)


@algebra.RegisterMatmul(LinearOperator, LinearOperatorZeros)
def _zeros_second(a: LinearOperator, b: LinearOperatorZeros) -> LinearOperator:
    return _zeros(b, a)


@algebra.RegisterMatmul(_DIAG, _DIAG)
def _product_of_diags(a: LinearOperatorDiag, b: LinearOperatorDiag) -> LinearOperator:
    return _DIAG(a.diag * b.diag, **_commuting(a, b))


@algebra.RegisterMatmul(_DIAG, _SCALED)
def _diag_times_scaled(a: LinearOperatorDiag, b: LinearOperatorScaledIdentity) -> LinearOperator:
    return _DIAG(a.diag * b.multiplier, **_commuting(a, b))


@algebra.RegisterMatmul(_SCALED, _DIAG)
def _scaled_times_diag(a: LinearOperatorScaledIdentity, b: LinearOperatorDiag) -> LinearOperator:
    return _DIAG(b.diag * a.multiplier, **_commuting(a, b))


@algebra.RegisterMatmul(_DIAG, _TRIANGLE)
def _diag_times_triangle(a: LinearOperatorDiag, b: LinearOperatorLowerTriangular) -> LinearOperator:
    return _TRIANGLE(a.diag[..., None] * b.to_dense(), **_commuting(a, b, triangular=True))


@algebra.RegisterMatmul(_TRIANGLE, _DIAG)
def _triangle_times_diag(a: LinearOperatorLowerTriangular, b: LinearOperatorDiag) -> LinearOperator:
    return _TRIANGLE(a.to_dense() * b.diag, **_commuting(a, b, triangular=True))


@algebra.RegisterMatmul(LinearOperatorCirculant, LinearOperatorCirculant)
def _product_of_circulants(a: Any, b: Any) -> LinearOperator:
    return LinearOperatorCirculant(a.spectrum * b.spectrum, **_commuting(a, b))


@algebra.RegisterSolve(LinearOperator, LinearOperator)
def _solution(a: LinearOperator, b: LinearOperator) -> LinearOperator:
    return _of_both(LinearOperatorInversion(a), a, b)


@algebra.RegisterSolve(LinearOperatorInversion, LinearOperator)
def _solution_of_inverse(a: Any, b: Any) -> LinearOperator:
    return a.operator.matmul(b)


@algebra.RegisterSolve(_DIAG, _DIAG)
def _diag_by_diag(a: LinearOperatorDiag, b: LinearOperatorDiag) -> LinearOperator:
    return _DIAG(b.diag / a.diag, **_commuting(a, b))


@algebra.RegisterSolve(_DIAG, _SCALED)
def _scaled_by_diag(a: Any, b: Any) -> LinearOperator:
    return _DIAG(b.multiplier / a.diag, **_commuting(a, b))


@algebra.RegisterSolve(_SCALED, _DIAG)
def _diag_by_scaled(a: Any, b: Any) -> LinearOperator:
    return _DIAG(b.diag / a.multiplier, **_commuting(a, b))


@algebra.RegisterSolve(_DIAG, _TRIANGLE)
def _triangle_by_diag(a: LinearOperatorDiag, b: LinearOperatorLowerTriangular) -> LinearOperator:
    return _TRIANGLE(b.to_dense() / a.diag[..., None], **_commuting(a, b, triangular=True))


@algebra.RegisterSolve(LinearOperatorCirculant, LinearOperatorCirculant)
def _circulant_by_circulant(a: Any, b: Any) -> LinearOperator:
    return LinearOperatorCirculant(b.spectrum / a.spectrum, **_commuting(a, b))


def register() -> None:
    """Has nothing left to do: the rules above are registered when this module is imported."""
