"""Datasets: the elements, order, shapes and types of every transformation, and the errors of wrong arguments."""

import collections

import numpy as np
import tensorflow as tf

results = {}
Pair = collections.namedtuple("Pair", ["first", "second"])
D = tf.data.Dataset


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


def elements(dataset, limit=30, one_shot=True):
    graph = tf.get_default_graph()
    iterator = (
        tf.compat.v1.data.make_one_shot_iterator(dataset)
        if one_shot
        else tf.compat.v1.data.make_initializable_iterator(dataset)
    )
    value = iterator.get_next()
    found = []
    with tf.Session(graph=graph) as sess:
        if not one_shot:
            sess.run(iterator.initializer)
        while len(found) < limit:
            try:
                found.append(plain(sess.run(value)))
            except tf.errors.OpError as error:
                found.append(type(error).__name__)
                if isinstance(error, tf.errors.OutOfRangeError):
                    found.append(error.message.split("\n")[0])
                break
    return found


def show(name, make, limit=30, one_shot=True):
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        try:
            dataset = make()
            results[name] = {
                "types": str(tf.compat.v1.data.get_output_types(dataset)).replace("<dtype: ", "").replace(">", ""),
                "shapes": str(tf.compat.v1.data.get_output_shapes(dataset)),
                "elements": elements(dataset, limit, one_shot),
            }
        except (ValueError, TypeError) as error:
            results[name] = type(error).__name__


def ten():
    return D.range(10)


floats = np.arange(12, dtype=np.float32).reshape(6, 2)
words = np.array(["a", "bb", "ccc", "d", "ee", "f"])

show("tensors", lambda: D.from_tensors({"x": floats, "y": (1, 2.5)}))
show("slices", lambda: D.from_tensor_slices((floats, words)))
show("slices_dict", lambda: D.from_tensor_slices({"b": words, "a": np.arange(6)}))
show("slices_named", lambda: D.from_tensor_slices(Pair(np.arange(3), np.ones([3, 1]))))
show("slices_list", lambda: D.from_tensor_slices([[1, 2], [3, 4]]))
show("range", lambda: D.range(3, 20, 5))
show("range_down", lambda: D.range(5, 0, -2))
show("zip", lambda: D.zip((ten(), {"w": D.from_tensor_slices(words)})))
show("concatenate", lambda: ten().take(2).concatenate(D.range(100, 102)))
show("concatenate_shapes", lambda: D.from_tensors([1, 2]).concatenate(D.from_tensors([1, 2, 3])))
show("concatenate_types", lambda: ten().concatenate(D.from_tensors(1.0)))
show("map", lambda: ten().map(lambda x: x * x))
show("map_tuple", lambda: D.from_tensor_slices((floats, words)).map(lambda x, w: (w, {"s": tf.reduce_sum(x)})))
show("map_parallel", lambda: ten().map(lambda x: (x, tf.cast(x, tf.float32) / 2), num_parallel_calls=3))
show("map_list", lambda: ten().map(lambda x: [x, x + 1]).take(2))
show("map_none", lambda: ten().map(lambda x: None))
show("map_failing", lambda: ten().map(lambda x: tf.check_numerics(3.0 / (3.0 - tf.cast(x, tf.float32)), "bad")))
show("filter", lambda: ten().filter(lambda x: tf.equal(x % 3, 0)))
show("filter_wrong", lambda: ten().filter(lambda x: x))
show("flat_map", lambda: D.range(4).flat_map(lambda x: D.from_tensors(x).repeat(x)))
show("flat_map_wrong", lambda: D.range(4).flat_map(lambda x: x))
show(
    "interleave",
    lambda: D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(6), cycle_length=2, block_length=4),
)
show(
    "interleave_parallel",
    lambda: D.range(1, 6).interleave(
        lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=2, num_parallel_calls=2
    ),
)
show("shuffle", lambda: ten().shuffle(4, seed=3))
show("shuffle_all", lambda: ten().shuffle(100))
show("shuffle_one", lambda: ten().shuffle(1))
show("shuffle_repeat", lambda: ten().shuffle(4, seed=3).repeat(2))
show("shuffle_repeat_same", lambda: ten().shuffle(4, seed=3, reshuffle_each_iteration=False).repeat(2))
show("shuffle_map_repeat", lambda: ten().shuffle(4, seed=3).map(lambda x: x).repeat(2))
show("repeat_shuffle", lambda: ten().repeat(2).shuffle(6, seed=9))
show("shuffle_repeat_forever", lambda: D.range(3).shuffle(3, seed=1).repeat(), 12)
show("shuffle_zero", lambda: ten().shuffle(0))
show("repeat", lambda: D.range(2).repeat(3))
show("repeat_none", lambda: D.range(2).repeat(0))
show("cache", lambda: ten().map(lambda x: x + 1).cache().repeat(2))
show("batch", lambda: ten().batch(4))
show("batch_drop", lambda: ten().batch(4, drop_remainder=True))
show("batch_words", lambda: D.from_tensor_slices((words, floats)).batch(4))
show("batch_ragged", lambda: ten().map(lambda x: tf.fill([x], x)).batch(3))
show("batch_zero", lambda: ten().batch(0))
show("padded", lambda: ten().map(lambda x: tf.fill([x], x)).padded_batch(4, padded_shapes=[None]))
show(
    "padded_drop",
    lambda: (
        ten()
        .map(lambda x: (tf.fill([x], x), tf.fill([x, 2], "w")))
        .padded_batch(
            4, padded_shapes=([12], [None, 3]), padding_values=(tf.constant(-1, tf.int64), "-"), drop_remainder=True
        )
    ),
)
show("padded_small", lambda: ten().map(lambda x: tf.fill([x], x)).padded_batch(4, padded_shapes=[2]))
show("padded_type", lambda: ten().padded_batch(4, padded_shapes=[], padding_values=1.0))
show("prefetch", lambda: ten().prefetch(2).map(lambda x: x + 1).prefetch(1))
show("take", lambda: ten().take(3).take(-1))
show("skip", lambda: ten().skip(8))
show("skip_all", lambda: ten().skip(-1))
show("shard", lambda: ten().shard(4, 1))
show("shard_wrong", lambda: ten().shard(4, 4))
show("enumerate", lambda: D.from_tensor_slices(words).enumerate(start=5))
show("window", lambda: ten().window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3)))
show("window_drop", lambda: ten().window(4, drop_remainder=True).flat_map(lambda w: w.batch(4)))
show("window_tuple", lambda: D.zip((ten(), ten())).window(3).flat_map(lambda a, b: D.zip((a.batch(3), b.batch(3)))))
show("unbatch", lambda: D.from_tensor_slices((floats, words)).batch(4).unbatch())
show("apply", lambda: ten().apply(lambda d: d.skip(7)))
show("sparse_tensors", lambda: D.from_tensors(tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])))
show("sparse_slices", lambda: D.from_tensor_slices(tf.SparseTensor([[0, 1], [2, 0]], ["x", "y"], [3, 3])))
show(
    "sparse_batch",
    lambda: (
        D.from_tensor_slices((tf.SparseTensor([[0, 1], [2, 0]], [1, 2], [3, 3]), np.arange(3)))
        .map(lambda s, i: (s, i + 1))
        .batch(2)
    ),
)
show(
    "from_sparse",
    lambda: D.from_sparse_tensor_slices(tf.SparseTensor([[0, 0], [2, 1], [2, 3]], [1.0, 2.0, 3.0], [4, 5])),
)


def numbers():
    for i in range(4):
        yield i, [float(i)] * i


show("generator", lambda: D.from_generator(numbers, (tf.int64, tf.float32), ([], [None])))
show("generator_repeat", lambda: D.from_generator(lambda: [1, 2, 3], tf.int32).repeat(2))
show("generator_words", lambda: D.from_generator(lambda: iter(["a", b"b"]), tf.string, []))
show("generator_dict", lambda: D.from_generator(lambda: iter([{"a": 1, "b": "x"}]), {"a": tf.int32, "b": tf.string}))
show("generator_args", lambda: D.from_generator(lambda n, t: range(int(n)), tf.int64, args=(3, "t")))
show("generator_type", lambda: D.from_generator(lambda: iter([1, "x"]), tf.int32))
show("generator_shape", lambda: D.from_generator(lambda: iter([[1], [1, 2]]), tf.int32, [1]))
show("generator_structure", lambda: D.from_generator(lambda: iter([(1, 2, 3)]), (tf.int32, tf.int32)))
show("nested_map", lambda: D.range(3).map(lambda x: D.range(x)).flat_map(lambda d: d))

with tf.Graph().as_default():
    total = ten().reduce(np.int64(0), lambda s, x: s + x)
    both = ten().reduce((0, "n"), lambda s, x: (s[0] + 1, s[1] + "."))
    with tf.Session() as sess:
        results["reduce"] = plain(sess.run([total, both][0])), plain(sess.run(both))

# Captured tensors and variables; initialized iterators begin anew with the same seeds.
with tf.Graph().as_default():
    tf.set_random_seed(1)
    bound = tf.placeholder(tf.int64, [])
    weight = tf.get_variable("weight", [], tf.int64, initializer=tf.constant_initializer(10), use_resource=True)
    dataset = D.range(bound).shuffle(10).map(lambda x: x * weight + bound)
    iterator = dataset.make_initializable_iterator()
    value = iterator.get_next()
    results["op_names"] = [iterator.initializer.name, value.name, value.op.type]
    with tf.Session() as sess:
        try:
            sess.run(value)
        except tf.errors.FailedPreconditionError as error:
            results["not_begun"] = error.message[:60]
        sess.run(weight.initializer)
        passes = []
        for n in (4, 4, 3):
            sess.run(iterator.initializer, {bound: n})
            passes.append([])
            while True:
                try:
                    passes[-1].append(int(sess.run(value)))
                except tf.errors.OutOfRangeError:
                    break
        sess.run(weight.assign(100))
        sess.run(iterator.initializer, {bound: 3})
        results["passes"] = passes, [int(sess.run(value)) for _ in range(3)]
    try:
        dataset.make_one_shot_iterator()
    except ValueError as error:
        results["one_shot_refused"] = str(error)[:60]

# One iterator for two datasets, and handles that choose.
with tf.Graph().as_default():
    training, testing = D.range(100).map(lambda x: x + 1000), D.range(5)
    iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
    value = iterator.get_next()
    begin = [iterator.make_initializer(training), iterator.make_initializer(testing)]
    handle = tf.placeholder(tf.string, [])
    chosen = tf.data.Iterator.from_string_handle(handle, training.output_types, training.output_shapes)
    chosen_value = chosen.get_next()
    first, second = training.make_one_shot_iterator(), testing.make_initializable_iterator()
    wrong = []
    for make in (
        lambda: iterator.make_initializer(D.from_tensors(1.0)),
        lambda: tf.data.Iterator.from_structure((tf.int32, tf.int32), (tf.TensorShape([]),)),
        lambda: first.initializer,
    ):
        try:
            make()
            wrong.append("none")
        except (TypeError, ValueError) as error:
            wrong.append(type(error).__name__)
    results["wrong_iterators"] = wrong
    with tf.Session() as sess:
        found = []
        for op in (begin[0], begin[1], begin[0]):
            sess.run(op)
            found.append([int(sess.run(value)) for _ in range(3)])
        handles = sess.run([first.string_handle(), second.string_handle()])
        sess.run(second.initializer)
        for which in (0, 1, 0, 1):
            found.append([int(sess.run(chosen_value, {handle: handles[which]})) for _ in range(2)])
        results["feedable"] = found
        floats_wanted = tf.data.Iterator.from_string_handle(handle, tf.float32).get_next()
        try:
            sess.run(floats_wanted, {handle: handles[0]})
        except tf.errors.InvalidArgumentError as error:
            results["handle_type"] = type(error).__name__

# A reference variable keeps a pipeline from being rewritten; what is given to an iterator without a dataset is as it is.
with tf.Graph().as_default():
    tf.set_random_seed(3)
    offset = tf.get_variable("offset", [], tf.int64, initializer=tf.constant_initializer(5))
    shuffled = D.range(6).map(lambda x: x + offset).shuffle(4, seed=1).repeat(2)
    plain_shuffled = D.range(6).shuffle(4, seed=1).repeat(2)
    first = shuffled.make_initializable_iterator()
    second = tf.data.Iterator.from_structure(tf.int64, [])
    begin = second.make_initializer(plain_shuffled)
    one, two = first.get_next(), second.get_next()
    with tf.Session() as sess:
        sess.run([offset.initializer])
        sess.run([first.initializer, begin])
        results["not_rewritten"] = [[int(v) for v in sess.run([one, two])] for _ in range(12)]
    results["described"] = [
        repr(plain_shuffled),
        [n.op for n in tf.get_default_graph().as_graph_def().node if "Dataset" in n.op],
    ]
