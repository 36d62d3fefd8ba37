"""Losses that replicas average over the batch of all, and what is refused where code is one for all of them."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
cpu = tf.config.experimental.list_physical_devices("CPU")[0]
devices = [tf.config.experimental.VirtualDeviceConfiguration() for _ in range(2)]
tf.config.experimental.set_virtual_device_configuration(cpu, devices)
losses = tf.constant([1.0, 2.0, 5.0])
ACTS = {
    "average": lambda: tf.nn.compute_average_loss(losses),
    "weighted": lambda: tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.0, 2.0]),
    "of a batch": lambda: tf.nn.compute_average_loss(losses, global_batch_size=12),
    "of whole numbers": lambda: tf.nn.compute_average_loss(tf.constant([3, 6])),
    "scalar": lambda: tf.nn.compute_average_loss(3.0),
    "scaled": lambda: tf.nn.scale_regularization_loss(losses),
    "scaled numbers": lambda: tf.compat.v2.nn.scale_regularization_loss([1.0, 2.0]),
}


def outcome(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


def in_scope(strategy, act):
    with strategy.scope():
        return float(act())


def in_replicas(strategy, act):
    found = strategy.experimental_run_v2(act)
    return [float(value) for value in strategy.experimental_local_results(found)]


mirrored = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
one = tf.distribute.OneDeviceStrategy("/cpu:0")
for name in sorted(ACTS):
    act = ACTS[name]
    results[name] = outcome(lambda: float(act()))
    for kind, strategy in [("two", mirrored), ("one", one)]:
        results["%s, %s" % (name, kind)] = outcome(lambda: in_replicas(strategy, act))
        results["%s, %s, in the scope" % (name, kind)] = outcome(lambda: in_scope(strategy, act))
    staged = tf.function(lambda: mirrored.reduce("sum", mirrored.experimental_run_v2(act), axis=None))
    results[name + ", staged"] = outcome(lambda: float(staged()))
