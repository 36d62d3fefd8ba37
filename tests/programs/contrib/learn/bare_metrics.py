"""Metrics of estimators given as bare functions, by names or by pairs of a name and a prediction, and as MetricSpecs."""

import tensorflow as tf

results = {}
learn, metrics = tf.contrib.learn, tf.contrib.metrics
columns = [tf.contrib.layers.real_valued_column("x")]


def input_fn():
    return {"x": tf.constant([[1.0], [0.0], [0.0], [0.0]])}, tf.constant([[1], [0], [0], [0]])


def told(call):
    try:
        return sorted(str(name) for name in call())
    except (AttributeError, ValueError, KeyError) as error:
        return type(error).__name__


models = {
    "network": learn.DNNClassifier([3], columns),
    "network of numbers": learn.DNNRegressor([3], columns),
    "line of numbers": learn.LinearRegressor(columns),
    "both of numbers": learn.DNNLinearCombinedRegressor(
        linear_feature_columns=columns, dnn_feature_columns=columns, dnn_hidden_units=[3]
    ),
}
asked = {
    "name": {"a": metrics.streaming_mean},
    "classes": {("a", "classes"): metrics.streaming_accuracy},
    "scores": {("a", "scores"): metrics.streaming_mean},
    "no such prediction": {("a", "bad"): metrics.streaming_auc},
    "three": {("a", "classes", "more"): metrics.streaming_accuracy},
    "spec": {"a": learn.MetricSpec(metrics.streaming_accuracy, prediction_key="classes")},
    "bad spec": {"a": learn.MetricSpec(metrics.streaming_accuracy, prediction_key="bad")},
    "list": [metrics.streaming_auc],
}
for name, model in models.items():
    model.fit(input_fn=input_fn, steps=1)
    for key, given in asked.items():
        results[name + ": " + key] = told(lambda: model.evaluate(input_fn=input_fn, steps=1, metrics=given))
