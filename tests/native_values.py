"""For the tests of native kernels: programs of one instruction, values at the ends of their types, distances between floats."""

from collections.abc import Sequence

import numpy as np
import torch

from headrace.native.program import Builder, Output

FLOATS = ("float32", "float64")
INTEGERS = ("int32", "int64")

# Few and many, less than a vector and not quite two; none at all.
SHAPES = [(), (1,), (3,), (8,), (17,), (64,), (131,), (0,), (4, 0), (3, 5), (1, 33), (2, 3, 7)]


def special(dtype: str) -> np.ndarray:
    """Values where functions have edges."""
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return np.array([False, True])
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        return np.array(
            [0, 1, 2, 3, 7, ends.max, ends.min, ends.max - 1, *([-1, -2, -7] if kind.kind == "i" else [])], kind
        )
    ends = np.finfo(kind)
    sizes = [
        0.0,
        ends.smallest_subnormal,
        ends.tiny,
        1e-20,
        1e-3,
        0.3,
        0.5,
        0.75,
        1.0,
        1.5,
        2.5,
        3.0,
        6.0,
        9.3,
        20.0,
        37.5,
        88.0,
    ]
    sizes += [89.5, 103.0, 105.0, 700.0, 710.0, 1e10, ends.max, np.inf]
    return np.array([*sizes, *(-size for size in sizes), np.nan]).astype(kind)


def values(dtype: str, shape: Sequence[int], seed: int = 0) -> np.ndarray:
    """Random numbers of a shape, ordinary ones and special ones."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        plain = rng.standard_normal(tuple(shape)) * 10.0 ** rng.integers(-3, 2, tuple(shape))
    else:
        plain = rng.integers(0, 2 if kind.kind == "b" else 50, tuple(shape)) - (25 if kind.kind == "i" else 0)
    edges = rng.choice(special(dtype), tuple(shape))
    return np.where(rng.random(tuple(shape)) < 0.3, edges, np.asarray(plain).astype(kind)).astype(kind)


def strided(value: np.ndarray, way: str) -> np.ndarray:
    """The same values in memory of another order."""
    if way == "dense" or value.ndim == 0:
        return value
    if way == "turned":
        return np.ascontiguousarray(value.T).T
    if way == "spread":
        wide = np.zeros((*value.shape[:-1], 2 * value.shape[-1] + 1), value.dtype)
        wide[..., 1::2] = value
        return wide[..., 1::2]
    if way == "backwards":
        return np.ascontiguousarray(value[..., ::-1])[..., ::-1]
    raise ValueError(way)


WAYS = ("dense", "turned", "spread", "backwards")


def run_one(
    name: str,
    inputs: Sequence[np.ndarray],
    ints: Sequence[int] = (),
    floats: Sequence[float] = (),
    buffers: int = 0,
    known: bool = True,
) -> tuple[np.ndarray, ...] | None:
    """What a program of one instruction gives.

    Args:
        name: the instruction.
        inputs: what it is given.
        ints, floats: what else it is told.
        buffers: how many of the first inputs are buffers; they are written.
        known: whether the sizes are known when the program is built.
    """
    b = Builder()
    ids = []
    for i, value in enumerate(inputs):
        dims = value.shape if known else (None,) * value.ndim
        ids.append(b.buffer(value.dtype.name, dims) if i < buffers else b.input(value.dtype.name, dims))
    results = b.apply(name, ids, ints, floats)
    program = b.build([Output(result) for result in results])
    return program.run(tuple(inputs[buffers:]), tuple(inputs[:buffers]))


def by_torch(function, *inputs: np.ndarray) -> np.ndarray:
    """What a function of torch gives, on one thread's worth of numbers."""
    return np.asarray(
        function(*(torch.from_numpy(np.ascontiguousarray(value)).reshape(value.shape) for value in inputs))
    )


def assert_same(got: np.ndarray, expected: np.ndarray) -> None:
    """Equal element by element, NaN where there is NaN; 0 and -0 are one."""
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def assert_within(got: np.ndarray, expected: np.ndarray, ulps: float) -> None:
    """As near to `expected`, computed in a wider type, as so many units in the last place of `got`."""
    assert got.shape == expected.shape
    rounded = expected.astype(got.dtype)
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(expected.dtype) - expected) / np.spacing(np.abs(rounded)).astype(expected.dtype)
    wrong = ~same & ~(distance <= ulps)
    assert not wrong.any(), (got[wrong][:5], expected[wrong][:5], distance[wrong][:5])
