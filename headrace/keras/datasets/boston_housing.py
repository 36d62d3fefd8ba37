"""Prices of houses around Boston."""

from __future__ import annotations

import numpy as np

from headrace.keras.datasets.pickled_arrays import read_npz
from headrace.keras.datasets.sources import Split, fetched


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> tuple[Split, Split]:
    """13 figures of each of 506 places, and the median price of a house in thousands of dollars.

    Args:
        path: where the file is kept, from `~/.keras/datasets`.
        test_split: the part that is to test with.
        seed: of the order of places.

    Returns:
        `(x_train, y_train), (x_test, y_test)`.

    Raises:
        ValueError: for a part that is none.
    """
    if not 0 <= test_split < 1:
        raise ValueError(f"`test_split` is from 0 up to 1: got {test_split}.")
    checksum = "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5"
    x, y = read_npz(fetched(path, "boston_housing.npz", checksum), "x", "y")
    order = np.arange(len(x))
    np.random.seed(seed)
    np.random.shuffle(order)
    x, y = x[order], y[order]
    border = int(len(x) * (1 - test_split))
    return (x[:border], y[:border]), (x[border:], y[border:])
