"""What 1.x's `tensorflow.python.framework.common_shapes` asked of static shapes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from headrace.core import registry
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import broadcast_dims
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


def has_fully_defined_shape(tensor: Tensor) -> bool:
    """Whether every size of a tensor's static shape is known."""
    return tensor.shape.is_fully_defined()


def rank(tensor: TensorLike) -> int | None:
    """How many dimensions a tensor has; None where that is not known."""
    dims = convert_to_tensor(tensor).dims
    return None if dims is None else len(dims)


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The static shape that element-wise ops on operands of two static shapes give.

    Raises:
        ValueError: if they do not broadcast.

    Example:
        >>> broadcast_shape(tf.TensorShape([None, 1]), tf.TensorShape([4]))
        TensorShape([Dimension(None), Dimension(4)])
    """
    return TensorShape.from_dims(broadcast_dims(as_dims(shape_x), as_dims(shape_y)))


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Whether operands of two static shapes may broadcast; not if either has an unknown rank."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_shape(shape_x, shape_y)
    except ValueError:
        return False
    return True


# ---- shape functions, as `tf.RegisterShape` took them: of an operation, the shapes of its outputs ----


def unknown_shape(op: Operation) -> list[TensorShape]:
    """Shapes of which nothing is known, one for each output of an operation."""
    return [TensorShape(None) for _ in op.outputs]


def scalar_shape(unused_op: Operation) -> list[TensorShape]:
    """The shapes of an operation that gives one scalar."""
    return [TensorShape([])]


def no_outputs(unused_op: Operation) -> list[TensorShape]:
    """The shapes of an operation that gives nothing."""
    return []


def unchanged_shape(op: Operation) -> list[TensorShape]:
    """The shape of the first input."""
    return [op.inputs[0].get_shape()]


def unchanged_shape_with_rank(rank: int) -> Callable[[Operation], list[TensorShape]]:
    """A shape function: the shape of the first input, which has `rank` dimensions."""
    return lambda op: [op.inputs[0].get_shape().with_rank(rank)]


def unchanged_shape_with_rank_at_least(rank: int) -> Callable[[Operation], list[TensorShape]]:
    """A shape function: the shape of the first input, which has `rank` dimensions or more."""
    return lambda op: [op.inputs[0].get_shape().with_rank_at_least(rank)]


def unchanged_shape_with_rank_at_most(rank: int) -> Callable[[Operation], list[TensorShape]]:
    """A shape function: the shape of the first input, which has `rank` dimensions or fewer."""
    return lambda op: [op.inputs[0].get_shape().with_rank_at_most(rank)]


def _declared(op_type: str, op: Operation) -> list[TensorShape]:
    """What the declaration of another op says of an operation with inputs and attributes like those of that op."""
    declared = registry.find(op_type)
    assert declared is not None  # its types are those of the functions below
    return [TensorShape.from_dims(dims) for dims in declared.infer_shapes(op)]


def matmul_shape(op: Operation) -> list[TensorShape]:
    """The shape of a product of the two inputs, by the attributes `transpose_a` and `transpose_b`."""
    return _declared("MatMul", op)


def conv2d_shape(op: Operation) -> list[TensorShape]:
    """The shape of a convolution of images, by the attributes of Conv2D."""
    return _declared("Conv2D", op)


def depthwise_conv2d_native_shape(op: Operation) -> list[TensorShape]:
    """The shape of a convolution of each channel of its own, by the attributes of DepthwiseConv2dNative."""
    return _declared("DepthwiseConv2dNative", op)


def avg_pool_shape(op: Operation) -> list[TensorShape]:
    """The shape of means over windows, by the attributes of AvgPool."""
    return _declared("AvgPool", op)


def max_pool_shape(op: Operation) -> list[TensorShape]:
    """The shape of maxima over windows, by the attributes of MaxPool."""
    return _declared("MaxPool", op)


def get_conv_output_size(
    input_size: Sequence[int | None], filter_size: Sequence[int | None], strides: Sequence[int], padding_type: bytes
) -> tuple[int | None, ...]:
    """How many windows there are along each axis.

    Args:
        input_size, filter_size: sizes, None where they are not known.
        strides: steps between windows.
        padding_type: b"SAME" or b"VALID", as attributes have it.

    Raises:
        ValueError: for another padding, or a filter that is larger than its input.

    Example:
        >>> get_conv_output_size((10, 11), (3, 2), (2, 2), b"VALID")
        (4, 5)
    """
    if padding_type not in (b"SAME", b"VALID"):
        raise ValueError(f"Invalid padding: {padding_type!r}")
    pairs = tuple(zip(input_size, filter_size))
    if any(size is not None and window is not None and window > size for size, window in pairs):
        raise ValueError(f"Filter must not be larger than the input: Filter: {filter_size!r} Input: {input_size!r}")
    found: list[int | None] = []
    for (size, window), stride in zip(pairs, strides):
        if size is None or (window is None and padding_type == b"VALID"):
            found.append(None)
        elif padding_type == b"SAME":
            found.append(-(-size // stride))
        else:
            found.append(-(-(size - (window or 0) + 1) // stride))
    return tuple(found)


def get2d_conv_output_size(
    input_height: int | None,
    input_width: int | None,
    filter_height: int | None,
    filter_width: int | None,
    row_stride: int,
    col_stride: int,
    padding_type: bytes,
) -> tuple[int | None, ...]:
    """How many rows and columns of windows there are; see `get_conv_output_size`."""
    return get_conv_output_size(
        (input_height, input_width), (filter_height, filter_width), (row_stride, col_stride), padding_type
    )
