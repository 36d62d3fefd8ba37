"""tf.contrib.linear_optimizer, which is not here: stochastic dual coordinate ascent."""

_ADVICE = "minimize the loss with tf.train.FtrlOptimizer, which has l1 and l2 terms"

ABSENT = dict.fromkeys(["SDCAOptimizer", "SdcaModel", "SparseFeatureColumn"], _ADVICE)
