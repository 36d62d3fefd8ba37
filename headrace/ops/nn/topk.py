"""The largest elements of rows, and whether an element is among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.math.nan_ignoring import has_nan, without_nan
from headrace.kernels.native import integers

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


_COUNTING = {torch.uint16: torch.int32, torch.uint32: torch.int64}
_LOWEST = -(2**63)

# ---- TopK ----

top_k_op = op("TopK", "input: T, *, k: int, sorted=True, T: realnumeric -> values: T, indices: int32")
top_k_v2_op = op("TopKV2", "input: T, k: int32, *, sorted=True, T: realnumeric -> values: T, indices: int32").on_host(
    "k"
)


def _top_k_dims(dims: Dims, k: int | None) -> Dims:
    if k is not None and k < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {k}")
    if dims is None:
        return None
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    last = dims[-1]
    if k is not None and last is not None and last < k:
        raise ValueError(f"input must have last dimension >= k = {k} but is {last}")
    return (*dims[:-1], k)


@top_k_op.shape
def top_k_shape(op):
    return [_top_k_dims(op.inputs[0].dims, op.attrs["k"])] * 2


@top_k_v2_op.shape
def top_k_v2_shape(op):
    dims = op.inputs[1].dims
    if dims is not None and dims != ():
        raise ValueError(f"Input must be scalar but has rank {len(dims)}")
    k = op.constant(1)
    return [_top_k_dims(op.inputs[0].dims, None if k is None else int(k))] * 2


def _comparable(x: torch.Tensor) -> torch.Tensor:
    """Numbers in the order of `x`, of a type that torch sorts."""
    if x.dtype in _COUNTING:
        return x.to(_COUNTING[x.dtype])
    if x.dtype is torch.uint64:
        return x.view(torch.int64) ^ _LOWEST
    return x


def largest(x: torch.Tensor, k: int) -> tuple[Any, Any]:
    """The `k` largest of each row of `x` in falling order, and where they are; of equal ones the first come first.

    Raises:
        InvalidArgumentError: if there are fewer than `k`.
    """
    if x.dim() == 0:
        raise InvalidArgumentError(None, None, "input must be >= 1-D, got shape []")
    if k < 0:
        raise InvalidArgumentError(None, None, f"Need k >= 0, got {k}")
    if x.shape[-1] < k:
        raise InvalidArgumentError(None, None, f"input must have at least k columns. Had {x.shape[-1]}, needed {k}")
    keys = _comparable(x)
    if k == 1 and x.numel():
        # The maximum's own index is that of the first.
        values, indices = torch.max(keys, -1, keepdim=True)
        if keys.is_floating_point() and keys.device.type == "cpu" and has_nan(values):
            indices = torch.max(without_nan(keys, -torch.inf), -1, keepdim=True).indices
            values = keys.gather(-1, indices)
    else:
        values, indices = _sorted_rows(keys, k)
    if keys is not x:
        bits = x.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()])
        values = bits.gather(-1, indices).view(x.dtype)
    return values, indices.to(torch.int32)


# Of longer rows only the blocks that hold the largest elements are looked into.
_BLOCK, _LONG = 64, 2048


def _sorted_rows(keys: torch.Tensor, k: int) -> tuple[Any, Any]:
    width = keys.shape[-1]
    if 0 < k < width:
        if width >= _LONG and 4 * k * _BLOCK <= width and keys.numel():
            found = _sorted_by_blocks(keys.reshape(-1, width), k)
            shape = (*keys.shape[:-1], k)
            return found[0].reshape(shape), found[1].reshape(shape)
        values, indices = torch.topk(keys, k, -1)
        # torch promises no order among equals, and takes any of those that are as large as the last.
        as_large = torch.count_nonzero(keys >= values[..., -1:])
        if as_large == values.numel() and not (values[..., 1:] == values[..., :-1]).any():
            return values, indices
    values, indices = torch.sort(keys, dim=-1, descending=True, stable=True)
    return values[..., :k], indices[..., :k]


def _sorted_by_blocks(rows: torch.Tensor, k: int) -> tuple[Any, Any]:
    """The largest of long rows: they lie in the `k` blocks with the largest maxima, the first of equal ones."""
    count, blocks = rows.shape[0], rows.shape[1] // _BLOCK
    parts = rows[:, : blocks * _BLOCK].reshape(count, blocks, _BLOCK)
    # In the order of the row, so that of equal ones the first comes first among the candidates too.
    chosen = torch.sort(_sorted_rows(parts.amax(2), k)[1], dim=1).values
    inside = parts.gather(1, chosen[:, :, None].expand(count, k, _BLOCK)).view(count, k * _BLOCK)
    values, places = _sorted_rows(torch.cat([inside, rows[:, blocks * _BLOCK :]], 1), k)
    starts = torch.cat([chosen, chosen.new_full((count, 1), blocks)], 1) * _BLOCK
    block = (places // _BLOCK).clamp(max=k)
    return values, starts.gather(1, block) + places - block * _BLOCK


@top_k_op.kernel
def top_k_kernel(node):
    k = node.attrs["k"]
    return lambda x: largest(x, k)


@top_k_v2_op.kernel
def top_k_v2_kernel(node):
    known = node.constant(1)
    if known is not None:
        count = int(known)
        return lambda x, _: largest(x, count)
    return lambda x, k: largest(x, int(k))


_early = "1.15 has it in graphs of early versions only"
top_k_op.accepts([4], k=2, differs=_early, gives=lambda x: (np.sort(x)[:1:-1], np.argsort(x)[:1:-1])).rejects(
    [2], k=3, error=ValueError, differs=_early
)
top_k_v2_op.accepts([2, 5], 3).accepts([5], 5).accepts([2, 5], 0).accepts([0, 5], 2)
top_k_v2_op.accepts([2, 5], 2, sorted=False, varies="their order is left open")
top_k_v2_op.rejects([2], 3, error=ValueError).rejects([2], -1, error=ValueError).rejects([], 1, error=ValueError)


def _top_k_into_input(op: Operation, grad: Tensor) -> Tensor:
    """The gradient of the values, each put where its value came from."""
    in_shape = composing.shape(op.inputs[0])
    indices_shape = composing.shape(op.outputs[1])
    taken = raw.GatherV2(composing.cast(indices_shape, "int64"), composing.size(indices_shape) - 1, 0)
    rows = raw.Reshape(op.outputs[1], composing.stack([-1, taken]))
    width = raw.GatherV2(composing.cast(in_shape, "int64"), composing.size(in_shape) - 1, 0)
    count = composing.shape(rows)[0]
    starts = range_of(0, composing.cast(count, "int64") * width, width)
    places = raw.Reshape(rows + composing.cast(raw.ExpandDims(starts, -1), "int32"), [-1])
    return raw.Reshape(
        raw.ScatterNd(raw.ExpandDims(places, -1), raw.Reshape(grad, [-1]), [raw.Prod(in_shape, _all_axes(in_shape))]),
        in_shape,
    )


def _all_axes(x: Tensor) -> Tensor:
    if x.dims is None:
        return composing.range_(0, composing.rank(x))
    return convert_to_tensor(np.arange(len(x.dims)), "int32")


@top_k_op.gradient
def top_k_gradient(op, grad, _):
    return [_top_k_into_input(op, grad)]


@top_k_v2_op.gradient
def top_k_v2_gradient(op, grad, _):
    return [_top_k_into_input(op, grad), composing.zeros([], "int32")]


def top_k(input: TensorLike, k: TensorLike = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The `k` largest elements of each row, and their places.

    Args:
        input: real numbers [..., n].
        k: how many, an int or an int32 scalar.
        sorted: whether they must come in falling order; of equal ones the first always come first.
        name: a name for the operation.

    Returns:
        a namedtuple of `values` and int32 `indices`, both [..., k].

    Raises:
        ValueError: if n is known to be less than `k`.

    Example:
        >>> tf.Session().run(tf.nn.top_k([3.0, 1.0, 3.0], k=2))
        TopKV2(values=array([3., 3.], dtype=float32), indices=array([0, 2], dtype=int32))
    """
    return raw.TopKV2(input, k, sorted=sorted, name=name)


# ---- InTopK ----

in_top_k_op = op("InTopK", "predictions: float, targets: T, *, k: int, T: index = int32 -> precision: bool")
in_top_k_v2_op = op("InTopKV2", "predictions: float, targets: T, k: T, *, T: index = int32 -> precision: bool").on_host(
    "k"
)


@in_top_k_op.shape
def in_top_k_shape(op):
    predictions, targets = op.inputs[0].dims, op.inputs[1].dims
    if predictions is not None and len(predictions) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(predictions)}")
    if targets is not None and len(targets) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(targets)}")
    first = None if predictions is None else predictions[0]
    other = None if targets is None else targets[0]
    if None not in (first, other) and first != other:
        raise ValueError(f"Dimensions must be equal, but are {first} and {other}")
    return [(other if first is None else first,)]


in_top_k_v2_op.shape(in_top_k_shape)


def _among_largest(predictions: torch.Tensor, targets: torch.Tensor, k: int) -> torch.Tensor:
    if predictions.dim() != 2:
        raise InvalidArgumentError(None, None, "predictions must be 2-dimensional")
    if targets.dim() != 1:
        raise InvalidArgumentError(None, None, "targets must be 1-dimensional")
    if predictions.shape[0] != targets.shape[0]:
        raise InvalidArgumentError(
            None,
            None,
            f"First dimension of predictions {predictions.shape[0]} must match length of targets {targets.shape[0]}",
        )
    classes = predictions.shape[1]
    if classes == 0:
        return torch.zeros_like(targets, dtype=torch.bool)
    targets = targets.long()
    inside = (targets >= 0) & (targets < classes)
    own = predictions.gather(1, targets.clamp(0, classes - 1).unsqueeze(1))
    # Of classes as probable as the target none pushes it out; what is not finite cannot be compared.
    ahead = torch.count_nonzero(predictions > own, dim=1)
    return (ahead < k) & inside & torch.isfinite(predictions).all(1)


@in_top_k_op.kernel
def in_top_k_kernel(node):
    k = node.attrs["k"]
    return lambda predictions, targets: _among_largest(predictions, targets, k)


@in_top_k_v2_op.kernel
def in_top_k_v2_kernel(node):
    def among_largest(predictions, targets, k):
        if k.dim():
            raise InvalidArgumentError(None, None, f"k must be 0-D, got shape {list(k.shape)}")
        return _among_largest(predictions, targets, int(k))

    return among_largest


in_top_k_op.accepts([2, 3], np.array([0, 5], np.int32), k=1)
in_top_k_v2_op.accepts([2, 3], np.array([0, -1], np.int32), 2)
in_top_k_v2_op.rejects([2, 3], np.array([0, 1, 2], np.int32), 2, error=ValueError)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: TensorLike, name: str | None = None) -> Tensor:
    """Whether each target is among the `k` most probable classes.

    Classes as probable as the last of the `k` count too; a row with a prediction that is not finite never does.

    Args:
        predictions: float32 [batch, classes].
        targets: int32 or int64 class numbers [batch].
        k: how many.
        name: a name for the operation.

    Returns:
        bool [batch].

    Example:
        >>> tf.Session().run(tf.nn.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1))
        array([ True, False])
    """
    with name_scope(name, "in_top_k"):
        return raw.InTopKV2(predictions, targets, k, name=name)


# ---- native instructions

in_top_k_op.native(lambda node: applied("in_top_k", [node.attrs["k"]]))


@in_top_k_v2_op.native
def _in_top_k_v2_native(node):
    k = integers(node, 2)
    return None if k is None else applied("in_top_k", k, take=[0, 1])


@top_k_v2_op.native
def _top_k_v2_native(node):
    k = integers(node, 1)
    return None if k is None or k[0] < 0 or not node.inputs[0].dims else applied("top_k", k, take=[0])
