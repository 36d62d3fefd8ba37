"""Forests by kind of columns, of leaves and of sums: words, whole numbers, few classes, weights, strategies, restored leaves."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.contrib.tensor_forest.python import tensor_forest
from tensorflow.contrib.tensor_forest.python.ops import data_ops, gen_model_ops, gen_stats_ops

results = {}
folder = tempfile.mkdtemp()
state = np.random.RandomState(11)
features = state.randn(160, 6).astype(np.float32)
numbers = np.stack([features[:, 0] * 2 + features[:, 1], features[:, 2] - features[:, 3]], 1).astype(np.float32)
classes = ((features[:, 0] > 0).astype(np.float32) + (features[:, 1] > 0.3) + (state.rand(160) < 0.1)) % 3
weights = (state.rand(160) * 2).astype(np.float32)
whole = np.round(features * 1.5).astype(np.int64)
words = np.array([["w%d" % value for value in row] for row in whole[:, 3:]])
present = state.rand(160, 4) < 0.6
present[:, 3] = True
ONE_THREAD = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)


def columns(kind, rows):
    """The columns of some examples."""
    some = present[rows]
    sparse = tf.SparseTensor(np.argwhere(some), whole[rows, 2:][some], some.shape)
    return {
        "dense": tf.constant(features[rows]),
        "whole": {"a": tf.constant(whole[rows, :3]), "b": tf.constant(features[rows, 3:])},
        "words": {"a": tf.constant(features[rows, :3]), "b": tf.constant(words[rows])},
        "sparse": {"a": sparse},
        "both": {"a": tf.constant(features[rows, :2]), "b": sparse},
        "floats left out": {"a": tf.constant(features[rows]), "b": tf.cast(sparse, tf.float32)},
    }[kind]


def grown(labels=classes, kind="dense", weighted=False, restores=False, file=None, **settings):
    known = dict(
        max_nodes=200, num_features=6, num_trees=2, base_random_seed=5, split_after_samples=6, num_splits_to_consider=4,
        num_classes=3, checkpoint_stats=True,
    )  # fmt: skip
    if file:
        settings["param_file"] = os.path.join(folder, "parameters")
        with open(settings["param_file"], "w") as target:
            target.write(file)
    params = tensor_forest.ForestHParams(**dict(known, **settings)).fill()
    history = []
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        forest = tensor_forest.RandomForestGraphs(params)
        steps = []
        for batch in range(4):
            rows = slice(batch * 40, batch * 40 + 40)
            given = {"input_weights": weights[rows]} if weighted else {}
            steps.append(forest.training_graph(columns(kind, rows), labels[rows], **given))
        predicted = forest.inference_graph(columns(kind, slice(0, 9)))
        trees = [gen_model_ops.tree_serialize(tree.variables.tree) for tree in forest.trees]
        leaves = [
            gen_stats_ops.fertile_stats_serialize(tree.variables.stats, params=params.serialized_params_proto)
            for tree in forest.trees
        ]
        create = [tf.global_variables_initializer()] + [resource.create for resource in tf.get_collection("resources")]
        saver = tf.train.Saver()
        session = tf.Session(config=ONE_THREAD)
        session.run(create)
        for number, step in enumerate(steps):
            if restores and number == 2:
                path = saver.save(session, os.path.join(folder, "model"))
                session = tf.Session(config=ONE_THREAD)
                session.run(create)
                saver.restore(session, path)
            session.run(step)
            # Of leaves that are kept sparsely, the order of classes is not told.
            if settings.get("model_name") != "all_sparse":
                history.append(session.run([trees, leaves]))
        return history, session.run([predicted[0], forest.average_size(), forest.feature_importances()])


for kind in ("whole", "words", "sparse", "both", "floats left out"):
    results["columns: " + kind] = grown(kind=kind)
results["averages of words"] = grown(kind="words", initialize_average_splits=True)
results["numbers of words"] = grown(numbers, kind="words", regression=True, num_classes=2)
results["several numbers"] = grown(numbers, regression=True, num_classes=2)
results["numbers, dropped"] = grown(
    numbers, regression=True, num_classes=2, split_pruning_name="half", prune_every_samples=2
)
results["few classes"] = grown(num_classes=9, model_name="all_sparse")
results["few classes, weights"] = grown(num_classes=9, model_name="all_sparse", weighted=True)
results["few classes, restored"] = grown(num_classes=9, model_name="all_sparse", restores=True)
results["an even number of nodes"] = grown(max_nodes=6)
results["parts of numbers"] = grown(split_after_samples=7.5, num_splits_to_consider="5")
results["no candidates"] = grown(
    split_after_samples=4, num_splits_to_consider="linear { slope: -3 y_intercept: 5 min_val: 0 max_val: 9 }"
)
results["dropped by bounds"] = grown(
    weighted=True,
    split_pruning_name="hoeffding",
    prune_every_samples=2,
    dominate_fraction=0.2,
    num_splits_to_consider=12,
)
results["zero weights"] = grown(labels=classes, weighted=True, bagging_fraction=0.6)
results["running sums"] = grown(weighted=True, use_running_stats_method=True)
results["running sums, dropped"] = grown(
    weighted=True, use_running_stats_method=True, split_pruning_name="half", prune_every_samples=3
)
for running in (False, True):
    results["restored, running sums: %s" % running] = grown(restores=True, use_running_stats_method=running)
results["restored, dropped"] = grown(
    restores=True, split_pruning_name="quarter", prune_every_samples=2, num_splits_to_consider=8, split_after_samples=30
)
results["restored without leaves"] = grown(restores=True, checkpoint_stats=False)
results["restored numbers"] = grown(numbers, kind="whole", restores=True, regression=True, num_classes=2)
results["a file goes before"] = grown(file="max_nodes: 13 inequality_test_type: GREATER_THAN")
results["finished early"] = grown(
    file="min_split_samples { constant_value: 3 } dominate_fraction { constant_value: 0.3 } "
    "finish_type { type: SPLIT_FINISH_DOMINATE_HOEFFDING check_every_steps { constant_value: 2 } }",
    split_after_samples=20,
)


def parameters(**settings):
    try:
        filled = tensor_forest.ForestHParams(**settings).fill()
    except (AttributeError, KeyError, TypeError) as error:
        return type(error).__name__
    return [filled.num_outputs, filled.num_splits_to_consider, filled.prune_every_samples, filled.finish_type]


known = {"num_classes": 3, "num_features": 4}
results["parameters"] = [
    parameters(**settings)
    for settings in (
        known,
        {"num_classes": 3},
        dict(known, model_name="none"),
        dict(known, split_pruning_name="half"),
        dict(known, split_finish_name="hoeffding"),
        dict(known, split_finish_name="hoeffding", regression=True),
        dict(known, num_features=4000000, prune_every_samples=3),
    )
]
depth = tensor_forest.ForestHParams(split_after_samples="12", **known).fill()
results["numbers as texts"] = text_format.MessageToString(tensor_forest.build_params_proto(depth).split_after_samples)
some = tf.SparseTensor([[0, 1], [2, 0]], [2, 1], [3, 2])
results["columns"] = [
    spec.SerializeToString()
    for _, _, spec in (
        data_ops.ParseDataTensorOrDict({"b": tf.ones([3, 2]), "c": some, "d": some}),
        data_ops.ParseDataTensorOrDict(some),
    )
]
with tf.Session() as session:
    results["labels"] = session.run(data_ops.ParseLabelTensorOrDict(some))
