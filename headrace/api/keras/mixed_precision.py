"""tf.keras.mixed_precision."""

NESTED = {
    "experimental": {
        "keras.mixed_precision.loss_scale_optimizer": "LossScaleOptimizer",
        "keras.mixed_precision.policy": "Policy global_policy set_policy",
    },
}
