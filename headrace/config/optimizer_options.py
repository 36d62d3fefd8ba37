"""`tf.config.optimizer`: what programs say about how TensorFlow should optimize graphs, which is kept and can be read."""

from __future__ import annotations

from typing import Any

from headrace.devices.process_settings import settings


def get_jit() -> bool:
    """What was set with `set_jit`."""
    return settings.jit


def set_jit(enabled: bool) -> None:
    """Asks for compilation; plans are compiled to straight-line code in any case.

    Args:
        enabled: whether it is asked for.
    """
    settings.jit = bool(enabled)


def get_experimental_options() -> dict[str, Any]:
    """What was set with `set_experimental_options`, and the defaults."""
    return {"disable_model_pruning": False, "disable_meta_optimizer": False, **settings.optimizer_options}


def set_experimental_options(options: dict[str, Any]) -> None:
    """Says which of TensorFlow's passes over graphs to use. The passes here are other ones, and results do not depend on
    either; what is said can be read again.

    Args:
        options: names of passes to bools.
    """
    settings.optimizer_options.update(options)
