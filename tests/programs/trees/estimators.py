"""The estimators of boosted trees: trained in batches and in memory, with a bias, pruned, asked, explained."""

import numpy as np
import tensorflow as tf
from tensorflow.core.kernels.boosted_trees import boosted_trees_pb2

results = {}
classifier, regressor = tf.estimator.BoostedTreesClassifier, tf.estimator.BoostedTreesRegressor
state = np.random.RandomState(3)
size = 60
x = state.randn(size, 4).astype(np.float32)
numbers = (x[:, :1] * 2 - x[:, 1:2] + 0.1 * state.randn(size, 1)).astype(np.float32)
classes = (x[:, :1] + 0.5 * x[:, 1:2] ** 2 > 0.2).astype(np.int32)
features = {
    "a": x[:, :1],
    "b": x[:, 1:2],
    "c": np.array(["x", "y", "z"])[state.randint(0, 3, size)][:, None],
    "d": x[:, 2:],
    "w": state.rand(size, 1).astype(np.float32),
}
columns = [
    tf.feature_column.numeric_column("a"),
    tf.feature_column.bucketized_column(tf.feature_column.numeric_column("b"), [-0.5, 0.0, 0.5]),
    tf.feature_column.numeric_column("d", shape=(2,)),
    tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_vocabulary_list("c", ["x", "y", "z"])),
]


def input_fn(labels, batch=None):
    def whole():
        return tf.data.Dataset.from_tensors((features, labels)).repeat()

    def parts():
        return tf.data.Dataset.from_tensor_slices((features, labels)).repeat().batch(batch)

    return whole if batch is None else parts


def splits(serialized):
    ensemble = boosted_trees_pb2.TreeEnsemble.FromString(serialized)
    found = []
    for tree in ensemble.trees:
        for node in tree.nodes:
            split = node.bucketized_split
            found.append([split.feature_id, split.threshold, split.left_id, split.right_id])
    gains = [node.metadata.gain for tree in ensemble.trees for node in tree.nodes]
    leaves = [node.leaf.scalar for tree in ensemble.trees for node in tree.nodes]
    return np.array(found), np.array(gains, np.float32), np.array(leaves, np.float32)


def train(name, kind, labels, batches=1, batch=None, steps=14, used=columns, **arguments):
    config = tf.estimator.RunConfig(log_step_count_steps=None, tf_random_seed=1)
    estimator = kind(used, batches, config=config, n_trees=2, max_depth=2, **arguments)
    estimator.train(input_fn(labels, batch), max_steps=steps)
    results[name + ": variables"] = estimator.get_variable_names()
    if kind is regressor:
        # The gradients of classes are so few different numbers that splits are as good as each other but for rounding.
        results[name + ": splits"] = splits(estimator.get_variable_value("boosted_trees:0_serialized"))
    results[name + ": step"] = estimator.get_variable_value("global_step")
    results[name + ": boundaries"] = [
        estimator.get_variable_value(key) for key in estimator.get_variable_names() if "boundaries_" in key
    ]
    once = lambda: tf.data.Dataset.from_tensors((features, labels))
    measured = estimator.evaluate(once)
    results[name + ": evaluated"] = {key: np.float32(value) for key, value in measured.items()}
    key = "predictions" if kind is regressor else "logits"
    results[name + ": predictions"] = np.stack([made[key] for made in estimator.predict(once)])
    importances = estimator.experimental_feature_importances(normalize=True)
    results[name + ": importances"] = np.array([importances[key] for key in sorted(importances)], np.float32)
    if kind is regressor:
        # Of equal ones the first column comes first.
        results[name + ": order"] = list(importances)
    if arguments.get("center_bias"):
        explained = list(estimator.experimental_predict_with_explanations(once))
        results[name + ": biases"] = np.array([made["bias"] for made in explained], np.float32)
        results[name + ": types of explanations"] = sorted(
            {type(value).__name__ for made in explained for value in [made["bias"], *made["dfc"].values()]}
        )
        results[name + ": order of contributions"] = [list(made["dfc"]) for made in explained[:5]]
        results[name + ": contributions"] = np.array(
            [[made["dfc"][key] for key in sorted(made["dfc"])] for made in explained], np.float32
        )


train("regression", regressor, numbers)
train("bias", regressor, numbers, center_bias=True)
train("batches", regressor, numbers, batches=3, batch=20, steps=30)
train("classes", classifier, classes, weight_column="w")
train("pruned", regressor, numbers, pruning_mode="pre", tree_complexity=0.05, l1_regularization=0.01)
train("in memory", regressor, numbers, pruning_mode="post", tree_complexity=0.05, train_in_memory=True)
results["kind of variables afterwards"] = type(tf.Variable(1.0)).__name__
