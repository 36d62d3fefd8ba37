"""Handwritten digits: 28 by 28 points, ten classes."""

from __future__ import annotations

from headrace.keras.datasets.pickled_arrays import read_npz
from headrace.keras.datasets.sources import Split, fetched


def load_data(path: str = "mnist.npz") -> tuple[Split, Split]:
    """60,000 images to train with and 10,000 to test with (LeCun et al., 1998).

    Args:
        path: where the file is kept, from `~/.keras/datasets`.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 [images, 28, 28], and the digits.
    """
    checksum = "731c5ac602752760c8e48fbffcf8c3b850d9dc2a2aedcf2cc48468fc17b673d1"
    arrays = read_npz(fetched(path, "mnist.npz", checksum), "x_train", "y_train", "x_test", "y_test")
    return (arrays[0], arrays[1]), (arrays[2], arrays[3])
