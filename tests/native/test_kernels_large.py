"""Direct calls for clusters, forests, cross-entropies and large products, beside arithmetic and the kernels in Python."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.contrib.tensor_forest import forest
from headrace.core.registry import raw
from headrace.kernels.math import segments
from headrace.kernels.nn.entropies import at_once
from headrace.native import direct as native_direct
from headrace.native import loading

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


def in_python(monkeypatch):
    monkeypatch.setattr(loading, "why_not", lambda: "a test wants the kernels in Python")


def nearest(points, centers):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(raw.NearestNeighbors(tf.constant(points), tf.constant(centers), 1))


@pytest.mark.parametrize(
    ("points", "width", "centers"), [(1000, 64, 32), (17, 3, 5), (9001, 7, 33), (64, 100, 100), (5, 1, 1), (0, 4, 2)]
)
def test_the_nearest_center_is_that_of_exact_distances(points, width, centers):
    state = np.random.RandomState(width)
    x = state.randn(points, width).astype(np.float32)
    c = state.randn(centers, width).astype(np.float32)
    squares = ((x[:, None].astype(np.float64) - c) ** 2).sum(2)
    indices, distances = nearest(x, c)
    np.testing.assert_array_equal(indices[:, 0], squares.argmin(1))
    np.testing.assert_allclose(distances[:, 0], squares.min(1), rtol=1e-4, atol=1e-4)


def test_the_first_of_equal_centers_wins_and_of_none(monkeypatch):
    x = np.random.RandomState(0).randn(40, 20).astype(np.float32)
    x[3, 2], x[5, 0], x[6, 1] = np.nan, np.inf, -np.inf
    centers = np.repeat(x[10:13], 15, axis=0)
    made = nearest(x, centers)
    assert made[0][10:13, 0].tolist() == [0, 15, 30]
    in_python(monkeypatch)
    expected = nearest(x, centers)
    np.testing.assert_array_equal(made[0], expected[0])
    np.testing.assert_allclose(made[1], expected[1], rtol=1e-5, atol=1e-5)


def test_a_center_that_is_no_number(monkeypatch):
    x = np.random.RandomState(0).randn(40, 20).astype(np.float32)
    centers = x[:4].copy()
    centers[1, 1], centers[2, 2] = np.nan, np.inf
    made = nearest(x, centers)
    in_python(monkeypatch)
    np.testing.assert_array_equal(made[0], nearest(x, centers)[0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 70), st.integers(1, 40), st.integers(1, 70), st.randoms(use_true_random=False))
def test_the_nearest_of_centers_on_a_lattice(points, width, count, random):
    # Small integers are exact, and many of their distances are equal.
    state = np.random.RandomState(random.randrange(2**31))
    x, c = (state.randint(-2, 3, (rows, width)).astype(np.float32) for rows in (points, count))
    squares = ((x[:, None] - c) ** 2).sum(2)
    indices, distances = nearest(x, c)
    np.testing.assert_array_equal(indices[:, 0], squares.argmin(1))
    np.testing.assert_array_equal(distances[:, 0], squares.min(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [0, 1, 500, 30000, 70001])
def test_sums_of_segments(dtype, rows):
    state = np.random.RandomState(rows)
    data, ids = state.randint(-9, 9, (rows, 40)).astype(dtype), state.randint(0, 6, rows)
    expected = np.zeros((7, 40), dtype)
    np.add.at(expected, ids, data)
    made = segments.combined("Sum", torch.from_numpy(data), torch.from_numpy(ids), 7)
    np.testing.assert_array_equal(made.numpy(), expected)


@pytest.mark.parametrize("last", [-1, 7])
def test_sums_of_segments_that_are_not_there(last):
    data, ids = torch.ones(70001, 40), torch.zeros(70001, dtype=torch.int64)
    ids[-1] = last
    assert segments._sums_in_cache(data, ids, 7) is None


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_whole_numbers_wrap(dtype):
    most = np.iinfo(dtype).max
    with tf.Graph().as_default(), tf.Session() as session:
        made = session.run(tf.unsorted_segment_sum(np.array([most, 3, 1, 5], dtype), [1, 0, 1, -1], 3))
    assert made.dtype == dtype
    assert made.tolist() == [3, np.iinfo(dtype).min, 0]


@pytest.mark.parametrize(
    ("inner", "rows", "columns"),
    [(100, 784, 128), (101, 785, 255), (64, 67, 47), (33, 301, 97), (1, 500, 300), (7, 700, 16)],
)
def test_products_of_a_turned_matrix(inner, rows, columns):
    state = np.random.RandomState(inner)
    a, b = state.randn(inner, rows).astype(np.float32), state.randn(inner, columns).astype(np.float32)
    total = state.randn(rows, columns).astype(np.float32)
    exact = a.T.astype(np.float64) @ b
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, v = tf.placeholder(tf.float32, a.shape), tf.placeholder(tf.float32, b.shape), tf.Variable(total)
        made = tf.matmul(x, y, transpose_a=True)
        moved = tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.matmul(x, y, transpose_a=True), v)])
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(made, {x: a, y: b}), exact, rtol=1e-4, atol=1e-4)
        session.run(moved, {x: a, y: b})
        np.testing.assert_allclose(session.run(v), total - 0.5 * exact, rtol=1e-4, atol=1e-4)


def entropies_of(logits, labels):
    """The loss of each row and its derivative, in doubles; labels as a distribution."""
    above = logits.astype(np.float64) - logits.max(1, keepdims=True)
    shares = np.exp(above) / np.exp(above).sum(1, keepdims=True)
    return -(labels * (above - np.log(np.exp(above).sum(1, keepdims=True)))).sum(1), shares - labels


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(640, 1000), (3, 70000), (17, 5), (1, 1)])
def test_cross_entropies(dtype, sizes):
    state = np.random.RandomState(sizes[0])
    logits = (state.randn(*sizes) * 5).astype(dtype)
    classes = state.randint(0, sizes[1], sizes[0])
    chances = state.dirichlet(np.ones(sizes[1]), sizes[0]).astype(dtype)
    x = torch.from_numpy(logits)
    close = {"rtol": 1e-4, "atol": 1e-5} if dtype is np.float32 else {"rtol": 1e-10, "atol": 1e-12}
    certain = np.zeros(sizes)
    certain[np.arange(sizes[0]), classes] = 1

    def otherwise(*_):
        raise AssertionError("the runner has declined")

    for labels, dense in ((classes, certain), (classes.astype(np.int32), certain), (chances, chances)):
        made = at_once(otherwise)(x, torch.from_numpy(labels))
        for found, expected in zip(made, entropies_of(logits, dense), strict=True):
            np.testing.assert_allclose(found.numpy(), expected, **close)


@pytest.mark.parametrize("rows", [4, 2000])
def test_labels_that_are_no_class_are_refused(rows):
    labels = np.zeros(rows, np.int32)
    labels[-1] = 100
    with tf.Graph().as_default(), tf.Session() as session:
        classes = tf.placeholder(tf.int32, [None])
        logits = tf.random_normal(tf.stack([tf.size(classes), 100]))
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=logits)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"label value of 100 .* outside the valid range of .0, 100"
        ):
            session.run(loss, {classes: labels})
        assert session.run(loss, {classes: labels % 100}).shape == (rows,)


def grown(settings):
    state = np.random.RandomState(1)
    values = np.round(state.randn(300, 8), 1).astype(np.float32)
    labels = (np.arange(300) % settings["num_classes"]).astype(np.float32)
    params = forest.ForestHParams(num_features=8, num_trees=2, base_random_seed=3, split_after_samples=15, **settings)
    params.checkpoint_stats = True
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32, [None, 8]), tf.placeholder(tf.float32, [None])
        graphs = forest.RandomForestGraphs(params.fill())
        train = graphs.training_graph(x, y)
        about = {"params": params.serialized_params_proto}
        trees = [raw.TreeSerialize(tree.variables.tree) for tree in graphs.trees]
        stats = [raw.FertileStatsSerialize(tree.variables.stats, **about) for tree in graphs.trees]
        leaves = graphs.inference_graph(x)[0]
        session.run(tf.global_variables_initializer())
        session.run([resource.create for resource in tf.get_collection("resources")])
        history = []
        for _ in range(6):
            session.run(train, {x: values, y: labels})
            history.append(session.run([trees, stats, leaves], {x: values}))
    return history


@pytest.mark.parametrize(
    "settings",
    [
        {"num_classes": 3},
        {"num_classes": 9},
        {"num_classes": 3, "split_name": "less"},
        {"num_classes": 3, "collate_examples": True},
        {"num_classes": 3, "max_nodes": 9},
        {"num_classes": 1, "regression": True},
    ],
    ids=str,
)
def test_forests_grow_alike(settings, monkeypatch):
    made = grown({"max_nodes": 100, **settings})
    in_python(monkeypatch)
    agree(made, grown({"max_nodes": 100, **settings}))


def agree(made, expected):
    for one, other in zip(made, expected, strict=True):
        assert one[:2] == other[:2]
        np.testing.assert_array_equal(one[2], other[2])


def largest_plainly(x, window, stride, padding):
    """The largest number of each window that reaches into the images, by loops."""
    sizes = x.shape[1:3]
    if padding == "SAME":
        counts = [-(-size // step) for size, step in zip(sizes, stride)]
        totals = [max((n - 1) * step + w - size, 0) for n, step, w, size in zip(counts, stride, window, sizes)]
    else:
        counts = [(size - w) // step + 1 for size, w, step in zip(sizes, window, stride)]
        totals = [0, 0]
    out = np.full([len(x), *counts, x.shape[3]], np.finfo(x.dtype).min, x.dtype)
    for place in np.ndindex(*counts):
        begins = [at * step - total // 2 for at, step, total in zip(place, stride, totals)]
        rows, columns = (slice(max(begin, 0), begin + w) for begin, w in zip(begins, window))
        here = x[:, rows, columns]
        # A number takes the place of the one before only where it is greater.
        lowest = np.finfo(x.dtype).min
        out[:, place[0], place[1]] = np.where(here >= lowest, here, lowest).max((1, 2))
    return out


@settings(deadline=None)
@given(
    dtype=st.sampled_from([np.float32, np.float64]),
    shape=st.tuples(*map(st.integers, (0, 1, 1, 0), (3, 9, 9, 70))),
    window=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.sampled_from(["SAME", "VALID"]),
    seed=st.integers(0, 2**16),
)
def test_the_largest_of_windows(dtype, shape, window, stride, padding, seed):
    assume(padding == "SAME" or all(size >= w for size, w in zip(shape[1:3], window)))
    state = np.random.RandomState(seed)
    x = state.randint(-4, 5, shape).astype(dtype)
    x[state.rand(*shape) < 0.2] = np.nan
    x[state.rand(*shape) < 0.1] = -np.inf
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(dtype, [None] * 4)
        pooled = tf.nn.max_pool(images, [1, *window, 1], [1, *stride, 1], padding)
        made = session.run(pooled, {images: x})
    np.testing.assert_array_equal(made, largest_plainly(x, window, stride, padding))


def test_the_largest_of_windows_on_threads():
    x = np.random.RandomState(0).randn(8, 40, 40, 96).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        made = session.run(tf.nn.max_pool(tf.constant(x), 3, 1, "SAME"))
    np.testing.assert_array_equal(made, largest_plainly(x, (3, 3), (1, 1), "SAME"))


def test_only_what_the_windows_fit_is_written():
    pool = native_direct.direct_call("largest_of_windows")
    images, out = torch.zeros(2, 4, 4, 3), torch.ones(2, 2, 2, 3)
    geometry = (2, 2, 2, 2, 0, 0)
    for wrong in (torch.ones(2, 2, 2, 4), torch.ones(3, 2, 2, 3), out.double(), out.permute(0, 3, 1, 2), out[0]):
        assert pool(images, wrong, *geometry, 1) is None
    assert out.eq(1).all()
    assert pool(images, out, *geometry, 1) is True
    assert out.eq(0).all()
