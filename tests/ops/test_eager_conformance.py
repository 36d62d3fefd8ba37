"""Ops run eagerly give what they give in a session: values, gradients and errors, from the declared cases."""

from __future__ import annotations

import numpy as np
import pytest
from cases import ACCEPTED, REJECTED, Applied, deterministic

import headrace as tf
from headrace.core import nest
from headrace.core.eager import eager_mode

# What needs a graph around it: the frames of loops, and what only a plan makes.
_GRAPH_ONLY = {"Enter", "Exit", "NextIteration", "LoopCond", "Merge", "Switch", "RefMerge", "RefSwitch", "Placeholder"}
_CASES = [
    p
    for p in ACCEPTED
    if deterministic(p.values[0]) and p.values[0].type not in _GRAPH_ONLY and p.values[0].kernel_rule
]


def eager_inputs(applied, decl, case):
    """The arguments of the case as a graph took them, as eager tensors."""
    given = iter(applied.op.inputs)
    inputs = []
    for arg, item in zip(decl.signature.inputs, case.args, strict=True):
        if arg.number_attr is not None or arg.type_list_attr is not None:
            inputs.append([applied.value_of(next(given)) for _ in item])
        else:
            inputs.append(applied.value_of(next(given)))
    return nest.map_structure(lambda pair: tf.constant(pair[0], pair[1]), inputs)


class Valued(Applied):
    """A case whose inputs' values can be asked for."""

    def value_of(self, tensor):
        return _Pair(self.run(tensor), tensor.dtype.base_dtype)


class _Pair:
    def __init__(self, value, dtype):
        self.pair = value, dtype

    def __getitem__(self, i):
        return self.pair[i]


@pytest.mark.parametrize(("decl", "case"), _CASES)
def test_eager_values_are_those_of_a_session(decl, case):
    with tf.Graph().as_default():
        applied = Valued(decl, case)
        if applied.op is None or not applied.outputs or any(t.dtype.name == "variant" for t in applied.op.inputs):
            pytest.skip("nothing to compare")
        expected = applied.run(applied.outputs)
        values = [applied.value_of(tensor) for tensor in applied.op.inputs]
    if any(t.dtype.name in ("resource", "variant") for t in [*applied.op.inputs, *applied.outputs]):
        pytest.skip("handles belong to their session")
    with eager_mode():
        flat = iter([tf.constant(value, dtype) for value, dtype in (v.pair for v in values)])
        inputs = []
        for arg, item in zip(decl.signature.inputs, case.args, strict=True):
            many = arg.number_attr is not None or arg.type_list_attr is not None
            inputs.append([next(flat) for _ in item] if many else next(flat))
        got = nest.flatten(decl(*inputs, **case.attrs))
        got = [tensor.numpy() for tensor in got]
    assert len(got) == len(expected)
    for a, b in zip(expected, got, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert np.shape(a) == np.shape(b)
        if np.asarray(a).dtype.kind in "fc":
            np.testing.assert_allclose(np.asarray(a, np.complex128), np.asarray(b, np.complex128), rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("decl", "case"), [p for p in _CASES if p.values[0].differentiable])
def test_tapes_give_the_gradients_of_the_graph(decl, case):
    with tf.Graph().as_default():
        applied = Valued(decl, case)
        if applied.op is None or any(
            t.dtype.name in ("resource", "variant") for t in [*applied.op.inputs, *applied.outputs]
        ):
            pytest.skip("handles belong to their session")
        xs = [t for t in applied.op.inputs if t.dtype.is_floating]
        ys = [t for t in applied.outputs if t.dtype.is_floating]
        if not xs or not ys:
            pytest.skip("nothing to differentiate")
        try:
            made = tf.gradients(ys, xs)
        except (LookupError, NotImplementedError, ValueError, TypeError):
            pytest.skip("1.x has no gradient for this")
        made = [None if g is None else tf.convert_to_tensor(g) for g in made]
        try:
            wanted = [None if g is None else applied.run(g) for g in made]
        except tf.errors.OpError:
            pytest.skip("1.x has no gradient for this")
        values = [applied.value_of(tensor) for tensor in applied.op.inputs]
    with eager_mode():
        flat = [tf.constant(value, dtype) for value, dtype in (v.pair for v in values)]
        given = iter(flat)
        inputs = []
        for arg, item in zip(decl.signature.inputs, case.args, strict=True):
            many = arg.number_attr is not None or arg.type_list_attr is not None
            inputs.append([next(given) for _ in item] if many else next(given))
        sources = [t for t in flat if t.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            targets = [t for t in nest.flatten(decl(*inputs, **case.attrs)) if t.dtype.is_floating]
        got = [None if g is None else tf.convert_to_tensor(g).numpy() for g in tape.gradient(targets, sources)]
    for a, b in zip(wanted, got, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("decl", "case"), [p for p in REJECTED if p.values[0].kernel_rule])
def test_bad_arguments_are_refused(decl, case):
    inputs = []
    for arg, item in zip(decl.signature.inputs, case.args, strict=True):
        many = arg.number_attr is not None or arg.type_list_attr is not None
        inputs.append([_filled(part) for part in item] if many else _filled(item))
    with eager_mode(), pytest.raises((ValueError, TypeError, tf.errors.OpError, NotImplementedError)):
        decl(*inputs, **case.attrs)


def _filled(item):
    if isinstance(item, list) and all(size is None or isinstance(size, int) for size in item):
        return np.ones([3 if size is None else size for size in item], np.float32)
    return item
