"""Updates of variables by direct calls, all rows and some of them: what the formulas in Python leave there."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace import native
from headrace.core.registry import raw
from headrace.native import loading
from headrace.plan.pipeline import without

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

# The op's name, how many slots there are, the numbers before the gradient and after it, and the flag.
UPDATES = {
    "Adadelta": (2, [0.1, 0.9, 1e-3], [], None),
    "Adagrad": (1, [0.1], [], "update_slots"),
    "AdagradV2": (1, [0.1, 1e-3], [], "update_slots"),
    "Adam": (2, [0.81, 0.98, 0.1, 0.9, 0.99, 1e-3], [], "use_nesterov"),
    "KerasMomentum": (1, [0.1], [0.8], "use_nesterov"),
    "Momentum": (1, [0.1], [0.8], "use_nesterov"),
    "ProximalAdagrad": (1, [0.1, 0.5, 0.3], [], None),
    "RMSProp": (2, [0.1, 0.95, 0.8, 1e-3], [], None),
}


def left_by(name, states, grad, rows, flag, monkeypatch, direct):
    """What an update leaves in the variable and its slots."""
    _, before, after, flag_name = UPDATES[name]
    kind = states[0].dtype
    with monkeypatch.context() as patched, without("native regions"), tf.Graph().as_default(), tf.Session() as session:
        if not direct:
            patched.setattr(loading, "why_not", lambda: "a test wants the kernels in Python")
        made = [tf.get_variable(f"v{i}", initializer=state, use_resource=True) for i, state in enumerate(states)]
        given = [tf.constant(number, kind) for number in before]
        given += [tf.placeholder_with_default(grad, grad.shape)] + ([] if rows is None else [tf.constant(rows)])
        given += [tf.constant(number, kind) for number in after]
        form = "Resource" + ("" if rows is None else "Sparse") + "Apply"
        attrs = {} if flag_name is None else {flag_name: flag}
        update = getattr(raw, form + name)(*[state.handle for state in made], *given, **attrs)
        session.run(tf.global_variables_initializer())
        session.run(update)
        return session.run([state.read_value() for state in made])


def compared(name, states, grad, rows, flag, monkeypatch):
    made, expected = (left_by(name, states, grad, rows, flag, monkeypatch, direct) for direct in (True, False))
    tolerance = 1e-5 if grad.dtype == np.float32 else 1e-12
    for one, other, state in zip(made, expected, states, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)
        assert one.dtype == state.dtype


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 5)], ids=str)
@pytest.mark.parametrize("name", UPDATES)
def test_all_rows(name, shape, kind, flag, monkeypatch):
    random = np.random.RandomState(len(shape))
    states = [np.abs(random.randn(*shape)).astype(kind) for _ in range(1 + UPDATES[name][0])]
    compared(name, states, np.asarray(random.randn(*shape)).astype(kind), None, flag, monkeypatch)


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("rows", [[], [2], [4, 0, 4]], ids=str)
@pytest.mark.parametrize("name", sorted(set(UPDATES) - {"Adam"}))
def test_some_rows(name, rows, flag, monkeypatch):
    random = np.random.RandomState(len(rows))
    states = [np.abs(random.randn(5, 3)).astype("float32") for _ in range(1 + UPDATES[name][0])]
    grad = random.randn(len(rows), 3).astype("float32")
    compared(name, states, grad, np.array(rows, "int64"), flag, monkeypatch)


def test_a_step_that_is_not_finite(monkeypatch):
    states = [np.ones(3, "float32"), np.zeros(3, "float32"), np.array([0, np.inf, 4], "float32")]
    compared("Adam", states, np.array([np.nan, 1, np.inf], "float32"), None, False, monkeypatch)


@pytest.mark.parametrize("name", UPDATES)
def test_a_gradient_of_another_size_is_refused(name, monkeypatch):
    states = [np.ones(3, "float32")] * (1 + UPDATES[name][0])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        left_by(name, states, np.ones(4, "float32"), None, False, monkeypatch, True)
