"""tf.contrib.factorization: clustering and factorization."""

HOMES = {
    "contrib.factorization.gmm_estimator": "GMM",
    "contrib.factorization.kmeans": "COSINE_DISTANCE KMEANS_PLUS_PLUS_INIT KMeans RANDOM_INIT SQUARED_EUCLIDEAN_DISTANCE",
    "contrib.factorization.kmeans_estimator": "KMeansClustering",
    "contrib.factorization.mixtures": "GmmAlgorithm gmm",
    "contrib.factorization.wals": "WALSModel",
    "contrib.factorization.wals_estimator": "WALSMatrixFactorization",
}
