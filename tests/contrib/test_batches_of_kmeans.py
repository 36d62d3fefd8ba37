"""k-means in batches, against the means that it approaches."""

from __future__ import annotations

import numpy as np

import headrace as tf
from headrace.contrib.factorization.kmeans_estimator import KMeansClustering
from headrace.data.dataset import Dataset


def test_centers_approach_the_means_of_their_points(tmp_path):
    """As Sculley (WWW 2010), a start counting as one point; but a rate's counts hold the batch twice, as 1.15.5 reads them."""
    state = np.random.RandomState(3)
    start = np.float32([[5, 5], [-5, -5]])
    groups = [(center + state.randn(12, 2)).astype(np.float32) for center in start]
    batches = zip(np.split(groups[0], 3), np.split(groups[1], 3), strict=True)
    points = np.concatenate([np.concatenate(pair) for pair in batches])
    kmeans = KMeansClustering(2, str(tmp_path), initial_clusters=start, use_mini_batch=True)
    kmeans.train(lambda: Dataset.from_tensor_slices(points).batch(8))
    expected = start.copy()
    for i, group in enumerate(groups):
        for step, batch in enumerate(np.split(group, 3)):
            expected[i] += (batch - expected[i]).sum(0) / (1 + 4 * step + 2 * len(batch))
    np.testing.assert_allclose(kmeans.cluster_centers(), expected, rtol=1e-5)
    # 1.15.5 counts the step that finds no batch more.
    assert kmeans.get_variable_value("global_step") == 4


def test_points_that_come_once_choose_centers_and_then_move_them(tmp_path):
    """The first training finds no more points for a step, and counts it; values of TensorFlow 1.15.5."""
    points = np.float32([[i % 4, i // 4] for i in range(16)]) ** 1.5
    config = tf.estimator.RunConfig(tf_random_seed=5)
    kmeans = tf.estimator.experimental.KMeans(3, str(tmp_path), seed=4, use_mini_batch=False, config=config)
    root = np.sqrt(8)
    seen = {
        1: [[0, root], [0, root], [0, 1]],
        3: [[2.25600004, 4.01200008], [0, 0], [2.25600004, 0.5]],
        5: [[2.25600004, 4.01200008], [1 / 3, 1 / 3], [3.41000009, 0.60000002]],
    }
    for step, centers in seen.items():
        kmeans.train(lambda: tf.train.limit_epochs(tf.constant(points), num_epochs=1))
        np.testing.assert_allclose(kmeans.cluster_centers(), centers, atol=5e-3)
        assert kmeans.get_variable_value("global_step") == step


def test_seeds_of_graphs_go_before_those_of_the_core_estimator(tmp_path):
    """TensorFlow 1.15.5 takes the seed of the graph, 87654321 without one."""
    points = np.float32([[i % 4, i // 4] for i in range(16)]) ** 1.5
    kmeans = tf.estimator.experimental.KMeans(3, str(tmp_path), seed=4, use_mini_batch=False)
    kmeans.train(lambda: tf.train.limit_epochs(tf.constant(points), num_epochs=1))
    expected = [[1.0, 1.0], [2.8284270763, 5.1961521502], [0.0, 1.0]]
    np.testing.assert_allclose(kmeans.cluster_centers(), expected, rtol=1e-6)
