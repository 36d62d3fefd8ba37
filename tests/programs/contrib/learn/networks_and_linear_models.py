"""Ready-made estimators with a seed: losses, metrics, predictions and the names of variables."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, learn

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
random = np.random.RandomState(0)
POINTS = random.uniform(-1.0, 1.0, size=[24, 3]).astype(np.float32)
SIGNS = (POINTS.sum(axis=1) > 0).astype(np.int64).reshape(-1, 1)
WORDS = np.array([["a"], ["b"], ["c"]] * 8)
folder = tempfile.mkdtemp()


def inputs(labels):
    def input_fn():
        features = {
            "point": tf.constant(POINTS),
            "word": tf.SparseTensor(
                [[i, 0] for i in range(24)], tf.constant([word[0] for word in WORDS.tolist()]), [24, 1]
            ),
        }
        return features, tf.constant(labels)

    return input_fn


class Losses(tf.train.SessionRunHook):
    def __init__(self):
        self.values = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, run_context, run_values):
        self.values.append(float(run_values.results))


def measure(name, estimator, labels, steps=5, outputs=None):
    losses = Losses()
    estimator.fit(input_fn=inputs(labels), steps=steps, monitors=[losses])
    results[name + " losses"] = losses.values
    results[name + " metrics"] = {
        key: float(value) for key, value in estimator.evaluate(input_fn=inputs(labels), steps=1).items()
    }
    results[name + " variables"] = sorted(estimator.get_variable_names())
    found = estimator.predict(input_fn=inputs(labels), outputs=outputs, as_iterable=False)
    results[name + " predictions"] = found if not isinstance(found, dict) else dict(found)


def config(name):
    return learn.RunConfig(tf_random_seed=7, model_dir=os.path.join(folder, name))


points = layers.real_valued_column("point", dimension=3)
word = layers.sparse_column_with_keys("word", ["a", "b", "c"])
embedded = layers.embedding_column(word, dimension=2)

network = learn.DNNClassifier([8, 4], [points, embedded], config=config("dnn"))
measure("network", network, SIGNS, outputs=["probabilities", "logits"])
results["network classes"] = [int(c) for c in network.predict(input_fn=inputs(SIGNS))]
results["probabilities one by one"] = np.array(list(network.predict_proba(input_fn=inputs(SIGNS))))
three = learn.DNNClassifier(
    [5], [points], n_classes=3, optimizer=tf.train.AdamOptimizer(0.01), gradient_clip_norm=1.0, config=config("three")
)
measure("three classes", three, SIGNS + (POINTS[:, :1] > 0.5))
numbers = learn.DNNRegressor([4], [points], activation_fn=tf.nn.tanh, config=config("numbers"))
measure("numbers", numbers, POINTS.sum(axis=1, keepdims=True), outputs=["scores"])

line = learn.LinearClassifier([points, word], config=config("line"))
measure("line", line, SIGNS, outputs=["logits"])
weighted = learn.LinearRegressor(
    [points], optimizer=tf.train.GradientDescentOptimizer(0.1), gradient_clip_norm=0.5, config=config("weighted")
)
measure("line of numbers", weighted, POINTS.sum(axis=1, keepdims=True))

both = learn.DNNLinearCombinedClassifier(
    linear_feature_columns=[word],
    dnn_feature_columns=[points],
    dnn_hidden_units=[4, 3],
    config=config("both"),
)
measure("both", both, SIGNS, outputs=["probabilities"])
once = learn.DNNLinearCombinedRegressor(
    linear_feature_columns=[points],
    dnn_feature_columns=[embedded],
    dnn_hidden_units=[4],
    fix_global_step_increment_bug=True,
    config=config("once"),
)
measure("both of numbers", once, POINTS.sum(axis=1, keepdims=True))

# Columns of the newer kind.
newer = learn.DNNClassifier([4], [tf.feature_column.numeric_column("point", shape=[3])], config=config("newer"))
measure("newer columns", newer, SIGNS, outputs=["logits"])
