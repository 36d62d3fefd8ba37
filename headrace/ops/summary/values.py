"""The ops that make Summary messages of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.core.registry import OpDecl, op
from headrace.kernels.host_values import boxed, to_array
from headrace.kernels.summary.messages import (
    add_histogram,
    add_images,
    add_sounds,
    add_tensor,
    invalid,
    new_summary,
    set_tensor,
    shape_text,
    single,
    text_of,
)
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.messages import protos


def _declare(op_type: str, signature: str, *host: str) -> OpDecl:
    decl = op(op_type, signature).on_host(*host, outputs=True).not_differentiable()

    @decl.shape
    def summary_shape(op):
        return [()]

    return decl


def _message(summary: protos.Summary) -> np.ndarray:
    return boxed(summary.SerializeToString())


scalar_summary = _declare(
    "ScalarSummary", "tags: string, values: T, *, T: realnumeric -> summary: string", "tags", "values"
)


@scalar_summary.kernel
def scalar_summary_kernel(node):
    def summarize(tags, values):
        names, numbers = boxed(tags), to_array(values)
        if names.shape != numbers.shape:
            hint = f" (tag '{text_of(names.reshape(-1)[0])}')" if names.size == 1 else ""
            raise invalid(f"tags and values not the same shape: {shape_text(names)} != {shape_text(numbers)}{hint}")
        summary = new_summary()
        for name, number in zip(names.reshape(-1).tolist(), numbers.reshape(-1).tolist()):
            summary.value.add(tag=text_of(name), simple_value=number)
        return _message(summary)

    return summarize


scalar_summary.accepts(np.array([b"a", b"b"], object), np.array([1.5, 2.0], np.float32))

histogram_summary = _declare(
    "HistogramSummary", "tag: string, values: T, *, T: realnumeric = float -> summary: string", "tag", "values"
)


@histogram_summary.kernel
def histogram_summary_kernel(node):
    asked = direct_call("histogram") if node.inputs[1].dtype.is_floating else None

    def summarize(tag, values):
        summary, name = new_summary(), text_of(single(tag, "tags"))
        message = asked and asked(values)
        if message is None:
            add_histogram(summary, name, to_array(values))
        else:
            summary.value.add(tag=name).histo.MergeFromString(message)
        return _message(summary)

    return summarize


histogram_summary.accepts(np.array(b"h", object), np.array([1.5, -2.0], np.float32))

image_summary = _declare(
    "ImageSummary",
    "tag: string, tensor: T, *, max_images: int >= 1 = 3, T: {uint8, float, half, double} = float, "
    "bad_color: tensor = uint8[255, 0, 0, 255] -> summary: string",
    "tag",
    "tensor",
)


@image_summary.kernel
def image_summary_kernel(node):
    limit, bad_color = node.attrs["max_images"], np.asarray(node.attrs["bad_color"])

    def summarize(tag, tensor):
        summary = new_summary()
        add_images(summary, text_of(single(tag, "Tags")), to_array(tensor), limit, bad_color)
        return _message(summary)

    return summarize


image_summary.accepts(
    np.array(b"i", object),
    np.arange(4, dtype=np.float32).reshape(1, 2, 2, 1),
    varies="how images are packed is left to the encoder",
)

audio_summary = _declare(
    "AudioSummary",
    "tag: string, tensor: float, *, sample_rate: float, max_outputs: int >= 1 = 3 -> summary: string",
    "tag",
    "tensor",
)


@audio_summary.kernel
def audio_summary_kernel(node):
    rate, limit = node.attrs["sample_rate"], node.attrs["max_outputs"]

    def summarize(tag, tensor):
        summary = new_summary()
        add_sounds(summary, text_of(single(tag, "Tags")), to_array(tensor), rate, limit)
        return _message(summary)

    return summarize


audio_summary_v2 = _declare(
    "AudioSummaryV2",
    "tag: string, tensor: float, sample_rate: float, *, max_outputs: int >= 1 = 3 -> summary: string",
    "tag",
    "tensor",
    "sample_rate",
)


@audio_summary_v2.kernel
def audio_summary_v2_kernel(node):
    limit = node.attrs["max_outputs"]

    def summarize(tag, tensor, sample_rate):
        summary = new_summary()
        rate = float(single(sample_rate, "sample_rate"))
        add_sounds(summary, text_of(single(tag, "Tags")), to_array(tensor), rate, limit)
        return _message(summary)

    return summarize


tensor_summary = _declare(
    "TensorSummary",
    "tensor: T, *, description='', labels: list(string) = [], display_name='' -> summary: string",
    "tensor",
)


@tensor_summary.kernel
def tensor_summary_kernel(node):
    name = node.name

    def summarize(tensor):
        summary = new_summary()
        value = summary.value.add(node_name=name)
        set_tensor(value.tensor, to_array(tensor))
        return _message(summary)

    return summarize


tensor_summary_v2 = _declare(
    "TensorSummaryV2",
    "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
    "tag",
    "tensor",
    "serialized_summary_metadata",
)


@tensor_summary_v2.kernel
def tensor_summary_v2_kernel(node):
    def summarize(tag, tensor, metadata):
        summary = new_summary()
        add_tensor(summary, text_of(single(tag, "tag")), to_array(tensor), single(metadata, "metadata"))
        return _message(summary)

    return summarize


merge_summary = _declare("MergeSummary", "inputs: N * string -> summary: string", "inputs")


@merge_summary.kernel
def merge_summary_kernel(node):
    def merge(*inputs):
        from google.protobuf.message import DecodeError

        merged, tags = new_summary(), set()
        for text in inputs:
            for item in boxed(text).reshape(-1).tolist():
                try:
                    merged.MergeFromString(item)
                except DecodeError:
                    raise invalid("Could not parse one of the summary inputs") from None
        for value in merged.value:
            if value.tag and value.tag in tags:
                raise invalid(f"Duplicate tag {value.tag} found in summary inputs")
            tags.add(value.tag)
        return _message(merged)

    return merge


merge_summary.accepts([np.array(b"\n\x08\n\x01a\x15\x00\x00\x80?", object)])
merge_summary.rejects([np.array(b"no message", object)], error=Exception)

_SOUND = np.array([[0.0], [0.5], [-0.5]], np.float32)
for _args, _attrs in (
    ((b"a", _SOUND), {"sample_rate": 8000.0}),
    ((b"a", _SOUND, np.float32(8000)), {"max_outputs": 1}),
):
    _decl = audio_summary if len(_args) == 2 else audio_summary_v2
    _decl.accepts(*_args, **_attrs)
    _decl.accepts(b"a", np.zeros([2, 2, 2], np.float32), *_args[2:], **_attrs)
    _decl.rejects(b"a", [2], *_args[2:], **_attrs, error=Exception)
tensor_summary.accepts(np.array([[1, 2]]))
tensor_summary_v2.accepts(b"t", np.array([1.5], np.float32), b"\x0a\x03\x0a\x01p")
tensor_summary_v2.accepts(b"t", np.array([b"x", b"yz"], object), b"")
tensor_summary_v2.rejects(np.array([b"t", b"u"], object), [2], b"", error=Exception)
