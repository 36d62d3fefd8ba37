"""Summaries written by the writer in use, each an operation that writes when it runs and summaries are recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import (
    add_to_collection,
    control_dependencies,
    device,
    get_collection,
    get_default_graph,
    name_scope,
)
from headrace.core.dtypes import int64, string
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import smart_cond
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import no_op
from headrace.state.global_step import get_or_create_global_step
from headrace.summary.operations import summary_scope
from headrace.summary.recording import current_writer, should_record_summaries

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


_BAD_COLOR = (255, 0, 0, 255)


def _written(
    name: str, tensor: TensorLike, write: Callable[[Any, str, str], Operation], family: str | None
) -> Tensor | Operation | None:
    """An operation that writes a summary if summaries are recorded; one that does nothing where no writer is in use."""
    writer = current_writer()
    if writer is None:
        return no_op()
    outer = get_default_graph().get_name_scope()

    def record() -> Tensor:
        with (
            name_scope(f"{outer}/" if outer else ""),
            summary_scope(name, family, values=[tensor]) as (tag, scope),
            control_dependencies([write(writer._resource, tag, scope)]),
        ):
            return constant(True)

    with device("cpu:0"):
        op = smart_cond(should_record_summaries(), record, lambda: constant(False), name="")
        if not executing_eagerly():
            add_to_collection(GraphKeys._SUMMARY_COLLECTION, op)
    return op


def _step(step: TensorLike | None) -> Tensor | Variable:
    if step is None:
        return get_or_create_global_step()
    return step if isinstance(step, Tensor) else convert_to_tensor(step, int64)


def scalar(name: str, tensor: TensorLike, family: str | None = None, step: TensorLike | None = None) -> Any:
    """Writes a number.

    Args:
        name: the tag, with the scope before it.
        tensor: a real number.
        family: a prefix of the tag.
        step: the step; the graph's global step by default.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        return raw.WriteScalarSummary(writer, _step(step), tag, raw.Identity(tensor), name=scope)

    return _written(name, tensor, write, family)


def histogram(name: str, tensor: TensorLike, family: str | None = None, step: Any = None) -> Any:
    """Writes how the elements of a tensor are distributed; arguments as of `scalar`."""

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        return raw.WriteHistogramSummary(writer, _step(step), tag, raw.Identity(tensor), name=scope)

    return _written(name, tensor, write, family)


def image(
    name: str,
    tensor: TensorLike,
    bad_color: Any = None,
    max_images: int = 3,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Writes images of a batch.

    Args:
        name: the beginning of the tags.
        tensor: [batch, height, width, channels].
        bad_color: the colour of pixels that are no numbers; red by default.
        max_images: how many images are kept.
        family: a prefix of the tags.
        step: the step; the graph's global step by default.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        colour = constant(_BAD_COLOR, "uint8") if bad_color is None else bad_color
        return raw.WriteImageSummary(
            writer, _step(step), tag, raw.Identity(tensor), colour, max_images=max_images, name=scope
        )

    return _written(name, tensor, write, family)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int,
    family: str | None = None,
    step: Any = None,
) -> Any:
    """Writes sounds of a batch.

    Args:
        name: the beginning of the tags.
        tensor: [batch, frames] or [batch, frames, channels].
        sample_rate: frames a second.
        max_outputs: how many sounds are kept.
        family: a prefix of the tags.
        step: the step; the graph's global step by default.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        return raw.WriteAudioSummary(
            writer,
            _step(step),
            tag,
            raw.Identity(tensor),
            sample_rate=sample_rate,
            max_outputs=max_outputs,
            name=scope,
        )

    return _written(name, tensor, write, family)


def generic(name: str, tensor: TensorLike, metadata: Any = None, family: str | None = None, step: Any = None) -> Any:
    """Writes a tensor as it is.

    Args:
        name: the tag.
        tensor: any numbers or strings.
        metadata: a `tf.SummaryMetadata` or one serialized, which says what plugin it is for.
        family: a prefix of the tag.
        step: the step; the graph's global step by default.
    """

    def write(writer: Tensor, tag: str, scope: str) -> Operation:
        if metadata is None:
            text: Tensor = constant("")
        elif hasattr(metadata, "SerializeToString"):
            text = constant(metadata.SerializeToString())
        else:
            text = metadata
        return raw.WriteSummary(writer, _step(step), raw.Identity(tensor), tag, text, name=scope)

    return _written(name, tensor, write, family)


def serialized(graph: Any) -> bytes:
    """A `Graph` or `GraphDef` as the text of a GraphDef."""
    message = graph.as_graph_def(add_shapes=True) if isinstance(graph, Graph) else graph
    return message.SerializeToString()


def write_graph(param: TensorLike, step: TensorLike | None = None, name: str | None = None) -> Operation:
    """Writes a graph.

    Args:
        param: a string tensor with a serialized GraphDef; eagerly also a `Graph`, a `GraphDef` or a string.
        step: the step; the graph's global step by default.
        name: a name for the operation.

    Raises:
        TypeError: if `param` is no tensor, in a graph.
    """
    if not executing_eagerly() and not isinstance(param, Tensor):
        raise TypeError(f"graph() needs a tf.Tensor (e.g. tf.placeholder) in graph mode, but was: {type(param)}")
    writer = current_writer()
    if writer is None:
        return no_op()
    with device("cpu:0"):
        is_graph = isinstance(param, Graph) or hasattr(param, "SerializeToString")
        tensor = convert_to_tensor(serialized(param), string) if is_graph else raw.Identity(param)
        return raw.WriteGraphSummary(writer._resource, _step(step), tensor, name=name)


def import_event(tensor: TensorLike, name: str | None = None) -> Operation:
    """Writes an `Event` that a string tensor holds."""
    return raw.ImportEvent(current_writer()._resource, tensor, name=name)


def all_summary_ops() -> list[Any] | None:
    """The operations of the default graph that write summaries; None while executing eagerly."""
    if executing_eagerly():
        return None
    return get_collection(GraphKeys._SUMMARY_COLLECTION)
