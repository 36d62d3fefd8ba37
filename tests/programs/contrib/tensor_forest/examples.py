"""Forests of weighted examples, of sparse features, of many classes; and the order of the leaves in serialized statistics."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensor_forest.python import tensor_forest
from tensorflow.contrib.tensor_forest.python.ops import gen_model_ops, gen_stats_ops

results = {}
state = np.random.RandomState(7)
features = state.randn(320, 6).astype(np.float32)
numbers = (features[:, 0] * 2 + features[:, 1] + 0.2 * state.randn(320)).astype(np.float32)
classes = np.clip(np.floor(numbers + 2), 0, 3).astype(np.float32)
weights = state.rand(320).astype(np.float32)
# Every example has something in the last column.
present = state.rand(320, 6) < 0.4
present[:, 5] = True


def sparse(rows, columns):
    kept = present[rows, columns]
    return tf.SparseTensorValue(np.argwhere(kept), features[rows, columns][kept], kept.shape)


def grown(labels, kind="dense", weighted=False, batches=4, **settings):
    known = dict(
        max_nodes=200, num_features=6, num_trees=2, base_random_seed=5, split_after_samples=6, num_splits_to_consider=4
    )
    params = tensor_forest.ForestHParams(**{**known, **settings}).fill()
    with tf.Graph().as_default(), tf.Session() as session:
        x, y, w = (
            tf.placeholder(tf.float32, [None, 6]),
            tf.placeholder(tf.float32, [None]),
            tf.placeholder(tf.float32, [None]),
        )
        thin = tf.sparse_placeholder(tf.float32)
        data = {"dense": x, "sparse": thin, "both": {"a": x[:, :3], "b": thin}}[kind]
        forest = tensor_forest.RandomForestGraphs(params)
        train = forest.training_graph(data, y, **({"input_weights": w} if weighted else {}))
        session.run(tf.global_variables_initializer())
        session.run([resource.create for resource in tf.get_collection("resources")])
        trees = [gen_model_ops.tree_serialize(tree.variables.tree) for tree in forest.trees]
        leaves = [
            gen_stats_ops.fertile_stats_serialize(tree.variables.stats, params=params.serialized_params_proto)
            for tree in forest.trees
        ]
        history = []
        for batch in range(batches):
            rows = slice(batch * 80, batch * 80 + 80)
            columns = slice(3, 6) if kind == "both" else slice(0, 6)
            session.run(train, {x: features[rows], y: labels[rows], w: weights[rows], thin: sparse(rows, columns)})
            history.append(session.run([trees, leaves]))
    return history


for kind in ("dense", "sparse", "both"):
    results["classes: " + kind] = grown(classes, kind, num_classes=4)
    results["numbers: " + kind] = grown(numbers, kind, num_classes=1, regression=True)
results["weights"] = grown(classes, weighted=True, num_classes=4, num_trees=3)
results["weights of numbers"] = grown(numbers, weighted=True, num_classes=1, regression=True)
results["less"] = grown(
    classes, num_classes=4, split_name="less", split_after_samples=70, checkpoint_stats=True, batches=1
)
results["many classes"] = grown(np.arange(320) % 12, num_classes=12, split_after_samples=20)
results["often"] = grown(numbers, num_classes=1, regression=True, split_after_samples=2, max_nodes=1000)
results["numbers finish as others"] = grown(numbers, num_classes=1, regression=True, split_finish_name="bootstrap")
