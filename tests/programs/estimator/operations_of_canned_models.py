"""How many operations the canned estimators' models make in each mode: seeds of what comes after them count on it."""

import tensorflow as tf

columns, estimators = tf.feature_column, tf.estimator
modes = estimators.ModeKeys
results = {}


def operations(make, integers=True):
    """For each mode, the number of operations and the types of those that are made for the head and the columns."""
    numbers = []
    for mode in (modes.TRAIN, modes.EVAL, modes.PREDICT):
        tf.reset_default_graph()
        tf.set_random_seed(7)
        age = columns.numeric_column("age")
        word = columns.categorical_column_with_vocabulary_list("word", ["a", "b"])
        place = columns.categorical_column_with_identity("place", 5, default_value=0)
        features = {
            "age": tf.placeholder(tf.float32, [None, 1]),
            "word": tf.placeholder(tf.string, [None, 1]),
            "place": tf.placeholder(tf.int64, [None, 1]),
        }
        labels = tf.placeholder(tf.int64 if integers else tf.float32, [None, 1])
        tf.train.get_or_create_global_step()
        estimator = make(age, word, place)
        estimator.model_fn(features, None if mode == modes.PREDICT else labels, mode, estimator.config)
        made = tf.get_default_graph().get_operations()
        numbers.append([len(made), sum(op.type == "SelectV2" for op in made), sum(op.type == "Select" for op in made)])
    return numbers


results["deep classifier"] = operations(
    lambda age, word, place: estimators.DNNClassifier(
        [4, 3], [age, columns.indicator_column(word), columns.embedding_column(place, 2)], dropout=0.5
    )
)
results["classes"] = operations(lambda age, word, place: estimators.DNNClassifier([4], [age], n_classes=3))
results["linear classifier"] = operations(lambda age, word, place: estimators.LinearClassifier([age, word, place]))
results["wide and deep"] = operations(
    lambda age, word, place: estimators.DNNLinearCombinedRegressor(
        linear_feature_columns=[word, place], dnn_feature_columns=[age], dnn_hidden_units=[3]
    ),
    integers=False,
)
results["linear regressor"] = operations(
    lambda age, word, place: estimators.LinearRegressor([age], optimizer="Adam"), integers=False
)
results["baseline"] = operations(lambda age, word, place: estimators.BaselineClassifier())
