"""Writes the caches under tests/fixtures/caches, with the real TensorFlow 1.15.5.

    .oracle/tf1/bin/python tools/oracle/make_caches.py [FOLDER]

What `dataset.cache(filename)` leaves of elements of every type, of strings, and of all that is a variant; and of a pass
that was saved half-way and gone on with, whose elements are in two data files. The tests import the datasets from here.
"""

import os
import shutil
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "tests", "fixtures", "caches")

NUMBERS = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
           "complex64", "complex128", "bfloat16")  # fmt: skip
QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")


def numbers(tf):
    """Of each type a scalar, a matrix and an empty tensor: more than ten components, two elements."""

    def components(i):
        made = []
        for name in NUMBERS:
            dtype = tf.as_dtype(name)
            if name == "bool":
                made += [tf.equal(i, 1), tf.equal([[i, 0], [1, 1]], 1), tf.zeros([0, 3], dtype)]
            else:
                made += [tf.cast(i, dtype), tf.cast([[i, 2], [100, i + 1]], dtype), tf.zeros([0, 3], dtype)]
        return tuple(made)

    return tf.data.Dataset.range(2).map(components)


def quantized(tf):
    """Of each quantized type a vector."""
    return tf.data.Dataset.range(2).map(
        lambda i: tuple(tf.bitcast(tf.cast([i, i + 3], name[1:]), tf.as_dtype(name)) for name in QUANTIZED)
    )


def strings(tf):
    """Strings of all lengths, alone and in tensors."""
    rows = [[b"", b"a"], [b"\x00\xff\x80", b"long " * 40], [b"x" * 127, b"y" * 300]]
    return tf.data.Dataset.from_tensor_slices(rows).map(
        lambda row: (row, row[0], row[1], tf.reshape(row, [2, 1]), tf.zeros([0, 2], tf.string))
    )


def sparse(tf):
    """Sparse tensors of numbers and of strings, and one of nothing."""

    def components(i):
        words = tf.SparseTensor([[i]], [tf.as_string(i)], [4])
        nothing = tf.SparseTensor(tf.zeros([0, 2], tf.int64), tf.zeros([0]), [2, 3])
        return tf.SparseTensor([[0, i], [1, 2]], [5, 6], [2, 3]), words, nothing

    return tf.data.Dataset.range(3).map(components)


def sparse_rows(tf):
    """Batches of sparse tensors."""
    return tf.data.Dataset.range(3).map(lambda i: tf.SparseTensor([[i]], [i], [3])).batch(2)


def ragged(tf):
    """Ragged tensors of one and of two levels, of numbers and strings."""
    return tf.data.Dataset.from_tensors(
        (
            tf.ragged.constant([[1, 2], [], [3]]),
            tf.ragged.constant([[[1.5, 2.0], [3.0]], [], [[4.0]]]),
            tf.ragged.constant([["a"], ["b", ""]]),
        )
    ).repeat(2)


def ragged_rows(tf):
    """Batches of the rows of a ragged tensor."""
    return tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[[1, 2], [3]], [], [[4]]])).batch(2)


def optionals(tf):
    """Optionals with values."""
    make = tf.data.experimental.Optional.from_value
    return tf.data.Dataset.range(2).map(lambda i: make((i, tf.constant(["a", "b"]), tf.constant(2.5))))


def empty_optionals(tf):
    """Optionals without."""
    make = tf.data.experimental.Optional.none_from_structure
    return tf.data.Dataset.range(2).map(lambda i: make(tf.TensorSpec([], tf.int64)))


def unknown_sizes(tf):
    """Vectors of several lengths."""
    return tf.data.Dataset.range(4).map(lambda i: tf.range(i))


def nothing(tf):
    """No elements."""
    return tf.data.Dataset.range(0)


def datasets(tf):
    """Datasets, which no file holds."""
    return tf.data.Dataset.range(4).window(2)


def counted(tf):
    """Numbers, for a pass in two parts."""
    return tf.data.Dataset.range(5)


CASES = {
    made.__name__: made
    for made in (numbers, quantized, strings, sparse, sparse_rows, ragged, ragged_rows, optionals, empty_optionals,
                 unknown_sizes, nothing, datasets, counted)
}  # fmt: skip


def opened(tf, name, dataset):
    """The elements of a case as what can be fetched."""
    if name == "optionals":
        return dataset.map(lambda optional: optional.get_value())
    if name == "empty_optionals":
        return dataset.map(lambda optional: optional.has_value())
    if name == "datasets":
        return dataset.flat_map(lambda window: window)
    return dataset


def elements(tf, make):
    """All elements of the dataset that `make()` gives, and the name of the error that ended it, if it was one."""
    found = []
    with tf.Graph().as_default():
        following = tf.compat.v1.data.make_one_shot_iterator(make()).get_next()
        with tf.Session() as session:
            while True:
                try:
                    found.append(session.run(following))
                except tf.errors.OutOfRangeError:
                    return found, None
                except tf.errors.OpError as error:
                    return found, type(error).__name__


def write_in_two_parts(tf, dataset, path, folder):
    """Has a dataset cached by a pass that is saved after two elements, and another that is restored and goes on."""
    for part in range(2):
        with tf.Graph().as_default():
            iterator = tf.compat.v1.data.make_initializable_iterator(dataset().cache(path))
            following = iterator.get_next()
            saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
            saver = tf.train.Saver([saveable])
            with tf.Session() as session:
                session.run(iterator.initializer)
                if part:
                    saver.restore(session, os.path.join(folder, "place"))
                try:
                    for _ in range(6 if part else 2):
                        session.run(following)
                except tf.errors.OutOfRangeError:
                    continue
                saver.save(session, os.path.join(folder, "place"))


def write(tf, name, path):
    """Has a case cached."""
    if name != "counted":
        elements(tf, lambda: opened(tf, name, CASES[name](tf).cache(path)))
        return
    with tempfile.TemporaryDirectory() as places:
        write_in_two_parts(tf, lambda: CASES[name](tf), path, places)


def main(folder):
    import tensorflow as tf

    tf.logging.set_verbosity(tf.logging.ERROR)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for name in CASES:
        write(tf, name, os.path.join(folder, name))
    for name in os.listdir(folder):
        if "tempstate" in name:
            os.remove(os.path.join(folder, name))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else FOLDER)
