"""Names at the places they had in earlier releases, or spelled as they were: the same objects as today's."""

import importlib

import numpy as np
import pytest

import headrace as tf
from headrace.shim import install_as_tensorflow


def _named(path):
    value = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(
    ("earlier", "today"),
    [
        ("contrib.linalg.LinearOperatorDiag", "linalg.LinearOperatorDiag"),
        ("contrib.linalg.LinearOperatorMatrix", "linalg.LinearOperatorFullMatrix"),
        ("contrib.linalg.LinearOperatorTriL", "linalg.LinearOperatorLowerTriangular"),
        ("contrib.linalg.LinearOperatorUDVHUpdate", "linalg.LinearOperatorLowRankUpdate"),
        ("linalg.LinearOperatorTriL", "linalg.LinearOperatorLowerTriangular"),
        ("contrib.ctc.ctc_greedy_decoder", "nn.ctc_greedy_decoder"),
        ("contrib.losses.sum_of_squares", "contrib.losses.mean_squared_error"),
        ("contrib.losses.sum_of_pairwise_squares", "contrib.losses.mean_pairwise_squared_error"),
        ("contrib.distributions.kl", "contrib.distributions.kl_divergence"),
        ("contrib.distributions.MultivariateNormalCholesky", "contrib.distributions.MultivariateNormalTriL"),
        ("contrib.framework.CriticalSection", "CriticalSection"),
        ("contrib.estimator.LinearEstimator", "estimator.LinearEstimator"),
        ("contrib.distribute.AllReduceCrossTowerOps", "contrib.distribute.AllReduceCrossDeviceOps"),
        ("train.SyncReplicasOptimizerV2", "train.SyncReplicasOptimizer"),
    ],
)
def test_earlier_names(earlier, today):
    assert _named(earlier) is _named(today)


def test_the_former_tree_of_keras():
    install_as_tensorflow(old_names=False)
    layers = importlib.import_module("tensorflow.python.keras._impl.keras.layers")
    assert layers.Dense is tf.keras.layers.Dense


def test_the_loss_of_contrib_takes_the_logits_first():
    logits = np.random.RandomState(0).randn(4, 1, 3).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        labels = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([1, 0]), [1, 2])
        former, today = tf.contrib.ctc.ctc_loss(logits, labels, [4]), tf.nn.ctc_loss(labels, logits, [4])
        assert np.array_equal(*session.run([former, today]))
