"""An estimator under MirroredStrategy on two CPUs: losses of steps, metrics, variables of the checkpoint, predictions."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
generator = np.random.RandomState(0)
X = generator.rand(32, 3).astype(np.float32)
Y = X.sum(1, keepdims=True).astype(np.float32)
LOSSES = []


def train_input():
    return tf.data.Dataset.from_tensor_slices((X, Y)).repeat(4).batch(4)


def other_input():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)


def model_fn(features, labels, mode):
    hidden = tf.layers.dense(features, 4, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.3), name="hidden")
    outputs = tf.layers.dense(hidden, 1, kernel_initializer=tf.constant_initializer(0.2), name="outputs")
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"outputs": outputs})
    loss = tf.losses.mean_squared_error(labels, outputs)
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    train = optimizer.minimize(loss, tf.train.get_or_create_global_step()) if mode == "train" else None
    metrics = {"error": tf.metrics.mean_absolute_error(labels, outputs)}
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train, eval_metric_ops=metrics)


class Losses(tf.train.SessionRunHook):
    def before_run(self, context):
        return tf.train.SessionRunArgs(tf.get_collection(tf.GraphKeys.LOSSES)[-1])

    def after_run(self, context, values):
        LOSSES.append(values.results)


strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
config = tf.estimator.RunConfig(
    tempfile.mkdtemp(),
    train_distribute=strategy,
    eval_distribute=strategy,
    session_config=tf.ConfigProto(device_count={"CPU": 2}),
    tf_random_seed=1,
)
estimator = tf.estimator.Estimator(model_fn, config=config)
estimator.train(train_input, hooks=[Losses()], steps=10)
results["losses"] = np.array(LOSSES)
for name, value in sorted(estimator.evaluate(other_input, steps=3).items()):
    results[f"evaluate/{name}"] = value
for name in sorted(estimator.get_variable_names()):
    results[f"variable/{name}"] = estimator.get_variable_value(name)
results["predictions"] = np.array([found["outputs"] for found in estimator.predict(other_input)])
