"""Experiments: what their ways of running train, evaluate, write and refuse."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.contrib import learn
from tensorflow.contrib.learn import learn_runner

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
folder = tempfile.mkdtemp()
X = np.linspace(-1.0, 1.0, 16).astype(np.float32).reshape(8, 2)


def model_fn(features, labels, mode, params):
    y = tf.layers.dense(features, 1, kernel_initializer=tf.constant_initializer(params["start"]))
    loss = None if labels is None else tf.losses.mean_squared_error(labels, y)
    train = None
    if mode == tf.estimator.ModeKeys.TRAIN:
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    metrics = {} if loss is None else {"error": tf.metrics.mean_absolute_error(labels, y)}
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train, metrics)


def old_model_fn(features, labels, mode):
    y = tf.contrib.layers.linear(features, 1, weights_initializer=tf.constant_initializer(0.5))
    loss = tf.losses.mean_squared_error(labels, y) if labels is not None else None
    train = None
    if mode == learn.ModeKeys.TRAIN:
        train = tf.contrib.layers.optimize_loss(loss, tf.train.get_global_step(), 0.1, "SGD")
    return y, loss, train


def input_fn():
    return tf.constant(X), tf.constant(X.sum(axis=1, keepdims=True))


def core(name):
    config = learn.RunConfig(model_dir=os.path.join(folder, name), tf_random_seed=1)
    return tf.estimator.Estimator(model_fn, config=config, params={"start": 0.25})


def old(name):
    return learn.Estimator(old_model_fn, os.path.join(folder, name), learn.RunConfig(tf_random_seed=1))


def make(estimator, **settings):
    return learn.Experiment(
        estimator, train_input_fn=input_fn, eval_input_fn=input_fn, eval_steps=2, eval_delay_secs=0, **settings
    )


def numbers(metrics):
    return {key: float(value) for key, value in metrics.items()}


def folders(name):
    return sorted(
        entry for entry in os.listdir(os.path.join(folder, name)) if os.path.isdir(os.path.join(folder, name, entry))
    )


for kind, estimator in (("core", core), ("old", old)):
    metrics, exports = make(estimator(kind), train_steps=6).train_and_evaluate()
    results[kind + " trained and evaluated"] = (numbers(metrics), exports, folders(kind))
    experiment = make(estimator(kind + "_turns"), train_steps=8, train_steps_per_iteration=3)
    metrics, _ = experiment.continuous_train_and_eval()
    results[kind + " in turns"] = (numbers(metrics), folders(kind + "_turns"))
    metrics = make(estimator(kind + "_test")).test()
    results[kind + " tested"] = numbers(metrics)
    alone = make(estimator(kind + "_alone"), train_steps=3)
    alone.train()
    results[kind + " alone"] = (numbers(alone.evaluate()), folders(kind + "_alone"))
    seen = []

    def goes_on(metrics):
        seen.append(None if metrics is None else sorted(metrics))
        return len(seen) < 2

    alone.continuous_eval(delay_secs=0, throttle_delay_secs=0, continuous_eval_predicate_fn=goes_on)
    results[kind + " continuously"] = (seen, folders(kind + "_alone"))


def experiment_fn(run_config, hparams):
    estimator = tf.estimator.Estimator(model_fn, config=run_config, params={"start": hparams.start})
    return learn.Experiment(estimator, input_fn, input_fn, train_steps=4, eval_steps=1)


hparams = tf.contrib.training.HParams(start=0.75)
ran, _ = learn_runner.run(
    experiment_fn=experiment_fn,
    run_config=learn.RunConfig(model_dir=os.path.join(folder, "ran")),
    schedule="train_and_evaluate",
    hparams=hparams,
)
results["ran by a schedule"] = numbers(ran)


def refused(name, call):
    try:
        call()
        results[name] = "nothing"
    except Exception as error:
        results[name] = type(error).__name__


config = learn.RunConfig(model_dir=os.path.join(folder, "refused"))
refused("no such schedule", lambda: learn_runner.run(experiment_fn, run_config=config, schedule="fly", hparams=hparams))
refused(
    "no callable", lambda: learn_runner.run(experiment_fn, run_config=config, schedule="train_steps", hparams=hparams)
)
refused("no experiment", lambda: learn_runner.run(lambda run_config, hparams: 3, run_config=config))
refused("no folder", lambda: learn_runner.run(experiment_fn, run_config=learn.RunConfig()))
refused("nothing given", lambda: learn_runner.run(experiment_fn))
refused("both given", lambda: learn_runner.run(experiment_fn, "here", run_config=config))
refused("no function", lambda: learn_runner.run("experiment", run_config=config))
refused("no estimator", lambda: learn.Experiment("estimator", input_fn, input_fn))
refused("metrics of the new", lambda: make(core("x"), eval_metrics={"m": None}))
refused("no strategy", lambda: make(core("x"), export_strategies=["s"]))


def other_config(run_config, hparams):
    return make(old("elsewhere"))


refused("another configuration", lambda: learn_runner.run(other_config, run_config=config))

strategy = learn.ExportStrategy("kept", lambda estimator, path, checkpoint_path=None: os.path.basename(path))
exporting = make(core("exporting"), train_steps=2, export_strategies=strategy)
results["exported"] = [str(e) for e in exporting.train_and_evaluate()[1]]
results["strategies before"] = [s.name for s in exporting.reset_export_strategies()]
results["strategies after"] = exporting.reset_export_strategies([strategy])
