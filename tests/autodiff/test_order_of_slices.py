"""In which order a tape puts the gradients of several uses together: as 1.15.5 does, side by side along the branches."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode


def two(table):
    return tf.reduce_sum(tf.gather(table, 0)) + tf.reduce_sum(tf.gather(table, [1, 2]) * 2.0)


def three(table):
    first, second = tf.reduce_sum(tf.gather(table, [0])), tf.reduce_sum(tf.gather(table, [1]) * 2.0)
    return first + second + tf.reduce_sum(tf.gather(table, [3]) * 3.0)


def used_the_other_way_round(table):
    first, second = tf.gather(table, [0]), tf.gather(table, [1])
    return tf.reduce_sum(second) + tf.reduce_sum(first * 2.0)


# What 1.15.5 gives eagerly, in functions and in graphs.
@pytest.mark.parametrize(
    ("loss", "expected"), [(two, [0, 1, 2]), (three, [0, 3, 1]), (used_the_other_way_round, [1, 0])]
)
@pytest.mark.parametrize("times", [1, 5])
def test_slices_come_in_the_order_of_graphs(loss, expected, times):
    with eager_mode():
        table = tf.Variable(np.ones((4, 2), np.float32), use_resource=True)
        # A recording that comes often is planned; the plan keeps the order.
        for _ in range(times):
            with tf.GradientTape() as tape:
                value = loss(table)
            assert tape.gradient(value, table).indices.numpy().tolist() == expected


def test_what_gives_what_it_takes_has_its_gradient():
    with eager_mode():
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            same = tf.custom_gradient(lambda value: (value, lambda upstream: upstream * 5.0))(x)
            y = same * 2.0
        assert tape.gradient(y, x).numpy() == 10.0


def test_targets_between_others_count_for_themselves():
    with eager_mode():
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            square = x * x
            cube = square * x
        # 3 x^2 + 2 x
        assert tape.gradient([square, cube], x).numpy() == 16.0
