"""Small pictures of ten kinds of things."""

from __future__ import annotations

import os

import numpy as np

from headrace.keras.datasets.cifar import as_split, load_batch
from headrace.keras.datasets.sources import Split
from headrace.keras.utils.downloads import get_file


def load_data() -> tuple[Split, Split]:
    """50,000 images to train with and 10,000 to test with (Krizhevsky, 2009).

    Returns:
        `(x_train, y_train), (x_test, y_test)`: uint8 [images, 32, 32, 3], and [images, 1]: 0 aeroplane, 1 car, 2 bird, 3
        cat, 4 deer, 5 dog, 6 frog, 7 horse, 8 ship, 9 lorry. Channels come first where
        `tf.keras.backend.image_data_format` says so.
    """
    folder = get_file(
        "cifar-10-batches-py",
        origin="https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
        untar=True,
        file_hash="6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
    )
    parts = [load_batch(os.path.join(folder, f"data_batch_{i}")) for i in range(1, 6)]
    images = np.concatenate([part[0] for part in parts])
    train = as_split(images, [label for part in parts for label in part[1]])
    test = as_split(*load_batch(os.path.join(folder, "test_batch")))
    return (train[0], train[1].astype(np.uint8)), (test[0], test[1].astype(np.uint8))
