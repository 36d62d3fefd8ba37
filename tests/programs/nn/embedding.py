"""Rows of one table or of several, and combinations of rows by sparse ids."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(19)
table = random.normal(size=[7, 3]).astype(np.float32)


def divided(count, strategy):
    if strategy == "mod":
        return [tf.constant(table[i::count]) for i in range(count)]
    return [tf.constant(part) for part in np.array_split(table, count)]


sparse_ids = tf.SparseTensor(
    [[0, 0], [0, 2], [1, 1], [2, 0], [2, 1], [2, 3]], tf.constant([1, 3, 0, 6, 6, 2], tf.int64), [3, 4]
)
weights = tf.SparseTensor(sparse_ids.indices, tf.constant([1.0, 2.0, 0.5, 3.0, 1.0, 1.0]), [3, 4])
with tf.Session() as sess:
    for kind in (tf.int32, tf.int64):
        ids = tf.constant([[6, 0, 2], [2, 5, 1]], kind)
        y = tf.nn.embedding_lookup(tf.constant(table), ids)
        results["one " + kind.name] = [sess.run(y), str(y.get_shape())]
        for count in (2, 3):
            for strategy in ("mod", "div"):
                parts = divided(count, strategy)
                y = tf.nn.embedding_lookup(parts, ids, partition_strategy=strategy)
                grads = [tf.convert_to_tensor(g) for g in tf.gradients(y, parts)]
                results["%s %d %s" % (strategy, count, kind.name)] = [sess.run(y), str(y.get_shape()), sess.run(grads)]
    results["clipped"] = sess.run(
        [tf.nn.embedding_lookup(params, [1, 2], max_norm=1.0) for params in (tf.constant(table), divided(2, "mod"))]
    )
    results["scalar id"] = sess.run(tf.nn.embedding_lookup(table, 3))
    fed = tf.placeholder(tf.int64)
    y = tf.nn.embedding_lookup(divided(2, "mod"), fed)
    results["fed"] = [str(y.get_shape()), sess.run(y, {fed: [[1], [6]]})]
    for combiner in ("sum", "mean", "sqrtn"):
        for given in (None, weights):
            w = tf.constant(table)
            y = tf.nn.embedding_lookup_sparse(w, sparse_ids, given, combiner=combiner)
            g = tf.convert_to_tensor(tf.gradients(y, w)[0])
            results["sparse %s %s" % (combiner, given is None)] = sess.run([y, g]) + [str(y.get_shape())]
    for name, use_resource in (("plain", False), ("resource", True)):
        v = tf.get_variable(name, initializer=table, use_resource=use_resource)
        sess.run(v.initializer)
        y = tf.nn.embedding_lookup(v, [1, 1, 4])
        g = tf.gradients(y, v)[0]
        results["variable " + name] = [sess.run(y), sess.run(g.values), sess.run(g.indices), type(g).__name__]
    split = tf.get_variable(
        "split", [7, 3], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2)
    )
    sess.run(tf.global_variables_initializer())
    results["partitioned variable"] = sess.run(tf.nn.embedding_lookup(split, [0, 3, 4, 6], partition_strategy="div"))

results["refused"] = []
for bad in (
    lambda: tf.nn.embedding_lookup(None, [1]),
    lambda: tf.nn.embedding_lookup([], [1]),
    lambda: tf.nn.embedding_lookup(divided(2, "mod"), [1], partition_strategy="x"),
    lambda: tf.nn.embedding_lookup_sparse(table, [1], None, combiner="sum"),
    lambda: tf.nn.embedding_lookup_sparse(table, sparse_ids, [1.0], combiner="sum"),
    lambda: tf.nn.embedding_lookup_sparse(table, sparse_ids, None, combiner="max"),
):
    try:
        bad()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["refused"].append(type(error).__name__)

graph = tf.Graph()
with graph.as_default():
    ids = tf.placeholder(tf.int32, [None], name="ids")
    t = tf.zeros([7, 3], name="t")
    tf.gradients(tf.nn.embedding_lookup(t, ids), t)
    tf.nn.embedding_lookup(t, ids, name="named", max_norm=2.0)
    tf.nn.embedding_lookup([t, t], ids, name="two")
    tf.nn.embedding_lookup([t, t], ids, partition_strategy="div", name="two_div")
    v = tf.get_variable("v", [5, 2], use_resource=True)
    tf.nn.embedding_lookup(v, ids)
    tf.nn.embedding_lookup_sparse(
        t, tf.SparseTensor([[0, 0]], [1], [1, 1]), tf.SparseTensor([[0, 0]], [1.0], [1, 1]), combiner="sqrtn"
    )
    tf.nn.embedding_lookup_sparse(t, tf.SparseTensor([[0, 0]], [1], [1, 1]), None, combiner="mean", name="mean")
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
