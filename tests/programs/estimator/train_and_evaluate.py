"""Training with evaluations and exports on the way, and input functions of arrays."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow_estimator.python.estimator import training

results = {}
base = tempfile.mkdtemp()
state = np.random.RandomState(3)
x = state.rand(20, 2).astype(np.float32)
y = (x.sum(1, keepdims=True) * 3).astype(np.float32)


def model_fn(features, labels, mode):
    value = tf.layers.dense(features["x"], 1, kernel_initializer=tf.ones_initializer())
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"value": value})
    loss = tf.losses.mean_squared_error(labels, value)
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def train_input():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).repeat().batch(5)


def eval_input():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).batch(5)


with tf.Graph().as_default():
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 2])})
config = tf.estimator.RunConfig(save_checkpoints_steps=10, tf_random_seed=1)
estimator = tf.estimator.Estimator(model_fn, os.path.join(base, "model"), config)
exporters = [
    tf.estimator.LatestExporter("latest", receiver, exports_to_keep=1),
    tf.estimator.BestExporter("best", receiver),
    tf.estimator.FinalExporter("final", receiver),
]
metrics, exports = tf.estimator.train_and_evaluate(
    estimator,
    tf.estimator.TrainSpec(train_input, max_steps=25),
    tf.estimator.EvalSpec(eval_input, throttle_secs=0, exporters=exporters),
)
results["metrics"] = {key: float(value) for key, value in metrics.items()}
results["exports"] = [type(path).__name__ for path in exports]
written = tf.gfile.Glob(os.path.join(base, "model", "export", "*", "*"))
results["folders"] = sorted(path.split(os.sep)[-2] for path in written)

# A model with nothing left to learn is not evaluated either.
results["done"] = tf.estimator.train_and_evaluate(
    estimator, tf.estimator.TrainSpec(train_input, max_steps=25), tf.estimator.EvalSpec(eval_input)
)


class _Told(training._ContinuousEvalListener):
    def __init__(self, ends):
        self.ends, self.heard = ends, []

    def before_eval(self):
        self.heard.append("before")
        return self.ends != "before"

    def after_eval(self, eval_result):
        self.heard.append([eval_result.status, int(eval_result.metrics["global_step"])])
        return self.ends != "after"


for ends in ("before", "after", "never"):
    told = _Told(ends)
    metrics, _ = training._TrainingExecutor(
        tf.estimator.Estimator(model_fn, os.path.join(base, ends), config.replace(save_checkpoints_steps=2)),
        tf.estimator.TrainSpec(train_input, max_steps=5),
        tf.estimator.EvalSpec(eval_input, steps=1, throttle_secs=0),
        continuous_eval_listener=told,
    ).run_local()
    results["told, ends " + ends] = [told.heard, metrics and int(metrics["global_step"])]


def of_a_variable(features, labels, mode):
    value = tf.get_variable("value", initializer=2.0)
    loss = tf.reduce_sum(tf.square(value))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, predictions={"value": value}, loss=loss, train_op=train_op)


learner = tf.estimator.Estimator(of_a_variable, os.path.join(base, "variable"))
learner.train(train_input, hooks=[training._StopAtSecsHook(0)])
results["stopped by the clock"] = int(learner.get_variable_value("global_step"))


class _Calling(tf.estimator.Estimator):
    def _call_model_fn(self, features, labels, mode, config):
        return super()._call_model_fn(features, labels, mode, config)


def refused(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "overridden": refused(lambda: _Calling(model_fn)),
    "input": refused(lambda: tf.estimator.TrainSpec(3)),
    "steps": refused(lambda: tf.estimator.TrainSpec(train_input, max_steps=0)),
    "hooks": refused(lambda: tf.estimator.EvalSpec(eval_input, hooks=[1])),
    "name": refused(lambda: tf.estimator.EvalSpec(eval_input, name=1)),
    "delay": refused(lambda: tf.estimator.EvalSpec(eval_input, start_delay_secs=-1)),
    "same names": refused(lambda: tf.estimator.EvalSpec(eval_input, exporters=[exporters[0], exporters[0]])),
    "exporter": refused(lambda: tf.estimator.EvalSpec(eval_input, exporters=[3])),
    "estimator": refused(
        lambda: tf.estimator.train_and_evaluate(
            3, tf.estimator.TrainSpec(train_input), tf.estimator.EvalSpec(eval_input)
        )
    ),
}

# Input functions of arrays.
numbers = np.arange(10, dtype=np.float32)
fn = tf.estimator.inputs.numpy_input_fn


def drained(**settings):
    with tf.Graph().as_default():
        batch = fn({"a": numbers, "b": numbers.reshape([10, 1]) * 2}, numbers.astype(np.int64), **settings)()
        taken = []
        with tf.train.MonitoredSession() as sess:
            while not sess.should_stop():
                features, labels = sess.run(batch)
                taken.append([features["a"], features["b"], labels])
        return taken


results["one epoch"] = drained(batch_size=4, shuffle=False)
results["two epochs"] = drained(batch_size=4, shuffle=False, num_epochs=2)
shuffled = drained(batch_size=4, shuffle=True)
results["shuffled"] = sorted(float(value) for batch in shuffled for value in batch[0])
with tf.Graph().as_default() as graph:
    fn({"a": numbers}, numbers, shuffle=True, batch_size=4)()
    results["operations"] = [(op.type, op.name) for op in graph.get_operations()]
results["refused inputs"] = {
    "shuffle": refused(lambda: fn(numbers, numbers)),
    "text": refused(lambda: fn("a", None, shuffle=False)()),
    "empty": refused(lambda: fn({}, None, shuffle=False)()),
    "lengths": refused(lambda: fn({"a": numbers}, numbers[:3], shuffle=False)()),
    "names": refused(lambda: fn({"a": numbers}, {"a": numbers}, shuffle=False)()),
}
