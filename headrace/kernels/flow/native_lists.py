"""How the ops of TensorArrays and stacks become native instructions: a list of rows stands for each, in one program."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.native import TYPE_CODES, Lowering, NativeBuilder, applied
from headrace.kernels.native import known

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

# What ints of `list_begin` say besides the type of rows.
_GROWS, _CLEARS = 1, 2


def new_array(node: NodeView) -> Lowering | None:
    """The rule of an op that makes a TensorArray: its handle and the flow."""
    dtype, dims = node.attrs["dtype"].name, node.attrs["element_shape"]
    if dtype not in TYPE_CODES:
        return None
    flags = (_GROWS if node.attrs["dynamic_size"] else 0) + (_CLEARS if node.attrs["clear_after_read"] else 0)
    ints = [TYPE_CODES[dtype], flags]
    if dims is not None:
        ints += [1, *(-1 if size is None else size for size in dims)]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        return [*b.apply("list_begin", [inputs[0]], ints), b.constant(np.float32(0))]

    return lower


def gradient_array(node: NodeView) -> Lowering:
    """The rule of an op that gives the array of the gradients of another, one for each source."""
    source = node.attrs["source"]
    data = source if isinstance(source, bytes) else source.encode()
    number = int.from_bytes(hashlib.blake2b(data, digest_size=7).digest(), "little")
    return lambda b, inputs: [*b.apply("list_gradient", [inputs[0]], [number]), inputs[1]]


def write(node: NodeView) -> Lowering:
    """The rule of an op that writes one element."""

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        b.apply("list_write", inputs[:3])
        return [inputs[3]]

    return lower


def scatter(node: NodeView) -> Lowering:
    """The rule of an op that writes several elements."""

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        b.apply("list_scatter", inputs[:3])
        return [inputs[3]]

    return lower


def gather(node: NodeView) -> Lowering:
    """The rule of an op that reads several elements."""
    return applied("list_gather", [int(known(node.attrs["element_shape"]) is not None)], take=[0, 1])


# The note at a stack whose limit is not reached: no more is put on it than it may hold.
WITHIN_LIMIT = "within its limit"


def new_stack(node: NodeView) -> Lowering | None:
    """The rule of an op that makes a stack without a limit, or with one that is not reached."""
    limit, dtype = node.constant(0), node.attrs["elem_type"].name
    is_limited = limit is None or int(limit) >= 0
    if (is_limited and WITHIN_LIMIT not in node.notes) or dtype not in TYPE_CODES:
        return None
    ints = [TYPE_CODES[dtype], _GROWS]
    return lambda b, inputs: b.apply("list_begin", [b.constant(np.int32(0))], ints)


def push(node: NodeView) -> Lowering:
    """The rule of an op that puts its second input on a stack, and gives it."""

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        b.apply("list_push", inputs[:2])
        return [inputs[1]]

    return lower
