"""`tf.compat.v2.summary`: summaries with steps, each an operation that writes to the writer in use when it runs."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, control_dependencies, device, get_default_graph, name_scope
from headrace.core.dtypes import float32, float64, int32, string, uint8
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import smart_cond
from headrace.functions.flow.checks import assert_non_negative, assert_scalar, assert_type
from headrace.functions.flow.cond import cond
from headrace.functions.flow.rank_checks import assert_rank
from headrace.functions.image.conversion import convert_image_dtype
from headrace.functions.math.reduction import reduce_max, reduce_min, reduce_sum
from headrace.kernels.composing import cast, concat, shape, size, stack, transpose
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.ops.array.range import linspace
from headrace.ops.array.where import one_hot
from headrace.ops.audio.wav import encode_wav
from headrace.ops.image.encode import encode_png
from headrace.ops.string.conversion import as_string
from headrace.recurrent.functional import map_fn
from headrace.summary.recording import required_step, should_record_by_default, state

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")
_BUCKETS = 30


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Iterable[Any] | None = None
) -> Iterator[tuple[str, str]]:
    """A name scope for the operations of a summary, and the tag that the summary shows under.

    Args:
        name: the summary's name; the tag is this with the scopes around it, whatever characters it has.
        default_name: the name where `name` is empty.
        values: tensors that say which graph is meant.

    Example:
        >>> with tf.compat.v2.summary.experimental.summary_scope("entropy") as (tag, scope):
        ...     written = tf.compat.v2.summary.write(tag, 0.5, step=1)
        >>> tag
        'entropy'
    """
    name = name or default_name
    outer = get_default_graph().get_name_scope()
    tag = f"{outer}/{name}" if outer else name
    with name_scope(_NOT_IN_SCOPES.sub("", name) or None, default_name, values) as scope:
        yield tag, scope


def _written(default_name: str, name: str | None, write: Callable[[Tensor, str], Any], step: Any) -> Tensor:
    """Writes where a writer is in use and summaries are recorded: a bool tensor that tells."""
    with name_scope(name, default_name) as scope:
        if state.writer is None:
            return constant(False)
        step = required_step(step)

        def record() -> Tensor:
            with device("cpu:0"), control_dependencies([write(step, scope)]):
                return constant(True)

        with device("cpu:0"):
            written = smart_cond(should_record_by_default(), record, lambda: constant(False), name="summary_cond")
            if not executing_eagerly():
                add_to_collection(GraphKeys._SUMMARY_COLLECTION, written)
        return written


def write(
    tag: Any, tensor: TensorLike, step: TensorLike | None = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Writes a tensor as it is, for a plugin of TensorBoard.

    Args:
        tag: what it shows under.
        tensor: any numbers or strings.
        step: an int64 number; that of `set_step` by default.
        metadata: a `tf.SummaryMetadata` or one serialized, which says what plugin it is for.
        name: a name for the operation.

    Returns:
        a bool tensor, shape []: whether it was written.

    Raises:
        ValueError: if there is a writer but no step.
    """
    serialized = metadata.SerializeToString() if hasattr(metadata, "SerializeToString") else metadata or b""

    def apply(step: TensorLike, scope: str) -> Any:
        return raw.WriteSummary(state.writer._resource, step, raw.Identity(tensor), tag, serialized, name=scope)

    return _written("write_summary", name, apply, step)


def write_raw_pb(tensor: TensorLike, step: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Writes `Summary` messages, such as those that `tf.summary.scalar` makes.

    Args:
        tensor: a string tensor of any shape, each string a serialized message.
        step: an int64 number; that of `set_step` by default.
        name: a name for the operation.

    Returns:
        a bool tensor, shape []: whether they were written.

    Raises:
        ValueError: if there is a writer but no step.
    """

    def apply(step: TensorLike, scope: str) -> Any:
        return raw.WriteRawProtoSummary(state.writer._resource, step, raw.Identity(tensor), name=scope)

    return _written("write_raw_pb", name, apply, step)


def plugin_metadata(plugin: str, content: bytes = b"", description: str | None = None) -> Any:
    """The metadata of a summary for a plugin of TensorBoard.

    Args:
        plugin: the plugin's name.
        content: what the plugin needs to know.
        description: what the summary shows, for people: Markdown.
    """
    data = protos.SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    return protos.SummaryMetadata(plugin_data=data, summary_description=description)


def scalar(name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None) -> Tensor:
    """Writes a number.

    Args:
        name: the tag, with the scopes around it.
        data: a real number, shape [].
        step: an int64 number; that of `set_step` by default.
        description: what it shows, for people: Markdown.

    Returns:
        a bool tensor, shape []: whether it was written.

    Raises:
        ValueError: if `data` is no scalar, or there is a writer but no step.

    Example:
        >>> writer = tf.compat.v2.summary.create_file_writer("logs")
        >>> with writer.as_default():
        ...     written = tf.compat.v2.summary.scalar("loss", 0.5, step=1)
        >>> sess.run(writer.init())
        >>> sess.run(written)
        True
    """
    with summary_scope(name, "scalar_summary", [data, step]) as (tag, _):
        assert_scalar(data)
        return write(tag, cast(data, float32), step, plugin_metadata("scalars", description=description))


def histogram(
    name: str,
    data: TensorLike,
    step: TensorLike | None = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes how the elements of a tensor are distributed: equally wide buckets from the smallest to the largest.

    Args:
        name: the tag, with the scopes around it.
        data: real numbers of any shape.
        step: an int64 number; that of `set_step` by default.
        buckets: how many buckets; 30 by default. There is one where all elements are equal, and none where there are none.
        description: what it shows, for people: Markdown.

    Returns:
        a bool tensor, shape []: whether it was written.

    Raises:
        ValueError: if there is a writer but no step.
    """
    with summary_scope(name, "histogram_summary", [data, buckets, step]) as (tag, _):
        rows = _buckets(data, _BUCKETS if buckets is None else buckets)
        return write(tag, rows, step, plugin_metadata("histograms", description=description))


def _buckets(data: TensorLike, count: Any) -> Tensor:
    """Rows of [left edge, right edge, how many elements], float64."""
    with name_scope("buckets"):
        assert_scalar(count)
        assert_type(count, int32)
        numbers = cast(raw.Reshape(data, [-1]), float64)
        is_empty = raw.Equal(size(numbers), 0)

        def around_the_only_value(value: Tensor) -> Tensor:
            left, right = stack([value - 0.5]), stack([value + 0.5])
            return transpose(stack([left, right, stack([cast(size(numbers), float64)])]))

        def between_extremes(least: Tensor, greatest: Tensor, extent: Tensor) -> Tensor:
            width = extent / cast(count, float64)
            places = cast(raw.Floor((numbers - least) / width), int32)
            # The greatest element lies at the end of the last bucket.
            places = raw.Minimum(places, count - 1)
            counts = cast(reduce_sum(one_hot(places, depth=count), axis=0), float64)
            edges = linspace(least, greatest, count + 1)
            # Rounding may leave the last edge beside the greatest element.
            edges = concat([edges[:-1], [greatest]], 0)
            return transpose(stack([edges[:-1], edges[1:], counts]))

        def filled() -> Tensor:
            least, greatest = reduce_min(numbers), reduce_max(numbers)
            extent = greatest - least
            return cond(
                raw.Equal(extent, 0),
                lambda: around_the_only_value(least),
                lambda: between_extremes(least, greatest, extent),
            )

        return cond(is_empty, lambda: constant([], float64, [0, 3]), filled)


def _encoded_each(encode: Callable[[Tensor], Tensor], values: Tensor, name: str) -> Tensor:
    """Each of a batch as a string; of none, no strings."""
    strings = map_fn(encode, values, dtype=string, name=name)
    return cond(shape(strings)[0] > 0, lambda: strings, lambda: constant([], string))


def image(
    name: str, data: TensorLike, step: TensorLike | None = None, max_outputs: Any = 3, description: str | None = None
) -> Tensor:
    """Writes images of a batch, as PNGs.

    Args:
        name: the tag, with the scopes around it.
        data: [batch, height, width, channels] with 1 to 4 channels; uint8, or floating in [0, 1].
        step: an int64 number; that of `set_step` by default.
        max_outputs: how many images are kept.
        description: what they show, for people: Markdown.

    Returns:
        a bool tensor, shape []: whether they were written.

    Raises:
        ValueError: if `data` has another rank, or there is a writer but no step.
        InvalidArgumentError: if `max_outputs` is negative.
    """
    with summary_scope(name, "image_summary", [data, max_outputs, step]) as (tag, _):
        assert_rank(data, 4)
        assert_non_negative(max_outputs)
        images = convert_image_dtype(data, uint8, saturate=True)
        encoded = _encoded_each(encode_png, images[:max_outputs], "encode_each_image")
        sizes = shape(images)
        width, height = as_string(sizes[2], name="width"), as_string(sizes[1], name="height")
        strings = concat([stack([width, height], name="dimensions"), encoded], axis=0)
        return write(tag, strings, step, plugin_metadata("images", description=description))


def audio(
    name: str,
    data: Tensor,
    sample_rate: float,
    step: Tensor | None = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes sounds of a batch, as WAVs.

    Args:
        name: the tag, with the scopes around it.
        data: [batch, frames, channels], float32 in [-1, 1].
        sample_rate: frames a second, int32.
        step: an int64 number; that of `set_step` by default.
        max_outputs: how many sounds are kept.
        encoding: "wav".
        description: what they are, for people: Markdown.

    Returns:
        a bool tensor, shape []: whether they were written.

    Raises:
        ValueError: for another encoding, if `data` has another rank, or there is a writer but no step.
        InvalidArgumentError: if `max_outputs` is negative.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    metadata = plugin_metadata("audio", b"\x10\x0b", description)  # what it reads as: encoded as WAV
    with summary_scope(name, "audio_summary", [data, sample_rate, max_outputs, step]) as (tag, _):
        assert_rank(data, 3)
        assert_non_negative(max_outputs)
        sounds = data[:max_outputs]
        encoded = _encoded_each(functools.partial(encode_wav, sample_rate=sample_rate), sounds, "encode_each_audio")
        labels = raw.Tile([""], shape(sounds)[:1])
        return write(tag, transpose(stack([encoded, labels])), step, metadata)


def text(name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None) -> Tensor:
    """Writes text, which TensorBoard shows as Markdown: a string, or tables of one or two dimensions.

    Args:
        name: the tag, with the scopes around it.
        data: strings.
        step: an int64 number; that of `set_step` by default.
        description: what it is, for people: Markdown.

    Returns:
        a bool tensor, shape []: whether it was written.

    Raises:
        TypeError: if `data` are no strings; ValueError: if there is a writer but no step.
    """
    with summary_scope(name, "text_summary", [data, step]) as (tag, _):
        assert_type(data, string)
        return write(tag, data, step, plugin_metadata("text", description=description))
