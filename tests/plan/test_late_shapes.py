"""Inputs of which a graph knows no rank: what their shape rules refuse is refused in the step, as the kernels of 1.15 do."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.registry import raw

REFUSED = {
    "axis of ArgMax": (raw.ArgMax, [np.float32([[1, 2]]), np.int32([0])], {}),
    "axis of GatherV2": (raw.GatherV2, [np.float32([1, 2]), np.int32([0]), np.int32([0])], {}),
    "number of bins": (raw.HistogramFixedWidth, [np.float32([1]), np.float32([0, 5]), np.int32([3])], {}),
    "end of a range": (raw.Range, [np.int32(0), np.int32([3]), np.int32(1)], {}),
    "basename": (raw.ShardedFilename, [np.array([b"a"], object), np.int32(0), np.int32(2)], {}),
    "shapes that differ": (raw.Betainc, [np.ones([2, 3]), np.ones([1, 2, 3]), np.ones([2, 3])], {}),
    "crops": (raw.BatchToSpace, [np.zeros([4, 1, 1, 1], np.float32), np.zeros([2, 3], np.int32)], {"block_size": 2}),
    "one axis for two shifts": (raw.Roll, [np.float32([1, 2]), np.int32([[1]]), np.int32([0])], {}),
}


def run(apply, values, attrs):
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.placeholder(value.dtype if value.dtype != object else tf.string) for value in values]
        return session.run(apply(*inputs, **attrs), dict(zip(inputs, values, strict=True)))


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit(case):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(*REFUSED[case])


def test_what_fits():
    assert run(raw.ArgMax, [np.float32([[1, 2]]), np.int32(1)], {}).tolist() == [1]
    assert run(raw.Range, [np.int32(0), np.int32(3), np.int32(1)], {}).tolist() == [0, 1, 2]


def test_a_kernel_says_more_than_the_shape_rule():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected dimension in the range"):
        run(raw.ArgMax, [np.float32([[1, 2]]), np.int32(7)], {})


def test_one_number_in_a_vector_passes_where_it_does_in_1_15():
    found = run(raw.FakeQuantWithMinMaxVars, [np.float32([0.5]), np.float32([0]), np.float32(1)], {})
    np.testing.assert_allclose(found, [0.5], atol=0.01)
