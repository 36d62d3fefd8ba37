"""The ops of boosted trees on random data: quantile sketches, buckets, statistics of gradients and the best splits."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_boosted_trees_ops as trees

results = {}
session = tf.Session()
for number, (size, error) in enumerate([(5, 0.1), (50, 0.01), (500, 0.01), (3000, 0.05)]):
    state = np.random.RandomState(number)
    values = [
        state.randn(size).astype(np.float32),
        state.randint(0, 20, size).astype(np.float32),
        np.round(state.exponential(size=size), 2).astype(np.float32),
    ]
    weights = np.ones(size, np.float32) if number % 2 == 0 else state.rand(size).astype(np.float32)
    weights[::7] = 0
    summaries = session.run(trees.boosted_trees_make_quantile_summaries(values, weights, error))
    results["summaries %d" % number] = summaries
    thirds = [np.unique(summary[:, 0])[::3] for summary in summaries]
    results["buckets %d" % number] = session.run(trees.boosted_trees_bucketize(values, thirds))
    for exact in (False, True):
        handle = trees.boosted_trees_quantile_stream_resource_handle_op("", "stream %d %d" % (number, exact))
        session.run(trees.boosted_trees_create_quantile_stream_resource(handle, error, 3))
        for scale in range(1, 5):
            scaled = [summary * np.array([scale, 1, 1, 1], np.float32) for summary in summaries]
            session.run(trees.boosted_trees_quantile_stream_resource_add_summaries(handle, scaled))
        session.run(trees.boosted_trees_quantile_stream_resource_flush(handle, int(1 / error), exact))
        boundaries = trees.boosted_trees_quantile_stream_resource_get_bucket_boundaries(handle, 3)
        results["boundaries %d %s" % (number, exact)] = session.run(boundaries)

    nodes = state.randint(0, 4, size).astype(np.int32)
    gradients, hessians = state.randn(size, 1).astype(np.float32), state.rand(size, 1).astype(np.float32)
    features = [state.randint(0, 7, size).astype(np.int32) for _ in range(3)]
    summary = session.run(
        trees.boosted_trees_make_stats_summary(nodes, gradients, hessians, features, max_splits=4, num_buckets=7)
    )
    results["summary %d" % number] = summary
    for penalties in ((0.0, 0.0, 0.0, 0.0), (0.5, 0.1, 0.01, 2.0)):
        best = trees.boosted_trees_calculate_best_gains_per_feature([1, 4], list(summary), *penalties, max_splits=4)
        results["gains %d %s" % (number, penalties)] = [value for part in session.run(list(best)) for value in part]

    matrix = np.stack(features, 1)
    matrix[state.rand(size, 3) < 0.2] = -1
    for logits, width in ((1, 1), (3, 3)):
        many, curved = state.randn(size, logits).astype(np.float32), state.rand(size, width).astype(np.float32)
        table = session.run(
            trees.boosted_trees_aggregate_stats(nodes, many, curved, matrix, max_splits=4, num_buckets=7)
        )
        results["table %d %d" % (number, width)] = table
        for kind in ("inequality", "equality"):
            best = trees.boosted_trees_calculate_best_feature_split(
                [0, 4], table, 0.0, 0.1, 0.01, 0.5, logits_dimension=logits, split_type=kind
            )
            results["split %d %d %s" % (number, width, kind)] = session.run(list(best))
