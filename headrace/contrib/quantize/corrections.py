"""What makes a folded batch normalisation train as the unfolded one does.

While training, a folded layer scales its weights by the moving variance, which moves slowly enough to be quantised.
The result is then corrected to what the statistics of the batch give; once these are frozen, no longer.

R. Krishnamoorthi, "Quantizing deep convolutional networks for efficient inference", arXiv:1806.08342, section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from headrace.contrib.layers.utils import smart_cond
from headrace.contrib.quantize.rewiring import quantization_step, reroute
from headrace.core.defaults import get_default_graph
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import ones, zeros
from headrace.ops.math.binary import multiply
from headrace.ops.math.comparison import greater_equal
from headrace.ops.math.division import divide
from headrace.ops.math.unary import reciprocal, rsqrt


class Statistics(NamedTuple):
    """The tensors of a batch normalisation.

    Attributes:
        gamma: the scale.
        mean, variance: of the batch while training, else the moving ones.
        moving_mean, moving_variance: as they are before the step's update, None at inference.
        mean_decay, variance_decay: what the updates of these are multiplied with, None at inference.
        epsilon: what is added to the variance.
    """

    gamma: Any
    mean: Any
    variance: Any
    moving_mean: Any
    moving_variance: Any
    mean_decay: Any
    variance_decay: Any
    epsilon: Any


class Corrections(NamedTuple):
    """Factor of the weights, factor of the layer's result, and what is added to that."""

    scale: Any
    reciprocal: Any
    offset: Any


NO_CORRECTIONS = Corrections(None, None, None)


def corrections(context: str, statistics: Statistics, freeze_delay: int | None) -> Corrections:
    """The corrections of a layer.

    Args:
        context: the scope to name them in, with a final slash, or "".
        statistics: the tensors of its batch normalisation.
        freeze_delay: after how many steps the moving averages are kept as they are and used for training too; None
            for never.

    Raises:
        TypeError: if the moving averages have not been found.
    """
    s = statistics
    if any(t is None for t in (s.moving_mean, s.moving_variance, s.mean_decay, s.variance_decay)):
        raise TypeError(
            "Folding a batch normalisation for training needs its moving averages, updated as tf.contrib.layers.batch_norm "
            f"and tf.layers.batch_normalization do with training=True; there are none of {s.mean!r}."
        )
    with get_default_graph().name_scope(f"{context}batch_norm_correction"):
        recip_sigma_moving = rsqrt(s.moving_variance + s.epsilon)
        recip_sigma = rsqrt(s.variance + s.epsilon)
        scale = identity(divide(recip_sigma_moving, recip_sigma, name="scale_compute"), name="correction_scale")
        recip = reciprocal(scale, name="reciprocal_compute")
        offset = multiply(s.gamma, s.mean * recip_sigma - s.moving_mean * recip_sigma_moving, name="offset_compute")
        frozen: bool | Tensor = False
        if freeze_delay is not None:
            frozen = greater_equal(quantization_step(), freeze_delay, name="use_moving_average")

        def choose(name: str, when_frozen: Callable[[], Any], else_: Callable[[], Any]) -> Tensor:
            return smart_cond(frozen, when_frozen, else_, name=name)

        def itself(tensor: Tensor) -> Callable[[], Any]:
            return lambda: tensor

        for name, decay in (("freeze_moving_mean", s.mean_decay), ("freeze_moving_var", s.variance_decay)):
            consumers = decay.consumers()
            chosen = choose(name, lambda: 0.0, itself(decay))
            if isinstance(chosen, Tensor) and chosen is not decay:
                reroute(chosen, decay, consumers)
        return Corrections(
            scale,
            choose("correction_recip", lambda: ones(scale.shape), itself(recip)),
            choose("correction_offset", lambda: offset, lambda: zeros(offset.shape)),
        )
