"""tf.contrib.linear_optimizer, which is not here: stochastic dual coordinate ascent."""

_ADVICE = "run tf.train.sdca_optimizer on your own variables, or minimize with tf.train.FtrlOptimizer, which has l1 and l2 terms"

ABSENT = dict.fromkeys(["SDCAOptimizer", "SdcaModel", "SparseFeatureColumn"], _ADVICE)
