"""Batch normalization (Ioffe and Szegedy 2015, https://arxiv.org/abs/1502.03167)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers import utils
from headrace.contrib.layers.scoped import (
    NCHW,
    NHWC,
    add_variable_to_collections,
    check_data_format,
    finished,
    layer_scope,
    parameter,
)
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.dtypes import float32
from headrace.functions.nn.moments import batch_normalization, moments, weighted_moments
from headrace.functions.nn.normalization import fused_batch_norm
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape
from headrace.layers.classic.normalization import BatchNormalization
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.optimizers.moving_averages import assign_moving_average
from headrace.state.initializers import ones_initializer, zeros_initializer
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.modes import _ReuseMode
    from headrace.state.variables import Variable


# What each parameter starts from unless `param_initializers` says otherwise.
_INITIALIZERS = {
    "beta": zeros_initializer,
    "gamma": ones_initializer,
    "moving_mean": zeros_initializer,
    "moving_variance": ones_initializer,
}


class _Settings(NamedTuple):
    """How to normalize: what `batch_norm` was given beside the inputs and what is done to all outputs."""

    decay: Any
    center: bool
    scale: bool
    epsilon: float
    param_initializers: Any
    param_regularizers: Any
    updates_collections: Any
    is_training: Any
    variables_collections: Any
    trainable: bool
    batch_weights: Any
    fused: bool
    data_format: str
    zero_debias_moving_mean: bool
    renorm: bool
    renorm_clipping: Any
    renorm_decay: float
    adjustment: Any

    @property
    def has_plain_updates(self) -> bool:
        """Whether they are those of the layer of `tf.layers`, which collects its updates in one way only."""
        return self.updates_collections is GraphKeys.UPDATE_OPS and not self.zero_debias_moving_mean

    def uses_image_kernel(self, rank: int | None) -> bool:
        """Whether inputs of a rank go to the kernel for images by a way of their own."""
        can_be_fused = self.batch_weights is None and not self.renorm and rank in (2, 4) and self.adjustment is None
        return self.fused and can_be_fused and (not self.has_plain_updates or rank == 2)


class _Parameters:
    """The variables of a batch normalization, and the updates of its moving averages."""

    def __init__(self, initializers: Any, regularizers: Any, collections: Any, trainable: bool, size: Any, dtype: Any):
        self._initializers = initializers or {}
        self._regularizers = regularizers or {}
        self._collections, self._trainable, self.size, self._dtype = collections, trainable, size, dtype

    def _make(self, name: str, trainable: bool) -> Variable:
        return parameter(
            name,
            self.size,
            self._dtype,
            self._initializers.get(name, _INITIALIZERS[name]()),
            self._collections,
            trainable,
            self._regularizers.get(name) if trainable or name in ("beta", "gamma") else None,
        )

    def trained(self, name: str) -> Any:
        """Beta or gamma."""
        return self._make(name, self._trainable)

    def moving(self) -> tuple[Any, Any]:
        """The moving mean and variance, which are never partitioned."""
        with variable_scope(get_variable_scope()) as scope:
            scope.set_partitioner(None)
            return self._make("moving_mean", False), self._make("moving_variance", False)


def _update(moving: Sequence[TensorLike], values: Sequence[Tensor], decay: float, zero_debias: bool) -> tuple[Any, Any]:
    return (
        assign_moving_average(moving[0], values[0], decay, zero_debias=zero_debias),
        assign_moving_average(moving[1], values[1], decay, zero_debias=False),
    )


def _fused_batch_norm(
    inputs: TensorLike,
    how: _Settings,
    activation_fn: Any,
    reuse: bool | _ReuseMode | None,
    outputs_collections: CollectionNames | None,
    scope: str | VariableScope | None,
) -> Tensor:
    """By the kernel for images; matrices are seen as images of one point."""
    check_data_format(how.data_format)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        original = inputs
        rank = inputs.shape.ndims
        if rank == 2:
            channels = inputs.shape[-1].value
            if channels is None:
                raise ValueError("`C` dimension must be known but is None")
            inputs = reshape(inputs, [-1, channels, 1, 1] if how.data_format == NCHW else [-1, 1, 1, channels])
        known = inputs.shape
        size = known[-1:] if how.data_format == NHWC else known[1:2]
        if not size.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined `C` dimension {size}.")
        parameters = _Parameters(
            how.param_initializers, how.param_regularizers, how.variables_collections, how.trainable, size, float32
        )
        beta = parameters.trained("beta") if how.center else constant(0.0, dtype=float32, shape=size)
        gamma = parameters.trained("gamma") if how.scale else constant(1.0, dtype=float32, shape=size)
        moving = parameters.moving()

        def in_training() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(inputs, gamma, beta, epsilon=how.epsilon, data_format=how.data_format)

        def otherwise() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=moving[0],
                variance=moving[1],
                epsilon=how.epsilon,
                is_training=False,
                data_format=how.data_format,
            )

        outputs, mean, variance = utils.smart_cond(how.is_training, in_training, otherwise)
        if utils.constant_value(how.is_training) in (None, True):
            normalized = outputs

            def update() -> tuple[Tensor | Variable, Tensor | Variable]:
                return _update(moving, (mean, variance), how.decay, how.zero_debias_moving_mean)

            def updated_first() -> Tensor:
                with control_dependencies(list(update())):
                    return identity(normalized)

            if how.updates_collections is None:
                outputs = utils.smart_cond(how.is_training, updated_first, lambda: normalized)
            else:
                for updated in utils.smart_cond(how.is_training, update, lambda: moving):
                    get_default_graph().add_to_collections(how.updates_collections, updated)
        outputs.set_shape(known)
        if rank == 2:
            outputs = reshape(outputs, shape(original))
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Activation | None = None,
    param_initializers: Any = None,
    param_regularizers: Mapping[str, Callable[..., Any]] | None = None,
    updates_collections: CollectionNames | None = GraphKeys.UPDATE_OPS,
    is_training: TensorLike = True,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: Sequence[str] | Mapping[str, Sequence[str] | None] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    batch_weights: TensorLike | None = None,
    fused: bool | None = None,
    data_format: str = NHWC,
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Mapping[str, float] | None = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Tensor:
    """Normalizes by the moments of the batch in training, by their moving averages otherwise.

    Args:
        inputs: floats of rank 2 or more.
        decay: what the moving averages keep of their old value.
        center, scale: whether to add a beta, multiply by a gamma.
        epsilon: added to the variance.
        activation_fn: a function; None changes nothing.
        param_initializers, param_regularizers: dicts of those for "beta", "gamma", "moving_mean", "moving_variance".
        updates_collections: the collections that the updates of the moving averages join; None updates them whenever
            the outputs are computed.
        is_training: a bool or a bool tensor.
        reuse: whether to use the variables of `scope` that are there.
        variables_collections: collections for the variables, or a dict with those of each.
        outputs_collections: collections for the outputs.
        trainable: whether optimizers train beta and gamma.
        batch_weights: a vector with the weight of each example.
        fused: whether to use the kernel for images where it can be used; None for True.
        data_format: "NHWC" or "NCHW".
        zero_debias_moving_mean: whether to correct the moving mean for having begun at 0.
        scope: the name of the variable scope.
        renorm, renorm_clipping, renorm_decay, adjustment: as in `tf.layers.batch_normalization`.

    Returns:
        the normalized inputs.

    Raises:
        ValueError: for arguments that do not go together, another layout, or shapes that are not known enough.

    Example:
        >>> is_training = tf.placeholder_with_default(False, [])
        >>> net = tf.contrib.layers.batch_norm(x, is_training=is_training)
        >>> with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        ...     train_op = optimizer.minimize(loss)
    """
    how = _Settings(
        *(decay, center, scale, epsilon, param_initializers, param_regularizers, updates_collections, is_training),
        *(variables_collections, trainable, batch_weights, True if fused is None else fused, data_format),
        *(zero_debias_moving_mean, renorm, renorm_clipping, renorm_decay, adjustment),
    )
    inputs = convert_to_tensor(inputs)
    if how.uses_image_kernel(inputs.shape.ndims):
        return _fused_batch_norm(inputs, how, activation_fn, reuse, outputs_collections, scope)
    check_data_format(data_format)
    with layer_scope(scope, "BatchNorm", inputs, reuse) as opened:
        outputs = _normalized(convert_to_tensor(inputs), how, reuse, opened)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


def _normalized(inputs: Tensor, how: _Settings, reuse: bool | _ReuseMode | None, scope: Any) -> Any:
    """By the layer of `tf.layers` where that can do it."""
    if how.batch_weights is not None or not how.has_plain_updates:
        if how.renorm:
            raise ValueError(
                "renorm is not supported with batch_weights, updates_collections or zero_debias_moving_mean"
            )
        return _unfused(inputs, how)
    start = {**{name: make() for name, make in _INITIALIZERS.items()}, **(how.param_initializers or {})}
    losses = how.param_regularizers or {}
    layer = BatchNormalization(
        axis=1 if how.data_format == NCHW else -1,
        momentum=how.decay,
        epsilon=how.epsilon,
        center=how.center,
        scale=how.scale,
        beta_initializer=start["beta"],
        gamma_initializer=start["gamma"],
        moving_mean_initializer=start["moving_mean"],
        moving_variance_initializer=start["moving_variance"],
        beta_regularizer=losses.get("beta"),
        gamma_regularizer=losses.get("gamma"),
        trainable=how.trainable,
        renorm=how.renorm,
        renorm_clipping=how.renorm_clipping,
        renorm_momentum=how.renorm_decay,
        adjustment=how.adjustment,
        name=scope.name,
        _scope=scope,
        _reuse=reuse,
        fused=how.fused,
    )
    outputs = layer.apply(inputs, training=how.is_training)
    for name in ("moving_mean", "moving_variance", "beta", "gamma"):
        if getattr(layer, name) is not None:
            add_variable_to_collections(getattr(layer, name), how.variables_collections, name)
    return outputs


def _unfused(inputs: Tensor, how: _Settings) -> Tensor:
    """By moments and arithmetic, with weights for the examples if there are any."""
    known = inputs.shape
    if known.ndims is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    rank = known.ndims
    batch_weights = how.batch_weights
    if batch_weights is not None:
        batch_weights = convert_to_tensor(batch_weights)
        known[0:1].assert_is_compatible_with(batch_weights.shape)
        batch_weights = reshape(batch_weights, [-1] + [1] * (rank - 1))
    second = how.data_format == NCHW
    axes = [0, *range(2, rank)] if second else list(range(rank - 1))
    size = known[1:2] if second else known[-1:]
    if not size.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {size}.")
    parameters = _Parameters(
        how.param_initializers, None, how.variables_collections, how.trainable, size, inputs.dtype.base_dtype
    )
    beta = parameters.trained("beta") if how.center else None
    gamma = parameters.trained("gamma") if how.scale else None
    moving = parameters.moving()
    mean, variance = moving
    if utils.constant_value(how.is_training) in (None, True):
        if batch_weights is None:
            mean, variance = moments(inputs, axes, keep_dims=True if second else None)
        else:
            mean, variance = weighted_moments(inputs, axes, batch_weights, keepdims=True if second else None)
        if second:
            mean, variance = reshape(mean, [-1]), reshape(variance, [-1])
        found = (mean, variance)

        def update() -> tuple[Tensor, Tensor]:
            return _update(moving, found, how.decay, how.zero_debias_moving_mean)

        def updated_first() -> tuple[Tensor, Tensor]:
            with control_dependencies(list(update())):
                return identity(found[0]), identity(found[1])

        if how.updates_collections is None:
            mean, variance = utils.smart_cond(how.is_training, updated_first, lambda: moving)
        else:
            for updated in utils.smart_cond(how.is_training, update, lambda: moving):
                get_default_graph().add_to_collections(how.updates_collections, updated)
            mean, variance = utils.smart_cond(how.is_training, lambda: found, lambda: moving)
    if second:
        broadcast = [1, known[1].value] + [1] * (rank - 2)
        mean, variance = reshape(mean, broadcast), reshape(variance, broadcast)
        beta = None if beta is None else reshape(beta, broadcast)
        gamma = None if gamma is None else reshape(gamma, broadcast)
    outputs = batch_normalization(inputs, mean, variance, beta, gamma, how.epsilon)
    outputs.set_shape(known)
    return outputs
