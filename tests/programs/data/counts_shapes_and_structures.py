"""Counts, shapes and structures that datasets just take, or do not: elements, types and the classes of errors."""

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


# batch
show("batch neg", lambda: five().batch(-1))
show("batch 0", lambda: five().batch(0))
show("batch drop", lambda: five().batch(2, drop_remainder=True))
show("batch dropT", lambda: five().batch(2, drop_remainder=tf.constant(True)))
show("batch ph", lambda: five().batch(tf.constant(3, tf.int64)))
show("batch shapes", lambda: D.from_generator(lambda: iter([[1], [1, 2]]), tf.int32).batch(2))
show("batch empty", lambda: D.range(0).batch(2))
show(
    "batch dict",
    lambda: D.from_tensor_slices({"b": [1, 2, 3], "a": (["x", "y", "z"], P([1.0, 2.0, 3.0], [[1], [2], [3]]))}).batch(
        2
    ),
)
show(
    "batch sparse", lambda: D.from_tensor_slices(tf.SparseTensor([[0, 0], [1, 1], [2, 0]], [1, 2, 3], [3, 2])).batch(2)
)
show("batch sparse map", lambda: D.range(4).map(lambda i: tf.SparseTensor([[0]], [i], [1])).batch(3))
show("batch sparse nested", lambda: D.range(4).map(lambda i: tf.SparseTensor([[0]], [i], [1])).batch(2).batch(2))
show("batch sparse uneven", lambda: D.range(3).map(lambda i: tf.SparseTensor([[0]], [i], [i + 1])).batch(3))
show(
    "batch unbatch sparse",
    lambda: D.range(4).map(lambda i: tf.SparseTensor([[0]], [i], [1])).batch(2).apply(X.unbatch()),
)
# padded
show("pb", lambda: D.range(4).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x)).padded_batch(2, [None]))
show("pb4", lambda: D.range(4).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x)).padded_batch(2, [4]))
show("pb2 too small", lambda: D.range(4).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x)).padded_batch(4, [2]))
show(
    "pb -1",
    lambda: (
        D.range(4)
        .map(lambda x: tf.fill([tf.cast(x, tf.int32)], x))
        .padded_batch(2, [-1], padding_values=tf.constant(-1, tf.int64))
    ),
)
show(
    "pb badvaltype",
    lambda: D.range(4).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x)).padded_batch(2, [-1], padding_values=-1),
)
show(
    "pb badval",
    lambda: D.range(4).map(lambda x: tf.fill([tf.cast(x, tf.int32)], x)).padded_batch(2, [-1], padding_values=[-1, 2]),
)
show("pb rank", lambda: D.range(4).map(lambda x: tf.fill([2], x)).padded_batch(2, [1]))
show("pb rank2", lambda: D.range(4).map(lambda x: tf.fill([2], x)).padded_batch(2, [2, 2]))
show("pb float shape", lambda: D.range(4).map(lambda x: tf.fill([2], x)).padded_batch(2, [2.0]))
show("pb tshape", lambda: D.range(4).map(lambda x: tf.fill([2], x)).padded_batch(2, tf.constant([3], tf.int64)))
show("pb tshape32", lambda: D.range(4).map(lambda x: tf.fill([2], x)).padded_batch(2, tf.constant([3], tf.int32)))
show(
    "pb struct",
    lambda: D.from_tensor_slices({"a": [1, 2], "b": [[1], [2]]}).padded_batch(2, {"a": [], "b": [2]}, {"a": 0, "b": 9}),
)
show("pb wrong struct", lambda: D.from_tensor_slices({"a": [1, 2], "b": [[1], [2]]}).padded_batch(2, {"a": []}))
show("pb wrong struct2", lambda: D.from_tensor_slices(([1, 2], [[1], [2]])).padded_batch(2, [[], [2]]))
show("pb sparse", lambda: D.range(4).map(lambda i: tf.SparseTensor([[0]], [i], [1])).padded_batch(2, [1]))
show("pb str", lambda: D.from_generator(lambda: iter([["a"], ["b", "c"]]), tf.string, [None]).padded_batch(2, [None]))
show(
    "pb str v",
    lambda: D.from_generator(lambda: iter([["a"], ["b", "c"]]), tf.string, [None]).padded_batch(2, [None], "zz"),
)
show("pb drop", lambda: D.range(3).map(lambda x: tf.fill([2], x)).padded_batch(2, [None], drop_remainder=True))
show("pb unknown rank", lambda: D.from_generator(lambda: iter([[1], [1, 2]]), tf.int32).padded_batch(2, [3]))
show("pb neg", lambda: D.range(3).map(lambda x: tf.fill([2], x)).padded_batch(0, [None]))
# repeat/take/skip/shard
for n in (-1, 0, 2, None):
    show("repeat %s" % n, lambda n=n: D.range(2).repeat(n), 7)
show("repeat -2", lambda: D.range(2).repeat(-2), 7)
for n in (-1, -2, 0, 2, 9):
    show("take %s" % n, lambda n=n: five().take(n))
    show("skip %s" % n, lambda n=n: five().skip(n))
show("shard", lambda: five().shard(2, 1))
show("shard 5 6", lambda: five().shard(2, 6))
show("shard -1", lambda: five().shard(2, -1))
show("shard 0", lambda: five().shard(0, 1))
show("shard neg", lambda: five().shard(-2, 1))
show("shard big", lambda: five().shard(7, 6))
# range
for a in ((3,), (2, 5), (2, 10, 3), (10, 2, -3), (5, 2), (0, 3, -1), (-4,)):
    show("range%s" % (a,), lambda a=a: D.range(*a))
show("range0", lambda: D.range(0, 3, 0))
err("range none", lambda: D.range())
err("range4", lambda: D.range(1, 2, 3, 4))
# zip/concat
show("zip", lambda: D.zip((five(), {"a": D.range(3), "b": P(D.range(2), D.range(9))})))
err("zip list", lambda: D.zip([five(), five()]))
err("zip tensor", lambda: D.zip((five(), 3)))
err("zip nested list", lambda: D.zip((five(), [five()])))
show("concat", lambda: D.from_tensor_slices([[1], [2]]).concatenate(D.from_tensor_slices([[1, 2]])))
err("concat types", lambda: five().concatenate(D.from_tensors(1.0)))
err("concat struct", lambda: five().concatenate(D.zip((five(), five()))))
err("concat class", lambda: D.from_tensors(tf.SparseTensor([[0]], [1], [1])).concatenate(D.from_tensors([1])))
show("concat rank", lambda: D.from_tensors([1]).concatenate(D.from_tensors([[1]])))
show("concat dict", lambda: D.from_tensors({"a": 1, "b": 2}).concatenate(D.from_tensors({"b": 3, "a": 4})))
# tensors
show("ft", lambda: D.from_tensors((1, "a", [1.5, 2], np.arange(3, dtype=np.uint8), True)))
err("fts scalar", lambda: D.from_tensor_slices(3))
err("fts mismatch", lambda: D.from_tensor_slices(([1, 2], [1, 2, 3])))
err("ft none", lambda: D.from_tensors(None))
err("fts empty tuple", lambda: D.from_tensor_slices(()))
err("ft ragged list", lambda: D.from_tensors([[1], [1, 2]]))
show("fts mixed", lambda: D.from_tensor_slices((tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2]), ["a", "b"])))
show(
    "fts ph mismatch",
    lambda: D.from_tensor_slices(
        (tf.placeholder_with_default([1, 2], [None]), tf.placeholder_with_default([1, 2, 3], [None]))
    ),
)
show("fsts", lambda: D.from_sparse_tensor_slices(tf.SparseTensor([[0, 0], [0, 1], [2, 1]], [1.0, 2.0, 3.0], [4, 2])))
err("fsts bad", lambda: D.from_sparse_tensor_slices([1, 2]))
show("nested tuple", lambda: D.from_tensors((1, (2, (3, {"z": 4, "y": 5})))))
show("odict", lambda: D.from_tensors(collections.OrderedDict([("z", 1), ("a", 2)])))
show("list is tensor", lambda: D.from_tensors([1, 2]))
# enumerate
show("enum", lambda: D.from_tensors("a").repeat(3).apply(X.enumerate_dataset(start=5)))
show("enum2", lambda: D.from_tensor_slices({"a": [1, 2]}).enumerate())
