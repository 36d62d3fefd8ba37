"""Small pictures of a hundred kinds of things."""

from __future__ import annotations

import os

from headrace.keras.datasets.cifar import as_split, load_batch
from headrace.keras.datasets.sources import Split
from headrace.keras.utils.downloads import get_file


def load_data(label_mode: str = "fine") -> tuple[Split, Split]:
    """50,000 images to train with and 10,000 to test with (Krizhevsky, 2009).

    Args:
        label_mode: "fine" for 100 classes, "coarse" for the 20 they belong to.

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 [images, 32, 32, 3], and [images, 1]. Channels come first where
        `tf.keras.backend.image_data_format` says so.

    Raises:
        ValueError: for another mode.
    """
    if label_mode not in ("fine", "coarse"):
        raise ValueError(f'`label_mode` must be one of `"fine"`, `"coarse"`. It was {label_mode!r}.')
    folder = get_file(
        "cifar-100-python",
        origin="https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
        untar=True,
        file_hash="85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
    )
    train, test = (load_batch(os.path.join(folder, part), f"{label_mode}_labels") for part in ("train", "test"))
    return as_split(*train), as_split(*test)
