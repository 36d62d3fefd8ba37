"""Preprocessing layers by the path under which 1.15 has those that work in graphs; here they do everywhere."""

from __future__ import annotations

from headrace.keras.engine import base_preprocessing_layer


class CombinerPreprocessingLayer(base_preprocessing_layer.CombinerPreprocessingLayer):
    """A base class beside another preprocessing layer, which it makes one of graphs: `class V1(Mine, This)`."""
