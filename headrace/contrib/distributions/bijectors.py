"""The bijectors: affine ones, elementwise functions, and those made of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.distributions.bijector import Bijector
from headrace.distributions.common import softplus_inverse
from headrace.distributions.event_matrices import EventMatrices
from headrace.ops import composing
from headrace.ops.array.identity import identity
from headrace.ops.flow.checks import assert_equal, assert_none_equal
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.linalg.combined import LinearOperatorLowRankUpdate
from headrace.ops.linalg.operator import LinearOperator
from headrace.ops.linalg.simple import LinearOperatorDiag, LinearOperatorLowerTriangular, LinearOperatorScaledIdentity
from headrace.ops.math.reduction import reduce_sum
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.activations import softplus


class Exp(Bijector):
    """y = exp(x)."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        with name_scope(name), name_scope("init"):
            # One more op of the graph, as for other powers.
            convert_to_tensor(0.0, name="power")
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> float:
        """0: that of the `PowerTransform` that this is."""
        return 0.0

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Exp(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Log(y)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -1.0 * raw.Log(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x


class PowerTransform(Bijector):
    """y = (1 + power x) ** (1 / power), exp(x) for a power of 0.

    Raises:
        ValueError: for a negative power.
    """

    def __init__(self, power: float = 0.0, validate_args: bool = False, name: str = "power_transform") -> None:
        if power is None or power < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power = power
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> float:
        """The power."""
        return self._power

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Exp(x) if self._power == 0.0 else raw.Exp(raw.Log1p(x * self._power) / self._power)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Log(y) if self._power == 0.0 else raw.Expm1(raw.Log(y) * self._power) / self._power

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return (self._power - 1.0) * raw.Log(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x if self._power == 0.0 else (1.0 / self._power - 1.0) * raw.Log1p(x * self._power)


class Softplus(Bijector):
    """y = c log(1 + exp(x / c)), c the hinge softness, 1 by default."""

    def __init__(self, hinge_softness: Any = None, validate_args: bool = False, name: str = "softplus") -> None:
        with name_scope(name):
            self._hinge_softness = (
                None if hinge_softness is None else convert_to_tensor(hinge_softness, name="hinge_softness")
            )
        parents = [] if self._hinge_softness is None else [self._hinge_softness]
        super().__init__(graph_parents=parents, forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def hinge_softness(self) -> Tensor | None:
        """c."""
        return self._hinge_softness

    def _over(self, x: Tensor) -> Tensor:
        return x if self._hinge_softness is None else x / self._hinge_softness

    def _times(self, x: Tensor) -> Tensor:
        return x if self._hinge_softness is None else self._hinge_softness * x

    def _forward(self, x: Tensor) -> Tensor:
        return self._times(softplus(self._over(x)))

    def _inverse(self, y: Tensor) -> Tensor:
        return self._times(softplus_inverse(self._over(y)))

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -raw.Log(-raw.Expm1(-self._over(y)))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -softplus(-self._over(x))


class Sigmoid(Bijector):
    """y = 1 / (1 + exp(-x))."""

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Log(y) - raw.Log1p(-y)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -raw.Log(y) - raw.Log1p(-y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class Softsign(Bijector):
    """y = x / (1 + |x|)."""

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return x / (1.0 + raw.Abs(x))

    def _inverse(self, y: Tensor) -> Tensor:
        return y / (1.0 - raw.Abs(y))

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -2.0 * raw.Log1p(-raw.Abs(y))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -2.0 * raw.Log1p(raw.Abs(x))


class Square(Bijector):
    """y = x ** 2 for x that are not negative."""

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Square(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Sqrt(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return np.log(2.0) + raw.Log(x)


class AbsoluteValue(Bijector):
    """y = |x|, the inverse the pair (-y, y)."""

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        super().__init__(forward_min_event_ndims=0, is_constant_jacobian=True, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Abs(x)

    def _inverse(self, y: Tensor) -> Any:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Tensor) -> Any:
        zero = convert_to_tensor(0.0, y.dtype)
        return zero, zero

    @property
    def _is_injective(self) -> bool:
        return False


class AffineScalar(Bijector):
    """y = scale x + shift, element by element."""

    def __init__(
        self, shift: Any = None, scale: Any = None, validate_args: bool = False, name: str = "affine_scalar"
    ) -> None:
        with name_scope(name), name_scope("init", values=[scale, shift]):
            self._shift = None if shift is None else convert_to_tensor(shift, name="shift")
            self._scale = None if scale is None else convert_to_tensor(scale, name="scale")
        parents = [part for part in (self._shift, self._scale) if part is not None]
        dtype = parents[0].dtype.base_dtype if parents else None
        super().__init__(
            graph_parents=parents,
            forward_min_event_ndims=0,
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
            return convert_to_tensor(0.0, x.dtype)
        return raw.Log(raw.Abs(self._scale))


class AffineLinearOperator(Bijector):
    """y = scale x + shift for vectors, scale a LinearOperator.

    Raises:
        TypeError: if scale is no LinearOperator or of another type. ValueError: if it is to be checked and not known to
            have an inverse.
    """

    def __init__(
        self,
        shift: Any = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        with name_scope(name), name_scope("init", values=[shift]):
            shift = None if shift is None else convert_to_tensor(shift, name="shift")
            if scale is not None and not isinstance(scale, LinearOperator):
                raise TypeError("scale is not an instance of tf.LinearOperator")
            if scale is not None and validate_args and not scale.is_non_singular:
                raise ValueError("Scale matrix must be non-singular.")
            self._begin(shift, scale, validate_args, name)

    def _begin(
        self, shift: Tensor | None, scale: LinearOperator | None, validate_args: bool, name: str, parents: Any = ()
    ) -> None:
        if shift is not None and scale is not None and shift.dtype.base_dtype != scale.dtype.base_dtype:
            kinds = f"shift.dtype({shift.dtype}) is incompatible with scale.dtype({scale.dtype})."
            raise TypeError(kinds)
        self._shift, self._scale = shift, scale
        self._matrices = EventMatrices(_batch_rank(scale), 1, validate_args)
        parents = [*([] if shift is None else [shift]), *parents, *([] if scale is None else scale.graph_parents)]
        super().__init__(
            graph_parents=parents,
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            dtype=parents[0].dtype.base_dtype if parents else None if scale is None else scale.dtype,
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
            y, sample_shape = self._matrices.matrices(y, expand_batch_dim=False)
            with control_dependencies(self._scale_checks()):
                y = self._scale.matmul(y)
            y = self._matrices.undone(y, sample_shape, expand_batch_dim=False)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: Tensor) -> Tensor:
        x = y if self._shift is None else y - self._shift
        if self._scale is None:
            return x
        x, sample_shape = self._matrices.matrices(x, expand_batch_dim=False)
        return self._matrices.undone(self._scale.solve(x), sample_shape, expand_batch_dim=False)

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
            return convert_to_tensor(0.0, x.dtype.base_dtype)
        with control_dependencies(self._scale_checks()):
            return self._scale.log_abs_determinant()


def _batch_rank(scale: LinearOperator | None) -> Any:
    """How many dimensions the operator's batch has."""
    if scale is None:
        return 0
    rank = scale.tensor_rank
    return scale.tensor_rank_tensor() - 2 if rank is None else rank - 2


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
        ValueError: if a multiplier stands beside another part.
    """

    def __init__(
        self,
        shift: Any = None,
        scale_identity_multiplier: Any = None,
        scale_diag: Any = None,
        scale_tril: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
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
            if only_multiplier:
                self._multiplier = tensors["identity_multiplier"]
                if validate_args:
                    assert self._multiplier is not None
                    zero = composing.zeros([], self._multiplier.dtype)
                    message = "identity_multiplier should be non-zero."
                    check = assert_none_equal(self._multiplier, zero, [message])
                    self._multiplier = with_dependencies([check], self._multiplier)
                self._begin(shift, None, validate_args, name, [self._multiplier])
            else:
                self._begin(shift, _scale_of(**tensors), validate_args, name)

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
            return super()._forward_log_det_jacobian(x)
        size = composing.cast(composing.shape(x)[-1], self._multiplier.dtype)
        return raw.Log(raw.Abs(self._multiplier)) * size


def _scale_of(
    identity_multiplier: Tensor | None,
    diag: Tensor | None,
    tril: Tensor | None,
    perturb_diag: Tensor | None,
    perturb_factor: Tensor | None,
) -> LinearOperator:
    """The sum of a multiple of the identity, a diagonal and a triangular matrix, and an update of low rank."""
    multiplier = identity_multiplier
    scale: LinearOperator
    if tril is not None:
        lower = raw.MatrixBandPart(tril, -1, 0)
        main = raw.MatrixDiagPart(lower, name="diag_part")
        main = main if diag is None else main + diag
        main = main if multiplier is None else main + multiplier[..., None]
        lower = raw.MatrixSetDiag(lower, main, name="set_diag")
        scale = LinearOperatorLowerTriangular(lower, is_non_singular=True)
    elif diag is not None:
        total = diag if multiplier is None else diag + multiplier[..., None]
        positive = True if perturb_factor is not None else None
        scale = LinearOperatorDiag(total, is_non_singular=True, is_positive_definite=positive)
    else:
        assert perturb_factor is not None
        rows = perturb_factor.dims[-2] if perturb_factor.dims else None
        height = composing.shape(perturb_factor)[-2] if rows is None else rows
        one = composing.ones([], dtype=perturb_factor.dtype) if multiplier is None else multiplier
        scale = LinearOperatorScaledIdentity(height, one, is_positive_definite=True, is_non_singular=True)
    if perturb_factor is None:
        return scale
    return LinearOperatorLowRankUpdate(
        scale, perturb_factor, perturb_diag, is_diag_update_positive=True, is_non_singular=True
    )


class Invert(Bijector):
    """The inverse of a bijector.

    Raises:
        NotImplementedError: for one that is not injective.
    """

    def __init__(self, bijector: Bijector, validate_args: bool = False, name: str | None = None) -> None:
        if not bijector._is_injective:
            raise NotImplementedError("Invert is not implemented for non-injective bijectors.")
        self._bijector = bijector
        super().__init__(
            graph_parents=bijector.graph_parents,
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            dtype=bijector.dtype,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self) -> Bijector:
        """The bijector that is inverted."""
        return self._bijector

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._bijector._inverse_event_shape(input_shape)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return self._bijector._inverse_event_shape_tensor(input_shape)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._bijector._forward_event_shape(output_shape)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return self._bijector._forward_event_shape_tensor(output_shape)

    def _forward(self, x: Tensor, **kwargs: Any) -> Tensor:
        return self._bijector._call_inverse(x, "inverse", **kwargs)

    def _inverse(self, y: Tensor, **kwargs: Any) -> Tensor:
        return self._bijector._call_forward(y, "forward", **kwargs)

    def _inverse_log_det_jacobian(self, y: Tensor, **kwargs: Any) -> Tensor:
        least = self._bijector.forward_min_event_ndims
        return self._bijector._call_forward_log_det_jacobian(y, least, "forward_log_det_jacobian", **kwargs)

    def _forward_log_det_jacobian(self, x: Tensor, **kwargs: Any) -> Tensor:
        least = self._bijector.inverse_min_event_ndims
        return self._bijector._call_inverse_log_det_jacobian(x, least, "inverse_log_det_jacobian", **kwargs)


class Inline(Bijector):
    """A bijector of functions given one by one: those of its namesakes."""

    def __init__(
        self,
        forward_fn: Callable[..., Any] | None = None,
        inverse_fn: Callable[..., Any] | None = None,
        inverse_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_log_det_jacobian_fn: Callable[..., Any] | None = None,
        forward_event_shape_fn: Callable[..., Any] | None = None,
        forward_event_shape_tensor_fn: Callable[..., Any] | None = None,
        inverse_event_shape_fn: Callable[..., Any] | None = None,
        inverse_event_shape_tensor_fn: Callable[..., Any] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str = "inline",
    ) -> None:
        super().__init__(
            forward_min_event_ndims=forward_min_event_ndims,
            inverse_min_event_ndims=inverse_min_event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        functions = {
            "_forward": forward_fn,
            "_inverse": inverse_fn,
            "_inverse_log_det_jacobian": inverse_log_det_jacobian_fn,
            "_forward_log_det_jacobian": forward_log_det_jacobian_fn,
            "_forward_event_shape": forward_event_shape_fn,
            "_forward_event_shape_tensor": forward_event_shape_tensor_fn,
            "_inverse_event_shape": inverse_event_shape_fn,
            "_inverse_event_shape_tensor": inverse_event_shape_tensor_fn,
        }
        for method, function in functions.items():
            if function is not None:
                setattr(self, method, function)


def _checked_permutation(permutation: Tensor) -> Tensor:
    """`permutation` with a check, when it is computed, that each number is there once."""
    ordered, _ = raw.TopKV2(-permutation, composing.shape(permutation)[-1], sorted=True)
    each_once = assert_equal(
        -ordered,
        composing.range_(composing.size(ordered)),
        message="Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`.",
    )
    return with_dependencies([each_once], permutation)


class Permute(Bijector):
    """The elements of the last dimension in another order: y[i] = x[permutation[i]].

    Raises:
        TypeError: if the permutation is not of integers.
        ValueError: if it is known not to be one.
    """

    def __init__(self, permutation: Any, validate_args: bool = False, name: str | None = None) -> None:
        from headrace.distributions.common import known

        with name_scope(name, "permute", [permutation]):
            self._permutation = convert_to_tensor(permutation, name="permutation")
            if not self._permutation.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({self._permutation.dtype.name}) should be `int`-like.")
            value = known(self._permutation)
            if value is not None and not np.array_equal(np.sort(value), np.arange(value.size)):
                raise ValueError("Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`.")
            if value is None and validate_args:
                self._permutation = _checked_permutation(self._permutation)
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name or "permute",
        )

    @property
    def permutation(self) -> Tensor:
        """The permutation."""
        return self._permutation

    def _forward(self, x: Tensor) -> Tensor:
        return composing.gather(x, self._permutation, axis=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return composing.gather(y, raw.InvertPermutation(self._permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return convert_to_tensor(0.0, y.dtype.base_dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return convert_to_tensor(0.0, x.dtype.base_dtype)


def _least_rank(bijectors: Sequence[Bijector], forward: bool) -> int:
    """How many dimensions one value of a chain has before (or after)."""
    ends = [(b.forward_min_event_ndims, b.inverse_min_event_ndims) for b in bijectors]
    ordered = ends[::-1] if forward else [(after, before) for before, after in ends]
    least = at = 0
    for before, after in ordered:
        least += max(before - at, 0)
        at = max(before, at) - (before - after)
    return least


class Chain(Bijector):
    """Bijectors one after another, the last first.

    Raises:
        NotImplementedError: if one is not injective. ValueError: if their types differ.
    """

    def __init__(
        self, bijectors: Sequence[Bijector] | None = None, validate_args: bool = False, name: str | None = None
    ) -> None:
        self._bijectors = list(bijectors or ())
        for each in self._bijectors:
            if not each._is_injective:
                raise NotImplementedError(f"Invert is not implemented for non-injective bijector ({each.name})")
        dtypes = {each.dtype for each in self._bijectors} - {None}
        if len(dtypes) > 1:
            raise ValueError(f"incompatible dtypes: {dtypes}")
        names = ["chain", *(each.name for each in self._bijectors)]
        super().__init__(
            graph_parents=[parent for each in self._bijectors for parent in each.graph_parents],
            forward_min_event_ndims=_least_rank(self._bijectors, forward=True),
            inverse_min_event_ndims=_least_rank(self._bijectors, forward=False),
            is_constant_jacobian=all(each.is_constant_jacobian for each in self._bijectors),
            validate_args=validate_args,
            dtype=next(iter(dtypes), None),
            name=name or ("_of_".join(names) if self._bijectors else "identity"),
        )

    @property
    def bijectors(self) -> list[Bijector]:
        """The bijectors."""
        return self._bijectors

    def _through(self, method: str, value: Any, backwards: bool) -> Any:
        for each in reversed(self._bijectors) if backwards else self._bijectors:
            value = getattr(each, method)(value)
        return value

    def _forward_event_shape(self, input_shape: Any) -> Any:
        return self._through("forward_event_shape", input_shape, True)

    def _forward_event_shape_tensor(self, input_shape: Tensor) -> Tensor:
        return self._through("forward_event_shape_tensor", input_shape, True)

    def _inverse_event_shape(self, output_shape: Any) -> Any:
        return self._through("inverse_event_shape", output_shape, False)

    def _inverse_event_shape_tensor(self, output_shape: Tensor) -> Tensor:
        return self._through("inverse_event_shape_tensor", output_shape, False)

    def _forward(self, x: Tensor) -> Tensor:
        return self._through("forward", x, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._through("inverse", y, False)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return self._summed_through("inverse", self._bijectors, y, self._inverse_min_event_ndims)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self._summed_through("forward", self._bijectors[::-1], x, self._forward_min_event_ndims)

    def _summed_through(self, way: str, bijectors: Sequence[Bijector], value: Tensor, event_ndims: Any) -> Tensor:
        """The sum of the log determinants of `bijectors`, each of what the ones before it make of `value`."""
        total: Any = composing.cast(0.0, value.dtype)
        if not bijectors:
            return total  # type: ignore[no-any-return]
        event_shape: Any
        if value.shape.is_fully_defined():
            event_shape = value.shape[value.shape.ndims - event_ndims :]
        else:
            event_shape = composing.shape(value)[composing.rank(value) - event_ndims :]
        for each in bijectors:
            total = total + getattr(each, f"{way}_log_det_jacobian")(value, event_ndims=event_ndims)
            if value.shape.is_fully_defined() and isinstance(event_ndims, int):
                event_shape = getattr(each, f"{way}_event_shape")(event_shape)
                event_ndims = event_shape.ndims
            else:
                event_shape = getattr(each, f"{way}_event_shape_tensor")(event_shape)
                event_ndims = composing.size(event_shape)
                number = constant_value(event_ndims)
                event_ndims = event_ndims if number is None else int(number)
            value = getattr(each, way)(value)
        return total  # type: ignore[no-any-return]


class RealNVP(Bijector):
    """An affine coupling layer: Dinh and others, "Density estimation using Real NVP" (2016).

    Args:
        num_masked: how many elements of the last dimension stay as they are.
        shift_and_log_scale_fn: from those and the number of the others, shift and log-scale of the others.
        is_constant_jacobian, validate_args, name: as for `Bijector`.

    Raises:
        ValueError: for a negative number.
    """

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _rest(self, x: Tensor) -> int:
        """How many elements of the last dimension change."""
        depth = x.get_shape().with_rank_at_least(1).as_list()[-1]
        if depth is None:
            raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
        if self._num_masked >= depth:
            raise ValueError(f"Number of masked units must be smaller than the event size {depth}.")
        return int(depth - self._num_masked)

    def _parts(self, x: Tensor) -> tuple[Tensor, Tensor, Any, Any]:
        count = self._rest(x)
        kept, rest = x[..., : self._num_masked], x[..., self._num_masked :]
        shift, log_scale = self._shift_and_log_scale_fn(kept, count)
        return kept, rest, shift, log_scale

    def _log_scale(self, x: Tensor) -> Any:
        count = self._rest(x)
        return self._shift_and_log_scale_fn(x[..., : self._num_masked], count)[1]

    def _forward(self, x: Tensor) -> Tensor:
        kept, rest, shift, log_scale = self._parts(x)
        if log_scale is not None:
            rest = rest * raw.Exp(log_scale)
        return composing.concat([kept, rest if shift is None else rest + shift], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        kept, rest, shift, log_scale = self._parts(y)
        rest = rest if shift is None else rest - shift
        return composing.concat([kept, rest if log_scale is None else rest * raw.Exp(-log_scale)], -1)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        log_scale = self._log_scale(x)
        if log_scale is None:
            return convert_to_tensor(0.0, x.dtype.base_dtype, name="fldj")
        return reduce_sum(log_scale, axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        log_scale = self._log_scale(y)
        if log_scale is None:
            return convert_to_tensor(0.0, y.dtype.base_dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)
