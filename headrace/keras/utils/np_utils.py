"""Arrays of labels and vectors as models take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike


def to_categorical(y: ArrayLike, num_classes: int | None = None, dtype: str = "float32") -> np.ndarray:
    """Class numbers as rows of zeros with a one.

    Args:
        y: whole numbers from 0; a last axis of size one is left out.
        num_classes: the length of a row; by default one more than the greatest number.
        dtype: the type of the result.

    Example:
        >>> tf.keras.utils.to_categorical([0, 2])
        array([[1., 0., 0.],
               [0., 0., 1.]], dtype=float32)
    """
    numbers = np.array(y, dtype="int")
    shape = numbers.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    numbers = numbers.ravel()
    if not num_classes:
        num_classes = int(np.max(numbers)) + 1
    rows = np.zeros((numbers.shape[0], num_classes), dtype=dtype)
    rows[np.arange(numbers.shape[0]), numbers] = 1
    return np.reshape(rows, (*shape, num_classes))


def normalize(x: ArrayLike, axis: int = -1, order: int = 2) -> np.ndarray:
    """An array scaled so that its vectors along an axis have a norm of one.

    Args:
        x: the array.
        axis: the axis.
        order: that of the norm: 2 is Euclid's.
    """
    norms = np.atleast_1d(np.linalg.norm(np.asarray(x), order, axis))
    # A vector of zeros stays one.
    norms[norms == 0] = 1
    scaled: np.ndarray = x / np.expand_dims(norms, axis)
    return scaled


def number_of(value: Any) -> Any:
    """What a batch gave, to be averaged with others: a number, or an array where a loss is no scalar."""
    return np.float64(value) if np.ndim(value) == 0 else np.asarray(value)
