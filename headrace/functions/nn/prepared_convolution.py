"""A convolution of inputs of a known rank and channel count, whose settings are checked before the first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.nn.convolution_functions import conv1d, conv2d
from headrace.functions.nn.dilated import dilate
from headrace.functions.nn.spatial_arguments import strides_and_rates

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class Convolution:
    """Slides filters of one shape over inputs of one shape, as `tf.nn.convolution` does, without a name scope.

    Args:
        input_shape: the static shape of the inputs.
        filter_shape: that of the filters, spatial axes first.
        padding: "SAME" or "VALID"; for images also a list of 4 pairs, one for each axis.
        strides, dilation_rate: one for each spatial axis; 1 where not given.
        name: the name of the operation.
        data_format: "NWC", "NHWC", "NDHWC" or the same with "NC" first.

    Raises:
        ValueError: if the shapes or settings do not fit one another.
    """

    def __init__(
        self,
        input_shape: Any,
        filter_shape: Any,
        padding: Any,
        strides: Sequence[int] | None = None,
        dilation_rate: Sequence[int] | None = None,
        name: str | None = None,
        data_format: str | None = None,
    ) -> None:
        input_shape, filter_shape = TensorShape(input_shape), TensorShape(filter_shape)
        rank = filter_shape.ndims if input_shape.ndims is None else input_shape.ndims
        if rank is None:
            raise ValueError("rank of input or filter must be known")
        self._spatial = rank - 2
        for what, shape in (("input", input_shape), ("filter", filter_shape)):
            if shape.ndims not in (None, rank):
                raise ValueError(f"{what} tensor must have rank {rank}, got shape {shape}")
        second = data_format is not None and data_format.startswith("NC")
        if not input_shape.dims[1 if second else rank - 1].is_compatible_with(filter_shape.dims[rank - 2]):
            raise ValueError(
                "number of input channels does not match corresponding dimension of filter, "
                f"{input_shape.dims[1 if second else rank - 1]} != {filter_shape.dims[rank - 2]}"
            )
        stride, rates = strides_and_rates(self._spatial, strides, dilation_rate)
        self._stride = stride.tolist()
        self._strides = [1, 1, *self._stride] if second else [1, *self._stride, 1]
        self._rate = convert_to_tensor(rates, "int32", name="dilation_rate")
        self._plain = bool((rates == 1).all())
        self._filter_shape = filter_shape
        self._padding, self._data_format, self._name = padding, data_format, name

    def __call__(self, inp: Any, filter: Any) -> Tensor:
        """The convolution of `inp` by `filter`."""
        if self._plain:
            return self._apply(inp, filter, self._padding)
        return dilate(
            inp,
            inp.dims,
            self._rate,
            self._padding,
            lambda blocks, count, padding: self._apply(blocks, filter, padding),
            self._filter_shape,
            None,
            self._data_format,
            self._filter_shape.dims[-1].value,
        )

    def _apply(self, value: TensorLike, weights: TensorLike, padding: Any) -> Tensor:
        if self._spatial == 1:
            return conv1d(
                value, weights, self._stride[0], padding, data_format=self._data_format or "NWC", name=self._name
            )
        apply = conv2d if self._spatial == 2 else raw.Conv3D
        return apply(
            value,
            weights,
            strides=self._strides,
            padding=padding,
            data_format=self._data_format,
            name=self._name,
        )
