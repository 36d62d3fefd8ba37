"""The feature columns of contrib where those of `tf.feature_column` are used."""

import tensorflow as tf
from tensorflow.contrib import layers
from tensorflow.python.feature_column import feature_column

results = {}
features = {
    "number": tf.constant([[1.0, 3.0], [-2.0, 0.5]]),
    "word": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2]),
    "id_of_word": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([0, 3, 1], tf.int64), [2, 2]),
    "weight": tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.5, 2.0, 3.0], [2, 2]),
}
number = layers.real_valued_column("number", 2, normalizer=lambda x: x * 10)
buckets = layers.bucketized_column(number, [0.0, 20.0])
hashed = layers.sparse_column_with_hash_bucket("word", 10)
words = layers.sparse_column_with_keys("word", ["a", "b", "c"])
counted = layers.sparse_column_with_integerized_feature("id_of_word", 5)
weighted = layers.weighted_sparse_column(counted, "weight")
ones = tf.ones_initializer()
dense = [
    number,
    buckets,
    layers.one_hot_column(words),
    layers.one_hot_column(weighted),
    layers.embedding_column(counted, 3, initializer=ones),
    layers.embedding_column(weighted, 4, combiner="sum", initializer=ones),
    layers.scattered_embedding_column("word", 100, 3, 7, initializer=ones, combiner="sum"),
]
crossed = layers.crossed_column([words, hashed], 20)
every = dense + [hashed, words, counted, weighted, crossed]
results["kinds"] = [
    [isinstance(c, feature_column._DenseColumn), isinstance(c, feature_column._CategoricalColumn), c._var_scope_name]
    for c in every
]
results["sizes"] = [
    [str(getattr(c, "_variable_shape", None)), getattr(c, "_num_buckets", None), sorted(c._parse_example_spec)]
    for c in every
]


def failure(function):
    try:
        function()
    except Exception as e:
        return type(e).__name__
    return None


results["refused"] = [
    failure(lambda: tf.feature_column.input_layer(features, [hashed])),
    failure(lambda: layers.input_from_feature_columns(features, {"number": number})),
    failure(lambda: layers.weighted_sum_from_feature_columns(features, {"number": number}, 1)),
]
made = [tf.feature_column.input_layer(features, [column]) for column in dense]
together = tf.feature_column.input_layer(features, [number, layers.one_hot_column(words)])
found = {}
linear = [number, buckets, hashed, weighted, crossed]
sums = tf.feature_column.linear_model(features, linear, units=2, cols_to_vars=found)
everything = [variable.assign(tf.ones_like(variable)) for c in linear for variable in found[c]]
results["variables"] = sorted([v.name, v.shape.as_list()] for v in tf.global_variables())
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    results["layers"] = sess.run(made)
    results["together"] = sess.run(together)
    sess.run(everything)
    results["sums"] = sess.run(sums)
