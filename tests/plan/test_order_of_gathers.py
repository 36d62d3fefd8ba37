"""In functions, rows of a variable are read where the text reads them: before or after its updates."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode

ROWS = [2, 0]
READS = {
    "gather": lambda v: tf.gather(v, ROWS),
    "gather_nd": lambda v: tf.gather_nd(v, [[row] for row in ROWS]),
    "read": lambda v: tf.gather(v.read_value(), ROWS),
    "lookup": lambda v: tf.nn.embedding_lookup(v, ROWS),
}


@pytest.fixture
def eagerly():
    with eager_mode():
        yield


@pytest.mark.parametrize("read", READS)
def test_behind_an_update_by_what_a_branch_gives(read, eagerly):
    v = tf.Variable([[1.0], [2.0], [3.0]])
    halves = tf.constant([[0.5], [0.5], [0.5]])

    @tf.function
    def step(x):
        before = READS[read](v)
        # What a branch gives is there later than the rows, which wait for nothing.
        if tf.reduce_sum(x) < 100.0:
            x = halves[:, :1]
        v.assign_add(x)
        between = READS[read](v)
        v.scatter_update(tf.IndexedSlices(x[:1] - 7.5, [2]))
        return before, between, READS[read](v)

    before, between, after = step(tf.constant([[1.0], [1.0], [10.0]]))
    np.testing.assert_array_equal(before, [[3.0], [1.0]])
    np.testing.assert_array_equal(between, [[3.5], [1.5]])
    np.testing.assert_array_equal(after, [[-7.0], [1.5]])


@pytest.mark.parametrize("read", READS)
def test_one_read_behind_an_update(read, eagerly):
    v = tf.Variable([[1.0], [2.0], [3.0]])
    halves = tf.constant([[0.5], [0.5], [0.5]])

    @tf.function
    def step(x):
        if tf.reduce_sum(x) < 100.0:
            x = halves[:, :1]
        v.assign_add(x)
        return READS[read](v)

    np.testing.assert_array_equal(step(tf.constant([[1.0], [1.0], [10.0]])), [[3.5], [1.5]])


def test_rows_are_not_the_memory_of_the_variable():
    v = tf.Variable([[1.0], [2.0]], use_resource=True)
    rows = tf.gather(v, [0, 1])
    with tf.control_dependencies([rows]):
        update = v.assign_add([[1.0], [1.0]])
    with tf.Session() as sess:
        sess.run(v.initializer)
        first, _ = sess.run([rows, update])
        sess.run(update)
    np.testing.assert_array_equal(first, [[1.0], [2.0]])


BAD = {"gather": lambda v: tf.gather(v, [99]), "gather_nd": lambda v: tf.gather_nd(v, [[99]])}


@pytest.mark.parametrize("read", BAD)
def test_rows_that_nobody_uses_are_checked_in_functions(read, eagerly):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x):
        BAD[read](v)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="99"):
        step(tf.constant(1.0))


@pytest.mark.parametrize("read", BAD)
def test_rows_that_are_only_waited_for_are_checked(read):
    v = tf.Variable([1.0, 2.0], use_resource=True)
    with tf.control_dependencies([BAD[read](v)]):
        late = tf.constant(1.0) + 1.0
    with tf.Session() as sess:
        sess.run(v.initializer)
        for asked in (late, tf.group(BAD[read](v))):
            with pytest.raises(tf.errors.InvalidArgumentError, match="99"):
                sess.run(asked)
