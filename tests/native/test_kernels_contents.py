"""What is in small values of integers: told to the planner where it follows from sizes, and by the run where it does not."""

from __future__ import annotations

import numpy as np
import pytest

from headrace import native
from headrace.native.program import Builder, RegionFailure, Unsupported

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no native runner")


def run(build, *inputs):
    """What the program gives that `build` makes of inputs like these; None where it cannot."""
    b = Builder()
    ids = [b.input(value.dtype.name, (None,) * value.ndim) for value in map(np.asarray, inputs)]
    program = b.build(build(b, *ids))
    given = tuple(map(np.asarray, inputs))
    first, again = program.run(given, ()), program.run(given, ())
    if first is not None:
        for one, other in zip(first, again, strict=True):
            np.testing.assert_array_equal(one, other)
    return first


def test_contents_that_follow_from_sizes():
    def build(b, x):
        (shape,) = b.apply("shape_of", [x], [2])
        (turned,) = b.apply("reverse", [shape], [0])
        (product,) = b.apply("prod", [shape], [1, 0])
        return [*b.apply("reshape", [x], [b.contents(turned)]), *b.apply("reshape", [x], [b.contents(product)])]

    for shape in ((2, 3), (1, 1), (0, 4), (5, 2)):
        x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        turned, flat = run(build, x)
        np.testing.assert_array_equal(turned, x.reshape(shape[::-1]))
        np.testing.assert_array_equal(flat, x.reshape(-1))


def test_contents_that_a_run_tells():
    def build(b, x, n):
        (doubled,) = b.apply("add", [x, x])
        (most,) = b.apply("max", [n], [0, 0])
        (tiled,) = b.apply("tile", [doubled], [b.contents(most), 1])
        (total,) = b.apply("sum", [tiled], [0, 0])
        (least,) = b.apply("min", [n], [0, 0])
        (filled,) = b.apply("fill", [least], [b.contents(least), b.contents(most)])
        return [tiled, total, filled, doubled]

    x = np.arange(6, dtype=np.float64).reshape(2, 3)
    for n in ([1], [3, 2], [40, 7], [2, 3], [0]):
        numbers = np.array(n, np.int32)
        tiled, total, filled, doubled = run(build, x, numbers)
        np.testing.assert_array_equal(doubled, 2 * x)
        np.testing.assert_array_equal(tiled, np.tile(2 * x, (max(n), 1)))
        np.testing.assert_array_equal(total, tiled.sum(0))
        np.testing.assert_array_equal(filled, np.full((min(n), max(n)), min(n)))
    assert run(build, x, np.array([-1], np.int32)) is None


def test_one_program_for_many_contents():
    b = Builder()
    n = b.input("int32", ())
    (numbers,) = b.apply("range", [b.constant(np.int32(0)), b.constant(np.int32(2))], [b.contents(n)])
    program = b.build([b.apply("sum", [numbers], [0, 0])[0]])
    for count in [*range(200), *range(200)]:
        assert program.run((np.int32(count),), ())[0] == count * (count - 1)


def test_what_comes_off_a_stack_in_a_loop():
    def build(b, x, n):
        (stack,) = b.apply("list_begin", [b.constant(np.int32(0))], [2, 1])
        zero, one = b.constant(np.int32(0)), b.constant(np.int32(1))
        (i,) = b.apply("loop_begin", [zero])
        b.apply("loop_test", b.apply("less", [i, n]))
        b.apply("list_push", [stack, b.apply("shape_of", [x], [2])[0]])
        (i,) = b.apply("loop_end", b.apply("add", [i, one]))
        i, total = b.apply("loop_begin", [zero, b.constant(np.float32(0))])
        b.apply("loop_test", b.apply("less", [i, n]))
        (shape,) = b.apply("list_pop", [stack])
        (ones,) = b.apply("fill", [b.constant(np.float32(1))], [b.contents(shape)])
        (more,) = b.apply("sum", [ones], [0, 0, 1])
        i, total = b.apply("loop_end", [b.apply("add", [i, one])[0], b.apply("add", [total, more])[0]])
        return [total]

    for shape in ((2, 3), (0, 2), (1, 1)):
        for n in (0, 1, 4):
            assert run(build, np.zeros(shape, np.float32), np.int32(n))[0] == n * shape[0] * shape[1]


def test_nothing_is_asked_inside_of_a_loop_unless_before():
    def build(asks):
        def made(b, n):
            if asks:
                b.apply("ask", [n])
            (i,) = b.apply("loop_begin", [b.constant(np.int32(0))])
            b.apply("loop_test", b.apply("less", [i, n]))
            (ones,) = b.apply("fill", [b.constant(np.int32(1))], [b.contents(n)])
            return list(b.apply("loop_end", b.apply("add", [i, b.apply("sum", [ones], [0, 0])[0]])))

        return made

    assert run(build(False), np.int32(3)) is None
    assert run(build(True), np.int32(3))[0] == 3


@pytest.mark.parametrize(
    ("shapes", "axes"),
    [
        (([2, 3], [3]), ([], [0])),
        (([2, 3], [2, 3]), ([], [])),
        (([1, 3], [2, 1]), ([0], [1])),
        (([], [2]), ([0], [])),
        (([1], [1]), ([], [])),
        (([2], [3]), None),
    ],
)
def test_axes_along_which_shapes_were_broadcast(shapes, axes):
    found = run(
        lambda b, x, y: b.apply("broadcast_gradient_args", [x, y]), *(np.array(shape, np.int32) for shape in shapes)
    )
    assert found is None if axes is None else [each.tolist() for each in found] == list(axes)


def test_a_condition_that_does_not_hold():
    b = Builder()
    condition = b.input("bool", ())
    b.apply("assert_true", [condition])
    program = b.build([condition])
    assert program.run((np.bool_(True),), ())[0]
    with pytest.raises(RegionFailure):
        program.run((np.bool_(False),), ())
    with pytest.raises(Unsupported):
        b.apply("assert_true", [b.constant(np.int32(1))])


@pytest.mark.parametrize(
    ("shapes", "joined"),
    [
        (([2, 3], [3]), [2, 3]),
        (([1, 3], [2, 1]), [2, 3]),
        (([], [2]), [2]),
        (([0], [1]), [0]),
        (([], []), []),
        (([2], [3]), None),
    ],
)
def test_the_shape_that_shapes_broadcast_to(shapes, joined):
    def build(b, x, y):
        (shape,) = b.apply("broadcast_args", [x, y])
        return [shape, *b.apply("fill", [b.constant(np.float32(1))], [b.contents(shape)])]

    found = run(build, *(np.array(shape, np.int32) for shape in shapes))
    if joined is None:
        assert found is None
    else:
        assert found[0].tolist() == joined
        assert found[1].shape == tuple(joined)
