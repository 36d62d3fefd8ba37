"""MirroredStrategy on two logical CPUs while executing eagerly: steps, functions, variables, checkpoints' keys."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
tf.enable_eager_execution()
(cpu, *_) = tf.config.experimental.list_physical_devices("CPU")
logical = tf.config.experimental.VirtualDeviceConfiguration
tf.config.experimental.set_virtual_device_configuration(cpu, [logical(), logical()])
results = {}
strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
results["devices"] = list(strategy.extended.worker_devices)
ROWS = np.arange(16, dtype=np.float32).reshape(8, 2) / 10.0

with strategy.scope():
    v = tf.Variable([1.0, 2.0], name="v")
    mean = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN, name="mean")
    total = tf.Variable(
        0.0,
        trainable=False,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
        name="total",
    )
    keras_adam = tf.keras.optimizers.Adam(0.1)
    adam = tf.train.AdamOptimizer(0.1)
results["parts"] = [part.name for part in v.values]


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(v * x - 1.0))
    keras_adam.apply_gradients(zip(tape.gradient(loss, [v]), [v]))
    mean.assign_add(loss)
    total.assign_add(loss)
    return loss


def older_step(x):
    adam.minimize(lambda: tf.reduce_sum(tf.square(v * x - 1.0)), var_list=[v])
    return tf.distribute.get_replica_context().all_reduce("SUM", x)


def state():
    return [variable.read_value().numpy() for variable in (v, mean, total)]


batches = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(ROWS).batch(4))
for number, x in enumerate(batches):
    loss = strategy.experimental_run_v2(step, args=(x,))
    results[f"eager/{number}/loss"] = strategy.reduce("SUM", loss, axis=None).numpy()
    for place, value in enumerate(state()):
        results[f"eager/{number}/{place}"] = value
    summed = strategy.experimental_run_v2(older_step, args=(x,))
    results[f"older/{number}"] = v.read_value().numpy()
    results[f"older/{number}/sum"] = [part.numpy() for part in strategy.experimental_local_results(summed)]
results["slots"] = [weight.name for weight in keras_adam.weights] + [slot.name for slot in adam.variables()]

function = tf.function(lambda x: strategy.experimental_run_v2(step, args=(x,)))
for number, x in enumerate(batches):
    results[f"function/{number}/loss"] = strategy.reduce("MEAN", function(x), axis=None).numpy()
    for place, value in enumerate(state()):
        results[f"function/{number}/{place}"] = value


@tf.function
def sum_of(dataset):
    found = 0.0
    for x in dataset:
        parts = strategy.experimental_run_v2(tf.reduce_sum, args=(x,))
        found += strategy.reduce("SUM", parts, axis=None)
    return found


results["loop in a function"] = sum_of(batches).numpy()
saved = tf.train.Checkpoint(v=v, mean=mean, total=total, optimizer=keras_adam)
path = saved.save(tempfile.mkdtemp() + "/ckpt")
results["keys"] = [name for name, _ in tf.train.list_variables(path)]
kept = state()
with strategy.scope():
    v.assign([0.0, 0.0])
    total.assign(0.0)
saved.restore(path)
for place, (before, after) in enumerate(zip(kept, state())):
    results[f"restored/{place}"] = [np.allclose(before, after), len(v.values)]
results["parts of the total"] = [part.numpy() for part in total.values]
