"""The vector version of Student's t-distribution: independent ones, sent through an affine map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.distributions.affine_bijectors import Affine
from headrace.distributions.normal import StudentT
from headrace.distributions.scales import shapes_from_loc_and_scale
from headrace.distributions.static_logic import pick_vector
from headrace.distributions.transformed import TransformedDistribution
from headrace.kernels import composing
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.linalg.operator import LinearOperator


class _VectorStudentT(TransformedDistribution):
    """The distribution of `loc + scale x`, the elements of x independently Student's t.

    It is not the multivariate t-distribution, whose elements depend on one another. The scale is the sum of the terms
    that are given, the identity if there is none.

    Args:
        df: positive floating tensor, the degrees of freedom. A scalar where `loc` and the scale are of a batch, or of
            the shape of that batch.
        loc: floating tensor of shape [..., k].
        scale_identity_multiplier: what a term of the identity is multiplied with.
        scale_diag: the diagonal of a term, [..., k].
        scale_tril: a term that is a lower triangle, [..., k, k].
        scale_perturb_factor: [..., k, r], of a term of rank r.
        scale_perturb_diag: [..., r], what stands between that factor and its transposed.
        validate_args: whether the scale is checked; `df` is not.
        allow_nan_stats, name: as for `Distribution`.

    Example:
        >>> spread = _VectorStudentT(df=3.0, loc=[1.0, -1.0], scale_diag=[1.0, 2.0])
        >>> spread.prob([0.0, 0.0]).shape
        TensorShape([])
    """

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_tril: TensorLike | None = None,
        scale_perturb_factor: TensorLike | None = None,
        scale_perturb_diag: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorStudentT",
    ) -> None:
        parameters = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        terms: dict[str, Any] = {
            "scale_identity_multiplier": scale_identity_multiplier,
            "scale_diag": scale_diag,
            "scale_tril": scale_tril,
            "scale_perturb_factor": scale_perturb_factor,
            "scale_perturb_diag": scale_perturb_diag,
        }
        with name_scope(name) as scope, name_scope("init", values=[df, loc, *terms.values()]):
            affine = Affine(loc, validate_args=validate_args, **terms)
            zero, one = composing.zeros([], affine.dtype), composing.ones([], affine.dtype)
            standard = StudentT(df=df, loc=zero, scale=one)
            scale: Any = affine.scale
            batch_shape, event_shape = shapes_from_loc_and_scale(affine.shift, scale)
            # What `df` has of a batch, the map broadcasts to; without one of its own, that of the map is drawn for.
            own: Any = constant([], dtype="int32")
            super().__init__(
                distribution=standard,
                bijector=affine,
                batch_shape=pick_vector(standard.is_scalar_batch(), batch_shape, own),
                event_shape=event_shape,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = parameters
        self._affine = affine

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        standard: Any = self.distribution
        freedom: Tensor = standard.df
        return freedom

    @property
    def loc(self) -> Tensor | None:
        """What is added to the vectors."""
        return self._affine.shift

    @property
    def scale(self) -> LinearOperator:
        """The operator they are multiplied with."""
        return self._affine.scale  # type: ignore[return-value]  # there is one
