"""Losses as outputs of a Lambda layer, one number an example, and the shapes that Lambda layers tell of themselves."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
layers = tf.keras.layers
results = {}

states = tf.keras.Input((4,))
values = layers.Dense(3, kernel_initializer="ones")(states)
mask = tf.keras.Input((3,))


def masked(args):
    """The sum of the values that the mask lets pass: without an axis for it."""
    return K.sum(args[0] * args[1], axis=-1)


loss = layers.Lambda(masked, output_shape=(1,), name="loss")([values, mask])
x = [np.ones((5, 4)), np.array([[1.0, 0, 1]] * 5)]
for name, targets in (("row", np.zeros(5)), ("column", np.zeros((5, 1)))):
    model = tf.keras.Model([states, mask], [loss, values])
    model.compile("sgd", [lambda y, output: output, lambda y, output: K.zeros_like(output)])
    y = [targets, np.zeros((5, 3))]
    results[name] = {
        "names": model.metrics_names,
        "trained": [float(value) for value in model.train_on_batch(x, y)],
        "history": {
            key: [float(v) for v in values] for key, values in model.fit(x, y, verbose=0, batch_size=2).history.items()
        },
        "tested": [float(value) for value in model.evaluate(x, y, verbose=0)],
    }


class Half(layers.Layer):
    def call(self, inputs):
        return inputs[:, :2]


def shape_of(make):
    try:
        return str(make().compute_output_shape((None, 4)))
    except NotImplementedError:
        return "not told"


results["shapes"] = {
    "found": shape_of(lambda: layers.Lambda(lambda t: t[:, :2])),
    "given": shape_of(lambda: layers.Lambda(lambda t: t, output_shape=(7,))),
    "of_a_layer": shape_of(Half),
}
try:
    layers.Lambda(3)
except TypeError as error:
    results["no_function"] = "unsupported callable" in str(error)
