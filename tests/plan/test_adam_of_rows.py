"""Adam with rows of a large variable: what the planner may not put together, and the numbers of several steps."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.native import loading
from headrace.plan.history import recorded

ROWS, WIDTH = 400, 400


def made_in(build):
    """The op types of the plan of a step."""
    with tf.Graph().as_default(), tf.Session() as session:
        fetches = build()
        session.run(tf.global_variables_initializer())
        with recorded() as plans:
            values = session.run(fetches)
        return {node.type for plan in plans for node in plan.graph.nodes}, values, session.run(tf.global_variables())


@pytest.mark.parametrize("native", [True, False])
def test_several_steps_are_those_of_the_paper(native, monkeypatch):
    """Kingma and Ba, "Adam", ICLR 2015, with gradients of 0 for rows that are not used."""
    if not native:
        monkeypatch.setattr(loading, "why_not", lambda: "a test wants the kernels in Python")
    start = np.random.RandomState(0).randn(ROWS, WIDTH).astype(np.float32)
    batches = np.random.RandomState(1).randint(0, ROWS, (4, 9))
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.placeholder(tf.int32, [9])
        table = tf.Variable(start)
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, ids)))
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        session.run(tf.global_variables_initializer())
        for batch in batches:
            session.run(train, {ids: batch})
        made = session.run(table)
    var, m, v = start.astype(np.float64), np.zeros((ROWS, WIDTH)), np.zeros((ROWS, WIDTH))
    for t, batch in enumerate(batches, 1):
        gradient = np.zeros_like(m)
        np.add.at(gradient, batch, 2 * var[batch])
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        var = var - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
    np.testing.assert_allclose(made, var, rtol=1e-4, atol=1e-5)


def variable():
    return tf.Variable(np.full((ROWS, WIDTH), 3.0, np.float32))


def scatter(x):
    return tf.scatter_add(x, [0], np.ones((1, WIDTH), np.float32))


def step(x, m, v):
    return tf.group(tf.assign_sub(x, 0.5 * m / (tf.sqrt(v) + 1.0)), tf.no_op())


def test_a_variable_that_decays_before_rows_are_added():
    def build():
        x = variable()
        with tf.control_dependencies([tf.assign(x, x * 0.5)]):
            return step(variable(), scatter(x), variable())

    types, _, (_, changed, _) = made_in(build)
    assert {"_Decay", "_StepByRoot"} <= types
    np.testing.assert_allclose(changed[:2, 0], 3.0 - 0.5 * np.array([2.5, 1.5]) / (np.sqrt(np.float32(3.0)) + 1.0))


def test_another_writer_may_come_between():
    def build():
        x = variable()
        product = x * 0.5
        with tf.control_dependencies([product]):
            more = scatter(x)
        with tf.control_dependencies([more]):
            return tf.assign(x, product), step(variable(), variable(), variable())

    types, values, _ = made_in(build)
    assert "_Decay" not in types
    np.testing.assert_array_equal(values[0], np.full((ROWS, WIDTH), 1.5))


def test_what_is_fetched_stays():
    def build():
        x = variable()
        product = x * 0.5
        change = 0.5 * x / (tf.sqrt(variable()) + 1.0)
        with tf.control_dependencies([tf.assign(x, product)]):
            return product, scatter(x), change, tf.assign_sub(variable(), change)

    types, values, _ = made_in(build)
    assert types.isdisjoint({"_Decay", "_StepByRoot"})
    np.testing.assert_array_equal(values[0], np.full((ROWS, WIDTH), 1.5))
