"""Copies of models on devices: where their variables are, what is computed where, and a canned model's optimizer."""

import numpy as np
import tensorflow as tf
from tensorflow_estimator.contrib.estimator.python.estimator import replicate_model_fn as copies

results = {}
x = np.arange(6, dtype=np.float32).reshape(6, 1)
devices = ["/gpu:0", "/gpu:1"]
in_turn = copies._VariableDistributionMode.SHARED_ROUND_ROBIN


def model_fn(features, labels, mode):
    for name in "abc":
        weight = tf.get_variable(name, shape=[])
    table = tf.get_variable("table", shape=[5, 2])
    value = features * weight + tf.reduce_sum(tf.nn.embedding_lookup(table, [1]))
    loss = tf.losses.absolute_difference(labels, value)
    optimizer = tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(1.0))
    train_op = optimizer.minimize(loss, tf.train.get_or_create_global_step()) if mode == "train" else None
    metrics = {"mean": tf.metrics.mean(value)} if mode == "eval" else None
    return tf.estimator.EstimatorSpec(mode, {"value": value}, loss, train_op, metrics)


def told(call):
    try:
        return str(call())
    except (ValueError, TypeError) as error:
        return type(error).__name__, str(error)


for mode in ("train", "eval", "infer"):
    for places in (devices, devices[:1], None, ["/cpu:0", "/gpu:1", "/gpu:1"]):
        with tf.Graph().as_default() as graph:
            made = tf.contrib.estimator.replicate_model_fn(model_fn, devices=places)(x, x, mode)
            results["%s on %s" % (mode, places)] = {
                "variables": [(v.name, v.device) for v in tf.global_variables()],
                "loss": (made.loss.name, made.loss.device, made.loss.op.type),
                "value": (made.predictions["value"].name, made.predictions["value"].device),
                "sums": sorted(op.name for op in graph.get_operations() if "aggregating" in op.name),
                "left behind": graph.get_collection(copies.TowerOptimizer.COLLECTION_FOR_GRAPH_STATES),
            }

with tf.Graph().as_default():
    copies._replicate_model_fn_with_mode(model_fn, "weighted_sum", devices, in_turn)(x, x, "eval")
    results["in turn"] = [(v.name, v.device) for v in tf.global_variables()]

with tf.Graph().as_default():
    parts, labels = copies._split_batch({"a": x}, [1.0, 2.0, 3.0], 3, "/cpu:0")
    results["parts"] = [part["a"].name for part in parts] + [label.shape.as_list() for label in labels]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    results["sums"] = [
        copies._compute_sum_on_device([1.0, 2.0], "/gpu:0", "total").name,
        copies._compute_sum_on_device([slices, slices], "/gpu:1").values.device,
    ]
    results["no name for slices"] = type(told(lambda: copies._compute_sum_on_device([slices], "/cpu:0", "n"))).__name__
    results["unequal parts"] = told(lambda: copies._split_batch([1.0, 2.0, 3.0], None, 2, "/cpu:0"))
    joined = copies._concat_tensor_dicts({"a": [1.0], "b": [5.0, 6.0]}, {"a": [2.0]})
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        results["joined"] = session.run(joined)

# One wrapped optimizer, whose function is called in the graph that trains first, serves all copies in all graphs.
columns = [tf.feature_column.numeric_column("x")]
optimizer = tf.contrib.estimator.TowerOptimizer(lambda: tf.train.AdagradOptimizer(0.1))
canned = tf.estimator.LinearRegressor(columns, optimizer=optimizer)
copied = tf.estimator.Estimator(
    tf.contrib.estimator.replicate_model_fn(canned.model_fn, tf.losses.Reduction.SUM, ["/cpu:0", "/cpu:0"]),
    config=canned.config,
    params=canned.params,
)
for _ in range(2):
    copied.train(lambda: ({"x": tf.constant(x)}, tf.constant(2 * x)), steps=2)
results["canned"] = [
    copied.get_variable_value("linear/linear_model/x/weights"),
    copied.get_variable_value("global_step"),
]

# Slots are named as in the first copy's scope: not below the scopes that a model function has open.
network = tf.estimator.DNNRegressor(
    [2], columns, optimizer=tf.contrib.estimator.TowerOptimizer(tf.train.AdamOptimizer(0.1))
)
for places in (["/cpu:0"], ["/cpu:0", "/cpu:0"]):
    copied = tf.estimator.Estimator(
        tf.contrib.estimator.replicate_model_fn(network.model_fn, tf.losses.Reduction.SUM, places),
        config=tf.estimator.RunConfig(tf_random_seed=3),
    )
    copied.train(lambda: ({"x": tf.constant(x)}, tf.constant(2 * x)), steps=2)
    results["slots, %d places" % len(places)] = sorted(
        name for name, _ in tf.train.list_variables(copied.model_dir) if "Adam" in name or "power" in name
    )
