"""Graphs are legal between passes, whatever the program; and what is not legal is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.plan import pipeline
from headrace.plan.invariants import IllegalGraphError, checked, problems
from headrace.plan.ir import UNBOUND
from headrace.plan.passes import FUSIONS, OPTIMIZED
from headrace.plan.pipeline import Pass, without
from headrace.plan.watched import make_watched_plan


@pytest.fixture
def legal_graphs():
    """Here some graphs are not; the others are checked where they are made."""


HELD = {each for one in OPTIMIZED for each in one.ensures}
OPTIONAL = [*(each.name for each in FUSIONS), "drop gates", "bind sizes", "simplify again"]
OPTIONAL += ["advance updates", "native regions", "reuse memory", "mark heavy"]


# ---- programs

UNARY = [tf.sin, tf.tanh, tf.negative, tf.identity, tf.stop_gradient, lambda x: x * 1.0, lambda x: x + tf.zeros([2])]
UNARY += [lambda x: tf.reshape(x, tf.shape(x)), lambda x: x[:, :2], lambda x: tf.concat([x[:1], x[1:]], 0)]
UNARY += [lambda x: tf.add_n([x, tf.sin(x), x]), lambda x: _pooled(x)]
BINARY = [tf.add, tf.subtract, tf.multiply, lambda x, y: tf.matmul(x, y, transpose_b=True) @ x, tf.maximum]


def _branch(x, y):
    return tf.cond(tf.reduce_sum(x) > 0.5, lambda: tf.tanh(x + y), lambda: x * tf.constant(0.5))


def _known_branch(x, y):
    return tf.cond(tf.constant(True), lambda: x - y, lambda: x * tf.reduce_sum(y))


def _loop(x, y):
    return tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, tf.tanh(t + y) * 0.5), [0, x])[1]


def _after_a_write(x, y):
    with tf.control_dependencies([tf.assign_add(tf.get_variable("v"), tf.reduce_mean(y, 0))]):
        return x + tf.get_variable("v")


def _asserted(x, y):
    with tf.control_dependencies([tf.assert_equal(tf.shape(x)[1], 2), tf.assert_less(y, 1e6)]):
        return tf.identity(x) * tf.constant(2.0)


def _gradients(x, y):
    return tf.gradients(tf.reduce_mean(tf.sin(x) * y), x)[0]


def _pooled(x):
    image = tf.nn.relu(tf.reshape(x, [1, -1, 2, 1]))
    return tf.reshape(tf.nn.max_pool(image, [1, 2, 1, 1], [1, 1, 1, 1], "SAME"), tf.shape(x))


def _gradient_of_a_pool(x, y):
    return tf.gradients(tf.reduce_sum(tf.sin(_pooled(tf.nn.bias_add(x, tf.constant([0.5, -0.5])) * y))), x)[0]


def _gradient_of_a_weight(x, y):
    w, z = tf.constant([[0.5, -0.25], [1.0, 0.125]]), x
    for _ in range(3):
        z = tf.tanh(tf.matmul(z, w))
    return y + tf.gradients(z, w)[0][:1]


CONTROL = [_branch, _known_branch, _loop, _asserted, _gradients, _gradient_of_a_pool, _gradient_of_a_weight]
STEPS = st.lists(
    st.tuples(st.sampled_from([*UNARY, *BINARY, *CONTROL, *CONTROL]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=9,
)


def _program(steps, writes):
    """The fed tensor and what comes of the steps, each of which takes values made before."""
    x = tf.placeholder(tf.float32, [None, 2])
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        v = tf.get_variable("v", initializer=np.array([0.5, -0.25], np.float32))
        values = [x, x + v.read_value() if hasattr(v, "read_value") else x + v]
        for step, i, j in steps:
            first, second = values[i % len(values)], values[j % len(values)]
            values.append(step(first) if step in UNARY else step(first, second))
        if writes:
            values.append(_after_a_write(values[-1], values[-2]))
    return x, v, values


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sets(st.integers(0, 9), min_size=1, max_size=3), st.booleans())
def test_graphs_are_legal_and_optional_passes_change_no_value(steps, expected, writes):
    with tf.Graph().as_default(), checked():
        x, v, values = _program(steps, writes)
        fetches = [values[i % len(values)] for i in expected] + ([values[-1]] if writes else [])
        fed = np.array([[0.5, -1.0], [0.25, 2.0], [-0.5, 0.125]], np.float32)
        results = []
        for left_out in ((), OPTIONAL):
            with without(*left_out), tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results.append([*session.run(fetches, {x: fed}), session.run(v)])
        with tf.Session() as session:
            make_watched_plan(fetches, [x], session._runtime)
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)


# ---- what is found


@pytest.fixture
def graph(plain_calls):
    """A planned graph with a loop, a branch, a write and nodes that compute in the memory of others."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [4, 4], name="x")
        v = tf.get_variable("v", initializer=np.ones([4, 4], np.float32), use_resource=True)
        y = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, tf.sin(t) + tf.cos(t)), [0, x])[1]
        y = tf.cond(tf.reduce_sum(y) > 0.0, lambda: tf.exp(y), lambda: tf.negative(y))
        with tf.control_dependencies([v.assign_add(y)]):
            z = tf.tanh(tf.sin(y) * v.read_value())
        return session.plan_for([z, y], [x]).graph


def test_a_planned_graph_is_legal(graph):
    assert problems(graph, HELD) == []
    assert graph.reused


def _node(graph, op_type):
    return next(node for node in graph.nodes if node.type == op_type)


def _loop_of(graph):
    return next(node for node in graph.nodes if node.region is not None)


def _lose_a_node(graph):
    graph.nodes = [node for node in graph.nodes if node.type != "Sin"]


def _repeat_a_node(graph):
    graph.nodes = [*graph.nodes, graph.nodes[0]]


def _take_what_is_inside_a_loop(graph):
    _node(graph, "Sin").inputs[0] = _loop_of(graph).region.nodes[-1].outputs[0]


def _wait_for_what_is_gone(graph):
    gone = _node(graph, "Tanh")
    graph.nodes[0].control = [gone]
    graph.nodes = [node for node in graph.nodes if node is not gone]
    graph.fetches = graph.fetches[1:]


def _fetch_what_is_gone(graph):
    graph.nodes = [node for node in graph.nodes if node.type != "Tanh"]


def _turn_the_order_around(graph):
    graph.nodes = graph.nodes[::-1]


def _share_an_output(graph):
    _node(graph, "Sin").outputs = _node(graph, "Tanh").outputs


def _forget_a_guard(graph):
    _node(graph, "Exp").guard = ()


def _forget_the_next_value(graph):
    _loop_of(graph).region.nexts.pop()


def _ask_too_early(graph):
    region = _loop_of(graph).region
    for node in region.nodes:
        node.early = not node.early


def _unbind_a_variable(graph):
    read = _node(graph, "ReadVariableOp")
    read.inputs[0].bound = UNBOUND


def _run_what_is_gone(graph):
    graph.keep = {*graph.keep, _loop_of(graph).region.nodes[0]}


def _reuse_what_is_fetched(graph):
    node, reuse = next((node, graph.reused[node]) for node in graph.nodes if node in graph.reused)
    graph.fetches = [*graph.fetches, node.inputs[reuse.input]]


def _reuse_what_is_needed_later(graph):
    node, reuse = next((node, graph.reused[node]) for node in graph.nodes if node in graph.reused)
    graph.nodes[-1].inputs = [*graph.nodes[-1].inputs, node.inputs[reuse.input]]


BROKEN = {
    _lose_a_node: "takes Sin:0, which is not there",
    _repeat_a_node: "a node is there twice",
    _take_what_is_inside_a_loop: "which is not there",
    _wait_for_what_is_gone: "waits for <Tanh Tanh>, which is not there",
    _fetch_what_is_gone: "the fetched value Tanh:0 is not there",
    _turn_the_order_around: "which it needs",
    _share_an_output: "says that it is",
    _forget_a_guard: "does not lie in its branch",
    _forget_the_next_value: "values for the next iteration",
    _ask_too_early: "runs before it is asked",
    _unbind_a_variable: "which is not there",
    _run_what_is_gone: "is to run, and is not there",
    _reuse_what_is_fetched: "computes in the memory of",
    _reuse_what_is_needed_later: "computes in the memory of",
}


@pytest.mark.parametrize("breaking", BROKEN, ids=lambda breaking: breaking.__name__)
def test_what_is_not_legal_is_found(graph, breaking):
    breaking(graph)
    assert any(BROKEN[breaking] in text for text in problems(graph, HELD)), problems(graph, HELD)


def test_the_error_names_the_pass(monkeypatch):
    def lose(graph):
        graph.nodes = graph.nodes[1:]

    at = next(i for i, each in enumerate(OPTIMIZED) if each.name == "keep live")
    passes = (*OPTIMIZED[:at], Pass("lose", "lose a node", lose), *OPTIMIZED[at:])
    monkeypatch.setattr("headrace.plan.plan.OPTIMIZED", passes)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [3])
        y = tf.sin(tf.cos(x))
        with (
            pytest.raises(IllegalGraphError, match=r"after the pass 'lose':\n.*takes Cos:0, which is not there"),
            checked(),
            pytest.raises(tf.errors.OpError, match="not legal after the pass 'lose'"),
        ):
            session.plan_for(y, [x])


def test_nothing_is_checked_outside_of_the_context():
    with checked():
        inside = len(pipeline._observers)
    assert len(pipeline._observers) == inside - 1
