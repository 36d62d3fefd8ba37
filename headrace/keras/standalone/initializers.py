"""`keras.initializers` by the names of Keras 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.keras.standalone.stand_in import stand_in
from headrace.state import initializers

zero, one = initializers.Zeros, initializers.Ones
VarianceScaling: Any = stand_in(
    initializers.VarianceScaling, defaults={"distribution": "normal"}, module="keras.initializers"
)


def _compute_fans(shape: Sequence[int], data_format: str = "channels_last") -> tuple[float, float]:
    """The numbers of inputs and outputs of a unit with weights of this shape.

    Args:
        shape: the shape of a matrix or kernel.
        data_format: "channels_last", or "channels_first" for kernels whose first axes are outputs and inputs.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    if data_format == "channels_first" and len(shape) in (3, 4, 5):
        shape = [*shape[2:], shape[1], shape[0]]
    return initializers.compute_fans(shape)
