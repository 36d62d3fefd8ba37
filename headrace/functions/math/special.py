"""The modified Bessel functions of the first kind (DLMF 10.25), made of those that are scaled down exponentially."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0: exp(|x|) bessel_i0e(x).

    Args:
        x: a float tensor.
        name: a name scope.
    """
    with name_scope(name, "bessel_i0", [x]):
        return raw.Exp(absolute(x)) * raw.BesselI0e(x)


def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1: exp(|x|) bessel_i1e(x).

    Args:
        x: a float tensor.
        name: a name scope.
    """
    with name_scope(name, "bessel_i1", [x]):
        return raw.Exp(absolute(x)) * raw.BesselI1e(x)
