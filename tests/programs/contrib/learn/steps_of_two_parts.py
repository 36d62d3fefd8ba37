"""An estimator of two parts counts each step twice: where it stops, and which files its trainings write."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
points = np.random.RandomState(0).rand(20, 3).astype(np.float32)
classes = (points.sum(1) > 1.5).astype(np.int32)


def inputs():
    return {"points": tf.constant(points)}, tf.constant(classes)


with tempfile.TemporaryDirectory() as parent:
    for steps in (1, 4, 5):
        folder = os.path.join(parent, str(steps))
        column = tf.contrib.layers.real_valued_column("points", dimension=3)
        estimator = tf.contrib.learn.DNNLinearCombinedClassifier(
            model_dir=folder, linear_feature_columns=[column], dnn_feature_columns=[column], dnn_hidden_units=[2]
        )
        counts = []
        for more in (steps, 2):
            estimator.fit(input_fn=inputs, steps=more)
            counts.append(int(estimator.get_variable_value("global_step")))
        results["%d steps" % steps] = [counts, len(glob.glob(os.path.join(folder, "events*")))]
