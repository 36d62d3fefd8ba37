"""Transformations of tf.data.experimental and tf.contrib.data: elements, order, shapes, types and errors."""

import numpy as np
import tensorflow as tf

results = {}
D = tf.data.Dataset
E = tf.data.experimental


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, tf.SparseTensorValue):
        return ["sparse", value.indices.tolist(), plain(value.values), value.dense_shape.tolist()]
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    value = np.asarray(value)
    if value.dtype.kind in "OS":
        return [v.decode() for v in value.reshape(-1).tolist()] + [list(value.shape)]
    return value.tolist()


def show(name, make, limit=40):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        try:
            dataset = make()
        except (ValueError, TypeError) as error:
            results[name] = type(error).__name__
            return
        value = tf.compat.v1.data.make_initializable_iterator(dataset)
        fetch = value.get_next()
        found = []
        with tf.Session(graph=graph) as sess:
            try:
                sess.run(value.initializer)
                while len(found) < limit:
                    found.append(plain(sess.run(fetch)))
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
        results[name] = [
            str(tf.compat.v1.data.get_output_types(dataset)),
            str(tf.compat.v1.data.get_output_shapes(dataset)),
            found,
        ]


def ten():
    return D.range(10)


show("map_and_batch", lambda: ten().apply(E.map_and_batch(lambda x: (x, x * 2), 4, drop_remainder=True)))
show("map_and_batch_rest", lambda: ten().apply(tf.contrib.data.map_and_batch(lambda x: x, 4, num_parallel_batches=2)))
show("map_and_batch_both", lambda: ten().apply(E.map_and_batch(lambda x: x, 4, 2, False, 3)))
show("shuffle_and_repeat", lambda: ten().apply(E.shuffle_and_repeat(5, count=2, seed=3)))
show(
    "parallel_interleave",
    lambda: D.range(1, 5).apply(
        E.parallel_interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=2, block_length=2)
    ),
)
show("group_by_window", lambda: ten().apply(E.group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), window_size=3)))
show(
    "group_by_window_func",
    lambda: ten().apply(
        E.group_by_window(
            lambda x: x % 3, lambda k, d: d.batch(4).map(lambda b: (k, b)), window_size_func=lambda k: k + 1
        )
    ),
)
show("group_both", lambda: ten().apply(E.group_by_window(lambda x: x, lambda k, d: d, 2, lambda k: k)))
show(
    "group_by_reducer",
    lambda: ten().apply(
        E.group_by_reducer(
            lambda x: x % 3, E.Reducer(lambda k: (np.int64(0), k), lambda s, x: (s[0] + x, s[1]), lambda a, k: (k, a))
        )
    ),
)
show(
    "buckets",
    lambda: (
        D.range(1, 14)
        .map(lambda x: tf.fill([x], x))
        .apply(E.bucket_by_sequence_length(lambda x: tf.size(x), [4, 9], [3, 2, 2]))
    ),
)
show(
    "buckets_boundary",
    lambda: (
        D.range(1, 9)
        .map(lambda x: tf.fill([x], x))
        .apply(
            E.bucket_by_sequence_length(
                lambda x: tf.size(x),
                [4, 9],
                [3, 2, 2],
                pad_to_bucket_boundary=True,
                padding_values=tf.constant(-1, tf.int64),
            )
        )
    ),
)
show("buckets_wrong", lambda: ten().apply(E.bucket_by_sequence_length(lambda x: x, [4], [1])))
show("scan", lambda: ten().apply(E.scan(np.int64(0), lambda s, x: (s + x, (s, x)))))
show("scan_shape", lambda: ten().apply(E.scan([0], lambda s, x: (tf.concat([s, [1]], 0), tf.size(s)))))
show("scan_type", lambda: ten().apply(E.scan(0.0, lambda s, x: (x, x))))
show("unique", lambda: D.from_tensor_slices([3, 1, 3, 2, 1]).apply(E.unique()))
show("unique_words", lambda: D.from_tensor_slices(["b", "a", "b"]).apply(E.unique()))
show("unique_wrong", lambda: D.from_tensor_slices([1.0]).apply(E.unique()))
show(
    "ignore_errors",
    lambda: ten().map(lambda x: tf.check_numerics(1.0 / tf.cast(x % 3, tf.float32), "")).apply(E.ignore_errors()),
)
show("take_while", lambda: ten().apply(E.take_while(lambda x: x < 4)))
show("dense_to_sparse", lambda: D.range(1, 6).map(lambda x: tf.fill([x], x)).apply(E.dense_to_sparse_batch(2, [6])))
show(
    "dense_to_sparse_any",
    lambda: D.range(1, 6).map(lambda x: tf.fill([x, 2], x)).apply(E.dense_to_sparse_batch(3, [None, 2])),
)
show("enumerate", lambda: D.range(3).apply(E.enumerate_dataset(2)))
show("counter", lambda: E.Counter(3, 2).take(4))
show("random", lambda: E.RandomDataset(seed=5).take(4))
show(
    "sample",
    lambda: E.sample_from_datasets(
        [D.range(0, 20), D.range(100, 120), D.range(200, 220)], [0.5, 0.3, 0.2], seed=4
    ).take(30),
)
show("sample_even", lambda: E.sample_from_datasets([D.range(0, 5), D.range(100, 105)], seed=4))
show("sample_wrong", lambda: E.sample_from_datasets([ten(), ten()], [1.0]))
show(
    "choose",
    lambda: E.choose_from_datasets(
        [D.range(0, 3), D.range(10, 13)], D.from_tensor_slices(np.array([0, 1, 1, 0, 1], np.int64))
    ),
)
show("choose_wrong", lambda: E.choose_from_datasets([ten()], D.from_tensors(1.0)))
show("sliding", lambda: ten().apply(tf.contrib.data.sliding_window_batch(4, 3)))
show("batch_and_drop", lambda: ten().apply(tf.contrib.data.batch_and_drop_remainder(4)))
show(
    "padded_and_drop",
    lambda: (
        D.range(1, 6).map(lambda x: tf.fill([x], x)).apply(tf.contrib.data.padded_batch_and_drop_remainder(2, [None]))
    ),
)
show("unbatch", lambda: ten().batch(3).apply(tf.contrib.data.unbatch()))
show(
    "resample",
    lambda: D.from_tensor_slices(np.arange(60) % 3).apply(
        E.rejection_resample(lambda x: tf.cast(x, tf.int32), [0.6, 0.3, 0.1], [1 / 3.0] * 3, seed=3)
    ),
)
show("prefetch_to_device", lambda: D.range(3).apply(E.copy_to_device("/cpu:0")).prefetch(1))

with tf.Graph().as_default():
    single = E.get_single_element(D.from_tensors((1, "x")))
    none = E.get_single_element(ten())
    counts = [
        E.cardinality(d)
        for d in (
            ten(),
            ten().repeat(),
            ten().filter(lambda x: x > 1),
            ten().batch(3),
            ten().batch(3, True),
            ten().take(4).skip(1),
            ten().shard(3, 0),
            D.zip((ten(), ten().repeat(2))),
            ten().concatenate(ten()),
            ten().shuffle(2).repeat(3),
        )
    ]
    total = tf.contrib.data.reduce_dataset(
        ten(), tf.contrib.data.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)
    )
    optional = E.get_next_as_optional(D.range(1).make_one_shot_iterator())
    has = optional.has_value()
    held = E.Optional.from_value((1, {"a": 2.0})).get_value()
    with tf.Session() as sess:
        results["single"] = plain(sess.run(single))
        try:
            sess.run(none)
        except tf.errors.InvalidArgumentError as error:
            results["not_single"] = error.message.split("\n")[0]
        results["cardinality"] = [int(n) for n in sess.run(counts)]
        results["reduced"] = int(sess.run(total))
        results["optional"] = [bool(sess.run(has)), bool(sess.run(has)), plain(sess.run(held))]

options = tf.data.Options()
options.experimental_optimization.apply_default_optimizations = False
show("no_fusion", lambda: D.range(6).shuffle(3, seed=1).repeat(2).with_options(options))
wrong = tf.data.Options()
outcomes = []
for action in (
    lambda: setattr(wrong, "nonsense", 1),
    lambda: setattr(wrong, "experimental_deterministic", 3),
    lambda: setattr(wrong.experimental_optimization, "map_fusion", True),
):
    try:
        action()
        outcomes.append("fine")
    except (AttributeError, TypeError) as error:
        outcomes.append(type(error).__name__)
results["options"] = outcomes
