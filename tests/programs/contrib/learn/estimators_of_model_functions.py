"""Estimators of model functions in all their forms, arrays as data, and scikit-learn's calls."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import layers, learn

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
folder = tempfile.mkdtemp()
random = np.random.RandomState(3)
X = random.normal(size=[10, 2]).astype(np.float32)
Y = X.sum(axis=1, keepdims=True)


def step(loss):
    return layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "SGD")


def tuples(features, labels):
    y = layers.linear(features, 1, weights_initializer=tf.constant_initializer(0.5))
    loss = tf.losses.mean_squared_error(tf.reshape(labels, [-1, 1]), y) if labels is not None else None
    return y, loss, step(loss) if labels is not None else None


def ops(features, labels, mode, params, config, model_dir):
    results["what was given"] = (mode, params["rate"], config.tf_random_seed, os.path.basename(model_dir))
    y = layers.linear(features["x"], 1, weights_initializer=tf.constant_initializer(params["rate"]))
    loss = tf.losses.mean_squared_error(tf.reshape(labels, [-1, 1]), y) if labels is not None else None
    train = step(loss) if mode == learn.ModeKeys.TRAIN else None
    return learn.ModelFnOps(mode, {"y": y, "twice": y * 2.0}, loss, train)


def numbers(metrics):
    return {key: float(value) for key, value in metrics.items()}


arrays = learn.Estimator(tuples, os.path.join(folder, "arrays"), learn.RunConfig(tf_random_seed=1))
try:
    arrays.evaluate(x=X, y=Y)
except learn.NotFittedError as error:
    results["not fitted"] = isinstance(error, ValueError)
try:
    arrays.predict(x=X)
except learn.NotFittedError as error:
    results["not fitted either"] = isinstance(error, AttributeError)
arrays.fit(x=X, y=Y, steps=3, batch_size=4)
results["arrays"] = numbers(arrays.evaluate(x=X, y=Y, batch_size=5))
results["predictions of arrays"] = np.array(list(arrays.predict(x=X)))
results["all at once"] = arrays.predict(x=X, as_iterable=False)
arrays.partial_fit(x=X, y=Y)
results["partly fitted"] = int(arrays.get_variable_value("global_step"))
results["variables"] = {name: arrays.get_variable_value(name).shape for name in arrays.get_variable_names()}
arrays.fit(x=X, y=Y, max_steps=6)
results["up to a step"] = int(arrays.get_variable_value("global_step"))
arrays.fit(x=X, y=Y, max_steps=5)
results["there already"] = int(arrays.get_variable_value("global_step"))


def input_fn():
    return {"x": tf.constant(X)}, tf.constant(Y)


given = learn.Estimator(
    ops,
    os.path.join(folder, "given"),
    learn.RunConfig(tf_random_seed=5),
    params={"rate": 0.25},
    feature_engineering_fn=lambda features, labels: ({"x": features["x"] * 2.0}, labels),
)
given.fit(input_fn=input_fn, steps=2)
spec = learn.MetricSpec(tf.contrib.metrics.streaming_mean_squared_error, prediction_key="twice")
results["metrics"] = numbers(given.evaluate(input_fn=input_fn, steps=1, metrics={"twice": spec}))
results["metrics of pairs"] = numbers(
    given.evaluate(
        input_fn=input_fn,
        steps=1,
        metrics={("mean", "y"): lambda predictions, labels: tf.contrib.metrics.streaming_mean(predictions)},
    )
)
results["chosen"] = given.predict(input_fn=input_fn, outputs=["twice"], as_iterable=False)
results["batches"] = [batch["y"] for batch in given.predict(input_fn=input_fn, iterate_batches=True)]
results["evaluations"] = sorted(n for n in os.listdir(os.path.join(folder, "given")) if n.startswith("eval"))
given.evaluate(input_fn=input_fn, steps=1, name="named")
results["evaluations of a name"] = sorted(n for n in os.listdir(os.path.join(folder, "given")) if n.startswith("eval"))

columns = learn.infer_real_valued_columns_from_input(X.astype(np.float32))
results["columns"] = [(c.name, c.dimension) for c in columns]
classes = (Y > 0).astype(np.int64).reshape(-1)
sk = learn.SKCompat(
    learn.LinearClassifier(columns, os.path.join(folder, "sk"), config=learn.RunConfig(tf_random_seed=2))
)
sk.fit(X.astype(np.float32), classes, batch_size=4, steps=6)
results["score"] = numbers(sk.score(X.astype(np.float32), classes, batch_size=3))
found = sk.predict(X.astype(np.float32), batch_size=4)
results["found"] = {key: found[key] for key in sorted(found)} if isinstance(found, dict) else found
results["score's folder"] = sorted(n for n in os.listdir(os.path.join(folder, "sk")) if n.startswith("eval"))


def refused(name, call):
    try:
        call()
        results[name] = "nothing"
    except Exception as error:
        results[name] = type(error).__name__


refused("steps twice", lambda: arrays.fit(x=X, y=Y, steps=1, max_steps=2))
refused("both kinds of data", lambda: arrays.fit(x=X, y=Y, input_fn=input_fn, steps=1))
refused("no data", lambda: arrays.fit(steps=1))
refused("a batch size of a function", lambda: arrays.fit(input_fn=input_fn, batch_size=2, steps=1))
refused("two folders", lambda: learn.Estimator(tuples, "a", learn.RunConfig(model_dir="b")))
refused("parameters of none", lambda: learn.Estimator(tuples, params={"a": 1}))
refused("no prediction of the name", lambda: given.predict(input_fn=input_fn, outputs=["none"], as_iterable=False))
refused("metrics that are a list", lambda: given.evaluate(input_fn=input_fn, steps=1, metrics=["accuracy"]))
refused(
    "a wrong kind of result", lambda: learn.Estimator(lambda features, labels: (1, 2)).fit(input_fn=input_fn, steps=1)
)
