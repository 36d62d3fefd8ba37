"""What passes did, as data and as text: a reader can tell which pass removed a node."""

from __future__ import annotations

import numpy as np

import headrace as tf
from headrace.cli.explain import history_lines
from headrace.plan.history import recorded


def histories_of(fetches, feeds=()):
    with tf.Session() as session, recorded() as histories:
        session.plan_for(fetches, feeds)
    return histories


def effects_on(history, name):
    """The passes that removed, added or changed nodes of an operation, each with what it did."""
    found = []
    for effect in history.effects:
        found += [("removed", effect.name, view.type) for view in effect.removed if view.name == name]
        found += [("added", effect.name, view.type) for view in effect.added if view.name == name]
        found += [("changed", effect.name, change.after.type) for change in effect.changed if change.after.name == name]
    return found


def test_it_shows_which_pass_removed_a_node():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    product = tf.matmul(x, tf.ones([3, 2]), name="product")
    total = tf.add(product, [1.0, 2.0], name="total")
    tf.constant(2.0, name="two")
    y = tf.multiply(tf.identity(total, name="same"), tf.constant(2.0, name="two"), name="y")
    (history,) = histories_of(y, [x])
    assert "product" in {view.name for view in history.collected}
    assert effects_on(history, "product") == [("changed", "simplify", "MatMul"), ("removed", "bias", "MatMul")]
    assert effects_on(history, "total")[-2:] == [("removed", "bias", "Add"), ("added", "bias", "_MatMulBias")]
    assert effects_on(history, "same") == [("removed", "simplify", "Identity")]
    assert effects_on(history, "y")[0] == ("changed", "simplify", "Mul")


def test_the_effects_lead_from_the_first_graph_to_the_last():
    x = tf.placeholder(tf.float64, [None])
    total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t + tf.sin(x) * t), [0, x])[1]
    fetches = [total, *tf.gradients(tf.reduce_mean(total), x)]
    (history,) = histories_of(fetches, [x])
    nodes = set(history.collected)
    for effect in history.effects:
        assert nodes.issuperset(effect.removed)
        assert nodes.issuperset(change.before for change in effect.changed)
        nodes -= {*effect.removed, *(change.before for change in effect.changed)}
        nodes |= {*effect.added, *(change.after for change in effect.changed)}
        assert nodes == set(effect.nodes)
    assert history.effects[0].name == "raise loops"
    assert {view.type for view in history.effects[0].removed} >= {"Enter", "Exit", "NextIteration", "LoopCond"}
    assert any(view.loop for view in nodes)


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
    assert "Sin" not in {view.type for view in first.collected}
    assert "Sin" in {view.type for view in second.collected}


def test_as_text_every_node_that_went_stands_under_its_pass():
    x = tf.placeholder(tf.float32, [4], name="x")
    scale = tf.multiply(tf.constant(2.0, name="two"), tf.constant(3.0, name="three"), name="scale")
    v = tf.get_variable("v", initializer=np.ones(4, np.float32))
    y = tf.multiply(x, scale, name="y") + tf.stop_gradient(v.read_value(), name="stopped")
    (history,) = histories_of(y, [x])
    lines = history_lines(history)
    start = next(i for i, line in enumerate(lines) if line.startswith("# simplify:"))
    simplify = lines[start : lines.index("", start) if "" in lines[start:] else None]
    assert "  - scale = Mul(two, three)" in simplify
    assert "  ~ y = Mul(x, 6.0)" in simplify
    assert "      was y = Mul(x, scale)" in simplify
    assert any(line.startswith("  - stopped = StopGradient(") for line in simplify)
    assert lines[0] == f"# collected: {len(history.collected)} nodes"
