"""Batch normalization of few small images in native regions, beside torch's."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest

import headrace as tf
from headrace import native
from headrace.core.registry import raw
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without
from headrace.plan.region_kernel import NativeRegion

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no native runner")


def both_ways(make, *feeds, declines=False):
    """Compares steps in regions and without any; the source of the plan with them."""

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
            fetches, inputs = make()
            session.run(tf.global_variables_initializer())
            if not found and not declines:
                patched.setattr(NativeRegion, "_run_plainly", decline)
            found.append([session.run(fetches, dict(zip(inputs, feed, strict=True))) for feed in feeds])
            if not found[1:]:
                source = session.plan_for(fetches, inputs).source
    for one, other in zip(*found, strict=True):
        for value, plain in zip(one, other, strict=True):
            np.testing.assert_allclose(value, plain, rtol=2e-4, atol=2e-5)
            assert value.dtype == plain.dtype
    return source


def normalized(dims, data_format, training, version, batch_is_known):
    """A function that makes it with its gradient, of images of those sizes."""
    channels = dims[-1] if data_format.endswith("C") else dims[1]

    def make():
        x = tf.placeholder(tf.float32, dims if batch_is_known else (None, *dims[1:]))
        random = np.random.RandomState(1)
        scale, offset, mean = (tf.constant(random.randn(channels), tf.float32) for _ in range(3))
        given = [tf.zeros([0])] * 2 if training else [mean, tf.constant(random.rand(channels) + 0.5, tf.float32)]
        settings = {"epsilon": 0.01, "data_format": data_format, "is_training": training}
        outputs = getattr(raw, f"FusedBatchNorm{version}")(x, scale, offset, *given, **settings)
        y = outputs[0]
        weights = tf.constant(np.cos(np.arange(np.prod(dims[1:]))).reshape(dims[1:]), tf.float32)
        made = [*outputs[: 5 if training else 3], *tf.gradients(y * y * weights, [x, scale, offset])]
        return [value + 0.0 for value in made], [x]

    return make


def images(*dims):
    return np.random.RandomState(sum(dims)).randn(*dims).astype("float32")


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("batch_is_known", [True, False])
@pytest.mark.parametrize("version", ["", "V2", "V3"])
@pytest.mark.parametrize(
    ("dims", "data_format"), [((3, 2, 4, 5), "NHWC"), ((3, 5, 2, 4), "NCHW"), ((1, 1, 1, 2), "NHWC")]
)
def test_as_torch(dims, data_format, version, training, batch_is_known):
    source = both_ways(normalized(dims, data_format, training, version, batch_is_known), [images(*dims)])
    assert not re.findall(r"FusedBatchNorm\w*_\d+\(", source)


@pytest.mark.parametrize(("dims", "data_format"), [((2, 2, 1, 3, 4), "NDHWC"), ((2, 4, 2, 1, 3), "NCDHW")])
def test_volumes(dims, data_format):
    both_ways(normalized(dims, data_format, True, "V3", True), [images(*dims)])


def test_batches_of_many_sizes():
    dims = (4, 4, 4, 2)
    feeds = [[images(count, *dims[1:])] for count in (1, 7, 2)]
    both_ways(normalized(dims, "NHWC", True, "V3", False), *feeds)
    # What is large, and what is nothing.
    both_ways(
        normalized(dims, "NHWC", False, "V3", False), [images(2000, *dims[1:])], [images(0, *dims[1:])], declines=True
    )


def test_large_images_stay_with_torch():
    source = both_ways(normalized((2, 64, 64, 8), "NHWC", True, "V3", True), [images(2, 64, 64, 8)])
    assert re.findall(r"FusedBatchNorm\w*_\d+\(", source)
