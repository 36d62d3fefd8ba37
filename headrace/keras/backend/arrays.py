"""Shapes and types of tensors, and moving, repeating and joining their elements."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.composite_types import TakingComposites, dispatched
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import as_dtype
from headrace.core.eager import EagerTensor
from headrace.core.tensor import Tensor
from headrace.functions.image.resizing import resize_images_v2
from headrace.functions.math.reduction import reduce_prod
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.functions.sparse.join import sparse_concat
from headrace.keras.backend.sessions import get_value
from headrace.keras.backend_config import floatx, image_data_format
from headrace.kernels.composing import arithmetic
from headrace.kernels.composing import arranging as arrangements
from headrace.kernels.composing import shapes as shape_ops
from headrace.layers.context import get_graph
from headrace.ops.array import gather as gathers
from headrace.ops.array import tile as tiles
from headrace.ops.array import where as choosing
from headrace.ops.array.constant import constant
from headrace.ops.array.pad import pad
from headrace.ops.array.reverse import reverse as reversed_along
from headrace.ops.array.shape import reshape as reshaped
from headrace.ops.array.split import split
from headrace.ops.flow.printing import print_
from headrace.ops.math import cast as casting
from headrace.recurrent import functional
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike

    Pair = Sequence[int]

# Ragged tensors are taken where the functions of the root take them.
arranging, shapes, gathering = (TakingComposites(each) for each in (arrangements, shape_ops, gathers))
tiled, one_hot_of, cast_to = dispatched(tiles.tile), dispatched(choosing.one_hot), dispatched(casting.cast)

py_all, py_any, py_sum = builtins.all, builtins.any, builtins.sum


# ---- what is known of a tensor


def shape(x: TensorLike) -> Tensor:
    """The shape of a tensor, as a tensor."""
    return shapes.shape(x)


def int_shape(x: Any) -> tuple[int | None, ...] | None:
    """The shape of a tensor as far as it is known: a tuple of numbers and None; None if the rank is not known."""
    try:
        found = x.shape
        if not isinstance(found, tuple):
            found = tuple(found.as_list())
    except ValueError:
        return None
    return found


def ndim(x: Any) -> int | None:
    """The number of axes of a tensor; None if it is not known."""
    return x.shape.rank


def dtype(x: Any) -> str:
    """The name of the type of a tensor's elements."""
    return as_dtype(x.dtype).base_dtype.name


def count_params(x: Any) -> Any:
    """The number of elements of a variable."""
    return np.prod(x.shape.as_list())


def is_sparse(tensor: object) -> bool:
    """Whether it is a sparse tensor."""
    return isinstance(tensor, SparseTensor)


def to_dense(tensor: Any) -> Any:
    """The tensor with all its elements, if it is sparse; else itself."""
    return sparse_tensor_to_dense(tensor) if is_sparse(tensor) else tensor


def eval(x: Any) -> Any:  # programs call it by this name
    """The value of a tensor or variable, as an array."""
    return get_value(to_dense(x))


def cast(x: TensorLike, dtype: DTypeLike) -> Tensor:
    """The tensor with elements of another type."""
    return cast_to(x, dtype)


def cast_to_floatx(x: Any) -> Any:
    """An array or tensor with elements of the type `floatx()`."""
    if isinstance(x, (Tensor, Variable, SparseTensor)):
        return cast_to(x, dtype=floatx())
    return np.asarray(x, dtype=floatx())


def identity(x: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of the same value."""
    return arranging.identity(x, name=name)


# ---- arranging


def reshape(x: TensorLike, shape: Any) -> Tensor:
    """The elements in another shape; one size may be -1."""
    return reshaped(x, shape)


def flatten(x: TensorLike) -> Tensor:
    """The elements along one axis."""
    return reshaped(x, [-1])


def batch_flatten(x: Any) -> Tensor:
    """The elements of each sample along one axis: a tensor of two axes."""
    return reshaped(x, arranging.stack([-1, reduce_prod(shapes.shape(x)[1:])]))


def transpose(x: TensorLike) -> Tensor:
    """The tensor with its axes in the reverse order."""
    return arranging.transpose(x)


def permute_dimensions(x: TensorLike, pattern: Sequence[int]) -> Tensor:
    """The tensor with its axes in the order `pattern`."""
    return arranging.transpose(x, perm=pattern)


def expand_dims(x: TensorLike, axis: int = -1) -> Tensor:
    """The tensor with one more axis of size one."""
    return shapes.expand_dims(x, axis)


def squeeze(x: TensorLike, axis: int) -> Tensor:
    """The tensor without an axis of size one."""
    return shapes.squeeze(x, [axis])


def concatenate(tensors: Sequence[Any], axis: int = -1) -> Any:
    """Tensors one after the other along an axis; sparse ones give a sparse one."""
    if axis < 0:
        rank = ndim(tensors[0])
        axis = axis % rank if rank else 0
    if py_all(is_sparse(x) for x in tensors):
        return sparse_concat(axis, tensors)
    return arranging.concat([to_dense(x) for x in tensors], axis)


def stack(x: Sequence[Any], axis: int = 0) -> Tensor:
    """Tensors beside one another along a new axis."""
    return arranging.stack(x, axis=axis)


def reverse(x: TensorLike, axes: Any) -> Tensor:
    """The tensor with the elements in the reverse order along axes."""
    return reversed_along(x, [axes] if isinstance(axes, int) else axes)


def gather(reference: TensorLike, indices: TensorLike) -> Tensor:
    """The rows of a tensor that `indices` names."""
    return gathering.gather(reference, indices)


def one_hot(indices: TensorLike, num_classes: int) -> Tensor:
    """For each index a row of zeros with a one there."""
    return one_hot_of(indices, depth=num_classes, axis=-1)


def arange(start: Any, stop: Any = None, step: int = 1, dtype: DTypeLike = "int32") -> Tensor:
    """Numbers from `start` to before `stop`; from 0 to before `start` if `stop` is not given."""
    if stop is None and start < 0:
        start = 0
    made = arithmetic.range(start, limit=stop, delta=step, name="arange")
    return made if dtype == "int32" else cast_to(made, dtype)


# ---- repeating and resizing


def tile(x: TensorLike, n: Any) -> Tensor:
    """The tensor repeated `n` times along each axis."""
    return tiled(x, [n] if isinstance(n, int) else n)


def repeat(x: Any, n: int) -> Tensor:
    """A matrix (batch, size) as a tensor (batch, n, size).

    Raises:
        AssertionError: if it has not two axes.
    """
    assert ndim(x) == 2, f"repeat takes a tensor of two axes, not {x}"
    return tiled(shapes.expand_dims(x, 1), arranging.stack([1, n, 1]))


def repeat_elements(x: Any, rep: int, axis: int) -> Tensor:
    """The tensor with each element `rep` times after one another along an axis."""
    sizes = x.shape.as_list()
    if sizes[axis] is not None:
        parts = split(value=x, num_or_size_splits=sizes[axis], axis=axis)
        return concatenate([part for part in parts for _ in range(rep)], axis)
    # A new axis after this one holds the copies; then the two become one.
    after = axis + 1 if axis >= 0 else axis
    known = shapes.shape(x)
    spread = shapes.expand_dims(x, after % (len(sizes) + 1) if axis < 0 else after)
    counts = np.ones(len(sizes) + 1, dtype="int32")
    place = axis if axis >= 0 else axis + len(sizes)
    counts[place + 1] = rep
    spread = tiled(spread, counts)
    grown = np.ones(len(sizes), dtype="int32")
    grown[place] = rep
    made = reshaped(spread, known * constant(grown, dtype="int32"))
    made.set_shape(sizes)
    return made


def _check_format(data_format: str | None) -> str:
    data_format = image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {data_format}")
    return data_format


def resize_images(
    x: Any, height_factor: int, width_factor: int, data_format: str, interpolation: str = "nearest"
) -> Tensor:
    """Images made larger.

    Args:
        x: images of four axes.
        height_factor, width_factor: how much larger.
        data_format: the order of their axes.
        interpolation: "nearest" or "bilinear".

    Raises:
        ValueError: for other ones, or an unknown order of axes.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid `data_format` argument: {data_format}")
    rows, columns = (2, 3) if data_format == "channels_first" else (1, 2)
    x = convert_to_tensor(x) if isinstance(x, np.ndarray) else x
    known_sizes = x.shape.as_list()
    if len(known_sizes) <= columns:
        raise ValueError(f"resize_images takes images of four axes, got {x} with {len(known_sizes)}.")
    before = known_sizes[rows], known_sizes[columns]
    size: Any = shapes.shape(x)[rows : columns + 1]
    size *= constant(np.array([height_factor, width_factor], dtype="int32"))
    if data_format == "channels_first":
        x = arranging.transpose(x, perm=[0, 2, 3, 1])
    if interpolation not in ("nearest", "bilinear"):
        raise ValueError('interpolation should be one of "nearest" or "bilinear".')
    x = resize_images_v2(x, size, method=interpolation)
    if data_format == "channels_first":
        x = arranging.transpose(x, perm=[0, 3, 1, 2])
    known = [None if a is None else a * b for a, b in zip(before, (height_factor, width_factor))]
    x.set_shape([None, None, *known] if data_format == "channels_first" else [None, *known, None])
    return x


def resize_volumes(x: Any, depth_factor: int, height_factor: int, width_factor: int, data_format: str) -> Tensor:
    """Volumes made larger, by repeating elements.

    Args:
        x: volumes of five axes.
        depth_factor, height_factor, width_factor: how much larger.
        data_format: the order of their axes.

    Raises:
        ValueError: for an unknown order of axes.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    first = 2 if data_format == "channels_first" else 1
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), first):
        x = repeat_elements(x, factor, axis=axis)
    return x


# ---- padding


def temporal_padding(x: TensorLike, padding: Pair = (1, 1)) -> Tensor:
    """Sequences with zeros before and after them.

    Args:
        x: sequences of three axes.
        padding: how many.
    """
    assert len(padding) == 2, "padding: two numbers"
    return pad(x, [[0, 0], [padding[0], padding[1]], [0, 0]])


def spatial_2d_padding(
    x: TensorLike, padding: Sequence[Pair] = ((1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """Images with zeros around them.

    Args:
        x: images of four axes.
        padding: how many, before and after, along rows and columns.
        data_format: the order of the axes, `image_data_format()` by default.

    Raises:
        ValueError: for an unknown order of axes.
    """
    assert [len(pair) for pair in padding] == [2, 2], "padding: two pairs"
    return _padded(x, padding, data_format)


def spatial_3d_padding(
    x: TensorLike, padding: Sequence[Pair] = ((1, 1), (1, 1), (1, 1)), data_format: str | None = None
) -> Tensor:
    """Volumes with zeros around them.

    Args:
        x: volumes of five axes.
        padding: how many, before and after, along each of their three axes.
        data_format: the order of the axes, `image_data_format()` by default.

    Raises:
        ValueError: for an unknown order of axes.
    """
    assert [len(pair) for pair in padding] == [2, 2, 2], "padding: three pairs"
    return _padded(x, padding, data_format)


def _padded(x: TensorLike, padding: Sequence[Pair], data_format: str | None) -> Tensor:
    around = [list(pair) for pair in padding]
    first = _check_format(data_format) == "channels_first"
    return pad(x, [[0, 0], [0, 0], *around] if first else [[0, 0], *around, [0, 0]])


# ---- elements by functions, and printing


def map_fn(fn: Callable[..., Any], elems: Any, name: str | None = None, dtype: Any = None) -> Any:
    """What a function gives for each element along the first axis.

    Args:
        fn: the function.
        elems: a tensor.
        name: that of the operations.
        dtype: the type of what it gives, that of `elems` by default.
    """
    return functional.map_fn(fn, elems, name=name, dtype=dtype)


def foldl(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """A function of a value and an element, applied to the elements along the first axis in turn.

    Args:
        fn: takes what it gave last and an element.
        elems: a tensor.
        initializer: what it takes first; the first element by default.
        name: that of the operations.
    """
    return functional.foldl(fn, elems, initializer=initializer, name=name)


def foldr(fn: Callable[..., Any], elems: Any, initializer: Any = None, name: str | None = None) -> Any:
    """As `foldl`, from the last element to the first.

    Args:
        fn: takes what it gave last and an element.
        elems: a tensor.
        initializer: what it takes first; the last element by default.
        name: that of the operations.
    """
    return functional.foldr(fn, elems, initializer=initializer, name=name)


def print_tensor(x: Any, message: str = "") -> Any:
    """The tensor, printed whenever it is computed.

    Args:
        x: a tensor.
        message: what is printed before it.
    """
    if isinstance(x, EagerTensor) or not isinstance(x, Tensor):
        print_(message, x, output_stream=sys.stdout)
        return x
    with get_graph().as_default(), control_dependencies([print_(message, x, output_stream=sys.stdout)]):
        return arranging.identity(x)
