"""What is said of arguments that are asked for what only tensors, columns' features or names have."""

import numpy as np
import tensorflow as tf

results = {}

THINGS = {
    "none": lambda: None,
    "number": lambda: -5,
    "fraction": lambda: 3.7,
    "text": lambda: "a",
    "list": lambda: [1],
    "operation": lambda: tf.no_op(),
    "object": object,
}
columns = [tf.feature_column.numeric_column("a")]


def model():
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,))])
    made.compile("sgd", "mse")
    return made


def step(counted):
    v = tf.get_variable("v", [2])
    return tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v), global_step=counted)


CASES = {
    "einsum": lambda x: tf.einsum("ij,jk->ik", tf.zeros([2, 2]), x),
    "moments": lambda x: tf.nn.moments(x, [0]),
    "auc": lambda x: tf.metrics.auc([0, 1], x),
    "precision": lambda x: tf.metrics.precision_at_thresholds([0, 1], x, [0.5]),
    "sensitivity": lambda x: tf.metrics.sensitivity_at_specificity([0, 1], x, 0.5),
    "nce": lambda x: tf.nn.nce_loss(tf.zeros([5, 3]), tf.zeros([5]), x, tf.zeros([2, 3]), 2, 5),
    "sampled": lambda x: tf.nn.sampled_softmax_loss(tf.zeros([5, 3]), tf.zeros([5]), x, tf.zeros([2, 3]), 2, 5),
    "global step": step,
    "input_layer": lambda x: tf.feature_column.input_layer(x, columns),
    "array's index": lambda x: tf.TensorArray(tf.float32, 2).write(x, 1.0).flow,
    "array's lengths": lambda x: tf.TensorArray(tf.float32, 2).split([1.0, 2.0], x).flow,
    "array's indices": lambda x: tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0]).gather(x),
}
# Of these not every thing is a mistake.
SOME = {
    "device": (lambda x: tf.device(x).__enter__(), "number fraction list operation"),
    "column": (lambda x: tf.feature_column.numeric_column("a", dtype=x), "none number operation object list"),
    "hashed": (
        lambda x: tf.feature_column.categorical_column_with_hash_bucket("a", 5, dtype=x),
        "none operation object list",
    ),
    "load": (lambda x: tf.train.load_variable("nowhere", x), "none number fraction list operation object"),
    "fit": (lambda x: model().fit(np.ones((4, 3)), x, verbose=0), "fraction text operation object"),
    "predict": (lambda x: model().predict(x), "fraction text operation object"),
    "producer": (lambda x: tf.train.string_input_producer(x), "none number list"),
    "type": (lambda x: tf.as_dtype(np.float64(x)), "fraction"),
}


def said(make, thing):
    with tf.Graph().as_default():
        try:
            make(THINGS[thing]())
        except Exception as error:
            return type(error).__name__
    return "made"


for name, make in CASES.items():
    for thing in THINGS:
        if (name, thing) != ("global step", "none"):
            results[name + " of " + thing] = said(make, thing)
for name, (make, things) in SOME.items():
    for thing in things.split():
        results[name + " of " + thing] = said(make, thing)
