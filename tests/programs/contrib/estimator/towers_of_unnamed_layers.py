"""Towers of a model function whose layers and scopes have no names of their own, and one without a TowerOptimizer."""

import numpy as np
import tensorflow as tf

results = {}
estimators = tf.contrib.estimator
x = np.float32([[1, 2], [3, 4], [-1, 0], [0, 1]])


def model_fn(features, labels, mode, params):
    hidden = tf.layers.dense(features["x"], 3, kernel_initializer=tf.ones_initializer())
    with tf.variable_scope(None, "part"):
        hidden = tf.contrib.layers.fully_connected(hidden, 2, weights_initializer=tf.ones_initializer())
    output = tf.layers.dense(hidden, 1, kernel_initializer=tf.ones_initializer())
    loss = tf.losses.mean_squared_error(labels, output)
    optimizer = tf.train.GradientDescentOptimizer(0.001)
    if params["wrapped"]:
        optimizer = estimators.TowerOptimizer(optimizer)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss))


replicated = estimators.replicate_model_fn(model_fn, devices=["/cpu:0", "/cpu:0"])
for wrapped in (True, False):
    with tf.Graph().as_default() as graph:
        tf.train.create_global_step()
        features, labels = {"x": tf.constant(x)}, tf.ones([4, 1])
        try:
            spec = replicated(features, labels, "train", {"wrapped": wrapped}, None)
        except ValueError as error:
            results["wrapped: %s" % wrapped] = [type(error).__name__, str(error)]
            continue
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            results["loss"] = session.run([spec.train_op, spec.loss])[1]
            results["variables"] = {v.name: session.run(v) for v in tf.global_variables()}
            results["operations"] = [operation.name for operation in graph.get_operations()][:150]
