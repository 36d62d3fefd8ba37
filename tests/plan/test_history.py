"""What passes did, as data and as text: a reader can tell which pass removed a node, and why."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headrace as tf
from headrace.cli.explain import history_lines, node_lines
from headrace.plan.history import _longest_increasing, recorded
from headrace.plan.snapshots import constant_text


def histories_of(fetches, feeds=()):
    with tf.Session() as session, recorded() as histories:
        session.plan_for(fetches, feeds)
    return histories


def effects_on(history, name):
    """The passes that removed, added or changed nodes of an operation, each with what it did."""
    found = []
    for effect in history.effects:
        found += [("removed", effect.name, each.node.type) for each in effect.removed if each.node.name == name]
        found += [("added", effect.name, node.type) for node in effect.added if node.name == name]
        found += [("changed", effect.name, change.after.type) for change in effect.changed if change.after.name == name]
    return found


def reasons_of(history):
    """Of each node that went, the pass and the reason."""
    return {each.node.name: (effect.name, each.reason) for effect in history.effects for each in effect.removed}


def test_it_shows_which_pass_removed_a_node():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    product = tf.matmul(x, tf.ones([3, 2]), name="product")
    total = tf.add(product, [1.0, 2.0], name="total")
    tf.constant(2.0, name="two")
    y = tf.multiply(tf.identity(total, name="same"), tf.constant(2.0, name="two"), name="y")
    (history,) = histories_of(y, [x])
    assert "product" in {node.name for node in history.collected}
    assert effects_on(history, "product") == [("changed", "simplify", "MatMul"), ("removed", "bias", "MatMul")]
    assert effects_on(history, "total")[-2:] == [("removed", "bias", "Add"), ("added", "bias", "_MatMulBias")]
    assert effects_on(history, "same") == [("removed", "simplify", "Identity")]
    assert effects_on(history, "y")[0] == ("changed", "simplify", "Mul")
    assert reasons_of(history)["product"] == ("bias", "into total = _MatMulBias")


def test_it_says_why_nodes_went():
    x = tf.placeholder(tf.float32, [4], name="x")
    two, three = tf.constant(2.0, name="two"), tf.constant(3.0, name="three")
    v = tf.Variable(np.ones(4, np.float32), use_resource=False, name="v")
    first, second = tf.sin(x, name="first"), tf.sin(x, name="second")
    taken = [tf.multiply(x, tf.constant(1.0, name="one"), name="once"), tf.multiply(two, three, name="six") * first]
    with tf.control_dependencies([tf.no_op(name="nothing")]):
        taken.append(second + v)
    (history,) = histories_of(tf.add_n(taken), [x])
    reasons = reasons_of(history)
    assert reasons["two"] == ("simplify", "bound to 2.0")
    assert reasons["six"] == ("simplify", "folded to 6.0")
    assert reasons["second"] == ("simplify", "merged into first")
    assert reasons["once"] == ("simplify", "is its input x")
    assert reasons["v"] == ("simplify", "bound to the variable's buffer")
    assert reasons["nothing"] == ("keep live", "nothing needs it")


def test_it_says_what_is_never_taken():
    x = tf.placeholder(tf.float32, [], name="x")
    zero, one = tf.cond(tf.constant(True), lambda: [tf.sin(x, name="taken"), x], lambda: [tf.cos(x, name="not"), x])
    (history,) = histories_of(zero + one, [x])
    assert reasons_of(history)["cond/not"] == ("set guards", "its branch is never taken")
    assert "cond/taken" not in reasons_of(history)


def test_updates_go_into_the_one_that_does_them_all():
    variables = [tf.get_variable(name, [3]) for name in "vw"]
    loss = tf.add_n([tf.reduce_sum(tf.square(v)) for v in variables])
    (history,) = histories_of(tf.train.AdamOptimizer().minimize(loss))
    reasons = reasons_of(history)
    assert reasons["Adam/update_w/ApplyAdam"] == reasons["Adam/update_v/ApplyAdam"]
    assert reasons["Adam/update_v/ApplyAdam"][1].endswith(" = _ApplyAdamMany")


def test_no_two_nodes_of_a_graph_have_one_name():
    v = tf.get_variable("v", [3], initializer=tf.ones_initializer())
    x = tf.placeholder(tf.float32, [3])
    count = tf.constant(0)
    total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + v * tf.cast(i, tf.float32)), [count, x])[1]
    (history,) = histories_of([total, *tf.gradients(total, x)], [x])
    for nodes in (history.collected, *(effect.nodes for effect in history.effects)):
        assert len({node.name for node in nodes}) == len(nodes)
    reads = {node.name: node for node in history.collected if node.name.startswith("v/read")}
    assert {name: node.type for name, node in reads.items()} == {"v/read": "Identity", "v/read#2": "_ReadRef"}
    assert reads["v/read"].inputs == ("v/read#2",)


def test_a_loop_says_which_input_is_which_variable():
    x, n = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.int32, [], name="n")
    total = tf.while_loop(lambda i, _: i < n, lambda i, t: (i + 1, tf.sin(t, name="next")), [tf.constant(0), x])[1]
    (history,) = histories_of(total, [x, n])
    raised = history.effects[0]
    (loop,) = (node for node in raised.added if node.type == "_While")
    inside = [node for node in raised.nodes if node.loop == loop.name]
    values = dict(given.split("=") for given in loop.inputs)
    assert set(values.values()) == {"x", "Const", "n"}
    of_x = next(name for name, value in values.items() if value == "x")
    of_n = next(name for name, value in values.items() if value == "n")
    assert any(node.type == "Less" and of_n in node.inputs for node in inside)
    assert "as long as while/Less" in loop.details
    assert f"{of_x}=while/next" in next(detail for detail in loop.details if detail.startswith("next "))
    assert f"returns {of_x}" in loop.details
    # The marks are gone, and so are their names.
    gone = {each.node.name for each in raised.removed}
    assert not gone.intersection(value for node in raised.nodes for value in node.inputs)
    assert reasons_of(history)["while/Merge_1"][1] == f"is {of_x} of {loop.name}"


def test_attributes_are_shown_where_they_are_not_at_their_defaults():
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    tf.matmul(x, x, transpose_b=True, name="product")
    y = tf.cast(tf.get_default_graph().get_tensor_by_name("product:0"), tf.int32, name="y")
    (history,) = histories_of([y, tf.matmul(x, x, name="plain"), tf.fill([2], 0.9)], [x])
    texts = [line.strip() for line in history_lines(history)]
    assert "product = MatMul(x, x, transpose_b=True)" in texts
    assert "plain = MatMul(x, x)" in texts
    assert "y = Cast(product, DstT=int32)" in texts
    assert "Fill/value = Const(value=0.9, dtype=float32)" in texts


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float32(0.9), "0.9"),
        (np.float64(np.float32(0.9)), "0.8999999761581421"),
        (np.array([[1, 2], [3, 4]], np.float16), "[[1.0, 2.0], [3.0, 4.0]]"),
        (np.array([True, False]), "[True, False]"),
        (np.zeros([0], np.int32), "[]"),
        (np.array([b"text"], object), "[b'text']"),
        (np.zeros([2, 3], np.int32), "constant int32[2, 3]"),
        (np.array([b"a"] * 9, object), "constant string[9]"),
    ],
)
def test_constants_have_the_digits_of_their_dtype(array, text):
    assert constant_text(np.asarray(array)) == text


@given(st.lists(st.integers(), unique=True, max_size=8))
def test_as_few_nodes_as_possible_are_said_to_have_moved(numbers):
    kept = [numbers[place] for place in sorted(_longest_increasing(numbers))]
    assert kept == sorted(kept)
    longest = [0]
    for i, number in enumerate(numbers):
        longest.append(1 + max((longest[j + 1] for j in range(i) if numbers[j] < number), default=0))
    assert len(kept) == max(longest)


def test_the_effects_lead_from_the_first_graph_to_the_last():
    x = tf.placeholder(tf.float64, [None])
    total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + tf.sin(x) * t), [0, x])[1]
    fetches = [total, *tf.gradients(tf.reduce_mean(total), x)]
    (history,) = histories_of(fetches, [x])
    nodes = set(history.collected)
    for effect in history.effects:
        removed = {each.node for each in effect.removed}
        assert nodes.issuperset(removed)
        assert nodes.issuperset(change.before for change in effect.changed)
        nodes -= {*removed, *(change.before for change in effect.changed)}
        nodes |= {*effect.added, *(change.after for change in effect.changed)}
        assert nodes == set(effect.nodes)
        assert nodes.issuperset(effect.moved)
    assert history.effects[0].name == "raise loops"
    assert {each.node.type for each in history.effects[0].removed} >= {"Enter", "Exit", "NextIteration", "LoopCond"}
    assert any(node.loop for node in nodes)


def test_a_pass_that_changes_nothing_is_not_shown():
    x = tf.placeholder(tf.float32, [3])
    (history,) = histories_of(tf.sin(x), [x])
    assert history.effects == []


def test_bodies_of_functions_have_histories_of_their_own():
    @tf.function
    def body(x):
        return tf.sin(x) + tf.constant(0.0)

    x = tf.placeholder(tf.float32, [3])
    first, second = histories_of(body(x), [x])
    assert "Sin" not in {node.type for node in first.collected}
    assert "Sin" in {node.type for node in second.collected}


def scaled():
    x = tf.placeholder(tf.float32, [4], name="x")
    scale = tf.multiply(tf.constant(2.0, name="two"), tf.constant(3.0, name="three"), name="scale")
    v = tf.get_variable("v", initializer=np.ones(4, np.float32))
    y = tf.multiply(x, scale, name="y") + tf.stop_gradient(v.read_value(), name="stopped")
    (history,) = histories_of(y, [x])
    return history


def test_as_text_every_node_that_went_stands_under_its_pass():
    history = scaled()
    lines = history_lines(history)
    start = next(i for i, line in enumerate(lines) if line.startswith("# simplify:"))
    simplify = lines[start : lines.index("", start) if "" in lines[start:] else None]
    assert "  - scale = Mul(two, three): folded to 6.0" in simplify
    assert "  ~ y = Mul(x, 6.0)" in simplify
    assert "      was y = Mul(x, scale)" in simplify
    assert any(line.startswith("  - stopped = StopGradient(") for line in simplify)
    assert f"# collected: {len(history.collected)} nodes" in lines


def test_a_table_counts_what_each_pass_did():
    history = scaled()
    table = [line.split() for line in history_lines(history)[: 2 + len(history.effects)]]
    assert table[0] == ["#", "pass", "-", "+", "~", ">", "nodes"]
    assert table[1] == ["#", "collected", str(len(history.collected))]
    for row, effect in zip(table[2:], history.effects, strict=True):
        counts = [len(nodes) for nodes in (effect.removed, effect.added, effect.changed, effect.moved, effect.nodes)]
        assert row == ["#", *effect.name.split(), *(str(count) for count in counts if count)]


def test_the_changes_of_one_node():
    history = scaled()
    lines = node_lines(history, "scale")
    assert lines[:2] == ["# collected", "    scale = Mul(two, three)"]
    assert lines[-1] == "  - scale = Mul(two, three): folded to 6.0"
    assert node_lines(history, "no such node") == []
