"""An estimator that two workers train together: a client of its own runs both, on servers that are named to it."""

import os
import socket
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}


def addresses(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    found = ["localhost:%d" % each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return found


def examples():
    rng = np.random.RandomState(0)
    inputs = rng.randn(64, 5).astype(np.float32)
    return tf.data.Dataset.from_tensor_slices((inputs, inputs.dot(rng.randn(5, 1)).astype(np.float32)))


def train_input(input_context):
    own = examples().shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
    return own.batch(4, drop_remainder=True).repeat()


def other_input():
    return examples().batch(4)


def model_fn(features, labels, mode, config):
    hidden = tf.layers.dense(
        features, 8, tf.nn.tanh, kernel_initializer=tf.glorot_uniform_initializer(seed=5), name="hidden"
    )
    outputs = tf.layers.dense(hidden, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=7), name="out")
    loss = tf.reduce_mean(tf.square(outputs - labels))
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"error": tf.metrics.mean_absolute_error(labels, outputs)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    TASKS.append(
        [config.task_type, config.task_id, config.is_chief, config.num_worker_replicas, config.global_id_in_cluster]
    )
    train = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


TASKS = []


class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.seen = []

    def begin(self):
        self.loss = tf.get_collection(tf.GraphKeys.LOSSES)[-1]

    def before_run(self, context):
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, context, values):
        self.seen.append(values.results)


def train(folder, **strategies):
    """The losses of some steps, and the estimator."""
    config = tf.estimator.RunConfig(folder, tf_random_seed=1, save_checkpoints_steps=4, **strategies)
    estimator = tf.estimator.Estimator(model_fn, config=config)
    losses = Losses()
    tf.estimator.train_and_evaluate(
        estimator,
        tf.estimator.TrainSpec(train_input, max_steps=8, hooks=[losses]),
        tf.estimator.EvalSpec(other_input, steps=16, start_delay_secs=0, throttle_secs=1),
    )
    return losses.seen


if __name__ == "__main__":
    hosts = addresses(2)
    # Servers that are not told who leads their collectives wait for ever in 1.15.
    settings = tf.ConfigProto()
    settings.experimental.collective_group_leader = "/job:worker/replica:0/task:0"
    servers = [
        tf.distribute.Server({"worker": hosts}, job_name="worker", task_index=i, config=settings) for i in range(2)
    ]
    folder = tempfile.mkdtemp()
    strategy = tf.contrib.distribute.CollectiveAllReduceStrategy()
    distribute = tf.contrib.distribute.DistributeConfig(
        train_distribute=strategy, remote_cluster=tf.train.ClusterSpec({"worker": hosts})
    )
    results["losses"] = train(folder, experimental_distribute=distribute)
    results["tasks"] = sorted(TASKS)
    results["steps"] = sorted(name for name in os.listdir(folder) if name.endswith(".index"))
    trained = tf.estimator.Estimator(model_fn, folder)
    results["variables"] = {name: trained.get_variable_value(name) for name in trained.get_variable_names()}
    results["evaluated"] = trained.evaluate(other_input, steps=16)

    def refused(make):
        try:
            make()
        except ValueError as error:
            return type(error).__name__
        return None

    mirrored = tf.distribute.MirroredStrategy(["/cpu:0"])
    both = tf.contrib.distribute.DistributeConfig(train_distribute=mirrored)
    results["two strategies"] = refused(
        lambda: tf.estimator.RunConfig(train_distribute=mirrored, experimental_distribute=both)
    )
    results["several workers"] = refused(lambda: mirrored.configure(cluster_spec={"worker": hosts}))
    alone = tf.contrib.distribute.DistributeConfig(strategy, strategy, tf.train.ClusterSpec({"worker": hosts}))
    estimator = tf.estimator.Estimator(model_fn, config=tf.estimator.RunConfig(folder, experimental_distribute=alone))
    results["trained alone"] = refused(lambda: estimator.train(train_input, steps=1))
    results["evaluated alone"] = refused(lambda: estimator.evaluate(other_input, steps=1))
