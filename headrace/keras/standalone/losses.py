"""`keras.losses` and `keras.objectives`, besides what `tf.keras.losses` has."""

from __future__ import annotations

from headrace.keras.loss_functions import huber_loss as huber_loss
from headrace.keras.losses import LossFunctionWrapper as LossFunctionWrapper
from headrace.keras.losses import is_categorical_crossentropy as is_categorical_crossentropy
