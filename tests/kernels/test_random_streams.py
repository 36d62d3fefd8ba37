"""Random streams against what TensorFlow 1.15.5 drew (tests/golden/random), and the laws they follow."""

import itertools
import json
import math
import threading
import zlib
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from headrace.core.errors import InvalidArgumentError
from headrace.core.random_seed import combine_seeds
from headrace.kernels.random import philox
from headrace.kernels.random import streams as random_streams
from headrace.kernels.random.philox import RESERVED_PER_OUTPUT, Philox
from headrace.kernels.random.streams import RandomStream

GOLDEN = Path(__file__).parents[1] / "golden" / "random" / "streams.npz"
KEPT = 40

# How far a number may be from TensorFlow's, relative to 1 or to itself if that is more: its C library's functions
# of float32 are now and then off in the last place, which a rounding to float16 may turn into one of its places.
TOLERANCE = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 5e-7, "float64": 1e-14}
EXACT = {"RandomUniform", "RandomUniformInt", "RandomShuffle", "Multinomial", "RandomPoissonV2"}
EXACT |= {"StatelessRandomUniform", "StatelessRandomUniformInt", "StatelessMultinomial"}


def load():
    """The cases, each with the recorded numbers of its runs, shape (runs, kept)."""
    with np.load(GOLDEN) as archive:
        packed = {name: archive[name] for name in archive.files}
    cases = json.loads(str(packed["cases"]))
    used = dict.fromkeys(packed, 0)
    recorded = []
    for case in cases:
        dtype = {"bfloat16": "uint16"}.get(case.get("dtype", "int64"), case.get("dtype", "int64"))
        size = int(np.prod(case["result_shape"]))
        kept = len(range(0, size, max(size // KEPT, 1)))
        count = kept * len(case["checksums"])
        start = used[dtype]
        recorded.append(packed[dtype][start : start + count].reshape(len(case["checksums"]), kept))
        used[dtype] += count
    return list(zip(cases, recorded)), json.loads(str(packed["seeds"]))


CASES, SEEDS = load()


def numpy_dtype(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def logits(batch, classes):
    return np.sin(np.arange(batch * classes, dtype=np.float32)).reshape(batch, classes) * 3


def drawer(op, seed, seed2=None, dtype="int64", shape=(), **rest):
    """A function that draws as the op of a case does each time it runs."""
    dtype = numpy_dtype(dtype)
    stream = None if seed2 is None else RandomStream(seed, seed2)
    if "Multinomial" in op:
        rows, samples = logits(rest["batch"], rest["classes"]), rest["num_samples"]
        if op == "Multinomial":
            return lambda: stream.multinomial(rows, samples, dtype)
        return lambda: random_streams.stateless_multinomial(rows, samples, seed, dtype)
    bounds = {name: rest[name] for name in ("minval", "maxval") if name in rest}
    parameters = {name: rest[name] for name in ("means", "stdevs", "minvals", "maxvals") if name in rest}
    return {
        "RandomUniform": lambda: stream.uniform(shape, dtype),
        "RandomUniformInt": lambda: stream.uniform_int(shape, **bounds, dtype=dtype),
        "RandomStandardNormal": lambda: stream.standard_normal(shape, dtype),
        "TruncatedNormal": lambda: stream.truncated_normal(shape, dtype),
        "ParameterizedTruncatedNormal": lambda: stream.parameterized_truncated_normal(shape, **parameters, dtype=dtype),
        "RandomShuffle": lambda: stream.shuffle_permutation(rest["n"]),
        "RandomGamma": lambda: stream.gamma(shape, np.array(rest["alpha"], dtype)),
        "RandomPoissonV2": lambda: stream.poisson(shape, np.array(rest["rate"], np.float32), dtype),
        "StatelessRandomUniform": lambda: random_streams.stateless_uniform(shape, seed, dtype),
        "StatelessRandomUniformInt": lambda: random_streams.stateless_uniform_int(shape, seed, **bounds, dtype=dtype),
        "StatelessRandomNormal": lambda: random_streams.stateless_normal(shape, seed, dtype),
        "StatelessTruncatedNormal": lambda: random_streams.stateless_truncated_normal(shape, seed, dtype),
    }[op]


@pytest.mark.parametrize("op", sorted({case["op"] for case, _ in CASES}))
def test_runs_draw_what_tensorflow_draws(op):
    for case, recorded in CASES:
        if case["op"] != op:
            continue
        case = dict(case)
        shape, checksums = case.pop("result_shape"), case.pop("checksums")
        draw = drawer(**case)
        for run, (kept, checksum) in enumerate(zip(recorded, checksums)):
            got = draw()
            where = f"run {run} of {case}"
            assert list(got.shape) == shape, where
            if op in EXACT:
                assert zlib.crc32(np.ascontiguousarray(got).tobytes()) == checksum, where
            got = got.reshape(-1)[:: max(got.size // KEPT, 1)]
            if got.dtype.name == "bfloat16":
                kept = kept.view(got.dtype)
            assert got.dtype == kept.dtype, where
            tolerance = 0 if op in EXACT else TOLERANCE[got.dtype.name]
            got, kept = got.astype(np.float64), kept.astype(np.float64)
            np.testing.assert_array_less(np.abs(got - kept), tolerance * np.maximum(np.abs(kept), 1) + 1e-300, where)


def test_seeds_combine_as_in_tensorflow():
    for graph_seed, op_seed, last_op_id, expected in SEEDS:
        assert combine_seeds(graph_seed, op_seed, last_op_id) == tuple(expected)


@pytest.fixture(params=["runner", "numpy"])
def both_ways(request, monkeypatch):
    """Blocks by the native runner, where it is built, and by NumPy."""
    if request.param == "numpy":
        monkeypatch.setattr(philox, "direct_call", lambda name: None)


# Known answers published with the generator: counter, key and the block that follows from them.
@pytest.mark.parametrize(
    ("counter", "key", "block"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
@pytest.mark.usefixtures("both_ways")
def test_philox_known_answers(counter, key, block):
    c0, c1, c2, c3 = (int(word, 16) for word in counter.split())
    k0, k1 = (int(word, 16) for word in key.split())
    start = Philox(k0 | k1 << 32, c2 | c3 << 32, c0 | c1 << 32)
    expected = [int(word, 16) for word in block.split()]
    assert start.words(1).tolist() == expected
    # Past a handful, blocks take another way through the same rounds.
    assert start.words_at(np.zeros(50, np.uint64)).tolist() == [expected] * 50


@pytest.mark.usefixtures("both_ways")
def test_blocks_do_not_depend_on_how_many_are_read():
    start = Philox(key=2**63 + 5, high=2**40 + 9, position=2**32 - 4000)
    many = start.words(20000)
    assert many.dtype == np.uint32
    for first, count in [(0, 1), (3, 2), (3990, 20), (8191, 3), (8190, 9000)]:
        few = start.skip(first).words(count)
        assert few.tolist() == many[first * 4 : (first + count) * 4].tolist()
    places = np.array([19999, 0, 8192, 4000, 1] * 3, np.uint64)
    assert (start.words_at(places) == many.reshape(-1, 4)[places]).all()
    assert (start.words_at(places[:2]) == many.reshape(-1, 4)[places[:2]]).all()
    assert start.words(0).size == 0


def test_shorter_results_begin_longer_ones():
    kinds = [philox.uniform, philox.standard_normal, philox.truncated_normal]
    start = Philox(key=1, high=2)
    for draw, dtype in itertools.product(kinds, ["float16", "float32", "float64"]):
        long = draw(start, 1003, dtype)
        for count in [0, 1, 2, 3, 37, 1002]:
            assert (draw(start, count, dtype) == long[:count]).all()


def test_threads_share_one_stream():
    together, alone = RandomStream(1, 2), RandomStream(1, 2)
    drawn = []

    def draw():
        for _ in range(20):
            drawn.append(together.uniform([5], "float32").tobytes())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(drawn) == sorted(alone.uniform([5], "float32").tobytes() for _ in range(80))


def test_requests_of_nothing_leave_the_stream_where_it_is():
    stream, other = RandomStream(1, 2), RandomStream(1, 2)
    stream.uniform([0, 7], "float32")
    stream.uniform_int([0], 5, 5, "int32")
    stream.shuffle_permutation(1)
    stream.gamma([3], np.zeros([0]))
    stream.multinomial(np.zeros([2, 3]), 0, "int64")
    assert stream.uniform([4], "float32").tolist() == other.uniform([4], "float32").tolist()


def test_zero_seeds_begin_anywhere():
    first, second = (RandomStream(0, 0).uniform([4], "float64").tolist() for _ in range(2))
    assert first != second


def test_permutation_holds_each_row_once():
    stream = RandomStream(3, 4)
    for n in [0, 1, 2, 7, 500]:
        assert sorted(stream.shuffle_permutation(n).tolist()) == list(range(n))


def test_multinomial_never_draws_classes_without_weight():
    stream = RandomStream(3, 4)
    rows = np.array([[0.0, -np.inf, 1.0, np.nan], [5.0, 5.0, -np.inf, np.inf]], np.float32)
    # Both ways to search: by sample, and by row.
    for drawn in (
        stream.multinomial(rows, 200, "int32"),
        stream.multinomial(np.repeat(rows, 200, 0), 1, "int32"),
    ):
        halves = np.array_split(drawn.reshape(-1), 2)
        assert set(halves[0].tolist()) == {0, 2}
        assert set(halves[1].tolist()) == {0, 1}


@pytest.mark.parametrize("alpha", [0.3, 1.0, 4.5])
def test_gamma_moments(alpha):
    drawn = RandomStream(3, 4).gamma([20000], np.array(alpha))
    assert drawn.mean() == pytest.approx(alpha, abs=6 * np.sqrt(alpha / 20000))
    assert drawn.var() == pytest.approx(alpha, rel=0.15)


@pytest.mark.parametrize("rate", [0.5, 9.0, 12.0, 3000.0])
def test_poisson_moments(rate):
    drawn = RandomStream(3, 4).poisson([20000], rate, "int64")
    assert drawn.mean() == pytest.approx(rate, abs=6 * np.sqrt(rate / 20000))
    assert drawn.var() == pytest.approx(rate, rel=0.1)


def test_short_types_round_wide_numbers():
    wide = RandomStream(3, 4).standard_normal([1000], "float32")
    short = RandomStream(3, 4).standard_normal([1000], ml_dtypes.bfloat16)
    assert (short == wide.astype(ml_dtypes.bfloat16)).all()


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda s: s.uniform([2], "int32"), "float16, bfloat16, float32 or float64, got int32"),
        (lambda s: s.uniform([-2], "float32"), "at least 0"),
        (lambda s: s.uniform_int([2], 0, 1, "float32"), "int32 or int64, got float32"),
        (lambda s: s.uniform_int([2], 5, 5, "int32"), "Need minval < maxval, got 5 >= 5"),
        (lambda s: s.multinomial(np.zeros(3), 1, "int64"), "should be a matrix"),
        (lambda s: s.multinomial(np.zeros([1, 3]), -1, "int64"), "nonnegative, got -1"),
        (lambda s: s.multinomial(np.zeros([1, 0]), 1, "int64"), "num_classes should be positive"),
        (lambda s: s.gamma([2], np.array([1.0, -1.0])), "at least 0, got -1"),
        (lambda s: s.gamma([2], np.array(np.nan)), "got nan"),
        (lambda s: s.poisson([2], np.inf, "float32"), "got inf"),
        (lambda s: s.poisson([2], 1e5, "float16"), "at most 65504 for float16"),
        (lambda s: s.parameterized_truncated_normal([], 0, 1, -1, 1, "float32"), "must not be a scalar"),
        (lambda s: s.parameterized_truncated_normal([2], 0, -1, -1, 1, "float32"), "Invalid parameters"),
        (lambda s: s.parameterized_truncated_normal([2], 0, 1, 1, 1, "float32"), "Invalid parameters"),
        (
            lambda s: s.parameterized_truncated_normal([2], [0, 0, 0], 1, 1, 2, "float32"),
            "Input means should have length 1",
        ),
        (
            lambda s: random_streams.stateless_uniform([2], [1, 2, 3], "float32"),
            r"seed must have shape \[2\]",
        ),
    ],
)
def test_bad_requests(draw, message):
    with pytest.raises(InvalidArgumentError, match=message):
        draw(RandomStream(1, 2))


@pytest.mark.parametrize("count", [20, 9000])
@pytest.mark.parametrize("before", [0, 7, 19, 8500])
@pytest.mark.usefixtures("both_ways")
def test_blocks_where_the_low_counter_word_wraps(count, before):
    here = Philox(key=0x0123456789ABCDEF, high=0xFEDCBA9876543210, position=(5 << 32) + 2**32 - before)
    words = here.words(count).reshape(-1, 4)
    for place in {0, 6, 7, 8, 18, 19, count - 1, min(before, count - 1)}:
        assert tuple(words[place].tolist()) == here._block(here.position + place)
    np.testing.assert_array_equal(words, here.words_at(np.arange(count, dtype=np.uint64)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [[7], [3, 5], [100, 33], [20000]])
@pytest.mark.parametrize("name", ["uniform", "standard_normal"])
def test_many_requests_give_what_each_of_them_alone_would(name, shape, dtype):
    stream, start = RandomStream(5, 9), Philox(5, 9)
    for number in range(14):
        # Another request in between, which takes its own stretch.
        asked = shape if number != 9 else [2, *shape]
        alone = getattr(philox, name)(start, math.prod(asked), dtype).reshape(asked)
        np.testing.assert_array_equal(getattr(stream, name)(asked, dtype), alone)
        start = start.skip(math.prod(asked) * RESERVED_PER_OUTPUT)
