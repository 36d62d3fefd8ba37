"""Recurrent networks unrolled over segments of sequences, whose state is kept in between."""

import tensorflow as tf
from tensorflow.contrib.learn.python.learn.estimators.state_saving_rnn_estimator import StateSavingRnnEstimator

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
layers, learn = tf.contrib.layers, tf.contrib.learn
CLASSES, NUMBERS = learn.ProblemType.CLASSIFICATION, learn.ProblemType.LINEAR_REGRESSION
step_column, whole_column = layers.real_valued_column("x", dimension=2), layers.real_valued_column("whole")


def features(of_whole):
    found = {"x": tf.reshape(tf.range(10, dtype=tf.float32) / 10, [5, 2])}
    if of_whole:
        found["whole"] = tf.constant([0.5])
    return found


def told(name, problem_type, labels, of_whole, **settings):
    estimator = StateSavingRnnEstimator(
        problem_type,
        num_unroll=2,
        batch_size=2,
        sequence_feature_columns=[step_column],
        context_feature_columns=[whole_column] if of_whole else None,
        config=learn.RunConfig(tf_random_seed=3),
        seed=1,
        queue_capacity=10,
        num_threads=1,
        **settings,
    )

    def examples():
        return features(of_whole), tf.constant(labels)

    estimator.fit(input_fn=examples, steps=3)
    predicted = next(estimator.predict(input_fn=lambda: (features(of_whole), None)))
    results[name] = {
        "variables": {key: estimator.get_variable_value(key) for key in estimator.get_variable_names()},
        "metrics": estimator.evaluate(input_fn=examples, steps=2),
        "predicted": {key: value.shape for key, value in sorted(predicted.items())},
    }


told("numbers", NUMBERS, [0.0, 0.1, 0.2, 0.3, 0.4], False, num_units=[3])
told("classes", CLASSES, [0, 1, 2, 1, 0], True, num_units=[3], cell_type="lstm", num_classes=3)
told(
    "two layers",
    CLASSES,
    [0, 1, 2, 1, 0],
    True,
    num_units=[3, 3],
    cell_type="gru",
    num_classes=3,
    predict_probabilities=True,
    optimizer_type="Momentum",
    momentum=0.9,
)


def refused(name, *args, **settings):
    try:
        StateSavingRnnEstimator(*args, sequence_feature_columns=[step_column], num_units=[2], **settings)
    except ValueError as error:
        results[name] = str(error)[:50]


refused("without classes", CLASSES, 2, 2)
refused("another problem", 7, 2, 2)
refused("probabilities of numbers", NUMBERS, 2, 2, predict_probabilities=True)
refused("no steps", NUMBERS, 0, 2)
