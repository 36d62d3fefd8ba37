"""Loops, branches and arrays of rows in native programs, and what the memory plan makes of them."""

import numpy as np
import pytest
from native_values import assert_same

from headrace import native
from headrace.native.instructions import DTYPE_CODES
from headrace.native.program import Builder, Output, RegionFailure, Unsupported

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


def scalar(b, value, dtype="int32"):
    return b.constant(np.asarray(value, dtype))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_recurrence_over_the_rows_of_an_input(count):
    b = Builder()
    x, w = b.input("float32", (None, 3)), b.input("float32", (4, 4))
    steps = b.dim(x, 0)
    (first,) = b.apply("fill", [scalar(b, 1, "float32")], [4])
    (limit,) = b.apply("size_of", [b.apply("slice", [x], [0, 0, -1, 1, 1, 1])[0]], [2])
    outputs = b.apply("list_begin", [limit], [0, 0])[0]
    i, state = b.apply("loop_begin", [scalar(b, 0), first])
    (more,) = b.apply("less", [i, limit])
    b.apply("loop_test", [more])
    (row,) = b.apply("gather", [x, i], [0, 0])
    (wide,) = b.apply("pad", [row, scalar(b, 0, "float32")], [0, 1])
    # The weight is used transposed: it is turned in each iteration, or once.
    (matrix,) = b.apply("expand_dims", [state], [0])
    (product,) = b.apply("matmul", [matrix, w], [0, 1])
    (flat,) = b.apply("reshape", [product], [4])
    (total,) = b.apply("add", [flat, wide])
    (after,) = b.apply("tanh", [total])
    b.apply("list_write", [outputs, i, after])
    (next_i,) = b.apply("add", [i, scalar(b, 1)])
    i, state = b.apply("loop_end", [next_i, after])
    (zeros,) = b.apply("fill", [scalar(b, 0)], [steps])
    (places,) = b.apply("cumsum", [b.apply("ones_like", [zeros])[0]], [0, 1, 0])
    (array,) = b.apply("list_gather", [outputs, places], [1])
    p = b.build([Output(array), Output(state), Output(i, "scalar")])
    rng = np.random.default_rng(0)
    values, weight = rng.random((count, 3)).astype(np.float32), rng.random((4, 4)).astype(np.float32)
    expected, hidden = np.zeros((count, 4), np.float32), np.ones(4, np.float32)
    for step in range(count):
        hidden = np.tanh(weight @ hidden + np.pad(values[step], (0, 1)))
        expected[step] = hidden
    for _ in range(2):
        got = p.run((values, weight), ())
        np.testing.assert_allclose(got[0], expected, rtol=1e-6)
        np.testing.assert_allclose(got[1], hidden, rtol=1e-6)
        assert got[2] == count


def test_variables_that_change_places():
    b = Builder()
    first, second, n = b.input("float32", (3,)), b.input("float32", (3,)), b.input("int32", ())
    i, x, y, z = b.apply("loop_begin", [scalar(b, 0), first, second, second])
    (more,) = b.apply("less", [i, n])
    b.apply("loop_test", [more])
    (next_i,) = b.apply("add", [i, scalar(b, 1)])
    (backwards,) = b.apply("reverse", [z], [0])
    got = b.apply("loop_end", [next_i, y, x, backwards])
    p = b.build([Output(value) for value in got])
    u, v = np.arange(3, dtype=np.float32), np.arange(3, dtype=np.float32) + 10
    assert [part.tolist() for part in p.run((u, v, 3), ())] == [3, v.tolist(), u.tolist(), v[::-1].tolist()]
    assert [part.tolist() for part in p.run((u, v, 2), ())] == [2, u.tolist(), v.tolist(), v.tolist()]


def test_loops_in_loops_with_values_from_outside():
    b = Builder()
    x, n = b.input("float32", (40,)), b.input("int32", ())
    (outside,) = b.apply("mul", [x, x])
    i, total = b.apply("loop_begin", [scalar(b, 0), x])
    b.apply("loop_test", b.apply("less", [i, n]))
    (middle,) = b.apply("add", [total, outside])
    j, inner = b.apply("loop_begin", [scalar(b, 0), middle])
    b.apply("loop_test", b.apply("less", [j, i]))
    (grown,) = b.apply("add", [inner, outside])
    (grown,) = b.apply("sub", [grown, x])
    (next_j,) = b.apply("add", [j, scalar(b, 1)])
    j, inner = b.apply("loop_end", [next_j, grown])
    (both,) = b.apply("add", [inner, middle])
    (next_i,) = b.apply("add", [i, scalar(b, 1)])
    i, total = b.apply("loop_end", [next_i, both])
    p = b.build([Output(total)])
    value = np.random.default_rng(0).integers(0, 3, 40).astype(np.float32)
    expected = value.copy()
    for step in range(4):
        middle_value = expected + value * value
        expected = middle_value + middle_value + step * (value * value - value)
    assert_same(p.run((value, 4), ())[0], expected)


def test_branches():
    b = Builder()
    c, x = b.input("bool", ()), b.input("float32", (5,))
    b.apply("branch_begin", [c])
    (twice,) = b.apply("add", [x, x])
    b.apply("branch_else", [twice, x])
    (square,) = b.apply("mul", [x, x])
    (negative,) = b.apply("neg", [square])
    y, z = b.apply("branch_end", [negative, square])
    (total,) = b.apply("add", [y, z])
    p = b.build([Output(y), Output(total)])
    value = np.arange(5, dtype=np.float32)
    got = p.run((True, value), ())
    assert_same(got[0], value * 2)
    assert_same(got[1], value * 3)
    got = p.run((False, value), ())
    assert_same(got[0], -value * value)
    assert_same(got[1], np.zeros(5, np.float32))


def test_variables_keep_their_sizes():
    b = Builder()
    x = b.input("float32", (3,))
    (v,) = b.apply("loop_begin", [x])
    b.apply("loop_test", [scalar(b, False, "bool")])
    (longer,) = b.apply("concat", [v, v], [0])
    got = b.apply("loop_end", [longer])
    assert b.build([Output(got[0])]).run((np.zeros(3, np.float32),), ()) is None


def new_list(b, count, dtype=0, flags=0, sizes=None):
    """A list in a program: of how many rows, whether it grows (1), clears (2), adds (4)."""
    return b.apply("list_begin", [scalar(b, count)], [dtype, flags, *([] if sizes is None else [1, *sizes])])[0]


def test_rows_are_written_read_and_added():
    b = Builder()
    x, i = b.input("float32", (None, 2)), b.input("int64", ())
    rows = new_list(b, 3)
    b.apply("list_scatter", [rows, b.constant(np.array([2, 0], np.int32)), x])
    (first,) = b.apply("list_read", [rows, i])
    gradients = b.apply("list_gradient", [rows], [5])[0]
    again = b.apply("list_gradient", [rows], [5])[0]
    for _ in range(2):
        b.apply("list_write", [gradients, scalar(b, 1), first])
        b.apply("list_scatter", [again, b.constant(np.array([2, 1])), x])
    (sums,) = b.apply("list_gather", [again, b.constant(np.array([0, 1, 2]))])
    (count,) = b.apply("list_size", [gradients])
    p = b.build([Output(first), Output(sums), Output(count, "scalar")])
    value = np.arange(4, dtype=np.float32).reshape(2, 2)
    for _ in range(2):
        got = p.run((value, 2), ())
        assert_same(got[0], value[0])
        # Zeros where nothing was written: the forward list has a row there.
        assert_same(got[1], np.stack([np.zeros(2), 2 * (value[0] + value[1]), 2 * value[0]]).astype(np.float32))
        assert got[2] == 3
    with pytest.raises(RegionFailure):
        p.run((value, 1), ())
    assert p.run((value[:1], 2), ()) is None


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool", "uint8"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (17, 5)])
def test_lists_of_all_types(dtype, shape):
    b = Builder()
    x, n = b.input(dtype, (None,) * len(shape)), b.input("int32", ())
    rows = new_list(b, 0, DTYPE_CODES[dtype], 1)
    (i,) = b.apply("loop_begin", [scalar(b, 0)])
    b.apply("loop_test", b.apply("less", [i, n]))
    b.apply("list_write", [rows, i, x])
    (i,) = b.apply("loop_end", b.apply("add", [i, scalar(b, 1)]))
    b.apply("list_push", [rows, x])
    (last,) = b.apply("list_pop", [rows])
    (count,) = b.apply("list_size", [rows])
    (both,) = b.apply("list_gather", [rows, b.constant(np.array([1, 0]))])
    p = b.build([Output(last), Output(count, "scalar"), Output(both)])
    value = np.arange(np.prod(shape, dtype=int)).astype(dtype).reshape(shape)
    for rounds in (2, 50, 3):
        got = p.run((value, rounds), ())
        assert_same(got[0], value)
        assert got[1] == rounds
        assert_same(got[2], np.stack([value, value]))
    with pytest.raises(RegionFailure):
        p.run((value, 1), ())


@pytest.mark.parametrize(
    ("flags", "uses"),
    [
        (0, [("list_write", 3)]),
        (0, [("list_write", -1)]),
        (1, [("list_write", -1)]),
        (0, [("list_write", 1), ("list_write", 1)]),
        (0, [("list_read", 0)]),
        (0, [("list_read", 3)]),
        (2, [("list_write", 1), ("list_read", 1), ("list_read", 1)]),
        (2, [("list_write", 1), ("list_read", 1), ("list_write", 1)]),
        (0, [("list_pop", None), ("list_pop", None), ("list_pop", None), ("list_pop", None)]),
    ],
)
def test_what_lists_refuse(flags, uses):
    b = Builder()
    row = b.constant(np.zeros(2, np.float32))
    rows = new_list(b, 3, 0, flags)
    # The sizes of rows are known from here on.
    b.apply("list_scatter", [rows, b.constant(np.zeros(0, np.int32)), b.constant(np.zeros([0, 2], np.float32))])
    for name, index in uses:
        given = [] if index is None else [scalar(b, index)]
        b.apply(name, [rows, *given, *([row] if name == "list_write" else [])])
    with pytest.raises(RegionFailure):
        b.build([]).run((), ())


def test_rows_of_which_something_is_said():
    for sizes, row, fits in [((2,), (2,), True), ((-1,), (2,), True), ((3,), (2,), False), ((-1, 2), (2,), False)]:
        b = Builder()
        rows = new_list(b, 2, sizes=sizes)
        b.apply("list_write", [rows, scalar(b, 1), b.constant(np.ones(row, np.float32))])
        (value,) = b.apply("list_read", [rows, scalar(b, 1)])
        assert (b.build([value]).run((), ()) is not None) == fits
    b = Builder()
    (value,) = b.apply("list_gather", [new_list(b, 2, sizes=(2,)), b.constant(np.array([1, 1]))])
    assert_same(b.build([value]).run((), ())[0], np.zeros([2, 2], np.float32))


def test_lists_are_no_values():
    b = Builder()
    rows = new_list(b, 2, sizes=())
    for value in (b.apply("neg", [rows])[0], rows):
        assert b.build([Output(value)]).run((), ()) is None
    b = Builder()
    row = b.constant(np.float32(0))
    assert b.build(b.apply("list_read", [row, scalar(b, 0)])).run((), ()) is None


def test_what_instructions_refuse_when_they_are_applied():
    b = Builder()
    x, i = b.input("float32", (3,)), b.input("int32", (3,))
    for name, inputs in (
        ("exp", [i]),
        ("add", [x, i]),
        ("gather", [x, x]),
        ("add", [x]),
        ("no_such", [x]),
        ("less", [x, x, x]),
    ):
        with pytest.raises(Unsupported):
            b.apply(name, inputs)


def random_program(seed):
    """A program of many instructions on values of a few sizes, and the same by NumPy."""
    rng = np.random.default_rng(seed)
    b, ids, known = Builder(), [], []
    inputs = []
    for shape in [(4, 5), (5,), (4, 1), ()]:
        inputs.append(rng.normal(0, 1, shape).astype(np.float32))
        ids.append(b.input("float32", (None,) * len(shape) if rng.random() < 0.5 else shape))
        known.append(inputs[-1])
    for _ in range(int(rng.integers(2, 120))):
        kind, at = rng.integers(0, 7), rng.integers(0, len(ids), 2)
        x, y = known[at[0]], known[at[1]]
        if kind < 3:
            name = ["add", "sub", "maximum"][kind]
            try:
                made = {"add": np.add, "sub": np.subtract, "maximum": np.maximum}[name](x, y)
            except ValueError:
                continue
            got = b.apply(name, [ids[at[0]], ids[at[1]]])
        elif kind == 3 and x.ndim:
            axis = int(rng.integers(0, x.ndim))
            made, got = x.mean(axis), b.apply("mean", [ids[at[0]]], [0, axis])
        elif kind == 4 and x.ndim == 2:
            made, got = x.T, b.apply("transpose", [ids[at[0]]], [1, 0])
        elif kind == 5 and x.ndim == 2 and y.ndim == 2 and x.shape[1] == y.shape[0]:
            made, got = (x @ y) / np.float32(x.shape[1]), b.apply("matmul", [ids[at[0]], ids[at[1]]], [0, 0])
            got = b.apply("div", [got[0], b.constant(np.float32(x.shape[1]))])
        elif kind == 6:
            made, got = np.tanh(x), b.apply("tanh", [ids[at[0]]])
        else:
            continue
        ids.append(got[0])
        known.append(np.asarray(made))
    chosen = sorted(rng.choice(len(ids), min(5, len(ids)), replace=False).tolist())
    return b.build([Output(ids[k]) for k in chosen]), tuple(inputs), [known[k] for k in chosen]


@pytest.mark.parametrize("seed", range(150))
def test_random_programs(seed):
    p, inputs, expected = random_program(seed)
    for _ in range(2):
        got = p.run(inputs, ())
        for value, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(value, other, rtol=2e-4, atol=2e-4)
