"""Images as arrays and in files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.backend_config import floatx, image_data_format
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike, DTypeLike

_INTERPOLATIONS = ("nearest", "bilinear", "bicubic", "hamming", "box", "lanczos")
_MODES = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}


def pillow(purpose: str) -> Any:
    """Pillow's module `Image`.

    Args:
        purpose: what it is for, for the error.

    Raises:
        ImportError: if it is not installed.
    """
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(f"{purpose} requires PIL: install the package pillow.") from error
    return Image


def array_to_img(
    x: ArrayLike, data_format: str | None = None, scale: bool = True, dtype: DTypeLike | None = None
) -> Any:
    """An array as an image of Pillow's.

    Args:
        x: the array: rows, columns and channels, or as `data_format` says. One, three or four channels.
        data_format: "channels_last" or "channels_first"; without it what `tf.keras.backend.image_data_format` says.
        scale: whether its numbers are stretched to 0 .. 255.
        dtype: in which type that is done.

    Raises:
        ValueError: for an array of another kind.
        ImportError: if Pillow is not installed.
    """
    image = pillow("array_to_img")
    array = np.asarray(x, dtype or floatx())  # type: ignore[arg-type]  # NumPy says what it does not know
    if array.ndim != 3:
        raise ValueError(f"Expected image array to have rank 3 (single image). Got array with shape: {array.shape}")
    if _checked_format(data_format, "Invalid data_format") == "channels_first":
        array = array.transpose(1, 2, 0)
    if scale:
        array = array - np.min(array)
        top = np.max(array)
        if top != 0:
            array /= top
        array *= 255
    channels = array.shape[2]
    if channels == 4:
        return image.fromarray(array.astype("uint8"), "RGBA")
    if channels == 3:
        return image.fromarray(array.astype("uint8"), "RGB")
    if channels == 1:
        # Numbers that a byte does not hold need whole ones of 32 bits.
        if np.max(array) > 255:
            return image.fromarray(array[:, :, 0].astype("int32"), "I")
        return image.fromarray(array[:, :, 0].astype("uint8"), "L")
    raise ValueError(f"Unsupported channel number: {channels}")


def _checked_format(data_format: str | None, complaint: str) -> str:
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"{complaint}: {data_format}")
    return data_format


def img_to_array(img: Any, data_format: str | None = None, dtype: DTypeLike | None = None) -> np.ndarray:
    """An image of Pillow's as an array of three dimensions.

    Args:
        img: the image, or an array.
        data_format: "channels_last" or "channels_first"; without it what `tf.keras.backend.image_data_format` says.
        dtype: the array's type; without it what `tf.keras.backend.floatx` says.

    Raises:
        ValueError: for an image of another shape.
    """
    data_format = _checked_format(data_format, "Unknown data_format")
    x = np.asarray(img, dtype or floatx())  # type: ignore[arg-type]  # NumPy says what it does not know
    if x.ndim == 3:
        return x.transpose(2, 0, 1) if data_format == "channels_first" else x
    if x.ndim == 2:
        return x.reshape((1, *x.shape) if data_format == "channels_first" else (*x.shape, 1))
    raise ValueError(f"Unsupported image shape: {x.shape}")


def save_img(
    path: Any,
    x: ArrayLike,
    data_format: str | None = None,
    file_format: str | None = None,
    scale: bool = True,
    **kwargs: Any,
) -> None:
    """Writes an array as an image.

    Args:
        path: the file.
        x, data_format, scale: as for `array_to_img`.
        file_format: the format of the file; without it the file's name says.
        **kwargs: for Pillow's `Image.save`.
    """
    img = array_to_img(x, data_format=data_format, scale=scale)
    if img.mode == "RGBA" and file_format in ("jpg", "jpeg"):
        tf_logging.warning("The JPG format does not support RGBA images, converting to RGB.")
        img = img.convert("RGB")
    img.save(path, format=file_format, **kwargs)


def load_img(
    path: str,
    grayscale: bool = False,
    color_mode: str = "rgb",
    target_size: tuple[int, int] | None = None,
    interpolation: str = "nearest",
) -> Any:
    """Reads an image.

    Args:
        path: the file.
        grayscale: older spelling of `color_mode="grayscale"`.
        color_mode: "rgb", "rgba" or "grayscale".
        target_size: `(rows, columns)` that it is brought to.
        interpolation: how: "nearest", "bilinear", "bicubic", "hamming", "box" or "lanczos".

    Returns:
        an image of Pillow's.

    Raises:
        ValueError: for another colour mode or interpolation.
        ImportError: if Pillow is not installed.
    """
    if grayscale:
        tf_logging.warning('grayscale is deprecated. Please use color_mode = "grayscale"')
        color_mode = "grayscale"
    image = pillow("load_img")
    with open(path, "rb") as file:
        img = image.open(io.BytesIO(file.read()))
    if color_mode not in _MODES:
        raise ValueError('color_mode must be "grayscale", "rgb", or "rgba"')
    # Gray images of more than 8 bits stay what they are.
    keeps = color_mode == "grayscale" and img.mode in ("I;16", "I")
    if not keeps and img.mode != _MODES[color_mode]:
        img = img.convert(_MODES[color_mode])
    if target_size is None:
        return img
    size = (target_size[1], target_size[0])
    if img.size == size:
        return img
    if interpolation not in _INTERPOLATIONS:
        raise ValueError(
            f"Invalid interpolation method {interpolation} specified. Supported methods are "
            f"{', '.join(_INTERPOLATIONS)}"
        )
    return img.resize(size, image.Resampling[interpolation.upper()])


def list_pictures(
    directory: str, ext: str | Iterable[str] = ("jpg", "jpeg", "bmp", "png", "ppm", "tif", "tiff")
) -> list[str]:
    """The images in a folder and the folders below it.

    Args:
        directory: the folder.
        ext: how names end, or the ways they may.
    """
    endings = tuple(f".{one}" for one in ((ext,) if isinstance(ext, str) else ext))
    return [
        os.path.join(folder, name)
        for folder, _, names in os.walk(directory)
        for name in names
        if name.lower().endswith(endings)
    ]


def valid_files(directory: str, formats: Iterable[str], follow_links: bool) -> Iterator[tuple[str, str]]:
    """The images in a folder and the folders below it, in the order of the folders' and the files' names.

    Args:
        directory: the folder.
        formats: how names may end.
        follow_links: whether links to folders are followed.

    Returns:
        pairs of a folder and a name in it.
    """
    endings = tuple(f".{one}" for one in formats)
    for folder, _, names in sorted(os.walk(directory, followlinks=follow_links), key=lambda entry: entry[0]):
        for name in sorted(names):
            if name.lower().endswith(".tiff"):
                tf_logging.warning(
                    'Images of ".tiff" files with several bands may be distorted: look at what comes out.'
                )
            if name.lower().endswith(endings):
                yield folder, name


def names_in_class(
    directory: str,
    formats: Iterable[str],
    split: tuple[float, float] | None,
    class_indices: dict[str, int],
    follow_links: bool,
) -> tuple[list[int], list[str]]:
    """The images of one class, which are those in the folder of its name.

    Args:
        directory: the folder.
        formats: how names may end.
        split: the part of them that is taken, as two shares of all.
        class_indices: the number of each class.
        follow_links: whether links to folders are followed.

    Returns:
        `(classes, names)`: the class's number for each, and their paths from the folder above.
    """
    kind = os.path.basename(directory)
    files = list(valid_files(directory, formats, follow_links))
    if split:
        files = files[int(split[0] * len(files)) : int(split[1] * len(files))]
    names = [os.path.join(kind, os.path.relpath(os.path.join(folder, name), directory)) for folder, name in files]
    return [class_indices[kind]] * len(names), names
