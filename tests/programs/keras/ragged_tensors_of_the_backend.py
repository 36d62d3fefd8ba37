"""Functions of the Keras backend that take ragged tensors, and initializers and polynomials told in odd ways."""

import numpy as np
import tensorflow as tf

backend = tf.keras.backend
rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
others = tf.ragged.constant([[2.0, 2.0], [], [4.0]])
results = {}
session = tf.Session()


def value(made):
    made = session.run(made)
    return made.to_list() if hasattr(made, "to_list") else made


for name in ("abs", "square", "exp", "log", "sign", "round", "sqrt", "sin", "cos", "ones_like", "zeros_like"):
    results[name] = value(getattr(backend, name)(rows))
for name in ("sum", "mean", "max", "min", "prod", "any", "all"):
    function = getattr(backend, name)
    results[name] = [value(function(rows)), value(function(rows, axis=1))]
for name in ("maximum", "minimum", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "pow"):
    function = getattr(backend, name)
    results[name] = [value(function(rows, others)), value(function(rows, 2.0))]
results["joined"] = [value(backend.concatenate([rows, others])), value(backend.concatenate([rows, others], axis=0))]
results["arranged"] = {
    "stack": value(backend.stack([rows, others])),
    "squeeze": value(backend.squeeze(tf.expand_dims(rows, 0), 0)),
    "expand_dims": value(backend.expand_dims(rows)),
    "gather": value(backend.gather(rows, [0, 2])),
    "tile": value(backend.tile(rows, [2, 1])),
    "one_hot": value(backend.one_hot(tf.ragged.constant([[0, 1], [2]]), 3)),
    "cast": value(backend.cast(rows, "int32")),
    "clip": value(backend.clip(rows, 0.0, 2.0)),
    "exponential": value(tf.keras.activations.exponential(rows)),
}
results["polynomial"] = value(tf.math.polyval(np.array([1.0, 2.0, 3.0]), np.array([0.5, 2.0])))
places = tf.contrib.layers.spatial_softmax(np.ones([1, 2, 3, 2], np.float32))
session.run(tf.global_variables_initializer())
results["softmax over places"] = value(places)
results["types of initializers"] = {
    name: [getattr(tf, name)(dtype=tf.float64).dtype.name, getattr(tf, name)(dtype=tf.int32).get_config()["dtype"]]
    for name in ("glorot_uniform_initializer", "glorot_normal_initializer")
}
