"""What oneDNN computes on a CPU: convolutions by filters in its own layout."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import torch


def has_onednn() -> bool:
    """Whether torch was built with it."""
    return bool(torch.backends.mkldnn.is_available())


def packed_filters(
    filters: torch.Tensor,
    padding: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    groups: int,
    image_shape: Sequence[int],
) -> torch.Tensor:
    """The filters of a 2-D convolution in the layout that oneDNN convolves images of `image_shape` by fastest.

    Args:
        filters: as torch takes them: out channels, in channels of a group, height, width.
        padding: how many zeros on both sides of height and width.
        strides, dilations: of height and width.
        groups: how many groups of channels there are.
        image_shape: batch, channels, height, width.

    Returns:
        an opaque tensor for `convolve`.
    """
    reorder = torch._C._nn.mkldnn_reorder_conv2d_weight
    return reorder(filters.contiguous().to_mkldnn(), padding, strides, dilations, groups, list(image_shape))


# Takes (image, packed filters, bias, padding, strides, dilations, groups, activation or "none", its scalars, its algorithm).
convolve = torch.ops.mkldnn._convolution_pointwise.default if has_onednn() else None


@contextlib.contextmanager
def without_onednn() -> Iterator[None]:
    """Inside, torch computes without it."""
    enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(enabled)
