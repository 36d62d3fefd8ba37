"""Gradients of lookups, and sums of their rows of equal indices, are computed without asking for sizes."""

import numpy as np
import pytest

import headrace as tf


def train(optimizer, resource, ids, seed=3):
    """Two steps on rows of a table; returns the table and the op types of the step's plan."""
    with tf.Graph().as_default(), tf.Session() as sess:
        start = np.random.RandomState(seed).normal(size=(6, 3)).astype(np.float32)
        table = tf.get_variable("table", initializer=start, use_resource=resource)
        given = tf.placeholder(tf.int32, [None] * np.ndim(ids))
        rows = tf.nn.embedding_lookup(table, given)
        loss = tf.reduce_sum(tf.square(rows) * tf.constant([1.0, 2.0, 3.0]))
        step = optimizer().minimize(loss)
        sess.run(tf.global_variables_initializer())
        types = [node.type for node in sess.plan_for([step], [given]).nodes]
        for _ in range(2):
            sess.run(step, {given: ids})
        return start, sess.run(table), types


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("ids", [[1, 4, 1, 1], [[0, 5], [5, 2]], [3], []], ids=str)
def test_adagrad_on_rows_is_adagrad_on_the_summed_gradient(resource, ids):
    ids = np.array(ids, np.int32)
    start, found, types = train(lambda: tf.train.AdagradOptimizer(0.1, 0.5), resource, ids)
    assert "_SumOfRepeated" in types
    assert not {"Size", "Shape", "UnsortedSegmentSum", "Unique"} & set(types)
    table, squares = start.astype(np.float64), np.full(start.shape, 0.5)
    for _ in range(2):
        gradient = np.zeros_like(table)
        np.add.at(gradient, ids.reshape(-1), 2 * table[ids.reshape(-1)] * [1.0, 2.0, 3.0])
        squares += gradient**2
        table -= 0.1 * gradient / np.sqrt(squares)
    np.testing.assert_allclose(found, table, rtol=1e-5)


def test_places_that_are_asked_for_elsewhere_stay():
    with tf.Graph().as_default(), tf.Session() as sess:
        ids = tf.placeholder(tf.int32, [None])
        different, places = tf.unique(ids)
        total = tf.unsorted_segment_sum(tf.cast(ids, tf.float32), places, tf.shape(different)[0])
        assert sess.run([total, places], {ids: [7, 5, 7]})[0].tolist() == [14.0, 5.0]
        assert sess.run([total, different], {ids: [7, 5, 7]})[1].tolist() == [7, 5]
        with pytest.raises(tf.errors.InvalidArgumentError, match="segment_ids"):
            sess.run(tf.unsorted_segment_sum(tf.ones([2]), places, tf.shape(different)[0]), {ids: [7, 5, 7]})


def test_the_count_of_a_mean_is_asked_of_the_tensor():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        loss = tf.losses.mean_squared_error(tf.zeros_like(x), x)
        assert "_TimesCount" in [node.type for node in sess.plan_for([loss], [x]).nodes]
        assert sess.run(loss, {x: [[1.0, 2.0], [3.0, 4.0]]}) == 7.5
        assert sess.run(loss, {x: np.zeros([0, 2])}) == 0.0


def test_the_sum_of_nothing_is_zero_whatever_it_would_be_made_of():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        total = tf.reduce_sum(tf.fill(tf.shape(x), np.float32(np.inf)))
        assert "_TimesCount" in [node.type for node in sess.plan_for([total], [x]).nodes]
        assert sess.run(total, {x: []}) == 0.0
        assert sess.run(total, {x: [1.0]}) == np.inf


def test_rows_that_do_not_fit_are_refused():
    with tf.Graph().as_default(), tf.Session() as sess:
        x, ids = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [None])
        rows = tf.reshape(x, tf.concat([tf.expand_dims(tf.size(ids), 0), [2]], 0))
        assert sess.run(rows, {x: [1.0, 2.0, 3.0, 4.0], ids: [0, 0]}).tolist() == [[1.0, 2.0], [3.0, 4.0]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="requested shape has 6"):
            sess.run(rows, {x: [1.0, 2.0, 3.0, 4.0], ids: [0, 0, 0]})
