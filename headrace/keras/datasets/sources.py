"""Where the data sets of Keras are fetched from."""

from __future__ import annotations

import numpy as np

from headrace.keras.utils.downloads import get_file

Split = tuple[np.ndarray, np.ndarray]

FOLDER = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def fetched(path: str, name: str, checksum: str) -> str:
    """The path of a file of that folder, fetched if it is not there.

    Args:
        path: where it is kept, from `~/.keras/datasets`.
        name: its name in the folder.
        checksum: its checksum.

    Raises:
        OSError: if it is not there and cannot be fetched.
    """
    return get_file(path, origin=FOLDER + name, file_hash=checksum)
