"""`keras.engine`: what Keras 1 and 2 had in its modules besides layers and models."""

from __future__ import annotations

from headrace.keras.engine.input_layer import InputLayer as InputLayer
from headrace.keras.standalone.merging import Merge as Merge
from headrace.keras.standalone.merging import merge as merge
from headrace.keras.utils.layer_utils import get_source_inputs as get_source_inputs
from headrace.layers.input_spec import InputSpec as InputSpec
from headrace.layers.nodes import Node as Node
