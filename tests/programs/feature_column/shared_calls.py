"""Models of columns that are made or called several times: the names of their variables, and who shares them."""

import tensorflow as tf
from tensorflow.python.feature_column import feature_column as fc
from tensorflow.python.feature_column import feature_column_v2 as fc_v2
from tensorflow.python.feature_column import serialization

results = {}


def columns():
    price = tf.feature_column.numeric_column("price")
    kind = tf.feature_column.categorical_column_with_identity("kind", 4)
    return [price, kind, tf.feature_column.embedding_column(kind, 2)]


def features():
    return {"price": tf.constant([[1.0], [2.0]]), "kind": tf.constant([[1], [3]])}


def names(variables):
    return [variable.name for variable in variables]


with tf.Graph().as_default():
    for _ in range(2):
        tf.feature_column.linear_model(features(), columns())
    results["two models"] = names(tf.global_variables())

with tf.Graph().as_default():
    with tf.variable_scope("price"):
        pass
    found = {}
    tf.feature_column.linear_model(features(), columns(), cols_to_vars=found)
    results["by column"] = {getattr(key, "name", key): names(found[key]) for key in found}

with tf.Graph().as_default():
    model = fc._LinearModel(columns(), units=2, name="linear")
    first = model(features())
    results["model by column"] = {
        getattr(key, "name", key): names(model.cols_to_vars()[key]) for key in model.cols_to_vars()
    }
    second = model(features())
    results["model"] = [names(tf.global_variables()), first.shape.as_list()]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([tf.assign_add(variable, tf.ones_like(variable)) for variable in model.cols_to_vars()["bias"]])
        results["sums"] = sess.run([first, second])

with tf.Graph().as_default():
    layer = fc.InputLayer(columns()[::2])
    layer(features())
    layer(features())
    results["input layer"] = [layer.name, names(layer.variables), names(tf.global_variables())]

with tf.Graph().as_default():
    price = tf.feature_column.numeric_column("price")
    buckets = tf.feature_column.bucketized_column(price, [1.5])
    made = fc_v2._transform_features_v2(features(), [price, buckets], None)
    results["transformed"] = {key.name: tf.Session().run(made[key]) for key in made}
    results["also"] = sorted(key.name for key in fc._transform_features(features(), [price, buckets]))
    results["named"] = serialization._column_name_with_class_name(buckets)
    results["settings"] = fc_v2._standardize_and_copy_config({"a": [1, 2], "b": "x"})
    try:
        tf.feature_column.linear_model([1, 2], [price])
    except ValueError as error:
        results["no dictionary"] = type(error).__name__
