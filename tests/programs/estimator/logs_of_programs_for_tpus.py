"""What a TPUEstimator logs of its loops on other devices, and of errors that end them."""

import logging
import os
import re
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
told = []


class Kept(logging.Handler):
    def emit(self, record):
        text = record.getMessage()
        parts = (
            "TPU",
            "eval_on",
            "num_shards",
            "on CPU",
            "finished",
            "recorded from",
            "Reraising",
            "params are not passed",
        )
        if any(part in text for part in parts) and not text.startswith(("From", "Using config")):
            told.append("%s: %s" % (record.levelname, re.sub("at 0x[0-9a-f]+", "", text)))


logging.getLogger("tensorflow").addHandler(Kept())
tf.logging.set_verbosity(tf.logging.INFO)


def input_fn(params):
    data = {"x": np.float32([[1], [2], [3], [4]])}, np.float32([[2], [4], [6], [8]])
    return tf.data.Dataset.from_tensor_slices(data).batch(params["batch_size"])


def refused(params):
    raise ValueError("there is no input")


def model_fn(features, labels, mode, params):
    logits = tf.layers.dense(features["x"], 1, kernel_initializer=tf.ones_initializer())
    if mode == "infer":
        return tf.contrib.tpu.TPUEstimatorSpec(mode, predictions={"y": logits})
    loss = tf.losses.mean_squared_error(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op)


def estimator(name, shards=None, **settings):
    config = tf.contrib.tpu.RunConfig(
        model_dir=os.path.join(folder, name), tpu_config=tf.contrib.tpu.TPUConfig(num_shards=shards)
    )
    return tf.contrib.tpu.TPUEstimator(
        model_fn, config=config, use_tpu=False, train_batch_size=2, eval_batch_size=2, predict_batch_size=2, **settings
    )


results = {}


def told_by(name, call):
    del told[:]
    try:
        call()
    except ValueError as error:
        told.append(str(error))
    results[name] = list(told)


told_by("made", lambda: estimator("a"))
told_by("made for one shard", lambda: estimator("a", shards=1, eval_on_tpu=False))
model = estimator("a")
told_by("train", lambda: model.train(input_fn, max_steps=2))
told_by("evaluate", lambda: model.evaluate(input_fn))
told_by("predict all", lambda: list(model.predict(input_fn)))
told_by("predict one", lambda: next(model.predict(input_fn)))
told_by("train without input", lambda: model.train(refused, steps=1))
told_by("evaluate without input", lambda: model.evaluate(refused))
told_by("predict without input", lambda: list(model.predict(refused)))
