"""A callback of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.keras.callbacks.base import Callback


class LambdaCallback(Callback):
    """Calls functions.

    Args:
        on_epoch_begin, on_epoch_end: functions of the epoch and the logs.
        on_batch_begin, on_batch_end: functions of the batch and the logs.
        on_train_begin, on_train_end: functions of the logs.
        **kwargs: functions for other methods of callbacks, and any other attributes.

    Example:
        >>> tf.keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: print(epoch, logs["loss"]))
    """

    def __init__(
        self,
        on_epoch_begin: Callable[..., Any] | None = None,
        on_epoch_end: Callable[..., Any] | None = None,
        on_batch_begin: Callable[..., Any] | None = None,
        on_batch_end: Callable[..., Any] | None = None,
        on_train_begin: Callable[..., Any] | None = None,
        on_train_end: Callable[..., Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        vars(self).update(kwargs)
        functions = {
            "on_epoch_begin": on_epoch_begin,
            "on_epoch_end": on_epoch_end,
            "on_batch_begin": on_batch_begin,
            "on_batch_end": on_batch_end,
            "on_train_begin": on_train_begin,
            "on_train_end": on_train_end,
        }
        vars(self).update({name: function for name, function in functions.items() if function is not None})
