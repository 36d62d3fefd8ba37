"""The base of all layers, and the layers that models make by themselves: the names of 1.15's module of this name."""

from __future__ import annotations

from headrace.keras.engine.ancillary_layers import AddLoss, AddMetric
from headrace.keras.engine.node import KerasHistory, Node
from headrace.keras.engine.op_layer import TensorFlowOpLayer
from headrace.layers.engine import Layer
from headrace.layers.engine import default as default
from headrace.layers.input_spec import InputSpec

__all__ = ["AddLoss", "AddMetric", "InputSpec", "KerasHistory", "Layer", "Node", "TensorFlowOpLayer"]
