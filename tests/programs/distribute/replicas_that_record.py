"""What replicas of eager programs share: summaries of the first one, variables of central storage, the end of data."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.training.optimizer import get_filtered_grad_fn

tf.enable_eager_execution()
results = {}
cpu = tf.config.experimental.list_physical_devices("CPU")[0]
tf.config.experimental.set_virtual_device_configuration(
    cpu, [tf.config.experimental.VirtualDeviceConfiguration() for _ in range(2)]
)
devices = ["/cpu:0", "/cpu:1"]
mirrored = tf.distribute.MirroredStrategy(devices)
central = tf.distribute.experimental.CentralStorageStrategy(devices, "/cpu:0")
summary = tf.compat.v2.summary

for name, strategy in (("mirrored", mirrored), ("central", central)):
    folder = tempfile.mkdtemp()
    writer = summary.create_file_writer(folder)
    summary.experimental.set_step(3)

    def record():
        with writer.as_default():
            return summary.write("replica", tf.distribute.get_replica_context().replica_id_in_sync_group)

    strategy.experimental_run_v2(record)
    writer.close()
    (file,) = os.listdir(folder)
    results[name + " summaries"] = [
        [value.tag, event.step]
        for event in tf.train.summary_iterator(os.path.join(folder, file))
        for value in event.summary.value
    ]

    with strategy.scope():
        layer = tf.layers.Dense(1, use_bias=False, kernel_initializer=tf.ones_initializer())
        gradients = get_filtered_grad_fn(tf.contrib.eager.implicit_gradients(lambda x: tf.reduce_sum(layer(x))))
        for step in range(2):
            ((gradient, variable),) = strategy.extended.call_for_each_replica(gradients, args=(tf.ones([1, 1]),))
            total = strategy.extended.reduce_to(tf.distribute.ReduceOp.SUM, gradient, destinations=variable)
            strategy.extended.update(variable, lambda v, g: v.assign_sub(0.25 * g), args=(total,), group=False)
            value = float(strategy.extended.read_var(variable).numpy()[0, 0])
            results[f"{name} step {step}"] = [type(variable).__name__, value]

iterator = tf.distribute.get_strategy().make_dataset_iterator(tf.data.Dataset.range(2))
seen = [int(iterator.get_next().numpy()) for _ in range(2)]
try:
    iterator.get_next()
except tf.errors.OutOfRangeError as error:
    results["data end"] = [seen, type(error).__name__]
