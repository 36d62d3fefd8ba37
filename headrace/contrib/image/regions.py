"""Matching of rows and columns, and connected regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.unique import unique
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


def bipartite_match(
    distance_mat: TensorLike, num_valid_rows: TensorLike, top_k: int = -1, name: str | None = "bipartite_match"
) -> Any:
    """Pairs of rows and columns, always the closest two that are both free.

    Args:
        distance_mat: float32 matrix of distances.
        num_valid_rows: how many rows take part; all if negative.
        top_k: how many pairs at most; as many as there can be if negative.
        name: a name for the operation.

    Returns:
        `row_to_col_match_indices` and `col_to_row_match_indices`, int32 vectors with -1 for what has no partner.
    """
    return raw.BipartiteMatch(distance_mat, num_valid_rows, top_k=top_k, name=name)


def connected_components(images: TensorLike | np.ndarray | Sequence[bool]) -> Tensor:
    """The regions of equal pixels that are side by side or above each other.

    Args:
        images: [height, width] or [batch, height, width]; zeros (False, empty strings) are background.

    Returns:
        int32 tensor of the same shape: 0 for background, else the number of the region, counted from 1 in the order of
        their first pixels through all images.

    Raises:
        TypeError: for another rank.

    Example:
        >>> tf.contrib.image.connected_components([[True, False], [False, True]])
    """
    with name_scope("connected_components"):
        images = convert_to_tensor(images, name="images")
        rank = images.shape.ndims
        if rank not in (2, 3):
            raise TypeError(f"images should have rank 2 (HW) or 3 (NHW). Static shape is {images.shape}")
        regions = raw.ImageConnectedComponents(images[None, :, :] if rank == 2 else images)
        ids, positions = unique(reshape(regions, [-1]))
        background = raw.Where(raw.Equal(ids, 0))[:, 0]
        following = range_(shape(ids)[0] - shape(background)[0]) + 1

        def with_background() -> Tensor:
            place = cast(background[0], "int32")
            before, after = following[:place], following[place:]
            return concat([before, [0], after], 0)

        numbers = cond(raw.Equal(shape(background)[0], 0), lambda: following, with_background)
        numbers = reshape(gather(numbers, positions), shape(regions))
        return numbers[0, :, :] if rank == 2 else numbers
