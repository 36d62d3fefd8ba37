"""Images turned, shifted, sheared, enlarged, brightened: by what is given, or by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.keras.preprocessing.image_files import array_to_img, img_to_array


def flip_axis(x: np.ndarray, axis: int) -> np.ndarray:
    """An array turned around along an axis."""
    return np.flip(np.asarray(x), axis)


def _two(values: Any, name: str) -> tuple[float, float]:
    if len(values) != 2:
        raise ValueError(f"`{name}` should be tuple or list of two floats. Received: {values}")
    return values[0], values[1]


def random_rotation(
    x: np.ndarray,
    rg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image turned by chance.

    Args:
        x: the image.
        rg: by how many degrees at most, either way.
        row_axis, col_axis, channel_axis: which axis is which.
        fill_mode, cval: as for `apply_affine_transform`.
        interpolation_order: its `order`.
    """
    theta = np.random.uniform(-rg, rg)
    return apply_affine_transform(
        x,
        theta=theta,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_shift(
    x: np.ndarray,
    wrg: float,
    hrg: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image shifted by chance.

    Args:
        x: the image.
        wrg, hrg: by how much of its width and its height at most, either way.
        row_axis, col_axis, channel_axis: which axis is which.
        fill_mode, cval: as for `apply_affine_transform`.
        interpolation_order: its `order`.
    """
    tx = np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(
        x,
        tx=tx,
        ty=ty,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_shear(
    x: np.ndarray,
    intensity: float,
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image sheared by chance.

    Args:
        x: the image.
        intensity: by how many degrees at most, either way.
        row_axis, col_axis, channel_axis: which axis is which.
        fill_mode, cval: as for `apply_affine_transform`.
        interpolation_order: its `order`.
    """
    shear = np.random.uniform(-intensity, intensity)
    return apply_affine_transform(
        x,
        shear=shear,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def random_zoom(
    x: np.ndarray,
    zoom_range: Sequence[float],
    row_axis: int = 1,
    col_axis: int = 2,
    channel_axis: int = 0,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    interpolation_order: int = 1,
) -> np.ndarray:
    """An image made larger or smaller by chance, its height and width by themselves.

    Args:
        x: the image.
        zoom_range: between which two factors; more than 1 makes it smaller.
        row_axis, col_axis, channel_axis: which axis is which.
        fill_mode, cval: as for `apply_affine_transform`.
        interpolation_order: its `order`.

    Raises:
        ValueError: unless there are two.
    """
    low, high = _two(zoom_range, "zoom_range")
    zx, zy = (1.0, 1.0) if low == 1 and high == 1 else np.random.uniform(low, high, 2)
    return apply_affine_transform(
        x,
        zx=zx,
        zy=zy,
        row_axis=row_axis,
        col_axis=col_axis,
        channel_axis=channel_axis,
        fill_mode=fill_mode,
        cval=cval,
        order=interpolation_order,
    )


def apply_channel_shift(x: np.ndarray, intensity: float, channel_axis: int = 0) -> np.ndarray:
    """An image of which a number is added to each channel; the numbers stay in the range that they are in.

    Args:
        x: the image.
        intensity: the number.
        channel_axis: the axis of channels.
    """
    return np.clip(np.asarray(x) + intensity, np.min(x), np.max(x))


def random_channel_shift(x: np.ndarray, intensity_range: float, channel_axis: int = 0) -> np.ndarray:
    """`apply_channel_shift` by chance.

    Args:
        x: the image.
        intensity_range: the number added is at most this, either way.
        channel_axis: the axis of channels.
    """
    return apply_channel_shift(x, np.random.uniform(-intensity_range, intensity_range), channel_axis)


def apply_brightness_shift(x: np.ndarray, brightness: float) -> np.ndarray:
    """An image made brighter or darker.

    Args:
        x: the image; rows, columns and channels as `tf.keras.backend.image_data_format` says.
        brightness: the factor; 0 is black.

    Raises:
        ImportError: if Pillow is not installed.
    """
    try:
        from PIL import ImageEnhance
    except ImportError as error:
        raise ImportError("Using brightness shifts requires PIL. Install PIL or Pillow.") from error
    return img_to_array(ImageEnhance.Brightness(array_to_img(x)).enhance(brightness))


def random_brightness(x: np.ndarray, brightness_range: Sequence[float]) -> np.ndarray:
    """`apply_brightness_shift` by chance.

    Args:
        x: the image.
        brightness_range: between which two factors.

    Raises:
        ValueError: unless there are two.
    """
    low, high = _two(brightness_range, "brightness_range")
    return apply_brightness_shift(x, np.random.uniform(low, high))


def transform_matrix_offset_center(matrix: np.ndarray, x: int, y: int) -> np.ndarray:
    """A transformation about the centre of an image.

    Args:
        matrix: the transformation about the corner, 3 by 3.
        x, y: the image's size.
    """
    to_x, to_y = float(x) / 2 + 0.5, float(y) / 2 + 0.5
    forth = np.array([[1, 0, to_x], [0, 1, to_y], [0, 0, 1]])
    back = np.array([[1, 0, -to_x], [0, 1, -to_y], [0, 0, 1]])
    return np.dot(np.dot(forth, matrix), back)


def apply_affine_transform(
    x: np.ndarray,
    theta: float = 0,
    tx: float = 0,
    ty: float = 0,
    shear: float = 0,
    zx: float = 1,
    zy: float = 1,
    row_axis: int = 0,
    col_axis: int = 1,
    channel_axis: int = 2,
    fill_mode: str = "nearest",
    cval: float = 0.0,
    order: int = 1,
) -> np.ndarray:
    """An image turned, shifted, sheared and enlarged, in this order.

    Args:
        x: the image.
        theta: by how many degrees it is turned.
        tx, ty: by how many rows and columns it is shifted.
        shear: by how many degrees it is sheared.
        zx, zy: what its height and width are divided by.
        row_axis, col_axis, channel_axis: which axis is which.
        fill_mode: what lies outside of it: "constant", "nearest", "reflect" or "wrap".
        cval: the number outside of it where that is "constant".
        order: of the splines between its points.

    Raises:
        ImportError: if SciPy is not installed.
    """
    matrix = _matrix(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    try:
        from scipy import ndimage
    except ImportError as error:
        raise ImportError("Image transformations require SciPy. Install SciPy.") from error
    whole = transform_matrix_offset_center(matrix, x.shape[row_axis], x.shape[col_axis])
    planes = [
        ndimage.affine_transform(plane, whole[:2, :2], whole[:2, 2], order=order, mode=fill_mode, cval=cval)
        for plane in np.moveaxis(x, channel_axis, 0)
    ]
    return np.moveaxis(np.stack(planes, axis=0), 0, channel_axis)


def _matrix(theta: float, tx: float, ty: float, shear: float, zx: float, zy: float) -> np.ndarray | None:
    parts = []
    if theta != 0:
        angle = np.deg2rad(theta)
        parts.append([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    if tx != 0 or ty != 0:
        parts.append([[1, 0, tx], [0, 1, ty], [0, 0, 1]])
    if shear != 0:
        angle = np.deg2rad(shear)
        parts.append([[1, -np.sin(angle), 0], [0, np.cos(angle), 0], [0, 0, 1]])
    if zx != 1 or zy != 1:
        parts.append([[zx, 0, 0], [0, zy, 0], [0, 0, 1]])
    if not parts:
        return None
    product = np.array(parts[0])
    for part in parts[1:]:
        product = np.dot(product, np.array(part))
    return product
