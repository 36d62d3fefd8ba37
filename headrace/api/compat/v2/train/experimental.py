"""tf.compat.v2.train.experimental: the names that mean the same in 1.x."""

HOMES = {
    "train.experimental": "DynamicLossScale FixedLossScale LossScale PythonState disable_mixed_precision_graph_rewrite "
    "enable_mixed_precision_graph_rewrite",
}
