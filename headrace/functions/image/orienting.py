"""Images turned around: flipped, rotated by right angles, transposed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import case
from headrace.functions.flow.cond import cond
from headrace.functions.image.checking import checked_image
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.reverse import reverse
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import round as rounded
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


_RANKS = "'image' must have either 3 or 4 dimensions."


def _with_shape_of(image: Tensor, result: Tensor) -> Tensor:
    result.set_shape([None, None, None] if image.dims is None else image.dims)
    return result


def _rank(image: Tensor) -> int:
    """3, also where the rank is unknown, or 4. Raises ValueError for another."""
    rank = image.get_shape().ndims
    if rank not in (None, 3, 4):
        raise ValueError(_RANKS)
    return rank or 3


def _flipped(image: TensorLike, axis: int, scope: str) -> Tensor:
    with name_scope(None, scope, [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        if _rank(image) == 4:
            return reverse(image, [axis + 1])
        return _with_shape_of(image, reverse(image, [axis]))


def flip_left_right(image: TensorLike) -> Tensor:
    """Images with their columns in the other order.

    Args:
        image: tensor of shape [height, width, channels] or [batch, height, width, channels].

    Raises:
        ValueError: for another rank.
    """
    return _flipped(image, 1, "flip_left_right")


def flip_up_down(image: TensorLike) -> Tensor:
    """Images with their rows in the other order. Argument as for `flip_left_right`."""
    return _flipped(image, 0, "flip_up_down")


def _flipped_at_random(image: Tensor | np.ndarray, axis: int, seed: int | None, scope: str) -> Tensor:
    with name_scope(None, scope, [image]) as name:
        image = checked_image(convert_to_tensor(image, name="image"))
        if _rank(image) == 3:
            drawn = random_uniform([], 0, 1.0, seed=seed)
            flip = raw.Less(drawn, 0.5)
            return _with_shape_of(image, cond(flip, lambda: reverse(image, [axis]), lambda: image, name=name))
        batch = shape_internal(image)[0]
        drawn = random_uniform([batch], 0, 1.0, seed=seed)
        flips = cast(rounded(reshape(drawn, [batch, 1, 1, 1])), image.dtype)
        return flips * reverse(image, [axis + 1]) + (1 - flips) * image


def random_flip_left_right(image: Tensor | np.ndarray, seed: int | None = None) -> Tensor:
    """Images of which each, with probability 1/2, has its columns in the other order.

    Args:
        image: tensor of shape [height, width, channels] or [batch, height, width, channels].
        seed: the seed of the drawing.

    Raises:
        ValueError: for another rank.

    Example:
        >>> tf.image.random_flip_left_right(tf.zeros([4, 4, 3]), seed=1)
        <tf.Tensor 'random_flip_left_right/Merge:0' shape=(4, 4, 3) dtype=float32>
    """
    return _flipped_at_random(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image: np.ndarray, seed: int | None = None) -> Tensor:
    """Images of which each, with probability 1/2, has its rows in the other order. As `random_flip_left_right`."""
    return _flipped_at_random(image, 0, seed, "random_flip_up_down")


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Images turned counter-clockwise by right angles.

    Args:
        image: tensor of shape [height, width, channels] or [batch, height, width, channels].
        k: int32 scalar, how many right angles.
        name: a name for the operations.

    Raises:
        ValueError: for another rank, or a `k` that is no scalar.
    """
    with name_scope(name, "rot90", [image, k]) as scope:
        image = checked_image(convert_to_tensor(image, name="image"))
        k = convert_to_tensor(k, "int32", name="k")
        k.get_shape().assert_has_rank(0)
        k = raw.FloorMod(k, 4)
        rank = _rank(image)
        rows = rank - 3
        order = [1, 0, 2] if rank == 3 else [0, 2, 1, 3]
        turns = (
            lambda: transpose(reverse(image, [rows + 1]), order),
            lambda: reverse(image, [rows, rows + 1]),
            lambda: reverse(transpose(image, order), [rows + 1]),
        )
        pairs = [(raw.Equal(k, count), turn) for count, turn in enumerate(turns, 1)]
        result: Tensor = case(pairs, default=lambda: image, exclusive=True, name=scope)
        dims = result.dims if rank == 4 else image.dims
        if rank == 4:
            result.set_shape([dims[0] if dims else None, None, None, dims[3] if dims else None])
        else:
            result.set_shape([None, None, dims[2] if dims else None])
        return result


def transpose_image(image: TensorLike, name: str | None = None) -> Tensor:
    """Images with rows and columns exchanged.

    Args:
        image: tensor of shape [height, width, channels] or [batch, height, width, channels].
        name: a name for the operation.

    Raises:
        ValueError: for another rank.
    """
    with name_scope(name, "transpose", [image]):
        image = checked_image(convert_to_tensor(image, name="image"))
        return transpose(image, [1, 0, 2] if _rank(image) == 3 else [0, 2, 1, 3], name=name)
