"""Baselines whose features are dense and sparse: the checks of their sizes, and what is exported."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
E = tf.estimator
X = {"a": np.ones((4, 1), np.float32), "s": np.array([["u"], ["v"], ["u"], ["w"]])}
SPEC = {"a": tf.FixedLenFeature([1], tf.float32), "s": tf.VarLenFeature(tf.string)}


def told(name, estimator, labels):
    estimator.train(E.inputs.numpy_input_fn(X, labels, batch_size=2, shuffle=False), steps=2)
    receiver = E.export.build_parsing_serving_input_receiver_fn(SPEC)
    folder = estimator.export_savedmodel(tempfile.mkdtemp(), receiver)
    with tf.Graph().as_default(), tf.Session() as session:
        meta_graph = tf.saved_model.loader.load(session, ["serve"], folder)
        results[name] = {
            key: [signature.method_name]
            + [
                sorted((k, t.name, t.dtype) for k, t in group.items())
                for group in (signature.inputs, signature.outputs)
            ]
            for key, signature in meta_graph.signature_def.items()
        }


config = E.RunConfig(tf_random_seed=1)
told("classes", E.BaselineClassifier(n_classes=3, config=config), np.array([0, 1, 2, 1]))
told("two classes", E.BaselineClassifier(config=config), np.array([0, 1, 1, 1]))
told("numbers", E.BaselineRegressor(config=config), np.array([0.0, 1.0, 2.0, 3.0], np.float32))
