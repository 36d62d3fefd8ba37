"""Windows, groups, scans, shuffles, choices, cardinalities."""

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


# window
def flat(d):
    return d.flat_map(lambda *x: D.zip(x if len(x) > 1 else x[0]).batch(9) if len(x) > 1 else x[0].batch(9))


for a in ((2,), (2, 1), (3, None, 2), (2, 1, 2), (2, None, 1, True), (9,), (9, None, 1, True), (2, 3), (1, 1, 1)):
    show("win%s" % (a,), lambda a=a: flat(D.range(7).window(*a)))
for a in ((0,), (2, 0), (2, 1, 0), (-1,)):
    show("win bad%s" % (a,), lambda a=a: flat(D.range(7).window(*a)))
show(
    "win dict",
    lambda: (
        D.from_tensor_slices({"a": [1, 2, 3], "b": ["x", "y", "z"]})
        .window(2)
        .flat_map(lambda d: D.zip((d["a"].batch(2), d["b"].batch(2))))
    ),
)
show("win tuple", lambda: D.zip((D.range(3), D.range(3))).window(2).flat_map(lambda a, b: D.zip((a, b))))
show(
    "win sparse",
    lambda: D.range(3).map(lambda i: tf.SparseTensor([[0]], [i], [1])).window(2).flat_map(lambda d: d.batch(2)),
)
err("win spec", lambda: str(D.from_tensor_slices({"a": [1, 2]}).window(2).element_spec))
show("win nested", lambda: D.range(8).window(2).window(2).flat_map(lambda d: d.flat_map(lambda e: e.batch(2))))
# group_by_window
show("gbw", lambda: D.range(9).apply(X.group_by_window(lambda x: x % 2, lambda k, d: d.batch(4), window_size=4)))
show("gbw key", lambda: D.range(6).apply(X.group_by_window(lambda x: x % 2, lambda k, d: d.map(lambda v: (k, v)), 2)))
show(
    "gbw size func",
    lambda: D.range(9).apply(
        X.group_by_window(lambda x: x % 2, lambda k, d: d.batch(9), window_size_func=lambda k: k + 1)
    ),
)
err("gbw both", lambda: D.range(9).apply(X.group_by_window(lambda x: x % 2, lambda k, d: d, 2, lambda k: k)))
err("gbw none", lambda: D.range(9).apply(X.group_by_window(lambda x: x % 2, lambda k, d: d)))
err("gbw keytype", lambda: D.range(9).apply(X.group_by_window(lambda x: tf.cast(x, tf.int32), lambda k, d: d, 2)))
err("gbw red", lambda: D.range(9).apply(X.group_by_window(lambda x: x, lambda k, d: k, 2)))
show("gbw 0", lambda: D.range(9).apply(X.group_by_window(lambda x: x % 2, lambda k, d: d, 0)))
show(
    "gbw sizefunc 0",
    lambda: D.range(4).apply(X.group_by_window(lambda x: x % 2, lambda k, d: d.batch(4), window_size_func=lambda k: k)),
)
show(
    "gbw tuple",
    lambda: D.from_tensor_slices(([1, 1, 2], [3, 4, 5])).apply(
        X.group_by_window(lambda a, b: tf.cast(a, tf.int64), lambda k, d: d.batch(2), 2)
    ),
)
show("gbw empty", lambda: D.range(0).apply(X.group_by_window(lambda x: x, lambda k, d: d.batch(1), 2)))
show(
    "gbw padded",
    lambda: (
        D.range(5)
        .map(lambda x: tf.fill([x], x))
        .apply(X.group_by_window(lambda x: tf.constant(0, tf.int64), lambda k, d: d.padded_batch(2, [None]), 2))
    ),
)


# group_by_reducer
def red():
    return X.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)


show("gbr", lambda: D.range(10).apply(X.group_by_reducer(lambda x: x % 3, red())))
err("gbr key2", lambda: D.range(3).apply(X.group_by_reducer(lambda x: tf.cast(x, tf.int32), red())))
err(
    "gbr state",
    lambda: D.range(3).apply(X.group_by_reducer(lambda x: x, X.Reducer(lambda k: 0, lambda s, x: x, lambda s: s))),
)

show(
    "gbr shape",
    lambda: D.range(4).apply(
        X.group_by_reducer(
            lambda x: x % 2,
            X.Reducer(lambda k: tf.constant([], tf.int64), lambda s, x: tf.concat([s, [x]], 0), lambda s: s),
        )
    ),
)


# bucket
def el():
    return D.from_generator(lambda: iter([[1], [1, 2, 3], [4, 5], [6], [1, 2, 3, 4, 5]]), tf.int64, [None])


show("bbsl", lambda: el().apply(X.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [2, 4], [2, 2, 1])))
show(
    "bbsl pad",
    lambda: D.from_generator(lambda: iter([[1], [1, 2, 3], [4, 5], [6]]), tf.int64, [None]).apply(
        X.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [2, 4], [2, 2, 1], pad_to_bucket_boundary=True)
    ),
)
err("bbsl len", lambda: el().apply(X.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [2, 4], [2, 2])))
show(
    "bbsl drop",
    lambda: el().apply(X.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [2, 4], [2, 2, 1], drop_remainder=True)),
)
show(
    "bbsl nopad",
    lambda: D.from_generator(lambda: iter([[1], [2], [3, 4]]), tf.int64, [None]).apply(
        X.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [2], [2, 2], no_padding=True)
    ),
)
show(
    "bbsl values",
    lambda: el().apply(
        X.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [9], [5, 1], padding_values=tf.constant(-1, tf.int64))
    ),
)
# scan
show("scan", lambda: five().apply(X.scan(np.int64(0), lambda s, x: (s + x, s))))
show("scan fib", lambda: D.from_tensors(1).repeat(6).apply(X.scan([0, 1], lambda s, _: ([s[1], s[0] + s[1]], s[1]))))
err("scan pair", lambda: five().apply(X.scan(np.int64(0), lambda s, x: s + x)))
err("scan type", lambda: five().apply(X.scan(0, lambda s, x: (x, x))))
show("scan grow", lambda: D.range(4).apply(X.scan(tf.constant([], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), s))))
show(
    "scan sparse",
    lambda: D.range(3).apply(
        X.scan(
            tf.SparseTensor([[0]], tf.constant([0], tf.int64), [1]),
            lambda s, x: (tf.SparseTensor(s.indices, s.values + x, s.dense_shape), s),
        )
    ),
)
err("scan class", lambda: five().apply(X.scan(np.int64(0), lambda s, x: (tf.SparseTensor([[0]], [x], [1]), x))))
# shuffle
for s1, s2, re in ((1, None, None), (None, 2, None), (1, 2, None), (1, 2, False), (None, None, None)):
    if s1 is None and s2 is None:
        continue
    show("shuf %s %s %s" % (s1, s2, re), lambda s2=s2, re=re: five().shuffle(3, s2, re).repeat(2), 11, seed=s1)
    show("shufrep %s %s" % (s1, s2), lambda s2=s2: five().apply(X.shuffle_and_repeat(3, 2, s2)), 11, seed=s1)
show("shuf 0", lambda: five().shuffle(0))
show("shuf -1", lambda: five().shuffle(-1))
show("shuf big", lambda: five().shuffle(100, 7))
show("shuf 1", lambda: five().shuffle(1))
show("shuf batch rep", lambda: D.range(9).shuffle(9, 3).batch(4).repeat(2))
show("shuf empty", lambda: D.range(0).shuffle(3).repeat(2))
show("shuf tensor seed", lambda: five().shuffle(3, tf.constant(2, tf.int64)), seed=1)
show("shuf seed 0", lambda: five().shuffle(5, 0), seed=0)
show("shufrep 0", lambda: five().apply(X.shuffle_and_repeat(0, 2)))
show("shufrep cnt", lambda: five().apply(X.shuffle_and_repeat(2, -2)))
show("shufrep inf", lambda: five().apply(X.shuffle_and_repeat(5, seed=1)), 12, seed=2)
show("shuf twice", lambda: five().shuffle(5, 1).shuffle(5, 2), seed=9)
show("shuf default seeds", lambda: D.range(8).shuffle(8).map(lambda x: x).shuffle(8), seed=5)
show(
    "shuf map rand",
    lambda: D.range(8).shuffle(8).map(lambda x: x + tf.random.uniform([], maxval=100, dtype=tf.int64)),
    seed=5,
)
# random, counter
show("rand", lambda: X.RandomDataset(3).take(3))
show("rand g", lambda: X.RandomDataset().take(3), seed=4)
show("counter", lambda: X.Counter(3, 2).take(3))
show("counter dt", lambda: X.Counter(3, -1, tf.int32).take(3))
show("counter f", lambda: X.Counter(0.5, 0.5, tf.float32).take(3))
# choose/sample
show(
    "choose",
    lambda: X.choose_from_datasets([D.from_tensors("a").repeat(), D.from_tensors("b").repeat(2)], D.range(2).repeat()),
)
err("choose type", lambda: X.choose_from_datasets([five()], D.from_tensors("a")))
show("choose oob", lambda: X.choose_from_datasets([five()], D.from_tensors(np.int64(4))))
err("choose mismatch", lambda: X.choose_from_datasets([five(), D.from_tensors("a")], D.range(2)))
show("choose shapes", lambda: X.choose_from_datasets([D.from_tensors([1]), D.from_tensors([1, 2])], D.range(2)))
show("sample", lambda: X.sample_from_datasets([D.from_tensors(i).repeat(4) for i in range(3)], seed=3), 13, seed=1)
show(
    "sample w",
    lambda: X.sample_from_datasets([D.from_tensors(i).repeat() for i in range(3)], [0.1, 0.0, 0.9], seed=3),
    13,
    seed=1,
)
err("sample badw", lambda: X.sample_from_datasets([five(), five()], [0.1]))
err("sample intw", lambda: X.sample_from_datasets([five(), five()], [1, 2]))
show("sample one", lambda: X.sample_from_datasets([five()]))
err("sample mism", lambda: X.sample_from_datasets([five(), D.from_tensors(1)]))
# rejection
show(
    "rej",
    lambda: D.from_tensor_slices([0, 0, 0, 1, 1, 1, 2, 2, 2] * 6).apply(
        X.rejection_resample(lambda c: c, [0.0, 0.5, 0.5], [1 / 3.0, 1 / 3.0, 1 / 3.0], seed=27)
    ),
    10,
    seed=1,
)
show(
    "rej no init",
    lambda: D.from_tensor_slices([0, 0, 0, 1] * 20).apply(X.rejection_resample(lambda c: c, [0.5, 0.5], seed=27)),
    10,
    seed=1,
)
# unique take_while unbatch misc
show("uniq", lambda: D.from_tensor_slices([1, 1, 2, 1, 3]).apply(X.unique()))
err("uniq type", lambda: D.from_tensors(1.5).apply(X.unique()))
err("uniq tuple", lambda: D.from_tensors((1, 2)).apply(X.unique()))
show("uniq vec", lambda: D.from_tensor_slices([["a", "b"], ["a", "b"], ["b", "a"]]).apply(X.unique()))
show("tw", lambda: D.range(9).apply(X.take_while(lambda x: x < 3)))
err("tw bad", lambda: D.range(9).apply(X.take_while(lambda x: x)))
show("tw none", lambda: D.range(9).apply(X.take_while(lambda x: x < 0)))
show("unb", lambda: D.from_tensors(([1, 2], {"a": ["x", "y"]})).apply(X.unbatch()))
show(
    "unb mismatch", lambda: D.from_tensors((tf.placeholder_with_default([1, 2], [None]), [1, 2, 3])).apply(X.unbatch())
)
err("unb scalar", lambda: D.from_tensors(1).apply(X.unbatch()))
show("unb empty", lambda: D.from_tensors(tf.zeros([0, 2])).apply(X.unbatch()))
show("unb unknown", lambda: D.from_generator(lambda: iter([[1, 2], [3]]), tf.int32).apply(X.unbatch()))
show("unb str", lambda: D.from_tensors(["a", "b"]).repeat(2).apply(X.unbatch()))
err("unb stat", lambda: D.from_tensors(([1, 2], [1, 2, 3])).apply(X.unbatch()))
show("d2s", lambda: el().apply(X.dense_to_sparse_batch(2, [6])))
show("d2s small", lambda: el().apply(X.dense_to_sparse_batch(2, [2])))
show("d2s unk", lambda: el().apply(X.dense_to_sparse_batch(3, [None])))
err("d2s tuple", lambda: D.from_tensors((1, 2)).apply(X.dense_to_sparse_batch(2, [2])))
show("d2s rank", lambda: el().apply(X.dense_to_sparse_batch(2, [2, 2])))


def card(d):
    with tf.Session() as s:
        return int(s.run(X.cardinality(d)))


for n, f in (
    ("r", lambda: five()),
    ("rep", lambda: five().repeat()),
    ("f", lambda: five().filter(lambda x: x > 1)),
    ("b", lambda: five().batch(2)),
    ("bd", lambda: five().batch(2, True)),
    ("t", lambda: five().take(9)),
    ("tr", lambda: five().repeat().take(3)),
    ("s", lambda: five().skip(2)),
    ("s-1", lambda: five().skip(-1)),
    ("z", lambda: D.zip((five(), five().repeat()))),
    ("c", lambda: five().concatenate(five())),
    ("sh", lambda: five().shard(2, 0)),
    ("fm", lambda: five().flat_map(lambda x: D.range(2))),
    ("shuf", lambda: five().shuffle(2)),
    ("cache", lambda: five().cache()),
    ("pf", lambda: five().prefetch(1)),
    ("map", lambda: five().map(lambda x: x)),
    ("w", lambda: five().window(2)),
    ("pb", lambda: five().padded_batch(2, [])),
    ("en", lambda: five().enumerate()),
    ("ub", lambda: five().batch(2).apply(X.unbatch())),
    ("sr", lambda: five().apply(X.shuffle_and_repeat(2, 3))),
    ("ie", lambda: five().apply(X.ignore_errors())),
    ("scan", lambda: five().apply(X.scan(np.int64(0), lambda s, x: (s, x)))),
    ("rand", lambda: X.RandomDataset()),
    ("gen", lambda: D.from_generator(lambda: iter([1]), tf.int32)),
    ("mab", lambda: five().apply(X.map_and_batch(lambda x: x, 2))),
    ("cat inf", lambda: five().concatenate(five().repeat())),
    ("rep0", lambda: five().repeat(0)),
    ("txt", lambda: tf.data.TextLineDataset("/x")),
    ("opt", lambda: five().with_options(tf.data.Options())),
    ("tw", lambda: five().apply(X.take_while(lambda x: x < 2))),
    ("ws drop", lambda: five().window(2, drop_remainder=True)),
    ("rt", lambda: five().repeat().batch(2)),
    ("il", lambda: five().interleave(lambda x: D.range(2), 2)),
):
    err("card " + n, lambda f=f: card(f()))


def gse(d):
    with tf.Session() as s:
        return str(plain(s.run(X.get_single_element(d))))


err("gse", lambda: gse(D.from_tensors((1, "a"))))
err("gse none", lambda: gse(D.range(0)))
err("gse many", lambda: gse(five()))
err("gse bad", lambda: X.get_single_element(3))
err("gse sparse", lambda: gse(D.from_tensors(tf.SparseTensor([[0]], [1], [1]))))
show(
    "aes",
    lambda: five().map(lambda x: tf.fill([2], x)).apply(tf.contrib.data.assert_element_shape(tf.TensorShape([2]))),
)
err(
    "aes bad",
    lambda: five().map(lambda x: tf.fill([2], x)).apply(tf.contrib.data.assert_element_shape(tf.TensorShape([3]))),
)
show("aes dyn", lambda: el().apply(tf.contrib.data.assert_element_shape(tf.TensorShape([1]))))
show("sliding", lambda: five().apply(tf.contrib.data.sliding_window_batch(2, 2)))
show("sliding2", lambda: five().apply(tf.contrib.data.sliding_window_batch(2, window_shift=1, window_stride=2)))
err("sliding both", lambda: five().apply(tf.contrib.data.sliding_window_batch(2, 2, window_shift=1)))
show("sliding 0", lambda: five().apply(tf.contrib.data.sliding_window_batch(0)))
