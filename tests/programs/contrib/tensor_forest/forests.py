"""Forests of fixed seeds, batch by batch: their trees, predictions, sizes and importances; metrics, columns, loss hooks."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensor_forest.client import eval_metrics, random_forest
from tensorflow.contrib.tensor_forest.python import tensor_forest
from tensorflow.contrib.tensor_forest.python.ops import data_ops, gen_model_ops, tensor_forest_ops

results = {}
state = np.random.RandomState(3)
features = state.randn(250, 6).astype(np.float32)
classes = ((features[:, 0] > 0).astype(int) + (features[:, 1] > 0.3)).astype(np.float32)
numbers = features[:, 0] * 2 + features[:, 1]


def grown(values, labels, batches=5, **settings):
    known = dict(
        max_nodes=200, num_features=6, num_trees=2, base_random_seed=5, split_after_samples=20, num_splits_to_consider=5
    )
    params = tensor_forest.ForestHParams(**{**known, **settings}).fill()
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.float32, [None])
        forest = tensor_forest.RandomForestGraphs(params)
        train, predicted = forest.training_graph(x, y), forest.inference_graph(x)
        session.run(tf.global_variables_initializer())
        session.run([resource.create for resource in tf.get_collection("resources")])
        trees = [gen_model_ops.tree_serialize(tree.variables.tree) for tree in forest.trees]
        history = []
        for batch in range(batches):
            rows = slice(batch * 50, batch * 50 + 50)
            session.run(train, {x: values[rows], y: labels[rows]})
            history.append(session.run(trees))
        known = session.run(
            [predicted[0], predicted[2], forest.average_size(), forest.feature_importances()], {x: values[:5]}
        )
    return history, known


results["classes"] = grown(features, classes, num_classes=3)
results["few values"] = grown(np.round(features), classes, num_classes=3)
results["less"] = grown(features, classes, num_classes=3, split_name="less")
results["collated"] = grown(features, classes, num_classes=3, collate_examples=True)
results["small"] = grown(features, classes, num_classes=3, max_nodes=7)
results["numbers"] = grown(features, numbers, num_classes=1, regression=True, batches=4)[1][:2]

often = {"split_after_samples": 15, "num_splits_to_consider": 12, "num_classes": 3, "prune_every_samples": 3}
for kind in ("half", "quarter", "10_percent"):
    results["dropped: " + kind] = grown(features, classes, split_pruning_name=kind, **often)
results["dropped: hoeffding"] = grown(
    features, classes, split_pruning_name="hoeffding", dominate_fraction=0.4, **dict(often, split_after_samples=40)
)
# Nothing is dropped from the example on that lets a leaf be split, however many come after it in the batch.
for after, every in ((8, 5), (10, 5), (9, 2)):
    results["dropped up to %d by %d" % (after, every)] = grown(
        features,
        classes,
        num_classes=3,
        batches=3,
        split_pruning_name="half",
        split_after_samples=after,
        prune_every_samples=every,
        num_splits_to_consider=10,
    )
by_depth = {
    "num_splits_to_consider": "linear { slope: 2 y_intercept: 4 min_val: 1 max_val: 9 }",
    "split_after_samples": "exponential { bias: 8 base: 2 multiplier: 3 depth_multiplier: 1 }",
}
results["by depth"] = grown(features, classes, num_classes=3, **by_depth)
results["dropped by depth"] = grown(
    features,
    classes,
    num_classes=3,
    split_pruning_name="half",
    prune_every_samples="threshold { on_value: 3 off_value: 6 threshold: 1 }",
    **by_depth,
)
results["numbers are not dropped"] = grown(
    features, numbers, num_classes=1, regression=True, split_pruning_name="half", prune_every_samples=3, batches=4
)[1][:2]

averages = {"num_classes": 3, "initialize_average_splits": True}
results["averages"] = grown(features, classes, **averages)
results["averages of later examples"] = grown(features, np.arange(250) // 3 % 3, **averages)
results["averages, collated"] = grown(features, classes, collate_examples=True, batches=4, **averages)
results["averages, dropped"] = grown(features, classes, split_pruning_name="half", **{**often, **averages})
results["averages by depth"] = grown(features, classes, **by_depth, **averages)
results["running statistics"] = grown(features, classes, num_classes=3, use_running_stats_method=True)
results["running statistics, dropped"] = grown(
    features, classes, split_pruning_name="quarter", use_running_stats_method=True, **often
)
results["numbers have no averages"] = grown(
    features, numbers, num_classes=1, regression=True, initialize_average_splits=True, batches=4
)[1][:2]
# Many leaves are split in one batch: the order in which they are numbers their children.
mixed = np.random.RandomState(9).randint(0, 3, 250)
for kept in (False, True):
    results["many leaves, collated: %s" % kept] = grown(
        features,
        mixed,
        num_classes=3,
        split_after_samples=3,
        num_splits_to_consider=3,
        batches=4,
        max_nodes=1000,
        num_trees=1,
        collate_examples=kept,
    )

results["parameters"] = tensor_forest.ForestHParams(num_classes=4, num_features=200).fill().num_splits_to_consider
dense, sparse, spec = data_ops.ParseDataTensorOrDict({"b": tf.ones([3, 2]), "a": tf.ones([3, 1], tf.int32)})
results["columns"] = [dense.shape.as_list(), sparse, spec.SerializeToString()]
probabilities = tf.constant([[0.9, 0.1], [0.6, 0.4], [0.35, 0.65], [0.05, 0.95]])
targets = tf.constant([[0], [1], [1], [1]])
made = {name: eval_metrics.get_metric(name)(probabilities, targets) for name in ("softmax_entropy", "sigmoid_entropy")}
made["accuracy"] = eval_metrics.get_metric("accuracy")(tf.constant([0, 1, 1, 0]), tf.constant([0, 1, 0, 0]))
made["r2"] = eval_metrics.get_metric("r2")(tf.constant([[1.0], [2.5], [2.9]]), tf.constant([[1.0], [2.0], [3.0]]))
results["keys"] = [eval_metrics.get_prediction_key(name) for name in ("accuracy", "auc", "r2", "recall")]
table = tf.Variable(np.zeros((3, 2), np.float32))
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    session.run({name: update for name, (_, update) in made.items()})
    results["metrics"] = session.run({name: value for name, (value, _) in made.items()})
    results["words"] = session.run(tensor_forest_ops.reinterpret_string_to_float([["a", "abc"], ["", "hello world"]]))
    session.run(tensor_forest_ops.scatter_add_ndim(table, [[0, 1], [2, 0]], [1.0, 2.0]))
    results["scattered"] = session.run(table)


class Context:
    stopped = False

    def request_stop(self):
        self.stopped = True


class Values:
    def __init__(self, step, loss):
        self.results = {"global_step": step, "current_loss": loss}


for losses in ([5, 4, 3, 2, 1.9, 1.8, 1.7, 1.6, 1.5], [3.0] * 6):
    hook, seen = random_forest.TensorForestLossHook(2, 0.3), []
    for step, loss in enumerate(losses):
        context = Context()
        hook.after_run(context, Values(step, loss))
        seen.append(context.stopped)
    results["stops after %g" % losses[0]] = seen
