"""Small convolutions as native instructions, beside those of PyTorch: all settings, and what they leave to PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = [
    pytest.mark.usefixtures("legal_graphs"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]

_CONVOLUTIONS = {"Conv2D", "_Conv2DBias", "Conv2DBackpropInput", "Conv2DBackpropFilter"}


def steps(session, fetches, feed):
    """The convolutions of a plan, those in regions and the others."""
    plan = session.plan_for(fetches, list(feed))
    inside = {node for region in plan.regions for node in region.members}
    found = [node for node in plan.nodes if node.type in _CONVOLUTIONS]
    return [node for node in found if node in inside], [node for node in found if node not in inside]


def both_ways(make, *given):
    """A convolution with its gradients, natively and by PyTorch; how many convolutions were native."""
    results, counts = [], []
    for context in (regions_from(1), without("native regions")):
        with context, tf.Graph().as_default(), tf.Session() as session:
            inputs, fetches = make()
            feed = dict(zip(inputs, given, strict=True))
            results.append(session.run(fetches, feed))
            counts.append([len(nodes) for nodes in steps(session, fetches, feed)])
    for one, other in zip(*results, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        # Sums of some hundred products, taken in another order.
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
    assert counts[1][0] == 0
    return counts[0]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_convolutions_and_their_gradients(data):
    draw = data.draw
    batch, height, width, channels, results = (draw(st.integers(1, top)) for top in (3, 7, 7, 3, 4))
    window = [draw(st.integers(1, 4)), draw(st.integers(1, 4))]
    strides = draw(st.sampled_from([[1, 1, 1, 1], [1, 2, 1, 1], [1, 2, 3, 1]]))
    dilations = draw(st.sampled_from([[1, 1, 1, 1], [1, 2, 1, 1]])) if strides == [1, 1, 1, 1] else [1, 1, 1, 1]
    padding = draw(st.sampled_from(["SAME", "VALID", [[0, 0], [1, 0], [0, 2], [0, 0]]]))
    spare = [1, 2] if isinstance(padding, list) else [0, 0]
    reach = [(size - 1) * step + 1 for size, step in zip(window, dilations[1:3], strict=True)]
    assume(padding == "SAME" or (height + spare[0] >= reach[0] and width + spare[1] >= reach[1]))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    batch_is_known, biased = draw(st.booleans()), draw(st.booleans())
    random = np.random.RandomState(draw(st.integers(0, 1000)))
    images = random.normal(size=(batch, height, width, channels)).astype(dtype)
    weights = random.normal(size=(*window, channels, results)).astype(dtype)

    def make():
        x = tf.placeholder(dtype, [batch if batch_is_known else None, height, width, channels])
        filters = tf.placeholder(dtype, weights.shape)
        y = tf.nn.conv2d(x, filters, strides, padding, dilations=dilations)
        y = tf.nn.bias_add(y, tf.ones([results], dtype)) if biased else y
        return [x, filters], [y, *tf.gradients(tf.sin(y), [x, filters])]

    taken, left = both_ways(make, images, weights)
    assert taken + left == 3
    # Paddings wider than windows are PyTorch's.
    if isinstance(padding, str):
        assert left == 0


def test_a_batch_that_grows_and_an_empty_one():
    random = np.random.RandomState(0)
    x, filters = tf.placeholder(tf.float32, [None, 6, 6, 2]), tf.placeholder(tf.float32, [3, 3, 2, 4])
    y = tf.nn.relu(tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME"))
    fetches = [y, *tf.gradients(y, [x, filters])]
    weights = random.normal(size=(3, 3, 2, 4)).astype(np.float32)
    with tf.Session() as natively, tf.Session() as plainly:
        # The last is more than instructions serve for.
        for count in (1, 5, 0, 2, 200):
            feed = {x: random.normal(size=(count, 6, 6, 2)), filters: weights}
            with regions_from(1):
                found = natively.run(fetches, feed)
            with without("native regions"):
                expected = plainly.run(fetches, feed)
            for one, other in zip(found, expected, strict=True):
                assert one.shape == other.shape
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("shape", "window"),
    [((1, 9, 9, 4), (3, 3, 2, 4)), ((32, 28, 28, 1), (3, 3, 1, 8)), ((1, 64, 64, 16), (3, 3, 16, 16))],
    ids=["groups", "many windows", "much work"],
)
def test_what_stays_with_pytorch(shape, window):
    x, filters = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, window)
    y = tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME")
    with regions_from(1), tf.Session() as session:
        taken, left = steps(session, [y], [x, filters])
    assert (len(taken), len(left)) == (0, 1)
