"""tf.contrib.opt."""

HOMES = {"contrib.opt.adam": "AdaMaxOptimizer LazyAdamOptimizer NadamOptimizer"}
