"""Linear models and wide and deep ones: settings, training with one optimizer and with two."""

import numpy as np
import tensorflow as tf

Linear = tf.keras.experimental.LinearModel
WideDeep = tf.keras.experimental.WideDeepModel
results = {}

wide, deep = np.ones((8, 2)), np.arange(24.0).reshape(8, 3) / 10.0
targets = np.arange(8.0).reshape(8, 1) / 4.0


def dense(units=1):
    return tf.keras.layers.Dense(units, kernel_initializer="ones")


def history_of(model, inputs, epochs=2):
    history = model.fit(inputs, targets, epochs=epochs, batch_size=4, shuffle=False, verbose=0).history
    return [[key, history[key]] for key in sorted(history)]


x = tf.placeholder(tf.float32, [None, 3], name="x")
model = Linear(2, activation="relu", kernel_regularizer="l2", name="line")
y = model(x)
results["names"] = [y.name, str(y.shape), [v.name for v in model.weights], [loss.name for loss in model.losses]]
results["ops"] = [op.name for op in tf.get_default_graph().get_operations() if "/Initializer/" not in op.name]
config = model.get_config()
results["config"] = [config, Linear.from_config(config).get_config() == config]
tf.keras.backend.clear_session()

for use_bias in (True, False):
    model = Linear(use_bias=use_bias, kernel_initializer="ones")
    model.compile("adam", "mse", metrics=["mae"])
    results["linear %s" % use_bias] = [history_of(model, deep), model.predict(deep), model.get_weights()]
model = Linear(kernel_initializer="ones", activation="sigmoid")
model.compile(tf.keras.optimizers.SGD(0.1), "mse")
results["linear of two"] = [history_of(model, [wide, deep]), [v.name for v in model.weights], model.get_weights()]

for optimizer in ("sgd", ["sgd", "adam"], [tf.keras.optimizers.SGD(0.01), tf.keras.optimizers.Adagrad(0.1)]):
    model = WideDeep(Linear(kernel_initializer="ones"), tf.keras.Sequential([dense(2), dense()]), activation="tanh")
    model.compile(optimizer, "mse", metrics=["mse"])
    found = [history_of(model, [wide, deep]), model.predict([wide, deep]), model.get_weights()]
    results["wide and deep %d" % len([key for key in results if "wide" in key])] = found + [
        [v.name for v in model.weights]
    ]

model = WideDeep(Linear(kernel_initializer="ones"), tf.keras.Sequential([dense()]))
model.compile("sgd", "mse")
results["same inputs"] = [history_of(model, deep), model.predict(deep)]

first, second = tf.keras.Input((2,)), tf.keras.Input((3,))
inside = tf.keras.Model([first, second], dense(2)(Linear(4, kernel_initializer="ones")([first, second])))
results["inside"] = [inside.predict([wide, deep]), [v.name for v in inside.weights]]

model = WideDeep(Linear(), tf.keras.Sequential([dense()]), activation="sigmoid", name="both")
config = model.get_config()
results["settings"] = config
again = tf.keras.layers.deserialize({"class_name": "WideDeepModel", "config": model.get_config()})
results["again"] = [type(again).__name__, again.name, again.linear_model.units, again.activation.__name__]
