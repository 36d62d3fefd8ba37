"""The public segment reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.ragged.tensor import RaggedTensor


def _sorted(kind: str, word: str, absent: str) -> Callable[..., Tensor]:
    def segment(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
        return getattr(raw, f"Segment{kind}")(data, segment_ids, name=name)

    segment.__name__ = segment.__qualname__ = f"segment_{kind.lower()}"
    segment.__doc__ = f"""The {word} of the rows of each segment.

    Args:
        data: numbers of shape (n, ...).
        segment_ids: int32 or int64 of shape (n,): the segment of each row, sorted, from 0.
        name: a name for the operation.

    Returns:
        a tensor of shape (last id + 1, ...); a segment without rows is {absent}.

    Raises:
        InvalidArgumentError: when run, if the ids are not sorted or negative.

    Example:
        >>> tf.segment_{kind.lower()}([[1, 2], [3, 4], [5, 6]], [0, 0, 1])
        <tf.Tensor 'Segment{kind}:0' shape=(?, 2) dtype=int32>
    """
    return segment


segment_sum = _sorted("Sum", "sum", "0")
segment_mean = _sorted("Mean", "mean", "0")
segment_prod = _sorted("Prod", "product", "1")
segment_min = _sorted("Min", "minimum", "0")
segment_max = _sorted("Max", "maximum", "0")


def _unsorted(kind: str, word: str, absent: str) -> Callable[..., Tensor]:
    def segment(
        data: TensorLike | RaggedTensor,
        segment_ids: TensorLike | RaggedTensor,
        num_segments: TensorLike,
        name: str | None = None,
    ) -> Tensor:
        return getattr(raw, f"UnsortedSegment{kind}")(data, segment_ids, num_segments, name=name)

    segment.__name__ = segment.__qualname__ = f"unsorted_segment_{kind.lower()}"
    segment.__doc__ = f"""The {word} of the rows of each segment, in any order.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name for the operation.

    Returns:
        a tensor of shape (num_segments, ...); a segment without rows is {absent}.

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.unsorted_segment_{kind.lower()}([1, 2, 3], [1, 0, 1], 2)
        <tf.Tensor 'UnsortedSegment{kind}:0' shape=(2,) dtype=int32>
    """
    return segment


unsorted_segment_sum = _unsorted("Sum", "sum", "0")
unsorted_segment_prod = _unsorted("Prod", "product", "1")
unsorted_segment_min = _unsorted("Min", "minimum", "the greatest number of the type")
unsorted_segment_max = _unsorted("Max", "maximum", "the least number of the type")


def _row_counts(data: Tensor, segment_ids: Tensor, num_segments: TensorLike) -> Tensor:
    """How many rows each segment has, at least 1, shaped to divide the sums."""
    ones = composing.ones(composing.shape(segment_ids), dtype=data.dtype)
    counts = raw.UnsortedSegmentSum(ones, segment_ids, num_segments)
    if data.dims is None or segment_ids.dims is None:
        raise ValueError("data and segment_ids must have known ranks.")
    broadcast = [num_segments] + [1] * (len(data.dims) - len(segment_ids.dims))
    return raw.Maximum(raw.Reshape(counts, broadcast), 1)


def unsorted_segment_mean(
    data: TensorLike | RaggedTensor, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The mean of the rows of each segment, in any order; 0 for a segment without rows.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name scope.

    Returns:
        a tensor of shape (num_segments, ...).

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.Session().run(tf.unsorted_segment_mean([1.0, 2.0, 3.0], [1, 0, 1], 2))
        array([2., 2.], dtype=float32)
    """
    with name_scope(name, "UnsortedSegmentMean"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _row_counts(data, segment_ids, num_segments)
        return raw.UnsortedSegmentSum(data, segment_ids, num_segments) / counts


def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sum of the rows of each segment divided by the square root of their number, in any order.

    Args:
        data: numbers of the shape of `segment_ids`, with further dimensions after it.
        segment_ids: int32 or int64 of any shape; rows with negative ids are left out.
        num_segments: how many segments there are, a scalar.
        name: a name scope.

    Returns:
        a tensor of shape (num_segments, ...).

    Raises:
        InvalidArgumentError: when run, if an id is not less than `num_segments`.

    Example:
        >>> tf.Session().run(tf.unsorted_segment_sqrt_n([1.0] * 4, [1, 1, 1, 1], 2))
        array([0., 2.], dtype=float32)
    """
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _row_counts(data, segment_ids, num_segments)
        return raw.UnsortedSegmentSum(data, segment_ids, num_segments) / raw.Sqrt(counts)


def _picked(kind: str, name: str, word: str) -> Callable[..., Tensor]:
    def segment(
        data: TensorLike,
        indices: TensorLike,
        segment_ids: TensorLike,
        name: str | None = None,
        num_segments: int | Sequence[int] | None = None,
    ) -> Tensor:
        if num_segments is None:
            return getattr(raw, f"SparseSegment{kind}")(data, indices, segment_ids, name=name)
        apply = getattr(raw, f"SparseSegment{kind}WithNumSegments")
        return apply(data, indices, segment_ids, num_segments, name=name)

    segment.__name__ = segment.__qualname__ = name
    segment.__doc__ = f"""The {word} of the picked rows of each segment.

    Args:
        data: numbers of shape (m, ...).
        indices: int32 or int64 of shape (n,): the rows of `data` that are picked.
        segment_ids: int32 of shape (n,): the segment of each picked row, sorted, from 0.
        name: a name for the operation.
        num_segments: how many segments there are, if not the last id + 1.

    Returns:
        a tensor of shape (segments, ...); a segment without rows is 0.

    Raises:
        InvalidArgumentError: when run, if an index is out of range, or the ids are not sorted.

    Example:
        >>> tf.{name}([[1.0], [2.0], [3.0]], [2, 0], [0, 0])
        <tf.Tensor 'SparseSegment{kind}:0' shape=(?, 1) dtype=float32>
    """
    return segment


sparse_segment_sum = _picked("Sum", "sparse_segment_sum", "sum")
sparse_segment_mean = _picked("Mean", "sparse_segment_mean", "mean")
sparse_segment_sqrt_n = _picked("SqrtN", "sparse_segment_sqrt_n", "sum, divided by the square root of the number,")
