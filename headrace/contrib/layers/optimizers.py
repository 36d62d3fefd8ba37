"""`optimize_loss`: a training step with decay, clipping, noise and summaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection
from headrace.core.dtypes import float32
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_scalar
from headrace.kernels.composing.filling import ones_like
from headrace.ops.array.where import where
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_global_norm, global_norm
from headrace.ops.math.unary import exp, log, sqrt, square
from headrace.ops.random.normal import truncated_normal
from headrace.optimizers.adagrad import AdagradOptimizer, FtrlOptimizer
from headrace.optimizers.adam import AdamOptimizer
from headrace.optimizers.descent import GradientDescentOptimizer, MomentumOptimizer
from headrace.optimizers.moving_averages import assign_moving_average
from headrace.optimizers.optimizer import Optimizer
from headrace.optimizers.rmsprop import RMSPropOptimizer
from headrace.state.collecting import trainable_variables
from headrace.state.global_step import assert_global_step, get_global_step
from headrace.state.initializers import constant_initializer, zeros_initializer
from headrace.state.variable_scope import get_variable, variable_scope
from headrace.summary import operations as summary

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Optimizer]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = ["learning_rate", "loss", "gradients", "gradient_norm", "global_gradient_norm"]

Gradients = list[tuple[Any, Any]]


def optimize_loss(
    loss: Tensor,
    global_step: Variable,
    learning_rate: float | None,
    optimizer: object,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: dict[Any, Any] | None = None,
    clip_gradients: float | str | Callable[..., Any] | None = None,
    learning_rate_decay_fn: Callable[..., Any] | None = None,
    update_ops: Any = None,
    variables: Any = None,
    name: str | None = None,
    summaries: list[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Tensor:
    """A training step.

    Args:
        loss: a scalar.
        global_step: the step counter; the graph's by default.
        learning_rate: a float or scalar tensor, or None where the optimizer knows it.
        optimizer: a name of `OPTIMIZER_CLS_NAMES`, an optimizer, its class, or a function of the learning rate.
        gradient_noise_scale: the size of noise to add to gradients (Neelakantan et al., arXiv:1511.06807).
        gradient_multipliers: factors of gradients by variable or name.
        clip_gradients: the largest global norm, or a function of (gradient, variable) pairs.
        learning_rate_decay_fn: a function of the learning rate and the step counter.
        update_ops: operations to run before; `GraphKeys.UPDATE_OPS` by default.
        variables: those to train; all trainable ones by default.
        name: the name of the variable scope.
        summaries: names of `OPTIMIZER_SUMMARIES`; loss, learning rate and norm by default.
        colocate_gradients_with_ops: whether gradients stay on the devices of what they are of.
        increment_global_step: whether the step counts.

    Returns:
        the loss; computing it does the step.

    Raises:
        ValueError: for arguments of a wrong kind.

    Example:
        >>> train_op = tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "SGD", clip_gradients=5.0)
    """
    loss = convert_to_tensor(loss)
    assert_scalar(loss)
    if global_step is None:
        global_step = get_global_step()
    else:
        assert_global_step(global_step)
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        loss = _after_updates(loss, update_ops)
        rate = _learning_rate(learning_rate)
        summaries = _checked_summaries(summaries)
        if learning_rate is not None and learning_rate_decay_fn is not None:
            rate = _decayed(rate, learning_rate_decay_fn, global_step, summaries)
        opt = _optimizer(optimizer, rate, learning_rate is not None)
        gradients = opt.compute_gradients(
            loss,
            trainable_variables() if variables is None else variables,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gradient_noise_scale is not None:
            gradients = _with_noise(gradients, gradient_noise_scale)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
        of_norm = "global_gradient_norm" in summaries or "gradient_norm" in summaries
        if of_norm:
            summary.scalar("global_norm/gradient_norm", global_norm([gradient for gradient, _ in gradients]))
        gradients = _clipped(gradients, clip_gradients)
        if "loss" in summaries:
            summary.scalar("loss", loss)
        _summarize(gradients, summaries)
        if clip_gradients is not None and of_norm:
            summary.scalar("global_norm/clipped_gradient_norm", global_norm([gradient for gradient, _ in gradients]))
        updates = opt.apply_gradients(
            gradients, global_step=global_step if increment_global_step else None, name="train"
        )
        return with_dependencies([updates], loss)


def _after_updates(loss: Tensor, update_ops: Any) -> Any:
    if update_ops is None:
        update_ops = list(dict.fromkeys(get_collection(GraphKeys.UPDATE_OPS)))
    return with_dependencies(list(update_ops), loss) if update_ops else loss


def _learning_rate(learning_rate: float | None) -> Variable | None:
    if learning_rate is None or (isinstance(learning_rate, Tensor) and learning_rate.shape.ndims == 0):
        return learning_rate
    if not isinstance(learning_rate, float):
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {learning_rate} of type {type(learning_rate)}"
        )
    if learning_rate < 0.0:
        raise ValueError("Invalid learning_rate %s.", learning_rate)
    return get_variable("learning_rate", [], trainable=False, initializer=constant_initializer(learning_rate))


def _decayed(rate: Any, decay: Callable[..., Any], global_step: Variable, summaries: list[str]) -> Any:
    if global_step is None:
        raise ValueError("global_step is required for learning_rate_decay_fn.")
    rate = decay(rate, global_step)
    if "learning_rate" in summaries:
        summary.scalar("learning_rate", rate)
    return rate


def _checked_summaries(summaries: list[str] | None) -> list[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for one in summaries:
        if one not in OPTIMIZER_SUMMARIES:
            raise ValueError(f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {one}.")
    return summaries


def _optimizer(optimizer: Any, rate: TensorLike | None, rate_given: bool) -> Optimizer:
    if isinstance(optimizer, Optimizer):
        return optimizer
    is_class = isinstance(optimizer, type) and issubclass(optimizer, Optimizer)
    if isinstance(optimizer, str) or is_class:
        kind = "class" if is_class else "string"
        if rate is None:
            raise ValueError(f"Learning rate is None, but should be specified if optimizer is {kind} ({optimizer}).")
        if is_class:
            return optimizer(learning_rate=rate)
        if optimizer not in OPTIMIZER_CLS_NAMES:
            raise ValueError(
                f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided {optimizer}."
            )
        return OPTIMIZER_CLS_NAMES[optimizer](learning_rate=rate)
    if callable(optimizer):
        made = optimizer(rate) if rate_given else optimizer()
        if not isinstance(made, Optimizer):
            raise ValueError(f"Unrecognized optimizer: function should return subclass of Optimizer. Got {made}.")
        return made
    raise ValueError(
        "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass of Optimizer or function "
        f"with one argument. Got {optimizer}."
    )


def _values(gradient: TensorLike) -> Any:
    return gradient.values if isinstance(gradient, IndexedSlices) else gradient


def _summarize(gradients: Gradients, summaries: list[str]) -> None:
    for gradient, variable in gradients:
        values = _values(gradient)
        if values is None:
            continue
        name = variable.name.replace(":", "_")
        if "gradients" in summaries:
            summary.histogram(f"gradients/{name}", values)
        if "gradient_norm" in summaries:
            summary.scalar(f"gradient_norm/{name}", global_norm([values]))


def _scaled(gradient: Tensor, factor: Tensor) -> Tensor:
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor


def _with_noise(gradients: Gradients, scale: float) -> Gradients:
    noisy = []
    for gradient, variable in gradients:
        if gradient is not None:
            size = gradient.dense_shape if isinstance(gradient, IndexedSlices) else gradient.shape
            gradient = gradient + truncated_normal(size) * scale
        noisy.append((gradient, variable))
    return noisy


def _multiplied(gradients: Gradients, multipliers: dict[Any, Any]) -> Gradients:
    found = []
    for gradient, variable in gradients:
        key = variable if variable in multipliers else variable.name
        if gradient is not None and key in multipliers:
            factor = multipliers[key]
            gradient = _scaled(
                gradient, factor if isinstance(gradient, IndexedSlices) else cast(factor, gradient.dtype)
            )
        found.append((gradient, variable))
    if not found:
        raise ValueError(
            "Empty list of (gradient, var) pairs encountered. This is most likely to be caused by an improper value of "
            "gradient_multipliers."
        )
    return found


def _clipped(gradients: Gradients, clip: Any) -> Gradients:
    if isinstance(clip, float):
        clipped, _ = clip_by_global_norm([gradient for gradient, _ in gradients], clip)
        return [(gradient, variable) for gradient, (_, variable) in zip(clipped, gradients)]
    if callable(clip):
        return clip(gradients)
    if clip is not None:
        raise ValueError(f"Unknown type {type(clip)} for clip_gradients")
    return gradients


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: TensorLike | None = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[Gradients], Gradients]:
    """A function for `clip_gradients` that scales gradients down whose norm is unusual.

    Usual is what is below exp(mean + std_factor * deviation) of the moving statistics of log(norm).

    Args:
        std_factor: how many standard deviations of the log of the norm are usual.
        decay: that of the moving averages of the log of the norm.
        static_max_norm: a largest norm besides.
        global_step: the step counter, for averages that find their level sooner.
        report_summary: whether to make a summary of the largest norm.
        epsilon: added where a log or root is taken.
        name: the name of the variable scope.
    """

    def clip(gradients: Gradients) -> Gradients:
        norm = global_norm([gradient for gradient, _ in gradients])
        most, log_mean = _adaptive_max_norm(norm, std_factor, decay, global_step, epsilon, name)
        if report_summary:
            summary.scalar("global_norm/adaptive_max_gradient_norm", most)
        factor = where(norm < most, ones_like(norm), exp(log_mean) / norm)
        if static_max_norm is not None:
            factor = minimum(static_max_norm / norm, factor)
        return [(None if gradient is None else _scaled(gradient, factor), v) for gradient, v in gradients]

    return clip


def _adaptive_max_norm(
    norm: Tensor, std_factor: float, decay: float, global_step: Any, epsilon: float, name: str | None
) -> tuple[Any, Any]:
    with variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm = log(norm + epsilon)

        def average(of: str, value: Tensor) -> Tensor:
            kept = get_variable(
                of, shape=value.shape, dtype=value.dtype, initializer=zeros_initializer(), trainable=False
            )
            return assign_moving_average(kept, value, decay, zero_debias=False)

        if global_step is not None:
            n = cast(global_step, float32)
            decay = minimum(decay, n / (n + 1.0))
        mean = average("mean", log_norm)
        variance = average("sq_mean", square(log_norm)) - square(mean)
        std = sqrt(maximum(epsilon, variance))
        return exp(mean + std_factor * std), mean
