"""Models saved as objects in a graph by the session of Keras, what generators' loops read there, folders of logs."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)
os.chdir(tempfile.mkdtemp())
x = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)
results = {}
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones")])
model.compile("sgd", "mse")
model.fit(x, y, verbose=0, shuffle=False)
tf.saved_model.save(model, "saved")
results["saved"] = tf.keras.models.load_model("saved").predict(x)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)


def ended(act):
    try:
        return act()
    except Exception as error:
        return type(error).__name__


results["trained"] = ended(lambda: model.fit_generator(dataset, verbose=0))
results["tested"] = ended(lambda: model.evaluate_generator(dataset, 2))
results["predicted"] = ended(lambda: model.predict_generator(dataset, 2))
results["without end"] = ended(lambda: model.fit_generator(dataset.repeat(), verbose=0))
results["nothing"] = ended(lambda: model.fit_generator(dataset.take(0), verbose=0))
results["weights as variables"] = ended(lambda: model.set_weights(model.weights))
for name, folder in (("text", "logs"), ("bytes", b"logs"), ("nothing", None), ("a list", ["logs"])):
    logged = tf.keras.callbacks.TensorBoard(folder)
    results["logs in %s" % name] = ended(lambda: model.fit(x, y, verbose=0, callbacks=[logged]).epoch)
results["folders"] = sorted(name for _, names, _ in os.walk("logs") for name in names if "-" not in name)
