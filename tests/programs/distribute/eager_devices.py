"""Eager execution on several devices of the CPU: where values, operations and variables are, and mirrored variables."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}


def outcome(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


cpu = tf.config.experimental.list_physical_devices("CPU")[0]
devices = [tf.config.experimental.VirtualDeviceConfiguration() for _ in range(2)]
tf.config.experimental.set_virtual_device_configuration(cpu, devices)

for name in ("cpu:0", "cpu:1", "cpu:2", "gpu:0", "/job:worker/task:0"):
    x = tf.constant([1.0, 2.0])

    def value():
        with tf.device(name):
            return tf.constant(1.0).device

    def size():
        with tf.device(name):
            return tf.constant(1).device

    def operations():
        with tf.device(name):
            doubled = tf.add(x, x)
            return [tf.identity(x).device, doubled.device, tf.reduce_sum(doubled).device, float(tf.reduce_sum(doubled))]

    def twice():
        with tf.device(name):
            return [tf.multiply(x, x).device for _ in range(3)]

    def variable():
        with tf.device(name):
            made = tf.Variable(x)
        return [made.device, made.handle.device, made.value().device, made.assign_add(x).device, (made + x).device]

    for each in (value, size, operations, twice, variable):
        results[name + " " + each.__name__] = outcome(each)


def replicas(devices):
    strategy = tf.distribute.MirroredStrategy(devices)
    with strategy.scope():
        weight = tf.Variable(2.0)

    def step():
        index = tf.distribute.get_replica_context().replica_id_in_sync_group
        return weight * tf.cast(index + 1, tf.float32)

    each = strategy.experimental_run_v2(step)
    return {
        "devices": list(strategy.extended.worker_devices),
        "variables": [part.device for part in weight.values],
        "products": [part.device for part in strategy.experimental_local_results(each)],
        "sum": float(strategy.reduce("SUM", each)),
    }


results["two devices"] = replicas(["cpu:0", "cpu:1"])
results["one device missing"] = replicas(["cpu:1", "cpu:2"])
results["one"] = replicas(["cpu:1"])
results["soft"] = tf.config.get_soft_device_placement()


def made_in_function():
    """Devices of what a function makes outside of itself."""
    found = []

    @tf.function(autograph=False)
    def step():
        if not found:
            with tf.device("/cpu:1"):
                found.append(tf.Variable(1.0))
                with tf.init_scope():
                    found.append(tf.constant(1.0))
                with tf.device(None):
                    found.append(tf.Variable(1.0))
            with tf.device(lambda op: "/cpu:1"):
                found.append(tf.Variable(1.0))
            with tf.init_scope(), tf.device("/cpu:1"):
                found.append(tf.Variable(1.0))
        return found[0] + 1.0

    return [float(step())] + [each.device for each in found]


results["made in a function"] = made_in_function()
