"""Images as the applications were trained with, and the names of ImageNet's classes."""

from __future__ import annotations

import functools
import json
from typing import Any

import numpy as np

from headrace.keras.backend_config import floatx, image_data_format
from headrace.keras.utils.downloads import get_file
from headrace.util import tf_logging

_CLASSES_URL = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
# The means and standard deviations of the channels of ImageNet: of Caffe's models in the order blue, green, red and
# from 0 to 255; of PyTorch's in the order red, green, blue and from 0 to 1.
_CAFFE_MEANS = (103.939, 116.779, 123.68)
_TORCH_MEANS = (0.485, 0.456, 0.406)
_TORCH_DEVIATIONS = (0.229, 0.224, 0.225)


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Images as a model expects them. Arrays of floating point numbers are changed in place.

    Args:
        x: an image or a batch of them, numbers from 0 to 255: an array or a tensor.
        data_format: "channels_last" or "channels_first"; without it what `tf.keras.backend.image_data_format` says.
        mode: "caffe": blue, green and red, the means subtracted; "tf": from -1 to 1; "torch": from 0 to 1, then
            normalized. Any other is "caffe", and warned of.

    Raises:
        ValueError: for another format.
    """
    data_format = data_format or image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format {data_format}")
    if mode not in ("caffe", "tf", "torch"):
        tf_logging.warning("There is no mode %r of 'caffe', 'tf' and 'torch'; images are those of 'caffe'.", mode)
        mode = "caffe"
    if isinstance(x, np.ndarray):
        return _of_array(x, data_format, mode)
    return _of_tensor(x, data_format, mode)


def _of_array(x: np.ndarray, data_format: str, mode: str) -> np.ndarray:
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(floatx())
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    axis = x.ndim - 3 if data_format == "channels_first" else x.ndim - 1
    if mode == "caffe":
        x = np.flip(x, axis)
        x -= _along(_CAFFE_MEANS, axis, x.ndim)
        return x
    x /= 255.0
    x -= _along(_TORCH_MEANS, axis, x.ndim)
    x /= _along(_TORCH_DEVIATIONS, axis, x.ndim)
    return x


def _along(values: tuple[float, ...], axis: int, ndim: int) -> np.ndarray:
    shape = [1] * ndim
    shape[axis] = len(values)
    return np.reshape(values, shape)


def _of_tensor(x: Any, data_format: str, mode: str) -> Any:
    if mode == "tf":
        return x / 127.5 - 1.0
    ndim = x.shape.ndims
    axis = ndim - 3 if data_format == "channels_first" else ndim - 1
    kind = x.dtype.as_numpy_dtype
    if mode == "caffe":
        turned = tuple(slice(None, None, -1) if i == axis else slice(None) for i in range(ndim))
        return x[turned] - _along(_CAFFE_MEANS, axis, ndim).astype(kind)
    x = x / 255.0 - _along(_TORCH_MEANS, axis, ndim).astype(kind)
    return x / _along(_TORCH_DEVIATIONS, axis, ndim).astype(kind)


@functools.cache
def _classes() -> dict[str, list[str]]:
    checksum = "c2c37ea517e94d9795004a39431a14cb"
    path = get_file("imagenet_class_index.json", _CLASSES_URL, cache_subdir="models", file_hash=checksum)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def decode_predictions(preds: np.ndarray, top: int = 5) -> list[list[tuple[str, str, float]]]:
    """The classes that a model finds most likely.

    Args:
        preds: what it predicts: [images, 1000].
        top: how many classes of each.

    Returns:
        for each image `(class, name, score)`, most likely first.

    Raises:
        ValueError: for another shape.
        OSError: if the names are not there and cannot be fetched.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). Found array "
            f"with shape: {preds.shape}"
        )
    names = _classes()
    results = []
    for scores in preds:
        best = [(*names[str(i)][:2], scores[i]) for i in scores.argsort()[-top:][::-1]]
        results.append(sorted(best, key=lambda one: one[2], reverse=True))
    return results
