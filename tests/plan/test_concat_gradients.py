"""The gradient of joining tensors of unknown sizes is one cut, where it is that gradient."""

import numpy as np
import pytest

import headrace as tf


def types(plan):
    return [node.type for node in plan.nodes]


@pytest.mark.parametrize(
    "shapes", [([None, 2], [None, 3]), ([None, None], [None, 3]), ([None, 2], [4, 3]), ([None, 2],) * 3]
)
@pytest.mark.parametrize("axis", [1, -1])
def test_parts_of_a_gradient(shapes, axis):
    with tf.Graph().as_default(), tf.Session() as sess:
        parts = [tf.placeholder(tf.float64, shape) for shape in shapes]
        joined = tf.concat(parts, axis)
        gradients = tf.gradients(joined * joined, parts)
        plan = sess.plan_for(gradients, parts)
        assert types(plan).count("_SplitLike") == 1
        assert not {"Slice", "ConcatOffset", "ShapeN"} & set(types(plan))
        rng = np.random.RandomState(0)
        given = [rng.randn(4, shape[1] or 5) for shape in shapes]
        found = sess.run(gradients, dict(zip(parts, given)))
        for value, slope in zip(given, found):
            np.testing.assert_array_equal(slope, 2 * value)
        # A part alone.
        np.testing.assert_array_equal(sess.run(gradients[1], dict(zip(parts, given))), 2 * given[1])


def test_along_the_unknown_axis():
    with tf.Graph().as_default(), tf.Session() as sess:
        parts = [tf.placeholder(tf.float32, [None, 2]) for _ in range(3)]
        gradients = tf.gradients(tf.square(tf.concat(parts, 0)), parts)
        assert "_SplitLike" in types(sess.plan_for(gradients, parts))
        for sizes in ([1, 2, 3], [0, 4, 0]):
            given = [np.random.randn(size, 2).astype(np.float32) for size in sizes]
            for value, slope in zip(given, sess.run(gradients, dict(zip(parts, given)))):
                np.testing.assert_array_equal(slope, 2 * value)


def test_a_gradient_given_in_another_shape():
    """Slice takes the beginning of what is larger, and refuses what is smaller."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = (tf.placeholder(tf.float32, [None, 2]) for _ in range(2))
        larger = tf.placeholder(tf.float32, [None, None])
        shapes = tf.shape_n([x, y])
        offsets = tf.raw_ops.ConcatOffset(concat_dim=1, shape=shapes)
        parts = [tf.slice(larger, offset, size) for offset, size in zip(offsets, shapes)]
        assert "_SplitLike" in types(sess.plan_for(parts, [x, y, larger]))
        value = np.arange(20, dtype=np.float32).reshape(4, 5)
        ones = np.ones((3, 2))
        left, right = sess.run(parts, {x: ones, y: ones, larger: value})
        np.testing.assert_array_equal(left, value[:3, :2])
        np.testing.assert_array_equal(right, value[:3, 2:4])
        with pytest.raises(tf.errors.InvalidArgumentError, match="size"):
            sess.run(parts, {x: ones, y: ones, larger: value[:, :3]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must match"):
            sess.run(parts, {x: ones, y: ones[:2], larger: value})


def test_offsets_of_one_and_sizes_of_another():
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = (tf.placeholder(tf.float32, [None, 2]) for _ in range(2))
        shapes = tf.shape_n([x, y])
        offsets = tf.raw_ops.ConcatOffset(concat_dim=0, shape=shapes)
        piece = tf.slice(tf.concat([x, y], 0), offsets[1], shapes[0])
        assert "_SplitLike" not in types(sess.plan_for([piece, offsets[0]], [x, y]))
        found, begin = sess.run([piece, offsets[0]], {x: [[1, 2]], y: [[3, 4], [5, 6]]})
        np.testing.assert_array_equal(found, [[3, 4]])
        np.testing.assert_array_equal(begin, [0, 0])


def test_a_slice_that_waits():
    """Gradients that are gated wait for each other."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = (tf.placeholder(tf.float32, [None, 2]) for _ in range(2))
        counter = tf.get_variable("counter", initializer=0, use_resource=True)
        shapes = tf.shape_n([x, y])
        offsets = tf.raw_ops.ConcatOffset(concat_dim=1, shape=shapes)
        joined = tf.concat([x, y], 1)
        with tf.control_dependencies([counter.assign_add(1)]):
            part = tf.slice(joined, offsets[1], shapes[1])
        assert "_SplitLike" in types(sess.plan_for(part, [x, y]))
        sess.run(counter.initializer)
        value = np.arange(6, dtype=np.float32).reshape(3, 2)
        np.testing.assert_array_equal(sess.run(part, {x: np.ones((3, 2)), y: value}), value)
        assert sess.run(counter) == 1
