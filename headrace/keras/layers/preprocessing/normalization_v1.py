"""`Normalization` by the path under which 1.15 has the one that works in graphs; here it does everywhere."""

from __future__ import annotations

from headrace.keras.engine.base_preprocessing_layer_v1 import CombinerPreprocessingLayer
from headrace.keras.layers.preprocessing import normalization


class Normalization(normalization.Normalization, CombinerPreprocessingLayer):
    """As `normalization.Normalization`."""
