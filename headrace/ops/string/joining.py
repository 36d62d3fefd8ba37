"""Strings joined to longer ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims, merge_dims
from headrace.core.errors import InvalidArgumentError, OutOfRangeError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import constants
from headrace.kernels.host_values import boxed, mapped
from headrace.kernels.ranks import ranked
from headrace.kernels.renamed_arguments import first_given
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import TensorLike


string_join_op = op("StringJoin", "inputs: N * string, *, separator='' -> output: string")


@string_join_op.shape
def string_join_shape(op):
    merged: Dims = ()
    for tensor in op.inputs:
        if tensor.dims is None:
            return [None]
        if tensor.dims != ():
            merged = tensor.dims if merged == () else merge_dims(merged, tensor.dims)
    return [merged]


@string_join_op.kernel
def string_join_kernel(node):
    separator = node.attrs["separator"].encode()

    def join(*texts):
        arrays = [boxed(text) for text in texts]
        shape = next((array.shape for array in arrays if array.ndim), ())
        for array in arrays:
            if array.ndim and array.shape != shape:
                raise InvalidArgumentError(
                    None, None, f"Input shapes do not match: {list(shape)} vs. {list(array.shape)}"
                )
        spread = [np.broadcast_to(array, shape) for array in arrays]
        return mapped(lambda *items: separator.join(items), *spread)

    return join


string_join_op.not_differentiable()
string_join_op.accepts([b"a", np.array([b"b", b"c"], object)], separator="-")

reduce_join_op = op(
    "ReduceJoin", "inputs: string, reduction_indices: int32, *, keep_dims=False, separator='' -> output: string"
).on_host("reduction_indices")


def _joined_axes(axes: list[int], rank: int) -> list[int]:
    found: list[int] = []
    for axis in axes:
        if not -rank <= axis < rank:
            raise OutOfRangeError(None, None, f"Invalid reduction dimension {axis} for input with {rank} dimension(s)")
        axis %= rank
        if axis in found:
            raise ValueError(f"Duplicate reduction dimension {axis}")
        found.append(axis)
    return found


@reduce_join_op.shape
@ranked(None, (0, 1))
def reduce_join_shape(op):
    dims, axes = op.inputs[0].dims, op.constant(1)
    if dims is None or axes is None:
        return [None if dims is None or not op.attrs["keep_dims"] else (None,) * len(dims)]
    rank = len(dims)
    for axis in axes.ravel().tolist():
        if not -rank <= axis < rank:
            raise ValueError(f"Invalid reduction dimension {axis} for input with {rank} dimensions.")
    gone = {axis % rank for axis in axes.ravel().tolist()}
    if op.attrs["keep_dims"]:
        return [tuple(1 if i in gone else size for i, size in enumerate(dims))]
    return [tuple(size for i, size in enumerate(dims) if i not in gone)]


@reduce_join_op.kernel
def reduce_join_kernel(node):
    separator, keep = node.attrs["separator"].encode(), node.attrs["keep_dims"]

    def join(text, indices):
        array = boxed(text)
        try:
            axes = _joined_axes(indices.reshape(-1).tolist(), array.ndim)
        except ValueError as error:
            raise InvalidArgumentError(None, None, str(error)) from None
        if not axes:
            return array
        left = [axis for axis in range(array.ndim) if axis not in axes]
        # The axis named first runs fastest.
        rows = array.transpose(left + axes[::-1])
        shape = tuple(array.shape[axis] for axis in left)
        out = np.empty(shape, object)
        flat = rows.reshape(int(np.prod(shape)), int(np.prod([array.shape[axis] for axis in axes])))
        out.reshape(-1)[:] = [separator.join(row) for row in flat.tolist()]
        return out.reshape([1 if axis in axes else size for axis, size in enumerate(array.shape)]) if keep else out

    axes, dims, join_rows = constants(node, 1), node.inputs[0].dims, direct_call("join_rows")
    if join_rows is None or dims is None or axes not in ([-1], [len(dims) - 1]) or len(dims) < 2:
        return join

    def join_last(text, indices):
        made = join_rows(text, separator, keep)
        return join(text, indices) if made is None else made

    return join_last


reduce_join_op.aliases()
reduce_join_op.not_differentiable()
reduce_join_op.accepts(np.array([[b"a", b"b"], [b"c", b"d"]], object), np.array([0, 1], np.int32))
reduce_join_op.rejects(np.array([b"a"], object), np.array(1, np.int32), error=ValueError)


def string_join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors, joined element by element.

    Args:
        inputs: a list of string tensors of one shape; scalars go with all elements.
        separator: what to put between them.
        name: a name for the operation.

    Returns:
        a string tensor of that shape.

    Raises:
        ValueError: if the shapes differ.

    Example:
        >>> tf.Session().run(tf.string_join(["a", ["b", "c"]], separator="-"))
        array([b'a-b', b'a-c'], dtype=object)
    """
    return raw.StringJoin(inputs, separator=separator, name=name)


def reduce_join(
    inputs: TensorLike | CompositeTensor,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """The strings of a tensor, joined over dimensions.

    Args:
        inputs: string tensor.
        axis: the dimensions to join over, the first one running fastest; by default all, the last running fastest.
        keep_dims: whether to keep them with size 1.
        separator: what to put between the strings.
        name: a name for the operation.
        reduction_indices: the older name of `axis`.
        keepdims: the later name of `keep_dims`.

    Raises:
        ValueError: if an axis is out of range, or an argument is given under both its names.

    Example:
        >>> tf.Session().run(tf.reduce_join([["a", "b"], ["c", "d"]], 0))
        array([b'ac', b'bd'], dtype=object)
    """
    keep = first_given("keepdims", keepdims, "keep_dims", keep_dims)
    axis = first_given("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(None, "ReduceJoin", [inputs, axis]):
        tensor = convert_to_tensor(inputs)
        if axis is None:
            if tensor.dims is not None:
                axis = convert_to_tensor(np.arange(len(tensor.dims) - 1, -1, -1, dtype=np.int32), name="Const")
            else:
                axis = composing.range_(raw.Sub(composing.rank(tensor), 1, name="sub"), -1, -1)
        return raw.ReduceJoin(tensor, axis, keep_dims=False if keep is None else keep, separator=separator, name=name)
