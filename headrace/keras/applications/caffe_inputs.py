"""Images as models of Caffe expect them: blue, green and red, the means subtracted."""

from __future__ import annotations

from typing import Any

from headrace.keras.applications import imagenet_utils


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Images as models of Caffe expect them: blue, green and red, the means subtracted.

    Arrays of floating point numbers are changed in place.

    Args:
        x: an image or a batch of them, numbers from 0 to 255: an array or a tensor.
        data_format: "channels_last" or "channels_first"; without it what `tf.keras.backend.image_data_format` says.

    Raises:
        ValueError: for another format.
    """
    return imagenet_utils.preprocess_input(x, data_format, "caffe")
