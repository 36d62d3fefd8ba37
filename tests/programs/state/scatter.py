"""Sparse updates of variables of both kinds: repeated indices, scalars, types, index vectors, slices, refusals."""

import numpy as np
import tensorflow as tf

results = {}
INDICES = [2, 0, 2, 2]
UPDATES = [[1, 2], [3, 4], [5, 6], [7, 8]]
START = [[10, 20], [30, 40], [50, 60]]
KINDS = ["update", "add", "sub", "mul", "div", "min", "max"]
TYPES = {kind: ["float32", "float64", "int32", "int64", "float16"] for kind in KINDS}
for kind in ("update", "add", "sub", "mul", "div"):
    TYPES[kind] = TYPES[kind] + ["int8", "uint8", "int16", "complex64"]

with tf.Session() as sess:
    for kind in KINDS:
        for name in TYPES[kind]:
            var = tf.Variable(np.array(START), dtype=name)
            sess.run(var.initializer)
            updates = tf.constant(np.array(UPDATES), name)
            result = getattr(tf, "scatter_" + kind)(var, INDICES, updates)
            results["%s %s" % (kind, name)] = sess.run(result)
        var = tf.Variable(np.array(START, np.float32), use_resource=True)
        sess.run(var.initializer)
        delta = tf.IndexedSlices(tf.constant(np.array(UPDATES, np.float32)), tf.constant(INDICES))
        results["resource " + kind] = sess.run(getattr(var, "scatter_" + kind)(delta))
        results["resource scalar " + kind] = sess.run(getattr(tf, "scatter_" + kind)(var, [0, 1, 0], 2.0))
        var = tf.Variable(np.array(START, np.float32))
        sess.run(var.initializer)
        results["scalar " + kind] = sess.run(getattr(tf, "scatter_" + kind)(var, [0, 1, 0], 2.0))
        results["of a matrix of indices " + kind] = sess.run(
            getattr(tf, "scatter_" + kind)(var, [[0, 1], [2, 1]], np.ones([2, 2, 2], np.float32) * 3)
        )
        results["of nothing " + kind] = sess.run(
            getattr(tf, "scatter_" + kind)(var, np.zeros([0], np.int64), np.zeros([0, 2], np.float32))
        )

    text = tf.Variable(["a", "b", "c"])
    sess.run(text.initializer)
    results["text"] = sess.run(tf.scatter_update(text, [2, 0, 2], ["x", "y", "z"]))

    for resource in (False, True):
        for kind in ("update", "add", "sub"):
            var = tf.Variable(np.array(START, np.float32), use_resource=resource)
            sess.run(var.initializer)
            to = getattr(tf, "scatter_nd_" + kind)
            results["elements %s %s" % (kind, resource)] = sess.run(to(var, [[2, 1], [0, 0], [2, 1]], [1.0, 2.0, 3.0]))
            results["rows %s %s" % (kind, resource)] = sess.run(to(var, [[1], [2]], [[1.0, 2.0], [3.0, 4.0]]))
            results["method %s %s" % (kind, resource)] = sess.run(
                getattr(var, "scatter_nd_" + kind)([[[0, 1]], [[1, 1]]], [[5.0], [6.0]])
            )
        var = tf.Variable(np.arange(12.0).reshape(3, 4), use_resource=resource)
        sess.run(var.initializer)
        for key, piece, value in (
            ("row", var[1], [1.0, 2.0, 3.0, 4.0]),
            ("block", var[:2, 1:3], [[1.0, 2.0], [3.0, 4.0]]),
            ("backwards", var[::-2, 0], [7.0, 8.0]),
            ("element", var[2, 3], -1.0),
        ):
            results["slice %s %s" % (key, resource)] = sess.run(piece.assign(value))
    results["names"] = [op.name for op in tf.get_default_graph().get_operations()][-40:]

    # What does not fit.
    var = tf.Variable(np.array(START, np.float32))
    handle = tf.Variable(np.array(START, np.float32), use_resource=True)
    sess.run([var.initializer, handle.initializer])
    rows, values = tf.placeholder(tf.int32, None), tf.placeholder(tf.float32, None)
    two = np.ones([2, 2], np.float32)
    refused = results.setdefault("refused", [])

    def attempt(fetch, feed):
        try:
            sess.run(fetch, feed)
            refused.append("nothing")
        except tf.errors.InvalidArgumentError as error:
            refused.append(error.message.split("\n")[0].split(" [[")[0])

    add, add_nd = tf.scatter_add(var, rows, values), tf.scatter_nd_add(var, rows, values)
    attempt(add, {rows: [0, 3], values: two})
    attempt(add, {rows: [[0], [-1]], values: two.reshape(2, 1, 2)})
    attempt(add, {rows: [0], values: two})
    attempt(add_nd, {rows: [[0, 0], [0, 2]], values: [1.0, 1.0]})
    attempt(add_nd, {rows: [[0], [1]], values: [[1.0, 1.0]]})
    attempt(tf.scatter_update(var, rows, values), {rows: [1, 9], values: two})
    attempt(handle.scatter_add(tf.IndexedSlices(values, rows)), {rows: [0, 5], values: two})
    attempt(handle.sparse_read(rows), {rows: [0, 5]})
    attempt(handle.assign_add(values), {values: [1.0]})
    attempt(var.assign_add(values), {values: [1.0]})
    sess.run([var.initializer, handle.initializer])

    # Gathering from a resource variable, and the gradient of it.
    taken = handle.sparse_read([[2, 0], [0, 1]])
    results["taken"] = sess.run([taken, handle.gather_nd([[2, 1], [0, 0]])])
    gradient = tf.gradients(taken * taken, handle.handle)[0]
    results["gradient"] = sess.run([gradient.values, gradient.indices, gradient.dense_shape])
