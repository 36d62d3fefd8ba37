"""The public functions over the pooling ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.nn.dilated import with_space_to_batch
from headrace.functions.nn.spatial_arguments import channel_axis, for_every_axis, strides_and_rates
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def _pooled(
    kind: str,
    value: TensorLike,
    spatial: int,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str,
    name: str | None,
) -> Tensor:
    channel = channel_axis(data_format, spatial)
    ksize = for_every_axis(ksize, spatial, channel, "ksize")
    strides = for_every_axis(strides, spatial, channel, "strides")
    apply = getattr(raw, f"{kind}Pool" if spatial == 2 else f"{kind}Pool3D")
    return apply(value, ksize=ksize, strides=strides, padding=padding, data_format=data_format, name=name)


def _pooled_1d(
    kind: str, value: TensorLike, ksize: Any, strides: Any, padding: str, data_format: str | None, name: str
) -> Tensor:
    """A pool over sequences: over images of height 1."""
    data_format = data_format or "NWC"
    channel = channel_axis(data_format, 1)
    ksize = [1, *for_every_axis(ksize, 1, channel, "ksize")]
    strides = [1, *for_every_axis(strides, 1, channel, "strides")]
    axis, image_format = (1, "NHWC") if data_format == "NWC" else (2, "NCHW")
    image = expand_dims(value, axis)
    apply = getattr(raw, f"{kind}Pool")
    result = apply(image, ksize=ksize, strides=strides, padding=padding, data_format=image_format, name=name)
    return squeeze(result, axis)


def max_pool(
    value: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The largest value of every window.

    Args:
        value: images, [batch, height, width, channels] ("NHWC") or [batch, channels, height, width] ("NCHW").
        ksize: the size of the window: an int, or a list of 1, 2 or 4.
        strides: by how much it moves, likewise.
        padding: "SAME" (windows reach over the edges) or "VALID".
        data_format: "NHWC" or "NCHW".
        name: a name for the operation.
        input: another name of `value`.

    Returns:
        a tensor laid out as `value`.

    Raises:
        ValueError: if the window is larger than the images, or of size 0.

    Example:
        >>> tf.nn.max_pool(tf.ones([1, 28, 28, 32]), 2, 2, "SAME").shape
        TensorShape([Dimension(1), Dimension(14), Dimension(14), Dimension(32)])
    """
    value = first_given("input", input, "value", value)
    with name_scope(name, "MaxPool", [value]) as scope:
        data_format = data_format or "NHWC"
        ksize = for_every_axis(ksize, 2, channel_axis(data_format, 2), "ksize")
        if 0 in ksize:
            raise ValueError("ksize cannot be zero.")
        return _pooled("Max", value, 2, ksize, strides, padding, data_format, scope)


def avg_pool(
    value: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of every window; what lies over the edges does not count.

    Args:
        value: images of floats, [batch, height, width, channels] or "NCHW".
        ksize, strides, padding, data_format: as for `max_pool`.
        name: a name for the operation.
        input: another name of `value`.

    Returns:
        a tensor laid out as `value`.
    """
    with name_scope(name, "AvgPool", [value]) as scope:
        value = first_given("input", input, "value", value)
        return _pooled("Avg", value, 2, ksize, strides, padding, data_format or "NHWC", scope)


def max_pool1d(
    input: TensorLike,
    ksize: int,
    strides: int,
    padding: str,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The largest value of every window of sequences [batch, width, channels] ("NWC"; or "NCW")."""
    with name_scope(name, "MaxPool1d", [input]) as scope:
        return _pooled_1d("Max", input, ksize, strides, padding, data_format, scope)


def max_pool2d(
    input: TensorLike,
    ksize: int,
    strides: int,
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest value of every window of images: `max_pool` under its later name."""
    with name_scope(name, "MaxPool2d", [input]) as scope:
        return _pooled("Max", input, 2, ksize, strides, padding, data_format or "NHWC", scope)


def max_pool3d(
    input: TensorLike,
    ksize: int | Sequence[int],
    strides: int | Sequence[int],
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest value of every window of volumes [batch, depth, height, width, channels] ("NDHWC"; or "NCDHW")."""
    with name_scope(name, "MaxPool3D", [input]) as scope:
        return _pooled("Max", input, 3, ksize, strides, padding, data_format or "NDHWC", scope)


def avg_pool1d(
    input: TensorLike,
    ksize: int,
    strides: int,
    padding: str,
    data_format: str | None = "NWC",
    name: str | None = None,
) -> Tensor:
    """The mean of every window of sequences [batch, width, channels] ("NWC"; or "NCW")."""
    with name_scope(name, "AvgPool1D", [input]) as scope:
        return _pooled_1d("Avg", input, ksize, strides, padding, data_format, scope)


def avg_pool3d(
    input: TensorLike,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of every window of volumes [batch, depth, height, width, channels] ("NDHWC"; or "NCDHW")."""
    with name_scope(name, "AvgPool3D", [input]) as scope:
        return _pooled("Avg", input, 3, ksize, strides, padding, data_format or "NDHWC", scope)


def max_pool_v2(
    input: TensorLike,
    ksize: int,
    strides: int,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The largest value of every window of sequences, images or volumes, as their rank says.

    Args:
        input: of rank 3, 4 or 5.
        ksize, strides: an int, or a list: one for all axes, each spatial axis, or each axis.
        padding: "SAME" or "VALID".
        data_format: channels last by default, second for one that begins with "NC".
        name: a name for the operation.

    Raises:
        ValueError: for another rank.
    """
    return _pooled_by_rank("Max", input, ksize, strides, padding, data_format, name)


def avg_pool_v2(
    input: TensorLike,
    ksize: int,
    strides: int,
    padding: str,
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The mean of every window of sequences, images or volumes; the arguments are those of `max_pool_v2`."""
    return _pooled_by_rank("Avg", input, ksize, strides, padding, data_format, name)


def _pooled_by_rank(
    kind: str, value: TensorLike, ksize: int, strides: int, padding: str, data_format: str | None, name: str | None
) -> Tensor:
    shape = getattr(value, "shape", None)
    if shape is not None:
        spatial = len(shape) - 2
    elif data_format is not None:
        spatial = len(data_format) - 2
    else:
        raise ValueError("The input must have a rank or a data format must be given.")
    if not 1 <= spatial <= 3:
        raise ValueError(f"Input tensor must be of rank 3, 4 or 5 but was {spatial + 2}.")
    if spatial == 1:
        function = max_pool1d if kind == "Max" else avg_pool1d
        return function(value, ksize, strides, padding, data_format, name)
    plain = "NHWC" if spatial == 2 else "NDHWC"
    return _pooled(kind, value, spatial, ksize, strides, padding, data_format or plain, name)


def max_pool_with_argmax(
    input: TensorLike,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
    include_batch_in_index: bool = False,
) -> Any:
    """The largest value of every window, and where it is.

    Args:
        input: images, [batch, height, width, channels].
        ksize, strides, padding: as for `max_pool`, lists of 4.
        data_format: "NHWC" only.
        Targmax: the type of the places, int32 or int64, the default.
        name: a name for the operation.
        output_dtype: another name of `Targmax`.
        include_batch_in_index: count places over the whole batch: ((b * height + y) * width + x) * channels + c; else
            over each image: (y * width + x) * channels + c.

    Returns:
        (output, argmax), of the same shape.

    Raises:
        ValueError: for another `data_format`.
    """
    if data_format != "NHWC":
        raise ValueError("Data formats other than 'NHWC' are not yet supported")
    return raw.MaxPoolWithArgmax(
        input,
        ksize=ksize,
        strides=strides,
        padding=padding,
        Targmax=first_given("output_dtype", output_dtype, "Targmax", Targmax),
        include_batch_in_index=include_batch_in_index,
        name=name,
    )


def max_pool_with_argmax_v2(
    input: TensorLike,
    ksize: int,
    strides: int | Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """As `max_pool_with_argmax`, where a number, or one an axis of the image, does for `ksize` and `strides`."""
    return max_pool_with_argmax(
        input,
        for_every_axis(ksize, 2, 3, "ksize"),
        for_every_axis(strides, 2, 3, "strides"),
        padding,
        data_format,
        output_dtype=output_dtype,
        name=name,
        include_batch_in_index=include_batch_in_index,
    )


def pool(
    input: TensorLike,
    window_shape: Sequence[int],
    pooling_type: str,
    padding: str,
    dilation_rate: Sequence[int] | None = None,
    strides: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
) -> Tensor:
    """Pools over sequences, images or volumes, with windows that may be dilated.

    Args:
        input: of shape [batch] + spatial axes + [channels], or with the channels second.
        window_shape: one to three ints.
        pooling_type: "MAX" or "AVG".
        padding: "SAME" or "VALID"; only "VALID" together with dilation.
        dilation_rate: how far apart the elements of a window are, one int a spatial axis.
        strides: by how much it moves, one int a spatial axis; not together with dilation, nor more than the window.
        name: a name for the operation.
        data_format: "NWC", "NHWC", "NDHWC", or the same with "NC" first.
        dilations: another name of `dilation_rate`.

    Returns:
        a tensor laid out as `input`.

    Raises:
        ValueError: if the arguments do not fit.
    """
    rates = first_given("dilations", dilations, "dilation_rate", dilation_rate)
    with name_scope(name, f"{pooling_type.lower()}_pool", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        spatial = len(window_shape)
        if not 1 <= spatial <= 3:
            raise ValueError("It is required that 1 <= num_spatial_dims <= 3.")
        input.shape.with_rank(spatial + 2)
        strides, rates = strides_and_rates(spatial, strides, rates)
        if padding == "SAME" and (rates > 1).any():
            raise ValueError("pooling with SAME padding is not implemented for dilation_rate > 1")
        if (strides > np.array(window_shape)).any():
            raise ValueError(
                "strides > window_shape not supported due to inconsistency between CPU and GPU implementations"
            )
        if pooling_type not in ("MAX", "AVG"):
            raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
        second = data_format is not None and data_format.startswith("NC")
        ksize = [1, 1, *window_shape] if second else [1, *window_shape, 1]
        steps = [1, 1, *strides.tolist()] if second else [1, *strides.tolist(), 1]
        first_axis = 2 if second else 1
        if spatial == 1:
            if data_format not in (None, "NWC", "NCW"):
                raise ValueError('data_format must be either "NWC" or "NCW".')
            data_format_of_op = "NCHW" if second else "NHWC"
            ksize, steps = [1, *ksize], [1, *steps]
        else:
            data_format_of_op = data_format or ("NHWC" if spatial == 2 else "NDHWC")
        function: Callable[..., Any]
        if spatial == 3:
            function = max_pool3d if pooling_type == "MAX" else avg_pool3d
        else:
            function = max_pool if pooling_type == "MAX" else avg_pool

        def pooled(blocks: Tensor, count: int, inner_padding: str) -> Tensor:
            if spatial == 1:
                blocks = expand_dims(blocks, first_axis)
            result = function(blocks, ksize, steps, inner_padding, data_format=data_format_of_op, name=scope)
            return squeeze(result, [first_axis]) if spatial == 1 else result

        axes = range(first_axis, first_axis + spatial)
        return with_space_to_batch(input, rates, padding, pooled, window_shape, axes)
