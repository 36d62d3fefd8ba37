"""`keras.activations`, besides what `tf.keras.activations` has."""

from __future__ import annotations

from headrace.keras.utils.generic_utils import deserialize_keras_object as deserialize_keras_object
from headrace.keras.utils.generic_utils import serialize_keras_object as serialize_keras_object
