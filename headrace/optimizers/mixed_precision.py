"""Asking for half precision, which wraps an optimizer in one that scales the loss."""

from __future__ import annotations

from headrace.config.optimizer_options import get_experimental_options, set_experimental_options
from headrace.optimizers.loss_scale_optimizer import MixedPrecisionLossScaleOptimizer
from headrace.optimizers.optimizer import Optimizer
from headrace.util import tf_logging as logging

_OPTION = "auto_mixed_precision"


def enable_mixed_precision_graph_rewrite(
    opt: int | Optimizer, loss_scale: float | str = "dynamic"
) -> MixedPrecisionLossScaleOptimizer:
    """The optimizer with loss scaling, for training in half precision.

    As in TensorFlow on CPUs, the graph itself computes in the types it was built with; to compute in float16, cast the
    inputs and use `tf.contrib.mixed_precision` or a custom getter that keeps variables in float32.

    Args:
        opt: a `tf.train.Optimizer`.
        loss_scale: "dynamic", a number, or a `LossScale`.

    Returns:
        a `tf.train.experimental.MixedPrecisionLossScaleOptimizer`.

    Raises:
        ValueError: if `opt` is no such optimizer, or scales the loss already.

    Example:
        >>> opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(tf.train.AdamOptimizer())
    """
    for kind in ("MixedPrecisionLossScaleOptimizer", "LossScaleOptimizer"):
        if type(opt).__name__ == kind:
            raise ValueError(
                f'"opt" must not already be an instance of a {kind}. `enable_mixed_precision_graph_rewrite` will '
                f"automatically wrap the optimizer with a {kind}."
            )
    if any(base.__name__ == "OptimizerV2" for base in type(opt).__mro__):
        raise NotImplementedError(
            "enable_mixed_precision_graph_rewrite takes optimizers of tf.train; got one of tf.keras.optimizers for 'opt'."
        )
    if not isinstance(opt, Optimizer):
        raise ValueError(
            f'"opt" must be an instance of a tf.train.Optimizer or a tf.keras.optimizers.Optimizer, but got: {opt}'
        )
    wrapped = MixedPrecisionLossScaleOptimizer(opt, loss_scale)
    set_experimental_options({_OPTION: True})
    return wrapped


def disable_mixed_precision_graph_rewrite() -> None:
    """Takes the request back, for graphs of sessions that are made from now on; optimizers stay wrapped."""
    if not get_experimental_options().get(_OPTION):
        logging.warn("disable_mixed_precision_graph_rewrite() called when mixed precision is already disabled.")
    set_experimental_options({_OPTION: False})
