"""Functions of elements: what they return, capture and raise; filters, interleaving, reduction."""

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


# map
show("map tuple", lambda: five().map(lambda x: (x, x + 1)).map(lambda a, b: {"s": a + b, "d": (a, b)}))
show("map nt", lambda: D.from_tensors(P(1, 2)).map(lambda p: p.x + p.y))
show("map nt2", lambda: D.from_tensor_slices(([1, 2], [3, 4])).map(lambda a, b: P(a, b)))
show("map list", lambda: five().map(lambda x: [x, x * 2]))
show("map const", lambda: five().map(lambda x: 1.5))
show("map np", lambda: five().map(lambda x: np.ones(2)))
err("map none", lambda: five().map(lambda x: None))
err("map obj", lambda: five().map(lambda x: object()))
err("map arity", lambda: five().map(lambda x, y: x))
err("map dictnone", lambda: five().map(lambda x: {"a": None}))
show("map err continue", lambda: D.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.check_numerics(1 / x, "bad")))
show(
    "map err par",
    lambda: D.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.check_numerics(1 / x, "bad"), num_parallel_calls=2),
)
show(
    "map err ignore",
    lambda: (
        D.from_tensor_slices([1.0, 0.0, 2.0, 0.0])
        .map(lambda x: tf.check_numerics(1 / x, "bad"))
        .apply(X.ignore_errors())
    ),
)
show(
    "map err ignore batch",
    lambda: (
        D.from_tensor_slices([1.0, 0.0, 2.0, 0.0, 4.0])
        .map(lambda x: tf.check_numerics(1 / x, "bad"))
        .batch(2)
        .apply(X.ignore_errors())
    ),
)
show(
    "map err batch ignore inner",
    lambda: (
        D.from_tensor_slices([1.0, 0.0, 2.0, 0.0, 4.0])
        .map(lambda x: tf.check_numerics(1 / x, "bad"))
        .apply(X.ignore_errors())
        .batch(2)
    ),
)
show("map ncalls 0", lambda: five().map(lambda x: x, num_parallel_calls=0))
show("map ncalls -2", lambda: five().map(lambda x: x, num_parallel_calls=-2))
show("map ncalls T", lambda: five().map(lambda x: x, num_parallel_calls=tf.constant(2)))


def v():
    v = tf.get_variable("v", initializer=tf.constant(10, tf.int64), use_resource=True)
    return five().map(lambda x: x + v)


show("map var", v)
show("map var oneshot", v, oneshot=True)


def vr():
    v = tf.get_variable("v", initializer=tf.constant(10, tf.int64))
    return five().map(lambda x: x + v)


show("map refvar", vr)
show("map refvar oneshot", vr, oneshot=True)


def tb():
    t = tf.contrib.lookup.HashTable(
        tf.contrib.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64)), -1
    )
    return D.from_tensor_slices(["a", "b", "c"]).map(t.lookup)


show("map table", tb)
show("map table oneshot", tb, oneshot=True)


def ph():
    p = tf.placeholder_with_default(tf.constant(3, tf.int64), [])
    return five().map(lambda x: x * p)


show("map ph default", ph)


def ph2():
    p = tf.placeholder(tf.int64, [], name="p")
    return five().map(lambda x: x * p)


show("map ph unfed", ph2)
show("map ph fed", ph2, feed={"p:0": 4})
show("map ph oneshot", ph2, oneshot=True)
show("map rand", lambda: five().map(lambda _: tf.random_uniform([], maxval=100, dtype=tf.int32)), seed=1)
show(
    "map rand seeded",
    lambda: five().map(lambda _: tf.random_uniform([], maxval=100, dtype=tf.int32, seed=4)).repeat(2),
    12,
)
show(
    "map rand oneshot",
    lambda: five().map(lambda _: tf.random_uniform([], maxval=100, dtype=tf.int32, seed=4)),
    seed=3,
    oneshot=True,
)
show("map pyfunc", lambda: five().map(lambda x: tf.py_func(lambda y: y * y, [x], tf.int64)))
show("map pyfunc oneshot", lambda: five().map(lambda x: tf.py_func(lambda y: y * y, [x], tf.int64)), oneshot=True)
show(
    "map sparse",
    lambda: five().map(lambda x: tf.SparseTensor([[0, x]], [x], [1, 10])).map(lambda s: tf.sparse.to_dense(s)[0, :3]),
)
show(
    "map sparse ret",
    lambda: (
        D.range(2).map(lambda x: tf.SparseTensor([[0, x]], [x], [1, 10])).filter(lambda s: tf.equal(s.values[0], 1))
    ),
)
show("map cond", lambda: five().map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: x)))
show(
    "map while",
    lambda: D.range(3).map(
        lambda x: tf.while_loop(lambda i, s: i < x, lambda i, s: (i + 1, s + i), [tf.constant(0, tf.int64), x])[1]
    ),
)
show("map case", lambda: five().map(lambda x: tf.case([(tf.equal(x, 1), lambda: x * 10)], default=lambda: x)))
show("map prefetch", lambda: five().map(lambda x: x, num_parallel_calls=2).prefetch(2))
show("pref 0", lambda: five().prefetch(0))
show("pref neg", lambda: five().prefetch(-5))
show("pref -1", lambda: five().prefetch(-1))
# map and batch
show("mab", lambda: five().apply(X.map_and_batch(lambda x: (x, x * 2), 2)))
show("mab drop", lambda: five().apply(X.map_and_batch(lambda x: x * 2, 2, drop_remainder=True)))
show("mab par", lambda: five().apply(X.map_and_batch(lambda x: x * 2, 2, num_parallel_batches=3)))
err("mab both", lambda: five().apply(X.map_and_batch(lambda x: x, 2, 1, False, 1)))
show("mab 0", lambda: five().apply(X.map_and_batch(lambda x: x, 0)))
show("mab sparse", lambda: D.range(3).apply(X.map_and_batch(lambda i: tf.SparseTensor([[0]], [i], [1]), 2)))
show("mab shapes", lambda: five().apply(X.map_and_batch(lambda x: tf.fill([x], x), 2)))
show(
    "mab err",
    lambda: D.from_tensor_slices([1.0, 0.0, 2.0, 3.0]).apply(
        X.map_and_batch(lambda x: tf.check_numerics(1 / x, "bad"), 2)
    ),
)
# filter
show("filter", lambda: D.range(9).filter(lambda x: tf.equal(x % 3, 0)))
err("filter shape", lambda: five().filter(lambda x: tf.constant([True])))
err("filter type", lambda: five().filter(lambda x: x))
show("filter dict", lambda: D.from_tensor_slices({"a": [1, 2, 3], "b": [3, 2, 1]}).filter(lambda d: d["a"] >= d["b"]))
show("filter py bool", lambda: five().filter(lambda x: True))
show("filter range ctx", lambda: five().filter(lambda x: tf.reduce_all(tf.stack([x > 1, x < 4]))))
# flat_map/interleave
show("fm", lambda: D.range(4).flat_map(lambda x: D.from_tensors([x, x]).repeat(x)))
err("fm not ds", lambda: five().flat_map(lambda x: x))
err("fm tuple", lambda: five().flat_map(lambda x: (D.range(x), D.range(x))))
show("fm nested", lambda: D.range(3).flat_map(lambda x: D.range(x + 1).flat_map(lambda y: D.from_tensors((x, y)))))
show(
    "fm err",
    lambda: D.from_tensor_slices([1.0, 0.0, 2.0]).flat_map(
        lambda x: D.from_tensors(tf.check_numerics(1 / x, "bad")).repeat(2)
    ),
)
show(
    "fm sparse",
    lambda: (
        D.range(3)
        .map(lambda i: tf.SparseTensor([[0, 0], [1, 1]], [i, i + 1], [2, 2]))
        .flat_map(lambda s: D.from_tensor_slices(tf.sparse.to_dense(s)))
    ),
)
for c, b in ((1, 1), (2, 1), (2, 3), (3, 2), (7, 1)):
    show(
        "il %d %d" % (c, b),
        lambda c=c, b=b: D.from_tensor_slices(tf.constant([4, 5, 6], tf.int64)).interleave(
            lambda x: D.from_tensors(x).repeat(x), c, b
        ),
        20,
    )
show("il 0", lambda: five().interleave(lambda x: D.from_tensors(x), 0))
show("il b0", lambda: five().interleave(lambda x: D.from_tensors(x), 1, 0))
show("il par", lambda: D.range(4).interleave(lambda x: D.from_tensors(x).repeat(2), 2, 1, num_parallel_calls=2))
show("il par > cycle", lambda: D.range(4).interleave(lambda x: D.from_tensors(x).repeat(2), 2, 1, num_parallel_calls=3))
show("il empty", lambda: D.range(0).interleave(lambda x: D.from_tensors(x), 2))
show("il inner empty", lambda: D.range(4).interleave(lambda x: D.range(x), 2))
err("il not ds", lambda: five().interleave(lambda x: x, 2))
show(
    "il err",
    lambda: D.from_tensor_slices([1.0, 0.0, 2.0]).interleave(
        lambda x: D.from_tensors(tf.check_numerics(1 / x, "bad")).repeat(2), 2
    ),
)
show("pi", lambda: D.range(4).apply(X.parallel_interleave(lambda x: D.from_tensors(x).repeat(x), 2, 2)))
err("pi not ds", lambda: five().apply(X.parallel_interleave(lambda x: x, 2)))
show("pi bad", lambda: five().apply(X.parallel_interleave(lambda x: D.range(x), 0)))


# reduce
def red(name, make):
    def run():
        made = make()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return [
                plain(session.run(made)),
                str([part.shape for part in tf.nest.flatten(made) if hasattr(part, "shape")]),
            ]

    err(name, run)


red("red", lambda: D.range(5).reduce(np.int64(0), lambda s, x: s + x))
red(
    "red dict",
    lambda: D.range(5).reduce({"a": np.int64(0), "b": np.int64(1)}, lambda s, x: {"a": s["a"] + x, "b": s["b"] * 2}),
)
red("red nt", lambda: D.range(3).reduce(P(np.int64(0), 0), lambda s, x: P(s.x + x, s.y + 1)))
red("red shape", lambda: D.range(3).reduce(tf.constant([], tf.int64), lambda s, x: tf.concat([s, [x]], 0)))
red("red tuple elem", lambda: D.from_tensor_slices(([1, 2], [3, 4])).reduce(0, lambda s, v: s + v[0] * v[1]))
red("red empty", lambda: D.range(0).reduce(np.int64(7), lambda s, x: s + x))
red(
    "red sparse",
    lambda: D.range(3).reduce(
        tf.SparseTensor([[0]], [tf.constant(0, tf.int64)], [1]),
        lambda s, x: tf.SparseTensor(s.indices, s.values + x, s.dense_shape),
    ),
)


def rv():
    v = tf.get_variable("v", initializer=tf.constant(10, tf.int64), use_resource=True)
    return D.range(3).reduce(np.int64(0), lambda s, x: s + x * v)


red("red var", rv)
red(
    "red ds elem",
    lambda: D.range(4).window(2).reduce(np.int64(0), lambda s, d: s + d.reduce(np.int64(0), lambda a, b: a + b)),
)
