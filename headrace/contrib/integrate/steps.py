"""What the solvers of differential equations share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.ops.math.add_n import add_n

if TYPE_CHECKING:
    from headrace.core.operation import Operation


def check_types(y0: Tensor, *times: Tensor) -> None:
    """Refuses values and times that are no numbers with a fraction.

    Raises:
        TypeError: for other types.
    """
    if not (y0.dtype.is_floating or y0.dtype.is_complex):
        raise TypeError("`y0` must have a floating point or complex floating point dtype")
    for name, time in zip(("t", "dt"), times, strict=False):
        if not time.dtype.is_floating:
            raise TypeError(f"`{name}` must have a floating point dtype")


def increasing(t: Tensor) -> Operation:
    """An operation that fails unless each time is later than the one before."""
    later = raw.Greater(t[1:], t[:-1])
    return Assert(raw.All(later, convert_to_tensor([0], "int32")), ["`t` must be monotonic increasing"])


def combined(weights: Sequence[Any], values: Sequence[Any], name: str | None = None) -> Tensor:
    """The sum of the values, each times its weight, a number or a tensor."""
    with name_scope(name, "dot_product", values) as scope:
        return add_n([w * v for w, v in zip(weights, values, strict=True)], name=scope)


def combined_to_scale(
    scale: Tensor, weights: Sequence[float], values: Sequence[Tensor], name: str | None = None
) -> Tensor:
    """The sum of the values, each times its weight and `scale`; a weight of 0 leaves its value out."""
    with name_scope(name, "scaled_dot_product", [scale, *values]) as scope:
        return add_n([(scale * w) * v for w, v in zip(weights, values, strict=True) if w != 0], name=scope)
