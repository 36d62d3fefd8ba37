"""Optimizers: the classes of `tf.keras.optimizers`, Keras' own of before, and how arguments and settings name them."""

from headrace.keras.optimizers.serialization import deserialize, get, serialize
from headrace.keras.optimizers.update_lists import TFOptimizer

__all__ = ["TFOptimizer", "deserialize", "get", "serialize"]
