"""Student's t-distributions of the elements of vectors, and the dimensions of samples, batches and events."""

import math

import numpy as np
import pytest

import headrace as tf
from headrace.distributions.event_matrices import EventMatrices
from headrace.distributions.vector_student_t import _VectorStudentT


def run(value):
    with tf.Session() as sess:
        return sess.run(value)


def density(df, loc, scale, x):
    """The density of its definition: one normalization for each element."""
    scale = np.asarray(scale)
    y = np.linalg.solve(scale, np.subtract(x, loc))
    per_element = math.sqrt(df * math.pi) * math.gamma(df / 2) / math.gamma((df + 1) / 2)
    parts = (1 + y**2 / df) ** (-0.5 * (df + 1)) / per_element
    return np.prod(parts) / abs(np.linalg.det(scale))


def test_the_density():
    triangle = [[1.0, 0.0], [0.5, 2.0]]
    one = _VectorStudentT(3.0, [1.0, -1.0], scale_tril=triangle)
    assert (one.batch_shape.as_list(), one.event_shape.as_list()) == ([], [2])
    assert run(one.prob([0.5, 1.0])) == pytest.approx(density(3.0, [1.0, -1.0], triangle, [0.5, 1.0]), rel=1e-5)
    assert run(one.sample(5, seed=1)).shape == (5, 2)


def test_the_batch_of_the_map_is_drawn_for():
    many = _VectorStudentT(3.0, [[1.0, -1.0], [0.0, 0.0]], scale_diag=[2.0, 2.0])
    assert many.batch_shape.as_list() == [2]
    drawn = run(many.sample(4, seed=3))
    assert drawn.shape == (4, 2, 2)
    # The members of the batch are drawn by themselves.
    assert not np.allclose(drawn[:, 0] - [1.0, -1.0], drawn[:, 1])
    assert run([many.df, many.loc])[0] == 3.0
    assert many.scale.shape.as_list() == [2, 2]


@pytest.mark.parametrize("known", [True, False])
def test_which_dimensions_are_which(known):
    values = np.arange(24.0).reshape(4, 3, 2)
    give = (lambda value: value) if known else (lambda value: tf.placeholder_with_default(value, None))
    dims = EventMatrices(give(1), give(1), name="dims")
    x = tf.constant(values) if known else give(values)
    assert [run(part).tolist() for part in dims.get_dims(x)] == [[0], [1], [2]]
    assert [run(part).tolist() for part in dims.get_shape(x)] == [[4], [3], [2]]
    assert run([dims.get_ndims(x), dims.get_sample_ndims(x)]) == [3, 1]
    assert (dims.name, dims.validate_args) == ("dims", False)
    matrices, sample_shape = dims.make_batch_of_event_sample_matrices(x)
    np.testing.assert_array_equal(run(matrices), values.transpose(1, 2, 0))
    np.testing.assert_array_equal(run(dims.undo_make_batch_of_event_sample_matrices(matrices, sample_shape)), values)


def test_numbers_of_dimensions_are_checked():
    with pytest.raises(ValueError, match="batch_ndims cannot be None"):
        EventMatrices()
    with pytest.raises(ValueError, match="cannot be negative"):
        EventMatrices(-1, 0)
    with pytest.raises(TypeError, match="is not"):
        EventMatrices(1.0, 0)
    with pytest.raises(ValueError, match=r"is not 0 \(scalar\)"):
        EventMatrices([1], 0)
    with pytest.raises(ValueError, match=r"batch_ndims\(3\) \+ event_ndims\(2\) <= ndims\(4\)"):
        EventMatrices(3, 2).get_sample_ndims(tf.zeros([1, 1, 1, 1]))


def test_events_of_ordered_vectors_have_one_dimension():
    ordered = tf.contrib.distributions.bijectors.Ordered()
    assert ordered.forward_event_shape(tf.TensorShape([4, 3])).as_list() == [3]
    assert ordered.inverse_event_shape(tf.TensorShape([4, 3])).as_list() == [3]
    assert run(ordered.forward_event_shape_tensor([4, 3])).tolist() == [3]
    assert ordered.forward_event_shape(tf.TensorShape(None)).ndims is None


def test_the_scope_of_absolute_values_is_opened_twice():
    assert (
        tf.contrib.distributions.bijectors.AbsoluteValue().forward([1.0]).name.startswith("absolute_value_1/forward/")
    )
