"""Asking for half precision with an optimizer of Keras."""

from __future__ import annotations

import pytest

import headrace as tf

experimental = tf.keras.mixed_precision.experimental
rewrite = tf.train.experimental.enable_mixed_precision_graph_rewrite


@pytest.fixture(autouse=True)
def _taken_back():
    yield
    tf.train.experimental.disable_mixed_precision_graph_rewrite()


def test_its_loss_is_scaled():
    optimizer = rewrite(tf.keras.optimizers.SGD(1.0), 128.0)
    assert isinstance(optimizer, experimental.LossScaleOptimizer)
    with tf.Session() as sess:
        assert sess.run(optimizer.get_scaled_loss(tf.constant(2.0))) == 256.0


def test_a_policy_of_layers_excludes_it():
    try:
        experimental.set_policy("infer_float32_vars")
        with pytest.raises(ValueError, match="a keras mixed precision Policy has been set"):
            rewrite(tf.keras.optimizers.SGD(1.0))
    finally:
        experimental.set_policy(None)


def test_what_is_no_optimizer():
    with pytest.raises(ValueError, match="must be an instance of"):
        rewrite(3)
