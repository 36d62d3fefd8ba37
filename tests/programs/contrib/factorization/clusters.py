"""k-means with all its starts, in batches and at once; a mixture of Gaussians."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import factorization
from tensorflow.python.ops import gen_clustering_ops

results = {}
random = np.random.RandomState(3)
centers = np.array([[4.0, 0.0, 1.0], [-3.0, 2.0, 0.0], [0.0, -4.0, 2.0]], np.float32)
points = (centers[np.arange(60) % 3] + 0.4 * random.randn(60, 3)).astype(np.float32)

with tf.Session() as sess:
    for seed in (0, 1, 7):
        sampled = gen_clustering_ops.kmeans_plus_plus_initialization(points, 4, seed, seed - 1)
        results["kmeans_plus_plus_%d" % seed] = sess.run(sampled)
        chain = gen_clustering_ops.kmc2_chain_initialization(np.abs(points[:, 0]), seed)
        results["kmc2_%d" % seed] = sess.run(chain)
    results["kmc2_shape"] = str(chain.shape)
    for k in (0, 1, 2, 5):
        nearest = gen_clustering_ops.nearest_neighbors(points[:6], centers, k)
        indices, distances = sess.run(nearest)
        results["nearest_%d" % k] = [indices, distances]
    results["nearest_fields"] = list(nearest._fields)
    none = sess.run(gen_clustering_ops.nearest_neighbors(points[:6], centers[:0], 1))
    results["no_centers"] = [list(v.shape) for v in none]
    for name, build in [
        ("no_points", lambda: gen_clustering_ops.kmeans_plus_plus_initialization(points[:0], 1, 0, 2)),
        ("too_many", lambda: gen_clustering_ops.kmeans_plus_plus_initialization(points, 61, 0, 2)),
        ("too_few", lambda: gen_clustering_ops.kmeans_plus_plus_initialization(points, 0, 0, 2)),
        ("vector", lambda: gen_clustering_ops.nearest_neighbors(points[0], centers, 1)),
        ("dims", lambda: gen_clustering_ops.nearest_neighbors(points, centers[:, :2], 1)),
        ("k", lambda: gen_clustering_ops.nearest_neighbors(points, centers, [1])),
        ("chain", lambda: gen_clustering_ops.kmc2_chain_initialization(points, 1)),
        ("empty_chain", lambda: gen_clustering_ops.kmc2_chain_initialization(points[:0, 0], 1)),
    ]:
        try:
            sess.run(build())
        except (tf.errors.OpError, ValueError) as error:
            results["error_" + name] = [type(error).__name__, str(error).split("\n")[0].split(" (op")[0]]


def run(name, steps, parts=1, **arguments):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.set_random_seed(5)
        inputs = tf.constant(points) if parts == 1 else [tf.constant(p) for p in np.split(points, parts)]
        kmeans = factorization.KMeans(inputs, **arguments)
        scores, index, distances, initialized, init_op, train_op = kmeans.training_graph()
        found = {"variables": [[v.op.name, v.dtype.name] for v in tf.global_variables()]}
        sess.run(tf.global_variables_initializer())
        found["before"] = sess.run(initialized)
        sess.run(init_op)
        found["after"] = sess.run(initialized)
        found["start"] = sess.run("clusters:0")
        for _ in range(steps):
            sess.run(train_op)
        if arguments.get("use_mini_batch"):
            # TensorFlow reads counts and centers and adds to them in an order that is left open.
            found["index"] = sess.run(list(index))
        else:
            found["clusters"] = sess.run("clusters:0")
            found["assigned"] = [sess.run(list(v)) for v in (scores, index, distances)]
        found["types"] = [[op.name, op.type] for op in graph.get_operations()][-40:]
        results[name] = found


plus = factorization.KMEANS_PLUS_PLUS_INIT
run("full", 4, num_clusters=3, initial_clusters=plus, random_seed=2)
run("random", 3, num_clusters=4, initial_clusters=factorization.RANDOM_INIT, random_seed=4)
run("all_points", 1, num_clusters=60, random_seed=4)
run("clusters", 2, num_clusters=None, initial_clusters=centers)
run("parts", 2, parts=2, num_clusters=3, initial_clusters=plus, random_seed=9)
run("function", 2, num_clusters=2, initial_clusters=lambda inputs, count: inputs[0][: tf.cast(count, tf.int32)] + 1.0)
cosine = factorization.COSINE_DISTANCE
run("cosine", 3, num_clusters=3, initial_clusters=plus, distance_metric=cosine, random_seed=2)
run("batches", 4, num_clusters=3, initial_clusters=plus, use_mini_batch=True, random_seed=2)
run("cosine_batches", 4, num_clusters=3, initial_clusters=plus, use_mini_batch=True, distance_metric=cosine)
run("steps", 5, num_clusters=3, initial_clusters=plus, use_mini_batch=True, mini_batch_steps_per_iteration=2)
run("chains", 2, num_clusters=3, initial_clusters="kmc2", kmc2_chain_length=15, use_mini_batch=True, random_seed=1)
for name, arguments in [("method", {"initial_clusters": "best"}), ("metric", {"distance_metric": "taxi"})]:
    try:
        factorization.KMeans(points, 3, **arguments)
    except ValueError as error:
        results["error_" + name] = str(error)

for kind in ("full", "diag"):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.set_random_seed(2)
        start = "random" if kind == "diag" else (centers + 0.5).tolist()
        loss, scores, assignments, train_op, init_op, initialized = factorization.gmm(
            [points[:30], points[30:]] if kind == "full" else points, start, 3, 11, covariance_type=kind
        )
        sess.run(tf.global_variables_initializer())
        sess.run(init_op)
        losses = []
        for _ in range(3):
            sess.run(train_op)
            losses.append(sess.run(loss))
        results["gmm_" + kind] = {
            "variables": [v.op.name for v in tf.global_variables()],
            "losses": losses,
            "scores": sess.run(scores) if kind == "diag" else [],
            "assignments": sess.run(assignments[0]),
            "parameters": sess.run(["clusters:0", "clusters_covs:0", "alphas:0"]),
            "initialized": sess.run(initialized),
            "types": [[op.name, op.type] for op in graph.get_operations()][-40:],
        }
