"""Branches and loops inside one another, as messages."""

import time

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


def test_many_branches_cost_as_much_as_each_of_them():
    def seconds(count):
        with tf.Graph().as_default() as graph:
            flag = tf.placeholder(tf.bool)
            for _ in range(count):
                tf.cond(flag, lambda: tf.constant(1), lambda: tf.constant(2))
            begin = time.process_time()
            assert len(exported(graph, tf.GraphKeys.COND_CONTEXT)) == 2 * count
            return time.process_time() - begin

    few, many = seconds(60), seconds(600)
    assert many < 40 * few + 0.05
