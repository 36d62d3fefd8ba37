"""What TensorBoard shows of a training: numbers, histograms, images, the graph and embeddings."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import IndexedSlices
from headrace.core.eager import executing_eagerly
from headrace.files.paths import as_path
from headrace.keras.backend_config import image_data_format
from headrace.keras.callbacks.base import Callback, Logs
from headrace.keras.callbacks.embedding_projection import EmbeddingProjection
from headrace.kernels.composing.arranging import transpose
from headrace.layers.context import get_graph
from headrace.messages import protos
from headrace.ops.array.shape import reshape
from headrace.summary import operations
from headrace.summary.trace_files import trace_of_calls, trace_of_steps, write_trace
from headrace.summary.writer import EventFileWriter, FileWriter
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model
    from headrace.layers.engine import Layer

# What is in the logs beside numbers.
_NOT_SHOWN = ("batch", "size", "num_steps")


class TensorBoard(Callback):
    """Writes event files for TensorBoard.

    Args:
        log_dir: the folder they are written to.
        histogram_freq: every how many epochs histograms of weights and outputs are written; 0 for none. They need data
            for the validation, and a graph.
        batch_size: how many rows of `embeddings_data` are computed at a time.
        write_graph: whether the graph is written.
        write_grads: whether histograms of gradients are, too.
        write_images: whether weights are written as images, too.
        embeddings_freq: every how many epochs embeddings are saved; 0 for none.
        embeddings_layer_names: the layers whose outputs they are; without it all of class `Embedding`.
        embeddings_metadata: the file of what their rows are called, or one for each layer.
        embeddings_data: what the layers are given.
        update_freq: "epoch"; or "batch" or a number of samples, for numbers within epochs as well.
        profile_batch: the batch, counted from 1, whose operations are measured: TensorBoard shows their times in the
            graph and as a profile. 0 for none. Where nothing is computed in a graph the profile tells the time of the batch.

    Example:
        >>> history = model.fit(np.ones([8, 3]), np.zeros([8, 2]), callbacks=[tf.keras.callbacks.TensorBoard("logs")])
    """

    def __init__(
        self,
        log_dir: str = "./logs",
        histogram_freq: int = 0,
        batch_size: int = 32,
        write_graph: bool = True,
        write_grads: bool = False,
        write_images: bool = False,
        embeddings_freq: int = 0,
        embeddings_layer_names: Sequence[str] | None = None,
        embeddings_metadata: str | Mapping[str, str] | None = None,
        embeddings_data: Any = None,
        update_freq: str | int = "epoch",
        profile_batch: int = 2,
    ) -> None:
        super().__init__()
        self.log_dir = log_dir
        self.histogram_freq = histogram_freq
        if self.histogram_freq and executing_eagerly():
            tf_logging.warning(
                "Weight and gradient histograms not supported for eager execution, setting `histogram_freq` to `0`."
            )
            self.histogram_freq = 0
        self.merged: Tensor | None = None
        self.write_graph = write_graph
        self.write_grads = write_grads
        self.write_images = write_images
        self.batch_size = batch_size
        self._total_batches_seen = 0
        self._total_val_batches_seen = 0
        self.embeddings_freq = embeddings_freq
        self.embeddings_layer_names = embeddings_layer_names
        self.embeddings_metadata = embeddings_metadata
        self.embeddings_data = embeddings_data
        self._embeddings: EmbeddingProjection | None = None
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self._samples_seen = 0
        self._samples_seen_at_last_write = 0
        self._profile_batch = profile_batch
        self._measured: Any = None
        self._measured_from: float | None = None
        # One worker of a cluster writes for all of them.
        self._chief_worker_only = True

    def _init_writer(self, model: Model) -> None:
        """Begins an event file."""
        if executing_eagerly():
            self.writer: Any = EventFileWriter(self.log_dir, filename_suffix=".v2")
            if self.write_graph and not model.run_eagerly:
                shown = get_graph().as_graph_def(add_shapes=True).SerializeToString()
                self.writer.add_event(protos.Event(wall_time=time.time(), graph_def=shown))
        else:
            self.writer = FileWriter(as_path(self.log_dir), get_graph() if self.write_graph else None)

    def set_model(self, model: Model) -> None:
        """Takes the model, and adds to its graph what is to be written.

        Raises:
            TypeError: if the folder is told by what is no text.
        """
        if not isinstance(self.log_dir, str | os.PathLike):
            raise TypeError(f"`log_dir` is the path of a folder as text, got {self.log_dir!r}.")
        self.model = model
        self._init_writer(model)
        if not executing_eagerly():
            with get_graph().as_default():
                self._make_histogram_ops(model)
                self.merged = operations.merge_all()
        if self.embeddings_freq and self.embeddings_data is not None:
            self._embeddings = EmbeddingProjection(
                model,
                self.log_dir,
                self.embeddings_layer_names,
                self.embeddings_metadata,
                self.embeddings_data,
                self.batch_size,
            )

    def _make_histogram_ops(self, model: Model) -> None:
        """Summaries of weights, gradients and outputs."""
        if not self.histogram_freq or self.merged is not None:
            return
        for layer in model.layers:
            for weight in layer.weights:
                name = weight.name.replace(":", "_")
                operations.histogram(name, weight)
                image = _as_image(weight) if self.write_images else None
                if image is not None:
                    operations.image(name, image)
            if self.write_grads:
                self._add_gradients(model, layer)
            if hasattr(layer, "output"):
                _add_outputs(layer)

    def _add_gradients(self, model: Model, layer: Layer) -> None:
        for weight in layer.trainable_weights:
            gradients = model.optimizer.get_gradients(model.total_loss, weight)
            values = [one.values if isinstance(one, IndexedSlices) else one for one in gradients]
            operations.histogram(f"{weight.name.replace(':', '_')}_grad", values)

    def _fetch_callback(self, summary: bytes) -> None:
        """Writes what a batch of the validation gave."""
        self.writer.add_summary(summary, self._total_val_batches_seen)
        self._total_val_batches_seen += 1

    def _write_custom_summaries(self, step: int, logs: Logs | None = None) -> None:
        """Writes numbers.

        Args:
            step: the step they belong to.
            logs: the numbers by tag.
        """
        for tag, value in (logs or {}).items():
            number = value.item() if isinstance(value, (np.ndarray, np.generic)) else value
            summary = protos.Summary(value=[protos.Summary.Value(tag=tag, simple_value=number)])
            if executing_eagerly():
                self.writer.add_event(protos.Event(wall_time=time.time(), step=step, summary=summary))
            else:
                self.writer.add_summary(summary, step)
        self.writer.flush()

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begins to measure if the first batch is to be."""
        if self._profile_batch == 1:
            self._measure()

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Writes the numbers of the batch, as often as is asked for."""
        logs = logs or {}
        self._samples_seen += logs.get("size", 1)
        since = self._samples_seen - self._samples_seen_at_last_write
        if self.update_freq != "epoch" and since >= self.update_freq:  # type: ignore[operator]  # another text is refused by this
            self._write_custom_summaries(self._total_batches_seen, _prefixed("batch_", logs))
            self._samples_seen_at_last_write = self._samples_seen
        self._total_batches_seen += 1
        if self._measured_from is not None:
            self._write_measured()
        elif self._total_batches_seen == self._profile_batch - 1:
            self._measure()

    def _measure(self) -> None:
        """Lets the next batch be measured."""
        self._measured_from = time.time()
        function: Any = getattr(self.model, "train_function", None)
        if not hasattr(function, "run_metadata") or not isinstance(self.writer, FileWriter):
            return
        self._measured = function
        function.run_options = protos.RunOptions(trace_level=protos.RunOptions.FULL_TRACE)
        function.run_metadata = protos.RunMetadata()

    def _write_measured(self) -> None:
        function, begin = self._measured, self._measured_from
        self._measured = self._measured_from = None
        tag = f"batch_{self._total_batches_seen}"
        if function is None:
            write_trace(self.log_dir, trace_of_calls(tag, begin or 0.0, time.time()))
            return
        if tag not in self.writer._tags_of_metadata:
            self.writer.add_run_metadata(function.run_metadata, tag, self._total_batches_seen)
        write_trace(self.log_dir, trace_of_steps(function.run_metadata.step_stats))
        function.run_options = function.run_metadata = None

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Lets the validation compute histograms, in the epochs that are to have them."""
        if self.histogram_freq and epoch % self.histogram_freq == 0 and self.merged is not None:
            self.model._make_test_function()
            function: Any = self.model.test_function
            if self.merged not in function.fetches:
                function.fetches.append(self.merged)
                function.fetch_callbacks[self.merged] = self._fetch_callback

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes the numbers of the epoch, and embeddings.

        Raises:
            ValueError: if embeddings are asked for without data.
        """
        step = epoch if self.update_freq == "epoch" else self._samples_seen
        self._write_custom_summaries(step, _prefixed("epoch_", logs or {}))
        if self.histogram_freq and self.merged is not None:
            function: Any = self.model.test_function
            if self.merged in function.fetches:
                function.fetches.remove(self.merged)
                function.fetch_callbacks.pop(self.merged)
        if self.embeddings_freq and self.embeddings_data is None:
            raise ValueError("To visualize embeddings, embeddings_data must be provided.")
        if self.embeddings_freq and self._embeddings is not None and epoch % self.embeddings_freq == 0:
            self._embeddings.save(epoch)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Ends the event file."""
        if self._measured is not None:
            self._measured.run_options = self._measured.run_metadata = None
            self._measured = None
        if self._measured_from is not None:
            # The batch that was to be measured never came: the profile is of what was done since.
            tag = f"batch_{self._total_batches_seen}"
            write_trace(self.log_dir, trace_of_calls(tag, self._measured_from, time.time()))
            self._measured_from = None
        self.writer.close()


def _prefixed(prefix: str, logs: Logs) -> Logs:
    return {prefix + name: value for name, value in logs.items() if name not in _NOT_SHOWN}


def _add_outputs(layer: Layer) -> None:
    if isinstance(layer.output, list):
        for i, output in enumerate(layer.output):
            operations.histogram(f"{layer.name}_out_{i}", output)
    else:
        operations.histogram(f"{layer.name}_out", layer.output)


def _as_image(weight: Any) -> Tensor | None:
    """A weight of one to three axes as gray images; None for others."""
    sizes = [size for size in weight.shape.as_list() if size != 1]
    image = reshape(weight, sizes)
    if len(sizes) == 2:
        # Wide rather than high.
        if sizes[0] > sizes[1]:
            image, sizes = transpose(image), sizes[::-1]
        return reshape(image, [1, sizes[0], sizes[1], 1])
    if len(sizes) == 3:
        if image_data_format() == "channels_last":
            # An image a filter.
            image, sizes = transpose(image, [2, 0, 1]), [sizes[2], sizes[0], sizes[1]]
        return reshape(image, [*sizes, 1])
    return reshape(image, [1, sizes[0], 1, 1]) if len(sizes) == 1 else None
