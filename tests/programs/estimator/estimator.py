"""An estimator of a program's own model: trained, evaluated, asked, exported, warm started, ended early."""

import glob
import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
base = tempfile.mkdtemp()
state = np.random.RandomState(7)
x = state.rand(24, 3).astype(np.float32)
y = (x.sum(1, keepdims=True) * 2 - 1).astype(np.float32)


def model_fn(features, labels, mode, params, config):
    with tf.variable_scope("model"):
        weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(params["start"]))
        bias = tf.get_variable("bias", [1], initializer=tf.zeros_initializer())
    value = tf.matmul(features["x"], weights) + bias
    predictions = {"value": value, "twice": value * 2}
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {
            "serving_default": tf.estimator.export.PredictOutput(predictions),
            "number": tf.estimator.export.RegressionOutput(value),
            "scores": tf.estimator.export.ClassificationOutput(scores=value),
        }
        return tf.estimator.EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
    loss = tf.losses.mean_squared_error(labels, value)
    train_op = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean_absolute_error(labels, value), "most": tf.metrics.percentage_below(value, 1.0)}
    return tf.estimator.EstimatorSpec(
        mode, predictions=predictions, loss=loss, train_op=train_op, eval_metric_ops=metrics
    )


def arrays(epochs=None, size=6):
    return tf.estimator.inputs.numpy_input_fn({"x": x}, y, batch_size=size, num_epochs=epochs, shuffle=False)


def dataset():
    return tf.data.Dataset.from_tensor_slices(({"x": x}, y)).batch(8)


def plain(values):
    return {key: np.asarray(value, np.float32) for key, value in values.items()}


config = tf.estimator.RunConfig(tf_random_seed=5, save_checkpoints_steps=4, log_step_count_steps=None)
folder = os.path.join(base, "model")
estimator = tf.estimator.Estimator(model_fn, folder, config, {"start": 0.5})
results["itself"] = estimator.train(arrays(), steps=6) is estimator
results["checkpoints"] = sorted(os.path.basename(p) for p in glob.glob(folder + "/*.index"))
results["names"] = estimator.get_variable_names()
results["weights"] = estimator.get_variable_value("model/weights")
results["latest"] = os.path.basename(estimator.latest_checkpoint())
results["evaluated"] = plain(estimator.evaluate(arrays(epochs=1)))
results["evaluated over two"] = plain(estimator.evaluate(dataset, steps=2, name="two"))
results["folders"] = sorted(name for name in os.listdir(folder) if name.startswith("eval"))

few = tf.estimator.inputs.numpy_input_fn({"x": x[:5]}, batch_size=3, shuffle=False)
results["predicted"] = [plain(each) for each in estimator.predict(few)]
results["predicted batches"] = [
    plain(each) for each in estimator.predict(few, predict_keys=["twice"], yield_single_examples=False)
]
estimator.train(arrays(), max_steps=9)
results["after nine"] = estimator.get_variable_value("global_step")
estimator.train(arrays(), max_steps=9)
results["still nine"] = estimator.get_variable_value("global_step")
results["first checkpoint"] = plain(estimator.evaluate(dataset, checkpoint_path=os.path.join(folder, "model.ckpt-4")))

# What training and evaluation wrote for TensorBoard.
told = []
for path in sorted(glob.glob(folder + "/eval/events*")):
    for event in tf.train.summary_iterator(path):
        told += [(int(event.step), value.tag) for value in event.summary.value]
results["eval summaries"] = told

# Exports.
spec = {"x": tf.FixedLenFeature([3], tf.float32)}
exported = estimator.export_saved_model(
    os.path.join(base, "export"), tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
)
results["export is bytes"] = isinstance(exported, bytes)
with tf.Graph().as_default(), tf.Session() as sess:
    loaded = tf.saved_model.loader.load(sess, ["serve"], exported.decode())
    results["signatures"] = {
        key: [
            str(signature.method_name),
            sorted((k, info.name) for k, info in signature.inputs.items()),
            sorted((k, info.name) for k, info in signature.outputs.items()),
        ]
        for key, signature in loaded.signature_def.items()
    }
    example = tf.train.Example()
    example.features.feature["x"].float_list.value.extend([0.1, 0.2, 0.3])
    signature = loaded.signature_def["serving_default"]
    results["served"] = sess.run(
        signature.outputs["value"].name, {signature.inputs["examples"].name: [example.SerializeToString()]}
    )
with tf.Graph().as_default():
    given = tf.placeholder(tf.float32, [None, 3], name="given")
    target = tf.placeholder(tf.float32, [None, 1])
    receivers = {
        "train": tf.estimator.experimental.build_raw_supervised_input_receiver_fn({"x": given}, target),
        "eval": tf.estimator.experimental.build_raw_supervised_input_receiver_fn({"x": given}, target),
        "infer": tf.estimator.export.build_raw_serving_input_receiver_fn({"x": given}),
    }
exported = estimator.experimental_export_all_saved_models(os.path.join(base, "all"), receivers)
for tag, key in (("train", "train"), ("eval", "eval"), ("serve", "serving_default")):
    with tf.Graph().as_default(), tf.Session() as sess:
        loaded = tf.saved_model.loader.load(sess, [tag], exported.decode())
        signature = loaded.signature_def[key]
        results["signature of " + tag] = [
            str(signature.method_name),
            sorted((k, info.name) for k, info in signature.inputs.items()),
            sorted((k, info.name) for k, info in signature.outputs.items()),
        ]

# Another model begins with these weights.
warm = tf.estimator.Estimator(model_fn, os.path.join(base, "warm"), config, {"start": 0.0}, warm_start_from=folder)
results["warm"] = plain(warm.evaluate(dataset))
warm.train(arrays(), steps=1)
results["warm after a step"] = warm.get_variable_value("model/weights")

# Evaluation in memory, more metrics, ending early.
memory = tf.estimator.Estimator(model_fn, os.path.join(base, "memory"), config, {"start": 0.5})
hook = tf.estimator.experimental.InMemoryEvaluatorHook(memory, dataset, every_n_iter=3, name="memory")
memory.train(arrays(), hooks=[hook], steps=7)
values = []
for path in glob.glob(os.path.join(base, "memory", "eval_memory", "*")):
    for event in tf.train.summary_iterator(path):
        values += [(float(event.step), v.simple_value) for v in event.summary.value if v.tag == "loss"]
results["in memory"] = values
more = tf.estimator.add_metrics(
    memory, lambda labels, predictions: {"root": tf.metrics.root_mean_squared_error(labels, predictions["value"])}
)
results["more metrics"] = plain(more.evaluate(dataset))
early = tf.estimator.Estimator(model_fn, os.path.join(base, "early"), config, {"start": 0.5})
stop = tf.estimator.experimental.make_early_stopping_hook(early, lambda: True, run_every_secs=None, run_every_steps=3)
early.train(arrays(), hooks=[stop], steps=50)
results["ended early"] = int(early.get_variable_value("global_step"))


# What is refused.
def refused(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


loss = 1.0
results["refused"] = {
    "steps and max_steps": refused(lambda: estimator.train(dataset, steps=1, max_steps=2)),
    "no steps": refused(lambda: estimator.train(dataset, steps=0)),
    "hooks": refused(lambda: estimator.train(dataset, hooks=[1], steps=1)),
    "three of a kind": refused(lambda: estimator.train(lambda: (1, 2, 3), steps=1)),
    "model function": refused(lambda: tf.estimator.Estimator(lambda x: None)),
    "more arguments": refused(lambda: tf.estimator.Estimator(lambda features, extra: None)),
    "params": refused(lambda: tf.estimator.Estimator(lambda features: None, params={"a": 1})),
    "no spec": refused(lambda: tf.estimator.Estimator(lambda features, labels: 3).train(dataset, steps=1)),
    "keys": refused(lambda: list(estimator.predict(few, predict_keys=["other"]))),
    "config": refused(lambda: tf.estimator.Estimator(model_fn, config=3, params={})),
    "two folders": refused(
        lambda: tf.estimator.Estimator(model_fn, "a", tf.estimator.RunConfig(model_dir="b"), params={})
    ),
    "untrained": refused(
        lambda: tf.estimator.Estimator(model_fn, os.path.join(base, "none"), params={}).get_variable_names()
    ),
    "export untrained": refused(
        lambda: tf.estimator.Estimator(model_fn, os.path.join(base, "none"), params={}).export_saved_model(
            os.path.join(base, "none"), receivers["infer"]
        )
    ),
    "missing loss": refused(lambda: tf.estimator.EstimatorSpec("eval", predictions={})),
    "missing predictions": refused(lambda: tf.estimator.EstimatorSpec("infer")),
    "loss is a number": refused(lambda: tf.estimator.EstimatorSpec("train", loss=loss, train_op=tf.no_op())),
    "metrics": refused(lambda: tf.estimator.EstimatorSpec("eval", loss=tf.constant(1.0), eval_metric_ops={"a": 1})),
    "both ways to save": refused(lambda: tf.estimator.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1)),
    "seed": refused(lambda: tf.estimator.RunConfig(tf_random_seed="a")),
    "replace": refused(lambda: tf.estimator.RunConfig().replace(other=1)),
}
