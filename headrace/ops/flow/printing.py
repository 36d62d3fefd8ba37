"""Print, PrintV2 and StringFormat: values as text while a graph runs; and the time of day."""

from __future__ import annotations

import datetime
import logging
import os
import pprint
import random
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed
from headrace.kernels.summarize import layout, summary

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


print_op = (
    op("Print", "input: T, data: *U, *, message='', first_n=-1, summarize=3 -> output: T", stateful=True)
    .aliases()
    .forwards_memory()
)
print_op.on_host("data")


@print_op.shape
def print_shape(op):
    return [op.inputs[0].dims]


@print_op.kernel
def print_kernel(node):
    message, first_n, limit = (node.attrs[name] for name in ("message", "first_n", "summarize"))
    # Counted for the session, whatever is fetched beside it.
    count = node.runtime.object(("print_count", node.name), lambda: [0])
    lock = threading.Lock()

    def show(value, *data):
        if first_n >= 0:
            with lock:
                if count[0] >= first_n:
                    return value
                count[0] += 1
        summaries = "".join(f"[{summary(item, limit)}]" for item in data)
        sys.stderr.write(f"{message}{summaries}\n")
        sys.stderr.flush()
        return value

    return show


@print_op.gradient
def print_gradient(op, grad):
    return [grad] + [None] * (len(op.inputs) - 1)


print_op.accepts(1.0, [2.0, b"text"], message="values: ")


def Print(
    input_: Any,
    data: Sequence[TensorLike],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_` again; each run writes `data` to standard error.

    Args:
        input_: any tensor.
        data: a list of tensors to write.
        message: what to write first.
        first_n: how many times to write at most; always by default.
        summarize: how many elements of each tensor to write, 3 by default; all if negative.
        name: a name for the operation.

    Example:
        >>> loss = tf.Print(loss, [loss, global_step], message="loss and step: ")
    """
    return raw.Print(input_, data, message=message, first_n=first_n, summarize=summarize, name=name)


print_v2_op = op("PrintV2", "input: string, *, output_stream='stderr', end='\\n' ->", stateful=True)
print_v2_op.writes_files(when=lambda op, fed: op.attrs["output_stream"].startswith("file://"))
_LOG_LEVELS = {"log(info)": "I", "log(warning)": "W", "log(error)": "E"}


@print_v2_op.shape
def print_v2_shape(op):
    if op.inputs[0].dims:
        raise ValueError(f"input must be a scalar, but has rank: {len(op.inputs[0].dims)}")
    return []


@print_v2_op.kernel
def print_v2_kernel(node):
    stream, end = node.attrs["output_stream"], node.attrs["end"]
    if stream not in ("stdout", "stderr", *_LOG_LEVELS) and not stream.startswith("file://"):
        raise InvalidArgumentError(None, None, f"Unknown output stream: {stream}, or file cannot be opened.")

    def show(value):
        array = boxed(value)
        if array.ndim:
            shape = list(array.shape)
            raise InvalidArgumentError(None, None, f"Input is expected to be scalar, but got {shape}")
        text = array[()].decode("utf-8", "backslashreplace") + end
        if stream.startswith("file://"):
            with open(stream[len("file://") :], "a", encoding="utf-8") as file:
                file.write(text)
            return
        if stream in _LOG_LEVELS:
            text = f"{datetime.datetime.now()}: {_LOG_LEVELS[stream]} tf.print] {array[()].decode(errors='replace')}\n"
        # Looked up at each run, so that a redirection holds.
        target = sys.stdout if stream == "stdout" else sys.stderr
        target.write(text)
        target.flush()

    return show


string_format_op = op("StringFormat", "inputs: *T, *, template='%s', placeholder='%s', summarize=3 -> output: string")
string_format_op.on_host("inputs")


@string_format_op.shape
def string_format_shape(op):
    template, placeholder = op.attrs["template"], op.attrs["placeholder"]
    count = template.count(placeholder)
    if count != len(op.inputs):
        raise ValueError(f"num placeholders in template and num inputs must match: {count} vs. {len(op.inputs)}")
    return [()]


@string_format_op.kernel
def string_format_kernel(node):
    first, *parts = node.attrs["template"].split(node.attrs["placeholder"])
    ends = node.attrs["summarize"]

    def compose(*values):
        filled = "".join(
            text for value, part in zip(values, parts, strict=True) for text in (layout(value, ends), part)
        )
        # A template that is no UTF-8 keeps its bytes.
        return boxed((first + filled).encode("utf-8", "surrogateescape"))

    return compose


def string_format(
    template: str, inputs: TensorLike, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A string scalar: `template` with each placeholder replaced by the text of a tensor.

    Args:
        template: text.
        inputs: a tensor, or a list of them.
        placeholder: what stands for a tensor in the template.
        summarize: how many entries to write at each end of a dimension; all if negative.
        name: a name for the operation.

    Raises:
        TypeError: for a number of Python's.
        ValueError: if there are not as many placeholders as inputs.

    Example:
        >>> tf.Session().run(tf.strings.format("x: {}", tf.constant([1, 2])))
        b'x: [1 2]'
    """
    if isinstance(inputs, (bool, int, float)):
        raise TypeError(f"strings.format: inputs are a tensor or a list of tensors, got {inputs!r}.")
    tensors = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(tensors):
        raise ValueError(
            f"{count} placeholder(s) in template does not match {len(tensors)} tensor(s) provided as input"
        )
    return raw.StringFormat(tensors, template=template, placeholder=placeholder, summarize=summarize, name=name)


def print_(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that writes `inputs` when it runs: `tf.print`.

    Args:
        *inputs: tensors, Python values, and nested lists, tuples and dicts of them.
        output_stream: sys.stderr (the default), sys.stdout, a level or function of `tf.logging`, or "file://path".
        summarize: how many entries to write at each end of a dimension, 3 by default; all if negative.
        sep: what to write between the inputs, " " by default.
        end: what to write last, a line break by default.
        name: a name for the operation.

    Returns:
        the operation: run it, or make others depend on it.

    Raises:
        ValueError: for another keyword or stream.

    Example:
        >>> with tf.control_dependencies([tf.print("loss:", loss)]):
        ...     train = optimizer.minimize(loss)
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    target = _stream_name(stream)
    if len(inputs) == 1 and isinstance(inputs[0], Tensor) and inputs[0].dims == () and inputs[0].dtype.name == "string":
        text = inputs[0]
    else:
        placeholder = _unused_placeholder(" ".join(pprint.pformat(_without_tensors(item)) for item in inputs))
        tensors: list[Any] = []
        parts = [
            item if isinstance(item, str) else pprint.pformat(_templated(item, placeholder, tensors)) for item in inputs
        ]
        template = sep.join(parts).replace(f"'{placeholder}'", placeholder)
        text = string_format(template, tensors, placeholder, summarize, f"{name}_format" if name else None)
    return raw.PrintV2(text, output_stream=target, end=end, name=name)


def _stream_name(stream: Any) -> str:
    if isinstance(stream, str) and stream.startswith("file://"):
        return stream
    if stream is sys.stdout:
        return "stdout"
    if stream is sys.stderr:
        return "stderr"
    level = stream if isinstance(stream, int) else getattr(stream, "__name__", "")
    known = {logging.INFO: "info", logging.WARNING: "warning", logging.ERROR: "error", "warn": "warning"}
    named = known.get(level, level)
    if named in ("info", "warning", "error"):
        return f"log({named})"
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, "
        "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in the form of 'file://<filepath>'."
    )


def _is_tensor(value: TensorLike) -> bool:
    return isinstance(value, (Tensor, SparseTensor)) or hasattr(value, "_as_graph_element")


def _without_tensors(value: str | Tensor) -> str:
    return _templated(value, "", [])


def _templated(value: Any, placeholder: str, tensors: list[Any]) -> Any:
    """The structure with a placeholder for each tensor; collects the tensors, those of a dict in the order of its keys."""
    if isinstance(value, SparseTensor):
        tensors.extend((value.indices, value.values, value.dense_shape))
        return f"SparseTensor(indices={placeholder}, values={placeholder}, shape={placeholder})"
    if _is_tensor(value):
        tensors.append(convert_to_tensor(value))
        return placeholder
    if isinstance(value, Mapping):
        filled = {key: _templated(value[key], placeholder, tensors) for key in sorted(value)}
        return type(value)((key, filled[key]) for key in value)  # type: ignore[call-arg]  # mappings are made of pairs, as dicts are
    if isinstance(value, (list, tuple)):
        items = [_templated(item, placeholder, tensors) for item in value]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


def _unused_placeholder(text: str) -> str:
    placeholder = "{}"
    digits = random.Random(5)
    while placeholder in text:
        placeholder += str(digits.randint(0, 9))
    return placeholder


timestamp_op = op("Timestamp", "-> ts: double", stateful=True).on_host(outputs=True)


@timestamp_op.shape
def timestamp_shape(op):
    return [()]


@timestamp_op.kernel
def timestamp_kernel(node):
    return lambda: torch.tensor(time.time(), dtype=torch.float64)


timestamp_op.not_differentiable().accepts(varies="time goes on")
print_v2_op.accepts(b"shown", output_stream="stderr").rejects([2], error=ValueError)
print_v2_op.accepts(b"kept", output_stream="file://out.txt", end="!", after=[made("ReadFile", b"out.txt")])
string_format_op.accepts([np.array([1, 2, 3, 4]), b"a"], template="%s: %s", summarize=1)
string_format_op.rejects([[2]], template="none", error=ValueError)


def timestamp(name: str | None = None) -> Tensor:
    """The time at which the operation runs, in seconds since the epoch: a float64 scalar."""
    return raw.Timestamp(name=name)
