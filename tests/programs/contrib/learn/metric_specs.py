"""Metrics of models told by keys: which arguments their functions get, and what is refused."""

import functools

import numpy as np
import tensorflow as tf

results = {}
learn = tf.contrib.learn


def with_all(predictions, labels, weights=None):
    return ["predictions", predictions, "labels", labels, "weights", weights]


def with_others(logits, target, weight=None):
    return ["logits", logits, "target", target, "weight", weight]


def labels_first(labels, whatever, weights=None):
    return ["first", labels, "then", whatever, "weights", weights]


def labels_last(whatever, labels, weights=None):
    return ["first", whatever, "labels", labels, "weights", weights]


def predictions_only(predictions, weights=None):
    return ["predictions", predictions, "weights", weights]


def anything(values, weights=None):
    return ["values", values, "weights", weights]


def no_weights(predictions, labels):
    return ["predictions", predictions, "labels", labels]


def ambiguous(predictions, logits, labels):
    return None


def with_more(predictions, labels, kind, weights=None):
    if kind is None:
        raise ValueError("no kind")
    return [kind, predictions, labels, weights]


FUNCTIONS = [with_all, with_others, labels_first, labels_last, predictions_only, anything, no_weights]
FUNCTIONS += [functools.partial(with_more, kind="a"), functools.partial(with_more, kind=None), ambiguous]
inputs = {"w": "the weights", "v": "others"}
labels = {"l": "the label", "m": "another"}
predictions = {"p": "the prediction", "q": "another"}
KEYS = [("p", "l", "w"), ("p", "l", None), (None, None, None), ("p", None, None), (None, "l", "w"), ("z", "l", None)]
KEYS += [("p", "z", None), ("p", "l", "z")]
GIVEN = {"dicts": (labels, predictions), "tensors": ("label", "prediction"), "ones": ({"l": 1}, {"p": 2})}


def told(function):
    try:
        return function()
    except (KeyError, TypeError, ValueError) as e:
        return type(e).__name__


rows = []
for function in FUNCTIONS:
    for prediction_key, label_key, weight_key in KEYS:
        for kind in sorted(GIVEN):

            def made():
                spec = learn.MetricSpec(function, prediction_key, label_key, weight_key)
                return spec.create_metric_ops(inputs, *GIVEN[kind])

            rows.append(told(made))
results["rows"] = rows

spec = learn.MetricSpec(functools.partial(with_more, kind=1), prediction_key="p", weight_key="w")
results["spec"] = [str(spec), spec.prediction_key, spec.label_key, spec.weight_key]
results["function"] = [
    spec.metric_fn(predictions=1, labels=2),
    spec.metric_fn(weights=3, predictions=1, labels=2),
    told(lambda: spec.metric_fn(1, 2)),
    told(lambda: learn.MetricSpec(no_weights).metric_fn(labels=1, predictions=2)),
]


def message(function):
    try:
        function()
    except ValueError as e:
        return str(e).split(",")[0]
    return "none"


results["messages"] = [
    message(lambda: learn.MetricSpec(with_all, "p", "l").create_metric_ops(None, "label", predictions)),
    message(lambda: learn.MetricSpec(with_all, "p", "l").create_metric_ops(None, labels, "prediction")),
    message(lambda: learn.MetricSpec(with_all, "p").create_metric_ops(None, labels, predictions)),
    message(lambda: learn.MetricSpec(with_all, None, "l").create_metric_ops(None, labels, predictions)),
]

batch = tf.placeholder(tf.float32, [None, 3])
truth = tf.placeholder(tf.int64, [None])
weight = tf.placeholder(tf.float32, [None])
given = {"classes": tf.argmax(batch, 1), "probabilities": tf.nn.softmax(batch), "mean": tf.reduce_mean(batch, 1)}
METRICS = {
    "accuracy": learn.MetricSpec(tf.contrib.metrics.streaming_accuracy, learn.PredictionKey.CLASSES),
    "weighed": learn.MetricSpec(tf.metrics.accuracy, "classes", weight_key="weight"),
    "mean": learn.MetricSpec(tf.contrib.metrics.streaming_mean, "mean", weight_key="weight"),
    "recall": learn.MetricSpec(
        functools.partial(tf.contrib.metrics.streaming_sparse_recall_at_k, k=2), "probabilities"
    ),
}
made = {key: METRICS[key].create_metric_ops({"weight": weight}, truth, given) for key in sorted(METRICS)}
random = np.random.RandomState(3)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for _ in range(3):
        feeds = {batch: random.normal(size=[6, 3]), truth: random.randint(0, 3, 6), weight: random.randint(0, 3, 6)}
        sess.run({key: made[key][1] for key in made}, feeds)
    results["values"] = sess.run({key: made[key][0] for key in made})
results["names"] = [v.name for v in tf.local_variables()]
results["keys"] = [
    [getattr(where, name) for name in dir(where) if name.isupper()]
    for where in (learn.ModeKeys, learn.PredictionKey, learn.ProblemType)
]
