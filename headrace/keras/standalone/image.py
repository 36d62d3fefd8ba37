"""`keras.preprocessing.image` as Keras 1 had it besides."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np

try:
    from PIL import Image as pil_image
except ImportError:
    pil_image = None  # type: ignore[assignment]  # as in Keras, which reads images only where it is there

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike


def list_pictures(directory: str, ext: str = "jpg|jpeg|bmp|png|ppm") -> list[str]:
    """The paths of the images in a folder and the folders below it.

    Args:
        directory: the folder.
        ext: the endings of their names, with "|" between them.
    """
    wanted = re.compile(rf"[\w.-]+\.(?:{ext})")
    return [
        os.path.join(root, name) for root, _, names in os.walk(directory) for name in names if wanted.fullmatch(name)
    ]


def apply_transform(
    x: np.ndarray,
    transform_matrix: ArrayLike,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
) -> np.ndarray:
    """An image under an affine transformation.

    Args:
        x: the image.
        transform_matrix: the transformation of places, 3 by 3; `transform_matrix_offset_center` centres it.
        channel_axis: which axis the channels are.
        fill_mode: what lies outside of it: "constant", "nearest", "reflect" or "wrap".
        cval: the number outside of it where that is "constant".

    Raises:
        ImportError: if SciPy is not installed.
    """
    try:
        from scipy import ndimage
    except ImportError as error:
        raise ImportError("Image transformations require SciPy. Install SciPy.") from error
    matrix = np.asarray(transform_matrix)
    planes = [
        ndimage.affine_transform(plane, matrix[:2, :2], matrix[:2, 2], order=1, mode=fill_mode, cval=cval)
        for plane in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(planes), 0, channel_axis)
