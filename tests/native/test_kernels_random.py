"""Native draws against the streams of Python: the same numbers at the same places."""

from __future__ import annotations

import numpy as np
import pytest

from headrace import native
from headrace.core.native import TYPE_CODES
from headrace.kernels.random.streams import RandomStream, scrambled
from headrace.native.program import Builder, RegionFailure

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no native runner")

SHAPES = [(), (1,), (3,), (5, 7), (0, 2), (1000,)]


def drawn(apply, inputs=(), times=3):
    """What a program of one draw gives in so many runs on one stream, and the stream after them."""
    builder = Builder()
    place = builder.stream(None)
    values = [builder.input(value.dtype.name, value.shape) for value in inputs]
    program = builder.build(list(apply(builder, place, *values)))
    stream = RandomStream(-5, 2**40 + 9)
    found = []
    for _ in range(times):
        lent = stream.lend()
        result = program.run(tuple(inputs), (lent,))
        stream.take_back(True)
        found.append(result[0])
    return found, stream


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("instruction", "method"),
    [
        ("random_uniform", RandomStream.uniform),
        ("random_normal", RandomStream.standard_normal),
        ("truncated_normal", RandomStream.truncated_normal),
    ],
)
def test_floats(instruction, method, dtype, shape):
    found, stream = drawn(lambda b, place: b.apply(instruction, [place], [TYPE_CODES[dtype], *shape]))
    plain = RandomStream(-5, 2**40 + 9)
    for value in found:
        # Functions of floats are those of doubles, rounded, in both: the last digit may be another one.
        np.testing.assert_allclose(value, method(plain, shape, dtype), rtol=3e-7 if dtype == "float32" else 1e-14)
    assert stream.reserve(0) == plain.reserve(0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(("low", "high"), [(0, 2), (-7, 8), (5, 6), (-(2**31), 2**31 - 1)])
def test_integers(dtype, shape, low, high):
    bounds = np.array(low, dtype), np.array(high, dtype)
    found, stream = drawn(lambda b, place, *ends: b.apply("random_uniform_int", [place, *ends], shape), bounds)
    plain = RandomStream(-5, 2**40 + 9)
    for value in found:
        np.testing.assert_array_equal(value, plain.uniform_int(shape, low, high, dtype))
    assert stream.reserve(0) == plain.reserve(0)


def test_integers_of_an_empty_range():
    builder = Builder()
    place, low, high = builder.stream(None), builder.constant(np.int32(3)), builder.constant(np.int32(3))
    program = builder.build(builder.apply("random_uniform_int", [place, low, high], [2]))
    stream = RandomStream(1, 2)
    lent = stream.lend()
    with pytest.raises(RegionFailure):
        program.run((), (lent,))
    stream.take_back(False)
    assert stream.reserve(0) == RandomStream(1, 2).reserve(0)


@pytest.mark.parametrize("samples", [0, 1, 3, 20])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_classes(dtype, samples):
    logits = np.random.default_rng(1).normal(size=(6, 9)).astype(dtype) * 3
    logits[1, 2:4] = np.inf, np.nan
    logits[2, :5] = -np.inf
    logits[3] = -np.inf
    ints = [TYPE_CODES["int32"], samples]
    found, stream = drawn(lambda b, place, x: b.apply("multinomial", [place, x], ints), [logits])
    plain = RandomStream(-5, 2**40 + 9)
    for value in found:
        np.testing.assert_array_equal(value, plain.multinomial(logits, samples, np.int32))
    assert stream.reserve(0) == plain.reserve(0)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_places_of_seeds(dtype):
    seeds = np.array([7, -3], dtype)
    builder = Builder()
    program = builder.build(builder.apply("place_of_seeds", [builder.input(dtype, (2,))]))
    (place,) = program.run((seeds,), ())
    assert [int(word) % 2**64 for word in place] == list(scrambled(seeds))
