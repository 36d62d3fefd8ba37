"""SavedModels of many kinds, and a training graph with input queues, as real TensorFlow 1.15.5 writes them.

    python tools/oracle/make_model_fixtures.py tests/fixtures/models

Runs in the oracle's environment. Beside each SavedModel stands `example.npz`: what is fed as `in:KEY`, and what its
signature gives as `out:KEY`. The training graph has `losses.json`, the losses of the steps that follow its checkpoint.
"""

import json
import os
import shutil
import sys

import numpy as np
import tensorflow as tf

MODELS = []


def model(function):
    MODELS.append(function)
    return function


@model
def attention_decoder(folder):
    """An encoder, attention and a greedy decoder."""
    seq2seq = tf.contrib.seq2seq
    source = tf.placeholder(tf.int32, [None, None], name="source")
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    embedding = tf.get_variable("embedding", [11, 6])
    encoded, state = tf.nn.dynamic_rnn(
        tf.nn.rnn_cell.GRUCell(8), tf.nn.embedding_lookup(embedding, source), lengths, dtype=tf.float32
    )
    count = tf.shape(source)[0]
    attention = seq2seq.BahdanauAttention(8, encoded, lengths, normalize=True)
    cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(8), attention, attention_layer_size=8)
    decoder = seq2seq.BasicDecoder(
        cell,
        seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([count], 1), 2),
        cell.zero_state(count, tf.float32).clone(cell_state=state),
        tf.layers.Dense(11, use_bias=False),
    )
    decoded, _, steps = seq2seq.dynamic_decode(decoder, maximum_iterations=7)
    random = np.random.RandomState(0)
    inputs = {
        "source": (source, random.randint(3, 11, [2, 5]).astype(np.int32)),
        "lengths": (lengths, np.array([5, 3], np.int32)),
    }
    return inputs, {"ids": decoded.sample_id, "logits": decoded.rnn_output, "steps": steps}


@model
def vocabulary(folder):
    """Tables of files that become assets, and of constants."""
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as file:
        file.write("the\ncat\nsat\n")
    words = tf.placeholder(tf.string, [None], name="words")
    table = tf.contrib.lookup.index_table_from_file(path, num_oov_buckets=2)
    back = tf.contrib.lookup.index_to_string_table_from_file(path, default_value="?")
    scores = tf.contrib.lookup.HashTable(
        tf.contrib.lookup.KeyValueTensorInitializer(["the", "x"], [5.0, 6.0]), default_value=-1.0
    )
    ids = table.lookup(words)
    inputs = {"words": (words, np.array([b"cat", b"dog", b"the", b"a"]))}
    return inputs, {"ids": ids, "back": back.lookup(ids), "scores": scores.lookup(words)}


@model
def examples(folder):
    """Serialized Examples in, through feature columns."""
    serialized = tf.placeholder(tf.string, [None], name="serialized")
    column = tf.feature_column
    age = column.numeric_column("age")
    steps = column.bucketized_column(age, [20, 40, 60])
    city = column.categorical_column_with_hash_bucket("city", 7)
    job = column.categorical_column_with_vocabulary_list("job", ["a", "b"], default_value=0)
    crossed = column.crossed_column([steps, "city"], 20)
    deep = [age, column.embedding_column(city, 3), column.indicator_column(job)]
    features = tf.parse_example(serialized, column.make_parse_example_spec(deep + [steps, crossed]))
    hidden = tf.layers.dense(column.input_layer(features, deep), 4, tf.nn.relu)
    wide = column.linear_model(features, [steps, crossed])
    fed = []
    for i in range(4):
        example = tf.train.Example()
        example.features.feature["age"].float_list.value.append(15.0 + 18 * i)
        example.features.feature["city"].bytes_list.value.append(b"xyzx"[i : i + 1])
        example.features.feature["job"].bytes_list.value.append(b"abca"[i : i + 1])
        fed.append(example.SerializeToString())
    inputs = {"serialized": (serialized, np.array(fed))}
    return inputs, {"scores": tf.layers.dense(hidden, 2) + wide, "hidden": hidden}


@model
def dataset(folder):
    """A dataset inside the graph, its functions in the library, its iterator made when the model is loaded."""
    count = tf.placeholder(tf.int64, [], name="count")
    numbers = tf.data.Dataset.range(10).map(lambda i: (i * 2, tf.as_string(i))).filter(lambda a, b: a > 2).batch(3)
    iterator = tf.data.make_initializable_iterator(numbers.repeat(2))
    tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
    doubled, text = iterator.get_next()
    total = tf.data.Dataset.range(count).reduce(np.int64(0), lambda x, y: x + y)
    return {"count": (count, np.int64(5))}, {"doubled": doubled + count, "text": text, "total": total}


@model
def functional_flow(folder):
    """Branches and loops of functions, with their gradients."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    tf.enable_control_flow_v2()
    w = tf.get_variable("w", [3, 3], use_resource=True)
    _, looped = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, w))), [0, x])
    chosen = tf.cond(tf.reduce_sum(looped) > 0, lambda: looped + 1, lambda: looped - w[0])
    outputs = {
        "looped": looped,
        "chosen": chosen,
        "gradient": tf.gradients(chosen, w)[0],
        "mapped": tf.map_fn(lambda row: tf.reduce_sum(row) * 2, x),
        "scanned": tf.scan(lambda a, v: a + v, x),
    }
    tf.disable_control_flow_v2()
    return {"x": (x, np.random.RandomState(0).randn(2, 3).astype(np.float32))}, outputs


@model
def loops(folder):
    """Loops in branches in loops, TensorArrays, and gradients through them."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.get_variable("w", [3, 3])
    rows = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)

    def body(i, y, rows):
        def powers():
            return tf.while_loop(lambda j, v: j < i, lambda j, v: (j + 1, v * 1.1), [0, y])[1]

        y = tf.cond(tf.equal(i % 2, 0), lambda: tf.matmul(y, w), powers)
        return i + 1, y, rows.write(i, y)

    _, y, rows = tf.while_loop(lambda i, *_: i < 5, body, [0, x, rows])
    outputs = {"y": y, "rows": rows.stack(), "w": tf.gradients(y, w)[0], "x": tf.gradients(y, x)[0]}
    return {"x": (x, np.random.RandomState(0).randn(2, 3).astype(np.float32))}, outputs


@model
def functions(folder):
    """Functions with arguments, defaults of their gradients, and autograph's branches."""
    from tensorflow.python.framework import function

    @function.Defun(tf.float32, tf.float32, func_name="TwoResults")
    def two_results(a, b):
        return a + 2 * b, a * b

    @function.Defun(tf.float32, tf.float32)
    def sevenfold(x, dy):
        return dy * 7.0

    @function.Defun(tf.float32, grad_func=sevenfold)
    def same(x):
        return x * 1.0

    @tf.function
    def grown(a, n):
        for _ in tf.range(n):
            a = a * 1.5
        if tf.reduce_sum(a) > 0:
            a = a + 1.0
        return a

    x = tf.placeholder(tf.float32, [None], name="x")
    total, product = two_results(x, x + 1)
    outputs = {
        "total": total,
        "product": product,
        "grown": grown(x, tf.constant(3)),
        "custom": tf.gradients(same(x), x)[0],
        "gradient": tf.gradients(total, x)[0],
    }
    return {"x": (x, np.random.RandomState(0).randn(4).astype(np.float32))}, outputs


def saved(folder, build):
    work = folder + ".work"
    os.makedirs(work)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        inputs, outputs = build(work)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        found = session.run(outputs, dict(inputs.values()))
        info = tf.saved_model.build_tensor_info
        signature = tf.saved_model.build_signature_def(
            {key: info(tensor) for key, (tensor, _) in inputs.items()},
            {key: info(tensor) for key, tensor in outputs.items()},
            "tensorflow/serving/predict",
        )
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            main_op=tf.tables_initializer(),
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
        )
        builder.save()
    arrays = {"in:" + key: value for key, (_, value) in inputs.items()}
    arrays.update({"out:" + key: value for key, value in found.items()})
    np.savez(os.path.join(folder, "example.npz"), **arrays)
    shutil.rmtree(work)


def queues(folder):
    """A regression that reads its batches from CSV files through queues, kept after three steps."""
    os.makedirs(folder)
    here = os.getcwd()
    os.chdir(folder)
    random = np.random.RandomState(0)
    names = ["rows_0.csv", "rows_1.csv"]
    for name in names:
        with open(name, "w") as file:
            for row in random.rand(11, 3):
                file.write("%.4f,%.4f,%.4f\n" % tuple(row))
    with tf.Graph().as_default(), tf.Session() as session:
        files = tf.train.string_input_producer(names, shuffle=False, capacity=4)
        _, line = tf.TextLineReader().read(files)
        columns = tf.decode_csv(line, [[0.0]] * 3)
        x, y = tf.train.batch([tf.stack(columns[:2]), columns[2]], 4, num_threads=1, capacity=16)
        w = tf.get_variable("w", [2, 1], initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(x, w), 1) - y))
        tf.add_to_collection("loss", loss)
        tf.add_to_collection("train", tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss))
        saver = tf.train.Saver()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for _ in range(3):
            session.run(tf.get_collection("train"))
        saver.save(session, "./model", write_state=False)
        coordinator.request_stop()
        coordinator.join(threads)
    # What follows starts the queues anew, as every program that goes on from a checkpoint does.
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph("./model.meta")
        saver.restore(session, "./model")
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        fetched = [tf.get_collection("loss")[0], tf.get_collection("train")[0]]
        losses = [float(session.run(fetched)[0]) for _ in range(20)]
        coordinator.request_stop()
        coordinator.join(threads)
    with open("losses.json", "w") as file:
        json.dump(losses, file)
    os.chdir(here)


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for build in MODELS:
        saved(os.path.join(folder, build.__name__), build)
    queues(os.path.join(folder, "queues"))


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.ERROR)
    main(sys.argv[1])
