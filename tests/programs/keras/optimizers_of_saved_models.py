"""What a model that was loaded from a SavedModel has of its optimizer, and how many batches callbacks are told of."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tf.logging.set_verbosity(tf.logging.FATAL)
keras = tf.keras
results = {}
os.chdir(tempfile.mkdtemp())
X = np.linspace(-1, 1, 12).reshape(4, 3).astype("float32")
Y = np.ones((4, 1), "float32")


def attempt(function):
    try:
        return function()
    except Exception as error:
        return type(error).__name__


class Doubled(keras.Model):
    """A model that is Python code."""

    def __init__(self):
        super().__init__()
        self.layer = keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, x):
        return 2.0 * self.layer(x)


model = keras.Sequential([keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones", name="d")])
results["no loss yet"] = attempt(lambda: model.loss)
model.compile(keras.optimizers.Adam(0.02), "mse", metrics=["mae"])
model.fit(X, Y, verbose=0, shuffle=False, epochs=2)
model.save("saved", save_format="tf")

loaded = keras.models.load_model("saved", compile=False)
optimizer = loaded.optimizer
results["kind"] = type(optimizer).__name__
results["slots"] = [variable.name for variable in optimizer.variables()]
results["values"] = [np.round(value, 5) for value in optimizer.get_weights()]
results["hyperparameters"] = sorted(optimizer._hyper)
results["rate"] = optimizer.learning_rate.numpy()
results["slot names"] = optimizer.get_slot_names()
results["settings"] = attempt(optimizer.get_config)
results["loss"] = attempt(lambda: loaded.loss)
results["evaluate"] = attempt(lambda: loaded.evaluate(X, Y))
results["batch"] = attempt(lambda: loaded.train_on_batch(X, Y))
loaded.compile("sgd", "mse")
results["again"] = [type(loaded.optimizer).__name__, loaded.fit(X, Y, verbose=0).history["loss"]]

compiled = keras.models.load_model("saved")
results["compiled"] = [type(compiled.optimizer).__name__, int(compiled.optimizer.iterations.numpy())]
results["trained"] = compiled.fit(X, Y, verbose=0, shuffle=False).history["loss"]

model.save("without", save_format="tf", include_optimizer=False)
without = keras.models.load_model("without")
results["without how it is compiled"] = [type(without.optimizer).__name__, attempt(lambda: without.evaluate(X, Y))]

own = Doubled()
own.compile("adam", "mse")
own.fit(X, Y, verbose=0)
own.save("own", save_format="tf")
again = keras.models.load_model("own")
results["class"] = [type(again).__name__, type(again.layer).__name__, len(again.layers), len(again.weights)]
results["called layer"] = again.layer(tf.constant(X)).numpy()
again.layer.trainable = False
results["frozen"] = [len(again.trainable_weights), len(again.non_trainable_weights)]

variable, optimizer = tf.Variable(1.0), keras.optimizers.Adam()
optimizer.apply_gradients([(tf.constant(1.0), variable)])
tf.saved_model.save(tf.train.Checkpoint(optimizer=optimizer, variable=variable), "objects")
objects = tf.compat.v2.saved_model.load("objects")
results["object"] = type(objects.optimizer).__name__
results["slot of object"] = objects.optimizer.get_slot(objects.variable, "m").numpy()


class Told(keras.callbacks.Callback):
    """Keeps what `fit` says of its data."""

    def on_train_begin(self, logs=None):
        told.append([self.params["steps"], self.params["samples"], self.params["batch_size"]])


told = []
data = tf.data.Dataset.from_tensor_slices((X, Y)).batch(2)
model.fit(X, Y, batch_size=3, verbose=0, callbacks=[Told()])
model.fit(X, Y, steps_per_epoch=2, verbose=0, callbacks=[Told()])
model.fit(data, verbose=0, callbacks=[Told()])
model.fit(data, steps_per_epoch=2, verbose=0, callbacks=[Told()])
results["told"] = [["none" if value is None else int(value) for value in values] for values in told]
model.fit(X, Y, verbose=0, callbacks=[keras.callbacks.TensorBoard("logs", profile_batch=0)])
results["event files"] = [name.endswith(".v2") for name in os.listdir("logs")]
