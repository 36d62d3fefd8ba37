"""The index of the greatest and of the least element along an axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import TYPE_CODES, applied
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.devices.numpy_loops import faster_search
from headrace.kernels.math.nan_ignoring import may_hold_nan, search
from headrace.kernels.native import integers
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, NodeView, OpView, TensorLike


_SIGNATURE = (
    "input: T, dimension: Tidx, *, T: numeric, Tidx: index = int32, output_type: index = int64 -> output: output_type"
)
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


def _shape(op: OpView) -> list[Dims]:
    dims, axis = op.inputs[0].dims, op.constant(1)
    if op.inputs[1].dims not in (None, ()):
        raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[1].dims)}")
    if dims is None:
        return [None]
    if len(dims) <= 1:
        # Whatever the axis is; one that is not there shows when the op runs.
        return [()]
    if axis is None:
        return [(None,) * (len(dims) - 1)]
    rank, where = len(dims), int(axis)
    if not -rank <= where < rank:
        raise ValueError(
            f"Dimension ({where}) must be in the range [{-rank}, {rank}), where {rank} is the number of dimensions in "
            "the input."
        )
    where %= rank
    return [dims[:where] + dims[where + 1 :]]


def _kernel(by_torch: Callable[..., Any], by_numpy: Any, identity: float) -> Callable[..., Any]:
    def rule(node: NodeView) -> Callable[..., Any]:
        function = faster_search(node, by_torch, by_numpy)
        if may_hold_nan(node):
            function = search(function, identity)
        wider = _WIDER.get(node.inputs[0].dtype.torch)
        narrow = node.outputs[0].dtype.name == "int32"
        constant = node.constant(1)

        def find(x: torch.Tensor, axis: torch.Tensor) -> torch.Tensor:
            axis = int(axis)
            if wider is not None:
                x = x.to(wider)
            if not -x.dim() <= axis < x.dim():
                raise InvalidArgumentError(
                    None, None, f"Expected dimension in the range [{-x.dim()}, {x.dim()}), but got {axis}"
                )
            if x.shape[axis] == 0:
                raise InvalidArgumentError(None, None, f"Reduction axis {axis} is empty in shape {list(x.shape)}")
            # torch documents that the first of equal elements is taken, as here.
            index = function(x, axis)
            return index.to(torch.int32) if narrow else index

        dims = node.inputs[0].dims
        if constant is None or wider is not None or not dims or not -len(dims) <= int(constant) < len(dims):
            return find
        if dims[int(constant)] in (None, 0):
            return find
        axis = int(constant)
        if narrow:
            return lambda x, _: function(x, axis).to(torch.int32)
        return lambda x, _: function(x, axis)

    return rule


def _declare(op_type: str, function: Callable[..., Any], by_numpy: Any, identity: float) -> OpDecl:
    decl = op(op_type, _SIGNATURE).on_host("dimension").not_differentiable()
    decl.shape(_shape)
    decl.kernel(_kernel(function, by_numpy, identity))
    decl.accepts([2, 3], 0).accepts([2, 3], -1).accepts([4], 0, output_type="int32")
    decl.rejects([2, 3], 2, error=ValueError)
    return decl


arg_max_op = _declare("ArgMax", torch.argmax, np.argmax, -math.inf)
arg_min_op = _declare("ArgMin", torch.argmin, np.argmin, math.inf)


def argmax(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dimension: int | None = None,
    output_type: DTypeLike = "int64",
) -> Tensor:
    """The index of the greatest element along an axis, the first of several.

    Args:
        input: numbers of any shape.
        axis: an int or scalar int tensor, 0 by default; `dimension` is its older name.
        name: a name for the operation.
        output_type: int32 or int64.

    Returns:
        a tensor of `output_type` without that axis.

    Raises:
        ValueError: if the axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.argmax([[1, 5, 2], [7, 0, 7]], 1))
        array([1, 0])
    """
    axis = first_given("axis", axis, "dimension", dimension)
    return raw.ArgMax(input, 0 if axis is None else axis, output_type=output_type, name=name)


def argmin(
    input: TensorLike,
    axis: int | None = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: DTypeLike = "int64",
) -> Tensor:
    """The index of the least element along an axis, the first of several.

    Args:
        input: numbers of any shape.
        axis: an int or scalar int tensor, 0 by default; `dimension` is its older name.
        name: a name for the operation.
        output_type: int32 or int64.

    Returns:
        a tensor of `output_type` without that axis.

    Raises:
        ValueError: if the axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run(tf.argmin([[1, 5, 2], [7, 0, 7]], 1))
        array([0, 1])
    """
    axis = first_given("axis", axis, "dimension", dimension)
    return raw.ArgMin(input, 0 if axis is None else axis, output_type=output_type, name=name)


def arg_max(
    input: TensorLike, dimension: TensorLike, output_type: DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """The index of the greatest element along `dimension`: the older spelling of `argmax`."""
    return raw.ArgMax(input, dimension, output_type=output_type, name=name)


def arg_min(
    input: TensorLike, dimension: TensorLike, output_type: DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """The index of the least element along `dimension`: the older spelling of `argmin`."""
    return raw.ArgMin(input, dimension, output_type=output_type, name=name)


# ---- native instructions


def _search_native(name):
    def rule(node):
        axis = integers(node, 1)
        return None if axis is None else applied(name, [axis[0], TYPE_CODES[node.outputs[0].dtype.name]], take=[0])

    return rule


arg_max_op.native(_search_native("argmax"))
arg_min_op.native(_search_native("argmin"))
