"""Programs as Python sees them: what they are given and give, sizes that change, arenas, threads."""

import subprocess
import sys
import threading

import numpy as np
import pytest
import torch
from native_values import assert_same

from headrace import native
from headrace.native.program import Builder, Output, Program, RegionFailure, Unsupported

needed = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


def doubled(kind="array", dims=(None,)) -> Program:
    b = Builder()
    x = b.input("float32", dims)
    (y,) = b.apply("add", [x, x])
    return b.build([Output(y, kind)])


@needed
def test_what_inputs_may_be():
    b = Builder()
    names = ["float32", "float64", "int32", "int64", "bool", "uint8"]
    p = b.build([Output(b.input(name, ()), "scalar") for name in names])
    expected = [1.5, 2.5, 3, -4, True, 7]
    plain = p.run(expected, [])
    of_numpy = p.run(tuple(np.asarray(value, name) for value, name in zip(expected, names, strict=True)), ())
    scalars = p.run(tuple(np.dtype(name).type(value) for value, name in zip(expected, names, strict=True)), ())
    tensors = p.run(
        tuple(torch.tensor(value, dtype=getattr(torch, n)) for value, n in zip(expected, names, strict=True)), ()
    )
    for got in (plain, of_numpy, scalars, tensors):
        assert [value.item() for value in got] == expected
        assert [value.dtype.name for value in got] == names
        assert all(isinstance(value, np.generic) for value in got)


@needed
def test_what_does_not_fit_what_was_declared():
    p = doubled()
    for wrong in (np.zeros(3), np.zeros((3, 1), np.float32), "text", None, np.zeros(3, ">f4"), 1.0):
        assert p.run((wrong,), ()) is None
    with pytest.raises(ValueError, match="1 inputs"):
        p.run((), ())
    with pytest.raises(TypeError):
        p.run("x", ())
    with pytest.raises(TypeError):
        p.run((np.zeros(3, np.float32),), (), object())


@needed
@pytest.mark.parametrize("dims", [(None,), (4,)])
def test_tensors_of_another_type_or_layout(dims):
    p = doubled(dims=dims)
    value = torch.arange(4, dtype=torch.float32)
    wrong = [value.to(kind) for kind in (torch.float64, torch.int32, torch.float16, torch.bfloat16, torch.uint8)]
    wrong += [value.bool(), value.to(torch.complex64), value.to_sparse(), value.to("meta"), value.view(torch.int32)]
    assert [p.run((tensor,), ()) for tensor in wrong] == [None] * len(wrong)
    b = Builder()
    q = b.build(b.apply("assign_add", [b.buffer("float32", dims), b.constant(np.float32(1.0))]))
    assert [q.run((), (tensor,)) for tensor in (*wrong, torch.zeros(8)[::2])] == [None] * (len(wrong) + 1)
    assert_same(p.run((torch.arange(8.0)[::2],), ())[0], np.arange(0, 16, 4, dtype=np.float32))
    assert_same(q.run((), (value,))[0], np.arange(1, 5, dtype=np.float32))


@needed
def test_numbers_that_the_type_does_not_hold():
    b = Builder()
    p = b.build([b.input(name, ()) for name in ("int32", "uint8", "bool")])
    assert p.run((2**31 - 1, 255, False), ()) is not None
    for wrong in ((2**31, 1, True), (-(2**31) - 1, 1, True), (1, 256, True), (1, -1, True), (1, 1, 1), (1.0, 1, True)):
        assert p.run(wrong, ()) is None
    assert p.run((1, 1, None), ()) is None


@needed
def test_results_have_memory_of_their_own():
    value = torch.arange(3, dtype=torch.float32)
    for kind, is_kind in (("array", np.ndarray), ("fresh", torch.Tensor), ("tensor", torch.Tensor)):
        p = doubled(kind)
        first, second = p.run((value,), ())[0], p.run((value + 1,), ())[0]
        assert isinstance(first, is_kind)
        assert first.tolist() == [0, 2, 4]
        assert second.tolist() == [2, 4, 6]


@needed
def test_tensors_over_an_arena_are_made_once():
    p = doubled("tensor")
    arena = p.lease()
    (first,) = p.run((torch.ones(3),), (), arena)
    (second,) = p.run((torch.full((3,), 2.0),), (), arena)
    assert second is first
    assert first.tolist() == [4, 4, 4]
    (longer,) = p.run((torch.ones(1000),), (), arena)
    assert longer.shape == (1000,)
    p.give_back(arena)
    assert p.lease() is arena
    with pytest.raises(TypeError):
        doubled("tensor").give_back(arena)


@needed
def test_outputs_that_are_inputs_or_views():
    b = Builder()
    x = b.input("float32", (2, 3))
    (turned,) = b.apply("transpose", [x], [1, 0])
    c = b.constant(np.arange(2, dtype=np.int64))
    p = b.build([Output(v, kind) for v in (x, turned, c) for kind in ("array", "tensor", "fresh")])
    value = np.arange(6, dtype=np.float32).reshape(2, 3)
    got = p.run((value,), ())
    value[:] = 0
    for k, expected in enumerate([np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3).T, np.arange(2)]):
        for part in got[3 * k : 3 * k + 3]:
            np.testing.assert_array_equal(np.asarray(part), expected)


@needed
def test_sizes_that_change_at_each_run():
    p = doubled("tensor")
    arena = p.lease()
    for round_of in range(3):
        for size in range(200):
            value = np.full(size, round_of, np.float32)
            assert p.run((value,), (), arena)[0].tolist() == [2.0 * round_of] * size


@needed
def test_a_buffer_may_be_another_tensor_in_the_next_run():
    b = Builder()
    w = b.buffer("float32", (None,))
    (after,) = b.apply("assign_add", [w, b.constant(np.float32(1))])
    p = b.build([Output(after)])
    first, second = torch.zeros(2), torch.ones(3)
    for expected in (1, 2):
        assert p.run((), (first,))[0].tolist() == [expected] * 2
        assert p.run((), (second,))[0].tolist() == [expected + 1] * 3
    assert first.tolist() == [2, 2]
    assert p.run((), (torch.zeros(3, 2).t()[0],)) is None
    assert p.run((), (None,)) is None


@needed
def test_a_failure_leaves_the_program_as_it_was():
    b = Builder()
    x, i = b.input("float32", (3,)), b.input("int64", ())
    (row,) = b.apply("gather", [x, i], [0, 0])
    p = b.build([Output(row, "scalar")], notes=["the gather"])
    value = np.arange(3, dtype=np.float32)
    failures = []
    for place in (3, -1, 2**40):
        with pytest.raises(RegionFailure) as failure:
            p.run((value, place), ())
        failures.append(failure.value)
    assert [int(failure.value(i)) for failure in failures] == [3, -1, 2**40]
    assert p.notes[failures[0].instruction] == "the gather"
    assert p.run((value, 2), ()) == (2.0,)


@needed
def test_programs_run_in_several_threads():
    b = Builder()
    x = b.input("float32", (None, None))
    value = x
    for _ in range(4):
        (value,) = b.apply("matmul", [value, x], [0, 0])
        (value,) = b.apply("tanh", [value])
    p = b.build([Output(value)])
    matrices = [
        np.random.default_rng(seed).normal(0, 0.1, (60 + seed, 60 + seed)).astype(np.float32) for seed in range(4)
    ]
    expected = [p.run((matrix,), ())[0] for matrix in matrices]
    wrong = []

    def work(seed):
        for _ in range(100):
            (got,) = p.run((matrices[seed],), ())
            if not (got == expected[seed]).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed % 4,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@needed
def test_too_much_work_is_not_run():
    b = Builder()
    x = b.input("float32", (None, None))
    (y,) = b.apply("matmul", [x, x], [0, 0])
    p = b.build([Output(y)])
    assert p.run((np.zeros((900, 900), np.float32),), ()) is None
    assert p.run((np.zeros((90, 90), np.float32),), ()) is not None
    p.set_limit(10)
    assert p.run((np.zeros((90, 90), np.float32),), ()) is None
    assert "too much work" in p.dump()


@needed
def test_many_instructions_may_be_more_work():
    b = Builder()
    last = b.input("float32", ())
    for _ in range(3000):
        (last,) = b.apply("neg", [last])
    p = b.build([Output(last)])
    # Each is estimated at five nanoseconds and a little.
    p.set_limit(10_000)
    assert p.run((np.ones((), np.float32),), ())[0] == 1
    p.set_limit(1_000)
    assert p.run((np.ones((), np.float32),), ()) is None


@needed
def test_a_listing():
    p = doubled()
    assert p.dump() == "v1: float32 = add(v0, v0)\n"
    p.run((np.zeros(5, np.float32),), ())
    assert p.dump().startswith("v1: float32[5] @0 = add(v0, v0)\n1 steps, 64 bytes")


@needed
def test_arrays_of_every_length_end_where_they_end():
    """No kernel writes beyond its result: results lie side by side here."""
    for size in range(1, 70):
        b = Builder()
        x = b.input("float32", (size,))
        (y,) = b.apply("exp", [x])
        (z,) = b.apply("add", [y, x])
        (c,) = b.apply("less", [x, y])
        (m,) = b.apply("select", [c, y, z])
        p = b.build([Output(v) for v in (y, z, c, m)])
        value = np.linspace(-2, 2, size, dtype=np.float32)
        got = p.run((value,), ())
        np.testing.assert_allclose(got[0], np.exp(value), rtol=3e-7)
        assert_same(got[1], got[0] + value)
        assert_same(got[2], value < got[0])
        assert_same(got[3], got[0])


@needed
def test_what_cannot_be_in_a_program():
    b = Builder()
    with pytest.raises(Unsupported):
        b.input("complex64", (3,))
    with pytest.raises(Unsupported):
        b.constant(np.array(["text"]))
    with pytest.raises(Unsupported, match="axes"):
        b.input("float32", (1,) * 13)


def test_without_the_runner_everything_says_so():
    text = (
        "from headrace import native\n"
        "from headrace.native.program import Builder\n"
        "print(native.available(), native.why_not(), native.description(), native.instruction_set() == '')\n"
        "try:\n    Builder()\nexcept RuntimeError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], env={"HEADRACE_NATIVE": "0"}, capture_output=True, text=True, check=True
    )
    first, second = done.stdout.splitlines()
    assert first == "False HEADRACE_NATIVE=0 off, HEADRACE_NATIVE=0 True"
    assert second == "There is no native runner: HEADRACE_NATIVE=0"


@needed
def test_more_sizes_than_are_kept_for_sure():
    p = doubled(dims=(None, None))
    shapes = [(rows, columns) for rows in range(1, 20) for columns in range(1, 20)]
    for order in (shapes, shapes, shapes[::-1], shapes[::7]):
        for shape in order:
            x = np.random.RandomState(0).randn(*shape).astype(np.float32)
            assert_same(p.run((x,), ())[0], 2 * x)
