"""tf.contrib.factorization: clustering and factorization."""

HOMES = {
    "contrib.factorization.kmeans": "COSINE_DISTANCE KMEANS_PLUS_PLUS_INIT KMeans RANDOM_INIT SQUARED_EUCLIDEAN_DISTANCE",
    "contrib.factorization.mixtures": "GmmAlgorithm gmm",
    "contrib.factorization.wals": "WALSModel",
}

ABSENT = {
    "GMM": "build the graph with tf.contrib.factorization.gmm and run its ops in a session",
    "KMeansClustering": "build the graph with tf.contrib.factorization.KMeans(...).training_graph() and run its ops",
    "WALSMatrixFactorization": "build the graph with tf.contrib.factorization.WALSModel and run its sweeps in a session",
}
