"""Windows out of images that may lie partly outside: ExtractGlimpse (Mnih et al., arXiv:1406.6247)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dims import merge_dim
from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, rank_is, shape_text
from headrace.kernels.image.sizes import size_of
from headrace.kernels.random.sampling import generator_for

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike


glimpse_op = op(
    "ExtractGlimpse",
    "input: float, size: int32, offsets: float, *, centered=True, normalized=True, uniform_noise=True, "
    "noise='uniform' -> glimpse: float",
).on_host("size", "offsets")
glimpse_op.not_differentiable()


@glimpse_op.shape
def glimpse_shape(op):
    images, offsets = rank_is(op.inputs[0].dims, 4), rank_is(op.inputs[2].dims, 2)
    if offsets[1] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {offsets[1]}")
    return [(merge_dim(images[0], offsets[0]), *size_of(op), images[3])]


def _span(offset: float, window: int, length: int, centered: bool, normalized: bool) -> tuple[int, bool]:
    """Where the window begins along an axis, and whether it reaches outside."""
    place = np.float32(offset)
    if normalized:
        place *= np.float32(length)
    if centered:
        place = place / np.float32(2) + np.float32(length) / np.float32(2)
    start = int(place - np.float32(window) / np.float32(2))
    return start, start < 0 or start + window >= length


@glimpse_op.kernel
def glimpse_kernel(node):
    attrs = node.attrs
    how = bool(attrs["centered"]), bool(attrs["normalized"])
    noise = attrs["noise"]
    noise = noise.decode() if isinstance(noise, bytes) else noise
    if attrs["uniform_noise"] and noise not in ("uniform", ""):
        raise invalid("The uniform_noise and noise should not be specified at the same time")
    if noise not in ("uniform", "gaussian", "zero", ""):
        raise invalid(f"noise could only be uniform, gaussian, or zero, got {noise}")

    def background(shape: ShapeLike, image: torch.Tensor) -> torch.Tensor:
        generator = generator_for(image.device)
        if noise == "zero":
            return image.new_zeros(shape)
        if noise == "gaussian":
            drawn = torch.randn(shape, generator=generator, device=image.device)
            return (drawn * image.std(correction=0) + image.mean()).clamp(image.min(), image.max())
        drawn = torch.rand(shape, generator=generator, device=image.device)
        return drawn * (image.max() - image.min()) + image.min()

    def glimpse(images, size, offsets):
        if images.dim() != 4:
            raise invalid(f"input must be 4-dimensional (batch_size, height, width, depth){shape_text(images.shape)}")
        if tuple(size.shape) != (2,):
            raise invalid(f"input must be a vector of size 2 {shape_text(size.shape)}")
        if tuple(offsets.shape) != (images.shape[0], 2):
            raise invalid(
                f"input must be a matrix with two columns and a row for each image{shape_text(offsets.shape)}"
            )
        window = size.tolist()
        if min(window) < 0:
            raise invalid(f"input must not be negative, got size {window}")
        out = images.new_empty((images.shape[0], *window, images.shape[3]))
        for image, part, offset in zip(images, out, offsets.tolist()):
            spans = [_span(o, w, n, *how) for o, w, n in zip(offset, window, image.shape)]
            if any(outside for _, outside in spans):
                part.copy_(background(part.shape, image))
            there, here = [], []
            for (start, _), width, length in zip(spans, window, image.shape):
                first, last = max(start, 0), min(start + width, length)
                there.append(slice(first, max(first, last)))
                # What is left of a window that begins before the image goes to its end.
                kept = max(first, last) - first
                begin = width - max(0, width + start) if start < 0 else 0
                here.append(slice(begin, begin + kept))
            part[tuple(here)] = image[tuple(there)]
        return out

    return glimpse


glimpse_op.accepts([1, 8, 9, 2], np.array([3, 2], np.int32), np.array([[0.0, 0.1]], np.float32))
glimpse_op.rejects([8, 9, 2], np.array([3, 2], np.int32), np.array([[0.0, 0.1]], np.float32), error=ValueError)
