"""Ops run eagerly give what they give in a session: values, gradients and errors, from the declared cases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import ACCEPTED, REJECTED, Applied, deterministic, has_value, run_eagerly

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.core.registry import find

pytestmark = pytest.mark.usefixtures("on_device")

# What needs a graph around it: the frames of loops, and what only a plan makes.
_GRAPH_ONLY = {
    *("Enter", "Exit", "NextIteration", "LoopCond", "Merge", "Switch", "RefMerge", "RefSwitch"),
    *("Placeholder", "PlaceholderV2"),
}
# Without a graph, what these are given is checked by nobody: the op sets a variable's shape.
# The second is refused for its size, which only graphs know before: 13 GB are asked for first.
_UNCHECKED = {"AssignVariableOp-1", "Pad-2"}


def runs_eagerly(param: Any) -> bool:
    """Whether a case has a meaning outside graphs: variables of the first kind have none."""
    decl, case = param.values
    if decl.type in _GRAPH_ONLY or decl.takes_references or decl.kernel_rule is None:
        return False
    made = [step for step in (*case.args, *case.before, *case.after) if hasattr(step, "type")]
    used = [find(step.type) for step in made if step.type]
    return not any(other is None or other.takes_references or _gives_reference(other) for other in [decl, *used])


def _gives_reference(decl: Any) -> bool:
    return any(arg.is_ref for arg in decl.signature.outputs)


_CASES = [p for p in ACCEPTED if runs_eagerly(p)]
_DETERMINISTIC = [p for p in _CASES if deterministic(p.values[0]) and p.values[1].varies is None]


@pytest.mark.parametrize(("decl", "case"), _DETERMINISTIC)
def test_eager_values_are_those_of_a_session(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        expected = applied.run(applied.targets or applied.op) or []
    got = [tensor.numpy() for tensor in run_eagerly(decl, case).fetched if has_value(tensor)]
    assert len(got) == len(expected)
    for a, b in zip(expected, got, strict=True):
        assert np.asarray(a).dtype == np.asarray(b).dtype
        assert np.shape(a) == np.shape(b)
        if np.asarray(a).dtype.kind in "fc":
            np.testing.assert_allclose(np.asarray(a, np.complex128), np.asarray(b, np.complex128), rtol=1e-5, atol=1e-6)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("decl", "case"), [p for p in _CASES if p.values[0].stateful and p not in _DETERMINISTIC])
def test_ops_with_state_run_eagerly(decl, case):
    run_eagerly(decl, case)


@pytest.mark.parametrize(("decl", "case"), [p for p in _DETERMINISTIC if p.values[0].differentiable])
def test_tapes_give_the_gradients_of_the_graph(decl, case):
    with tf.Graph().as_default():
        applied = Applied(decl, case)
        xs = [t for t in applied.leaves if t.dtype.is_floating]
        ys = [t for t in applied.fetched if t.dtype.is_floating]
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
    with eager_mode():
        with tf.GradientTape() as tape:
            eager = run_eagerly(decl, case, tape)
        sources = [t for t in eager.leaves if t.dtype.is_floating]
        targets = [t for t in eager.fetched if t.dtype.is_floating]
        got = [None if g is None else tf.convert_to_tensor(g).numpy() for g in tape.gradient(targets, sources)]
    for a, b in zip(wanted, got, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("decl", "case"), [p for p in REJECTED if runs_eagerly(p) and p.id not in _UNCHECKED])
def test_bad_arguments_are_refused(decl, case):
    with pytest.raises((ValueError, TypeError, tf.errors.OpError, NotImplementedError)):
        run_eagerly(decl, case)
