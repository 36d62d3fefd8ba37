"""k-means and mixtures of Gaussians as estimators."""

import tempfile

import numpy as np
import tensorflow as tf

results = {}
state = np.random.RandomState(0)
groups = [state.randn(20, 2) + [5, 5], state.randn(20, 2) - [5, 5], state.randn(20, 2) + [5, -5]]
points = np.concatenate(groups).astype(np.float32)
start = np.array([[4, 4], [-4, -4], [4, -4]], np.float32)


def all_points():
    return tf.convert_to_tensor(points)


def once():
    return tf.train.limit_epochs(tf.convert_to_tensor(points), num_epochs=1)


def columns():
    return {"a": tf.constant(points[:, :1]), "b": tf.constant(points[:, 1:])}


def pair():
    return tf.constant(points), None


def pair_once():
    return tf.train.limit_epochs(tf.constant(points), num_epochs=1), None


for distance in ("squared_euclidean", "cosine"):
    kmeans = tf.contrib.factorization.KMeansClustering(
        3, initial_clusters=start, use_mini_batch=False, distance_metric=distance
    )
    kmeans.train(all_points, steps=3)
    results[distance] = {
        "names": kmeans.get_variable_names(),
        "centers": kmeans.cluster_centers(),
        "score": kmeans.score(once),
        "distances": np.array(list(kmeans.transform(once)))[::10],
        "clusters": [int(number) for number in kmeans.predict_cluster_index(once)][::12],
        "evaluated": {key: np.float32(value) for key, value in kmeans.evaluate(once).items()},
    }
    core = tf.estimator.experimental.KMeans(
        3, initial_clusters=start, use_mini_batch=False, distance_metric=distance, seed=3
    )
    core.train(all_points, steps=3)
    results[distance + " of the core"] = {
        "centers": core.cluster_centers(),
        "distances": np.array(list(core.transform(once)))[::10],
    }

until = tf.contrib.factorization.KMeansClustering(
    3, initial_clusters=start, use_mini_batch=False, relative_tolerance=1e-3
)
results["steps until little changes"] = until.train(all_points, steps=50).get_variable_value("global_step")

spread = tf.contrib.factorization.KMeansClustering(3, initial_clusters="kmeans_plus_plus", use_mini_batch=False)
results["centers that were found"] = np.array(sorted(map(tuple, spread.train(all_points, steps=10).cluster_centers())))

by_column = tf.contrib.factorization.KMeansClustering(3, initial_clusters=start, use_mini_batch=False)
results["of a dict"] = by_column.train(columns, steps=2).cluster_centers()
features = [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b")]
by_feature = tf.contrib.factorization.KMeansClustering(
    3, initial_clusters=lambda inputs, count: tf.constant(start), use_mini_batch=False, feature_columns=features
)
results["of feature columns"] = by_feature.train(columns, steps=2).cluster_centers()

receiver_fn = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.placeholder(tf.float32, [None, 2])})
exported = until.export_savedmodel(tempfile.mkdtemp(), receiver_fn).decode()
for key in ("all_distances", "cluster_index", "serving_default"):
    results["served " + key] = tf.contrib.predictor.from_saved_model(exported, key)({"x": start})

for covariance in ("full", "diag"):
    mixture = tf.contrib.factorization.GMM(3, initial_clusters=start, covariance_type=covariance, random_seed=4)
    mixture.fit(input_fn=pair, steps=4)
    results["mixture " + covariance] = {
        "names": mixture.get_variable_names(),
        "means": mixture.clusters(),
        "covariances": mixture.covariances(),
        "weights": mixture.weights(),
        "score": np.float32(mixture.score(pair, steps=1)),
        "assigned": [int(number) for number in mixture.predict_assignments(pair_once)][::12],
    }
