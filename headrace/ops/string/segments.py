"""Strings joined by the segment each belongs to."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


segment_join_op = op(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments, *, separator='', Tindices: index, "
    "Tnumsegments: index = int32 -> output: string",
).on_host("segment_ids", "num_segments")


@segment_join_op.shape
@ranked(None, None, 0)
def segment_join_shape(op):
    inputs, ids, _ = (tensor.dims for tensor in op.inputs)
    count = op.constant(2)
    if count is not None and int(count) < 0:
        raise ValueError(f"Dimension size, given by scalar input 2, must be non-negative but is {int(count)}")
    if inputs is None or ids is None or not ids:
        return [None]
    if len(ids) > len(inputs):
        raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(inputs)}")
    for have, want in zip(inputs, ids, strict=False):
        if have is not None and want is not None and have != want:
            raise ValueError(f"Dimensions must be equal, but are {have} and {want}")
    return [(None if count is None else int(count), *inputs[len(ids) :])]


@segment_join_op.kernel
def segment_join_kernel(node):
    separator = node.attrs["separator"]
    separator = separator if isinstance(separator, bytes) else separator.encode()

    def joined(column):
        # As long as there is nothing but empty strings, nothing separates them.
        return separator.join(itertools.dropwhile(lambda part: not part, column))

    def join(text, ids, number):
        array, count = boxed(text), int(number)
        if not ids.dim():
            raise InvalidArgumentError(None, None, "Segment_id cannot have rank 0")
        if tuple(ids.shape) != array.shape[: ids.dim()]:
            raise InvalidArgumentError(
                None,
                None,
                f"Segment dimensions {list(ids.shape)} are not the first of the input's, {list(array.shape)}",
            )
        flat_ids = ids.reshape(-1).tolist()
        if any(not 0 <= segment < count for segment in flat_ids):
            raise InvalidArgumentError(
                None, None, "segment_ids are not allowed to exceed num_segments or to have negative values."
            )
        inner = array.shape[ids.dim() :]
        rows = array.reshape(len(flat_ids), int(np.prod(inner)))
        parts: list[list[Any]] = [[] for _ in range(count)]
        for segment, row in zip(flat_ids, rows.tolist(), strict=True):
            parts[segment].append(row)
        out = np.empty((count, rows.shape[1]), object)
        for segment, members in enumerate(parts):
            out[segment] = [joined(column) for column in zip(*members)] if members else b""
        return out.reshape(count, *inner)

    return join


segment_join_op.accepts(
    np.array([b"a", b"b", b"c"], object), np.array([0, 1, 0], np.int32), np.array(3, np.int32), separator="-"
)
segment_join_op.rejects(
    np.array([b"a"], object), np.array([3], np.int32), np.array(3, np.int32), error=InvalidArgumentError
)


def unsorted_segment_join(
    inputs: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings of each segment, joined in the order in which they stand.

    Args:
        inputs: string tensor.
        segment_ids: int tensor whose shape is the beginning of that of `inputs`.
        num_segments: int scalar: the number of segments.
        separator: what to put between the strings.
        name: a name for the operation.

    Returns:
        a string tensor [num_segments, ...].

    Raises:
        ValueError: if the shapes do not fit. InvalidArgumentError: when it is run: for an id out of range.

    Example:
        >>> tf.Session().run(tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, "-"))
        array([b'a-c', b'b'], dtype=object)
    """
    return raw.UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator=separator, name=name)
