"""Training graphs, SavedModels, frozen graphs, event files and records as real TensorFlow 1.15.5 writes them.

    python tools/oracle/make_graph_fixtures.py tests/fixtures/graphs

Runs in the oracle's environment. Every training graph stands in a folder of its own: `model.meta` and the checkpoint
after three steps, `batch.npz` with what is fed, `losses.json` with the twenty losses that follow.
"""

import json
import os
import shutil
import sys

import numpy as np
import tensorflow as tf

STEPS_BEFORE = 3
STEPS_AFTER = 20


def mlp():
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    hidden = tf.layers.dense(x, 16, tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
    logits = tf.layers.dense(hidden, 4, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.05, step, 5, 0.9, staircase=True)
    optimizer = tf.train.AdamOptimizer(rate)
    grads = optimizer.compute_gradients(loss)
    clipped, _ = tf.clip_by_global_norm([grad for grad, _ in grads], 1.0)
    train = optimizer.apply_gradients(list(zip(clipped, [v for _, v in grads])), global_step=step)
    tf.identity(tf.nn.softmax(logits), name="probabilities")
    random = np.random.RandomState(0)
    return loss, train, {"x": random.randn(16, 8).astype(np.float32), "labels": random.randint(0, 4, 16)}


def convnet():
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    net = tf.layers.conv2d(x, 6, 3, use_bias=False, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
    net = tf.nn.relu(tf.layers.batch_normalization(net, training=True, momentum=0.9))
    net = tf.layers.max_pooling2d(net, 2, 2)
    net = tf.layers.conv2d(net, 4, 3, padding="same", kernel_initializer=tf.glorot_uniform_initializer(seed=2))
    net = tf.nn.avg_pool(net, [1, 3, 3, 1], [1, 1, 1, 1], "VALID")
    logits = tf.layers.dense(tf.layers.flatten(net), 3, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    loss += 0.001 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
    loss = tf.identity(loss, name="loss")
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    random = np.random.RandomState(1)
    return loss, train, {"x": random.rand(8, 8, 8, 3).astype(np.float32), "labels": random.randint(0, 3, 8)}


def embedding():
    ids = tf.placeholder(tf.int32, [None, 4], name="ids")
    labels = tf.placeholder(tf.float32, [None], name="labels")
    table = tf.get_variable("table", [30, 5], initializer=tf.random_normal_initializer(seed=1))
    found = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), axis=1)
    weights = tf.get_variable("weights", [5, 1], use_resource=True, initializer=tf.random_normal_initializer(seed=2))
    logits = tf.squeeze(tf.matmul(found, weights), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), name="loss")
    train = tf.train.AdagradOptimizer(0.5).minimize(loss)
    random = np.random.RandomState(2)
    return (
        loss,
        train,
        {
            "ids": random.randint(0, 30, [12, 4]).astype(np.int32),
            "labels": random.randint(0, 2, 12).astype(np.float32),
        },
    )


def recurrent():
    x = tf.placeholder(tf.float32, [None, 6, 3], name="x")
    y = tf.placeholder(tf.float32, [None, 5], name="y")
    cell = tf.nn.rnn_cell.BasicLSTMCell(5)
    with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.3, 0.3, seed=4)):
        _, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    loss = tf.reduce_mean(tf.square(state.h - y), name="loss")
    train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
    random = np.random.RandomState(3)
    return (
        loss,
        train,
        {
            "x": random.randn(4, 6, 3).astype(np.float32),
            "y": random.rand(4, 5).astype(np.float32),
        },
    )


def partitions():
    """Tables in parts, of both kinds of variables, looked up by numbers and by sparse ones, under Adam."""
    ids = tf.placeholder(tf.int64, [None, 4], name="ids")
    labels = tf.placeholder(tf.float32, [None], name="labels")
    with tf.variable_scope("parts", partitioner=tf.fixed_size_partitioner(3)):
        first = tf.get_variable("first", [31, 5], initializer=tf.random_normal_initializer(seed=1))
        second = tf.get_variable("second", [31, 5], initializer=tf.random_normal_initializer(seed=2), use_resource=True)
    found = tf.nn.embedding_lookup(first, ids, partition_strategy="div")
    found += tf.nn.embedding_lookup(second, ids, max_norm=1.0)
    words = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 2, 3], tf.int64), [12, 3])
    logits = tf.reduce_sum(
        tf.reduce_mean(found, 1) + tf.nn.safe_embedding_lookup_sparse(first, words, combiner="sqrtn"), 1
    )
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), name="loss")
    random = np.random.RandomState(6)
    batch = {"ids": random.randint(0, 30, [12, 4]), "labels": random.randint(0, 2, 12).astype(np.float32)}
    return loss, tf.train.AdamOptimizer(0.05).minimize(loss), batch


def classified(x, labels):
    hidden = tf.layers.dense(x, 8, tf.tanh, kernel_initializer=tf.glorot_uniform_initializer(seed=1))
    logits = tf.layers.dense(hidden, 3, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return loss, tf.train.GradientDescentOptimizer(0.1).minimize(loss), {}


def pipeline():
    """A dataset feeds the model; three steps are an epoch, so that the next one begins anew on loading."""
    random = np.random.RandomState(7)
    rows = tf.data.Dataset.from_tensor_slices((random.randn(24, 4).astype(np.float32), random.randint(0, 3, 24)))
    rows = rows.map(lambda x, y: (x * 2.0 + 1.0, y)).filter(lambda x, y: tf.reduce_sum(x) > -100.0)
    iterator = rows.batch(8).repeat().prefetch(1).make_initializable_iterator()
    tf.add_to_collection("start", iterator.initializer)
    return classified(*iterator.get_next())


def branches():
    """Which way is taken depends on the step and on what is fed."""
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    bent = tf.placeholder_with_default(True, [], name="bent")
    w = tf.get_variable("w", [8, 8], initializer=tf.glorot_uniform_initializer(seed=1))
    v = tf.get_variable("v", [8, 8], initializer=tf.glorot_uniform_initializer(seed=2))
    step = tf.train.get_or_create_global_step()

    def other():
        return tf.cond(bent, lambda: tf.tanh(tf.matmul(x, v)), lambda: x)

    hidden = tf.cond(tf.equal(step % 3, 0), lambda: tf.nn.relu(tf.matmul(x, w)), other)
    hidden = tf.case([(tf.less(step, 5), lambda: hidden * 2.0)], default=lambda: hidden * 0.5)
    logits = tf.layers.dense(hidden, 4, kernel_initializer=tf.glorot_uniform_initializer(seed=3))
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    random = np.random.RandomState(8)
    batch = {"x": random.randn(16, 8).astype(np.float32), "labels": random.randint(0, 4, 16)}
    return loss, tf.train.AdamOptimizer(0.01).minimize(loss, step), batch


def averages():
    """What is measured are moving averages, read after the step's updates."""
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    w = tf.get_variable("w", [8, 4], initializer=tf.glorot_uniform_initializer(seed=1))
    own = tf.losses.sparse_softmax_cross_entropy(labels, tf.matmul(x, w))
    step = tf.train.get_or_create_global_step()
    rate = tf.train.polynomial_decay(0.3, step, 20)
    train = tf.train.GradientDescentOptimizer(rate).minimize(own, step)
    average = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([train]):
        train = average.apply([w, own])
    with tf.control_dependencies([train]):
        loss = tf.reduce_sum(tf.square(average.average(w).read_value())) + average.average(own).read_value()
    random = np.random.RandomState(9)
    batch = {"x": random.randn(16, 8).astype(np.float32), "labels": random.randint(0, 4, 16)}
    return loss, train, batch


def training(folder, build):
    os.makedirs(folder)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        loss, train, batch = build()
        tf.add_to_collection("loss", loss)
        tf.add_to_collection("train", train)
        saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        session.run(tf.get_collection("start"))
        feeds = {graph.get_tensor_by_name(name + ":0"): value for name, value in batch.items()}
        for _ in range(STEPS_BEFORE):
            session.run(train, feeds)
        saver.save(session, os.path.join(folder, "model"))
        losses = [float(session.run([loss, train], feeds)[0]) for _ in range(STEPS_AFTER)]
    np.savez(os.path.join(folder, "batch.npz"), **batch)
    with open(os.path.join(folder, "losses.json"), "w") as file:
        json.dump(losses, file)
    os.remove(os.path.join(folder, "checkpoint"))


def serving(folder):
    """A SavedModel with a vocabulary, and the same model frozen."""
    random = np.random.RandomState(5)
    batch = random.randn(5, 4).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        w = tf.get_variable("w", [4, 3], initializer=tf.constant_initializer(random.randn(4, 3)))
        b = tf.get_variable("b", [3], use_resource=True, initializer=tf.constant_initializer(random.randn(3)))
        logits = tf.nn.bias_add(tf.matmul(tf.nn.dropout(x, rate=0.0), w), b.read_value())
        y = tf.nn.softmax(logits, name="y")
        top = tf.nn.top_k(y, 2, name="top")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, os.path.join(folder, "saved_model"), {"x": x}, {"y": y, "top": top.indices})
        frozen = tf.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"])
        tf.train.write_graph(frozen, folder, "frozen.pb", as_text=False)
        tf.train.write_graph(frozen, folder, "frozen.pbtxt", as_text=True)
        np.savez(os.path.join(folder, "serving.npz"), x=batch, y=session.run(y, {x: batch}))


def events(folder):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        value = tf.placeholder(tf.float32, [], name="value")
        merged = tf.summary.merge(
            [
                tf.summary.scalar("scalar", value),
                tf.summary.histogram("histogram", value * tf.range(5.0)),
                tf.summary.image("image", value * tf.ones([1, 2, 2, 3])),
            ]
        )
        with tf.summary.FileWriter(folder, graph, filename_suffix=".fixture") as writer:
            for step in range(3):
                writer.add_summary(session.run(merged, {value: step + 0.5}), step)
    (name,) = os.listdir(folder)
    os.rename(os.path.join(folder, name), os.path.join(folder, "events.out.tfevents.fixture"))


def records(folder):
    for kind in ("", "GZIP", "ZLIB"):
        path = os.path.join(folder, "records" + ("." + kind.lower() if kind else ""))
        with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(kind)) as writer:
            for i in range(20):
                writer.write(b"record %d " % i * i)


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "events"))
    for build in (mlp, convnet, embedding, recurrent, partitions, pipeline, branches, averages):
        training(os.path.join(folder, build.__name__), build)
    serving(folder)
    events(os.path.join(folder, "events"))
    records(folder)


if __name__ == "__main__":
    main(sys.argv[1])
