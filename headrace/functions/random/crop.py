"""Random crops of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.kernels import composing
from headrace.ops.flow.assertion import all_of
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def random_crop(value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of `value` of shape `size`, from a place chosen at random.

    Args:
        value: the tensor to crop.
        size: int32 vector of the rank of `value`; a dimension is left whole by giving its full size.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of shape `size`.

    Raises:
        InvalidArgumentError: at run time, if `value` is smaller than `size`.

    Example:
        >>> tf.random_crop(image, [24, 24, 3])
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, "int32", name="size")
        shape = composing.shape(value)
        fits = raw.GreaterEqual(shape, size)
        check = Assert(all_of(fits), ["Need value.shape >= size, got ", shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        limit = raw.AddV2(raw.Sub(shape, size, name="sub"), 1, name="add")
        highest = size.dtype.max
        offset = random_uniform(composing.shape(shape), dtype=size.dtype, maxval=highest, seed=seed)
        return raw.Slice(value, raw.FloorMod(offset, limit, name="mod"), size, name=scope)
