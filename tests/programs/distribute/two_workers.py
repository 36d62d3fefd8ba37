"""`MultiWorkerMirroredStrategy` with two workers, each with a server, a graph and a session in a thread of its own."""

import json
import os
import socket
import threading

import numpy as np
import tensorflow as tf

results = {}
STEPS = 6


def addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    found = ["localhost:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


def dense_model(x, y):
    hidden = tf.layers.dense(
        x, 16, activation=tf.nn.relu, kernel_initializer=tf.glorot_uniform_initializer(seed=5), name="hidden"
    )
    hidden = tf.layers.batch_normalization(hidden, training=True, name="norm")
    return tf.reduce_mean(
        tf.square(tf.layers.dense(hidden, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=7), name="out") - y)
    )


MODELS = {
    "momentum": (dense_model, lambda: tf.train.MomentumOptimizer(0.05, 0.9)),
    "adam": (dense_model, lambda: tf.train.AdamOptimizer(0.02)),
    "adagrad": (dense_model, lambda: tf.train.AdagradOptimizer(0.1)),
}


def train(strategy, target, config, name):
    """The losses of some steps, and the variables after them."""
    model, make_optimizer = MODELS[name]
    rng = np.random.RandomState(0)
    inputs = rng.randn(64, 5).astype(np.float32)
    labels = inputs.dot(rng.randn(5, 1)).astype(np.float32)
    with tf.Graph().as_default(), strategy.scope():
        dataset = tf.data.Dataset.from_tensor_slices((inputs, labels)).batch(8, drop_remainder=True).repeat()
        iterator = strategy.make_dataset_iterator(dataset)
        optimizer = make_optimizer()

        def step(batch):
            loss = model(*batch)
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                trained = optimizer.minimize(loss, tf.train.get_or_create_global_step())
            with tf.control_dependencies([trained]):
                return tf.identity(loss)

        losses = strategy.experimental_run_v2(step, args=(iterator.get_next(),))
        loss = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses)
        begin = iterator.initialize()
        variables = [strategy.extended.read_var(v) for v in tf.trainable_variables()]
        initialize = tf.global_variables_initializer()
        with tf.Session(target, config=config) as sess:
            sess.run(initialize)
            sess.run(begin)
            seen = [sess.run(loss) for _ in range(STEPS)]
            return {"losses": seen, "variables": sess.run(variables), "names": [v.name for v in tf.global_variables()]}


if __name__ == "__main__":
    hosts = addresses(2)
    strategies, servers = [], []
    for i in range(2):
        os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": hosts}, "task": {"type": "worker", "index": i}})
        strategies.append(tf.distribute.experimental.MultiWorkerMirroredStrategy())
    del os.environ["TF_CONFIG"]
    configs = [strategy.update_config_proto(tf.ConfigProto()) for strategy in strategies]
    for i in range(2):
        servers.append(tf.distribute.Server({"worker": hosts}, job_name="worker", task_index=i, config=configs[i]))
    extended = [strategy.extended for strategy in strategies]
    results["replicas"] = [strategy.num_replicas_in_sync for strategy in strategies]
    results["devices"] = [list(each.worker_devices) for each in extended]
    results["chief"] = [[each.should_checkpoint, each.should_save_summary] for each in extended]
    results["between graphs"] = [[each.experimental_between_graph, each.experimental_should_init] for each in extended]
    results["filters"] = [list(config.device_filters) for config in configs]
    results["leaders"] = [config.experimental.collective_group_leader for config in configs]
    for name in ("momentum", "adam", "adagrad"):
        found = [None, None]

        def run(i):
            found[i] = train(strategies[i], servers[i].target, configs[i], name)

        threads = [threading.Thread(target=run, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results[name] = found
