"""Keras models as estimators on two devices, and model functions whose losses are single numbers: how losses are scaled."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
CONFIG = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
X = (np.arange(16).reshape(8, 2) / 8).astype(np.float32)
Y = np.full([8, 1], 3, np.float32)


def rows():
    return tf.data.Dataset.from_tensor_slices((X, Y)).repeat().batch(4)


def run_config(devices):
    strategy = tf.distribute.MirroredStrategy(devices) if devices else None
    return tf.estimator.RunConfig(train_distribute=strategy, session_config=CONFIG, tf_random_seed=1)


def trained(estimator):
    estimator.train(rows, steps=2)
    values = [estimator.get_variable_value(name) for name in sorted(estimator.get_variable_names()) if "dense/" in name]
    return [np.round(value.ravel(), 4) for value in values], round(float(estimator.evaluate(rows, steps=2)["loss"]), 4)


def of_keras(optimizer, devices=("/cpu:0", "/cpu:1")):
    tf.keras.backend.clear_session()
    layer = tf.keras.layers.Dense(1, input_shape=(2,), kernel_initializer="ones", name="dense")
    model = tf.keras.Sequential([layer])
    model.compile(optimizer(), "mse")
    return trained(
        tf.keras.estimator.model_to_estimator(model, config=run_config(devices), model_dir=tempfile.mkdtemp())
    )


def of_function(reduction):
    def model_fn(features, labels, mode):
        y = tf.layers.dense(features, 1, kernel_initializer=tf.ones_initializer(), name="dense")
        loss = tf.reduce_mean(tf.losses.mean_squared_error(labels, y, reduction=reduction))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    return trained(tf.estimator.Estimator(model_fn, tempfile.mkdtemp(), run_config(("/cpu:0", "/cpu:1"))))


results["tf.train descent"] = of_keras(lambda: tf.train.GradientDescentOptimizer(0.1))
results["tf.train Adagrad"] = of_keras(lambda: tf.train.AdagradOptimizer(0.1))
results["descent of Keras"] = of_keras(lambda: tf.keras.optimizers.SGD(0.1))
results["one device"] = of_keras(lambda: tf.train.GradientDescentOptimizer(0.1), ())
for reduction in (tf.losses.Reduction.NONE, tf.losses.Reduction.SUM, tf.losses.Reduction.MEAN):
    results["a function, %s" % reduction] = of_function(reduction)
