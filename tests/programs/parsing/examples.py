"""Parsing Example and SequenceExample messages: values, static shapes, names of operations, errors."""

import functools

import numpy as np
import tensorflow as tf

results = {}
Fixed, Var, Sparse, Sequence = tf.FixedLenFeature, tf.VarLenFeature, tf.SparseFeature, tf.FixedLenSequenceFeature


def feature(values):
    """A Feature: None is one without a kind, an empty list an empty list of ints."""
    made = tf.train.Feature()
    if values is None:
        return made
    if not values:
        made.int64_list.SetInParent()
    elif isinstance(values[0], bytes):
        made.bytes_list.value.extend(values)
    elif isinstance(values[0], float):
        made.float_list.value.extend(values)
    else:
        made.int64_list.value.extend(values)
    return made


def example(**features):
    made = tf.train.Example()
    for key, values in features.items():
        made.features.feature[key].CopyFrom(feature(values))
    return made.SerializeToString()


def sequence(context, **lists):
    made = tf.train.SequenceExample()
    for key, values in context.items():
        made.context.feature[key].CopyFrom(feature(values))
    for key, items in lists.items():
        steps = made.feature_lists.feature_list[key]
        steps.SetInParent()
        for item in items:
            steps.feature.add().CopyFrom(feature(item))
    return made.SerializeToString()


def shapes(parsed):
    if isinstance(parsed, dict):
        return {key: shapes(parsed[key]) for key in parsed}
    if isinstance(parsed, tuple):
        return [shapes(part) for part in parsed]
    return str(parsed.get_shape())


def plain(value):
    """Sparse values as lists."""
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in value}
    if isinstance(value, tuple):
        return [plain(part) for part in value]
    return value


def outcome(name, make, names=False):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        try:
            parsed = make()
            found = [plain(sess.run(parsed)), shapes(parsed)]
            if names:
                found.append([[op.name, op.type] for op in graph.get_operations()])
        except tf.errors.OpError as error:
            found = [type(error).__name__, error.message.split("\n")[0].split(" [[")[0]]
        except (ValueError, TypeError) as error:
            found = [type(error).__name__]
        results[name] = found


a, b, c = example(x=[1, 2], y=[1.5]), example(x=[3, 4]), example(x=[5])
pairs = example(i=[0, 3], v=[1.0, 2.0]), example(i=[9], v=[3.0])
swapped = example(i=[3, 0], v=[1.0, 2.0])
both = {
    "fixed": ([a, b], {"x": Fixed([2], tf.int64)}),
    "missing": ([b, a], {"y": Fixed([1], tf.float32)}),
    "missing, default": ([b, a], {"y": Fixed([1], tf.float32, default_value=2)}),
    "missing, wrong default": ([b, a], {"y": Fixed([1], tf.float32, default_value=[2, 3])}),
    "wrong type": ([a, b], {"x": Fixed([2], tf.float32)}),
    "wrong type of many": ([a, b], {"x": Var(tf.float32)}),
    "wrong count": ([a, c], {"x": Fixed([3], tf.int64)}),
    "empty record": ([b"", a], {"x": Var(tf.int64)}),
    "empty feature": ([example(x=None), a], {"x": Var(tf.int64)}),
    "empty feature, fixed": ([example(x=None), a], {"x": Fixed([2], tf.int64)}),
    "empty feature, default": ([example(x=None), a], {"x": Fixed([2], tf.int64, [8, 9])}),
    "empty list, default": ([example(x=[]), a], {"x": Fixed([2], tf.int64, [8, 9])}),
    "empty list, other type": ([example(x=[]), a], {"x": Fixed([2], tf.float32, [8, 9])}),
    "empty list, no values": ([example(x=[]), example(x=[])], {"x": Fixed([0], tf.int64)}),
    "sequence": ([a, b, c], {"x": Sequence([], tf.int64, allow_missing=True)}),
    "sequence of pairs": ([a, b, example(x=[])], {"x": Sequence([2], tf.int64, allow_missing=True)}),
    "sequence, half a pair": ([c, b, a], {"x": Sequence([2], tf.int64, allow_missing=True)}),
    "sequence, padded": ([a, b, c], {"x": Sequence([], tf.int64, allow_missing=True, default_value=-1)}),
    "sequence, must be there": ([b], {"y": Sequence([], tf.float32)}),
    "sparse": (pairs, {"s": Sparse("i", "v", tf.float32, 10)}),
    "sparse, swapped": ((swapped, pairs[1]), {"s": Sparse("i", "v", tf.float32, 10)}),
    "sparse, two keys": (
        [example(i=[0, 3], j=[1, 1], v=[1.0, 2.0])],
        {"s": Sparse(["i", "j"], "v", tf.float32, [10, 4], already_sorted=True)},
    ),
    "no features": ([a], {}),
    "no feature": ([a], {"x": 3}),
    "two kinds": ([a, b], {"x": Var(tf.int64), "y": Fixed([], tf.float32, 0.0)}),
    "unknown length": ([b], {"y": Fixed([None], tf.float32)}),
    "unknown size": ([b], {"y": Fixed([2, None], tf.float32)}),
    "double": ([b], {"y": Fixed([2], tf.float64)}),
    "strings": ([example(s=[b"a", b""])], {"s": Fixed([2], tf.string), "t": Fixed([], tf.string, "none")}),
}
for name, (records, features) in both.items():
    outcome("batch, " + name, lambda r=records, f=features: tf.parse_example(list(r), f), names=True)
    outcome("one, " + name, lambda r=records, f=features: tf.parse_single_example(r[0], f), names=True)
y = {"y": Fixed([], tf.float32)}
outcome("named", lambda: tf.parse_example([b], y, example_names=["me"]))
outcome("too few names", lambda: tf.parse_example([a, b], y, example_names=["me"]))
outcome("a scalar", lambda: tf.parse_example(a, y))
outcome("a vector", lambda: tf.parse_single_example([a], y))
outcome("one, named, missing", lambda: tf.parse_single_example(b, y, example_names="me"))
outcome("one, named", lambda: tf.parse_single_example(a, y, example_names="me"), names=True)
outcome("one, named, sparse", lambda: tf.parse_single_example(a, {"x": Var(tf.int64)}, example_names="me"), names=True)
outcome("no Example", lambda: tf.parse_single_example(b"garbage", y))
outcome("named scope", lambda: tf.parse_example([a], y, name="mine"), names=True)

whole = sequence({"id": [7], "w": [b"x", b"y"]}, t=[[1], [2], [3]], f=[[1.0, 2.0], [3.0, 4.0]], v=[[1], [], [2, 3]])
short = sequence({"id": [8]}, t=[[4]], f=[], v=[])
shorter = sequence({"id": [8]}, t=[[4]])
sequences = {
    "all": (
        {"id": Fixed([], tf.int64), "w": Var(tf.string)},
        {"t": Sequence([], tf.int64), "f": Sequence([2], tf.float32), "v": Var(tf.int64)},
        [whole, short],
    ),
    "missing": ({"id": Fixed([], tf.int64)}, {"f": Sequence([2], tf.float32)}, [shorter, whole]),
    "may miss": ({}, {"f": Sequence([2], tf.float32, allow_missing=True)}, [shorter, whole]),
    "missing, sparse": ({}, {"v": Var(tf.int64)}, [shorter, whole]),
    "context missing, default": ({"z": Fixed([2], tf.int64, default_value=[5, 6])}, {}, [shorter, whole]),
    "context missing, sparse": ({"z": Var(tf.int64)}, {}, [shorter, whole]),
    "context of wrong type": ({"id": Fixed([], tf.float32)}, {}, [whole]),
    "list of wrong type": ({}, {"t": Sequence([], tf.float32)}, [whole]),
    "list of wrong size": ({}, {"t": Sequence([2], tf.int64)}, [whole]),
    "sparse list of wrong type": ({}, {"t": Var(tf.float32)}, [whole]),
    "ragged items": ({}, {"v": Sequence([], tf.int64)}, [whole]),
    "default of a list": ({}, {"t": Sequence([], tf.int64, default_value=3)}, [whole]),
    "an empty item, sparse": ({}, {"t": Var(tf.int64)}, [sequence({}, t=[None, [1]]), whole]),
    "an empty item": ({}, {"t": Sequence([], tf.int64)}, [sequence({}, t=[None, [1]]), whole]),
    "strings": ({}, {"s": Sequence([], tf.string)}, [sequence({}, s=[[b"a"], [b"bc"]]), sequence({}, s=[[b"q"]])]),
    "sparse feature": ({"x": Sparse("a", "b", tf.int64, 5)}, {}, [whole]),
    "sequence in context": ({"x": Sequence([], tf.int64)}, {}, [whole]),
    "fixed in list": ({}, {"x": Fixed([], tf.int64)}, [whole]),
    "empty record": (
        {"id": Var(tf.int64)},
        {"t": Sequence([], tf.int64, allow_missing=True), "v": Var(tf.int64)},
        [b"", whole],
    ),
    "matrices": (
        {},
        {"m": Sequence([2, 2], tf.int64)},
        [sequence({}, m=[[1, 2, 3, 4]]), sequence({}, m=[[1, 2, 3, 4], [5, 6, 7, 8]])],
    ),
    "nothing": ({}, {}, [whole]),
}
for name, (context, lists, records) in sequences.items():
    for i, record in enumerate(records):
        one_by_one = functools.partial(tf.parse_single_sequence_example, record, context, lists, "me")
        outcome("steps %d, %s" % (i, name), one_by_one, i < 1)
    outcome("many steps, " + name, functools.partial(tf.io.parse_sequence_example, list(records), context, lists), True)
outcome("steps, a vector", lambda: tf.parse_single_sequence_example([whole], {"id": Fixed([], tf.int64)}))
outcome("steps, a scalar", lambda: tf.io.parse_sequence_example(whole, {"id": Fixed([], tf.int64)}))
outcome("steps, no example", lambda: tf.parse_single_sequence_example(b"garbage", {"id": Fixed([], tf.int64)}))

# Many random examples, in batches and one by one.
random = np.random.RandomState(7)


def some(kind, count):
    if kind == 0:
        return [int(v) for v in random.randint(-(2**62), 2**62, count) >> random.randint(0, 63, count)]
    if kind == 1:
        return [float(v) for v in random.randn(count).astype(np.float32)]
    return [random.bytes(random.choice([0, 1, 5, 126, 127, 128, 200])) for _ in range(count)]


records = []
for _ in range(40):
    made = {"i": some(0, 3), "f": some(1, 2), "s": some(2, 1), "vf": some(1, random.randint(1, 4))}
    if random.rand() < 0.7:
        made["vi"] = some(0, random.randint(1, 40))
    if random.rand() < 0.7:
        made["vs"] = some(2, random.randint(1, 4))
    records.append(example(**made))
features = {"i": Fixed([3], tf.int64), "f": Fixed([2, 1], tf.float32), "s": Fixed([], tf.string)}
features.update(vf=Var(tf.float32), vi=Var(tf.int64), vs=Var(tf.string))
padded = {
    "vi": Sequence([], tf.int64, allow_missing=True, default_value=-1),
    "vf": Sequence([1], tf.float32, allow_missing=True),
    "vs": Sequence([], tf.string, allow_missing=True, default_value="-"),
}
given, one = tf.placeholder(tf.string, [None]), tf.placeholder(tf.string, [])
batch, rows, single = (
    tf.parse_example(given, features),
    tf.parse_example(given, padded),
    tf.parse_single_example(one, features),
)
with tf.Session() as sess:
    results["random"] = plain(sess.run(batch, {given: records}))
    results["random, padded"] = plain(sess.run(rows, {given: records[:20]}))
    results["random, singly"] = [plain(sess.run(single, {one: record})) for record in records[:8]]
