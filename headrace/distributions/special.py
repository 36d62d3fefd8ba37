"""The normal distribution's integral and its inverse, and the logarithms of integrals that underflow.

The integral up to x is erfc(-x / sqrt(2)) / 2 (Abramowitz and Stegun, 26.2.29), for which far below 0 its asymptotic
series is taken (26.2.12).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.math.special import erf, erfc

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# Between these the direct formula of log_ndtr keeps its digits.
LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER = np.array(-10, np.float32), np.array(5, np.float32)
LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER = np.array(-20, np.float64), np.array(8, np.float64)
_BOUNDS = {
    "float32": (LOGNDTR_FLOAT32_LOWER, LOGNDTR_FLOAT32_UPPER),
    "float64": (LOGNDTR_FLOAT64_LOWER, LOGNDTR_FLOAT64_UPPER),
}


def _floating(x: TensorLike, name: str = "x") -> Tensor:
    x = convert_to_tensor(x, name=name)
    if x.dtype.base_dtype.name not in _BOUNDS:
        raise TypeError(f"{name}.dtype={x.dtype} is not handled, see docstring for supported types.")
    return x


def ndtr(x: TensorLike, name: str = "ndtr") -> Tensor:
    """The integral of the standard normal density up to `x`, of float32 or float64.

    Raises:
        TypeError: for another type.
    """
    with name_scope(name, values=[x]):
        return _ndtr(_floating(x))


def _ndtr(x: Tensor) -> Tensor:
    root = constant(0.5 * math.sqrt(2.0), x.dtype, name="half_sqrt_2")
    w = x * root
    z = raw.Abs(w)
    near, inside = raw.Less(z, root), 1.0 + erf(w)
    return 0.5 * where_v2(near, inside, where_v2(raw.Greater(w, 0.0), 2.0 - erfc(z), erfc(z)))


def log_ndtr(x: TensorLike, series_order: int = 3, name: str = "log_ndtr") -> Tensor:
    """The logarithm of `ndtr`, exact also where that underflows.

    Args:
        x: float32 or float64 tensor.
        series_order: how many terms of the asymptotic series to use far below 0, at most 30.
        name: a name for the operations.

    Raises:
        TypeError: for another type, or an order that is no int.
        ValueError: for an order out of range.
    """
    if not isinstance(series_order, int):
        raise TypeError("series_order must be a Python integer.")
    if series_order < 0:
        raise ValueError("series_order must be non-negative.")
    if series_order > 30:
        raise ValueError("series_order must be <= 30.")
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.base_dtype.name not in _BOUNDS:
            raise TypeError(f"x.dtype={x.dtype} is not supported.")
        low, high = _BOUNDS[x.dtype.base_dtype.name]
        above, at_top = raw.Greater(x, high), -_ndtr(-x)
        inside, direct = raw.Greater(x, low), raw.Log(_ndtr(raw.Maximum(x, low)))
        return where_v2(above, at_top, where_v2(inside, direct, _log_lower_tail(raw.Minimum(x, low), series_order)))


def _log_lower_tail(x: Tensor, order: int) -> Tensor:
    scale = -0.5 * raw.Square(x) - raw.Log(-x) - 0.5 * math.log(2.0 * math.pi)
    return scale + raw.Log(_asymptotic_series(x, order))


def _asymptotic_series(x: Tensor, order: int) -> Tensor:
    """1 - 1/x^2 + 3/x^4 - 15/x^6 ... (Abramowitz and Stegun, 26.2.12), positive and negative terms apart."""
    number = x.dtype.base_dtype.as_numpy_dtype
    if order == 0:
        return number(1)
    square = raw.Square(x)
    sums = [composing.zeros_like(x), composing.zeros_like(x)]
    power, factor = square, 1
    for n in range(1, order + 1):
        factor *= 2 * n - 1
        sums[n % 2] += number(factor) / power
        power *= square
    return 1.0 + sums[0] - sums[1]


# S. Moshier, "Methods and programs for mathematical functions" (1989), the Cephes library: rational approximations in
# the middle and of the two parts of the tail.
_MIDDLE = (
    [
        -5.99633501014107895267e1,
        9.80010754185999661536e1,
        -5.66762857469070293439e1,
        1.39312609387279679503e1,
        -1.23916583867381258016e0,
    ],
    [
        1.0,
        1.95448858338141759834e0,
        4.67627912898881538453e0,
        8.63602421390890590575e1,
        -2.25462687854119370527e2,
        2.00260212380060660359e2,
        -8.20372256168333339912e1,
        1.59056225126211695515e1,
        -1.18331621121330003142e0,
    ],
)
_NEAR_TAIL = (
    [
        4.05544892305962419923e0,
        3.15251094599893866154e1,
        5.71628192246421288162e1,
        4.40805073893200834700e1,
        1.46849561928858024014e1,
        2.18663306850790267539e0,
        -1.40256079171354495875e-1,
        -3.50424626827848203418e-2,
        -8.57456785154685413611e-4,
    ],
    [
        1.0,
        1.57799883256466749731e1,
        4.53907635128879210584e1,
        4.13172038254672030440e1,
        1.50425385692907503408e1,
        2.50464946208309415979e0,
        -1.42182922854787788574e-1,
        -3.80806407691578277194e-2,
        -9.33259480895457427372e-4,
    ],
)
_FAR_TAIL = (
    [
        3.23774891776946035970e0,
        6.91522889068984211695e0,
        3.93881025292474443415e0,
        1.33303460815807542389e0,
        2.01485389549179081538e-1,
        1.23716634817820021358e-2,
        3.01581553508235416007e-4,
        2.65806974686737550832e-6,
        6.23974539184983293730e-9,
    ],
    [
        1.0,
        6.02427039364742014255e0,
        3.67983563856160859403e0,
        1.37702099489081330271e0,
        2.16236993594496635890e-1,
        1.34204006088543189037e-2,
        3.28014464682127739104e-4,
        2.89247864745380683936e-6,
        6.79019408009981274425e-9,
    ],
)


def _polynomial(x: Tensor, coefficients: list[float]) -> Tensor:
    number = x.dtype.base_dtype.as_numpy_dtype
    value = composing.zeros_like(x)
    for coefficient in coefficients:
        value = number(coefficient) + value * x
    return value


def _quotient(x: Tensor, parts: tuple[list[float], list[float]]) -> Tensor:
    return _polynomial(x, parts[0]) / _polynomial(x, parts[1])


def _tail_quotient(z: Tensor, parts: tuple[list[float], list[float]]) -> Tensor:
    return _polynomial(1.0 / z, parts[0]) / _polynomial(1.0 / z, parts[1]) / z


def ndtri(p: Tensor | np.ndarray, name: str = "ndtri") -> Tensor:
    """The inverse of `ndtr`.

    Raises:
        TypeError: unless `p` is float32 or float64.
    """
    with name_scope(name, values=[p]):
        p = _floating(p, "p")
        number, edge = p.dtype.base_dtype.as_numpy_dtype, math.exp(-2.0)
        mirrored = where_v2(p > 1.0 - edge, 1.0 - p, p)
        # Values that the logarithm cannot take are replaced, and the results with them.
        safe = where_v2(mirrored <= 0.0, raw.Fill(shape_internal(p), number(0.5)), mirrored)
        w = safe - 0.5
        square = w**2
        middle = (w + w * square * _quotient(square, _MIDDLE)) * -math.sqrt(2.0 * math.pi)
        z = raw.Sqrt(-2.0 * raw.Log(safe))
        first = z - raw.Log(z) / z
        far, near = _tail_quotient(z, _FAR_TAIL), _tail_quotient(z, _NEAR_TAIL)
        far, near = first - far, first - near
        x = where_v2(safe > edge, middle, where_v2(z >= 8.0, far, near))
        x = where_v2(p > 1.0 - edge, x, -x)
        infinity = constant(np.inf, dtype=p.dtype)
        infinity = raw.Fill(shape_internal(p), infinity)
        return where_v2(p <= 0.0, -infinity, where_v2(p >= 1.0, infinity, x))


def erfinv(x: TensorLike, name: str = "erfinv") -> Tensor:
    """The inverse of the error function.

    Raises:
        TypeError: unless `x` is float32 or float64.
    """
    with name_scope(name, values=[x]):
        return ndtri((_floating(x) + 1.0) / 2.0) / math.sqrt(2.0)


def log_cdf_laplace(x: TensorLike, name: str = "log_cdf_laplace") -> Tensor:
    """The logarithm of the standard Laplace distribution's integral up to `x`."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        below = -math.log(2.0) + x
        above = raw.Log1p(-0.5 * raw.Exp(-raw.Abs(x)))
        return where_v2(x < 0.0, below, above)
