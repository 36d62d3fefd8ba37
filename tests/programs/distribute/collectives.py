"""Collectives among the devices of one process, and all-reduce as graphs of additions."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import collective_ops

results = {}
config = tf.ConfigProto(device_count={"CPU": 4})


def error_of(act):
    try:
        return str(type(act()).__name__)
    except Exception as error:
        return type(error).__name__


def on_devices(make, count=2):
    made = []
    for i in range(count):
        with tf.device("/cpu:%d" % i):
            made.append(make(i))
    return made


# ---- operations by group and instance
for dtype in (tf.float32, tf.float64, tf.int32):
    values = [np.arange(6).reshape(2, 3) + 10 * i - 7 for i in range(3)]
    for number, merge in enumerate(("Add", "Mul")):
        for final in ("Id", "Div"):
            with tf.Graph().as_default(), tf.Session(config=config) as sess:
                reduced = on_devices(
                    lambda i: collective_ops.all_reduce(tf.constant(values[i], dtype), 3, 1, 10 + number, merge, final),
                    3,
                )
                results["%s %s %s" % (dtype.name, merge, final)] = sess.run(reduced)

with tf.Graph().as_default() as graph, tf.Session(config=config) as sess:
    gathered = on_devices(lambda i: collective_ops.all_gather(tf.fill([2, 2], float(i)), 3, 2, 21), 3)
    results["gathered"] = sess.run(gathered)
    results["gathered shape"] = gathered[0].shape.as_list()

    def sent_or_received(i):
        if i == 1:
            return collective_ops.broadcast_send(tf.constant([4.0, 5.0]), [2], tf.float32, 3, 3, 31)
        return collective_ops.broadcast_recv([2], tf.float32, 3, 3, 31)

    results["broadcast"] = sess.run(on_devices(sent_or_received, 3))
    # Collectives that need each other's results, several times.
    x = tf.placeholder(tf.float32, [2])
    first = on_devices(lambda i: collective_ops.all_reduce(x + i, 2, 4, 41, "Add", "Id"))
    second = []
    for i in range(2):
        with tf.device("/cpu:%d" % i):
            second.append(collective_ops.all_reduce(first[i] * (i + 1), 2, 4, 42, "Mul", "Id"))
    results["one after the other"] = [sess.run(second, {x: [1.0, float(k)]}) for k in range(3)]
    results["attributes"] = sorted(str(name) for name in gathered[0].op.node_def.attr)

    t = tf.ones([2], name="nowhere")
    results["errors"] = [
        error_of(lambda: collective_ops.all_reduce(t, 2, 1, 1, "Add", "Id")),
        error_of(lambda: collective_ops.all_reduce(t, 1, 1, 1, "Add", "Id")),
    ]
    with tf.device("/cpu:0"):
        t = tf.ones([2])
        results["errors"] += [
            error_of(lambda: collective_ops.all_reduce(t, 2, 1, 1, "Foo", "Id")),
            error_of(lambda: collective_ops.all_reduce(t > 1, 2, 1, 1, "Add", "Id")),
            error_of(lambda: collective_ops.all_gather(tf.constant(1.0), 2, 1, 1)),
            error_of(lambda: collective_ops.broadcast_send(t, [3], tf.float32, 2, 1, 1)),
            error_of(lambda: collective_ops.broadcast_send(t, [2], tf.float64, 2, 1, 1)),
            error_of(lambda: collective_ops.broadcast_recv([2], tf.float32, 1, 1, 1)),
            error_of(lambda: tf.gradients(collective_ops.all_reduce(t, 2, 1, 1, "Add", "Id"), t)),
        ]

# ---- all-reduce as graphs
from tensorflow.python.distribute import all_reduce  # noqa: E402


def quarter(value):
    return value / 4.0


rng = np.random.RandomState(1)
for shape in ([8], [7], [2, 3], [3, 4, 4]):
    arrays = rng.randn(4, *shape).astype(np.float32)
    builders = {
        "ring": lambda parts: all_reduce.build_ring_all_reduce(parts, 1, 1, [0, 1, 2, 3], tf.add),
        "two rings": lambda parts: all_reduce.build_ring_all_reduce(parts, 1, 2, [3, 1, 0, 2], tf.add, quarter),
        "two workers": lambda parts: all_reduce.build_ring_all_reduce(parts, 2, 2, [1, 0], tf.maximum),
        "halving": lambda parts: all_reduce.build_recursive_hd_all_reduce(parts, tf.add, quarter),
        "shuffle": lambda parts: all_reduce.build_shuffle_all_reduce(parts, ["/cpu:0", "/cpu:1"], tf.add_n, quarter),
    }
    for name, build in builders.items():
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            key = "%s %s" % (name, shape)
            try:
                reduced = build(on_devices(lambda i: tf.constant(arrays[i]), 4))
            except ValueError as error:
                results[key] = type(error).__name__
                continue
            results[key] = [sess.run(reduced), [part.device for part in reduced]]

cluster_devices = ["/job:localhost/replica:0/task:0/device:CPU:%d" % i for i in range(4)]
with tf.Graph().as_default(), tf.Session(config=config) as sess:
    parts = []
    for where in cluster_devices:
        with tf.device(where):
            parts.append(tf.constant(rng.randn(6).astype(np.float32)))
    results["shuffle, ring"] = sess.run(
        all_reduce.build_shuffle_then_ring(parts, cluster_devices[:1], 1, tf.add_n, tf.add)
    )
    results["shuffle, shuffle"] = sess.run(
        all_reduce.build_shuffle_then_shuffle(parts, cluster_devices[1:2], cluster_devices[:1], tf.add_n, quarter)
    )
    results["one a task"] = error_of(
        lambda: all_reduce.build_shuffle_then_ring(parts, cluster_devices[:2], 1, tf.add_n, tf.add)
    )
results["few"] = error_of(lambda: all_reduce.build_ring_all_reduce([tf.ones([2])], 1, 1, [0], tf.add))
