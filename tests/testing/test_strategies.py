"""Tests that run with each of several strategies."""

import unittest

import pytest
from absl.testing import parameterized

import headrace as tf
from headrace.testing import combinations, strategies


def _results(named, **arguments):
    """What becomes of a test with strategies: how often it ran, and why it was skipped."""
    ran = []

    class Case(parameterized.TestCase):
        @combinations.generate(combinations.combine(distribution=named, **arguments))
        def test_strategy(self, distribution, mode="graph"):
            with distribution.scope():
                ran.append((tf.Variable(1.0).shape.ndims, mode, tf.executing_eagerly()))

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert result.wasSuccessful(), result
    return ran, sorted(reason for _, reason in result.skipped)


def test_strategies_are_made_for_each_test():
    named = [strategies.one_device_strategy, strategies.mirrored_strategy_with_one_cpu]
    ran, skipped = _results(named, mode=strategies.graph_and_eager_modes)
    assert sorted(ran) == sorted([(0, "graph", False), (0, "eager", True)] * 2)
    assert not skipped


def test_strategies_of_devices_that_are_not_there_are_skipped():
    missing = strategies.NamedDistribution("Many", lambda: None, required_gpus=99)
    ran, skipped = _results([missing, strategies.tpu_strategy])
    assert not ran
    assert skipped[1] == "Test requires a TPU, but it's not available."
    assert "of 99 required GPUs" in skipped[0]


def test_combinations_name_their_strategies_and_optimizers():
    made = strategies.distributions_and_v1_and_v2_optimizers()
    assert len(made) == 12
    assert repr(made[0]["distribution"]) == "OneDeviceCPU"
    assert {repr(each["optimizer_fn"]) for each in made} >= {"GradientDescentV1", "AdagradKerasV2"}
    kinds = {type(each["optimizer_fn"]()).__name__ for each in made}
    assert kinds == {"GradientDescentOptimizer", "AdagradOptimizer", "SGD", "Adagrad"}
    assert len(strategies.all_strategy_combinations()) == 12


def test_virtual_cpus_are_at_least_one():
    with pytest.raises(ValueError, match="at least 1"):
        strategies.set_virtual_cpus_to_at_least(0)
