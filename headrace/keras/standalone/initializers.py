"""`keras.initializers` by the names of Keras 1."""

from __future__ import annotations

from typing import Any

from headrace.keras.standalone.stand_in import stand_in
from headrace.state import initializers

zero, one = initializers.Zeros, initializers.Ones
VarianceScaling: Any = stand_in(
    initializers.VarianceScaling, defaults={"distribution": "normal"}, module="keras.initializers"
)
