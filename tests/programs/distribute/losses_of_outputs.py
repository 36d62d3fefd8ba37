"""A model of two outputs under a strategy: the losses of the outputs and their sum, of replicas that share each batch."""

import numpy as np
import tensorflow as tf

L = tf.keras.layers
results = {}
x = np.arange(24, dtype=np.float32).reshape(8, 3) / 10.0
targets = [np.ones((8, 1), np.float32), np.zeros((8, 2), np.float32)]
session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
tf.keras.backend.set_session(session)


def own_loss(y_true, y_pred):
    return tf.keras.backend.mean(tf.abs(y_pred - y_true), axis=-1)


def model_of(strategy, loss, weights):
    with strategy.scope():
        inputs = L.Input((3,))
        heads = [L.Dense(size, kernel_initializer="ones", name="head%d" % size)(inputs) for size in (1, 2)]
        model = tf.keras.Model(inputs, heads)
        model.compile(tf.keras.optimizers.SGD(0.01), loss, loss_weights=weights, metrics=["mae"])
    return model


STRATEGIES = {
    "two": lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
    "one": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
}
LOSSES = {
    "by name": (["mse", "mae"], [1.0, 0.5]),
    "its own": ([own_loss, "mse"], None),
    "summed": ([tf.keras.losses.MeanSquaredError("sum"), tf.keras.losses.MeanAbsoluteError()], [0.1, 2.0]),
}
for kind in sorted(STRATEGIES):
    for losses in sorted(LOSSES):
        model = model_of(STRATEGIES[kind](), *LOSSES[losses])
        history = model.fit(x, targets, batch_size=8, epochs=2, verbose=0, shuffle=False).history
        name = "%s, %s" % (kind, losses)
        results[name] = {key: [float(value) for value in found] for key, found in sorted(history.items())}
        results[name + ", evaluated"] = [float(v) for v in model.evaluate(x, targets, batch_size=4, verbose=0)]
