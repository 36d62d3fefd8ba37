"""What `scipy.misc` did with images until SciPy 1.2, by Pillow: `imread`, `imsave`, `imresize` and their kin.

`scipy.misc` of today is empty; the runner puts these into it for the program it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

__all__ = ["bytescale", "fromimage", "imread", "imresize", "imrotate", "imsave", "toimage"]

_FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "cubic": 3}


def bytescale(
    data: np.ndarray, cmin: float | None = None, cmax: float | None = None, high: int = 255, low: int = 0
) -> np.ndarray:
    """An array as bytes, its range stretched to that of the bytes; bytes stay as they are.

    Args:
        data: numbers of any shape.
        cmin, cmax: the values that become `low` and `high`; the least and greatest by default.
        high, low: bytes.

    Returns:
        uint8 of the same shape.

    Raises:
        ValueError: if a range is empty or outside of 0 to 255.

    Example:
        >>> bytescale(np.array([0.0, 0.5, 1.0]))
        array([  0, 128, 255], dtype=uint8)
    """
    import numpy as np

    if data.dtype == np.uint8:
        return data
    if high > 255 or low < 0 or high < low:
        raise ValueError(f"`low` and `high` are bytes, low before high: low {low}, high {high}.")
    least = data.min() if cmin is None else cmin
    range_ = (data.max() if cmax is None else cmax) - least
    if range_ < 0:
        raise ValueError("`cmax` should be larger than `cmin`.")
    scaled = (data - least) * (float(high - low) / (range_ or 1)) + low
    return (scaled.clip(low, high) + 0.5).astype(np.uint8)


def toimage(
    arr: np.ndarray,
    high: int = 255,
    low: int = 0,
    cmin: float | None = None,
    cmax: float | None = None,
    pal: np.ndarray | None = None,
    mode: str | None = None,
    channel_axis: int | None = None,
) -> Image.Image:
    """An array as an image of Pillow.

    Args:
        arr: [height, width], or three axes of which one has 3 or 4 channels.
        high, low, cmin, cmax: as of `bytescale`, by which numbers become bytes.
        pal: [n, 3] the colours of a palette, for mode "P".
        mode: Pillow's: "L", "P", "1", "F" or "I" of two axes, "RGB", "RGBA", "CMYK" or "YCbCr" of three.
        channel_axis: the axis of the channels; the first that has 3 or 4 by default.

    Raises:
        ValueError: if the array has another shape, is complex, or does not fit the mode.

    Example:
        >>> toimage(np.zeros([4, 6, 3])).size
        (6, 4)
    """
    import numpy as np
    from PIL import Image

    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError("Cannot convert a complex-valued array.")
    if data.ndim == 2:
        return _plane(data, high, low, cmin, cmax, pal, mode)
    if data.ndim != 3 or not any(size in (3, 4) for size in data.shape):
        raise ValueError(
            f"An image has two axes, or three with 3 or 4 channels; this array has the shape {data.shape}."
        )
    axis = next((i for n in (3, 4) for i, size in enumerate(data.shape) if size == n), 0)
    axis = axis if channel_axis is None else channel_axis
    channels = data.shape[axis]
    if channels not in (3, 4):
        raise ValueError(f"Axis {axis} has {channels} channels, not 3 or 4.")
    data = np.moveaxis(bytescale(data, cmin, cmax, high, low), axis, 2)
    mode = mode or ("RGB" if channels == 3 else "RGBA")
    if mode not in ("RGB", "RGBA", "YCbCr", "CMYK") or (mode in ("RGB", "YCbCr")) != (channels == 3):
        raise ValueError(f"Mode {mode!r} does not fit {channels} channels.")
    return Image.frombytes(mode, (data.shape[1], data.shape[0]), data.tobytes())


def _plane(
    data: np.ndarray,
    high: int,
    low: int,
    cmin: float | None,
    cmax: float | None,
    pal: np.ndarray | None,
    mode: str | None,
) -> Image.Image:
    import numpy as np
    from PIL import Image

    size = (data.shape[1], data.shape[0])
    if mode == "F":
        return Image.frombytes(mode, size, data.astype(np.float32).tobytes())
    if mode == "I":
        return Image.frombytes(mode, size, data.astype(np.int32).tobytes())
    if mode == "1":
        return Image.frombytes("L", size, (255 * (data > 0)).astype(np.uint8).tobytes()).convert("1")
    if mode not in (None, "L", "P"):
        raise ValueError(f"Mode {mode!r} does not fit an array of two axes.")
    image = Image.frombytes("L", size, bytescale(data, cmin, cmax, high, low).tobytes())
    if pal is not None:
        image.putpalette(np.asarray(pal, np.uint8).tobytes())
    elif mode == "P":
        image.putpalette((np.arange(256, dtype=np.uint8)[:, None] * np.ones(3, np.uint8)).tobytes())
    return image


def fromimage(im: Image.Image, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """An image of Pillow as an array.

    Args:
        im: the image.
        flatten: whether its colours become one channel of float32.
        mode: what the image is converted to before.

    Example:
        >>> fromimage(toimage(np.zeros([4, 6, 3]))).shape
        (4, 6, 3)
    """
    import numpy as np

    if mode is not None and mode != im.mode:
        im = im.convert(mode)
    elif mode is None and im.mode == "P":
        im = im.convert("RGBA" if "transparency" in im.info else "RGB")
    if flatten:
        im = im.convert("F")
    elif im.mode == "1":
        im = im.convert("L")
    return np.array(im)


def imread(name: Any, flatten: bool = False, mode: str | None = None) -> np.ndarray:
    """Reads an image from a file.

    Args:
        name: a path or an open file.
        flatten, mode: as of `fromimage`.

    Raises:
        OSError: if it is no image.

    Example:
        >>> imsave("made.png", np.zeros([4, 6, 3]))
        >>> imread("made.png").shape
        (4, 6, 3)
    """
    from PIL import Image

    with Image.open(name) as image:
        return fromimage(image, flatten, mode)


def imsave(name: Any, arr: np.ndarray, format: str | None = None) -> None:
    """Writes an array to a file as an image, its range stretched to that of bytes.

    Args:
        name: a path, whose ending says the format, or an open file.
        arr: [height, width], or [height, width, channels].
        format: the format, for an open file.

    Raises:
        ValueError: as `toimage`.
    """
    toimage(arr, channel_axis=2).save(name, format)


def imresize(
    arr: np.ndarray, size: int | float | Sequence[int], interp: str = "bilinear", mode: str | None = None
) -> np.ndarray:
    """An image in another size, as bytes.

    Args:
        arr: the image.
        size: percent (a whole number), a fraction, or (height, width).
        interp: "nearest", "lanczos", "bilinear", "bicubic" or "cubic".
        mode: as of `toimage`.

    Example:
        >>> imresize(np.zeros([4, 6, 3]), 0.5).shape
        (2, 3, 3)
    """
    import numpy as np

    image = toimage(arr, mode=mode)
    if isinstance(size, (int, float, np.number)):
        share = size / 100.0 if isinstance(size, (int, np.integer)) else size
        width, height = (int(length * share) for length in image.size)
    else:
        height, width = size[0], size[1]
    return fromimage(image.resize((width, height), resample=_FILTERS[interp]))


def imrotate(arr: np.ndarray, angle: float, interp: str = "bilinear") -> np.ndarray:
    """An image turned by an angle in degrees, against the clock, as bytes of the same shape.

    Args:
        arr: the image.
        angle: degrees.
        interp: as of `imresize`.
    """
    from PIL import Image

    return fromimage(toimage(arr).rotate(angle, resample=Image.Resampling(_FILTERS[interp])))
