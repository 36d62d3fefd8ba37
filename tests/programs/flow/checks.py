"""Assert and the checks built on it: what they make, when they fail, and what they say."""

import contextlib

import numpy as np
import tensorflow as tf

results = {}


def outcome(make, feeds=None):
    """What happens to `make()`: the class of the error and the first line of its message."""
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            op = make()
        except (ValueError, TypeError, tf.errors.OpError) as error:
            text = getattr(error, "message", str(error)).strip().split("\n\t")[0]
            return ["now", type(error).__name__, text]
        try:
            sess.run(op)
        except tf.errors.OpError as error:
            return ["later", type(error).__name__, error.message.split("\n\t")[0]]
        return ["fine", op.name]


def late(value, dtype=None):
    """A value that is not known while the graph is built."""
    return tf.placeholder_with_default(tf.constant(value, dtype), np.shape(value))


checks = {
    "equal": lambda v: tf.assert_equal(v([1, 2, 3]), [1, 2, 3]),
    "equal, not": lambda v: tf.assert_equal(v([1, 2, 3]), [1, 5, 3], message="they differ"),
    "equal to itself": lambda v: (lambda x: tf.assert_equal(x, x))(v([1, 2])),
    "none equal": lambda v: tf.assert_none_equal(v([1, 2]), [1, 3]),
    "less": lambda v: tf.assert_less(v([1.0, 2.0]), 2.5),
    "less, not": lambda v: tf.assert_less(v([1.0, 2.0]), 2.0, summarize=1),
    "less equal": lambda v: tf.assert_less_equal(v([1, 3]), [1, 2]),
    "greater": lambda v: tf.assert_greater(v([1, 3]), 1),
    "greater equal": lambda v: tf.assert_greater_equal(v([1, 3]), 1),
    "negative": lambda v: tf.assert_negative(v([-1, 0])),
    "positive": lambda v: tf.assert_positive(v([1.0, 0.0]), message="must be positive"),
    "non negative": lambda v: tf.assert_non_negative(v([1.0, 0.0])),
    "non negative, not": lambda v: tf.assert_non_negative(v([1.0, -1.0]), data=["my data", v([7])]),
    "non positive": lambda v: tf.assert_non_positive(v([1.0, -1.0])),
    "rank": lambda v: tf.assert_rank(v([1, 2]), 1),
    "rank, not": lambda v: tf.assert_rank(v([1, 2]), 2, message="no matrix"),
    "rank at least": lambda v: tf.assert_rank_at_least(v([[1]]), 1),
    "rank at least, not": lambda v: tf.assert_rank_at_least(v([1]), 2),
    "rank in": lambda v: tf.assert_rank_in(v([1]), (0, 1)),
    "rank in, not": lambda v: tf.assert_rank_in(v([1]), (0, 2)),
    "rank no scalar": lambda v: tf.assert_rank(v([1]), [1]),
    "integer": lambda v: tf.assert_integer(v([1])),
    "integer, not": lambda v: tf.assert_integer(v([1.0])),
    "type": lambda v: tf.assert_type(v([1]), tf.int32),
    "type, not": lambda v: tf.assert_type(v([1.0]), tf.int32, message="bad"),
    "shapes": lambda v: tf.debugging.assert_shapes([(v([[1, 2]]), ("N", "Q")), (v([1, 2]), ("Q",))]),
    "shapes, not": lambda v: tf.debugging.assert_shapes([(v([[1, 2]]), ("N", "Q")), (v([1]), ("Q",))]),
    "shapes, innermost": lambda v: tf.debugging.assert_shapes([(v([[1, 2]]), ("...", 2)), (v(3), ())]),
    "assert": lambda v: tf.Assert(v(True), ["text", v([1, 2])]),
    "assert, not": lambda v: tf.Assert(v(False), ["text", v([1, 2, 3, 4])]),
    "assert, not, floats": lambda v: tf.Assert(v(False), ["text", v([1.5, 2.0]), v([[1, 2], [3, 4]])]),
    "assert, all": lambda v: tf.Assert(v(False), [np.arange(12).reshape(2, 3, 2)], summarize=-1),
    "assert no scalar": lambda v: tf.Assert(v([False]), ["text"]),
    "finite": lambda v: tf.verify_tensor_all_finite(v([1.0, 2.0]), "not finite"),
    "finite, not": lambda v: tf.verify_tensor_all_finite(v([1.0, np.inf]), "not finite"),
    "numerics, nan": lambda v: tf.check_numerics(v([1.0, np.nan]), "bad"),
    "numerics, both": lambda v: tf.check_numerics(v([np.inf, np.nan]), "bad"),
}
for kind, check in sorted(checks.items()):
    results[kind + ", known"] = outcome(lambda check=check: check(tf.constant))
    results[kind + ", fed"] = outcome(lambda check=check: check(late))
    with tf.Graph().as_default() as graph:
        with contextlib.suppress(ValueError, TypeError):
            check(late)
        results[kind + ", operations"] = [
            [op.name, op.type, [t.name for t in op.inputs], [c.name for c in op.control_inputs]]
            for op in graph.get_operations()
        ]


def unknown(value):
    return tf.placeholder_with_default(tf.constant(value), None)


results["rank, late"] = outcome(lambda: tf.assert_rank(unknown([1, 2]), 2))
results["rank, late, fine"] = outcome(lambda: tf.assert_rank(unknown([1, 2]), 1))
results["rank at least, late"] = outcome(lambda: tf.assert_rank_at_least(unknown([1, 2]), 2))
results["rank in, late"] = outcome(lambda: tf.assert_rank_in(unknown([1, 2]), (0, 2)))
results["rank itself late"] = outcome(lambda: tf.assert_rank(unknown([1, 2]), late(1)))
results["shapes, late"] = outcome(lambda: tf.debugging.assert_shapes([(unknown([[1, 2]]), (1, 3))]))
results["scalar"] = outcome(lambda: tf.assert_scalar(tf.constant([1]), name="s"))
results["near"] = outcome(lambda: tf.assert_near(late([1.0, 2.0]), [1.0, 2.0 + 1e-7]))
near = outcome(lambda: tf.assert_near(late([1.0, 2.0]), [1.0, 2.1], rtol=0.01, atol=0.02))
results["near, not"] = near[:2]
with tf.Graph().as_default() as graph:
    tf.assert_near(tf.constant(1.0), 2.0)
    results["near, operations"] = [[op.name, op.type] for op in graph.get_operations()]

with tf.Graph().as_default() as graph, tf.Session() as sess:
    values = ([], [1], [1, 1, 2], [1, 2, 3], [2, 1], [[1, 2], [3, 4]])
    order = [[tf.is_non_decreasing(v), tf.is_strictly_increasing(v)] for v in values if v]
    results["order"] = sess.run(order)
    results["order, operations"] = [[op.name, op.type] for op in graph.get_operations()]
    results["numeric"] = [tf.is_numeric_tensor(tf.constant(v)) for v in (1, 1.0, "a", True)]
    results["one float type"] = tf.assert_same_float_dtype([tf.constant(1.0, tf.float64)]).name
    results["float type, none"] = tf.assert_same_float_dtype().name
    for wrong in ([tf.constant(1)], [tf.constant(1.0), tf.constant(1.0, tf.float64)]):
        try:
            tf.assert_same_float_dtype(wrong)
        except ValueError as error:
            results["float type of %d" % len(wrong)] = str(error)
    for name, values in (("tensor", tf.constant([1])), ("string", "abc"), ("number", 3), ("list", [1])):
        try:
            tf.assert_proper_iterable(values)
            results["iterable, " + name] = "fine"
        except TypeError:
            results["iterable, " + name] = "TypeError"

with tf.Graph().as_default() as graph, tf.Session() as sess:
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.log(x, name="logs")
    check = tf.add_check_numerics_ops()
    results["added checks"] = [[op.name, op.type, [c.name for c in op.control_inputs]] for op in graph.get_operations()]
    sess.run(check, {x: [1.0, 2.0]})
    try:
        sess.run(check, {x: [1.0, -1.0]})
    except tf.errors.InvalidArgumentError as error:
        results["added checks, nan"] = error.message.split("\n")[0]
    guarded = tf.check_numerics(x, "x")
    results["gradient through check"] = sess.run(tf.gradients(guarded * x, x)[0], {x: [1.0, 2.0]})
    with tf.control_dependencies([tf.assert_positive(x, name="guard")]):
        y = x * 2.0
    results["guarded"] = sess.run(y, {x: [1.0, 2.0]})
    try:
        sess.run(y, {x: [1.0, -2.0]})
    except tf.errors.InvalidArgumentError as error:
        results["guarded, not"] = [error.message.split("\n")[0], error.op.name]
