"""Values numbered in the order in which they first come, and the first classes that differ: all ways of finding them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.kernels.array.numbering import first_seen
from headrace.kernels.nn.class_samplers import LogUniformSampler, SessionSampler, UniformSampler

# Few of them, many, and so many that no dict is used; close together and far apart.
SIZES = [1, 30, 90, 110, 400]
RANGES = [3, 100, 1 << 40]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "int64", "uint64", "float32", "float64", "complex64", "O"])
@given(size=st.sampled_from(SIZES), extent=st.sampled_from(RANGES), seed=st.integers(0, 1000))
def test_elements_are_numbered_as_they_come(dtype, size, extent, seed):
    numbers = np.random.RandomState(seed).randint(0, extent, size)
    x = np.array([b"%d" % n for n in numbers], object) if dtype == "O" else (numbers - 1).astype(dtype)
    kept, places = first_seen(x, None)
    expected = list(dict.fromkeys(x.tolist()))
    assert kept.dtype == x.dtype
    assert kept.tolist() == expected
    assert places.tolist() == [expected.index(value) for value in x.tolist()]


@pytest.mark.parametrize("size", SIZES)
def test_no_two_nans_are_the_same(size):
    x = np.full(size, np.nan)
    x[::3] = 0.0
    x[1::6] = -0.0
    kept, places = first_seen(x, None)
    zeros = np.flatnonzero(x == 0)
    assert len(kept) == np.isnan(x).sum() + 1
    assert not np.signbit(kept[0])
    assert set(places[zeros].tolist()) == {0}


@pytest.mark.parametrize("count", [1, 40, 90, 200, 900])
@pytest.mark.parametrize("sampler", [LogUniformSampler(5000), UniformSampler(1000)])
def test_unique_classes_are_the_first_of_the_stream_that_differ(sampler, count):
    session = SessionSampler(sampler, 3, 4)
    stream = sampler.draw(session._next.words(16 * count)).tolist()
    classes, _, _ = session.sample(np.zeros((1, 1), np.int64), count, True)
    assert classes.tolist() == list(dict.fromkeys(stream))[:count]
