"""tf.contrib.mixed_precision: losses scaled for gradients of small types."""

HOMES = {
    "contrib.mixed_precision": "ExponentialUpdateLossScaleManager FixedLossScaleManager LossScaleManager "
    "LossScaleOptimizer",
}
