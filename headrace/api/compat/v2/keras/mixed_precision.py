"""tf.compat.v2.keras.mixed_precision: the names that mean the same in 1.x."""

NESTED = {
    "experimental": {"keras.mixed_precision.experimental": "LossScaleOptimizer Policy global_policy set_policy"},
}
