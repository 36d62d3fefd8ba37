"""What layers make of data, kept in checkpoints for TensorBoard's projector."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.saver import Saver
from headrace.keras.backend.execution import function
from headrace.keras.backend.sessions import get_session
from headrace.keras.callbacks.projector_config import write_projector_config
from headrace.keras.engine.training_input_checks import standardize_input_data
from headrace.layers.context import get_graph
from headrace.state.variable_class import Variable

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

_FILE = "keras_embedding.ckpt"


class EmbeddingProjection:
    """Layers of a model, a variable for what each makes of the data, and what saves these.

    Args:
        model: the model.
        log_dir: where checkpoints are kept.
        layer_names: the layers; without it all that are called after their class `Embedding`.
        metadata: the file of what rows are called, for all layers or by layer.
        data: what the layers are given.
        batch_size: how many rows at a time.
    """

    def __init__(
        self,
        model: Model,
        log_dir: str,
        layer_names: Sequence[str] | None,
        metadata: str | Mapping[str, str] | None,
        data: Any,
        batch_size: int,
    ) -> None:
        self._batch_size = batch_size
        self._path = os.path.join(log_dir, _FILE)
        self._data = standardize_input_data(data, model.input_names)
        if not layer_names:
            layer_names = [layer.name for layer in model.layers if type(layer).__name__ == "Embedding"]
        outputs = {layer.name: layer.output for layer in model.layers if layer.name in layer_names}
        count = self._data[0].shape[0]
        with get_graph().as_default():
            self._variables = {
                name: Variable(np.zeros((count, int(np.prod(output.shape[1:]))), "float32"), name=f"{name}_embedding")
                for name, output in outputs.items()
            }
            self._saver = Saver(list(self._variables.values()))
            self._compute = function(model.inputs, list(outputs.values()))
        files = dict.fromkeys(outputs, metadata) if isinstance(metadata, str) else dict(metadata or {})
        names = {variable.name: files.get(name) for name, variable in self._variables.items()}
        write_projector_config(log_dir, names)

    def save(self, epoch: int) -> None:
        """Writes a checkpoint of what the layers make of the data now."""
        count = self._data[0].shape[0]
        batches = []
        for first in range(0, count, self._batch_size):
            batches.append(self._compute([part[first : first + self._batch_size] for part in self._data]))
        session = get_session()
        for variable, parts in zip(self._variables.values(), zip(*batches, strict=True), strict=True):
            variable.load(np.concatenate([part.reshape(len(part), -1) for part in parts]), session)
        self._saver.save(session, self._path, epoch)
