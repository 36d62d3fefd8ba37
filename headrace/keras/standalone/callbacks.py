"""`keras.callbacks`: those that look for a metric find it by the name it had before Keras 2.3 too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.keras.callbacks import learning_rates, model_checkpoint, stopping
from headrace.keras.callbacks.base import CallbackList as CallbackList
from headrace.keras.standalone.history import with_both_names
from headrace.keras.standalone.stand_in import stand_in

_LOOKING: dict[str, type] = {
    "EarlyStopping": stopping.EarlyStopping,
    "ModelCheckpoint": model_checkpoint.ModelCheckpoint,
    "ReduceLROnPlateau": learning_rates.ReduceLROnPlateau,
}


def _on_epoch_end(base: type) -> Callable[..., None]:
    def on_epoch_end(self: Any, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Looks at the epoch's metrics."""
        both = with_both_names(logs)
        known = set(both)
        base.on_epoch_end(self, epoch, both)  # type: ignore[attr-defined]  # callbacks have it
        if logs is not None:
            # What it reports itself, such as the learning rate.
            logs.update({key: value for key, value in both.items() if key not in known})

    return on_epoch_end


def __getattr__(name: str) -> Any:
    """A callback, made when it is first asked for."""
    if name not in _LOOKING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = _LOOKING[name]
    made = stand_in(base, module="keras.callbacks", members={"on_epoch_end": _on_epoch_end(base)})
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted(["CallbackList", *_LOOKING])
