"""Whether the ways of TensorFlow 2 are in force: 1.x's `tensorflow.python.tf2`."""

from __future__ import annotations

from headrace.core import v2_switches


def enable() -> None:
    """Says that they are; `tf.enable_v2_behavior` also switches to them."""
    v2_switches.all_of_them = True


def disable() -> None:
    """Says that they are not."""
    v2_switches.all_of_them = False


def enabled() -> bool:
    """Whether they are: asked for by the program, or by TF2_BEHAVIOR in the environment."""
    return v2_switches.all_of_them
