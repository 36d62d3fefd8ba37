"""Pictures of clothes: 28 by 28 points, ten classes."""

from __future__ import annotations

import gzip
import os

import numpy as np

from headrace.keras.datasets.sources import FOLDER, Split
from headrace.keras.utils.downloads import get_file

# The bytes before the labels, and those before the images.
_LABELS_AFTER, _IMAGES_AFTER = 8, 16


def load_data() -> tuple[Split, Split]:
    """60,000 images to train with and 10,000 to test with (Xiao et al., 2017).

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 [images, 28, 28], and the classes: 0 T-shirt, 1 trousers, 2
        pullover, 3 dress, 4 coat, 5 sandal, 6 shirt, 7 sneaker, 8 bag, 9 boot.

    Raises:
        ValueError: if a file is damaged.
    """
    train, test = (_split(part) for part in ("train", "t10k"))
    return train, test


def _split(part: str) -> Split:
    labels = _bytes(f"{part}-labels-idx1-ubyte.gz")[_LABELS_AFTER:]
    images = _bytes(f"{part}-images-idx3-ubyte.gz")[_IMAGES_AFTER:]
    return images.reshape(len(labels), 28, 28), labels


def _bytes(name: str) -> np.ndarray:
    path = get_file(name, origin=FOLDER + name, cache_subdir=os.path.join("datasets", "fashion-mnist"))
    try:
        with gzip.open(path, "rb") as file:
            return np.frombuffer(file.read(), np.uint8)
    except (EOFError, OSError) as error:
        raise ValueError(f"{path} is damaged ({error}). Remove it, so that it is fetched again.") from error
