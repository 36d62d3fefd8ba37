"""Normalization of each example by itself: layer, instance and group norm, and unit length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers.scoped import NCHW, NHWC, check_data_format, finished, parameter
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float16, int32
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.moments import batch_normalization, moments, normalize_moments, sufficient_statistics
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import strided_slice
from headrace.ops.array.tile import tile
from headrace.ops.math.binary import minimum, multiply
from headrace.ops.math.division import div
from headrace.ops.math.unary import rsqrt, sqrt, square
from headrace.state.initializers import ones_initializer, zeros_initializer
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, ShapeLike, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.initializers import Ones
    from headrace.state.modes import _ReuseMode


def _beta_and_gamma(
    center: bool,
    scale: bool,
    size: ShapeLike,
    dtype: DType,
    param_initializers: Mapping[str, Ones] | None,
    variables_collections: CollectionNames | Mapping[str, Any] | None,
    trainable: bool,
    broadcast: list[int] | None = None,
) -> tuple[Any, Any]:
    """The offset and the factor of a normalization; None where it has none."""
    found: list[Any] = []
    for name, enabled, initializer in (("beta", center, zeros_initializer), ("gamma", scale, ones_initializer)):
        made = None
        if enabled:
            start = (param_initializers or {}).get(name, initializer())
            made = parameter(name, size, dtype, start, variables_collections, trainable)
            if broadcast:
                made = reshape(made, broadcast)
        found.append(made)
    return found[0], found[1]


@add_arg_scope
def layer_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    activation_fn: Activation | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: str | VariableScope | None = None,
) -> Tensor:
    """Normalizes each example over its features (https://arxiv.org/abs/1607.06450).

    Args:
        inputs: floats of rank 2 or more.
        center, scale: whether to add a beta, multiply by a gamma.
        activation_fn: a function; None changes nothing.
        reuse: whether to use the variables of `scope` that are there.
        variables_collections: collections for the variables, or a dict with those of each.
        outputs_collections: collections for the outputs.
        trainable: whether optimizers train beta and gamma.
        begin_norm_axis: the first axis to normalize over.
        begin_params_axis: the first axis along which beta and gamma vary.
        scope: the name of the variable scope.

    Returns:
        the normalized inputs.

    Raises:
        ValueError: if the rank or the shape of the parameters is not known, or an axis is out of range.

    Example:
        >>> y = tf.contrib.layers.layer_norm(x)
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        known = inputs.shape
        rank = known.ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        dtype = inputs.dtype.base_dtype
        if begin_norm_axis < 0:
            begin_norm_axis = rank + begin_norm_axis
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < rank(inputs) "
                f"({rank})"
            )
        size = known[begin_params_axis:]
        if not size.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {known}")
        beta, gamma = _beta_and_gamma(center, scale, size, dtype, None, variables_collections, trainable)
        mean, variance = moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if dtype == float16 else 1e-12
        outputs = batch_normalization(inputs, mean, variance, offset=beta, scale=gamma, variance_epsilon=epsilon)
        outputs.set_shape(known)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def instance_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Mapping[str, Ones] | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    data_format: str = NHWC,
    scope: str | VariableScope | None = None,
) -> Tensor:
    """Normalizes each channel of each example by itself (https://arxiv.org/abs/1607.08022).

    Args:
        inputs: floats of rank 3 or more, the number of channels known.
        center, scale: whether to add a beta, multiply by a gamma.
        epsilon: added to the variance.
        activation_fn: a function; None changes nothing.
        param_initializers: a dict of those for "beta" and "gamma".
        reuse, variables_collections, outputs_collections, trainable, scope: as in `layer_norm`.
        data_format: "NHWC" or "NCHW".

    Returns:
        the normalized inputs.

    Raises:
        ValueError: for another layout, or a rank or number of channels that is not known.
    """
    inputs = convert_to_tensor(inputs)
    known = inputs.shape
    rank = known.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if rank < 2:
        raise IndexError(f"instance_norm: inputs of rank 2 or more, got {inputs.shape}.")
    check_data_format(data_format)
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as opened:
        axis = 1 if data_format == NCHW else rank - 1
        broadcast = [1, known[1].value] + [1] * (rank - 2) if data_format == NCHW else None
        size = known[axis : axis + 1]
        if not size.is_fully_defined():
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {size}.")
        beta, gamma = _beta_and_gamma(
            center,
            scale,
            size,
            inputs.dtype.base_dtype,
            param_initializers,
            variables_collections,
            trainable,
            broadcast,
        )
        mean, variance = moments(inputs, [i for i in range(1, rank) if i != axis], keep_dims=True)
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def group_norm(
    inputs: TensorLike,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: Any = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
    mean_close_to_zero: bool = False,
) -> Tensor:
    """Normalizes groups of channels of each example by themselves (https://arxiv.org/abs/1803.08494).

    Args:
        inputs: floats; the sizes of the channels and of `reduction_axes` are known.
        groups: the number of groups, which divides the number of channels.
        channels_axis: the axis of the channels.
        reduction_axes: the axes to normalize over besides.
        center, scale: whether to add a beta, multiply by a gamma.
        epsilon: added to the variance.
        activation_fn: a function; None changes nothing.
        param_initializers: a dict of those for "beta" and "gamma".
        reuse, variables_collections, outputs_collections, trainable, scope: as in `layer_norm`.
        mean_close_to_zero: whether the variance may be computed from the sum of squares in one pass.

    Returns:
        the normalized inputs.

    Raises:
        ValueError: for axes out of range, sizes that are not known, or groups that do not divide the channels.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if channels_axis > rank - 1:
        raise ValueError("Axis is out of bounds.")
    dynamic = shape(inputs)
    sizes = [dynamic[i] if size.value is None else size for i, size in enumerate(inputs.shape)]
    if channels_axis < 0:
        channels_axis += rank
    reduced = [axis + rank if axis < 0 else axis for axis in reduction_axes]
    channels = _checked_channels(inputs, groups, channels_axis, reduced)
    before, after = sizes[:channels_axis], sizes[channels_axis + 1 :]
    broadcast = [1] * len(before) + [groups, channels // groups] + [1] * len(after)
    inputs = reshape(inputs, [*before, groups, channels // groups, *after])
    axes = [channels_axis + 1] + [axis + 1 if axis > channels_axis else axis for axis in reduced]
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as opened:
        beta, gamma = _beta_and_gamma(
            center,
            scale,
            [channels],
            inputs.dtype.base_dtype,
            param_initializers,
            variables_collections,
            trainable,
            broadcast,
        )
        if mean_close_to_zero:
            counts, sums, squares, _ = sufficient_statistics(inputs, axes, keep_dims=True)
            mean, variance = normalize_moments(counts, sums, squares, shift=None)
        else:
            mean, variance = moments(inputs, axes, keep_dims=True)
        gain = rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain *= gamma
            offset *= gamma
        if beta is not None:
            offset += beta
        outputs = reshape(inputs * gain + offset, sizes)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


def _checked_channels(inputs: Any, groups: int, channels_axis: int, reduced: list[int]) -> int:
    """The number of channels, which the groups divide and which are not reduced themselves."""
    channels = inputs.shape[channels_axis].value
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {channels_axis}.")
    for axis in reduced:
        if axis > inputs.shape.ndims:
            raise ValueError("Axis is out of bounds.")
        if inputs.shape[axis].value is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {axis}.")
        if channels_axis == axis:
            raise ValueError("reduction_axis must be mutually exclusive with channels_axis")
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups != 0:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    return channels


@add_arg_scope
def unit_norm(inputs: Tensor, dim: int, epsilon: float = 1e-7, scope: str | VariableScope | None = None) -> Tensor:
    """Scales the inputs to length 1 along an axis.

    Args:
        inputs: floats of a known rank.
        dim: the axis.
        epsilon: added to the square of the length.
        scope: the name of the variable scope.

    Raises:
        ValueError: if the rank is not known or `dim` is out of range.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        rank = inputs.shape.ndims
        if not rank:
            raise ValueError("The input rank must be known.")
        if dim < 0 or dim >= rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        lengths = sqrt(epsilon + reduce_sum(square(inputs), dim, True))
        multiples: list[Any] = []
        if dim > 0:
            multiples.append(ones([dim], int32))
        multiples.append(strided_slice(shape(inputs), [dim], [dim + 1]))
        if dim < rank - 1:
            multiples.append(ones([rank - 1 - dim], int32))
        return div(inputs, tile(lengths, concat(multiples, 0)))


def poincare_normalize(x: TensorLike, axis: Any = 1, epsilon: float = 1e-5, name: str | None = None) -> Tensor:
    """Scales vectors into the ball of radius 1 - epsilon (https://arxiv.org/abs/1705.08039).

    Args:
        x: floats.
        axis: the axes of the vectors.
        epsilon: how far from the edge they stay.
        name: a name for the operation.
    """
    with name_scope(name, "poincare_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        inverse = rsqrt(reduce_sum(square(x), axis, keepdims=True))
        return multiply(x, minimum((1.0 - epsilon) * inverse, 1.0), name=scope)
