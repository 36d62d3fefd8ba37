"""Sizes of images that inputs tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.dims import Dims
from headrace.kernels.array.arguments import invalid, rank_is, shape_text

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import OpView


def size_of(op: OpView, index: int = 1) -> tuple[int | None, int | None]:
    """Height and width as far as input `index` tells.

    Raises:
        ValueError: unless it can be a vector of two.
    """
    dims = op.inputs[index].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    if dims is not None and dims[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {dims[0]}")
    known = op.constant_dims(index)
    return (None, None) if known is None else (known[0], known[1])


def resized_shape(op: OpView) -> list[Dims]:
    """The shape rule of a resizing op: images, then the new size."""
    batch, _, _, channels = rank_is(op.inputs[0].dims, 4) or ()
    return [(batch, *size_of(op), channels)]


def checked_size(images: torch.Tensor, size: torch.Tensor) -> tuple[int, int]:
    """The new height and width of `images`.

    Raises:
        InvalidArgumentError: for images that are none, or sizes that are not two positive numbers.
    """
    if images.dim() != 4:
        raise invalid(f"input must be 4-dimensional{shape_text(images.shape)}")
    if tuple(size.shape) != (2,):
        raise invalid(f"shape_t must have two elements{shape_text(size.shape)}")
    height, width = size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("output dimensions must be positive")
    if images.shape[1] == 0 or images.shape[2] == 0:
        raise invalid("input image must be of non-zero size")
    return height, width


def shape_of_images(op: OpView) -> list[Dims]:
    """The shape rule of what changes the colours of images: the shape stays as it is."""
    dims = op.inputs[0].dims
    if dims is not None and len(dims) < 3:
        raise ValueError(f"Shape must be at least rank 3 but is rank {len(dims)}")
    return [dims]
