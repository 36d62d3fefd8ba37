"""Estimators and experiments under TF_CONFIG: what each role does, and where it puts variables."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headrace as tf
from headrace.cluster.launching import free_addresses

FEATURES = np.ones((4, 3), np.float32)


@pytest.fixture
def environment(monkeypatch):
    """Says a process its task; returns the addresses."""

    def tell(task, index=0, **more):
        addresses = free_addresses(4)
        cluster = {"master": addresses[:1], "ps": addresses[1:2], "worker": addresses[2:]}
        config = {"cluster": cluster, "task": {"type": task, "index": index}, **more}
        monkeypatch.setenv("TF_CONFIG", json.dumps(config))
        return cluster

    return tell


def _inputs():
    return {"x": tf.constant(FEATURES)}, tf.constant(FEATURES.sum(axis=1))


class _EnoughError(Exception):
    pass


@pytest.mark.parametrize("own", [False, True])
def test_variables_lie_on_servers_in_training_only(environment, tmp_path, own):
    """As 1.15.5: sessions of evaluations and predictions are of their own process."""
    environment("master")
    seen = {}

    def model(features, labels, mode):
        tf.layers.dense(features["x"], 1)
        seen[mode] = {v.device for v in tf.global_variables()}
        raise _EnoughError

    options = {"device_fn": lambda op: "/device:CPU:7"} if own else {}
    estimator = tf.estimator.Estimator(model, str(tmp_path), tf.estimator.RunConfig(**options))
    for act in (lambda: estimator.train(_inputs), lambda: estimator.evaluate(_inputs, 1)):
        with pytest.raises(_EnoughError):
            act()
    with pytest.raises(_EnoughError):
        next(estimator.predict(_inputs))
    assert seen == {"train": {"/device:CPU:7" if own else "/job:ps/task:0"}, "eval": {""}, "infer": {""}}


def test_variables_of_older_estimators_lie_on_servers_in_training_only(environment, tmp_path):
    """As 1.15.5: an experiment's master evaluates in its own process."""
    environment("master", environment="cloud")
    seen = {}

    def model(features, labels, mode):
        tf.layers.dense(features["x"], 1)
        seen[mode] = {v.device for v in tf.global_variables()}
        raise _EnoughError

    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-1"')
    estimator = tf.contrib.learn.Estimator(model, str(tmp_path), tf.contrib.learn.RunConfig())
    given = {"steps": 1, "checkpoint_path": str(tmp_path / "model.ckpt-1")}
    for act in (
        lambda: estimator.fit(input_fn=_inputs, steps=1),
        lambda: estimator.evaluate(input_fn=_inputs, **given),
    ):
        with pytest.raises(_EnoughError):
            act()
    assert seen == {"train": {"/job:ps/task:0"}, "eval": {""}}


@pytest.mark.parametrize(
    ("task", "index", "expected"),
    [("master", 0, {}), ("worker", 0, {"SummarySaverHook": 7, "StepCounterHook": 9}), ("worker", 1, {})],
)
def test_the_first_worker_writes_summaries_beside_a_master(environment, tmp_path, monkeypatch, task, index, expected):
    """As 1.15.5: a master evaluates too, and leaves summaries and the rate of steps to the first worker."""
    environment(task, index)
    seen = {}

    def session(**options):
        seen.update(options)
        raise _EnoughError

    def model(features, labels, mode):
        loss = tf.reduce_sum(tf.layers.dense(features["x"], 1))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)

    monkeypatch.setattr("headrace.estimator.estimator.MonitoredTrainingSession", session)
    config = tf.estimator.RunConfig(str(tmp_path), save_summary_steps=7, log_step_count_steps=9)
    with pytest.raises(_EnoughError):
        tf.estimator.Estimator(model, config=config).train(_inputs)
    own = {type(hook).__name__: hook._timer._every_steps for hook in seen["hooks"] if hasattr(hook, "_timer")}
    assert own == {"LoggingTensorHook": 9, **expected}
    assert (seen["save_summaries_steps"], seen["log_step_count_steps"]) == (0, None)


class _Counted(tf.contrib.learn.Experiment):
    """An experiment of which only the order of what it does is of interest."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.done = []

    def _start_server(self):
        self.done.append("serve")

    def _call_train(self, *arguments, **keywords):
        self.done.append("train")

    def _call_evaluate(self, *arguments, **keywords):
        self.done.append("evaluate")
        return {"global_step": 10}


def _experiment(config):
    estimator = tf.estimator.Estimator(lambda features, labels, mode: None, config=config)
    return _Counted(estimator, _inputs, _inputs, train_steps=3)


@pytest.mark.parametrize(("where", "begins"), [({}, []), ({"environment": "cloud"}, ["serve"])])
def test_experiments_serve_where_tf_config_names_an_environment(environment, tmp_path, where, begins):
    """As 1.15.5: training does, also with evaluations between, and nothing else."""
    environment("master", **where)
    for name, follows in (("train", ["train"]), ("train_and_evaluate", ["train", "evaluate"])):
        experiment = _experiment(tf.contrib.learn.RunConfig(model_dir=str(tmp_path)))
        getattr(experiment, name)()
        assert experiment.done == [*begins, *follows]
    experiment = _experiment(tf.contrib.learn.RunConfig(model_dir=str(tmp_path)))
    experiment.test()
    assert experiment.done == ["train", "evaluate"]


def test_experiments_of_clusters_take_their_own_configuration(environment, tmp_path):
    environment("master", environment="cloud")
    with pytest.raises(ValueError, match="Experiment class only works with"):
        _experiment(tf.estimator.RunConfig(model_dir=str(tmp_path))).train()


@pytest.mark.parametrize(
    ("task", "schedule"), [("master", "train_and_evaluate"), ("worker", "train"), ("ps", "run_std_server")]
)
def test_the_schedule_is_that_of_the_role(environment, tmp_path, monkeypatch, task, schedule):
    environment(task, environment="cloud")
    run = []
    for name in ("train_and_evaluate", "train", "run_std_server"):
        monkeypatch.setattr(_Counted, name, lambda self, name=name: run.append(name))
    config = tf.contrib.learn.RunConfig(model_dir=str(tmp_path))
    tf.contrib.learn.learn_runner.run(lambda run_config, hparams: _experiment(run_config), run_config=config)
    assert run == [schedule]
