"""Legacy summaries, by their names before 1.0, with tags that are given and not made of names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_collection, name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.summary.operations import collect

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def scalar_summary(
    tags: TensorLike, values: Variable, collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """Numbers over the steps.

    Args:
        tags: the tags: a string, or as many as `values`.
        values: real numbers, of the shape of `tags`.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        name: a name for the operation.

    Returns:
        a string tensor, shape [], with a Summary message.
    """
    with name_scope(name, "ScalarSummary", [tags, values]) as scope:
        return collect(raw.ScalarSummary(tags=tags, values=values, name=scope), collections)


def histogram_summary(
    tag: TensorLike, values: TensorLike, collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """How the elements of a tensor are distributed; see `tf.summary.histogram`.

    Args:
        tag: the tag.
        values: real numbers of any shape.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        name: a name for the operation.
    """
    with name_scope(name, "HistogramSummary", [tag, values]) as scope:
        return collect(raw.HistogramSummary(tag=tag, values=values, name=scope), collections)


def image_summary(
    tag: TensorLike,
    tensor: TensorLike,
    max_images: int = 3,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Images of a batch; see `tf.summary.image`.

    Args:
        tag: the beginning of the tags.
        tensor: [batch, height, width, channels].
        max_images: how many images are kept.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        name: a name for the operation.
    """
    with name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        made = raw.ImageSummary(tag=tag, tensor=tensor, max_images=max_images, name=scope)
        return collect(made, collections)


def audio_summary(
    tag: TensorLike,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """Sounds of a batch; see `tf.summary.audio`.

    Args:
        tag: the beginning of the tags.
        tensor: [batch, frames] or [batch, frames, channels].
        sample_rate: frames a second.
        max_outputs: how many sounds are kept.
        collections: the graph collections the summary joins; `tf.GraphKeys.SUMMARIES` by default.
        name: a name for the operation.
    """
    with name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        rate = convert_to_tensor(sample_rate, as_dtype("float32"), "sample_rate")
        made = raw.AudioSummaryV2(tag=tag, tensor=tensor, max_outputs=max_outputs, sample_rate=rate, name=scope)
        return collect(made, collections)


def merge_summary(
    inputs: Sequence[TensorLike], collections: Sequence[str] | None = None, name: str | None = None
) -> Tensor:
    """Several summaries as one; see `tf.summary.merge`."""
    with name_scope(name, "MergeSummary", inputs):
        return collect(raw.MergeSummary(inputs=inputs, name=name), collections or [])


def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Tensor | None:
    """All summaries of the default graph as one, None if there are none; see `tf.summary.merge_all`."""
    found = get_collection(key)
    return merge_summary(found) if found else None
