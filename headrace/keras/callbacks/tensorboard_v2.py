"""What TensorBoard shows of a training, as TensorFlow 2 writes it: training and validation in a folder each."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headrace.core.dtypes import string
from headrace.core.eager import eager_mode, executing_eagerly
from headrace.core.registry import raw
from headrace.keras.backend.sessions import get_value
from headrace.keras.backend_config import image_data_format
from headrace.keras.callbacks.base import Callback, Logs
from headrace.keras.callbacks.projector_config import write_projector_config
from headrace.kernels.summary.messages import add_histogram, add_images
from headrace.layers.context import get_graph
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.state.resource_variables import ResourceVariable
from headrace.summary.recording import record_if, state
from headrace.summary.resource_writers import ResourceSummaryWriter, create_file_writer_v2
from headrace.summary.tracing import trace_export, trace_on
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

_NOT_SHOWN = ("batch", "size", "num_steps")
_OLDER = ("batch_size", "embeddings_data", "embeddings_layer_names", "write_grads")
# Of images that are nothing but such numbers, in red.
_BAD = np.array([255, 0, 0, 255], np.uint8)


class TensorBoard(Callback):
    """Writes event files for TensorBoard.

    Args:
        log_dir: the folder; files are in `train` and `validation` below it.
        histogram_freq: every how many epochs histograms of weights are written; 0 for none.
        write_graph: whether the graph is written.
        write_images: whether weights are written as images, too.
        update_freq: "epoch"; or "batch" or a number n, for the numbers of each batch or each nth as well. Summaries that
            layers write are then kept, too: of each nth batch, in the file of the training or of the validation.
        profile_batch: the batch, counted from 1, of which the functions that run eagerly are written as graphs, and when
            operations were done as a profile; 0 for none. Where sessions run nothing is written: `tf.RunOptions` measures
            their steps.
        embeddings_freq: every how many epochs weights are saved for the projector; 0 for none.
        embeddings_metadata: the file of what the rows of embeddings are called, or one for each layer.
        **kwargs: `write_grads`, `batch_size`, `embeddings_layer_names`, `embeddings_data` of older versions, of which a
            warning says that they do nothing.

    Raises:
        ValueError: for other arguments, and layers that there are not.
    """

    def __init__(
        self,
        log_dir: str = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        update_freq: str | int = "epoch",
        profile_batch: int = 2,
        embeddings_freq: int = 0,
        embeddings_metadata: str | Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        for name in _OLDER:
            if name in kwargs:
                tf_logging.warning("`%s` does nothing in TensorFlow 2's `TensorBoard` callback.", name)
        unknown = sorted(kwargs.keys() - set(_OLDER))
        if unknown:
            raise ValueError(f"Unrecognized arguments in `TensorBoard` Callback: {unknown}")
        self.log_dir = log_dir
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self._train_run_name = "train"
        self._validation_run_name = "validation"
        self._writers: dict[str, ResourceSummaryWriter] = {}
        # Of each run the batches so far: a variable where functions are traced, which read it at each call.
        self._total_batches_seen: dict[str, Any] = {}
        self._before: list[tuple[Any, Any, Any]] = []
        self._profile_batch = profile_batch
        self._is_tracing = False
        # One worker of a cluster writes for all of them.
        self._chief_worker_only = True

    def set_model(self, model: Model) -> None:
        """Takes the model, and writes its graph."""
        self.model = model
        self._close_writers()
        self._init_batch_steps()
        if self.write_graph:
            self._write_graph(model)
        if self.embeddings_freq:
            self._configure_embeddings()

    def _write_graph(self, model: Model) -> None:
        writer = self._get_writer(self._train_run_name)
        if not model.run_eagerly:
            shown = get_graph().as_graph_def(add_shapes=True).SerializeToString()
            _add_event(writer, protos.Event(wall_time=time.time(), graph_def=shown))
        if model._is_graph_network or type(model).__name__ == "Sequential":
            summary = protos.Summary()
            value = summary.value.add(tag="keras")
            value.metadata.plugin_data.plugin_name = "graph_keras_model"
            value.metadata.plugin_data.content = b"1"
            value.tensor.dtype = string.as_datatype_enum
            value.tensor.string_val.append(model.to_json().encode())
            self._write(self._train_run_name, 0, summary)

    def _configure_embeddings(self) -> None:
        """Tells the projector of the layers of class `Embedding`."""
        layers = {layer.name: layer for layer in self.model.layers if type(layer).__name__ == "Embedding"}
        given = self.embeddings_metadata
        files = dict.fromkeys(layers, given) if isinstance(given, str) else dict(given or {})
        unknown = sorted(files.keys() - layers.keys())
        if unknown:
            raise ValueError(
                "Unrecognized `Embedding` layer names passed to `keras.callbacks.TensorBoard` "
                f"`embeddings_metadata` argument: {unknown}"
            )
        names = {layer.embeddings.name: files.get(name) for name, layer in layers.items()}
        write_projector_config(self.log_dir, names)

    def _close_writers(self) -> None:
        with eager_mode():
            for writer in self._writers.values():
                writer.close()
        self._writers.clear()

    def _get_writer(self, writer_name: str) -> ResourceSummaryWriter:
        """The writer of "train" or "validation"."""
        if writer_name not in self._writers:
            with eager_mode():
                folder = os.path.join(self.log_dir, writer_name)
                self._writers[writer_name] = cast("ResourceSummaryWriter", create_file_writer_v2(folder))
        return self._writers[writer_name]

    def _write(self, writer_name: str, step: int, summary: protos.Summary) -> None:
        event = protos.Event(wall_time=time.time(), step=step, summary=summary)
        _add_event(self._get_writer(writer_name), event)

    def _init_batch_steps(self) -> None:
        """Counts batches from the beginning."""
        for name in (self._train_run_name, self._validation_run_name):
            self._total_batches_seen[name] = _Count()

    def _set_default_writer(self, writer_name: str) -> None:
        """Lets summaries that layers write go to the file of a run, as often as the numbers of batches do."""
        if self.update_freq == "epoch" or not executing_eagerly():
            return
        if not self._before:
            # A function writes where it did when it was traced.
            self.model._v2_functions.clear()
        self._before.append((state.writer, state.step, state.recording))
        state.writer = self._get_writer(writer_name)
        step = state.step = self._total_batches_seen[writer_name].variable
        state.recording = lambda: raw.Equal(
            raw.FloorMod(step, constant(int(self.update_freq), "int64")), constant(0, "int64")
        )

    def _reset_default_writer(self) -> None:
        if self._before:
            state.writer, state.step, state.recording = self._before.pop()
            if not self._before:
                self.model._v2_functions.clear()

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begins to count; notes functions if those of the first batch are to be written."""
        self._init_batch_steps()
        self._set_default_writer(self._train_run_name)
        if self._profile_batch == 1:
            self._enable_trace()

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Lets layers write to the file of the validation."""
        self._set_default_writer(self._validation_run_name)

    def on_test_end(self, logs: Logs | None = None) -> None:
        """Lets layers write to where they did before."""
        self._reset_default_writer()

    def _enable_trace(self) -> None:
        if executing_eagerly():
            trace_on(graph=True, profiler=True)
            self._is_tracing = True

    def _log_trace(self) -> None:
        """Writes the functions that have been noted, as graphs."""
        step = self._total_batches_seen[self._train_run_name].number
        with self._get_writer(self._train_run_name).as_default(), record_if(True):
            folder = os.path.join(self.log_dir, self._train_run_name)
            trace_export(name=f"batch_{step}", step=constant(step, "int64"), profiler_outdir=folder)
        self._is_tracing = False

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Writes the numbers of the batch, as often as is asked for."""
        seen = self._total_batches_seen[self._train_run_name]
        if self.update_freq != "epoch" and batch % int(self.update_freq) == 0:
            self._log_metrics(logs or {}, "batch_", seen.number)
        seen.increment()
        if self._is_tracing:
            self._log_trace()
        elif seen.number == self._profile_batch - 1:
            self._enable_trace()

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Counts the batch."""
        self._total_batches_seen[self._validation_run_name].increment()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes the numbers of the epoch, weights and embeddings."""
        self._log_metrics(logs or {}, "epoch_", epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._log_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self.model.save_weights(os.path.join(self.log_dir, "train", f"keras_embedding.ckpt-{epoch}"))

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Ends the event files."""
        if self._is_tracing:
            self._log_trace()
        self._reset_default_writer()
        self._close_writers()

    def _log_metrics(self, logs: Logs, prefix: str, step: int) -> None:
        """Writes numbers; those of the validation into its own file, under the names that training has.

        Args:
            logs: the numbers.
            prefix: of their tags.
            step: the step they belong to.
        """
        for name, value in logs.items():
            if name in _NOT_SHOWN:
                continue
            validation = name.startswith("val_")
            writer_name = self._validation_run_name if validation else self._train_run_name
            tag = prefix + name.removeprefix("val_")
            summary = protos.Summary(value=[protos.Summary.Value(tag=tag, simple_value=float(value))])
            self._write(writer_name, step, summary)
        with eager_mode():
            for writer in self._writers.values():
                writer.flush()

    def _log_weights(self, epoch: int) -> None:
        """Writes histograms of weights, and images if they are asked for."""
        for layer in self.model.layers:
            for weight in layer.weights:
                summary = protos.Summary()
                name, value = weight.name.replace(":", "_"), get_value(weight)
                add_histogram(summary, name, np.asarray(value))
                images = _as_images(np.asarray(value)) if self.write_images else None
                if images is not None:
                    add_images(summary, name, images, 3, _BAD)
                self._write(self._train_run_name, epoch, summary)


class _Count:
    """A number of batches."""

    def __init__(self) -> None:
        self.number = 0
        # What functions that were traced read.
        self.variable: Any = None
        if executing_eagerly():
            self.variable = ResourceVariable(np.int64(0), trainable=False)

    def increment(self) -> None:
        self.number += 1
        if self.variable is not None:
            self.variable.assign(self.number)


def _add_event(writer: ResourceSummaryWriter, event: protos.Event) -> None:
    with eager_mode():
        raw.ImportEvent(writer._resource, event.SerializeToString())


def _as_images(weight: np.ndarray) -> np.ndarray | None:
    """A weight of one to three axes as gray images; None for others."""
    weight = weight.squeeze()
    if weight.ndim == 1:
        return weight.reshape(1, -1, 1, 1)
    if weight.ndim == 2:
        wide = weight.T if weight.shape[0] > weight.shape[1] else weight
        return wide.reshape(1, *wide.shape, 1)
    if weight.ndim == 3:
        # An image a filter.
        each = weight.transpose(2, 0, 1) if image_data_format() == "channels_last" else weight
        return each.reshape(*each.shape, 1)
    return None
