"""What variable scopes say of themselves where operations run eagerly."""

from __future__ import annotations

import headrace as tf
from headrace.core.eager import eager_mode


def test_scopes_opened_eagerly_neither_share_nor_refuse():
    with eager_mode():
        assert tf.get_variable_scope().reuse is tf.AUTO_REUSE
        with tf.variable_scope("a", reuse=False) as scope:
            assert scope.reuse is tf.AUTO_REUSE
            assert scope.use_resource
            first = tf.get_variable("v", [1])
        with tf.variable_scope("a", reuse=True) as again:
            assert again.reuse is tf.AUTO_REUSE
            assert tf.get_variable("v", [1]) is not first
        scope.reuse_variables()
        assert scope.reuse is True


def test_a_graph_made_meanwhile_has_scopes_of_its_own():
    with eager_mode(), tf.Graph().as_default(), tf.variable_scope("a") as scope:
        assert not scope.reuse
        assert not tf.get_variable_scope().reuse
        assert scope.use_resource is None
