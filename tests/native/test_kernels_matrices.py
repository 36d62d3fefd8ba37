"""Instructions on small matrices, and the loops that they are in: filters, and what their gradients need."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest

import headrace as tf
from headrace import native
from headrace.native.program import Builder, RegionFailure
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without
from headrace.plan.region_kernel import NativeRegion

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no native runner")


def run(name, ints, *inputs):
    b = Builder()
    ids = [b.input(value.dtype.name, (None,) * value.ndim) for value in inputs]
    results = b.build(list(b.apply(name, ids, ints))).run(inputs, ())
    return None if results is None else results[0]


def matrices(random, kind, *shape):
    return random.randn(*shape).astype(kind)


def positive(random, kind, *shape):
    a = random.randn(*shape)
    return (a @ np.swapaxes(a, -1, -2) + np.eye(shape[-1])).astype(kind)


def close(found, expected, kind):
    tolerance = 2e-3 if kind == "float32" else 1e-9
    assert found.dtype == kind
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (5, 5), (3, 4, 4), (2, 0, 3, 3), (0, 0)], ids=str)
@pytest.mark.parametrize("turned", [0, 1])
def test_inverses_and_solutions(shape, kind, turned):
    random = np.random.RandomState(sum(shape))
    a = matrices(random, kind, *shape)
    as_written = np.swapaxes(a, -1, -2) if turned else a
    close(run("matrix_inverse", [turned], a), np.linalg.inv(as_written), kind)
    for columns in (0, 1, 3):
        b = matrices(random, kind, *shape[:-1], columns)
        close(run("matrix_solve", [turned], a, b), np.linalg.solve(as_written, b), kind)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1, 1), (4, 4), (2, 3, 3)], ids=str)
def test_factors(shape, kind):
    a = positive(np.random.RandomState(0), kind, *shape)
    close(run("cholesky", [], a), np.linalg.cholesky(a), kind)
    # What stands above the diagonal is not read.
    close(run("cholesky", [], np.tril(a)), np.linalg.cholesky(a), kind)


@pytest.mark.parametrize("lower", [0, 1])
@pytest.mark.parametrize("turned", [0, 1])
def test_triangular_systems(lower, turned):
    random = np.random.RandomState(lower + 2 * turned)
    a = matrices(random, "float64", 2, 4, 4) + 4 * np.eye(4)
    b = matrices(random, "float64", 2, 4, 3)
    counted = np.tril(a) if lower else np.triu(a)
    expected = np.linalg.solve(np.swapaxes(counted, -1, -2) if turned else counted, b)
    close(run("triangular_solve", [turned, lower], a, b), expected, "float64")


@pytest.mark.parametrize(
    ("name", "ints", "a"),
    [
        ("matrix_inverse", [0], [[1.0, 2.0], [2.0, 4.0]]),
        ("matrix_inverse", [0], [[np.nan, 2.0], [2.0, 4.0]]),
        ("matrix_solve", [0], [[0.0, 0.0], [1.0, 1.0]]),
        ("triangular_solve", [0, 1], [[1.0, 0.0], [1.0, 0.0]]),
        ("cholesky", [], [[1.0, 2.0], [2.0, 1.0]]),
    ],
)
def test_what_has_no_result_stops_the_run(name, ints, a):
    inputs = [np.array(a)] + [np.ones((2, 1))] * name.endswith("solve")
    with pytest.raises(RegionFailure):
        run(name, ints, *inputs)


def test_sizes_that_do_not_fit_are_left_to_others():
    assert run("matrix_inverse", [0], np.ones((2, 3))) is None
    assert run("matrix_inverse", [0], np.ones(3)) is None
    assert run("matrix_solve", [0], np.eye(3), np.ones((2, 1))) is None


def test_a_factor_of_what_is_no_number():
    found = run("cholesky", [], np.array([[np.nan, 0.0], [1.0, 2.0]]))
    np.testing.assert_array_equal(found, [[np.nan, 0.0], [np.nan, np.nan]])


def both_ways(make):
    """Compares what fetches are, in regions alone and without any; the source of the plan with them."""

    def decline(region, arguments):
        raise AssertionError(f"{region.members[0].name} ran plainly")

    found = []
    for way in (contextlib.nullcontext(), without("native regions")):
        with (
            way,
            regions_from(1),
            tf.Graph().as_default(),
            tf.Session() as session,
            pytest.MonkeyPatch.context() as patched,
        ):
            fetches = make()
            session.run(tf.global_variables_initializer())
            if not found:
                patched.setattr(NativeRegion, "_run_plainly", decline)
            found.append(session.run(fetches))
            if not found[1:]:
                source = session.plan_for(fetches, []).source
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
    return source


def filtered():
    """The likelihood of a random walk that is measured, by the filter of Kalman (1960), and its gradient."""
    noise = tf.get_variable("noise", initializer=-1.0)
    moves, seen = tf.constant([[1.0, 1.0], [0.0, 1.0]]), tf.constant([[1.0, 0.0]])

    def step(state, measured):
        mean, spread, _ = state
        mean = tf.matmul(moves, mean)
        spread = tf.matmul(tf.matmul(moves, spread), moves, transpose_b=True) + tf.exp(noise) * tf.eye(2)
        expected = tf.matmul(tf.matmul(seen, spread), seen, transpose_b=True) + tf.eye(1)
        gain = tf.matmul(tf.matmul(spread, seen, transpose_b=True), tf.matrix_inverse(expected))
        error = tf.reshape(measured, [1, 1]) - tf.matmul(seen, mean)
        likelihood = -0.5 * (tf.log(expected[0, 0]) + error[0, 0] ** 2 / expected[0, 0])
        return mean + tf.matmul(gain, error), spread - tf.matmul(tf.matmul(gain, seen), spread), likelihood

    measured = tf.constant(np.cumsum(np.random.RandomState(0).randn(6, 1), 0), tf.float32)
    means, _, likelihoods = tf.scan(step, measured, (tf.zeros([2, 1]), tf.eye(2), tf.zeros([])))
    loss = -tf.reduce_sum(likelihoods)
    return [means, loss, tf.gradients(loss, noise)[0]]


def of_a_process():
    """The likelihood of a Gaussian process by Cholesky's factor, as in Rasmussen and Williams, algorithm 2.1."""
    width = tf.get_variable("width", initializer=0.7)
    x = tf.constant(np.linspace(0, 1, 5), tf.float32)
    covariance = tf.exp(-tf.square(x[:, None] - x) / width) + 0.1 * tf.eye(5)
    factor = tf.cholesky(covariance)
    y = tf.constant(np.random.RandomState(1).randn(5, 1), tf.float32)
    half = tf.matrix_triangular_solve(factor, y)
    loss = 0.5 * tf.reduce_sum(half**2) + tf.reduce_sum(tf.log(tf.matrix_diag_part(factor)))
    return [loss, tf.gradients(loss, width)[0]]


def banded():
    x = tf.get_variable("x", initializer=np.random.RandomState(2).randn(2, 4, 4).astype("float32"))
    parts = [tf.matrix_band_part(x, 1, 0), tf.matrix_band_part(x, -1, 0), tf.matrix_band_part(x[:, :3], 0, 2)]
    diagonal = tf.matrix_diag_part(x)
    parts += [
        diagonal,
        tf.matrix_diag_part(x[:, 1:]) + tf.matrix_diag_part(x[..., 1:]),
        tf.matrix_diag(diagonal),
        tf.matrix_set_diag(x, tf.exp(diagonal)),
    ]
    return [*parts, tf.gradients([tf.reduce_sum(part**2) for part in parts], x)[0]]


@pytest.mark.parametrize("make", [filtered, of_a_process, banded])
def test_in_regions(make):
    assert not re.findall(r"(?:Matrix\w*|Cholesky)_\d+\(", both_ways(make))


def test_counts_of_pairs():
    def counted():
        labels, found = tf.constant([0, 2, 1, 2], tf.int64), tf.constant([1, 2, 1, 0], tf.int64)
        weights = tf.get_variable("weights", initializer=[1.0, 0.5, 2.0, 1.0])
        return [tf.confusion_matrix(labels, found, 3, weights=weights * 2.0, dtype=tf.float32) + 1.0]

    assert "SparseTensorDenseAdd" not in both_ways(counted)
