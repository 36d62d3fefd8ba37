"""Graphs that were made for any sizes, imported where the sizes are known: what is folded then changes no value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf

SHAPES = {"x": (3, 2), "y": (4,), "z": (1, 3), "scale": ()}


def centred(x):
    return x - tf.reduce_mean(x, axis=0, keepdims=True)


def per_element(x):
    return tf.reduce_sum(x) / tf.cast(tf.size(x), tf.float32)


def after_a_check(x):
    with tf.control_dependencies([tf.Assert(tf.reduce_all(tf.is_finite(x)), [x])]):
        return tf.identity(x)


def after_nothing_of_use(x):
    with tf.control_dependencies([tf.square(x)]):
        return tf.identity(x)


def looped(x):
    def body(i, v):
        return i + 1, tf.tanh(v) + tf.reduce_mean(x)

    invariants = [tf.TensorShape([]), tf.TensorShape([None] * x.shape.ndims)]
    return tf.while_loop(lambda i, v: i < 2, body, [0, x], shape_invariants=invariants)[1]


# Of a tensor of any rank from 1 on.
STEPS = [
    tf.sin,
    tf.identity,
    centred,
    per_element,
    after_a_check,
    after_nothing_of_use,
    looped,
    tf.reduce_mean,
    lambda x: tf.reduce_sum(x, axis=-1, keepdims=True),
    lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)),
    lambda x: tf.reshape(x, [-1]),
    lambda x: tf.concat([x, x * 2.0], axis=0),
    lambda x: tf.ones_like(x) * x,
    lambda x: tf.fill(tf.shape(x), 2.0) * x,
    lambda x: x[1:],
    lambda x: tf.gather(x, tf.range(tf.shape(x)[0])),
    lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.cos(x), lambda: x * 2.0),
    lambda x: tf.boolean_mask(x, tf.ones(tf.shape(x)[:1]) > 0),
    lambda x: tf.unsorted_segment_sum(x, tf.range(tf.shape(x)[0]) % 2, 2),
]


def built(steps):
    """The names of what is made, its mean and the gradients of that; every step takes what one before has made."""
    made = [tf.placeholder(tf.float32, [None] * len(shape), name=name) for name, shape in SHAPES.items()]
    given_here = tuple(made)
    for which, place in steps:
        x = made[-1 - place % len(made)]
        if x.shape.ndims:
            made.append(STEPS[which](x))
    # Without the scale the gradient would begin with a constant, and most of it be folded.
    loss = given_here[-1] * tf.add_n([tf.reduce_mean(x) for x in made])
    return [x.name for x in [*made[len(given_here) :], loss, *tf.gradients(loss, given_here)]]


@pytest.mark.filterwarnings("ignore:Converting sparse IndexedSlices")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
@given(
    steps=st.lists(st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 3)), min_size=4, max_size=12),
    known=st.sets(st.sampled_from(sorted(SHAPES)), min_size=1),
    data=st.data(),
)
def test_sizes_that_are_known_change_no_value(legal_graphs, steps, known, data):
    random = np.random.RandomState(0)
    values = {name: random.normal(size=shape).astype(np.float32) for name, shape in SHAPES.items()}
    with tf.Graph().as_default() as graph, tf.Session() as session:
        names = built(steps)
        expected = session.run(names, {f"{name}:0": value for name, value in values.items()})
    kept = data.draw(st.sets(st.sampled_from(range(len(names))), min_size=1), label="fetched")
    with tf.Graph().as_default(), tf.Session() as session:
        instead = {
            f"{name}:0": tf.placeholder(tf.float32, shape if name in known else [None] * len(shape))
            for name, shape in SHAPES.items()
        }
        imported = tf.import_graph_def(graph.as_graph_def(), input_map=instead, return_elements=names)
        # Patterns of shapes are looked for where any shape is left to ask for.
        unknown = tf.placeholder(tf.float32, [None])
        feeds = {instead[f"{name}:0"]: value for name, value in values.items()}
        found = session.run([[imported[i] for i in kept], tf.shape(unknown)], {**feeds, unknown: [1.0, 2.0]})
    for i, value in zip(kept, found[0], strict=True):
        np.testing.assert_allclose(value, expected[i], rtol=1e-4, atol=1e-5)
