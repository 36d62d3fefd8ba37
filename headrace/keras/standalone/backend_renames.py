"""`keras.backend`: its functions that Keras 1 called the arguments of otherwise, and those it called otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.backend import arithmetic, arrays, convolution, random
from headrace.keras.standalone.renames import _DATA_FORMAT, Arguments, Renames, accepting

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

_UNUSED = "the shapes are known without it."
_SHAPES = dict.fromkeys(("image_shape", "volume_shape", "filter_shape"), _UNUSED)
_LAYOUT = {"border_mode": "padding", "dim_ordering": "data_format"}
_CONVOLUTION = Renames({**_LAYOUT, "filter_dilation": "dilation_rate"}, _DATA_FORMAT, dropped=_SHAPES)
_POOLING = Renames(_LAYOUT, _DATA_FORMAT)
_FORMAT = Renames({"dim_ordering": "data_format"}, _DATA_FORMAT)


def _in_pairs(given: list[Any], named: dict[str, Any]) -> Arguments:
    """A padding that is the same on both sides of an axis, as a pair."""

    def pairs(padding: Any) -> Any:
        if isinstance(padding, int):
            return (padding, padding)
        if isinstance(padding, Sequence) and all(isinstance(side, int) for side in padding):
            return tuple((side, side) for side in padding)
        return padding

    if "padding" in named:
        named["padding"] = pairs(named["padding"])
    return [*given[:1], *map(pairs, given[1:2]), *given[2:]], named


def _step(given: list[Any], named: dict[str, Any]) -> Arguments:
    if "padding" in named and isinstance(named["padding"], int):
        named["padding"] = (named["padding"], named["padding"])
    if len(given) > 1 and isinstance(given[1], int):
        given = [given[0], (given[1], given[1]), *given[2:]]
    return given, named


_PADDING = Renames({"dim_ordering": "data_format"}, _DATA_FORMAT, prepare=_in_pairs)

random_normal = accepting(Renames({"std": "stddev"}))(random.random_normal)
random_uniform = accepting(Renames({"low": "minval", "high": "maxval"}))(random.random_uniform)
one_hot = accepting(Renames({"nb_classes": "num_classes"}))(arrays.one_hot)
expand_dims = accepting(Renames({"dim": "axis"}))(arrays.expand_dims)
conv1d = accepting(Renames({"stride": "strides", "border_mode": "padding"}, dropped=_SHAPES))(convolution.conv1d)
conv2d = accepting(_CONVOLUTION)(convolution.conv2d)
conv3d = accepting(_CONVOLUTION)(convolution.conv3d)
separable_conv2d = accepting(_CONVOLUTION)(convolution.separable_conv2d)
deconv2d = accepting(_CONVOLUTION, "deconv2d")(convolution.conv2d_transpose)
pool2d = accepting(_POOLING)(convolution.pool2d)
pool3d = accepting(_POOLING)(convolution.pool3d)
resize_images = accepting(_FORMAT)(arrays.resize_images)
resize_volumes = accepting(_FORMAT)(arrays.resize_volumes)
bias_add = accepting(_FORMAT)(convolution.bias_add)
spatial_2d_padding = accepting(_PADDING)(arrays.spatial_2d_padding)
spatial_3d_padding = accepting(_PADDING)(arrays.spatial_3d_padding)
temporal_padding = accepting(Renames(prepare=_step))(arrays.temporal_padding)


def lesser(x: TensorLike, y: TensorLike) -> Tensor:
    """Where x < y; `less` is its name today."""
    return arithmetic.less(x, y)


def lesser_equal(x: TensorLike, y: TensorLike) -> Tensor:
    """Where x <= y; `less_equal` is its name today."""
    return arithmetic.less_equal(x, y)


def pack(x: Sequence[TensorLike]) -> Tensor:
    """Tensors stacked along a new first axis; `stack` is its name today."""
    return arrays.stack(list(x))
