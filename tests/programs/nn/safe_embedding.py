"""Embeddings by sparse ids that may be missing or invalid."""

import numpy as np
import tensorflow as tf

results = {}
table = np.arange(12.0, dtype=np.float32).reshape(4, 3) + 1
ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0], [3, 1]], tf.constant([1, -1, -1, 2, 3], tf.int64), [5, 4])
weights = tf.SparseTensor(ids.indices, tf.constant([2.0, 1.0, 1.0, 0.0, 3.0]), [5, 4])
cube = tf.SparseTensor([[0, 0, 0], [0, 1, 1], [1, 1, 0]], tf.constant([0, 1, 2], tf.int64), [2, 2, 2])
with tf.Session() as sess:
    for combiner in ("sum", "mean", "sqrtn"):
        for given in (None, weights):
            for default in (None, 3):
                y = tf.nn.safe_embedding_lookup_sparse(
                    [tf.constant(table)], ids, given, combiner=combiner, default_id=default
                )
                results["%s %s %s" % (combiner, given is None, default)] = [sess.run(y), str(y.get_shape())]
    y = tf.nn.safe_embedding_lookup_sparse([tf.constant(table[:2]), tf.constant(table[2:])], cube)
    results["rank 3"] = [sess.run(y), str(y.get_shape())]
try:
    tf.nn.safe_embedding_lookup_sparse([], ids)
except ValueError:
    results["no table"] = "ValueError"

graph = tf.Graph()
with graph.as_default():
    tf.nn.safe_embedding_lookup_sparse(
        [tf.zeros([4, 3])], tf.SparseTensor([[0, 0]], tf.constant([1], tf.int64), [1, 1])
    )
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
