"""tf.contrib.linear_optimizer: stochastic dual coordinate ascent."""

HOMES = {
    "contrib.linear_optimizer.sdca_model": "SdcaModel",
    "contrib.linear_optimizer.sdca_optimizer": "SDCAOptimizer",
    "contrib.linear_optimizer.sparse_features": "SparseFeatureColumn",
}
