"""Trees grown by the ops of tf.contrib.boosted_trees: quantiles, sums, splits and layers on data; losses; accumulators."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.boosted_trees.python.ops import (
    gen_quantile_ops,
    model_ops,
    prediction_ops,
    quantile_ops,
    split_handler_ops,
    stats_accumulator_ops,
    training_ops,
)
from tensorflow.contrib.boosted_trees.python.utils import losses

results = {}
state = np.random.RandomState(1)
x = state.randn(60, 1).astype(np.float32)
y = (np.abs(x) > 0.8).astype(np.float32)
# num_classes: 2, pruning_mode: PRE_PRUNE or POST_PRUNE, growing_mode: WHOLE_TREE or LAYER_BY_LAYER
LEARNERS = {
    "pre, whole": b"\x08\x02@\x01H\x01",
    "post, layers": b"\x08\x02@\x02H\x02",
    "pre, layers": b"\x08\x02@\x01H\x02",
}


def grown(learner, layers=5, depth=2, oblivious=0):
    """The ensembles after each layer, and the predictions at the end."""
    with tf.Graph().as_default(), tf.Session() as session:
        trees = model_ops.tree_ensemble_variable(0, "", name="trees")
        quantiles = quantile_ops.QuantileAccumulator(0, 0.01, 8, name="quantiles")
        sums = stats_accumulator_ops.StatsAccumulator(0, tf.TensorShape([]), tf.TensorShape([]), name="sums")
        session.run([resource.create for resource in tf.get_collection("resources")])
        session.run(quantiles.add_summary(0, tf.constant(x), tf.ones([60, 1])))
        session.run(quantiles.flush(0, 1))
        _, buckets = quantiles.get_buckets(1)
        none = [[], [], [], [], [], []]
        how = {"learner_config": learner, "apply_dropout": False, "apply_averaging": False, "center_bias": False}
        logits = lambda seed: prediction_ops.gradient_trees_prediction(trees, seed, [x], *none, reduce_dim=True, **how)[
            0
        ]
        history = [session.run(buckets)]
        stamp = tf.placeholder(tf.int64, [])
        predicted = logits(0)
        loss, _ = losses.per_example_squared_loss(y, np.ones_like(y), predicted)
        gradients = tf.gradients(loss, predicted)[0]
        hessians = tf.gradients(gradients, predicted)[0]
        partitions = prediction_ops.gradient_trees_partition_examples(trees, [x], *none)
        places = tf.cast(gen_quantile_ops.quantiles([x], [], [buckets], [], [])[0][0], tf.int64)
        add = sums.add(stamp, partitions, places, tf.reshape(gradients, [-1]), tf.reshape(hessians, [-1]))
        count, ids, features, summed, curved = sums.flush(stamp, stamp + 1)
        found = split_handler_ops.build_dense_inequality_splits(
            num_minibatches=count,
            partition_ids=ids,
            bucket_ids=features,
            gradients=summed,
            hessians=curved,
            bucket_boundaries=buckets,
            class_id=-1,
            feature_column_group_id=0,
            l1_regularization=0.1,
            l2_regularization=0.5,
            tree_complexity_regularization=0.2,
            min_node_weight=0.1,
            multiclass_strategy=1,
            weak_learner_type=oblivious,
        )
        grow = training_ops.grow_tree_ensemble(
            trees,
            stamp,
            stamp + 1,
            learning_rate=0.3,
            dropout_seed=0,
            max_tree_depth=depth,
            weak_learner_type=oblivious,
            partition_ids=[found[0]],
            gains=[found[1]],
            splits=[found[2]],
            learner_config=learner,
            center_bias=False,
        )
        serialized = model_ops.tree_ensemble_serialize(trees)
        for layer in range(layers):
            session.run(add, {stamp: layer})
            history.append(session.run([grow, serialized], {stamp: layer})[0])
            history.append(session.run(serialized))
            history.append(session.run(training_ops.tree_ensemble_stats(trees, layer + 1)))
        return history, session.run(logits(1)), session.run(partitions)


for name, learner in LEARNERS.items():
    results[name] = grown(learner)
results["one split a level"] = grown(LEARNERS["pre, layers"], oblivious=1)

labels = np.array([[0.0], [1], [1], [0], [1]], np.float32)
weights = np.array([[1.0], [2], [0.5], [1], [1]], np.float32)
logits = tf.constant(np.array([[-3.0], [0.2], [0.05], [0.7], [30.0]], np.float32))
scores = tf.constant(state.randn(4, 3).astype(np.float32) * 3)
made = {name: getattr(losses, "per_example_%s_loss" % name)(labels, weights, logits)[0]
        for name in ("logistic", "squared", "squared_hinge", "exp", "full_exp")}  # fmt: skip
for quantile in (0.1, 0.5, 0.9):
    made["quantile %g" % quantile] = losses.per_example_quantile_regression_loss(labels, weights, logits, quantile)[0]
first = {name: tf.gradients(loss, logits)[0] for name, loss in made.items()}
second = {name: tf.gradients(gradient, logits)[0] for name, gradient in first.items()}
made["entropy"] = losses.per_example_maxent_loss(np.array([[0], [1], [2], [1]]), weights[:4], scores, 3)[0]
with tf.Session() as session:
    results["losses"] = session.run([made, first, second])
