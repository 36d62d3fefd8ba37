"""tf.contrib.linear_optimizer: stochastic dual coordinate ascent."""

HOMES = {
    "estimator.linear_optimizer.sdca_model": "SdcaModel",
    "contrib.linear_optimizer.sdca_optimizer": "SDCAOptimizer",
    "estimator.linear_optimizer.sparse_features": "SparseFeatureColumn",
}
