"""Trials that a tuner chooses."""

import importlib

import pytest

import headrace as tf

Tuner = importlib.import_module("headrace.contrib.training.python.training.tuner").Tuner


def test_a_tuner_says_both_what_comes_next_and_how_it_is_run():
    with pytest.raises(TypeError, match="next_trial"):
        Tuner()

    class NextAlone(Tuner):
        def next_trial(self):
            return False

    with pytest.raises(TypeError, match="run_experiment"):
        NextAlone()


def test_experiments_run_until_there_is_no_next_trial():
    class Twice(Tuner):
        def __init__(self):
            self.seen = []

        def next_trial(self):
            return len(self.seen) < 2

        def run_experiment(self, experiment_fn):
            self.seen.append(experiment_fn("config", {"trial": len(self.seen)}))

    tuner = Twice()
    tf.contrib.learn.learn_runner.tune(lambda run_config, hparams: (run_config, hparams["trial"]), tuner)
    assert tuner.seen == [("config", 0), ("config", 1)]
