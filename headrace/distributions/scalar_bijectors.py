"""Bijectors of single numbers that are distribution functions, and the one of sinh and arcsinh.

Distribution functions: Johnson, Kotz and Balakrishnan, "Continuous univariate distributions", volume 1 (1994), chapter
21 (Weibull), and volume 2 (1995), chapter 22 (Gumbel); M. Jones, "Kumaraswamy's distribution: a beta-type distribution
with some tractability advantages", Statistical Methodology 6 (2009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.bijector import Bijector
from headrace.distributions.gamma import checked_positive
from headrace.functions.flow.checks import (
    assert_less_equal,
    assert_non_negative,
    assert_positive,
    assert_same_float_dtype,
)
from headrace.kernels import composing
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class _Scalar(Bijector):
    """The base of these: parameters made into tensors under the scope `init`."""

    def _begin(self, name: str, validate_args: bool, positive: tuple[str, ...], **parameters: Any) -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)
        with self._name_scope("init", list(parameters.values())):
            tensors = {key: convert_to_tensor(value, name=key) for key, value in parameters.items()}
            assert_same_float_dtype(list(tensors.values()))
            for key, tensor in tensors.items():
                if validate_args and key in positive:
                    check = assert_positive(tensor, message=f"Argument {key} was not positive")
                    tensor = with_dependencies([check], tensor)
                setattr(self, f"_{key}", tensor)

    def _within(self, y: Tensor) -> Tensor:
        """`y`, checked to lie between 0 and 1."""
        if not self.validate_args:
            return y
        above = "Inverse transformation input must be greater than 0."
        below = "Inverse transformation input must be less than or equal to 1."
        checks = [
            assert_non_negative(y, message=above),
            assert_less_equal(y, constant(1.0, y.dtype), message=below),
        ]
        return with_dependencies(checks, y)


class Gumbel(_Scalar):
    """y = exp(-exp(-(x - loc) / scale)), the distribution function of a Gumbel distribution."""

    _loc: Tensor
    _scale: Tensor

    def __init__(
        self, loc: TensorLike = 0.0, scale: TensorLike = 1.0, validate_args: bool = False, name: str = "gumbel"
    ) -> None:
        self._begin(name, validate_args, ("scale",), loc=loc, scale=scale)

    @property
    def loc(self) -> Tensor:
        """The mode."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The spread."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        z = (x - self._loc) / self._scale
        return raw.Exp(-raw.Exp(-z))

    def _inverse(self, y: Tensor) -> Tensor:
        y = self._within(y)
        return self._loc - self._scale * raw.Log(-raw.Log(y))

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y = self._within(y)
        return raw.Log(self._scale / (-raw.Log(y) * y))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        z = (x - self._loc) / self._scale
        return -z - raw.Exp(-z) - raw.Log(self._scale)


class Weibull(_Scalar):
    """y = 1 - exp(-(x / scale) ** concentration), the distribution function of a Weibull distribution."""

    _scale: Tensor
    _concentration: Tensor

    def __init__(
        self,
        scale: TensorLike = 1.0,
        concentration: TensorLike = 1.0,
        validate_args: bool = False,
        name: str = "weibull",
    ) -> None:
        self._begin(name, validate_args, ("scale", "concentration"), scale=scale, concentration=concentration)

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    @property
    def concentration(self) -> Tensor:
        """The exponent."""
        return self._concentration

    def _positive(self, x: Tensor) -> Tensor:
        if not self.validate_args:
            return x
        message = "Forward transformation input must be at least 0."
        return with_dependencies([assert_non_negative(x, message=message)], x)

    def _forward(self, x: Tensor) -> Tensor:
        return -raw.Expm1(-((self._positive(x) / self._scale) ** self._concentration))

    def _inverse(self, y: Tensor) -> Tensor:
        return self._scale * (-raw.Log1p(-self._within(y))) ** (1 / self._concentration)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y = self._within(y)
        power = 1 / self._concentration - 1
        return -raw.Log1p(-y) + power * raw.Log(-raw.Log1p(-y)) + raw.Log(self._scale / self._concentration)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x, k = self._positive(x), self._concentration
        stretch = (k - 1) * raw.Log(x) + raw.Log(k) - k * raw.Log(self._scale)
        return -((x / self._scale) ** k) + stretch


class Kumaraswamy(_Scalar):
    """y = (1 - (1 - x) ** (1 / b)) ** (1 / a): uniform numbers become those of Kumaraswamy's distribution.

    Args:
        concentration1: a.
        concentration0: b.
        validate_args, name: as for `Bijector`.
    """

    _concentration1: Tensor
    _concentration0: Tensor

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)
        parts = {"concentration1": concentration1, "concentration0": concentration0}
        with self._name_scope("init", list(parts.values())):
            for key, value in parts.items():
                tensor = convert_to_tensor(value, name=key)
                setattr(self, f"_{key}", checked_positive(tensor) if validate_args else tensor)

    @property
    def concentration1(self) -> Tensor:
        """a."""
        return self._concentration1

    @property
    def concentration0(self) -> Tensor:
        """b."""
        return self._concentration0

    def _within(self, y: Tensor) -> Tensor:
        if not self.validate_args:
            return y
        positive = assert_non_negative(y, message="sample must be non-negative")
        one = composing.ones([], self._concentration0.dtype)
        below = assert_less_equal(y, one, message="sample must be no larger than `1`.")
        return with_dependencies([positive, below], y)

    def _forward(self, x: Tensor) -> Tensor:
        rest = raw.Exp(raw.Log1p(-self._within(x)) / self._concentration0)
        return raw.Exp(raw.Log1p(-rest) / self._concentration1)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Exp(raw.Log1p(-((1 - self._within(y) ** self._concentration1) ** self._concentration0)))

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y, a, b = self._within(y), self._concentration1, self._concentration0
        return raw.Log(a) + raw.Log(b) + (a - 1) * raw.Log(y) + (b - 1) * raw.Log1p(-(y**a))


def _hypotenuse(x: Tensor) -> Tensor:
    """sqrt(x^2 + 1) that does not overflow."""
    small = raw.Abs(x) * np.sqrt(np.finfo(x.dtype.as_numpy_dtype).eps) <= 1.0
    return where_v2(small, raw.Sqrt(x**2.0 + 1.0), raw.Abs(x))


class SinhArcsinh(_Scalar):
    """y = sinh((arcsinh(x) + skewness) tailweight): Jones and Pewsey, "Sinh-arcsinh distributions" (2009)."""

    _skewness: Tensor
    _tailweight: Tensor

    def __init__(
        self,
        skewness: TensorLike | None = None,
        tailweight: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "SinhArcsinh",
    ) -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)
        with self._name_scope("init", [skewness, tailweight]):
            self._skewness = convert_to_tensor(0.0 if skewness is None else skewness, name="skewness")
            tailweight = 1.0 if tailweight is None else tailweight
            self._tailweight = convert_to_tensor(tailweight, self._skewness.dtype, name="tailweight")
            assert_same_float_dtype([self._skewness, self._tailweight])
            if validate_args:
                check = assert_positive(self._tailweight, message="Argument tailweight was not positive")
                self._tailweight = with_dependencies([check], self._tailweight)

    @property
    def skewness(self) -> Tensor:
        """The skewness."""
        return self._skewness

    @property
    def tailweight(self) -> Tensor:
        """How heavy the tails are, 1 as they were."""
        return self._tailweight

    def _forward(self, x: Tensor) -> Tensor:
        return raw.Sinh((raw.Asinh(x) + self._skewness) * self._tailweight)

    def _inverse(self, y: Tensor) -> Tensor:
        return raw.Sinh(raw.Asinh(y) / self._tailweight - self._skewness)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        derivative = raw.Cosh(raw.Asinh(y) / self._tailweight - self._skewness)
        return raw.Log(derivative / _hypotenuse(y)) - raw.Log(self._tailweight)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        derivative = raw.Cosh((raw.Asinh(x) + self._skewness) * self._tailweight)
        return raw.Log(derivative / _hypotenuse(x)) + raw.Log(self._tailweight)
