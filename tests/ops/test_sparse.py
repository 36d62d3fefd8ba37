"""Sparse ops against the dense ones: the same numbers whatever is stored where; sizes TensorFlow cannot hold; slopes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

QUICK = settings(max_examples=40, deadline=None)


@st.composite
def sparse_matrices(draw, min_side=1):
    """A dense matrix and which of its elements are stored; the others are 0."""
    shape = draw(st.tuples(st.integers(min_side, 5), st.integers(min_side, 5)))
    random = np.random.RandomState(draw(st.integers(0, 10_000)))
    stored = random.uniform(size=shape) < draw(st.sampled_from([0.0, 0.3, 1.0]))
    return np.where(stored, random.normal(size=shape), 0.0), stored


def sparse(matrix, stored):
    indices = np.argwhere(stored)
    return tf.SparseTensor(indices.reshape(-1, 2), tf.constant(matrix[stored]), matrix.shape)


def run(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


def same(make, expected):
    np.testing.assert_allclose(run(make), expected, rtol=1e-12, atol=1e-12)


@QUICK
@given(sparse_matrices(), st.booleans(), st.booleans(), st.integers(1, 4))
def test_products_are_those_of_the_dense_matrix(case, adjoint_a, adjoint_b, width):
    matrix, stored = case
    left = matrix.T if adjoint_a else matrix
    b = np.random.RandomState(width).normal(size=(left.shape[1], width))
    given_b = b.T.copy() if adjoint_b else b
    same(lambda: tf.sparse.matmul(sparse(matrix, stored), given_b, adjoint_a, adjoint_b), left @ b)


@QUICK
@given(sparse_matrices(), st.sampled_from([None, 0, 1, -1, [0, 1], []]), st.booleans())
def test_sums_are_those_of_the_dense_matrix(case, axis, keepdims):
    matrix, stored = case
    expected = matrix if axis == [] else matrix.sum(axis if axis != [0, 1] else (0, 1), keepdims=keepdims)
    same(lambda: tf.sparse.reduce_sum(sparse(matrix, stored), axis, keepdims), expected)
    if isinstance(axis, int):
        same(lambda: tf.sparse.to_dense(tf.sparse.reduce_sum_sparse(sparse(matrix, stored), axis, keepdims)), expected)


@QUICK
@given(sparse_matrices(), st.integers(0, 1000))
def test_sums_and_extremes_of_two_are_those_of_the_dense_matrices(case, seed):
    matrix, stored = case
    random = np.random.RandomState(seed)
    kept = random.uniform(size=matrix.shape) < 0.5
    other = np.where(kept, random.normal(size=matrix.shape), 0.0)
    for function, expected in (
        (tf.sparse.add, matrix + other),
        (tf.sparse.maximum, np.maximum(matrix, other)),
        (tf.sparse.minimum, np.minimum(matrix, other)),
    ):
        same(lambda f=function: tf.sparse.to_dense(f(sparse(matrix, stored), sparse(other, kept))), expected)
    same(lambda: tf.sparse.add(sparse(matrix, stored), other), matrix + other)


@QUICK
@given(sparse_matrices(), st.data())
def test_parts_are_those_of_the_dense_matrix(case, data):
    matrix, stored = case
    rows, columns = matrix.shape
    dense = tf.sparse.to_dense
    same(lambda: dense(tf.sparse.transpose(sparse(matrix, stored))), matrix.T)
    same(lambda: dense(tf.sparse.reshape(sparse(matrix, stored), [-1, rows])), matrix.reshape(-1, rows))
    start = [data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))]
    size = [data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))]
    part = matrix[start[0] : start[0] + size[0], start[1] : start[1] + size[1]]
    same(lambda: dense(tf.sparse.slice(sparse(matrix, stored), start, size)), part)
    axis = data.draw(st.integers(0, 1))
    count = data.draw(st.integers(1, matrix.shape[axis]))
    for got, part in zip(
        run(lambda: [dense(p) for p in tf.sparse.split(sp_input=sparse(matrix, stored), num_split=count, axis=axis)]),
        np.array_split(matrix, count, axis),
        strict=True,
    ):
        np.testing.assert_array_equal(got, part)
    twice = np.concatenate([matrix, matrix], axis)
    same(lambda: dense(tf.sparse.concat(axis, [sparse(matrix, stored)] * 2)), twice)


@QUICK
@given(sparse_matrices(), st.randoms(use_true_random=False))
def test_the_order_of_elements_does_not_matter_to_reorder_and_fill(case, shuffler):
    matrix, stored = case
    indices, values = np.argwhere(stored).reshape(-1, 2), matrix[stored]
    order = list(range(len(values)))
    shuffler.shuffle(order)

    def shuffled():
        return tf.SparseTensor(indices[order], tf.constant(values[order]), matrix.shape)

    ordered = run(lambda: tf.sparse.reorder(shuffled()))
    np.testing.assert_array_equal(ordered.indices, indices)
    np.testing.assert_array_equal(ordered.values, values)
    filled, empty = run(lambda: tf.sparse.fill_empty_rows(shuffled(), 7.0))
    np.testing.assert_array_equal(empty, ~stored.any(1))
    assert (np.bincount(filled.indices[:, 0], minlength=len(matrix)) == np.maximum(stored.sum(1), 1)).all()
    assert (np.diff(filled.indices[:, 0]) >= 0).all()


def test_axes_may_be_longer_than_64_bits_together():
    indices = np.array([[2**60, 5, 7], [7, 2**60, 3]])

    def huge():
        x = tf.SparseTensor(indices, [1.0, 2.0], [2**61, 2**61, 2**61])
        y = tf.sparse.reorder(x)
        return [y, tf.sparse.add(y, y), tf.sparse.reduce_max_sparse(x, 2), tf.sparse.softmax(y)]

    ordered, twice, greatest, shares = run(huge)
    np.testing.assert_array_equal(ordered.indices, indices[::-1])
    np.testing.assert_array_equal(twice.indices, indices[::-1])
    np.testing.assert_array_equal(twice.values, [4.0, 2.0])
    np.testing.assert_array_equal(greatest.indices, indices[::-1, :2])
    np.testing.assert_array_equal(shares.values, [1.0, 1.0])


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("softmax", lambda x, b: tf.sparse.softmax(x).values),
        ("matmul", tf.sparse.matmul),
        ("times", lambda x, b: (x * b[:, 0]).values),
        ("over", lambda x, b: (x / b[:, 0]).values),
        ("sum", lambda x, b: tf.sparse.reduce_sum(x, 1)),
        ("add", lambda x, b: tf.sparse.add(x, tf.SparseTensor([[0, 0], [2, 1]], b[:2, 0], [4, 3])).values),
        ("add dense", lambda x, b: tf.sparse.add(x, tf.ones([4, 1], tf.float64) * b[:, 0])),
        ("fill", lambda x, b: tf.sparse.fill_empty_rows(x, b[0, 0])[0].values),
        ("slice", lambda x, b: tf.sparse.slice(x, [0, 0], [2, 3]).values),
    ],
)
def test_slopes_are_differences(name, make):
    random = np.random.RandomState(1)
    points = [random.uniform(1, 2, size=4), random.uniform(1, 2, size=[3, 2])]
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.constant(point) for point in points]
        x = tf.SparseTensor([[0, 0], [0, 2], [1, 0], [3, 1]], inputs[0], [4, 3])
        y = make(x, inputs[1])
        weights = random.normal(size=session.run(tf.shape(y)))
        total = tf.reduce_sum(y * weights)
        slopes = tf.gradients(total, inputs)
        directions = [random.normal(size=point.shape) for point in points]
        expected = sum(np.sum(session.run(s) * d) for s, d in zip(slopes, directions, strict=True) if s is not None)

        def at(step):
            moved = {i: p + step * d for i, p, d in zip(inputs, points, directions, strict=True)}
            return session.run(total, moved)

        assert (at(1e-5) - at(-1e-5)) / 2e-5 == pytest.approx(expected, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: tf.sparse.maximum(x, x).values,
        lambda x: tf.raw_ops.SparseDenseCwiseAdd(
            sp_indices=x.indices, sp_values=x.values, sp_shape=x.dense_shape, dense=[1.0]
        ),
        lambda x: tf.real(tf.sparse.matmul(tf.cast(x, tf.complex64), tf.ones([2, 1], tf.complex64))),
    ],
)
def test_what_has_no_gradient_says_so(make):
    with tf.Graph().as_default():
        values = tf.constant([1.0])
        y = make(tf.SparseTensor([[0, 1]], values, [2, 2]))
        with pytest.raises(NotImplementedError, match=r"radient"):
            tf.gradients(y, values)


def test_a_slice_beyond_the_end_is_empty():
    got = run(lambda: tf.sparse.slice(tf.SparseTensor([[0, 1]], [1.0], [2, 2]), [5, 0], [1, 2]))
    np.testing.assert_array_equal(got.dense_shape, [0, 2])
    assert got.indices.shape == (0, 2)


def test_sets_out_of_order_are_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
            session.run(tf.sets.size(x))
        np.testing.assert_array_equal(session.run(tf.sets.size(x, validate_indices=False)), [1, 1])


@settings(deadline=None, max_examples=10)
@given(st.data())
def test_sums_and_products_meet_those_of_dense_tensors(data):
    """Places far apart too, whose numbers do not fit 64 bits."""
    extent = data.draw(st.sampled_from([5, 2**40]))
    places = st.lists(st.tuples(*[st.integers(0, 4)] * 2), unique=True, max_size=12).map(sorted)
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as session:
        parts = []
        for drawn in (data.draw(places), data.draw(places)):
            indices = tf.placeholder_with_default(np.reshape(drawn, [-1, 2]).astype(np.int64), [None, 2])
            values = np.arange(1, len(drawn) + 1, dtype=np.float32)
            parts.append(tf.SparseTensor(indices * (extent // 5), values, [extent, extent]))
        total = tf.sparse_add(*parts)
        weight = tf.cast(tf.range(tf.size(total.values)), tf.float32)
        gradients = tf.gradients(total.values * weight, [part.values for part in parts])
        (rows, values, _), a, b, (of_a, of_b) = session.run([total, *parts, gradients])
    dense: dict = {}
    for part in (a, b):
        for place, value in zip(part.indices.tolist(), part.values.tolist(), strict=True):
            dense[tuple(place)] = dense.get(tuple(place), 0) + value
    assert [tuple(row) for row in rows.tolist()] == sorted(dense)
    assert values.tolist() == [dense[place] for place in sorted(dense)]
    rank = {place: i for i, place in enumerate(sorted(dense))}
    for part, gradient in ((a, of_a), (b, of_b)):
        assert gradient.tolist() == [rank[tuple(place)] for place in part.indices.tolist()]


@pytest.mark.parametrize("adjoint", [False, True])
@pytest.mark.parametrize("places", [[[0, 1], [2, 0]], [[2, 3], [0, 1], [0, 0], [0, 1]]], ids=["sorted", "unsorted"])
def test_products_with_dense_matrices(adjoint, places):
    dense = np.zeros([3, 4], np.float32)
    np.add.at(dense, tuple(np.transpose(places)), np.arange(1.0, len(places) + 1))
    b = np.arange(12, dtype=np.float32).reshape((3, 4) if adjoint else (4, 3))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.sparse_placeholder(tf.float32)
        y = tf.sparse_tensor_dense_matmul(x, b, adjoint_a=adjoint)
        values = np.arange(1.0, len(places) + 1)
        got = session.run(y, {x: (places, values, [3, 4])})
        np.testing.assert_array_equal(got, (dense.T if adjoint else dense) @ b)
        letter = "m" if adjoint else "k"
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{letter} \(-1\) from index\[1,1\] out of bounds"):
            session.run(y, {x: ([[0, 0], [1, -1]], [1.0, 2.0], [3, 4])})


# By columns, as SciPy gives the product of matrices: a graph's adjacency often comes so.
_BY_COLUMNS = [[0, 0], [2, 0], [1, 1], [0, 2], [1, 2], [2, 2], [0, 1]]


def _out_of_order(values=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)):
    return tf.SparseTensor(_BY_COLUMNS, tf.constant(values), [3, 4])


def _other_out_of_order():
    return tf.SparseTensor([[0, 0], [1, 1], [0, 2], [0, 1]], tf.constant([10.0, 20.0, 30.0, 40.0]), [3, 4])


_MERGED = [[0, 0], [1, 1], [0, 2], [0, 1], [2, 0], [1, 1], [0, 2], [1, 2], [2, 2], [0, 1]]


@pytest.mark.parametrize(
    ("make", "places", "values"),
    [
        (lambda a, b: tf.sparse_add(a, b), _MERGED, [11.0, 20.0, 30.0, 40.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        (lambda a, b: tf.sparse_add(a, b, 12.0), _MERGED[1:], [20.0, 30.0, 40.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        (lambda a, b: tf.sparse_add(a, a), _BY_COLUMNS, [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0]),
        (lambda a, b: tf.sparse_maximum(a, b), _MERGED, [10.0, 20.0, 30.0, 40.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        (lambda a, b: tf.sparse_minimum(a, b), _MERGED, [1.0] + [0.0] * 9),
    ],
)
def test_places_out_of_order_are_merged_as_they_come(make, places, values):
    """What 1.15.5 gives."""
    with tf.Session() as sess:
        found = sess.run(make(_out_of_order(), _other_out_of_order()))
    assert found.indices.tolist() == places
    assert found.values.tolist() == values


def test_repeated_places_stay_apart_in_sums():
    """What 1.15.5 gives: each of the one meets at most one of the other."""
    a = tf.SparseTensor([[0, 1], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    b = tf.SparseTensor([[0, 1], [1, 0]], [10.0, 20.0], [2, 2])
    with tf.Session() as sess:
        found = sess.run(tf.sparse_add(a, b))
    assert found.indices.tolist() == [[0, 1], [0, 1], [1, 0]]
    assert found.values.tolist() == [11.0, 2.0, 23.0]


def test_a_softmax_of_places_out_of_order_has_its_values_in_order():
    """As in 1.15.5, which gives the places as they were all the same."""
    rows = [np.array([1.0, 7.0, 4.0]), np.array([3.0, 5.0]), np.array([2.0, 6.0])]
    expected = np.concatenate([np.exp(row) / np.exp(row).sum() for row in rows])
    with tf.Session() as sess:
        found = sess.run(tf.sparse_softmax(_out_of_order()))
    assert found.indices.tolist() == _BY_COLUMNS
    np.testing.assert_allclose(found.values, expected, rtol=1e-5)


def test_gradients_of_sums_out_of_order_go_where_the_sums_came_from():
    """What 1.15.5 gives, also for a place that comes twice because the two did not meet there."""
    a = tf.SparseTensor([[0, 0], [2, 0], [1, 1]], tf.constant([1.0, 2.0, 3.0]), [3, 4])
    b = tf.SparseTensor([[0, 0], [1, 1], [0, 2]], tf.constant([10.0, 20.0, -30.0]), [3, 4])
    total = tf.sparse_add(a, b)
    gradients = tf.gradients(total.values * [1.0, 2.0, 3.0, 4.0, 5.0], [a.values, b.values])
    with tf.Session() as sess:
        (values, of_a, of_b) = sess.run([total.values, *gradients])
    assert values.tolist() == [11.0, 20.0, -30.0, 2.0, 3.0]
    assert of_a.tolist() == [1.0, 4.0, 5.0]
    assert of_b.tolist() == [1.0, 2.0, 3.0]
