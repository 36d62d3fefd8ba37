"""Estimators that hand on features, clip, are copied to devices, exported for all modes, loaded again and called."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}
contrib = tf.contrib.estimator
x = np.array([[1.0], [2.0], [3.0], [4.0]], np.float32)
y = np.array([[2.0], [3.0], [5.0], [9.0]], np.float32)


def model_fn(features, labels, mode):
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    value = features["x"] * weight
    predictions = {"value": value}
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {
            "serving_default": tf.estimator.export.PredictOutput(predictions),
            "other": tf.estimator.export.PredictOutput({"twice": value * 2}),
        }
        return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, value)
    optimizer = contrib.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(0.1), 0.5)
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean_absolute_error(labels, value)}
    return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op, metrics)


def input_fn():
    return tf.data.Dataset.from_tensors(({"x": x}, y)).repeat(3)


def with_ids():
    return tf.data.Dataset.from_tensors({"x": x, "id": [7, 8, 9, 10]})


def serving_input_receiver_fn():
    named = {"x": tf.placeholder(tf.float32, [None, 1], name="fed"), "id": tf.placeholder(tf.int32, [None], name="ids")}
    return tf.estimator.export.ServingInputReceiver(named, named)


def without_ids():
    named = {"x": tf.placeholder(tf.float32, [None, 1], name="fed")}
    return tf.estimator.export.ServingInputReceiver(named, named)


def told(call):
    try:
        return str(call())
    except (ValueError, TypeError, RuntimeError, KeyError) as error:
        return type(error).__name__


def numbers(found):
    return {key: np.float32(value) for key, value in found.items()}


estimator = tf.estimator.Estimator(model_fn)
results["clipped"] = estimator.train(input_fn).get_variable_value("weight")

forwarding = contrib.forward_features(estimator, "id")
results["forwarded"] = [(int(each["id"]), float(each["value"][0])) for each in forwarding.predict(with_ids)]
exported = forwarding.export_saved_model(tempfile.mkdtemp(), serving_input_receiver_fn)
predict = tf.contrib.predictor.from_saved_model(exported.decode())
results["of the export"] = predict({"x": x, "id": [1, 2, 3, 4]})
results["refused"] = [
    told(lambda: contrib.forward_features(estimator, 3)),
    told(lambda: contrib.forward_features(estimator, [3])),
    told(lambda: next(contrib.forward_features(estimator, "nothing").predict(with_ids))),
    told(lambda: next(contrib.forward_features(forwarding, "id").predict(with_ids))),
    told(lambda: contrib.replicate_model_fn(model_fn, tf.losses.Reduction.NONE)),
]

call = tf.contrib.predictor.from_estimator(estimator, without_ids)
results["called"] = call({"x": [[10.0]]})
other = tf.contrib.predictor.from_estimator(estimator, without_ids, output_key="other")
results["called otherwise"] = other({"x": [[10.0]]})
results["no such output"] = told(lambda: tf.contrib.predictor.from_estimator(estimator, without_ids, "nothing"))
results["no such input"] = told(lambda: call({"z": 1}))

supervised = contrib.build_supervised_input_receiver_fn_from_input_fn(input_fn)
with tf.Graph().as_default():
    receiver = supervised()
    results["receiver"] = {key: (t.name, t.shape.as_list()) for key, t in receiver.receiver_tensors.items()}
receivers = {"train": supervised, "eval": supervised, "infer": without_ids}
everything = contrib.export_all_saved_models(estimator, tempfile.mkdtemp(), receivers).decode()
loaded = contrib.SavedModelEstimator(everything, tempfile.mkdtemp())
results["loaded evaluated"] = numbers(loaded.evaluate(input_fn))
loaded.train(input_fn)
results["loaded and trained"] = [loaded.get_variable_value("weight"), loaded.get_variable_value("global_step")]
results["loaded evaluated again"] = numbers(loaded.evaluate(input_fn))
results["loaded predicted"] = [float(each["value"][0]) for each in loaded.predict(with_ids)]
served_only = contrib.export_saved_model_for_mode(estimator, tempfile.mkdtemp(), without_ids).decode()
results["only served"] = told(lambda: contrib.SavedModelEstimator(served_only).train(input_fn, steps=1))


def replicated_model_fn(features, labels, mode, params):
    weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(10.0))
    value = features["x"] * weight
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"value": value})
    loss = tf.losses.absolute_difference(labels, value, reduction=params["reduction"])
    optimizer = contrib.TowerOptimizer(lambda: tf.train.AdamOptimizer(params["rate"]))
    train_op = optimizer.minimize(loss, tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean_absolute_error(labels, value)}
    return tf.estimator.EstimatorSpec(mode, {"value": value}, loss, train_op, metrics)


for reduction in (tf.losses.Reduction.SUM, tf.losses.Reduction.SUM_BY_NONZERO_WEIGHTS):
    copied = tf.estimator.Estimator(
        contrib.replicate_model_fn(replicated_model_fn, reduction, ["/cpu:0", "/cpu:0"]),
        params={"rate": 0.5, "reduction": reduction},
    )
    copied.train(input_fn)
    results["copied " + reduction] = {
        "names": copied.get_variable_names(),
        "weight": copied.get_variable_value("weight"),
        "first moment": copied.get_variable_value("weight/Adam"),
        "evaluated": numbers(copied.evaluate(input_fn)),
        "predicted": [float(each["value"][0]) for each in copied.predict(with_ids)],
    }
