"""Array ops against NumPy: indexing of every kind, joining and parting, and the copies a view must not replace."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import headrace as tf

QUICK = settings(max_examples=60, deadline=None)


def run(build, *values, dims=None):
    """The value of an expression of placeholders, and its static shape."""
    with tf.Graph().as_default():
        inputs = [
            tf.placeholder(value.dtype, value.shape if dims is None else dims) for value in map(np.asarray, values)
        ]
        result = build(*inputs)
        with tf.Session() as session:
            return session.run(result, dict(zip(inputs, values))), result.get_shape()


@st.composite
def arrays_with_index(draw):
    shape = draw(arrays.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=5))
    index = draw(arrays.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True, max_dims=6))
    return np.arange(np.prod(shape, dtype=int)).reshape(shape), index


@QUICK
@given(arrays_with_index(), st.sampled_from(["known", "sizes unknown", "rank unknown"]))
def test_brackets_mean_what_they_mean_to_numpy(case, knowledge):
    array, index = case
    dims = {"known": array.shape, "sizes unknown": [None] * array.ndim, "rank unknown": None}[knowledge]
    got, static = run(lambda x: x[index], array, dims=dims)
    expected = array[index]
    np.testing.assert_array_equal(got, expected)
    assert static.is_compatible_with(expected.shape)
    if knowledge == "known":
        assert static.as_list() == list(expected.shape)


@QUICK
@given(arrays_with_index())
def test_brackets_on_text_mean_what_they_mean_to_numpy(case):
    array, index = case
    text = np.array([b"%d" % v for v in array.ravel()], object).reshape(array.shape)
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(tf.constant(text)[index])
    np.testing.assert_array_equal(np.asarray(got, object), np.asarray(text[index], object))


@QUICK
@given(arrays_with_index())
def test_gradient_of_a_slice_marks_what_was_taken(case):
    array, index = case
    got, _ = run(lambda x: tf.gradients(x[index], x)[0], array.astype(np.float64))
    expected = np.zeros(array.shape)
    expected[index] = 1.0
    np.testing.assert_array_equal(got, expected)


@QUICK
@given(st.data())
def test_splitting_undoes_joining(data):
    rank = data.draw(st.integers(1, 3))
    axis = data.draw(st.integers(-rank, rank - 1))
    shape = data.draw(st.lists(st.integers(0, 3), min_size=rank, max_size=rank))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    parts = []
    for i, size in enumerate(sizes):
        shape[axis] = size
        parts.append(np.full(shape, i, np.int32))
    with tf.Graph().as_default(), tf.Session() as session:
        back = session.run(tf.split(tf.concat(parts, axis), sizes, axis))
    for got, part in zip(back, parts, strict=True):
        np.testing.assert_array_equal(got, part)


@QUICK
@given(st.permutations(range(4)))
def test_inverted_permutation_undoes_a_transpose(perm):
    array = np.arange(24).reshape(1, 2, 3, 4)
    got, static = run(lambda x: tf.transpose(tf.transpose(x, perm), tf.invert_permutation(perm)), array)
    np.testing.assert_array_equal(got, array)
    assert static.as_list() == [1, 2, 3, 4]


@QUICK
@given(
    arrays.array_shapes(min_dims=1, max_dims=3, max_side=4),
    st.sampled_from(["REFLECT", "SYMMETRIC", "CONSTANT"]),
    st.data(),
)
def test_padding_is_that_of_numpy(shape, mode, data):
    array = np.arange(np.prod(shape)).reshape(shape)
    most = [size - (mode == "REFLECT") if mode != "CONSTANT" else 3 for size in shape]
    pads = [(data.draw(st.integers(0, m)), data.draw(st.integers(0, m))) for m in most]
    got, static = run(lambda x: tf.pad(x, pads, mode), array)
    expected = np.pad(array, pads, mode.lower())
    np.testing.assert_array_equal(got, expected)
    assert static.as_list() == list(expected.shape)


@QUICK
@given(st.data())
def test_gather_is_take(data):
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    indices = data.draw(
        arrays.arrays(
            np.int32,
            arrays.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3),
            elements=st.integers(0, shape[axis] - 1),
        )
    )
    array = np.arange(np.prod(shape)).reshape(shape)
    got, static = run(lambda x, i: tf.gather(x, i, axis=axis), array, indices)
    expected = np.take(array, indices, axis)
    np.testing.assert_array_equal(got, expected)
    assert static.as_list() == list(expected.shape)


@QUICK
@given(st.lists(st.integers(-3, 3) | st.sampled_from([2**40, -(2**62)]), max_size=20))
def test_unique_keeps_the_order_of_first_occurrence(values):
    array = np.array(values, np.int64)
    with tf.Graph().as_default(), tf.Session() as session:
        y, places, counts = session.run(tf.unique_with_counts(tf.constant(array)))
    assert y.tolist() == list(dict.fromkeys(values))
    np.testing.assert_array_equal(y[places], array)
    assert counts.tolist() == [values.count(v) for v in y.tolist()]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (lambda x, i: tf.gather(x, i), r"indices\[1\] = 5 is not in \[0, 3\)"),
        (lambda x, i: tf.gather_nd(x, tf.reshape(i, [2, 1])), r"indices\[1\] = \[5\] does not index into"),
        (
            lambda x, i: tf.dynamic_partition(x, tf.concat([i, i[:1]], 0), 2)[0],
            r"partitions\[1\] = 5 is not in \[0, 2\)",
        ),
        (lambda x, i: x[i[1]], "slice index 5 of dimension 0 out of bounds"),
        (lambda x, i: tf.reshape(x, i), "Input to reshape is a tensor with 3 values, but the requested shape has 5"),
    ],
)
def test_errors_say_which_value_is_wrong(expression, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(expression, np.float32([1, 2, 3]), np.int32([1, 5]))


def test_results_do_not_share_memory_with_what_was_fed():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2, 3])
        views = [tf.reshape(x, [3, 2]), x[0], tf.transpose(x), tf.identity(x), tf.expand_dims(x, 0), *tf.unstack(x)]
        values = session.run(views, {x: array})
    kept = [value.copy() for value in values]
    array[:] = -1
    for value, before in zip(values, kept, strict=True):
        np.testing.assert_array_equal(value, before)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (lambda x: tf.concat(1, [x, x]), lambda x: tf.concat([x, x], 1)),
        (lambda x: tf.concat(concat_dim=0, values=[x, x]), lambda x: tf.concat([x, x], 0)),
        (lambda x: tf.split(1, 3, x)[2], lambda x: tf.split(x, 3, 1)[2]),
        (lambda x: tf.split(split_dim=0, num_split=2, value=x)[1], lambda x: tf.split(x, 2, 0)[1]),
        (lambda x: tf.pack([x, x]), lambda x: tf.stack([x, x])),
        (lambda x: tf.unpack(x)[1], lambda x: tf.unstack(x)[1]),
        (lambda x: tf.reverse(x, [False, True]), lambda x: tf.reverse(x, [1])),
        (lambda x: tf.listdiff(x[0], [1.0])[0], lambda x: tf.setdiff1d(x[0], [1.0])[0]),
    ],
)
def test_spellings_before_1_0(old, new):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(run(old, array)[0], run(new, array)[0])


@pytest.mark.parametrize(
    ("make_begin", "size", "expected"),
    [
        (lambda n: tf.stack([n, 0]), [-1, -1], [None, 8]),
        (lambda n: tf.stack([n, 3]), [-1, -1], [None, 5]),
        (lambda n: tf.stack([n, 2]), [2, -1], [2, 6]),
        # -1 as a beginning is a size that is not known.
        (lambda n: [-1, 0], [-1, -1], [None, 8]),
    ],
)
def test_slices_that_begin_at_places_known_in_part(make_begin, size, expected):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [4, 8])
        assert tf.slice(x, make_begin(tf.placeholder(tf.int32, [])), size).shape.as_list() == expected


def test_slices_that_begin_before_the_first_element_are_refused():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Invalid value in tensor used for shape: -2"):
        tf.slice(tf.placeholder(tf.float32, [4, 8]), [-2, 0], [-1, -1])
