"""What TPUEstimator hands to functions, and what its settings and specs refuse."""

import glob
import tempfile

import numpy as np
import tensorflow as tf

results = {}
tpu = tf.contrib.tpu
seen = []


def known(params):
    return sorted((key, str(value)) for key, value in params.items() if key in ("batch_size", "units", "use_tpu"))


def host_call(step, loss):
    with tf.control_dependencies([tf.assign_add(host_calls(), 1)]):
        return tf.identity(step)


def host_calls():
    with tf.variable_scope("host", reuse=tf.AUTO_REUSE):
        return tf.get_variable("calls", [], tf.int32, tf.zeros_initializer(), trainable=False)


def model_fn(features, labels, mode, params):
    seen.append(("model", mode, known(params)))
    weight = tf.get_variable("weight", [], initializer=tf.ones_initializer())
    value = features["x"] * weight
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tpu.TPUEstimatorSpec(mode, predictions={"value": value})
    loss = tf.reduce_mean((value - labels) ** 2)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    calls = (host_call, [tf.reshape(tf.train.get_global_step(), [1]), tf.reshape(loss, [1])])
    return tpu.TPUEstimatorSpec(
        mode,
        loss=loss,
        train_op=train_op,
        eval_metrics=(lambda a, b: {"error": tf.metrics.mean_absolute_error(b, a)}, {"a": value, "b": labels}),
        host_call=calls if mode == tf.estimator.ModeKeys.TRAIN else None,
        scaffold_fn=lambda: tf.train.Scaffold(),
    )


def input_fn(params):
    seen.append(("input", known(params)))
    data = tf.data.Dataset.from_tensor_slices(({"x": [1.0, 2.0, 3.0, 4.0]}, [1.0, 1.0, 1.0, 1.0]))
    return data.repeat(4).batch(params["batch_size"], drop_remainder=True)


def told(call):
    try:
        return str(call())
    except (ValueError, TypeError, RuntimeError, KeyError) as error:
        return type(error).__name__


def config_of(**settings):
    return tpu.RunConfig(model_dir=tempfile.mkdtemp(), **settings)


estimator = tpu.TPUEstimator(
    model_fn,
    config=config_of(log_step_count_steps=2, save_checkpoints_steps=3),
    use_tpu=False,
    train_batch_size=2,
    eval_batch_size=4,
    predict_batch_size=1,
    params={"units": 3},
)
results["same"] = estimator.train(input_fn, steps=4) is estimator
results["weight"] = estimator.get_variable_value("weight")
results["host calls"] = estimator.get_variable_value("host/calls")
results["evaluated"] = {key: np.float32(value) for key, value in estimator.evaluate(input_fn, steps=2).items()}
results["predicted"] = [each["value"] for each in estimator.predict(input_fn)][:3]
results["params"] = estimator.params
results["seen"] = seen
results["is logged by others"] = estimator.config.log_step_count_steps
summaries = set()
for path in glob.glob(estimator.model_dir + "/events*"):
    for event in tf.train.summary_iterator(path):
        summaries.update(value.tag for value in event.summary.value)
results["summaries"] = sorted(summaries)

results["config"] = str(tpu.TPUConfig(iterations_per_loop=7, num_shards=3, num_cores_per_replica=2))
results["one host a core"] = tpu.TPUConfig(per_host_input_for_training=False).per_host_input_for_training
results["replaced"] = (
    config_of().replace(tpu_config=tpu.TPUConfig(9), save_summary_steps=4).tpu_config.iterations_per_loop
)
both = config_of(master="grpc://here", evaluation_master="grpc://there")
results["masters"] = [both.master, both.evaluation_master, config_of(master="grpc://here").evaluation_master]
modes = tpu.InputPipelineConfig
results["modes"] = [modes.PER_SHARD_V1, modes.PER_HOST_V1, modes.PER_HOST_V2, modes.BROADCAST, modes.SLICED]
results["refused configs"] = [
    told(lambda settings=settings: tpu.TPUConfig(**settings))
    for settings in (
        {"num_shards": -1},
        {"iterations_per_loop": -1},
        {"iterations_per_loop": "3x"},
        {"num_cores_per_replica": 3},
        {"input_partition_dims": [[1, 3]]},
        {"initial_infeed_sleep_secs": -1},
        {"eval_training_input_configuration": 7},
    )
]
results["refused estimators"] = [
    told(lambda: tpu.TPUEstimator(model_fn, use_tpu=False, train_batch_size=2)),
    told(lambda: tpu.TPUEstimator(model_fn, config=tf.estimator.RunConfig(), use_tpu=False)),
    told(lambda: tpu.TPUEstimator(model_fn, config=config_of(), params={"batch_size": 3}, use_tpu=False)),
    told(lambda: tpu.TPUEstimator(model_fn, config=config_of(), use_tpu=False).train(input_fn, steps=1)),
    told(lambda: estimator.train(lambda: None, steps=1)),
]
tensor = tf.constant([1.0, 2.0])
loss = tf.reduce_mean(tensor)
results["refused specs"] = [
    told(lambda given=given: tpu.TPUEstimatorSpec("eval", loss=loss, eval_metrics=given))
    for given in (3, (len,), (3, [tensor]), (lambda x: {}, tensor), (lambda x: {}, [tensor, tensor]))
] + [
    told(lambda: tpu.TPUEstimatorSpec("train", loss=loss)),
    told(lambda: tpu.TPUEstimatorSpec("train", loss=loss, train_op=loss, host_call=3)),
    told(lambda: tpu.TPUEstimatorSpec("train", loss=loss, train_op=loss, training_hooks=[3])),
]
with tpu.bfloat16_scope():
    low, high = tf.get_variable("low", [3], tf.bfloat16), tf.get_variable("high", [3], tf.float32)
results["dtypes"] = [low.dtype.name, high.dtype.base_dtype.name]
results["variables"] = [(variable.name, variable.dtype.base_dtype.name) for variable in tf.global_variables()]
