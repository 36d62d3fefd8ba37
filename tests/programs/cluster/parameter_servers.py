"""Servers of a cluster in one process: where things lie, what steps over several tasks give, what sessions share."""

import socket

import numpy as np
import tensorflow as tf

results = {}


def addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    found = ["localhost:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


def error_of(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


spec = tf.train.ClusterSpec({"ps": addresses(2), "worker": addresses(2)})
servers = {(job, i): tf.train.Server(spec, job, i) for job in ("ps", "worker") for i in range(2)}
first, second = servers["worker", 0].target, servers["worker", 1].target
rng = np.random.RandomState(0)
inputs = rng.randn(20, 16, 4).astype(np.float32)
labels = inputs.sum(2, keepdims=True)


def model(worker, optimizer, ps_strategy=None):
    setter = tf.train.replica_device_setter(
        worker_device="/job:worker/task:%d" % worker, cluster=spec, ps_strategy=ps_strategy
    )
    with tf.device(setter):
        tf.set_random_seed(7)
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = tf.placeholder(tf.float32, [None, 1], name="y")
        hidden = tf.layers.dense(x, 8, tf.nn.relu)
        loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1) - y))
        return step, x, y, loss, optimizer.minimize(loss, global_step=step)


# ---- between-graph replication: two workers in turn
for name, make in (
    ("descent", lambda: tf.train.GradientDescentOptimizer(0.05)),
    ("adam", lambda: tf.train.AdamOptimizer(0.02)),
    ("momentum", lambda: tf.train.MomentumOptimizer(0.02, 0.9)),
):
    graphs, sessions, parts = [tf.Graph(), tf.Graph()], [], []
    for i, target in enumerate((first, second)):
        with graphs[i].as_default():
            parts.append(model(i, make()))
            init = tf.global_variables_initializer()
            sessions.append(tf.Session(target, graph=graphs[i]))
            if i == 0:
                sessions[0].run(init)
    losses = []
    for k in range(20):
        step, x, y, loss, train = parts[k % 2]
        losses.append(sessions[k % 2].run([loss, train], {x: inputs[k], y: labels[k]})[0])
    results["losses by " + name] = np.array(losses)
    results["steps by " + name] = sessions[1].run(parts[1][0])
    results["values by " + name] = sessions[0].run(graphs[0].get_collection("variables"))[1:5]
    tf.Session.reset(first)

# ---- where variables lie
for name, strategy in (
    ("in turns", None),
    ("by load", tf.contrib.training.GreedyLoadBalancingStrategy(2, tf.contrib.training.byte_size_load_fn)),
    ("at random", tf.contrib.training.RandomStrategy(2, seed=3)),
):
    with tf.Graph().as_default() as graph:
        model(1, tf.train.AdamOptimizer(), strategy)
        results["devices " + name] = [(v.name, v.device) for v in graph.get_collection("variables")]

with tf.Graph().as_default() as graph:
    sync = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), 2, total_num_replicas=3)
    model(1, sync)
    hook = sync.make_session_run_hook(True)
    hook.begin()
    results["synchronous graph"] = [
        (op.name, op.type, op.device)
        for op in graph.get_operations()
        if op.name.startswith(("sync", "Assign", "dummy"))
    ]

# ---- steps over several tasks
with tf.Graph().as_default():
    with tf.device("/job:ps/task:0"):
        a = tf.get_variable("a", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        count = tf.get_variable("count", initializer=0)
    with tf.device("/job:ps/task:1"):
        b = tf.get_variable("b", initializer=tf.constant([[1.0], [1.0]]), use_resource=True)
        texts = tf.constant(["x", "yy", ""]) + "!"
        queue = tf.FIFOQueue(4, [tf.float32, tf.string], [[2], []], shared_name="shared")
    with tf.device("/job:worker/task:1"):
        product = tf.matmul(a, b)
    put = queue.enqueue([product[:, 0], "item"])
    taken = queue.dequeue()
    with tf.device("/job:ps/task:0"):
        counted = tf.while_loop(
            lambda i, total: i < 4,
            lambda i, total: (i + 1, total + tf.reduce_sum(a)),
            [tf.constant(0), tf.constant(0.0)],
        )
    chosen = tf.cond(tf.reduce_sum(product) > 9.0, lambda: a * 2.0, lambda: tf.transpose(a) + b)
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        after = count.read_value()
    written = tf.cond(after > 1, lambda: tf.assign_add(a, tf.ones([2, 2])), lambda: tf.identity(a))
    parts = tf.get_variable(
        "parts", [5, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2)
    )
    looked_up = tf.nn.embedding_lookup(parts, [4, 0, 2])
    with tf.Session(first) as sess:
        results["not made"] = error_of(lambda: sess.run(product))
        sess.run(tf.global_variables_initializer())
        results["product"] = sess.run(product)
        results["together"] = sess.run([a, b, texts, count])
        sess.run(put)
        results["queue"] = [sess.run(queue.size()), sess.run(taken)]
        results["loop"] = sess.run(counted)
        results["branches"] = [sess.run(chosen), sess.run(chosen, {product: [[1.0], [1.0]]})]
        results["after"] = [sess.run(after), sess.run(written), sess.run(a)]
        results["looked up"] = sess.run(looked_up)
        results["grown"] = sess.run(tf.reduce_sum(a) + tf.reduce_sum(b))
        results["waited"] = error_of(lambda: sess.run(taken, options=tf.RunOptions(timeout_in_ms=200)))
        results["no task"] = error_of(lambda: sess.run(tf.Variable(1.0).initializer))
    with tf.Session(second) as sess:
        results["shared"] = sess.run([a, b, count])
    filtered = tf.ConfigProto(device_filters=["/job:ps/task:1"])
    with tf.Session(second, config=filtered) as sess:
        results["filtered"] = error_of(lambda: sess.run(a))
        names = {device.name for device in sess.list_devices() if device.device_type == "CPU"}
        results["seen"] = sorted(names)
    isolated = tf.ConfigProto(isolate_session_state=True)
    with tf.Session(first, config=isolated) as sess:
        results["isolated"] = error_of(lambda: sess.run(a))
    held = tf.Session(first)
    held.run(a)
    fresh = tf.Session(first)
    tf.Session.reset(first)
    results["reset"] = [error_of(lambda: held.run(a)), error_of(lambda: fresh.run(a))]
results["same address"] = error_of(lambda: tf.train.Server(spec, "ps", 0))
results["no host"] = error_of(lambda: tf.Session("grpc://nowhere"))

with tf.Graph().as_default():
    with tf.device("/job:ps/task:5"):
        nowhere = tf.random_normal([])
    with tf.Session(first) as sess:
        results["nowhere"] = error_of(lambda: sess.run(nowhere))
