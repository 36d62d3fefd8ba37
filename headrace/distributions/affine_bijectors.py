"""Affine bijectors: of single numbers, and of vectors by a linear operator or what one is put together from.

The Jacobian of scale x + shift is the scale itself, of which the determinant is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.bijector import Bijector
from headrace.distributions.event_matrices import EventMatrices
from headrace.distributions.scales import make_tril_scale
from headrace.distributions.static_logic import dimension_size
from headrace.functions.flow.checks import assert_none_equal
from headrace.functions.linalg.low_rank import LinearOperatorLowRankUpdate
from headrace.functions.linalg.operator import LinearOperator
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


class AffineScalar(Bijector):
    """y = scale x + shift, element by element.

    Args:
        shift: what is added, a floating tensor; nothing by default.
        scale: the factor, a floating tensor without zeros; 1 by default.
        validate_args, name: as for `Bijector`.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale: float | TensorLike | None = None,
        validate_args: bool = False,
        name: str = "affine_scalar",
    ) -> None:
        with name_scope(name), name_scope("init", values=[scale, shift]):
            self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
            self._scale = None if scale is None else convert_to_tensor(scale, name="scale")
            if validate_args and self._scale is not None:
                check = assert_none_equal(self._scale, composing.zeros([], dtype=self._scale.dtype))
                self._scale = with_dependencies([check], self._scale)
            super().__init__(
                forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name
            )

    @property
    def shift(self) -> Tensor | None:
        """What is added."""
        return self._shift

    @property
    def scale(self) -> Tensor | None:
        """The factor."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        y = identity(x)
        y = y if self._scale is None else y * self._scale
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Tensor) -> Tensor:
        x = identity(y)
        x = x if self._shift is None else x - self._shift
        return x if self._scale is None else x / self._scale

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        return raw.Log(raw.Abs(self._scale))


class AffineLinearOperator(Bijector):
    """y = scale x + shift for vectors, scale a LinearOperator.

    Raises:
        TypeError: if scale is no LinearOperator or of another type. ValueError: if it is to be checked and not known to
            have an inverse.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        with name_scope(name), name_scope("init", values=[shift]):
            shift = None if shift is None else convert_to_tensor(shift, name="shift")
            if scale is not None:
                self._check_types(shift, scale)
                if not isinstance(scale, LinearOperator):
                    raise TypeError("scale is not an instance of tf.LinearOperator")
                if validate_args and not scale.is_non_singular:
                    raise ValueError("Scale matrix must be non-singular.")
            self._begin(shift, scale, validate_args, name)

    @staticmethod
    def _check_types(shift: Tensor | None, scale: LinearOperator) -> None:
        if shift is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
            kinds = f"shift.dtype({shift.dtype}) is incompatible with scale.dtype({scale.dtype})."
            raise TypeError(kinds)

    def _begin(
        self,
        shift: Tensor | None,
        scale: LinearOperator | None,
        validate_args: bool,
        name: str,
        parents: list[Any] | None = None,
        dtype: DType | None = None,
    ) -> None:
        """The rest of the constructor.

        Args:
            shift, scale, validate_args, name: those of the constructor.
            parents: the tensors it depends on; those of shift and scale by default.
            dtype: the type where neither tells it.
        """
        self._shift, self._scale = shift, scale
        rank: int | Tensor | None = 0
        more: list[Any] = []
        if scale is not None:
            rank = scale.tensor_rank
            if rank is None:
                rank = scale.tensor_rank_tensor() - 2
                more = [rank]
            else:
                rank -= 2
        self._matrices = EventMatrices(rank, 1, validate_args)
        if parents is None:
            parents = [*([] if shift is None else [shift]), *([] if scale is None else scale.graph_parents), *more]
        if scale is not None and scale.dtype is not None:
            dtype = scale.dtype.base_dtype
        elif dtype is None:
            dtype = as_dtype("float32") if shift is None else shift.dtype.base_dtype
        super().__init__(
            graph_parents=parents,
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            dtype=dtype,
            name=name,
        )

    @property
    def shift(self) -> Tensor | None:
        """What is added."""
        return self._shift

    @property
    def scale(self) -> LinearOperator | None:
        """The operator."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        y = x
        if self._scale is not None:
            y, sample_shape = self._matrices.make_batch_of_event_sample_matrices(y, expand_batch_dim=False)
            with control_dependencies(self._scale_checks()):
                y = self._scale.matmul(y)
            y = self._matrices.undo_make_batch_of_event_sample_matrices(y, sample_shape, expand_batch_dim=False)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Tensor) -> Tensor:
        x = y if self._shift is None else y - self._shift
        if self._scale is None:
            return x
        x, sample_shape = self._matrices.make_batch_of_event_sample_matrices(x, expand_batch_dim=False)
        return self._matrices.undo_make_batch_of_event_sample_matrices(
            self._scale.solve(x), sample_shape, expand_batch_dim=False
        )

    def _scale_checks(self) -> list[Any]:
        """What checks that the scale has an inverse, if it is to be checked and the operator can."""
        if not self._validate_args or self._scale is None:
            return []
        try:
            return [self._scale.assert_non_singular()]
        except NotImplementedError:
            return []

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        if self._scale is None:
            return constant(0.0, dtype=x.dtype.base_dtype)
        with control_dependencies(self._scale_checks()):
            return self._scale.log_abs_determinant()


class Affine(AffineLinearOperator):
    """y = scale x + shift for vectors, the scale put together from its parts.

    Args:
        shift: tensor of shape [..., k].
        scale_identity_multiplier: tensor of shape [...].
        scale_diag: tensor of shape [..., k].
        scale_tril: tensor of shape [..., k, k], lower triangular.
        scale_perturb_factor: tensor of shape [..., k, r], an update of low rank.
        scale_perturb_diag: tensor of shape [..., r], the diagonal of the update.
        validate_args, name: as for `Bijector`.

    Raises:
        ValueError: if there is a diagonal of an update without its factor. TypeError: if shift and scale differ in type.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale_identity_multiplier: float | None = None,
        scale_diag: TensorLike | None = None,
        scale_tril: TensorLike | None = None,
        scale_perturb_factor: TensorLike | None = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if scale_perturb_diag is not None and scale_perturb_factor is None:
            raise ValueError("When scale_perturb_diag is specified, scale_perturb_factor must be specified.")
        parts = {
            "identity_multiplier": scale_identity_multiplier,
            "diag": scale_diag,
            "tril": scale_tril,
            "perturb_diag": scale_perturb_diag,
            "perturb_factor": scale_perturb_factor,
        }
        only_multiplier = scale_diag is None and scale_tril is None and scale_perturb_factor is None
        self._multiplier: Tensor | None = None
        with name_scope(name), name_scope("init", values=[shift, *parts.values()]):
            shift = None if shift is None else convert_to_tensor(shift, name="shift")
            if only_multiplier and scale_identity_multiplier is None:
                parts["identity_multiplier"] = convert_to_tensor(1.0, "float32" if shift is None else shift.dtype)
            tensors = {
                key: None if value is None else convert_to_tensor(value, name=key) for key, value in parts.items()
            }
            if not only_multiplier:
                scale = _scale_of(shift, validate_args, **tensors)
                self._check_types(shift, scale)
                parents = [] if shift is None else [*scale.graph_parents, shift]
                self._begin(shift, scale, validate_args, name, parents)
                return
            multiplier: Any = tensors["identity_multiplier"]
            if validate_args:
                zero = composing.zeros([], multiplier.dtype)
                check = assert_none_equal(multiplier, zero, ["identity_multiplier should be non-zero."])
                multiplier = with_dependencies([check], multiplier)
            self._multiplier = multiplier
            self._begin(shift, None, validate_args, name, [multiplier], multiplier.dtype.base_dtype)

    @property
    def scale(self) -> Any:
        """The operator, or the number that it stands for."""
        return self._scale if self._multiplier is None else self._multiplier

    def _forward(self, x: Tensor) -> Tensor:
        return super()._forward(x if self._multiplier is None else x * self._multiplier)

    def _inverse(self, y: Tensor) -> Tensor:
        x = super()._inverse(y)
        return x if self._multiplier is None else x / self._multiplier

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        if self._multiplier is None:
            assert self._scale is not None
            return self._scale.log_abs_determinant()
        size = cast(shape_internal(x)[-1], self._multiplier.dtype)
        return raw.Log(raw.Abs(self._multiplier)) * size


def _scale_of(
    shift: Tensor | None,
    validate_args: bool,
    identity_multiplier: Tensor | None,
    diag: Tensor | None,
    tril: Tensor | None,
    perturb_diag: Tensor | None,
    perturb_factor: Tensor | None,
) -> LinearOperator:
    """The sum of a multiple of the identity, a diagonal and a triangular matrix, and an update of low rank."""
    size = None if perturb_factor is None else dimension_size(perturb_factor, -2)
    scale = make_tril_scale(shift, tril, diag, identity_multiplier, size, validate_args)
    if perturb_factor is None:
        return scale
    return LinearOperatorLowRankUpdate(
        scale,
        u=perturb_factor,
        diag_update=perturb_diag,
        is_diag_update_positive=perturb_diag is None,
        is_non_singular=True,
        is_self_adjoint=True,
        is_positive_definite=True,
        is_square=True,
    )
