"""Native views, gathers, scatters, and what is put together of parts, beside NumPy's."""

import itertools

import numpy as np
import pytest
import torch
from native_values import FLOATS, INTEGERS, WAYS, assert_same, by_torch, run_one, strided, values

from headrace import native
from headrace.native.instructions import DTYPE_CODES, DTYPES
from headrace.native.program import Builder, Output, RegionFailure

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_views(dtype, way):
    x = values(dtype, (4, 6, 5))
    given = strided(x, way)
    for name, ints, expected in [
        ("reshape", [6, -1], x.reshape(6, 20)),
        ("reshape", [2, 2, 3, 2, 5, 1], x.reshape(2, 2, 3, 2, 5, 1)),
        ("reshape", [120], x.reshape(120)),
        ("transpose", [2, 0, 1], x.transpose(2, 0, 1)),
        ("slice", [1, 0, -2, 2, 3, -1, 1, 2, 1], x[1:3, 0:5:2, -2:]),
        ("slice", [3, 5, 4, 4, -1, 2, -1, -3, -2], x[::-1, ::-3, 4:0:-2]),
        ("slice", [0, 0, 0, 0, 6, 5, 1, 1, 1], x[0:0]),
        ("broadcast_to", [3, 4, 6, 5], np.broadcast_to(x, (3, 4, 6, 5))),
        ("expand_dims", [-1], x[..., None]),
        ("expand_dims", [1], x[:, None]),
        ("reverse", [0, -1], x[::-1, :, ::-1]),
    ]:
        (got,) = run_one(name, [given], ints)
        assert_same(got, expected)


@pytest.mark.parametrize("size", [0, 1, 4, 5])
def test_ranges_of_an_axis(size):
    x = values("float32", (2, size))
    ends = [None, 0, 1, 3, 4, 9, -1, -3, -9]
    for begin, end, stride in itertools.product(ends, ends, (1, 2, -1, -3)):
        ints = [-1, begin or 0, end or 0, stride, int(begin is None), int(end is None)]
        (got,) = run_one("slice_range", [x], ints)
        assert_same(got, x[:, begin:end:stride])
    assert run_one("slice_range", [x], [1, 0, 0, 0, 1, 1]) is None


def test_squeezing():
    x = values("float32", (1, 3, 1, 2))
    for ints, shape in (([], (3, 2)), ([0], (3, 1, 2)), ([-2, 0], (3, 2))):
        (got,) = run_one("squeeze", [x], ints)
        assert_same(got, x.reshape(shape))
    assert run_one("squeeze", [x], [1]) is None


def test_batches_that_may_not_be_larger():
    x = values("float32", (3, 2))
    for most in (3, 10):
        (got,) = run_one("at_most", [x], [most])
        assert_same(got, x)
    assert run_one("at_most", [x], [2]) is None
    assert run_one("at_most", [values("float32", ())], [2]) is None
    (got,) = run_one("at_most", [x[:0]], [0])
    assert_same(got, x[:0])


def test_views_of_views_go_into_kernels():
    b = Builder()
    x = b.input("float32", (6, 8))
    (turned,) = b.apply("transpose", [x], [1, 0])
    (part,) = b.apply("slice", [turned], [2, 1, 4, 5, 1, 1])
    (flat,) = b.apply("reshape", [part], [-1])
    (total,) = b.apply("sum", [part], [0, 0])
    (product,) = b.apply("matmul", [part, part], [1, 0])
    p = b.build([Output(flat), Output(total), Output(product)])
    value = np.random.default_rng(0).integers(-9, 9, (6, 8)).astype(np.float32)
    expected = value.T[2:6, 1:6]
    got = p.run((value,), ())
    assert_same(got[0], expected.reshape(-1))
    assert_same(got[1], expected.sum(0))
    assert_same(got[2], expected.T @ expected)


def test_what_does_not_fit_is_not_run():
    b = Builder()
    x, w = b.input("float32", (None, None)), b.buffer("float32", (2,))
    (added,) = b.apply("assign_add", [w, b.constant(np.ones(2, np.float32))])
    (product,) = b.apply("matmul", [x, x], [0, 0])
    p = b.build([Output(added), Output(product)])
    buffer = np.zeros(2, np.float32)
    assert p.run((np.ones((2, 3), np.float32),), (buffer,)) is None
    assert p.run((np.ones((3, 3), np.float64),), (buffer,)) is None
    assert p.run((np.ones(3, np.float32),), (buffer,)) is None
    assert_same(buffer, np.zeros(2, np.float32))
    got = p.run((np.ones((2, 2), np.float32),), (buffer,))
    assert_same(buffer, np.ones(2, np.float32))
    assert_same(got[1], np.full((2, 2), 2, np.float32))


def test_sizes_of_other_values():
    b = Builder()
    x, y = b.input("float32", (None, None)), b.input("float32", (None,))
    (r,) = b.apply("reshape", [y], [b.dim(x, 1), b.dim(x, -2)])
    (f,) = b.apply("fill", [b.constant(np.float32(2))], [b.dim(x, 0), 3])
    p = b.build([Output(r), Output(f)])
    for rows, cols in ((2, 3), (4, 1), (0, 5), (2, 3)):
        got = p.run((np.zeros((rows, cols), np.float32), np.arange(rows * cols, dtype=np.float32)), ())
        assert_same(got[0], np.arange(rows * cols, dtype=np.float32).reshape(cols, rows))
        assert_same(got[1], np.full((rows, 3), 2, np.float32))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INTEGERS)
def test_gathers(dtype, index):
    x, ids = values(dtype, (5, 4, 3)), np.array([[0, 2], [2, 1]], index)
    for axis in range(3):
        (got,) = run_one("gather", [x, ids], [axis, 0])
        assert_same(got, np.take(x, ids, axis))
    (got,) = run_one("gather", [strided(x, "turned"), ids], [0, 0])
    assert_same(got, x[ids])
    (got,) = run_one("gather", [x[:2], ids], [1, 1])
    assert_same(got, np.stack([x[b][ids[b]] for b in range(2)]))
    (got,) = run_one("gather_nd", [x, np.array([[4, 3], [0, 1]], index)])
    assert_same(got, x[[4, 0], [3, 1]])
    (got,) = run_one("gather_nd", [x, np.array([[[4, 3, 2]]], index)])
    assert_same(got, x[4, 3, 2].reshape(1, 1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", INTEGERS)
def test_sequences_backwards(dtype, index):
    x = values(dtype, (3, 4, 2, 3))
    for steps, batch in itertools.permutations(range(4), 2):
        lengths = np.arange(x.shape[batch], dtype=index) % (x.shape[steps] + 1)
        expected = x.copy()
        for b, length in enumerate(lengths):
            row = np.moveaxis(expected, (steps, batch), (0, 1))
            row[:length, b] = row[:length, b][::-1].copy()
        (got,) = run_one("reverse_sequence", [x, lengths], [steps, batch])
        assert_same(got, expected)
        (got,) = run_one("reverse_sequence", [x, lengths], [steps - 4, batch - 4])
        assert_same(got, expected)
    (got,) = run_one("reverse_sequence", [strided(x, "turned"), np.array([4, 0, 3], index)], [1, 0])
    assert_same(got[1], x[1])
    assert_same(got[2], x[2][[2, 1, 0, 3]])
    (got,) = run_one("reverse_sequence", [x[:, :0], np.zeros(3, index)], [1, 0])
    assert_same(got, x[:, :0])


@pytest.mark.parametrize(("bad", "columns"), [(-1, 3), (5, 3), (1, 0)])
def test_a_length_out_of_range(bad, columns):
    with pytest.raises(RegionFailure) as failure:
        run_one("reverse_sequence", [values("float32", (2, columns)), np.array([0, bad])], [1, 0])
    assert failure.value.code == 2


@pytest.mark.parametrize("bad", [-1, 5])
def test_an_index_out_of_range(bad):
    b = Builder()
    x, ids = b.input("float32", (5, 2)), b.input("int32", (None,))
    (doubled,) = b.apply("add", [x, x])
    (got,) = b.apply("gather", [doubled, ids], [0, 0])
    p = b.build([Output(got)])
    value = values("float32", (5, 2))
    with pytest.raises(RegionFailure) as failure:
        p.run((value, np.array([0, bad, 1], np.int32)), ())
    assert (failure.value.instruction, failure.value.code) == (1, 2)
    assert_same(failure.value.value(ids), np.array([0, bad, 1], np.int32))
    with np.errstate(all="ignore"):
        assert_same(failure.value.value(doubled), value + value)
    assert_same(p.run((value, np.array([3], np.int32)), ())[0], (value + value)[[3]])


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("index", INTEGERS)
@pytest.mark.parametrize("row", [(3,), (1,), ()])
def test_sums_of_segments(dtype, index, row):
    x = np.random.default_rng(0).integers(-9, 9, (6, *row)).astype(dtype)
    ids = np.array([3, 0, 3, 1, 3, 0], index)
    expected = np.zeros((5, *row), dtype)
    np.add.at(expected, ids, x)
    for name in ("unsorted_segment_sum", "scatter_rows"):
        (got,) = run_one(name, [x, ids], [5])
        assert_same(got, expected)
    ids[0] = -1
    expected[3] -= x[0]
    (got,) = run_one("unsorted_segment_sum", [x, ids], [5])
    assert_same(got, expected)
    with pytest.raises(RegionFailure):
        run_one("scatter_rows", [x, ids], [5])
    (got,) = run_one("unsorted_segment_sum", [x.reshape(2, 3, *row), np.abs(ids).reshape(2, 3)], [4])
    assert got.shape == (4, *row)
    x = x.reshape(6, -1)
    (got,) = run_one("scatter_nd", [x[:2, 0], np.array([[1, 2], [1, 2]], index)], [3, 4])
    assert got[1, 2] == x[0, 0] + x[1, 0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts_put_together(dtype):
    x, y = values(dtype, (2, 3, 4), 1), values(dtype, (2, 3, 4), 2)
    for axis in range(3):
        parts = [x, np.delete(y, 0, axis), strided(x, "turned")]
        (got,) = run_one("concat", parts, [axis])
        assert_same(got, np.concatenate(parts, axis))
    for axis in range(4):
        (got,) = run_one("stack", [x, y], [axis])
        assert_same(got, np.stack([x, y], axis))
    value = values(dtype, (), 3)
    (got,) = run_one("pad", [x, value], [1, 0, 0, 2, 3, 1])
    assert_same(got, np.pad(x, [(1, 0), (0, 2), (3, 1)], constant_values=value))
    (got,) = run_one("tile", [x], [2, 1, 3])
    assert_same(got, np.tile(x, (2, 1, 3)))
    (got,) = run_one("tile", [x], [1, 0, 1])
    assert got.shape == (2, 0, 4)


@pytest.mark.parametrize(
    ("shape", "multiples"),
    [((2, 1, 3, 1, 2), (1, 4, 1, 5, 1)), ((2, 1, 1, 3, 1), (3, 1, 2, 2, 1)), ((1,) * 8, (1, 2, 1, 2, 1, 3, 1, 2))],
    ids=str,
)
def test_tiles_of_many_axes(shape, multiples):
    x = values("float32", shape)
    (got,) = run_one("tile", [x], list(multiples))
    assert_same(got, np.tile(x, multiples))


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_mirrored_edges(mode):
    x = values("int32", (3, 4))
    for sizes in ([(0, 0), (0, 0)], [(2, 1), (0, 3)], [(0, 2), (3, 3)]):
        (got,) = run_one("mirror_pad", [x], [int(mode == "reflect"), *np.ravel(sizes).tolist()])
        assert_same(got, np.pad(x, sizes, mode))
    assert run_one("mirror_pad", [x], [1, 3, 0, 0, 0]) is None


@pytest.mark.parametrize("index", INTEGERS)
def test_one_hot(index):
    ids, on, off = np.array([[0, 2, -1], [5, 1, 1]], index), np.float32(3), np.float32(-1)
    whole = np.where(ids[..., None] == np.arange(4), on, off)
    for axis in (0, 1, 2, -1):
        (got,) = run_one("one_hot", [np.asarray(on), np.asarray(off), ids], [axis, 4])
        assert_same(got, np.moveaxis(whole, -1, axis))


def test_ranges():
    (got,) = run_one("range", [np.array(3, np.int32), np.array(-2, np.int32)], [5])
    assert_same(got, np.arange(3, -7, -2, np.int32))
    (got,) = run_one("range", [np.array(0.5), np.array(0.25)], [3])
    assert_same(got, np.array([0.5, 0.75, 1.0]))


def test_the_largest():
    x = values("float32", (6, 40), 1)
    x[np.isnan(x)] = 0
    got, places = run_one("top_k", [x], [5])
    order = np.argsort(-x, axis=-1, kind="stable")[:, :5]
    assert_same(places, order.astype(np.int32))
    assert_same(got, np.take_along_axis(x, order, -1))
    # As TensorFlow has it, what is no number is above all, but never the only one of several.
    x = np.float32([[1, np.nan, 3, np.nan], [np.nan] * 4])
    assert_same(run_one("top_k", [x], [3])[1], np.int32([[1, 3, 2], [0, 1, 2]]))
    assert_same(run_one("top_k", [x], [1])[1], np.int32([[2], [0]]))
    targets = np.array([0, 39, 7, 40, -1, 3], np.int32)
    x = np.random.default_rng(0).random((6, 40)).astype(np.float32)
    x[2, 1] = np.nan
    (got,) = run_one("in_top_k", [x, targets], [20])
    above = [
        0 <= y < 40 and np.isfinite(row).all() and (row > row[y]).sum() < 20 for row, y in zip(x, targets, strict=True)
    ]
    assert_same(got, np.array(above))


def test_sizes():
    x = np.zeros((3, 0, 2), np.float32)
    for kind in INTEGERS:
        (got,) = run_one("shape_of", [x], [DTYPE_CODES[kind]])
        assert_same(got, np.array([3, 0, 2], kind))
        (got,) = run_one("size_of", [x], [DTYPE_CODES[kind]])
        assert_same(got, np.array(0, kind))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("width", [1, 3])
def test_rows_into_buffers(dtype, width):
    rng = np.random.default_rng(0)
    start, rows, ids = (
        rng.integers(0, 9, (5, width)).astype(dtype),
        rng.integers(0, 9, (4, width)).astype(dtype),
        np.array([1, 4, 1, 0]),
    )
    for name, combine in (("scatter_add", np.add), ("scatter_sub", np.subtract)):
        buffer, expected = start.copy(), start.copy()
        combine.at(expected, ids, rows)
        run_one(name, [buffer, ids, rows], buffers=1)
        assert_same(buffer, expected)
    buffer, expected = start.copy(), start.copy()
    expected[ids] = rows
    run_one("scatter_update", [buffer, ids, rows], buffers=1)
    assert_same(buffer, expected)
    buffer = start.copy()
    with pytest.raises(RegionFailure):
        run_one("scatter_add", [buffer, np.array([0, 5, 1, 1]), rows], buffers=1)
    assert_same(buffer, start)


def test_assignments():
    x = values("float32", (3, 4))
    b = Builder()
    w, y = b.buffer("float32", (3, 4)), b.input("float32", (3, 4))
    (before,) = b.apply("copy", [w])
    (w1,) = b.apply("assign_add", [w, y])
    (w2,) = b.apply("assign_sub", [w1, b.constant(np.float32(1))])
    (half,) = b.apply("mul", [w2, b.constant(np.float32(0.5))])
    (w3,) = b.apply("assign", [w2, half])
    p = b.build([Output(before), Output(w3)])
    tensor = torch.ones(3, 4)
    got = p.run((np.nan_to_num(x),), (tensor,))
    expected = by_torch(lambda a: (torch.ones(3, 4) + a - 1) * 0.5, np.nan_to_num(x))
    assert_same(got[0], np.ones((3, 4), np.float32))
    assert_same(got[1], expected)
    assert_same(tensor.numpy(), expected)
