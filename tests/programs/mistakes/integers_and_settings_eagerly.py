"""Eagerly: integers of more than 64 bits, settings of the process too late, targets that are None, rates below zero."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
threads = tf.config.threading
devices = tf.config.experimental


def tried(name, function):
    try:
        made = function()
        results[name] = "none" if made is None else np.asarray(made)
    except Exception as error:
        results[name] = type(error).__name__


cpu = devices.list_physical_devices("CPU")[0]
tried("threads in time", lambda: threads.set_inter_op_parallelism_threads(3))
tf.constant([1.0, 2.5])
tried("threads of an operation", lambda: threads.set_intra_op_parallelism_threads(2))
tried("threads between operations", lambda: threads.set_inter_op_parallelism_threads(2))
tried("the same threads", lambda: threads.set_inter_op_parallelism_threads(3))
tried(
    "virtual devices",
    lambda: devices.set_virtual_device_configuration(cpu, [devices.VirtualDeviceConfiguration()] * 2),
)
tried("the same visible devices", lambda: devices.set_visible_devices(cpu, "CPU"))

for kind in ("int8", "uint8", "int32", "int64"):
    for value in (2**63, -(2**63) - 1, 2**70):
        tried("%s as %s" % (value, kind), lambda: tf.constant(value, kind))
        tried("a list of %s as %s" % (value, kind), lambda: tf.constant([1, value], kind))
tried("as an unsigned one", lambda: tf.constant([2**63], tf.uint64))
tried("as a float", lambda: tf.constant([2**63], tf.float32))
tried("as what it is", lambda: tf.constant(2**63))
tried("a list as what it is", lambda: tf.constant([1, 2**63]))
tried("an array", lambda: tf.constant(np.array([2**63], np.uint64)))
tried("NumPy's", lambda: tf.constant(np.uint64(2**63)))


def two_outputs():
    a = tf.keras.layers.Input((3,))
    model = tf.keras.Model(a, [tf.keras.layers.Dense(1)(a), tf.keras.layers.Dense(1)(a)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 3)), [np.ones((4, 1)), None], verbose=0)


def stepped(optimizer):
    variable = tf.Variable([1.0, 2.0])
    optimizer.minimize(lambda: variable * variable, var_list=[variable])


def used(use, *data, **settings):
    def run():
        dense = tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(3,))
        model = tf.keras.Sequential([dense])
        model.compile("sgd", "mse", **settings)
        found = getattr(model, use)(*data)
        return found.history["loss"] if use == "fit" else found

    return run


x, y = np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)
parts = tf.data.Dataset.from_tensor_slices((x, y, y, y)).batch(2)
tried("one of two targets", two_outputs)
for use in ("fit", "evaluate", "train_on_batch", "test_on_batch"):
    tried("inputs too many, " + use, used(use, [x, x[:3]], y))
for use in ("predict", "predict_on_batch"):
    tried("inputs too many, " + use, used(use, [x, x]))
tried("inputs too many, run eagerly", used("fit", [x, x], y, run_eagerly=True))
for use in ("fit", "evaluate", "predict"):
    tried("four parts, " + use, used(use, parts))
tried("a rate below zero", lambda: stepped(tf.train.FtrlOptimizer(-0.1)))
tried("a rate of Keras' below zero", lambda: stepped(tf.keras.optimizers.Ftrl(-0.1)))
