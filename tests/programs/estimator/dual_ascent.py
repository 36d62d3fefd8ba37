"""Linear estimators by stochastic dual coordinate ascent, until they have converged."""

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
fc = tf.feature_column
SDCA = tf.estimator.experimental.LinearSDCA

x = fc.numeric_column("x")
pair = fc.numeric_column("pair", shape=(2,))
word = fc.categorical_column_with_hash_bucket("word", 3)
steps_of_x = fc.bucketized_column(x, [1.0, 2.0])
letters = fc.crossed_column(["a", "b"], 5)
weighed = fc.weighted_categorical_column(fc.categorical_column_with_identity("number", 4), "of_number")


def input_fn():
    features = {
        "id": tf.constant(["1", "2", "3", "4"]),
        "x": tf.constant([[1.0], [2.0], [-1.0], [0.5]]),
        "pair": tf.constant([[1.0, 2.0], [2.0, 0.5], [0.1, 1.0], [0.0, 0.3]]),
        "word": tf.constant([["a"], ["b"], ["c"], ["a"]]),
        "number": tf.constant([[0, 1], [2, 3], [1, 1], [3, 0]]),
        "of_number": tf.constant([[1.0, 0.5], [2.0, 1.0], [1.0, 1.0], [0.3, 0.2]]),
        "a": tf.constant([["q"], ["q"], ["r"], ["r"]]),
        "b": tf.constant([["0"], ["1"], ["1"], ["0"]]),
        "weight": tf.constant([[1.0], [2.0], [1.0], [0.5]]),
    }
    return features, tf.constant([[1], [0], [1], [0]])


def told(name, estimator):
    estimator.train(input_fn, steps=60)
    names = [key for key in estimator.get_variable_names() if "HashTable" not in key]
    results[name] = {
        "variables": {key: estimator.get_variable_value(key) for key in names},
        "metrics": estimator.evaluate(input_fn, steps=1),
        "predictions": [dict(each) for each in estimator.predict(lambda: tf.data.Dataset.from_tensors(input_fn()[0]))],
    }


def optimizer():
    return SDCA("id", symmetric_l1_regularization=0.02, symmetric_l2_regularization=0.5)


for version, E in (("1", tf.estimator), ("2", tf.compat.v2.estimator)):
    for columns in ([x, word, weighed], [steps_of_x, letters, pair]):
        name = version + " " + " ".join(column.name for column in columns)
        told("classes " + name, E.LinearClassifier(columns, optimizer=optimizer(), weight_column="weight"))
        told("numbers " + name, E.LinearRegressor(columns, optimizer=optimizer()))

mistakes = {}
for what, make in {
    "three classes": lambda: tf.estimator.LinearClassifier([x], n_classes=3, optimizer=optimizer()),
    "two numbers": lambda: tf.estimator.LinearRegressor([x], label_dimension=2, optimizer=optimizer()),
    "means": lambda: tf.estimator.LinearRegressor([x], optimizer=optimizer(), sparse_combiner="mean"),
    "columns of 1.x": lambda: tf.estimator.LinearRegressor(
        fc.shared_embedding_columns([word], 2), optimizer=optimizer()
    ).train(input_fn, steps=1),
}.items():
    try:
        make()
        mistakes[what] = "none"
    except Exception as error:
        mistakes[what] = [type(error).__name__, str(error)]
results["mistakes"] = mistakes
