"""Layers of feature columns: their tensors, variables and settings."""

import numpy as np
import tensorflow as tf

results = {}
fc = tf.feature_column


def sparse(rows):
    indices, values = [], []
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            indices.append([i, j])
            values.append(value)
    return tf.SparseTensor(indices, values, [len(rows), max(len(row) for row in rows)])


letter = fc.categorical_column_with_vocabulary_list("letter", ["a", "b", "c"])
number = fc.categorical_column_with_identity("number", 4)
columns = [
    fc.numeric_column("x", shape=2),
    fc.embedding_column(letter, 3),
    fc.indicator_column(letter),
    fc.embedding_column(number, 2, combiner="sum"),
    fc.bucketized_column(fc.numeric_column("y"), [0.0, 1.0]),
]
features = {
    "x": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
    "y": tf.constant([[-1.0], [0.5]]),
    "letter": tf.constant([["a"], ["c"]]),
    "number": sparse([[1, 3], [2]]),
}
layer = tf.keras.layers.DenseFeatures(columns)
outputs = {}
value = layer(features, cols_to_output_tensors=outputs)
again = layer(features)
results["names"] = [layer.name, value.name, again.name, [v.name for v in layer.weights]]
results["outputs"] = sorted((column.name, tensor.name) for column, tensor in outputs.items())
results["shape"] = list(layer.compute_output_shape((None,)))
results["trained"] = [v.name for v in tf.trainable_variables()]
config = layer.get_config()
config["dtype"] = None
for column in config["feature_columns"]:
    if "initializer" in column["config"]:
        column["config"]["initializer"]["config"].pop("dtype", None)
results["config"] = str(config)
gradients = tf.gradients(value, layer.trainable_weights)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for i, variable in enumerate(layer.weights):
        shape = variable.shape.as_list()
        variable.load(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 3 + i, sess)
    results["value"], results["again"] = sess.run([value, again])
    results["gradients"] = [sess.run(tf.convert_to_tensor(g)) for g in gradients]

steps = tf.keras.experimental.SequenceFeatures(
    [
        fc.embedding_column(fc.sequence_categorical_column_with_identity("step", 3), 2),
        fc.sequence_numeric_column("level"),
    ]
)
sequences, lengths = steps({"step": sparse([[1, 2], [0]]), "level": sparse([[1.0, 2.0], [3.0]])})
results["sequence names"] = [sequences.name, [v.name for v in steps.weights]]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    steps.weights[0].load(np.arange(6, dtype=np.float32).reshape([3, 2]), sess)
    results["sequences"], results["lengths"] = sess.run([sequences, lengths])


def refused(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "classes": refused(lambda: tf.keras.layers.DenseFeatures([letter])),
    "none": refused(lambda: tf.keras.layers.DenseFeatures([])),
    "sequences": refused(lambda: tf.keras.layers.DenseFeatures([fc.sequence_numeric_column("level")])),
    "no sequences": refused(lambda: tf.keras.experimental.SequenceFeatures([fc.numeric_column("x")])),
    "no dictionary": refused(lambda: tf.keras.layers.DenseFeatures(columns)(tf.ones([2, 2]))),
    "missing": refused(lambda: tf.keras.layers.DenseFeatures(columns)({"x": tf.ones([2, 2])})),
}
