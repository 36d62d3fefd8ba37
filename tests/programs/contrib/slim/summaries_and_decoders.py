"""tf.contrib.slim and tf.contrib.training: summaries, clipping, analyzing operations, readers, decoders, lookups."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim, training
from tensorflow.contrib.slim.python.slim.data import data_decoder, data_provider, parallel_reader

results = {}
summaries = slim.summaries


def outcome(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error)]


def collected():
    found = [[one.op.type, one.name] for one in tf.get_collection(tf.GraphKeys.SUMMARIES)]
    printed = [one.type for one in tf.get_default_graph().get_operations() if one.type in ("Print", "PrintV2")]
    return found, printed


def tags():
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        found = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    return [
        [value.tag, value.simple_value if value.HasField("simple_value") else value.histo.num] for value in found.value
    ]


with tf.Graph().as_default():
    x = tf.constant([[0.0, 1.0], [2.0, 0.0]], name="deep/x")
    y = tf.constant(3.0, name="y")
    summaries.add_histogram_summary(x)
    summaries.add_histogram_summary(x, "named")
    summaries.add_histogram_summary(x, "named", "before")
    summaries.add_histogram_summaries([x, tf.identity(x, "copy")], "many")
    summaries.add_scalar_summary(y)
    summaries.add_scalar_summary(y, "loss", "train", print_summary=True)
    summaries.add_scalar_summaries([y, tf.identity(y, "second")], prefix="all", print_summary=True)
    summaries.add_zero_fraction_summary(x)
    summaries.add_zero_fraction_summary(x, "zeros", "part")
    summaries.add_zero_fraction_summaries([x], "more")
    results["collected"] = collected()
    results["tags"] = tags()
with tf.Graph().as_default():
    image = tf.constant(np.arange(24.0).reshape(1, 2, 4, 3), tf.float32, name="image")
    summaries.add_image_summary(image)
    summaries.add_image_summary(image, "shown", "eval", print_summary=True)
    summaries.add_image_summaries([image], "group")
    results["images"] = collected()

for name, module in (("slim", slim.learning), ("training", training)):
    with tf.Graph().as_default():
        one = tf.Variable([3.0, 4.0], name="one")
        table = tf.Variable([[1.0], [2.0]], name="table")
        unused = tf.Variable(1.0, name="unused")
        loss = tf.reduce_sum(one**2) + tf.reduce_sum(tf.gather(table, [1, 1]) * 6.0)
        pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss)
        clipped = module.clip_gradient_norms(pairs, 1.0)
        made = module.add_gradients_summaries(pairs)
        results["gradients " + name] = [
            [type(gradient).__name__ for gradient, _ in clipped],
            [summary.name for summary in made],
            collected(),
            tags(),
        ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            results["clipped " + name] = session.run(
                [clipped[0][0], clipped[1][0].values if isinstance(clipped[1][0], tf.IndexedSlices) else clipped[1][0]]
            )
        if name == "training":
            again = training.clip_gradient_norms_fn(0.5)(pairs[:1])
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results["clip function"] = session.run(again[0][0])

with tf.Graph().as_default():
    counter = training.get_or_create_eval_step()
    same = training.get_or_create_eval_step()
    results["eval step"] = [
        counter is same,
        counter.name,
        counter.dtype.name,
        [one.name for one in tf.get_collection(tf.GraphKeys.EVAL_STEP)],
        [one.name for one in tf.local_variables()],
    ]

with tf.Graph().as_default() as graph:
    a = tf.placeholder(tf.float32, [None, 3], name="a")
    b = slim.fully_connected(a, 2, scope="layer")
    tf.split(b, 2, 1, name="parts")
    results["operations"] = slim.model_analyzer.analyze_ops(graph, print_info=True)
    results["nothing"] = slim.model_analyzer.analyze_ops(tf.Graph())

folder = tempfile.mkdtemp()
paths = []
for number in range(2):
    path = os.path.join(folder, "records-%d" % number)
    with tf.python_io.TFRecordWriter(path) as writer:
        for record in range(3):
            writer.write(b"%d-%d" % (number, record))
    paths.append(path)
with tf.Graph().as_default() as graph:
    key, value = parallel_reader.single_pass_read(os.path.join(folder, "records-*"), tf.TFRecordReader)
    found = []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop():
            try:
                found.append(session.run(value))
            except tf.errors.OutOfRangeError:
                break
    results["single pass"] = sorted(found)
    results["single names"] = [key.name, value.name]
with tf.Graph().as_default():
    key, value = parallel_reader.parallel_read(
        paths, tf.TFRecordReader, num_epochs=2, num_readers=2, shuffle=True, capacity=20, min_after_dequeue=3, seed=1
    )
    found = []
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        try:
            while True:
                found.append(session.run(value))
        except tf.errors.OutOfRangeError:
            pass
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=5)
    results["parallel"] = sorted(found)
    results["parallel names"] = [key.name, value.name]
    results["parallel summaries"] = collected()[0]
results["no files"] = outcome(lambda: parallel_reader.get_data_files(os.path.join(folder, "none*")))[0]


class Doubled(slim.tfexample_decoder.ItemHandler):
    def __init__(self, key):
        super(Doubled, self).__init__(key)

    def tensors_to_item(self, keys_to_tensors):
        return keys_to_tensors[self.keys[0]] * 2


class Fixed(data_provider.DataProvider):
    def __init__(self):
        super(Fixed, self).__init__({"b": tf.constant(1), "a": tf.constant(2)}, num_samples=7)


with tf.Graph().as_default():
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(["cat", "dog"]), default_value=-1)
    example = tf.train.Example()
    example.features.feature["word"].bytes_list.value.extend([b"dog", b"cat", b"eel"])
    example.features.feature["n"].int64_list.value.append(4)
    handlers = {
        "label": slim.tfexample_decoder.LookupTensor("word", table, shape=[3, 1]),
        "twice": Doubled("n"),
    }
    decoder = slim.tfexample_decoder.TFExampleDecoder(
        {"word": tf.FixedLenFeature([3], tf.string), "n": tf.FixedLenFeature([], tf.int64)}, handlers
    )
    label, twice = decoder.decode(tf.constant(example.SerializeToString()), ["label", "twice"])
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        results["decoded"] = session.run([label, twice])
    results["items"] = sorted(decoder.list_items())
    results["keys"] = [sorted(handlers["label"].keys), sorted(handlers["twice"].keys)]
    results["abstract"] = [
        outcome(lambda: data_decoder.DataDecoder())[0],
        outcome(lambda: slim.tfexample_decoder.ItemHandler("x"))[0],
        outcome(lambda: list(Doubled(3).keys)),
    ]
    provider = Fixed()
    results["provider"] = [
        sorted(provider.list_items()),
        provider.num_samples(),
        len(provider.get(["a", "b"])),
        outcome(lambda: provider.get(["c"]))[0],
        outcome(lambda: list(data_provider.DataProvider({}, 1).list_items())),
    ]

with tf.Graph().as_default():
    params = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[5.0, 6.0], [7.0, 8.0]])]
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [0.5, 2.0, 1.0], [3, 2])
    with tf.Session() as session:
        results["distributed"] = {
            "%s %s %s" % (combiner, strategy, weight is None): session.run(
                slim.embedding_lookup_sparse_with_distributed_aggregation(
                    params, ids, weight, strategy, combiner=combiner
                )
            )
            for combiner in ("sum", "mean", "sqrtn")
            for strategy in ("mod", "div")
            for weight in (None, weights)
        }
results["scope key"] = slim.arg_scope_func_key(slim.conv2d) == slim.arg_scope_func_key(slim.convolution2d)
