"""Bijectors with networks inside: autoregressive flows, batch normalization, and those that take conditions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.bijector import Bijector
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.moments import moments
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.layers.classic.core import Dense, dense
from headrace.layers.classic.normalization import BatchNormalization as BatchNormalizationLayer
from headrace.ops.array.identity import stop_gradient
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.array.split import split
from headrace.ops.math.clip import clip_by_value
from headrace.ops.nn.activations import relu
from headrace.state.initializers import glorot_normal_initializer
from headrace.state.template import make_template
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import Activation, InitializerLike, TensorLike
    from headrace.state.template import Template


Network = Callable[..., Any]


def _last(x: Tensor) -> int | None:
    dims: Any = x.get_shape().with_rank_at_least(1).dims
    return None if dims is None else dims[-1].value


def _depth(x: Tensor) -> int:
    """The size of the last dimension.

    Raises:
        NotImplementedError: if it is not known.
    """
    size = _last(x)
    if size is None:
        raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
    return size


class MaskedAutoregressiveFlow(Bijector):
    """Each element scaled and shifted by what a network makes of those before it.

    Papamakarios, Pavlakou and Murray, "Masked Autoregressive Flow for Density Estimation", arXiv:1705.07057.

    Args:
        shift_and_log_scale_fn: from a value, shift and log-scale of each element, which may depend on those before it
            only; either may be None.
        is_constant_jacobian, validate_args, name: as for `Bijector`.
        unroll_loop: whether `forward` is built without a loop.

    Example:
        >>> bs = tf.contrib.distributions.bijectors
        >>> flow = bs.MaskedAutoregressiveFlow(bs.masked_autoregressive_default_template(hidden_layers=[16]))
    """

    def __init__(
        self,
        shift_and_log_scale_fn: Network,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        unroll_loop: bool = False,
        name: str | None = None,
    ) -> None:
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        self._unroll_loop = unroll_loop
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "masked_autoregressive_flow",
        )

    def _once(self, x: Tensor, y: Tensor) -> Tensor:
        """One element of `y` more that is right."""
        shift, log_scale = self._shift_and_log_scale_fn(y)
        result = x if log_scale is None else x * raw.Exp(log_scale)
        return result if shift is None else result + shift

    def _forward(self, x: Tensor) -> Tensor:
        size = _last(x)
        if self._unroll_loop:
            if size is None:
                raise ValueError(
                    "The final dimension of `x` must be known at graph construction time if `unroll_loop=True`. "
                    f"`x.shape: {x.get_shape()!r}`"
                )
            y = composing.zeros_like(x, name="y0")
            for _ in range(size):
                y = self._once(x, y)
            return y
        count = shape_internal(x)[-1]
        start = composing.zeros_like(x, name="y0")
        # Variables are made outside of the loop.
        self._shift_and_log_scale_fn(start)

        def body(index: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            with variable_scope(get_variable_scope()) as scope:
                if scope.caching_device is None and not executing_eagerly():
                    scope.set_caching_device(lambda op: op.device)
                return index + 1, self._once(x, y)

        return while_loop(lambda index, _: index < count, body, (0, start), maximum_iterations=size)[1]

    def _inverse(self, y: Tensor) -> Tensor:
        shift, log_scale = self._shift_and_log_scale_fn(y)
        x = y if shift is None else y - shift
        return x if log_scale is None else x * raw.Exp(-log_scale)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        log_scale = self._shift_and_log_scale_fn(y)[1]
        if log_scale is None:
            return convert_to_tensor(0.0, y.dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)


def _mask(blocks: int, inputs: int, outputs: int, exclusive: bool) -> np.ndarray:
    """Which inputs (rows) each output (column) may depend on: those of its block and before, or only those before."""
    block_of_input, block_of_output = (
        np.arange(inputs) // (inputs // blocks),
        np.arange(outputs) // max(outputs // blocks, 1),
    )
    if outputs // blocks == 0:
        # Fewer outputs than blocks: a block begins where the last did.
        return np.full((inputs, outputs), 1.0, np.float32) * (block_of_input < blocks)[:, None]
    distance = block_of_output[None, :] - block_of_input[:, None]
    return ((distance > 0 if exclusive else distance >= 0) & (block_of_input < blocks)[:, None]).astype(np.float32)


def masked_dense(
    inputs: Tensor,
    units: int,
    num_blocks: int | None = None,
    exclusive: bool = False,
    kernel_initializer: InitializerLike | None = None,
    reuse: bool | None = None,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Tensor:
    """A dense layer in which a block of outputs depends on the inputs of its block and those before it.

    Germain and others, "MADE: Masked Autoencoder for Distribution Estimation", arXiv:1502.03509.

    Args:
        inputs: tensor of shape [..., depth].
        units: how many outputs.
        num_blocks: into how many blocks inputs and outputs are divided.
        exclusive: whether an output does not depend on its own block either.
        kernel_initializer: of the weights that are not masked; Glorot's normal one by default.
        reuse, name: as of `tf.layers.dense`.
        *args, **kwargs: more of its arguments.

    Raises:
        NotImplementedError: if the depth is not known.
    """
    depth = _depth(inputs)
    mask = _mask(num_blocks or 1, depth, units, exclusive)
    first = glorot_normal_initializer() if kernel_initializer is None else kernel_initializer

    def masked(shape: Sequence[int], dtype: DType | None = None, partition_info: Any = None) -> Any:
        return mask * first(shape, dtype, partition_info)

    with name_scope(name, "masked_dense", [inputs, units, num_blocks]):
        make: type = Dense
        layer = make(
            units,
            *args,
            kernel_initializer=masked,
            kernel_constraint=lambda kernel: mask * kernel,
            name=name,
            dtype=inputs.dtype.base_dtype,
            _scope=name,
            _reuse=reuse,
            **kwargs,
        )
        return layer.apply(inputs)


def _clipped(x: Tensor, low: float, high: float) -> Tensor:
    """`x` between two bounds, with a gradient everywhere."""
    with name_scope(None, "clip_by_value_preserve_grad", [x, low, high]):
        return x + stop_gradient(clip_by_value(x, low, high) - x)


def masked_autoregressive_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Activation = relu,
    log_scale_min_clip: float = -5.0,
    log_scale_max_clip: float = 3.0,
    log_scale_clip_gradient: bool = False,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Template:
    """A network of masked dense layers for `MaskedAutoregressiveFlow`.

    Args:
        hidden_layers: the units of each hidden layer.
        shift_only: whether there is a shift only, no scale.
        activation: of the hidden layers.
        log_scale_min_clip, log_scale_max_clip: bounds of the log-scale.
        log_scale_clip_gradient: whether the bounds stop gradients.
        name: a name for the template.
        *args, **kwargs: more arguments of `masked_dense`.

    Returns:
        a function from a value to (shift, log-scale), whose variables are made once.
    """
    name = name or "masked_autoregressive_default_template"
    with name_scope(name, values=[log_scale_min_clip, log_scale_max_clip]):

        def network(x: Tensor) -> tuple[Tensor, Tensor | None]:
            depth = _depth(x)
            sizes: Any = x.get_shape().as_list() if x.get_shape().is_fully_defined() else shape_internal(x)
            shape = np.array(sizes, np.int32) if isinstance(sizes, list) else sizes
            layer: Callable[..., Any] = masked_dense
            for index, units in enumerate(hidden_layers):
                x = layer(x, units, *args, num_blocks=depth, exclusive=index == 0, activation=activation, **kwargs)
            outputs = (1 if shift_only else 2) * depth
            x = layer(x, outputs, *args, num_blocks=depth, activation=None, **kwargs)
            if shift_only:
                return reshape(x, shape), None
            shift, log_scale = unstack(reshape(x, composing.concat([shape, [2]], 0)), num=2, axis=-1)
            clip = clip_by_value if log_scale_clip_gradient else _clipped
            return shift, clip(log_scale, log_scale_min_clip, log_scale_max_clip)

        return make_template(name, network)


def real_nvp_default_template(
    hidden_layers: Sequence[int],
    shift_only: bool = False,
    activation: Activation = relu,
    name: str | None = None,
    *args: Any,
    **kwargs: Any,
) -> Template:
    """A network of dense layers for `RealNVP`.

    Args:
        hidden_layers: the units of each hidden layer.
        shift_only: whether there is a shift only, no scale.
        activation: of the hidden layers.
        name: a name scope.
        *args, **kwargs: more arguments of `tf.layers.dense`.

    Returns:
        a function from a value and a number of outputs to (shift, log-scale), whose variables are made once.
    """
    with name_scope(name, "real_nvp_default_template"):

        def network(x: Tensor, output_units: int) -> tuple[Tensor, Tensor | None]:
            for units in hidden_layers:
                x = dense(x, units, activation, *args, **kwargs)
            x = dense(x, (1 if shift_only else 2) * output_units, None, *args, **kwargs)
            if shift_only:
                return x, None
            shift, log_scale = split(x, 2, axis=-1)
            return shift, log_scale

        return make_template("real_nvp_default_template", network)


class BatchNormalization(Bijector):
    """Undoes batch normalization, so that `inverse` normalizes (Dinh and others, arXiv:1605.08803, section 3.7).

    Args:
        batchnorm_layer: a `tf.layers.BatchNormalization`; one with a positive gamma by default.
        training: whether `inverse` takes the batch's moments.
        validate_args, name: as for `Bijector`.

    Raises:
        ValueError: if it is no such layer, or one with renormalization or virtual batches.
    """

    def __init__(
        self,
        batchnorm_layer: Any = None,
        training: bool = True,
        validate_args: bool = False,
        name: str = "batch_normalization",
    ) -> None:
        layer = batchnorm_layer
        if layer is None:
            layer = BatchNormalizationLayer(gamma_constraint=lambda gamma: relu(gamma) + 1e-6)
        if not isinstance(layer, BatchNormalizationLayer):
            raise ValueError("batchnorm_layer must be an instance of BatchNormalization layer.")
        if layer.renorm:
            raise ValueError("BatchNorm Bijector does not support renormalization.")
        if layer.virtual_batch_size:
            raise ValueError("BatchNorm Bijector does not support virtual batch sizes.")
        self.batchnorm = layer
        self._training = training
        rank = 1 if isinstance(layer.axis, int) else len(layer.axis)
        super().__init__(forward_min_event_ndims=rank, validate_args=validate_args, name=name)

    def _axes(self, x: Tensor) -> tuple[list[int], list[int]]:
        """The axes that are normalized, and those over which it is done; the layer is built by the way."""
        if not x.get_shape().is_fully_defined():
            raise ValueError("Input must have shape known at graph construction.")
        if not self.batchnorm.built:
            self.batchnorm.build(x.get_shape())
        rank = x.get_shape().ndims or 0
        own = self.batchnorm.axis
        own = [axis % rank for axis in ([own] if isinstance(own, int) else own)]
        return own, [axis for axis in range(rank) if axis not in own]

    def _forward(self, x: Tensor) -> Tensor:
        own, others = self._axes(x)
        rank = len(own) + len(others)

        def broadcast(parameter: Any) -> Tensor:
            if len(own) == 1 and others != list(range(rank - 1)) and len(parameter.get_shape()) != rank:
                return reshape(parameter, [x.dims[axis] if axis in own else 1 for axis in range(rank)])  # type: ignore[index]  # the rank is known
            return convert_to_tensor(parameter)

        layer = self.batchnorm
        scale = raw.Sqrt(broadcast(layer.moving_variance) + layer.epsilon)
        if layer.scale:
            scale = scale / broadcast(layer.gamma)
        centre = broadcast(layer.moving_mean)
        return x * scale + (centre - broadcast(layer.beta) * scale if layer.center else centre)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.batchnorm.apply(y, training=self._training)

    def _log_det(self, y: Tensor, moving: bool) -> Tensor:
        others = self._axes(y)[1]
        layer = self.batchnorm
        variance = layer.moving_variance if moving else moments(y, axes=others, keep_dims=True)[1]
        logs = reduce_sum(raw.Log(convert_to_tensor(variance) + layer.epsilon))
        return reduce_sum(raw.Log(convert_to_tensor(layer.gamma))) - 0.5 * logs

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return self._log_det(y, moving=not self._training)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -self._log_det(x, moving=True)


class ConditionalBijector(Bijector):
    """The base of bijectors whose methods take more arguments by name and pass them on."""

    def forward(self, x: TensorLike, name: str = "forward", **condition_kwargs: Any) -> Tensor:
        """The value after, from that before."""
        return self._call_forward(x, name, **condition_kwargs)

    def inverse(self, y: Tensor | np.ndarray, name: str = "inverse", **condition_kwargs: Any) -> Any:
        """The value before, from that after."""
        return self._call_inverse(y, name, **condition_kwargs)

    def inverse_log_det_jacobian(
        self, y: TensorLike, event_ndims: int | Tensor, name: str = "inverse_log_det_jacobian", **condition_kwargs: Any
    ) -> Any:
        """The logarithm of how much `inverse` stretches space at `y`."""
        return self._call_inverse_log_det_jacobian(y, event_ndims, name, **condition_kwargs)

    def forward_log_det_jacobian(
        self, x: TensorLike, event_ndims: int | Tensor, name: str = "forward_log_det_jacobian", **condition_kwargs: Any
    ) -> Tensor:
        """The logarithm of how much `forward` stretches space at `x`."""
        return self._call_forward_log_det_jacobian(x, event_ndims, name, **condition_kwargs)
