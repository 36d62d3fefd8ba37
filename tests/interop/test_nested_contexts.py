"""Branches and loops inside one another, as messages."""

import sys

import headrace as tf


def exported(graph, kind):
    found = graph.get_collection_ref(kind)
    return [context.to_proto() for context in found]


def test_what_lies_inside_is_written_in_the_order_it_was_made():
    with tf.Graph().as_default() as graph:
        flag = tf.placeholder(tf.bool)

        def inner(amount):
            return tf.cond(flag, lambda: tf.constant(amount), lambda: tf.constant(amount + 1))

        tf.cond(flag, lambda: inner(1) + inner(3), lambda: tf.while_loop(lambda i: i < 9, lambda i: i + 1, [0]))
        first, second = exported(graph, tf.GraphKeys.COND_CONTEXT)[:2]
    # Each cond has a context for either branch.
    names = [nested.cond_ctxt.context_name for nested in first.nested_contexts]
    assert names == ["cond/cond/cond_text", "cond/cond/cond_text_1", "cond/cond_1/cond_text", "cond/cond_1/cond_text_1"]
    assert [nested.WhichOneof("ctxt") for nested in second.nested_contexts] == ["while_ctxt"]
    assert second.nested_contexts[0].while_ctxt.context_name == "cond/while/while_context"


def calls_of(function):
    """How many calls of Python functions it comes to."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def test_many_branches_cost_as_much_as_each_of_them():
    def exporting(count):
        with tf.Graph().as_default() as graph:
            flag = tf.placeholder(tf.bool)
            for _ in range(count):
                tf.cond(flag, lambda: tf.constant(1), lambda: tf.constant(2))
            return calls_of(lambda: exported(graph, tf.GraphKeys.COND_CONTEXT))

    # Once before, for what is imported.
    exporting(1)
    assert exporting(200) < 11 * exporting(20)
