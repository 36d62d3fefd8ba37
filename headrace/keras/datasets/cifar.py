"""The files of CIFAR-10 and CIFAR-100."""

from __future__ import annotations

import numpy as np

from headrace.keras.backend_config import image_data_format
from headrace.keras.datasets.pickled_arrays import decode
from headrace.keras.datasets.sources import Split


def load_batch(fpath: str, label_key: str = "labels") -> tuple[np.ndarray, list[int]]:
    """The images and labels of a file.

    Args:
        fpath: the file.
        label_key: the name of its labels.

    Returns:
        uint8 [images, 3, 32, 32], and a list of classes.

    Raises:
        ValueError: if the file is not what it should be.
    """
    with open(fpath, "rb") as file:
        content = decode(file.read())
    images, labels = (content.get("data"), content.get(label_key)) if isinstance(content, dict) else (None, None)
    if not isinstance(images, np.ndarray) or not isinstance(labels, list):
        raise ValueError(f"{fpath} has no images with {label_key!r}.")
    return images.reshape(-1, 3, 32, 32), labels


def as_split(images: np.ndarray, labels: list[int]) -> Split:
    """Images and labels as the loaders give them: [images, 32, 32, 3], or channels first, and [images, 1]."""
    if image_data_format() == "channels_last":
        images = images.transpose(0, 2, 3, 1)
    return images, np.reshape(labels, (-1, 1))
