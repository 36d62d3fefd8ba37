"""k-means in batches, against the means that it approaches."""

from __future__ import annotations

import numpy as np

from headrace.contrib.factorization.kmeans_estimator import KMeansClustering
from headrace.data.dataset import Dataset


def test_centers_are_means_of_start_and_all_points_seen(tmp_path):
    """Sculley (WWW 2010): each center is the mean of its points so far, where its start counts as one."""
    state = np.random.RandomState(3)
    start = np.float32([[5, 5], [-5, -5]])
    groups = [(center + state.randn(12, 2)).astype(np.float32) for center in start]
    batches = zip(np.split(groups[0], 3), np.split(groups[1], 3), strict=True)
    points = np.concatenate([np.concatenate(pair) for pair in batches])
    kmeans = KMeansClustering(2, str(tmp_path), initial_clusters=start, use_mini_batch=True)
    kmeans.train(lambda: Dataset.from_tensor_slices(points).batch(8))
    expected = [np.concatenate([start[i : i + 1], groups[i]]).mean(0) for i in range(2)]
    np.testing.assert_allclose(kmeans.cluster_centers(), expected, rtol=1e-5)
    assert kmeans.get_variable_value("global_step") == 3
