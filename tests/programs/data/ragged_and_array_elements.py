"""Ragged tensors, TensorArrays, datasets and optionals as elements."""

import collections
import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
D = tf.data.Dataset
X = tf.data.experimental
P = collections.namedtuple("P", "x y")
results = {}


def plain(value):
    if isinstance(value, tf.SparseTensorValue):
        return ["sparse"] + [plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return [
            str(value.dtype),
            [item.decode("latin1") if isinstance(item, bytes) else item for item in value.ravel().tolist()],
            list(value.shape),
        ]
    if isinstance(value, np.generic):
        return [value.dtype.name, value.item()]
    if isinstance(value, dict):
        return [[key, plain(value[key])] for key in sorted(value)]
    if hasattr(value, "to_list"):
        return ["ragged", str(value.to_list())]
    if isinstance(value, tuple):
        return [type(value).__name__] + [plain(part) for part in value]
    return value.decode("latin1") if isinstance(value, bytes) else value


def show(name, make, n=12, feed=None, seed=None, oneshot=False):
    """The elements of a dataset, or the classes of the errors on the way."""
    got = results[name] = []
    with tf.Graph().as_default() as graph:
        if seed is not None:
            tf.set_random_seed(seed)
        try:
            dataset = make()
            got.append(str(dataset))
            iterator = dataset.make_one_shot_iterator() if oneshot else dataset.make_initializable_iterator()
            element = iterator.get_next()
        except (IndexError, TypeError, ValueError) as error:
            got.append("building: " + type(error).__name__)
            return
        with tf.Session(graph=graph) as session:
            try:
                session.run([tf.global_variables_initializer(), tf.tables_initializer()])
                if not oneshot:
                    session.run(iterator.initializer, feed)
            except tf.errors.OpError as error:
                got.append("initializing: " + type(error).__name__)
                return
            for _ in range(n):
                try:
                    got.append(plain(session.run(element)))
                except tf.errors.OpError as error:
                    got.append(type(error).__name__)
                    if got[-1] == "OutOfRangeError" or len(got) > 8:
                        break


def err(name, make):
    """The class of an error, or what there is without one."""
    with tf.Graph().as_default():
        try:
            made = make()
            results[name] = made if isinstance(made, (str, int, list, type(None))) else type(made).__name__
        except (IndexError, TypeError, ValueError, tf.errors.OpError) as error:
            results[name] = type(error).__name__


def five():
    return D.range(5)


def rt():
    return tf.ragged.constant([[1, 2], [], [3]])


def rt2():
    return tf.ragged.constant([[[1, 2], [5]], [], [[3]]])


show("r1", lambda: D.from_tensors(rt()))
show("r2", lambda: D.from_tensor_slices(rt()))
show("r3", lambda: D.from_tensor_slices(rt2()))
show("r4", lambda: D.from_tensors(rt()).batch(2))
show("r5", lambda: D.from_tensor_slices(rt2()).batch(2))
show("r6", lambda: D.from_tensor_slices(rt2()).map(lambda x: x.values))
show("r7", lambda: D.from_tensors(rt()).repeat(2).batch(2).apply(tf.data.experimental.unbatch()))
show("r8", lambda: D.from_tensor_slices({"a": rt(), "b": [1, 2, 3]}).batch(2))
show("r9", lambda: D.range(3).map(lambda i: tf.RaggedTensor.from_row_lengths(tf.range(i * 2), [i, i])))
show("r10", lambda: D.range(3).map(lambda i: tf.RaggedTensor.from_row_lengths(tf.range(i * 2), [i, i])).batch(3))
show(
    "r11",
    lambda: D.from_tensors(tf.ragged.constant([["a", "b"], ["c"]])).concatenate(
        D.from_tensors(tf.ragged.constant([["x"]]))
    ),
)
show(
    "r12",
    lambda: (
        D.from_tensors(rt()).filter(lambda r: tf.size(r.flat_values) > 0).cache().shuffle(3).prefetch(1).take(1).skip(0)
    ),
)
show(
    "r13",
    lambda: D.from_tensors(tf.compat.v1.ragged.RaggedTensorValue(np.array([1, 2]), np.array([0, 1, 2], np.int64))),
)
show("r14", lambda: D.from_tensors(rt()).batch(2).batch(2))
show(
    "t2",
    lambda: (
        D.range(3)
        .map(lambda i: tf.TensorArray(tf.int64, 3, element_shape=[]).unstack(tf.fill([3], i)))
        .map(lambda t: t.stack() + 1)
    ),
)
show("d2", lambda: D.from_tensors(D.range(3)).flat_map(lambda d: d))
show("d3", lambda: D.from_tensors((D.range(3), tf.constant(2))).flat_map(lambda d, x: d.batch(2)))
show("d6", lambda: D.from_tensors(D.range(3)).repeat(2).filter(lambda d: tf.constant(True)).flat_map(lambda d: d))
show("o1", lambda: D.from_tensors(tf.data.experimental.Optional.from_value(1)).map(lambda o: o.get_value()))
