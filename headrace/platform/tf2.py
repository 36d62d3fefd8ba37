"""Whether the ways of TensorFlow 2 are in force: 1.x's `tensorflow.python.tf2`."""

from __future__ import annotations

from headrace.platform.behavior import disable_v2_behavior, enable_v2_behavior


def enable() -> None:
    """Refuses, as `tf.enable_v2_behavior` does."""
    enable_v2_behavior()


def disable() -> None:
    """Leaves things as they are."""
    disable_v2_behavior()


def enabled() -> bool:
    """Never."""
    return False
