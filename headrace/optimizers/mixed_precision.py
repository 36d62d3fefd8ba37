"""Asking for half precision, which wraps an optimizer in one that scales the loss."""

from __future__ import annotations

from typing import Any

from headrace.config.optimizer_options import get_experimental_options, set_experimental_options
from headrace.core import slots
from headrace.devices.process_settings import settings
from headrace.layers.policy import default_policy
from headrace.optimizers.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from headrace.optimizers.optimizer import Optimizer
from headrace.util import tf_logging as logging

_OPTION = "auto_mixed_precision"


def enable_mixed_precision_graph_rewrite(opt: Any, loss_scale: float | str = "dynamic") -> Any:
    """The optimizer with loss scaling, for training in half precision.

    As in TensorFlow on CPUs, the graph itself computes in the types it was built with; to compute in float16, cast the
    inputs and use `tf.contrib.mixed_precision` or a custom getter that keeps variables in float32.

    Args:
        opt: a `tf.train.Optimizer` or a `tf.keras.optimizers.Optimizer`.
        loss_scale: "dynamic", a number, or a `LossScale`.

    Returns:
        a `tf.train.experimental.MixedPrecisionLossScaleOptimizer`, or for an optimizer of Keras a
        `tf.keras.mixed_precision.experimental.LossScaleOptimizer`.

    Raises:
        ValueError: if `opt` is no such optimizer or scales the loss already, or layers have a policy of mixed precision.

    Example:
        >>> opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer())
    """
    for kind in ("MixedPrecisionLossScaleOptimizer", "LossScaleOptimizer"):
        if type(opt).__name__ == kind:
            raise ValueError(
                f'"opt" must not already be an instance of a {kind}. `enable_mixed_precision_graph_rewrite` will '
                f"automatically wrap the optimizer with a {kind}."
            )
    if default_policy().should_cast_variables:
        raise ValueError(
            "The mixed precision graph rewrite cannot be enabled, because a keras mixed precision Policy has been set. At "
            "most one of the two can be called: tf.keras.mixed_precision.experimental.set_policy and "
            "tf.train.experimental.enable_mixed_precision_graph_rewrite."
        )
    wrapped: Any
    if isinstance(opt, Optimizer):
        wrapped = MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    elif any(base.__name__ == "OptimizerV2" for base in type(opt).__mro__):
        wrapped = slots.keras_loss_scale_optimizer(opt, loss_scale)
    else:
        raise ValueError(
            f'"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, but got: {opt}'
        )
    if settings.full_precision_sessions:
        logging.warn(
            "There are Sessions without mixed precision already; enable_mixed_precision_graph_rewrite() changes only those "
            "that are made from now on."
        )
    set_experimental_options({_OPTION: True})
    return wrapped


def disable_mixed_precision_graph_rewrite() -> None:
    """Takes the request back, for graphs of sessions that are made from now on; optimizers stay wrapped."""
    if not get_experimental_options().get(_OPTION):
        logging.warn("disable_mixed_precision_graph_rewrite() called when mixed precision is already disabled.")
    set_experimental_options({_OPTION: False})
