"""Datasets with a cache in files, as tests make, damage and compare them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import headrace as tf
from headrace.core import errors

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

from make_caches import elements

Dataset = tf.data.Dataset


def plain(value):
    """A fetched value as types, shapes and lists that can be compared."""
    if isinstance(value, tf.ragged.RaggedTensorValue):
        return "ragged", plain(value.flat_values), [plain(splits) for splits in value.nested_row_splits]
    if isinstance(value, (tuple, list)):
        return [plain(part) for part in value]
    array = np.asarray(value)
    if array.dtype.kind == "S":
        array = array.astype(object)
    # As bytes NaN is what it is.
    text = array.tolist() if array.dtype.kind in "OS" else array.tobytes()
    return array.dtype.name.replace("bytes", "object"), array.shape, text


def cached(path, make=lambda: Dataset.range(4), after=lambda dataset: dataset):
    """The elements of a cached dataset, and the name of the error that ended them, if one did."""
    found, error = elements(tf, lambda: after(make().cache(str(path))))
    return [plain(element) for element in found], error


def numbers(*values):
    return [plain(np.int64(value)) for value in values]


def written(path, make=lambda: Dataset.range(4)):
    assert cached(path, make)[1] is None
    return str(path)


def outcomes(path, make=lambda: Dataset.range(4), steps=7):
    """What each step gives: an element, the name of an error, or "end"."""
    found = []
    with tf.Graph().as_default():
        following = make().cache(str(path)).make_one_shot_iterator().get_next()
        with tf.Session() as session:
            for _ in range(steps):
                try:
                    found.append(plain(session.run(following)))
                except errors.OutOfRangeError:
                    return [*found, "end"]
                except errors.OpError as error:
                    found.append(type(error).__name__)
    return found


def changed(path, change):
    content = bytearray(Path(path).read_bytes())
    Path(path).write_bytes(change(content))


def flipped(at):
    def flip(content):
        content[at] ^= 1
        return content

    return flip


def everything():
    """Elements with a component of each kind that is stored in its own way."""
    return Dataset.range(3).map(
        lambda i: (
            i,
            tf.cast([i, 2], tf.bfloat16),
            tf.equal([i, 1], 1),
            tf.as_string([i, 300]),
            tf.SparseTensor([[i]], [tf.as_string(i)], [4]),
            tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3]),
        )
    )
