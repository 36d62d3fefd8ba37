"""The layer of batch normalization (Ioffe and Szegedy 2015, https://arxiv.org/abs/1502.03167)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, bfloat16, float16, float32
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_mean
from headrace.functions.nn.moments import batch_normalization, moments
from headrace.functions.nn.normalization import fused_batch_norm
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import ones_like, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.layers import named
from headrace.layers.conditions import constant_value, smart_cond
from headrace.layers.context import training_phase
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.constant import constant
from headrace.ops.array.identity import stop_gradient
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sqrt
from headrace.ops.nn.activations import relu
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.replication import get_strategy, has_strategy
from headrace.state.updates import assign, assign_sub

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, InitializerLike, ShapeLike, TensorLike
    from headrace.state.variables import Variable


_FUSED_AXES = (-3, -1, 1, 3)


class BatchNormalization(Layer):
    """(inputs - mean) / sqrt(variance + epsilon) * gamma + beta, with the batch's moments in training and their moving
    averages otherwise.

    Args:
        axis: the axis that keeps its own mean, or a list of such: that of the channels.
        momentum: what the moving averages keep of their old value.
        epsilon: added to the variance.
        center, scale: whether there is a beta, a gamma.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer, beta_regularizer,
            gamma_regularizer, beta_constraint, gamma_constraint: as in `add_weight`.
        renorm: whether training, too, corrects towards the moving averages (https://arxiv.org/abs/1702.03275).
        renorm_clipping: bounds "rmax", "rmin" and "dmax" of the correction.
        renorm_momentum: that of the averages it is made of.
        fused: whether to use the kernel for images where it can be used; None for True.
        trainable: whether gamma and beta are trained.
        virtual_batch_size: normalizes groups of this many examples by themselves.
        adjustment: a function of the shape of the inputs that gives a random (scale, bias) for training.

    Raises:
        TypeError: for an axis of another type; ValueError: for an unknown key of `renorm_clipping`.
    """

    # Whether a layer that is not trainable uses the moving averages in training too, and complains of a `fused=True` that
    # cannot be; TensorFlow 2's class does.
    _USE_V2_BEHAVIOR = False

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: FunctionIdentifier | None = "zeros",
        gamma_initializer: FunctionIdentifier | None = "ones",
        moving_mean_initializer: FunctionIdentifier | None = "zeros",
        moving_variance_initializer: FunctionIdentifier | None = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        if not isinstance(axis, (int, list)):
            raise TypeError(f"axis must be int or list, type given: {type(axis)}")
        self.axis: Any = list(axis) if isinstance(axis, list) else axis
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = named.get_initializer(beta_initializer)
        self.gamma_initializer = named.get_initializer(gamma_initializer)
        self.moving_mean_initializer = named.get_initializer(moving_mean_initializer)
        self.moving_variance_initializer = named.get_initializer(moving_variance_initializer)
        self.beta_regularizer = named.get_regularizer(beta_regularizer)
        self.gamma_regularizer = named.get_regularizer(gamma_regularizer)
        self.beta_constraint = named.get_constraint(beta_constraint)
        self.gamma_constraint = named.get_constraint(gamma_constraint)
        self.renorm = renorm
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.supports_masking = True
        self.fused = self._whether_fused(fused)
        self._bessels_correction_test_only = True
        self.trainable = trainable
        if renorm:
            unknown = set(renorm_clipping or {}) - {"rmax", "rmin", "dmax"}
            if unknown:
                raise ValueError(f"renorm_clipping {renorm_clipping} contains keys not in ['rmax', 'rmin', 'dmax']")
            self.renorm_clipping = dict(renorm_clipping or {})
            self.renorm_momentum = renorm_momentum

    # ---- building ----

    def _whether_fused(self, fused: bool | None) -> bool | None:
        if not self._USE_V2_BEHAVIOR:
            return True if fused is None else fused
        if fused:
            self._raise_if_fused_cannot_be_used()
        # None leaves the choice to the rank of the inputs.
        return None if fused is None and self._fused_can_be_used() else bool(fused)

    def _raise_if_fused_cannot_be_used(self) -> None:
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        if self.renorm:
            raise ValueError("Passing both fused=True and renorm=True is unsupported")
        if len(axes) > 1 or axes[0] not in _FUSED_AXES:
            raise ValueError("Passing fused=True is only supported when axis is 1 or 3")
        if self.virtual_batch_size is not None:
            raise ValueError("Passing fused=True is unsupported when virtual_batch_size is specified.")
        if self.adjustment is not None:
            raise ValueError("Passing fused=True is unsupported when adjustment is specified.")

    def _fused_can_be_used(self) -> bool:
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        return (
            not self.renorm
            and len(axes) == 1
            and axes[0] in _FUSED_AXES
            and self.virtual_batch_size is None
            and self.adjustment is None
        )

    @property
    def _param_dtype(self) -> DType:
        dtype = as_dtype(self.dtype or float32)
        return float32 if dtype in (float16, bfloat16) else dtype

    def _resolve_axes(self, ndims: int) -> None:
        axes = [self.axis] if isinstance(self.axis, int) else self.axis
        self.axis = [axis + ndims if axis < 0 else axis for axis in axes]
        for axis in self.axis:
            if not 0 <= axis < ndims:
                raise ValueError(f"Invalid axis: {axis}")
        if len(self.axis) != len(set(self.axis)):
            raise ValueError(f"Duplicate axis: {self.axis}")
        if self.virtual_batch_size is None:
            return
        if self.virtual_batch_size <= 0:
            raise ValueError(
                "virtual_batch_size must be a positive integer that divides the true batch size of the input Tensor"
            )
        if 0 in self.axis:
            raise ValueError(
                "When using virtual_batch_size, the batch dimension must be 0 and thus axis cannot include 0"
            )
        if self.adjustment is not None:
            raise ValueError("When using virtual_batch_size, adjustment cannot be specified")

    def build(self, input_shape: TensorShape) -> None:
        """Makes gamma, beta and the moving averages."""
        known = TensorShape(input_shape)
        if not known.ndims:
            raise ValueError("Input has undefined rank:", known)
        ndims = known.ndims
        self._resolve_axes(ndims)
        if self._USE_V2_BEHAVIOR and self.fused and ndims != 4:
            raise ValueError("Batch normalization layers with fused=True only support 4D input tensors.")
        if self.fused or self.fused is None:
            self.fused = ndims == 4 and self._fused_can_be_used()
        if self.fused:
            if self.axis not in ([1], [3]):
                raise ValueError("Unsupported axis, fused batch norm only supports axis == [1] or axis == [3]")
            self._data_format = "NCHW" if self.axis == [1] else "NHWC"
        sizes = {axis: known[axis].value for axis in self.axis}
        if None in sizes.values():
            raise ValueError("Input has undefined `axis` dimension. Input shape: ", known)
        self.input_spec = InputSpec(ndim=ndims, axes=sizes)
        if len(sizes) == 1 and self.virtual_batch_size is None:
            # Getters of programs see which kind of sequence it is.
            param_shape: Sequence[Any] = (*sizes.values(),)
        else:
            param_shape = [sizes.get(i, 1) for i in range(ndims)]
            if self.virtual_batch_size is not None:
                # The inputs get an axis for the groups.
                param_shape.insert(1, 1)
                self.axis = [axis + 1 for axis in self.axis]
        self.gamma = self._add_parameter("gamma", param_shape) if self.scale else None
        if self.fused and not self.scale:
            self._gamma_const = constant(1.0, dtype=self._param_dtype, shape=param_shape)
        self.beta = self._add_parameter("beta", param_shape) if self.center else None
        if self.fused and not self.center:
            self._beta_const = constant(0.0, dtype=self._param_dtype, shape=param_shape)
        self._add_averages(param_shape)
        self.built = True

    def _add_parameter(self, name: str, param_shape: Sequence[Any]) -> Any:
        return self.add_weight(
            name=name,
            shape=param_shape,
            dtype=self._param_dtype,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            trainable=True,
            experimental_autocast=False,
        )

    def _add_average(self, name: str, param_shape: Sequence[Any], initializer: InitializerLike) -> Variable:
        return self.add_weight(
            name=name,
            shape=param_shape,
            dtype=self._param_dtype,
            initializer=initializer,
            synchronization=VariableSynchronization.ON_READ,
            trainable=False,
            aggregation=VariableAggregation.MEAN,
            experimental_autocast=False,
        )

    def _add_averages(self, param_shape: Sequence[Any]) -> None:
        # The moving averages are never partitioned.
        scope: Any = getattr(self, "_scope", None)
        partitioner = scope.partitioner if scope else None
        if partitioner:
            scope.set_partitioner(None)
        try:
            self.moving_mean = self._add_average("moving_mean", param_shape, self.moving_mean_initializer)
            self.moving_variance = self._add_average("moving_variance", param_shape, self.moving_variance_initializer)
            if self.renorm:

                def moving_stddev_initializer(*args: Any, **kwargs: Any) -> Tensor:
                    return sqrt(self.moving_variance_initializer(*args, **kwargs))

                with colocate_with(self.moving_variance):
                    self.moving_stddev = self._add_average("moving_stddev", param_shape, moving_stddev_initializer)
                with colocate_with(self.moving_mean):
                    self.renorm_mean = self._add_average("renorm_mean", param_shape, self.moving_mean_initializer)
                with colocate_with(self.moving_stddev):
                    self.renorm_stddev = self._add_average("renorm_stddev", param_shape, moving_stddev_initializer)
        finally:
            if partitioner:
                scope.set_partitioner(partitioner)

    # ---- the moving averages ----

    def _size_if_it_may_be_zero(self, inputs: Tensor) -> Tensor | None:
        """The size of the inputs where a replica may have none of a batch; its moving averages stay as they are then."""
        extended = get_strategy().extended if has_strategy() else None
        return raw.Size(inputs) if getattr(extended, "experimental_enable_get_next_as_optional", False) else None

    def _assign_moving_average(
        self, variable: Variable, value: TensorLike, momentum: float | Tensor, size: Tensor | None
    ) -> Tensor | Variable:
        with name_scope("AssignMovingAvg") as scope, colocate_with(variable):
            decay = convert_to_tensor(1.0 - momentum, name="decay")
            dtype = variable.dtype.base_dtype
            if decay.dtype != dtype:
                decay = cast(decay, dtype)
            change = (variable - cast(value, dtype)) * decay
            if size is not None:
                change = where(size > 0, change, zeros_like(change))
            return assign_sub(variable, change, name=scope)

    def _assign_new_value(self, variable: Variable, value: Tensor) -> Tensor | Variable:
        with name_scope("AssignNewValue") as scope, colocate_with(variable):
            return assign(variable, value, name=scope)

    def _update_variance(self, variance: Any, momentum: Any, size: Tensor | None) -> Tensor | Variable:
        if not self.renorm:
            return self._assign_moving_average(self.moving_variance, variance, momentum, size)
        stddev = self._assign_moving_average(self.moving_stddev, sqrt(variance + self.epsilon), momentum, size)
        return self._assign_new_value(self.moving_variance, relu(stddev * stddev - self.epsilon))

    # ---- calling ----

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The normalized inputs; `training` is a bool or a bool tensor."""
        training = self._get_training_value(training)
        if self.virtual_batch_size is None:
            return self._fused(inputs, training) if self.fused else self._normalized(inputs, training)
        original = [-1, *inputs.shape.as_list()[1:]]
        grouped = reshape(inputs, [self.virtual_batch_size, -1, *original[1:]])
        return reshape(self._normalized(grouped, training), original)

    def _get_training_value(self, training: Any = None) -> Any:
        training = training_phase(training)
        if not self._USE_V2_BEHAVIOR:
            return training
        known = isinstance(training, int)
        # An op, even where both are known: seeds of later initializers are numbers of ops.
        both = raw.LogicalAnd(bool(training) if known else training, self.trainable)
        return bool(training) and self.trainable if known else both

    def _fused(self, inputs: Tensor, training: bool | Tensor | Variable) -> Tensor:
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const

        def in_training() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=self._data_format)

        def otherwise() -> tuple[Tensor, Tensor, Tensor]:
            return fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                epsilon=self.epsilon,
                is_training=False,
                data_format=self._data_format,
            )

        output, mean, variance = smart_cond(training, in_training, otherwise)
        if not self._bessels_correction_test_only:
            count = cast(raw.Size(inputs) / raw.Size(variance), variance.dtype)
            variance = variance * ((count - cast(1.0, variance.dtype)) / count)
        known = constant_value(training)
        if known is None:
            momentum = smart_cond(training, lambda: self.momentum, lambda: 1.0)
        else:
            momentum = convert_to_tensor(self.momentum)
        if known or known is None:
            size = self._size_if_it_may_be_zero(inputs)
            self.add_update(lambda: self._assign_moving_average(self.moving_mean, mean, momentum, size))
            self.add_update(lambda: self._update_variance(variance, momentum, size))
        return output

    def _normalized(self, inputs: Any, training: bool | Tensor | Variable) -> Tensor:
        known = inputs.shape
        ndims = len(known)
        reduced = [i for i in range(ndims) if i not in self.axis]
        if self.virtual_batch_size is not None:
            # Each group has its own moments.
            del reduced[1]
        broadcast_shape = [1] * ndims
        broadcast_shape[self.axis[0]] = known[self.axis[0]].value

        def broadcast(value: Tensor | Variable | None) -> Tensor | Variable | None:
            if value is not None and len(value.shape) != ndims and reduced != list(range(ndims - 1)):
                return reshape(value, broadcast_shape)
            return value

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        if constant_value(training) is False:
            mean: Tensor | Variable = self.moving_mean
            variance: Tensor | Variable = self.moving_variance
        else:
            if self.adjustment:
                scale, offset = _composed(*self._adjusted(inputs, training), scale, offset)
            keep = self.virtual_batch_size is not None or len(self.axis) > 1
            mean, variance = moments(cast(inputs, self._param_dtype), reduced, keep_dims=keep)
            size = self._size_if_it_may_be_zero(inputs)
            if size is not None:
                mean, variance = (where(size > 0, value, zeros_like(value)) for value in (mean, variance))
            batch_mean, batch_variance = mean, variance
            mean = smart_cond(training, lambda: batch_mean, lambda: convert_to_tensor(self.moving_mean))
            variance = smart_cond(training, lambda: batch_variance, lambda: convert_to_tensor(self.moving_variance))
            new_mean, new_variance = mean, variance
            if self.virtual_batch_size is not None:
                new_mean = reduce_mean(mean, axis=1, keepdims=True)
                new_variance = reduce_mean(variance, axis=1, keepdims=True)
            if self.renorm:
                r, d, new_mean, new_variance = self._renormalized(new_mean, new_variance, training, size)
                r = broadcast(stop_gradient(r, name="renorm_r"))
                d = broadcast(stop_gradient(d, name="renorm_d"))
                scale, offset = _composed(r, d, scale, offset)
            self._add_updates(new_mean, new_variance, training, size)
        dtype = inputs.dtype
        mean, variance = cast(mean, dtype), cast(variance, dtype)
        offset = None if offset is None else cast(offset, dtype)
        scale = None if scale is None else cast(scale, dtype)
        outputs = batch_normalization(inputs, broadcast(mean), broadcast(variance), offset, scale, self.epsilon)
        outputs.set_shape(known)
        return outputs

    def _add_updates(
        self, mean: TensorLike, variance: TensorLike, training: bool | Tensor | Variable, size: Tensor | None
    ) -> None:
        def update_mean() -> Tensor | Variable:
            return self._assign_moving_average(self.moving_mean, mean, self.momentum, size)

        def update_variance() -> Tensor | Variable:
            return self._update_variance(variance, self.momentum, size)

        self.add_update(lambda: smart_cond(training, update_mean, lambda: self.moving_mean))
        self.add_update(lambda: smart_cond(training, update_variance, lambda: self.moving_variance))

    def _adjusted(self, inputs: TensorLike, training: TensorLike) -> tuple[Any, Any]:
        scale, bias = self.adjustment(shape(inputs))
        return (
            smart_cond(training, lambda: scale, lambda: ones_like(scale)),
            smart_cond(training, lambda: bias, lambda: zeros_like(bias)),
        )

    def _renormalized(
        self, mean: TensorLike, variance: Any, training: TensorLike, size: Tensor | None
    ) -> tuple[Any, Any, Any, Any]:
        """The correction (r, d) towards the moving averages, and the moments for their updates (arXiv:1702.03275)."""
        stddev = sqrt(variance + self.epsilon)
        renorm_mean = self.renorm_mean
        renorm_stddev = maximum(self.renorm_stddev, sqrt(self.epsilon))
        r = stddev / renorm_stddev
        d = (mean - renorm_mean) / renorm_stddev
        # The correction is that of the averages before this step.
        with control_dependencies([r, d]):
            mean = identity(mean)
            stddev = identity(stddev)
        rmin, rmax, dmax = (self.renorm_clipping.get(key) for key in ("rmin", "rmax", "dmax"))
        if rmin is not None:
            r = maximum(r, rmin)
        if rmax is not None:
            r = minimum(r, rmax)
        if dmax is not None:
            d = minimum(maximum(d, -dmax), dmax)
        clipped_r, clipped_d = r, d
        r = smart_cond(training, lambda: clipped_r, lambda: ones_like(clipped_r))
        d = smart_cond(training, lambda: clipped_d, lambda: zeros_like(clipped_d))

        def update(variable: Variable, value: Tensor) -> Any:
            value = identity(value)
            return smart_cond(
                training,
                lambda: self._assign_moving_average(variable, value, self.renorm_momentum, size),
                lambda: identity(variable),
            )

        updates = [update(self.renorm_mean, mean), update(self.renorm_stddev, stddev)]
        with control_dependencies(updates):
            return r, d, identity(mean), identity(variance)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        config = {
            **Layer.get_config(self),
            **{key: getattr(self, key) for key in ("axis", "momentum", "epsilon", "center", "scale")},
            **named.settings(
                self,
                "beta_initializer gamma_initializer moving_mean_initializer moving_variance_initializer "
                "beta_regularizer gamma_regularizer beta_constraint gamma_constraint",
            ),
        }
        if self.renorm:
            config.update(renorm=True, renorm_clipping=self.renorm_clipping, renorm_momentum=self.renorm_momentum)
        if self.virtual_batch_size is not None:
            config["virtual_batch_size"] = self.virtual_batch_size
        return config


def _composed(scale: Any, offset: Any, then_scale: Any, then_offset: Any) -> tuple[Any, Any]:
    """The scale and offset of one such step after another."""
    if then_scale is not None:
        scale *= then_scale
        offset *= then_scale
    if then_offset is not None:
        offset += then_offset
    return scale, offset
