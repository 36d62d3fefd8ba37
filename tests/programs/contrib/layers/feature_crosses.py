"""Crosses of features as tf.contrib.layers hashes them, and embeddings that are scattered by such hashes."""

import tensorflow as tf
from tensorflow.contrib.layers.python.layers.embedding_ops import (
    scattered_embedding_lookup,
    scattered_embedding_lookup_sparse,
)
from tensorflow.contrib.layers.python.ops.bucketization_op import bucketize
from tensorflow.contrib.layers.python.ops.sparse_feature_cross_op import sparse_feature_cross

results = {}
a = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant(["a", "b", "c"]), [2, 2])
b = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant(["d", "e", "f"]), [2, 2])
numbers = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([5, -7, 9], tf.int64), [2, 2])
dense = tf.constant([[3], [4]], tf.int64)
words = tf.constant([["x"], ["y"]])
table = tf.constant([0.5 * i for i in range(24)])
crosses = {
    "text": sparse_feature_cross([a, b]),
    "mixed": sparse_feature_cross([a, numbers]),
    "hashed": sparse_feature_cross([a, b], hashed_output=True),
    "buckets": sparse_feature_cross([a, numbers, dense], hashed_output=True, num_buckets=1000),
    "dense": sparse_feature_cross([numbers, dense], hashed_output=True),
    "keyed": sparse_feature_cross([a, words], hashed_output=True, num_buckets=1000, hash_key=0xDECAFCAFFE),
    "keyed_more": sparse_feature_cross([a, b, dense], hashed_output=True, hash_key=77),
    "keyed_text": sparse_feature_cross([numbers, dense], hash_key=77),
    "alone": sparse_feature_cross([dense], hashed_output=True),
}
others = {
    "scattered": scattered_embedding_lookup(table, tf.constant(["one", "two", "one"]), 4),
    "scattered_parts": scattered_embedding_lookup(
        [table[:12], table[12:]], tf.constant([[3, 4]], tf.int64), 3, hash_key=0xDECAFCAFFE
    ),
    "scattered_mean": scattered_embedding_lookup_sparse(table, a, 4, combiner="mean"),
    "scattered_sum": scattered_embedding_lookup_sparse(
        table, tf.SparseTensor([[0, 0], [2, 0], [2, 1]], ["a", "b", "c"], [4, 2]), 2, combiner="sum", hash_key=5
    ),
    "bucketized": bucketize([-5.0, 0.0, 5.0, 10.0, 150.0], boundaries=[0.0, 10.0, 100.0]),
}
with tf.Session() as sess:
    results["crosses"] = {
        key: [found.indices, found.values, found.dense_shape] for key, found in sess.run(crosses).items()
    }
    results["others"] = sess.run(others)


def error(function):
    try:
        function()
    except (TypeError, ValueError) as e:
        return type(e).__name__
    return "none"


results["errors"] = [
    error(lambda: sparse_feature_cross((a, b))),
    error(lambda: sparse_feature_cross([a, 3])),
    error(lambda: scattered_embedding_lookup(table, words, None)),
    error(lambda: scattered_embedding_lookup(table, words, 0)),
    error(lambda: scattered_embedding_lookup([table[:3], table[3:]], words, 2)),
    error(lambda: scattered_embedding_lookup_sparse(table, words, 2)),
    error(lambda: scattered_embedding_lookup_sparse(table, a, 2, combiner="max")),
]
