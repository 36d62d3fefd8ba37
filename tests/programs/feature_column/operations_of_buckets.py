"""The operations that bucketized columns make, one by one: seeds of what comes after them count on their number."""

import tensorflow as tf

results = {}
age = tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age", shape=2), [20, 40, 60])
word = tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
crossed = tf.feature_column.crossed_column(["word", age], 50)
features = {
    "word": tf.placeholder(tf.string, [None], name="word"),
    "age": tf.placeholder(tf.int32, [None, 2], name="age"),
}
tf.feature_column.linear_model(features, [age, word, crossed])
columns = [tf.feature_column.embedding_column(age, 2), tf.feature_column.indicator_column(crossed)]
tf.feature_column.input_layer(features, [*columns, tf.feature_column.indicator_column(age)])
results["operations"] = [
    [op.type, op.name, [tensor.dtype.name for tensor in op.outputs]] for op in tf.get_default_graph().get_operations()
]
