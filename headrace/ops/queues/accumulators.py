"""Accumulators, which average gradients until enough have come: the state, and the ops in their forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, op
from headrace.core.waiting import Attempt, Waitable
from headrace.kernels.queues.elements import fits
from headrace.kernels.queues.handles import both, declare_pair, shared_state
from headrace.kernels.state.handles import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_ATTRS = "dtype: numeric, shape: shape, container='', shared_name='', reduction_type: {'MEAN', 'SUM'} = 'MEAN'"


class Accumulator(Waitable):
    """A sum of gradients that are not older than the global step.

    Args:
        dims: the gradients' shape.
        mean: whether their mean is taken, not their sum.
    """

    def __init__(self, name: str, dtype: DType, dims: Dims, mean: bool) -> None:
        super().__init__()
        self.name = name
        self.dtype = dtype
        self.dims = dims
        self.mean = mean
        self.step = 0
        self.count = 0
        self.total: Any = None

    def set_step(self, step: int) -> None:
        """Moves the global step; gradients of earlier steps are dropped from then on."""
        with self.lock:
            self.step = step

    def apply(self, local_step: int, gradient: torch.Tensor | Sequence[torch.Tensor | Sequence[int] | None]) -> None:
        """Adds a gradient, unless it is of an earlier step."""
        with self.lock:
            if local_step < self.step:
                return
            self.check(gradient)
            self.total = self.copied(gradient) if self.count == 0 else self.added(gradient)
            self.count += 1
            self.advance_attempts()

    def check(self, gradient: torch.Tensor) -> None:
        """Refuses a gradient of a wrong shape."""
        if self.count and self.total.shape != gradient.shape:
            raise invalid(f"Shape mismatch: expected {shape_text(self.total.shape)}, got {shape_text(gradient.shape)}")
        if not fits(gradient.shape, self.dims):
            raise invalid(f"Shape mismatch: expected {shape_text(self.dims or ())}, got {shape_text(gradient.shape)}")

    def copied(self, gradient: Any) -> Any:
        """The first gradient as a sum."""
        return gradient.clone()

    def added(self, gradient: torch.Tensor | Sequence[torch.Tensor | Sequence[int]]) -> Any:
        """The sum with one more gradient."""
        return self.total.add_(gradient)

    def averaged(self) -> Any:
        """What is taken."""
        if not self.mean:
            return self.total
        return _divided(self.total, self.count)


def _divided(total: torch.Tensor, count: int | torch.Tensor) -> torch.Tensor:
    if total.is_floating_point() or total.is_complex():
        return total / count
    return torch.div(total, count, rounding_mode="trunc")


def _increases(indices: torch.Tensor) -> bool:
    return bool((indices[1:] > indices[:-1]).all())


def _merged(have: torch.Tensor, rows: torch.Tensor) -> tuple[torch.Tensor, Any, Any]:
    """Two lists of indices as one: it, and the places in it of those of the first and of the second list.

    Both are taken to increase, as 1.15 takes them: what does not is passed over in its order, and merged only where equal
    indices meet.
    """
    if _increases(have) and _increases(rows):
        merged, places = torch.unique(torch.cat([have, rows]), return_inverse=True)
        return merged, places[: len(have)], places[len(have) :]
    left, right = have.tolist(), rows.tolist()
    indices: list[int] = []
    lefts: list[int] = []
    rights: list[int] = []
    while len(lefts) < len(left) or len(rights) < len(right):
        i, j = len(lefts), len(rights)
        takes_left = i < len(left) and (j == len(right) or left[i] <= right[j])
        takes_right = j < len(right) and (i == len(left) or right[j] <= left[i])
        if takes_left:
            lefts.append(len(indices))
        if takes_right:
            rights.append(len(indices))
        indices.append(left[i] if takes_left else right[j])
    return (
        torch.tensor(indices, dtype=torch.int64),
        torch.tensor(lefts, dtype=torch.int64),
        torch.tensor(rights, dtype=torch.int64),
    )


def _check_dims(what: str, rank: str, dims: Sequence[int | None], sizes: Sequence[int | None], first: int) -> None:
    for i in range(first, len(dims)):
        if i >= len(sizes):
            raise invalid(f"Shape mismatch: expected {what} rank {rank}{len(dims)}, got {len(sizes)}")
    for i in range(first, len(dims)):
        if dims[i] is not None and dims[i] != sizes[i]:
            raise invalid(f"Shape mismatch: expected {what} dim {i} to be {dims[i]}, got {sizes[i]}")


class SparseAccumulator(Accumulator):
    """An accumulator of slices: each row is averaged over the gradients that have it."""

    def check(self, gradient: Any) -> None:
        indices, values, shape = gradient
        if indices.ndim != 1:
            raise invalid(f"Input indices should be vector but received shape: {shape_text(indices.shape)}")
        if values.ndim == 0:
            raise invalid("Values cannot be 0-dimensional.")
        if len(indices) != len(values):
            raise invalid(f"Expected {len(indices)} non-empty input values, got {len(values)}")
        # The shape of a scalar stands for any, and further dimensions than it has may come.
        dims = self.dims or ()
        if shape is not None:
            _check_dims("shape", "at least ", dims, shape, 0)
        if dims and dims[0] is not None:
            for i in (indices >= dims[0]).nonzero().flatten().tolist()[:1]:
                raise invalid(
                    f"Shape mismatch: index of slice {i} exceeded limits of shape; index is {int(indices[i])} exceeded "
                    f"{dims[0]}"
                )
        if not self.count:
            _check_dims("values", "at least ", dims, values.shape, 1)
            return
        have = self.total[1].shape
        if len(have) != values.ndim:
            raise invalid(f"Shape mismatch: expected values rank {len(have)}, got {values.ndim}")
        _check_dims("values", "", have, values.shape, 1)

    def copied(self, gradient: Any) -> Any:
        indices, values, _ = gradient
        return indices.clone(), values.clone(), torch.ones(len(indices), dtype=torch.int64)

    def added(self, gradient: Any) -> Any:
        indices, values, _ = gradient
        have, total, counts = self.total
        merged, old, new = _merged(have, indices)
        sums = values.new_zeros((len(merged), *values.shape[1:]))
        times = torch.zeros(len(merged), dtype=torch.int64)
        sums[old], times[old] = total, counts
        sums.index_add_(0, new, values)
        times[new] += 1
        return merged, sums, times

    def averaged(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        rows, total, counts = self.total
        if self.mean:
            total = _divided(total, counts.view(-1, *[1] * (total.ndim - 1)))
        # How many rows there are only the accumulator knows, where it does.
        count = self.dims[0] if self.dims else None
        return rows, total, torch.tensor([-1 if count is None else count, *total.shape[1:]], dtype=torch.int64)


class _TakeAttempt(Attempt):
    """Waiting for enough gradients."""

    __slots__ = ("required",)

    cancelled = "TakeGrad operation was cancelled"
    state: Accumulator

    def __init__(self, accumulator: Accumulator, required: int) -> None:
        super().__init__(accumulator, accumulator.lanes[0])
        self.required = required

    def advance(self) -> bool:
        accumulator = self.state
        if accumulator.count < self.required:
            return False
        result = accumulator.averaged()
        accumulator.count = 0
        accumulator.total = None
        accumulator.step += 1
        self.finish(result)
        return True


def _declare(op_type: str, handle: str, kind: type[Accumulator]) -> OpDecl:
    decl = op(op_type, f"*, {_ATTRS} -> handle: {handle}", stateful=True)
    # 1.15 says so of both forms.
    decl.shape(lambda op: [(2,)])

    @decl.binding
    def binding(node: NodeView) -> list[Accumulator]:
        attrs = node.attrs

        def make(name: str) -> Accumulator:
            return kind(name, attrs["dtype"], attrs["shape"], attrs["reduction_type"] == "MEAN")

        found = shared_state(node, "accumulator", make)
        if type(found) is not kind or found.dtype is not attrs["dtype"] or found.dims != attrs["shape"]:
            error = invalid(f"Shared conditional accumulator '{found.name}' has another type or shape than requested")
            raise error.attach(node.origin)
        return [found]

    return decl


conditional = (
    _declare("ConditionalAccumulator", "ref string", Accumulator),
    _declare("ResourceConditionalAccumulator", "resource", Accumulator),
)
sparse_conditional = _declare("SparseConditionalAccumulator", "ref string", SparseAccumulator)


num_accumulated = declare_pair(
    "AccumulatorNumAccumulated",
    "ResourceAccumulatorNumAccumulated",
    "handle: HANDLE -> num_accumulated: int32",
    no_gradient="neither",
)
set_global_step = declare_pair(
    "AccumulatorSetGlobalStep",
    "ResourceAccumulatorSetGlobalStep",
    "handle: HANDLE, new_global_step: int64 ->",
    no_gradient="neither",
)
apply_gradient = declare_pair(
    "AccumulatorApplyGradient",
    "ResourceAccumulatorApplyGradient",
    "handle: HANDLE, local_step: int64, gradient: dtype, *, dtype: numeric ->",
    no_gradient="neither",
)
take_gradient = declare_pair(
    "AccumulatorTakeGradient",
    "ResourceAccumulatorTakeGradient",
    "handle: HANDLE, num_required: int32, *, dtype: numeric -> average: dtype",
    no_gradient="neither",
)
sparse_apply = op(
    "SparseAccumulatorApplyGradient",
    "handle: ref string, local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64, *, "
    "dtype: numeric, has_known_shape: bool ->",
)
sparse_take = op(
    "SparseAccumulatorTakeGradient",
    "handle: ref string, num_required: int32, *, dtype: numeric -> indices: int64, values: dtype, shape: int64",
)
for _decl in (sparse_apply, sparse_take):
    _decl.stateful = True
for _decl in (*take_gradient, sparse_take):
    _decl.on_host("num_required", outputs=True).waits()
for _decl in (*apply_gradient, *set_global_step, sparse_apply):
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]))
    _decl.shape(lambda op: [])


@both("shape", *num_accumulated)
def num_accumulated_shape(op: Operation) -> list[Dims]:
    return [()]


@both("kernel", *num_accumulated)
def num_accumulated_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda accumulator: torch.tensor(accumulator.count, dtype=torch.int32)


@both("kernel", *set_global_step)
def set_global_step_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda accumulator, step: accumulator.set_step(int(step))


@both("kernel", *apply_gradient)
def apply_gradient_kernel(node: NodeView) -> Callable[..., Any]:
    return lambda accumulator, step, gradient: accumulator.apply(int(step), gradient)


@sparse_apply.kernel
def sparse_apply_kernel(node: NodeView) -> Callable[..., Any]:
    known = node.attrs["has_known_shape"]

    def apply(
        accumulator: SparseAccumulator,
        step: torch.Tensor,
        indices: torch.Tensor,
        values: torch.Tensor,
        shape: torch.Tensor,
    ) -> None:
        accumulator.apply(int(step), (indices, values, shape.tolist() if known else None))

    return apply


@both("kernel", *take_gradient, sparse_take)
def take_gradient_kernel(node: NodeView) -> Callable[..., Any]:
    wait = node.runtime.waits.wait

    def start(accumulator: Accumulator, required: torch.Tensor) -> Attempt:
        count = int(required)
        if count <= 0:
            raise invalid(f"Argument num_required must be positive, but was {count}")
        return accumulator.submit(_TakeAttempt(accumulator, count))

    def take(
        accumulator: Accumulator, required: torch.Tensor
    ) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return wait(start(accumulator, required))

    take.start = start  # type: ignore[attr-defined]  # `plan.waiting` calls it
    return take


# ---- examples ----


def _declare_cases(form: int, prefix: str) -> None:
    """The cases of one form, whose types begin with `prefix`."""
    kind = {"dtype": "float32", "shape": [2]}
    accumulator = made(prefix + "ConditionalAccumulator", **kind)
    applied, another = (made(prefix + "AccumulatorApplyGradient", accumulator, np.int64(1), [2]) for _ in range(2))
    count = made(prefix + "AccumulatorNumAccumulated", accumulator)
    taken = made(prefix + "AccumulatorTakeGradient", result, np.int32(2), dtype="float32")
    fill = [made(prefix + "AccumulatorApplyGradient", result, np.int64(1), [2]) for _ in range(2)]
    for reduction in ("MEAN", "SUM"):
        conditional[form].accepts(shared_name="kept", reduction_type=reduction, after=[*fill, taken], **kind)
    num_accumulated[form].accepts(accumulator).accepts(accumulator, before=[applied])
    set_global_step[form].accepts(accumulator, np.int64(1), after=[applied, count])
    # What is applied comes too late.
    set_global_step[form].accepts(accumulator, np.int64(2), after=[applied, count])
    apply_gradient[form].accepts(accumulator, np.int64(0), [2], before=[applied], after=[count])
    apply_gradient[form].rejects(accumulator, np.int64(0), [3], error=InvalidArgumentError)
    take_gradient[form].accepts(accumulator, np.int32(1), before=[applied, another], after=[count], dtype="float32")
    take_gradient[form].rejects(accumulator, np.int32(0), dtype="float32", error=InvalidArgumentError)


_declare_cases(0, "")
_declare_cases(1, "Resource")


def _declare_sparse_cases() -> None:
    kind, step, shape = {"dtype": "float32", "shape": [4, 2]}, np.int64(0), np.array([4, 2])
    accumulator = made("SparseConditionalAccumulator", **kind)
    slices = step, np.array([0, 2]), [2, 2], shape
    applied = made("SparseAccumulatorApplyGradient", accumulator, *slices, has_known_shape=True)
    other = step, np.array([2, 3]), [2, 2], shape
    another = made("SparseAccumulatorApplyGradient", accumulator, *other, has_known_shape=True)
    taken = made("SparseAccumulatorTakeGradient", accumulator, np.int32(1), dtype="float32")
    sparse_conditional.accepts(
        shared_name="kept",
        after=[
            made("SparseAccumulatorApplyGradient", result, *slices, has_known_shape=True),
            made("SparseAccumulatorTakeGradient", result, np.int32(1), dtype="float32"),
        ],
        **kind,
    )
    sparse_apply.accepts(accumulator, *slices, has_known_shape=True, after=[taken])
    sparse_apply.accepts(accumulator, *slices[:3], np.array([], np.int64), has_known_shape=False, after=[taken])
    sparse_apply.rejects(accumulator, *slices[:2], [3, 2], shape, has_known_shape=True, error=InvalidArgumentError)
    sparse_take.accepts(accumulator, np.int32(2), dtype="float32", before=[applied, another])


_declare_sparse_cases()
