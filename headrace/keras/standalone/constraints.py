"""`keras.constraints` by the names of Keras 1."""

from __future__ import annotations

from typing import Any

from headrace.keras.constraints import MaxNorm, NonNeg, UnitNorm
from headrace.keras.standalone.renames import Renames, accepting

# Their arguments in Keras 1.
_RENAMES = Renames({"m": "max_value"})


@accepting(_RENAMES)
def maxnorm(*args: Any, **kwargs: Any) -> MaxNorm:
    """Weights of at most a norm; `m` is what `max_value` was called."""
    return MaxNorm(*args, **kwargs)


nonneg, unitnorm = NonNeg, UnitNorm
