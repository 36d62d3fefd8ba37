"""Summary operations: each gives a serialized Summary message, for a `FileWriter` to write."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, get_collection, name_scope
from headrace.core.dtypes import as_dtype, string
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.state.replication import get_replica_context
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_Args = ParamSpec("_Args")

_UNFIT = re.compile(r"[^-/\w.]")

_NO_MERGING = "Merging tf.summary.* ops is not compatible with eager execution. Use tf.contrib.summary instead."


def clean_tag(name: str | None) -> str | None:
    """A name with what tags cannot hold made underscores; says so in the log."""
    if name is None:
        return None
    clean = _UNFIT.sub("_", name).lstrip("/")
    if clean != name:
        tf_logging.info("Summary name %s is illegal; using %s instead.", name, clean)
    return clean


@contextmanager
def summary_scope(
    name: str | None, family: str | None = None, default_name: str | None = None, values: Iterable[Any] | None = None
) -> Iterator[tuple[str, str]]:
    """A name scope for a summary: the tag that the summary shows under, and the scope's name.

    Args:
        name: the summary's name.
        family: a prefix that groups summaries in TensorBoard.
        default_name: the name where `name` is None.
        values: tensors that say which graph is meant.
    """
    name, family = clean_tag(name), clean_tag(family)
    inner = name if family is None else f"{family}/{name}"
    with name_scope(inner, default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def collect(
    val: Tensor, collections: Sequence[str] | None, default_collections: Sequence[str] = (GraphKeys.SUMMARIES,)
) -> Tensor:
    """Adds a summary to collections.

    Args:
        val: the summary.
        collections: their names, None for those of `default_collections`.
        default_collections: by default that of all summaries.
    """
    for collection in default_collections if collections is None else collections:
        add_to_collection(collection, val)
    return val


def _by_first_replica(summary: Callable[_Args, Tensor]) -> Callable[_Args, Tensor]:
    """A summary that replicas other than the first do not make: they get an empty one."""

    @functools.wraps(summary)
    def made(*args: _Args.args, **kwargs: _Args.kwargs) -> Tensor:
        return constant("") if _is_of_others() else summary(*args, **kwargs)

    return made


def _is_of_others() -> bool:
    """Whether code runs for a replica that is not the first."""
    context = get_replica_context()
    number = None if context is None else context.replica_id_in_sync_group
    return bool(constant_value(number) if isinstance(number, Tensor) else number)


@_by_first_replica
def scalar(
    name: str, tensor: TensorLike, collections: Sequence[str] | None = None, family: str | None = None
) -> Tensor:
    """A number over the steps.

    Args:
        name: the operation's name, and with its scope the tag in TensorBoard.
        tensor: a real number, shape [].
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        family: a prefix of the tag that groups summaries.

    Returns:
        a string tensor, shape [], with a Summary message.

    Example:
        >>> tf.summary.scalar("loss", loss)
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return collect(raw.ScalarSummary(tags=tag, values=tensor, name=scope), collections)


@_by_first_replica
def histogram(
    name: str, values: TensorLike, collections: Sequence[str] | None = None, family: str | None = None
) -> Tensor:
    """How the elements of a tensor are distributed.

    Args:
        name: the operation's name, and with its scope the tag in TensorBoard.
        values: real numbers of any shape; NaN and infinity are errors when it runs.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        family: a prefix of the tag that groups summaries.

    Returns:
        a string tensor, shape [], with a Summary message.

    Example:
        >>> tf.summary.histogram("weights", weights)
    """
    with summary_scope(name, family, "HistogramSummary", [values]) as (tag, scope):
        return collect(raw.HistogramSummary(tag=tag, values=values, name=scope), collections)


@_by_first_replica
def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Images of a batch, as PNGs.

    Args:
        name: the operation's name, and with its scope the beginning of the tags.
        tensor: [batch, height, width, channels], uint8 or floating; 1 channel (grey), 3 (RGB) or 4 (RGBA). Floating
            images are stretched: without negative values the largest becomes 255, otherwise 0 becomes 127.
        max_outputs: how many images are kept.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        family: a prefix of the tags that groups summaries.

    Returns:
        a string tensor, shape [], with a Summary message.

    Example:
        >>> summary = tf.summary.image("pictures", images, max_outputs=1)
        >>> [value.tag for value in tf.Summary.FromString(sess.run(summary)).value]
        ['pictures/image']
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        made = raw.ImageSummary(tag=tag, tensor=tensor, max_images=max_outputs, name=scope)
        return collect(made, collections)


@_by_first_replica
def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Sounds of a batch, as WAVs.

    Args:
        name: the operation's name, and with its scope the beginning of the tags.
        tensor: float32 in [-1, 1], [batch, frames] or [batch, frames, channels].
        sample_rate: frames a second.
        max_outputs: how many sounds are kept.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        family: a prefix of the tags that groups summaries.

    Returns:
        a string tensor, shape [], with a Summary message.

    Example:
        >>> waves = tf.sin(tf.reshape(tf.range(32000.0), [2, 16000]))
        >>> summary = tf.summary.audio("hums", waves, sample_rate=16000)
        >>> [value.tag for value in tf.Summary.FromString(sess.run(summary)).value]
        ['hums/audio/0', 'hums/audio/1']
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, as_dtype("float32"), "sample_rate")
        made = raw.AudioSummaryV2(tag=tag, tensor=tensor, max_outputs=max_outputs, sample_rate=rate, name=scope)
        return collect(made, collections)


@_by_first_replica
def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: Sequence[str] | None = None,
    summary_metadata: protos.SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A tensor as it is, for a plugin of TensorBoard.

    Args:
        name: the operation's name, and with its scope the tag.
        tensor: any numbers or strings.
        summary_description: what it shows, for people.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        summary_metadata: a `tf.SummaryMetadata`, which says what plugin it is for.
        family: a prefix of the tag that groups summaries.
        display_name: the name to show instead of the tag.

    Returns:
        a string tensor, shape [], with a Summary message.
    """
    metadata = protos.SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        made = raw.TensorSummaryV2(
            tensor=tensor, tag=tag, name=scope, serialized_summary_metadata=metadata.SerializeToString()
        )
        return collect(made, collections)


def text(name: str, tensor: Tensor, collections: Sequence[str] | None = None) -> Tensor:
    """Text, which TensorBoard shows as Markdown: a string, or tables of one or two dimensions.

    Args:
        name: the operation's name, and with its scope the tag.
        tensor: strings.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.

    Returns:
        a string tensor, shape [], with a Summary message.

    Raises:
        ValueError: if `tensor` does not hold strings.

    Example:
        >>> tf.summary.text("settings", tf.constant("| learning rate |\\n|---|\\n| 0.01 |"))
    """
    if tensor.dtype != string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    metadata = protos.SummaryMetadata(plugin_data=protos.SummaryMetadata.PluginData(plugin_name="text"))
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


def merge(inputs: Sequence[TensorLike], collections: Sequence[str] | None = None, name: str | None = None) -> Tensor:
    """Several summaries as one.

    Args:
        inputs: a list of string tensors with Summary messages; no tag may come twice.
        collections: the graph collections the merged summary joins; none by default.
        name: a name for the operation.

    Returns:
        a string tensor, shape [], with a Summary message.
    """
    if executing_eagerly():
        raise RuntimeError(_NO_MERGING)
    if _is_of_others():
        return constant("")
    with name_scope(clean_tag(name), "Merge", inputs):
        return collect(raw.MergeSummary(inputs=inputs, name=clean_tag(name)), collections or [])


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """All summaries of the default graph as one.

    Args:
        key: the collection they are in.
        scope: a regular expression that the beginning of their names matches.
        name: a name for the operation.

    Returns:
        a string tensor, shape [], with a Summary message; None if there are no summaries.

    Example:
        >>> summary = tf.summary.scalar("loss", loss)
        >>> merged = tf.summary.merge_all()
        >>> with tf.summary.FileWriter("logs") as writer:
        ...     writer.add_summary(sess.run(merged), global_step=1)
    """
    if executing_eagerly():
        raise RuntimeError(_NO_MERGING)
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None


def get_summary_description(node_def: Any) -> Any:
    """The SummaryDescription that a TensorSummary operation has in its attribute `description`.

    Args:
        node_def: the operation's NodeDef, or the operation.

    Raises:
        ValueError: if it is no TensorSummary.
    """
    from google.protobuf import json_format

    node = node_def.node_def if isinstance(node_def, Operation) else node_def
    if node.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node.op}")
    return json_format.Parse(node.attr["description"].s.decode(), protos.SummaryDescription())
