"""The list of passes: each gets what it needs from those before it, in every selection."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.plan.passes import FUSIONS, OPTIMIZED, PASSES, WATCHED
from headrace.plan.pipeline import observed, without
from headrace.plan.watched import make_watched_plan


@pytest.mark.parametrize("selection", [OPTIMIZED, WATCHED], ids=["optimized", "watched"])
def test_each_pass_gets_what_it_needs(selection):
    held = set()
    for each in selection:
        assert each.needs <= held, f"'{each.name}' needs {[need.value for need in each.needs - held]}"
        if each.when is None:
            held -= each.ends
        held |= each.ensures


def test_names_are_unique_and_purposes_one_line():
    assert len({each.name for each in PASSES}) == len(PASSES)
    for each in PASSES:
        assert each.name == each.name.strip().lower()
        assert each.purpose
        assert "\n" not in each.purpose
        assert each.purpose[0].islower()
        assert not each.purpose.endswith(".")


def test_each_pass_is_in_a_selection():
    assert set(PASSES) == {*OPTIMIZED, *WATCHED}


def test_an_op_is_made_by_one_fusion():
    for each in FUSIONS:
        assert each.fusion.devices <= {"cpu", "cuda"}
    made = [decl.type for each in FUSIONS for decl in each.fusion.makes]
    assert len(set(made)) == len(made)


def passes_of(make):
    ran = []
    with observed(lambda graph, each: ran.append(each)):
        make()
    assert ran[0] is None
    return ran[1:]


def test_plans_run_the_passes_of_their_selection_in_order():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.nn.relu(tf.matmul(x, tf.ones([3, 2])) + tf.constant([1.0, 2.0]))
        plain = passes_of(lambda: session.plan_for(y, [x]))
        watched = passes_of(lambda: make_watched_plan([y], [x], session._runtime))
    for ran, selection in ((plain, OPTIMIZED), (watched, WATCHED)):
        places = [selection.index(each) for each in ran]
        assert places == sorted(set(places))
        # All but those that have nothing to do.
        assert all(each.when is not None for each in selection if each not in ran)


def test_watched_plans_have_every_operation():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        y = tf.identity(tf.exp(x)) + tf.exp(x) * (tf.constant(2.0) * tf.constant(3.0))
        plan = make_watched_plan([y], [x], session._runtime)
        assert sorted(node.type for node in plan.nodes) == ["AddV2", "Exp", "Exp", "Identity", "Mul", "Mul"]


def test_a_pass_can_be_left_out():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [None, 3])
        y = tf.matmul(x, tf.ones([3, 2], tf.float64)) + np.array([1.0, 2.0])

        def types():
            return [node.type for node in session.plan_for(y, [x]).nodes]

        assert types() == ["_MatMulBias"]
        with without("bias"):
            assert types() == ["MatMul", "AddV2"]
            with without("simplify again"):
                assert types() == ["MatMul", "AddV2"]
            assert types() == ["MatMul", "AddV2"]
        assert types() == ["_MatMulBias"]


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("as_values", [False, True])
@pytest.mark.parametrize(
    ("write", "twice"),
    [
        (lambda v: tf.assign_add(v, [1.0, 2.0]), [2.0, 4.0]),
        (lambda v: tf.assign_sub(v, [1.0, 2.0]), [-2.0, -4.0]),
        (lambda v: tf.scatter_add(v, [0], [3.0]), [6.0, 0.0]),
    ],
)
def test_equal_writes_are_all_made(resource, as_values, write, twice):
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.get_variable("v", initializer=[0.0, 0.0], use_resource=resource)
        writes = [write(variable) for _ in range(2)]
        sess.run(variable.initializer)
        sess.run(writes if as_values else [tf.group(*writes)])
        assert sess.run(variable).tolist() == twice
