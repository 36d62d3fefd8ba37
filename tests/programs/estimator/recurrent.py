"""Estimators of recurrent networks, of `tf.contrib.estimator` and of 2.x's interface."""

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
fc = tf.feature_column
cfc = tf.contrib.feature_column
C = tf.contrib.estimator
E = tf.compat.v2.estimator

START = tf.constant_initializer(0.3)
INDICES = [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1], [2, 2]]


def columns(of):
    words = of.sequence_categorical_column_with_hash_bucket("words", 5)
    return [of.sequence_numeric_column("rating"), fc.embedding_column(words, 2, initializer=START)]


context = [fc.numeric_column("whole", shape=(2,))]


def features():
    return {
        "rating": tf.SparseTensor(INDICES, [1.0, 2.0, 0.5, -1.0, 1.0, 0.2], [3, 3]),
        "words": tf.SparseTensor(INDICES, ["a", "b", "a", "c", "a", "b"], [3, 3]),
        "whole": tf.constant([[1.0, 2.0], [0.0, 1.0], [2.0, 0.5]]),
    }


def classes():
    return features(), tf.constant([[1], [0], [1]])


def numbers():
    return features(), tf.constant([[1.0], [0.0], [1.5]])


def of_steps():
    return features(), tf.SparseTensor(INDICES, [1, 0, 1, 0, 0, 1], [3, 3])


def told(name, estimator, input_fn):
    estimator.train(input_fn, steps=3)
    results[name] = {
        "variables": {key: estimator.get_variable_value(key) for key in estimator.get_variable_names()},
        "metrics": estimator.evaluate(input_fn, steps=1),
        "first": next(estimator.predict(input_fn)),
    }


def config():
    return tf.estimator.RunConfig(tf_random_seed=5)


old, new = columns(cfc), columns(fc)
told("basic", C.RNNClassifier(old, context, num_units=[3, 2], config=config()), classes)
told("lstm", C.RNNClassifier(old, num_units=[3], cell_type="lstm", n_classes=3, config=config()), classes)
told("gru", C.RNNEstimator(C.regression_head(), old, context, num_units=[3], cell_type="gru", config=config()), numbers)
told(
    "own cell",
    C.RNNClassifier(
        old,
        context,
        rnn_cell_fn=lambda mode: tf.nn.rnn_cell.BasicRNNCell(4),
        optimizer=tf.train.AdamOptimizer(0.1),
        config=config(),
    ),
    classes,
)
N = E.experimental
told("2 simple", N.RNNClassifier(new, context, units=[3, 2], config=config()), classes)
told("2 lstm", N.RNNClassifier(new, units=[3], cell_type="lstm", n_classes=3, config=config()), classes)
told("2 gru", N.RNNEstimator(E.RegressionHead(), new, context, units=[3], cell_type="gru", config=config()), numbers)
told(
    "2 own cell",
    N.RNNClassifier(
        new, context, rnn_cell_fn=lambda: tf.keras.layers.SimpleRNNCell(4), optimizer="Adam", config=config()
    ),
    classes,
)
told("2 steps", N.RNNClassifier(new, context, units=[3], return_sequences=True, config=config()), of_steps)

mistakes = {}
for what, make in {
    "two cells": lambda: C.RNNClassifier(old, rnn_cell_fn=lambda mode: None, num_units=3),
    "2 two cells": lambda: N.RNNClassifier(new, rnn_cell_fn=lambda: None, units=[3]),
    "2 kind of cell": lambda: N.RNNClassifier(new, units=[3], cell_type="none").train(classes, steps=1),
    "2 no sequences": lambda: N.RNNClassifier(context, units=[3]).train(classes, steps=1),
    "2 sequences of a whole": lambda: N.RNNClassifier(new, new, units=[3]).train(classes, steps=1),
    "2 head": lambda: N.RNNEstimator(E.RegressionHead(), new, units=[3], return_sequences=True),
}.items():
    try:
        make()
        mistakes[what] = "none"
    except Exception as error:
        mistakes[what] = type(error).__name__
results["mistakes"] = mistakes
