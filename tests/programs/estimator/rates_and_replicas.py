"""How fast models of 2.x's interface learn with optimizers by name, alone and as replicas of a strategy."""

import os
import tempfile

import tensorflow as tf

results = {}
base = tempfile.mkdtemp()
E = tf.compat.v2.estimator
x = tf.feature_column.numeric_column("x")


def data():
    return tf.data.Dataset.from_tensors(({"x": [[0.0], [1.0], [2.0]]}, [[1.0], [2.0], [3.0]])).repeat()


def trained(name, make, strategy):
    session = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    config = tf.estimator.RunConfig(tf_random_seed=5, train_distribute=strategy, session_config=session)
    model = make(os.path.join(base, name), config)
    model.train(data, steps=2)
    names = ["linear/linear_model/x/weights", "dnn/logits/bias", "baseline/bias"]
    results[name] = {key: model.get_variable_value(key) for key in names if key in model.get_variable_names()}


for kind in ("alone", "replicas"):
    strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]) if kind == "replicas" else None
    trained(
        kind + " both",
        lambda folder, config: E.DNNLinearCombinedRegressor(folder, [x], "SGD", [x], "SGD", [2], config=config),
        strategy,
    )
    trained(
        kind + " linear",
        lambda folder, config: E.LinearRegressor([x], folder, optimizer="SGD", config=config),
        strategy,
    )
    trained(
        kind + " baseline",
        lambda folder, config: E.BaselineRegressor(folder, optimizer="SGD", config=config),
        strategy,
    )
