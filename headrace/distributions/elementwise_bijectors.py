"""Bijectors that are one function of each element: powers, absolute values, and the usual activations.

The logarithm of the Jacobian of y = f(x) is log |f'(x)|, written so that it does not overflow; the inverse has its
opposite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.bijector import Bijector
from headrace.distributions.parameters import softplus_inverse
from headrace.functions.flow.checks import (
    assert_greater,
    assert_less,
    assert_non_negative,
    assert_none_equal,
    assert_positive,
)
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.activations import softplus

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class _OfElements(Bijector):
    """The base of these: values are single numbers."""

    def __init__(self, validate_args: bool, name: str, is_constant_jacobian: bool = False) -> None:
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )

    def _checked(self, x: Tensor, check: Callable[..., Any], message: str) -> Tensor:
        return with_dependencies([check(x, message=message)], x) if self._validate_args else x


class PowerTransform(_OfElements):
    """y = (1 + power x) ** (1 / power), exp(x) for a power of 0.

    The inverse is that of G. Box and D. Cox, "An analysis of transformations", Journal of the Royal Statistical Society B 26
    (1964).

    Args:
        power: a number that is not negative, known while the graph is built.
        validate_args, name: as for `Bijector`.

    Raises:
        ValueError: for a power that is negative or not known.
    """

    def __init__(self, power: TensorLike = 0.0, validate_args: bool = False, name: str = "power_transform") -> None:
        with name_scope(name), name_scope("init", values=[power]):
            known = constant_value(convert_to_tensor(power, name="power"))
        if known is None or known < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power = known
        super().__init__(validate_args, name)

    @property
    def power(self) -> Any:
        """The power."""
        return self._power

    def _before(self, x: Tensor) -> Tensor:
        if not self._validate_args or self._power == 0.0:
            return x
        message = f"Forward transformation input must be at least {-1.0 / self._power}."
        return with_dependencies([assert_non_negative(1.0 + self._power * x, message=message)], x)

    def _after(self, y: Tensor) -> Tensor:
        return self._checked(y, assert_positive, "Inverse transformation input must be greater than 0.")

    def _forward(self, x: Tensor) -> Tensor:
        x = self._before(x)
        return raw.Exp(x) if self._power == 0.0 else raw.Exp(raw.Log1p(x * self._power) / self._power)

    def _inverse(self, y: Tensor) -> Tensor:
        y = self._after(y)
        return raw.Log(y) if self._power == 0.0 else raw.Expm1(raw.Log(y) * self._power) / self._power

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y = self._after(y)
        return (self._power - 1.0) * raw.Log(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._before(x)
        return x if self._power == 0.0 else (1.0 / self._power - 1.0) * raw.Log1p(x * self._power)


class Exp(PowerTransform):
    """y = exp(x)."""

    def __init__(self, validate_args: bool = False, name: str = "exp") -> None:
        super().__init__(validate_args=validate_args, name=name)


class Softplus(_OfElements):
    """y = c log(1 + exp(x / c)), c the hinge softness, 1 by default.

    Its derivative is the sigmoid of x / c: C. Dugas et al., "Incorporating second-order functional knowledge for better option
    pricing", NIPS 2000.

    Args:
        hinge_softness: floating tensor, not 0.
        validate_args, name: as for `Bijector`.
    """

    def __init__(
        self, hinge_softness: TensorLike | None = None, validate_args: bool = False, name: str = "softplus"
    ) -> None:
        self._hinge_softness: Tensor | None = None
        with name_scope(name, values=[hinge_softness]):
            if hinge_softness is not None:
                softness = convert_to_tensor(hinge_softness, name="hinge_softness")
                if validate_args:
                    zero = convert_to_tensor(0, softness.dtype)
                    check = assert_none_equal(zero, softness, message="hinge_softness must be non-zero")
                    softness = with_dependencies([check], softness)
                self._hinge_softness = softness
        super().__init__(validate_args, name)

    @property
    def hinge_softness(self) -> Tensor | None:
        """c."""
        return self._hinge_softness

    def _scaled(self, function: Callable[..., Any], x: Tensor) -> Tensor:
        if self._hinge_softness is None:
            return function(x)
        softness = cast(self._hinge_softness, x.dtype)
        return softness * function(x / softness)

    def _over(self, x: Tensor) -> Tensor:
        return x if self._hinge_softness is None else x / cast(self._hinge_softness, x.dtype)

    def _forward(self, x: Tensor) -> Tensor:
        return self._scaled(softplus, x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._scaled(softplus_inverse, y)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -raw.Log(-raw.Expm1(-self._over(y)))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -softplus(-self._over(x))


class Sigmoid(_OfElements):
    """y = 1 / (1 + exp(-x))."""

    def __init__(self, validate_args: bool = False, name: str = "sigmoid") -> None:
        super().__init__(validate_args, name)

    def _forward(self, x: Tensor) -> Tensor:
        return sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Log(y) - raw.Log1p(-y)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -raw.Log(y) - raw.Log1p(-y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -softplus(-x) - softplus(x)


class Softsign(_OfElements):
    """y = x / (1 + |x|)."""

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        super().__init__(validate_args, name)

    def _within(self, y: Tensor) -> Tensor:
        if not self._validate_args:
            return y
        kind = y.dtype.base_dtype
        above = assert_greater(y, cast(-1.0, kind), message="Inverse transformation input must be greater than -1.")
        below = assert_less(y, cast(1.0, kind), message="Inverse transformation input must be less than 1.")
        return with_dependencies([above, below], y)

    def _forward(self, x: Tensor) -> Tensor:
        return x / (1.0 + raw.Abs(x))

    def _inverse(self, y: Tensor) -> Tensor:
        y = self._within(y)
        return y / (1.0 - raw.Abs(y))

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return -2.0 * raw.Log1p(-raw.Abs(self._within(y)))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -2.0 * raw.Log1p(raw.Abs(x))


class Square(_OfElements):
    """y = x ** 2 for x that are not negative."""

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        super().__init__(validate_args, name)

    def _positive(self, x: Tensor) -> Tensor:
        return self._checked(x, assert_non_negative, "All elements must be non-negative.")

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Square(self._positive(x))

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Sqrt(self._positive(y))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return np.log(2.0) + raw.Log(self._positive(x))


class AbsoluteValue(_OfElements):
    """y = |x|, the inverse the pair (-y, y)."""

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        super().__init__(validate_args, name, is_constant_jacobian=True)
        # 1.15 opens the scope of the name here, so that the first operations are of the second such scope.
        with self._name_scope("init"):
            pass

    @property
    def _is_injective(self) -> bool:
        return False

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Abs(x)

    def _inverse(self, y: Tensor) -> Any:
        y = self._checked(y, assert_non_negative, "Argument y was negative")
        return -y, y

    def _inverse_log_det_jacobian(self, y: Tensor) -> Any:
        zero = constant(0.0, dtype=y.dtype)
        if self._validate_args:
            zero = with_dependencies([assert_non_negative(y, message="Argument y was negative")], zero)
        return zero, zero
