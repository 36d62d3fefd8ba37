"""JPEG files whose components have resolutions that libjpeg-turbo's short interface does not name.

Pillow asks the same library by its long one, but only for the accurate transform with interpolated colours, or for the
fast one without. The fast one with them, TensorFlow's default, interpolates here what the latter gives.
"""

from __future__ import annotations

import io

import numpy as np

# Samples of a block, side by side.
_BLOCK = 8


def jpeg_planes(
    data: bytes, factors: bytes, size: tuple[int, int], ratio: int, fancy: bool, accurate: bool
) -> np.ndarray:
    """The values of a file's three or four components, uint8 [height, width, components]: YCbCr, or inks as they stand.

    Args:
        data: the file.
        factors: of each component how many blocks it has side by side and above one another, four bits each.
        size: width and height that the file's header tells.
        ratio: 1, 2, 4 or 8: how much smaller to make it while decoding.
        fancy: whether components of a lower resolution are interpolated.
        accurate: whether to use the accurate transform, which is there for interpolated components only.

    Raises:
        ValueError, OSError: for what is no such file.
        NotImplementedError: for the accurate transform without interpolation.
    """
    from PIL.JpegImagePlugin import JpegImageFile

    if accurate and not fancy:
        raise NotImplementedError(
            "decode_jpeg: dct_method='INTEGER_ACCURATE' with fancy_upscaling=False is not supported for components "
            f"sampled as {[(f >> 4, f & 15) for f in factors]}; leave one of the two at its default"
        )
    with JpegImageFile(io.BytesIO(data)) as image:
        image.draft("CMYK" if len(factors) == 4 else "YCbCr", (size[0] / ratio, size[1] / ratio))
        # The second number asks for the fast transform without interpolation.
        image.decoderconfig = (ratio, int(not accurate))
        image.load()
        if image.mode not in ("CMYK", "YCbCr"):
            raise ValueError("the components are neither YCbCr nor inks")
        planes = np.array(image)
    if image.mode == "CMYK":
        # Pillow takes all files for Adobe's and turns them around.
        np.subtract(255, planes, planes)
    if fancy and not accurate and ratio < _BLOCK:
        for i, (across, down) in enumerate(_expansions(factors, ratio)):
            planes[..., i] = _interpolated(planes[::down, ::across, i], across, down)[: len(planes), : planes.shape[1]]
    return planes


def _expansions(factors: bytes, ratio: int) -> list[tuple[int, int]]:
    """How often each sample of a component stands side by side and above one another.

    Smaller images are made by smaller transforms, and of a component of a lower resolution by larger ones, as long as
    both of its sides allow it.
    """
    least = _BLOCK // ratio
    across, down = (max(f >> shift & 15 for f in factors) * least for shift in (4, 0))
    found = []
    for factor in factors:
        width, height = (factor >> 4) * least, (factor & 15) * least
        samples = least
        while samples < _BLOCK and across % (2 * width) == 0 and down % (2 * height) == 0:
            samples, width, height = 2 * samples, 2 * width, 2 * height
        found.append((max(1, across // width), max(1, down // height)))
    return found


def _interpolated(plane: np.ndarray, across: int, down: int) -> np.ndarray:
    """Twice as many samples, each by three quarters of the nearest and a quarter of the next; others are repeated."""
    wide = plane.astype(np.int32)
    if (across, down) in ((2, 1), (2, 2)) and plane.shape[1] > 2:
        if down == 1:
            return _doubled(wide, 1, (1, 2), 2).astype(np.uint8)
        rows = _doubled(wide, 0, (0, 0), 0)
        return _doubled(rows, 1, (8, 7), 4).astype(np.uint8)
    if (across, down) == (1, 2):
        return _doubled(wide, 0, (1, 2), 2).astype(np.uint8)
    return plane.repeat(down, 0).repeat(across, 1)


def _doubled(samples: np.ndarray, axis: int, rounding: tuple[int, int], bits: int) -> np.ndarray:
    """Before and after each sample one of 3 parts of it and 1 of its neighbour, rounded, over 2 ** bits."""
    samples = np.moveaxis(samples, axis, 0)
    edged = np.concatenate([samples[:1], samples, samples[-1:]])
    out = np.empty((2 * len(samples), *samples.shape[1:]), np.int32)
    out[0::2] = (3 * samples + edged[:-2] + rounding[0]) >> bits
    out[1::2] = (3 * samples + edged[2:] + rounding[1]) >> bits
    return np.moveaxis(out, 0, axis)


def rgb_of(planes: np.ndarray) -> np.ndarray:
    """YCbCr as RGB (ITU-T T.871, section 7), in libjpeg's arithmetic of 16 bits behind the point."""
    luma, blue, red = (planes[..., i].astype(np.int32) for i in range(3))
    blue -= 128
    red -= 128
    half = 1 << 15
    colours = np.stack(
        [
            luma + ((91881 * red + half) >> 16),
            luma + ((-22554 * blue - 46802 * red + half) >> 16),
            luma + ((116130 * blue + half) >> 16),
        ],
        -1,
    )
    return np.clip(colours, 0, 255).astype(np.uint8)
