"""What the oracle cannot say of convolutions and pools: it has channels last only, no groups, and always a true maximum."""

from __future__ import annotations

import numpy as np
import pytest

from headrace.autodiff.gradients import gradients
from headrace.core.graph import Graph
from headrace.core.registry import raw
from headrace.ops.array.constant import constant, placeholder
from headrace.runtime.session import Session

RANDOM = np.random.RandomState(4)
IMAGES = RANDOM.normal(size=[2, 7, 8, 4])
FILTERS = RANDOM.normal(size=[3, 2, 4, 3])
WINDOW = [1, 3, 2, 1]
SECOND = (0, 3, 1, 2)

OPS = {
    "Conv2D": lambda x, **k: raw.Conv2D(x, FILTERS, **k),
    "DepthwiseConv2dNative": lambda x, **k: raw.DepthwiseConv2dNative(x, FILTERS, **k),
    "MaxPool": lambda x, ksize, **k: raw.MaxPool(x, ksize=ksize, **k),
    "AvgPool": lambda x, ksize, **k: raw.AvgPool(x, ksize=ksize, **k),
}


def run(make, image, **settings):
    """The value of an op and the gradient of the sum of its squares."""
    with Graph().as_default():
        x = constant(image)
        y = make(x, **settings)
        return Session().run([y, gradients(raw.Square(y), x)[0]])


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("name", OPS)
def test_channels_second_is_channels_last_transposed(name, stride, padding):
    ksize = {"ksize": WINDOW} if "Pool" in name else {}
    strides = [1, stride, stride, 1]
    last = run(OPS[name], IMAGES, strides=strides, padding=padding, **ksize)
    settings = {"strides": [strides[0], strides[3], *strides[1:3]], "data_format": "NCHW", "padding": padding}
    if ksize:
        settings["ksize"] = [1, 1, 3, 2]
    second = run(OPS[name], IMAGES.transpose(SECOND), **settings)
    for one, other in zip(last, second, strict=True):
        np.testing.assert_allclose(one.transpose(SECOND), other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_groups_are_convolutions_of_their_channels(padding):
    filters = RANDOM.normal(size=[3, 3, 2, 6])
    settings = {"strides": [1, 2, 2, 1], "padding": padding}
    whole = run(lambda x, **k: raw.Conv2D(x, filters, **k), IMAGES, **settings)
    parts = [
        run(lambda x, f=filters[..., 3 * i : 3 * i + 3], **k: raw.Conv2D(x, f, **k), image, **settings)
        for i, image in enumerate(np.split(IMAGES, 2, axis=3))
    ]
    for i in (0, 1):
        np.testing.assert_allclose(whole[i], np.concatenate([part[i] for part in parts], 3), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dilation", [2, 3])
def test_gradients_of_dilated_convolutions_agree_with_differences(dilation):
    with Graph().as_default():
        x, w = placeholder("float64", [2, 7, 8, 4]), placeholder("float64", [3, 2, 4, 3])
        y = raw.Conv2D(x, w, strides=[1, 1, 1, 1], padding="SAME", dilations=[1, dilation, dilation, 1])
        total = raw.Sum(raw.Square(y), [0, 1, 2, 3])
        slopes = gradients(total, [x, w])
        session = Session()
        found = session.run(slopes, {x: IMAGES, w: FILTERS})
        for i, tensor in enumerate((x, w)):
            feed = {x: IMAGES, w: FILTERS}
            direction, start = RANDOM.normal(size=feed[tensor].shape), feed[tensor]
            ends = [session.run(total, {**feed, tensor: start + step * direction}) for step in (1e-5, -1e-5)]
            np.testing.assert_allclose((ends[0] - ends[1]) / 2e-5, np.sum(found[i] * direction), rtol=1e-6)


@pytest.mark.parametrize(
    ("strides", "padding"), [([1, 2, 2, 1], "SAME"), ([1, 1, 1, 1], "SAME"), ([1, 2, 1, 1], "VALID")]
)
def test_max_pool_and_gradient_share_their_places(strides, padding):
    """The planned pair gives what the gradient by itself gives, which is not told by the pool."""
    settings = {"ksize": WINDOW, "strides": strides, "padding": padding}
    with Graph().as_default():
        x, image = placeholder("float64", IMAGES.shape), np.round(IMAGES)
        y = raw.MaxPool(x, **settings)
        gradient = constant(RANDOM.normal(size=y.dims))
        fed = placeholder("float64", y.dims)
        paired = raw.MaxPoolGrad(x, y, gradient, **settings)
        alone = raw.MaxPoolGrad(x, fed, gradient, **settings)
        session = Session()
        value, first = session.run([y, paired], {x: image})
        plan = session.plan_for([y, paired], [x])
        assert any(node.type == "_MaxPoolGradWithIndices" for node in plan.nodes)
        np.testing.assert_array_equal(first, session.run(alone, {x: image, fed: value}))
        np.testing.assert_array_equal(first, session.run(paired, {x: image}))
