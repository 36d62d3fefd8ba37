"""Models that are compiled for a strategy, not made in its scope: what is trained is a copy, whose weights come back."""

import numpy as np
import tensorflow as tf

results = {}
x = np.arange(24, dtype=np.float32).reshape(8, 3) / 10.0
y = np.ones((8, 1), np.float32)
tf.keras.backend.set_session(tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})))


def model(shaped=True):
    shape = {"input_shape": (3,)} if shaped else {}
    return tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", **shape)])


def mirrored():
    return tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])


def numbers(weights):
    return [weight.ravel().tolist() for weight in weights]


OPTIMIZERS = {
    "name": lambda: "sgd",
    "keras": lambda: tf.keras.optimizers.Adam(0.1),
    "train": lambda: tf.train.GradientDescentOptimizer(0.01),
}
STRATEGIES = {"mirrored": mirrored, "one device": lambda: tf.distribute.OneDeviceStrategy("/cpu:0")}
for kind in sorted(STRATEGIES):
    for optimizer in sorted(OPTIMIZERS):
        name = "%s, %s" % (kind, optimizer)
        made = model()
        made.compile(OPTIMIZERS[optimizer](), "mse", metrics=["mae"], distribute=STRATEGIES[kind]())
        for _ in range(2):
            history = made.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False).history
        results[name] = {key: [float(value) for value in found] for key, found in sorted(history.items())}
        results[name + ", weights"] = numbers(made.get_weights())
        results[name + ", evaluated"] = [float(value) for value in made.evaluate(x, y, batch_size=4, verbose=0)]
        results[name + ", predicted"] = made.predict(x, batch_size=4)
for name, strategy, shaped in [("no strategy", 3, True), ("no shape", mirrored(), False)]:
    try:
        model(shaped).compile("sgd", "mse", distribute=strategy)
        results[name] = "compiled"
    except Exception as error:
        results[name] = type(error).__name__
with mirrored().scope():
    inside = model()
inside.compile("sgd", "mse")
try:
    inside.fit(x, y, verbose=0)
except Exception as error:
    results["compiled outside"] = type(error).__name__
