"""Batch normalization as TensorFlow 2 has it."""

from __future__ import annotations

from headrace.layers import normalization


class BatchNormalization(normalization.BatchNormalization):
    """Batch normalization that uses the moving averages, and leaves them alone, while it is not trainable.

    It is `tf.compat.v2.keras.layers.BatchNormalization`; arguments as in `tf.keras.layers.BatchNormalization`, but that
    `fused=True` is an error where the fused kernel cannot be used.
    """

    _USE_V2_BEHAVIOR = True
