"""Loops, branches and arrays of rows in native programs, and what the memory plan makes of them."""

import numpy as np
import pytest
from native_values import assert_same, run_one

from headrace import native
from headrace.native.program import Builder, Output, RegionFailure, Unsupported

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


def scalar(b, value, dtype="int32"):
    return b.constant(np.asarray(value, dtype))


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_recurrence_over_the_rows_of_an_input(count):
    b = Builder()
    x, w = b.input("float32", (None, 3)), b.input("float32", (4, 4))
    steps = b.dim(x, 0)
    (outputs,) = b.apply("fill", [scalar(b, 0, "float32")], [steps, 4])
    (first,) = b.apply("fill", [scalar(b, 1, "float32")], [4])
    (limit,) = b.apply("size_of", [b.apply("slice", [x], [0, 0, -1, 1, 1, 1])[0]], [2])
    i, state, array = b.apply("loop_begin", [scalar(b, 0), first, outputs])
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
    (filled,) = b.apply("put_row", [array, i, after])
    (next_i,) = b.apply("add", [i, scalar(b, 1)])
    i, state, array = b.apply("loop_end", [next_i, after, filled])
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


def test_rows_are_written_and_added():
    array, row = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([10, 20], np.float32)
    (got,) = run_one("put_row", [array, np.array(1), row])
    assert_same(got, np.array([[0, 1], [10, 20], [4, 5]], np.float32))
    (got,) = run_one("add_row", [array, np.array(2, np.int32), row])
    assert_same(got, np.array([[0, 1], [2, 3], [14, 25]], np.float32))
    assert array[1, 0] == 2
    with pytest.raises(RegionFailure):
        run_one("put_row", [array, np.array(3), row])


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
