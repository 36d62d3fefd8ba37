"""Reductions over axes: sum, mean, product, extremes, logic, norm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.constant_value import distinct, plain_constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, device, name_scope
from headrace.core.dims import Dims, element_count
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.size_elements import Element, KnownElements, product
from headrace.devices.numpy_loops import faster_reduction
from headrace.kernels import composing
from headrace.kernels.math.nan_ignoring import extreme, may_hold_nan
from headrace.kernels.native import reduction

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.tensor import Tensor
    from headrace.core.typing import NodeView, OpView, TensorLike


_NUMERIC = "input: T, reduction_indices: Tidx, *, keep_dims=False, T: numeric, Tidx: index = int32 -> output: T"
_LOGIC = "input: bool, reduction_indices: Tidx, *, keep_dims=False, Tidx: index = int32 -> output: bool"

# torch has no reductions of these; a type that holds them computes.
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}

Reducer = Callable[[Any, "tuple[int, ...] | None", bool], Any]


def reduction_shape(op: OpView) -> list[Dims]:
    dims = op.inputs[0].dims
    keep = op.attrs["keep_dims"]
    axes = op.constant(1)
    given = op.inputs[1].dims
    if given is not None and len(given) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(given)}")
    if dims is None:
        return [None]
    if axes is None:
        return [(None,) * len(dims) if keep else None]
    dropped = set()
    for axis in distinct(axes).tolist():
        if not -len(dims) <= axis < len(dims):
            raise ValueError(f"Invalid reduction dimension {axis} for input with {len(dims)} dimensions.")
        dropped.add(axis % len(dims))
    if keep:
        return [tuple(1 if i in dropped else dim for i, dim in enumerate(dims))]
    return [tuple(dim for i, dim in enumerate(dims) if i not in dropped)]


def normalized_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes counted from the front, sorted, each once.

    Raises:
        InvalidArgumentError: for one out of range.
    """
    found = set()
    for axis in axes:
        if not -rank <= axis < rank:
            raise InvalidArgumentError(
                None, None, f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)"
            )
        found.add(axis % rank)
    return tuple(sorted(found))


def _may_be_empty(dims: Dims) -> bool:
    return dims is None or any(dim is None or dim == 0 for dim in dims)


def _guarded(
    reduce: Callable[[Any], Any], filled: Callable[[Any, tuple[int, ...]], Any], axes: tuple[int, ...]
) -> Callable[[Any, Any], Any]:
    def run(x: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
        return reduce(x) if x.numel() else filled(x, axes)

    return run


def reduction_kernel(
    reduce: Reducer, whole: Callable[[Any], Any], none: Callable[[Any], Any], empty: Any
) -> Callable[..., Any]:
    """The kernel rule of a reduction.

    Args:
        reduce: (x, axes, keep) -> the reduction over some axes.
        whole: x -> the reduction over all axes to a scalar.
        none: x -> the reduction over no axis.
        empty: dtype -> the value where nothing is reduced; None where torch gives it by itself.
    """

    def rule(node: NodeView) -> Callable[..., Any]:
        keep = node.attrs["keep_dims"]
        dtype = node.inputs[0].dtype.torch
        wider = _WIDER.get(dtype)

        def specialized(axes: tuple[int, ...], rank: int | None) -> Callable[[Any], Any]:
            if not axes:
                return none
            if not keep and axes == tuple(range(rank or 0)):
                return whole
            return lambda x: reduce(x, axes, keep)

        def filled(x: Any, axes: tuple[int, ...]) -> torch.Tensor:
            sizes = [1 if i in axes else n for i, n in enumerate(x.shape) if keep or i not in axes]
            return torch.full(sizes, empty(x.dtype), dtype=x.dtype, device=x.device)

        axes, dims = node.constant(1), node.inputs[0].dims
        listed = None if axes is None else distinct(axes).tolist()

        def general(x: torch.Tensor, axes: Any) -> torch.Tensor:
            known = normalized_axes(axes.reshape(-1).tolist() if listed is None else listed, x.dim())
            if empty is not None and x.numel() == 0 and known:
                return filled(x, known)
            return specialized(known, x.dim())(x)

        run: Callable[[Any, Any], Any] = general
        if listed is not None and dims is not None:
            known = normalized_axes(listed, len(dims))
            special = specialized(known, len(dims))
            # torch refuses extremes of nothing.
            careful = empty is not None and known and _may_be_empty(dims)
            run = _guarded(special, filled, known) if careful else lambda x, _: special(x)
            if special not in (none, whole) and not careful:
                run = lambda x, _: reduce(x, known, keep)  # noqa: E731  one call less than through `special`
        if wider is None:
            return run
        return lambda x, axes: run(x.to(wider), axes).to(dtype)

    return rule


def declare_reduction(op_type: str, signature: str, kernel: Callable[..., Any]) -> OpDecl:
    """A reduction op; it does nothing when there are no axes."""
    decl = op(op_type, signature).on_host("reduction_indices").aliases()
    decl.shape(reduction_shape)
    decl.kernel(kernel)
    decl.same_as(_input_without_axes)
    decl.accepts([2, 3], 0).accepts([2, 3], np.array([0, 1])).accepts([2, 3, 4], np.array([-1, 0]), keep_dims=True)
    decl.accepts([0, 3], 0).accepts([2, 3], np.zeros([0], np.int32)).accepts([], np.zeros([0], np.int32))
    decl.rejects([2, 3], 2, error=ValueError)
    return decl


def _input_without_axes(node: NodeView) -> Any:
    axes = node.constant(1)
    return node.inputs[0] if axes is not None and axes.size == 0 else None


def _same(x: torch.Tensor) -> torch.Tensor:
    return x


def _sum_rule(node: NodeView) -> Callable[..., Any]:
    dtype = node.inputs[0].dtype
    if dtype.is_integer or dtype.is_quantized:
        # torch would widen integers to int64; the op keeps their type, and so wraps.
        kind = _WIDER.get(dtype.torch, dtype.torch)
        make = reduction_kernel(
            lambda x, axes, keep: torch.sum(x, axes, keep, dtype=kind), lambda x: torch.sum(x, dtype=kind), _same, None
        )
    else:
        make = reduction_kernel(torch.sum, torch.sum, _same, None)
    return make(node)


def _mean_rule(node: NodeView) -> Callable[..., Any]:
    dtype = node.inputs[0].dtype
    if not (dtype.is_integer or dtype.is_quantized):
        return reduction_kernel(torch.mean, torch.mean, _same, None)(node)
    kind = _WIDER.get(dtype.torch, dtype.torch)

    def mean(x: torch.Tensor, axes: Sequence[int] | None, keep: bool) -> torch.Tensor:
        # The sum is divided with truncation, as integers are in C.
        total = torch.sum(x, axes, keep, dtype=kind)
        if kind is not dtype.torch:
            total = total.to(dtype.torch).to(kind)
        count = x.numel() if axes is None else math.prod(x.shape[axis] for axis in axes)
        return torch.div(total, count, rounding_mode="trunc").to(kind)

    return reduction_kernel(mean, lambda x: mean(x, None, False), _same, lambda _: 0)(node)


def _prod_rule(node: NodeView) -> Callable[..., Any]:
    dtype = node.inputs[0].dtype
    kind = _WIDER.get(dtype.torch, dtype.torch)

    def prod(x: Any, axes: Any, keep: bool) -> torch.Tensor:
        # torch multiplies over one axis at a time.
        for axis in reversed(axes):
            x = torch.prod(x, axis, keep, dtype=kind)
        return x

    return reduction_kernel(prod, lambda x: torch.prod(x, dtype=kind), _same, None)(node)


def _extreme_rule(function: Callable[..., Any], sign: int) -> Callable[..., Any]:
    def identity(dtype: torch.dtype) -> Any:
        if dtype.is_floating_point:
            return sign * math.inf
        info = torch.iinfo(dtype)
        return info.max if sign > 0 else info.min

    plain = reduction_kernel(lambda x, axes, keep: function(x, axes, keep), lambda x: function(x), _same, identity)
    careful = extreme(function, sign * math.inf)
    nan_ignoring = reduction_kernel(careful, careful, _same, identity)
    return lambda node: nan_ignoring(node) if may_hold_nan(node) else plain(node)


def _norm_rule(node: NodeView) -> Callable[..., Any]:
    dtype = node.inputs[0].dtype

    def norm(x: torch.Tensor, axes: Any, keep: bool) -> torch.Tensor:
        kind = _WIDER.get(dtype.torch, dtype.torch) if dtype.is_integer else dtype.torch
        if all(size == 1 for size in (x.shape if axes is None else [x.shape[axis] for axis in axes])):
            # Over single elements TensorFlow copies, so that negative numbers stay.
            return torch.sum(x, axes, keep, dtype=kind)
        if dtype.is_integer:
            return torch.sum(x * x, axes, keep, dtype=kind).double().sqrt().to(kind)
        squares = (x * x.conj()).real if dtype.is_complex else x * x
        return torch.sqrt(torch.sum(squares, axes, keep)).to(x.dtype)

    # So it does over no axis.
    return reduction_kernel(norm, lambda x: norm(x, None, False), _same, None)(node)


def _logic_rule(reduce: Callable[..., Any], name: str) -> Callable[..., Any]:
    def rule(node: NodeView) -> Callable[..., Any]:
        reduced = faster_reduction(node, reduce, name)

        def whole(x: torch.Tensor) -> torch.Tensor:
            return reduced(x, tuple(range(x.dim())), False)

        return reduction_kernel(reduced, reduce if reduced is reduce else whole, _same, None)(node)

    return rule


sum_op = declare_reduction("Sum", _NUMERIC, _sum_rule).never_fails()
mean_op = declare_reduction("Mean", _NUMERIC, _mean_rule).never_fails()
prod_op = declare_reduction("Prod", _NUMERIC, _prod_rule)
max_op = declare_reduction("Max", _NUMERIC, _extreme_rule(torch.amax, -1))
min_op = declare_reduction("Min", _NUMERIC, _extreme_rule(torch.amin, 1))
all_op = declare_reduction("All", _LOGIC, _logic_rule(torch.all, "all"))
any_op = declare_reduction("Any", _LOGIC, _logic_rule(torch.any, "any"))
euclidean_norm_op = declare_reduction("EuclideanNorm", _NUMERIC, _norm_rule).not_differentiable()


@prod_op.size_elements
def prod_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    elements, axes = known.vector(node.inputs[0]), node.constant(1)
    if elements is None or axes is None or node.inputs[0].dims == () or axes.size != 1:
        return None
    return [product(elements)] if int(axes.item()) in (0, -1) else None


def _safe_shape_div(x: TensorLike, y: TensorLike) -> Any:
    """Sizes divided, where a divisor of 0 counts as 1."""
    return x // raw.Maximum(y, 1)


def reduced_shape(input_shape: TensorLike, axes: TensorLike) -> Any:
    """The operations that compute `input_shape` with 1 at `axes`."""
    input_shape = composing.cast(input_shape, "int32")
    axes = composing.cast(axes, "int32")
    input_rank = composing.size(input_shape)
    axes = (axes + input_rank) % input_rank
    axes_shape = composing.shape(axes)
    return raw.DynamicStitch([composing.range_(input_rank), axes], [input_shape, raw.Fill(axes_shape, 1)])


def _kept_shape_and_repeats(
    graph: Graph, dims: tuple[int, ...], axes: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The sizes with the reduced axes kept, and how often each is repeated to have the old sizes again.

    TensorFlow computes them with operations, once a graph, and keeps the result; the operations stay behind in the
    graph, so they are made here too.
    """
    known = graph.__dict__.setdefault("_reduced_shapes", {})
    found = known.get((dims, axes))
    if found is None:
        reduced_shape(dims, axes)
        kept = tuple(1 if i in {axis % len(dims) for axis in axes} else dim for i, dim in enumerate(dims))
        _safe_shape_div(dims, kept)
        found = kept, tuple(dim // max(size, 1) for dim, size in zip(dims, kept, strict=True))
        known[dims, axes] = found
    return found


def _broadcast_back(op: Any, grad: Tensor) -> Tensor:
    """`grad` repeated along the axes that were summed."""
    source = op.inputs[0]
    dims = source.dims
    axes = None if dims is None else plain_constant_value(op.inputs[1])
    if axes is not None:
        if np.array_equal(axes, np.arange(len(dims))):
            grad = raw.Reshape(grad, [1] * len(dims))
            known = None not in dims
            sizes = convert_to_tensor(list(dims), "int32") if known else composing.shape(source)
            return raw.Tile(grad, sizes)
        if None not in dims:
            kept, repeats = _kept_shape_and_repeats(op.graph, dims, tuple(axes.ravel().tolist()))
            return raw.Tile(raw.Reshape(grad, kept), repeats)
    input_shape = composing.shape(source)
    with colocate_with(input_shape):
        kept = reduced_shape(input_shape, op.inputs[1])
        repeats = _safe_shape_div(input_shape, kept)
    return raw.Tile(raw.Reshape(grad, kept), repeats)


@sum_op.gradient
def sum_gradient(op, grad):
    return [_broadcast_back(op, grad), None]


@mean_op.gradient
def mean_gradient(op, grad):
    spread = _broadcast_back(op, grad)
    before, after = element_count(op.inputs[0].dims), element_count(op.outputs[0].dims)
    if before is not None and after is not None:
        factor = convert_to_tensor(before // max(after, 1), spread.dtype)
    else:
        input_shape, output_shape = composing.shape(op.inputs[0]), composing.shape(op.outputs[0])
        counts = [_product(input_shape), _product(output_shape)]
        factor = _safe_shape_div(*counts)
    return [spread / composing.cast(factor, spread.dtype), None]


def _product(vector: Tensor) -> Tensor:
    return raw.Prod(vector, convert_to_tensor([0], "int32"))


def extreme_gradient(op, grad):
    """Shared among all the elements that have the extreme value."""
    input_shape = composing.shape(op.inputs[0])
    kept = reduced_shape(input_shape, op.inputs[1])
    extreme = raw.Reshape(op.outputs[0], kept)
    grad = raw.Reshape(grad, kept)
    chosen = composing.cast(raw.Equal(extreme, op.inputs[0]), grad.dtype)
    number = raw.Reshape(raw.Sum(chosen, op.inputs[1]), kept)
    return [chosen / number * grad, None]


max_op.gradient(extreme_gradient)
min_op.gradient(extreme_gradient)


@prod_op.gradient
def prod_gradient(op, grad):
    """Each input's factor is the product of the others, which two exclusive scans give without dividing by zeros."""
    source = op.inputs[0]
    input_shape = composing.shape(source)
    reduction_indices = raw.Reshape(op.inputs[1], [-1])
    kept = reduced_shape(input_shape, op.inputs[1])
    repeats = _safe_shape_div(input_shape, kept)
    grad = raw.Tile(raw.Reshape(grad, kept), repeats)
    with device("/cpu:0"):
        rank = composing.rank(source)
        reduction_indices = (reduction_indices + rank) % rank
        reduced = composing.cast(reduction_indices, "int32")
        other, _ = raw.ListDiff(composing.range_(0, rank), reduced)
        perm = composing.concat([reduced, other], 0)
        reduced_count = _product(composing.gather(input_shape, reduced))
        other_count = _product(composing.gather(input_shape, other))
    permuted = composing.transpose(source, perm)
    permuted_shape = composing.shape(permuted)
    rows = raw.Reshape(permuted, (reduced_count, other_count))
    left = _cumprod(rows, reverse=False)
    right = _cumprod(rows, reverse=True)
    others = raw.Reshape(composing.conj(left) * composing.conj(right), permuted_shape)
    out = grad * composing.transpose(others, raw.InvertPermutation(perm))
    return [raw.Reshape(out, input_shape), None]


def _cumprod(x: Tensor, reverse: bool) -> Tensor:
    with name_scope(None, "Cumprod", [x]) as scope:
        return raw.Cumprod(x, 0, exclusive=True, reverse=reverse, name=scope)


# ---- native instructions

for _decl, _name in (
    (sum_op, "sum"),
    (prod_op, "prod"),
    (max_op, "max"),
    (min_op, "min"),
    (all_op, "all"),
    (any_op, "any"),
):
    _decl.native(reduction(_name))
mean_op.native(reduction("mean", integer=False))
