"""Broken configurations and paths of saved models, names of loaded optimizers' weights, gradients that functions say."""

import json
import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)
K, L = tf.keras, tf.keras.layers
X = np.linspace(-1, 1, 12).reshape(4, 3).astype(np.float32)
Y = np.ones((4, 1), np.float32)
PARTS = (ValueError, KeyError, AssertionError, IndexError, TypeError, NotImplementedError, OSError, AttributeError)


def model(units=2, optimizer="sgd"):
    """A compiled graph of layers."""
    given = L.Input((3,), name="given")
    inner = L.Dense(units, kernel_initializer="ones", name="inner")(given)
    made = K.Model(given, L.Dense(1, kernel_initializer="ones", name="outer")(inner))
    made.compile(optimizer, "mse")
    return made


def changed(change):
    """A model of a configuration after a change of it."""
    whole = json.loads(model().to_json())
    change(whole["config"])
    return K.models.model_from_json(json.dumps(whole))


def without_input(config):
    config["layers"].pop(0)


def other_inputs(place):
    def change(config):
        config["input_layers"] = [place]

    return change


def loaded(weights, **more):
    model().save_weights("weights")
    return type(model(3).load_weights(weights, **more)).__name__


def names_after_loading():
    first = model(optimizer="adam")
    first.fit(X, Y, verbose=0)
    first.save("whole.h5")
    return [weight.name.split("/", 1)[0] for weight in K.models.load_model("whole.h5").optimizer.weights]


def own_objects(objects):
    model().save("own.h5")
    return K.models.load_model("own.h5", custom_objects=objects).name


def jacobian_of(reduce):
    value = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(value)
        target = reduce(value)
    return tape.batch_jacobian(target, value)


def told_gradient():
    weight = tf.Variable(2.0)

    @tf.custom_gradient
    def scaled(value):
        def gradient(upstream, variables=None):
            return upstream, [tf.constant(9.0) for _ in variables]

        return value * weight, gradient

    value = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(value)
        result = scaled(value)
    return [each.numpy() for each in tape.gradient(result, [value, weight])]


BOTH = {
    "a layer is missing": lambda: changed(without_input),
    "inputs of no layer": lambda: changed(other_inputs(["nobody", 0, 0])),
    "inputs of another call": lambda: changed(other_inputs(["given", 3, 0])),
    "objects are a number": lambda: own_objects(3),
    "objects are a list": lambda: own_objects([3]),
    "objects are an empty list": lambda: own_objects([]),
    "no path": lambda: model().save(""),
    "a file of a checkpoint": lambda: loaded("weights.index"),
    "a scalar target": lambda: jacobian_of(tf.reduce_sum),
}
EAGERLY = {
    "a checkpoint by names": lambda: loaded("weights", by_name=True),
    "names after loading": names_after_loading,
    "a gradient of variables": told_gradient,
}


def ended(case):
    try:
        return case()
    except PARTS as error:
        return sorted(part.__name__ for part in PARTS if isinstance(error, part) and part is not ValueError)


os.chdir(tempfile.mkdtemp())
tf.enable_eager_execution()
results = {}
for name, case in BOTH.items():
    with tf.Graph().as_default(), tf.Session():
        results["%s, in a graph" % name] = ended(case)
for name, case in list(BOTH.items()) + list(EAGERLY.items()):
    results[name] = ended(case)
