"""The ops that add up gradients and Hessians by partition and feature: StatsAccumulator, of numbers and of tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.partition_sums import PartitionSums, SumsAccumulator, summed

_HANDLE = "stats_accumulator_handle: resource"
_STAMPED = f"{_HANDLE}, stamp_token: int64"
_ROWS = "partition_ids: int32, feature_ids: int64, gradients: float, hessians: float"
_OUTPUTS = "output_partition_ids: int32, output_feature_ids: int64, output_gradients: float, output_hessians: float"
_LISTS = _ROWS.replace(": ", ": num_resource_handles * ")


handle_ops = [
    op(name, "*, container='', shared_name='' -> resource: resource", stateful=True)
    for name in ("StatsAccumulatorScalarResourceHandleOp", "StatsAccumulatorTensorResourceHandleOp")
]
create_scalar_op = op("CreateStatsAccumulatorScalar", f"{_STAMPED} ->", stateful=True)
create_tensor_op = op(
    "CreateStatsAccumulatorTensor",
    f"{_STAMPED}, per_slot_gradient_shape: int64, per_slot_hessian_shape: int64 ->",
    stateful=True,
)
_ADD = (
    "stats_accumulator_handles: num_resource_handles * resource, stamp_token: int64, "
    f"{_LISTS}, *, num_resource_handles: int >= 1 ->"
)
add_ops = [op(name, _ADD, stateful=True) for name in ("StatsAccumulatorScalarAdd", "StatsAccumulatorTensorAdd")]
flush_ops = [
    op(name, f"{_STAMPED}, next_stamp_token: int64 -> num_updates: int64, {_OUTPUTS}", stateful=True)
    for name in ("StatsAccumulatorScalarFlush", "StatsAccumulatorTensorFlush")
]
serialize_ops = [
    op(name, f"{_HANDLE} -> stamp_token: int64, num_updates: int64, {_OUTPUTS}", stateful=True)
    for name in ("StatsAccumulatorScalarSerialize", "StatsAccumulatorTensorSerialize")
]
deserialize_ops = [
    op(name, f"{_STAMPED}, num_updates: int64, {_ROWS} ->", stateful=True)
    for name in ("StatsAccumulatorScalarDeserialize", "StatsAccumulatorTensorDeserialize")
]
initialized_ops = [
    op(name, f"{_HANDLE} -> is_initialized: bool", stateful=True)
    for name in ("StatsAccumulatorScalarIsInitialized", "StatsAccumulatorTensorIsInitialized")
]
summary_ops = [
    op(name, f"{_ROWS} -> {_OUTPUTS}")
    for name in ("StatsAccumulatorScalarMakeSummary", "StatsAccumulatorTensorMakeSummary")
]
for _decl in (create_scalar_op, create_tensor_op, *add_ops, *flush_ops, *deserialize_ops):
    _decl.writes(_decl.signature.inputs[0].name)
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]), outputs=True)
for _decl in (*serialize_ops, *initialized_ops):
    _decl.on_host(outputs=True).reads("stats_accumulator_handle")
for _decl in summary_ops:
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs), outputs=True)


def _keys(partitions: np.ndarray, features: np.ndarray) -> np.ndarray:
    if len(partitions) != len(features):
        raise InvalidArgumentError(
            None, None, f"There are {len(partitions)} partition_ids, but {len(features)} feature_ids: expected as many"
        )
    return np.concatenate((partitions[:, None].astype(np.int64), features), 1)


def _outputs(sums: PartitionSums) -> tuple[torch.Tensor, ...]:
    partitions = sums.keys[:, 0].astype(np.int32)
    features = np.ascontiguousarray(sums.keys[:, 1:])
    return to_tensor(partitions), to_tensor(features), to_tensor(sums.gradients), to_tensor(sums.hessians)


def _check_rows(accumulator: SumsAccumulator, gradients: np.ndarray, hessians: np.ndarray) -> None:
    for name, rows, shape in (
        ("Gradients", gradients, accumulator.gradient_shape),
        ("Hessian", hessians, accumulator.hessian_shape),
    ):
        if rows.shape[1:] != shape:
            raise InvalidArgumentError(
                None, None, f"{name} dimensions must match: got {list(rows.shape[1:])}, expected {list(shape)}"
            )


def _add(accumulator: SumsAccumulator, rows: Sequence[torch.Tensor]) -> None:
    partitions, features, gradients, hessians = (to_array(value) for value in rows)
    _check_rows(accumulator, gradients, hessians)
    accumulator.add(_keys(partitions, features), gradients, hessians)


def _declare_rules(number: int, kind: str) -> None:
    """The rules of the ops of one kind: those of numbers, or those of tensors."""
    rest: list[tuple[int | None, ...] | None] = [None, None, None] if number else [None, (None,), (None,)]
    handle_ops[number].shape(lambda op: [()])
    initialized_ops[number].shape(ranked(0)(lambda op: [()]))
    flush_ops[number].shape(ranked(0, 0, 0)(lambda op: [(), (None,), *rest]))
    serialize_ops[number].shape(ranked(0)(lambda op: [(), (), (None,), *rest]))
    deserialize_ops[number].shape(ranked(0, 0, 0)(lambda op: []))
    summary_ops[number].shape(lambda op: [None] * 4)

    @handle_ops[number].kernel
    def handle_kernel(node):
        accumulator = shared_state(node, f"sums of {kind}", lambda name: SumsAccumulator(f"stats accumulator {name}"))
        return lambda: accumulator

    @initialized_ops[number].kernel
    def initialized_kernel(node):
        return lambda accumulator: torch.tensor(accumulator.is_created)

    @add_ops[number].kernel
    def add_kernel(node):
        count = node.attrs["num_resource_handles"]

        def add(*inputs):
            handles, stamp, lists = inputs[:count], int(inputs[count]), inputs[count + 1 :]
            for place, accumulator in enumerate(handles):
                with accumulator.checked().lock:
                    # What comes too late, or too early, is of no use.
                    if accumulator.is_current(stamp):
                        _add(accumulator, lists[place::count])
            return ()

        return add

    @flush_ops[number].kernel
    def flush_kernel(node):
        def flush(accumulator, stamp, following):
            with accumulator.checked().lock:
                accumulator.advance(int(stamp), int(following))
                found = torch.tensor(accumulator.updates), *_outputs(accumulator.sums)
                accumulator.clear()
            return found

        return flush

    @serialize_ops[number].kernel
    def serialize_kernel(node):
        def serialize(accumulator):
            with accumulator.checked().lock:
                return (
                    torch.tensor(accumulator.stamp),
                    torch.tensor(accumulator.updates),
                    *_outputs(accumulator.sums),
                )

        return serialize

    @deserialize_ops[number].kernel
    def deserialize_kernel(node):
        def deserialize(accumulator, stamp, updates, *rows):
            partitions, features, gradients, hessians = (to_array(value) for value in rows)
            with accumulator.checked().lock:
                sums = PartitionSums(_keys(partitions, features), gradients, hessians)
                accumulator.replace(int(stamp), int(updates), sums)
            return ()

        return deserialize

    @summary_ops[number].kernel
    def summary_kernel(node):
        def summarize(*rows):
            partitions, features, gradients, hessians = (to_array(value) for value in rows)
            return _outputs(summed(_keys(partitions, features), gradients, hessians))

        return summarize


for _number, _kind in enumerate(("Scalar", "Tensor")):
    _declare_rules(_number, _kind)


@add_ops[0].shape
def add_scalar_shape(op):
    count = op.attrs["num_resource_handles"]
    for place, rank in enumerate((1, 2, 1, 1)):
        for value in op.inputs[count + 1 + place * count : count + 1 + (place + 1) * count]:
            check_rank(value.dims, rank)
    for place in range(count):
        rows = {op.inputs[count + 1 + part * count + place].dims for part in (0, 2, 3)}
        known = {dims for dims in rows if dims is not None and dims[0] is not None}
        if len(known) > 1:
            raise ValueError(f"Dimensions must be equal, but are {sorted(dims[0] for dims in known if dims)}")
    return []


@add_ops[1].shape
def add_tensor_shape(op):
    count = op.attrs["num_resource_handles"]
    for place, rank in enumerate((1, 2, (2, None), (2, None))):
        for value in op.inputs[count + 1 + place * count : count + 1 + (place + 1) * count]:
            check_rank(value.dims, rank)
    return []


@create_scalar_op.shape
@ranked(0, 0)
def create_scalar_shape(op):
    return []


@create_tensor_op.shape
@ranked(0, 0, 1, 1)
def create_tensor_shape(op):
    return []


@create_scalar_op.kernel
def create_scalar_kernel(node):
    def create(accumulator, stamp):
        accumulator.create(int(stamp))
        return ()

    return create


@create_tensor_op.kernel
def create_tensor_kernel(node):
    def create(accumulator, stamp, gradient_shape, hessian_shape):
        accumulator.create(int(stamp), tuple(gradient_shape.tolist()), tuple(hessian_shape.tolist()))
        return ()

    return create


# ---- examples ----

_SCALAR, _TENSOR = (made(decl.type) for decl in handle_ops)
_CREATED = made(create_scalar_op.type, _SCALAR, np.int64(5))
_CREATED_TENSOR = made(create_tensor_op.type, _TENSOR, np.int64(5), np.array([2]), np.array([2, 2]))
_IDS = np.array([2, 1, 2], np.int32), np.array([[1, 0], [3, 1], [1, 0]])
_NUMBERS = np.array([1, 2, 4], np.float32), np.array([1, 2, 5], np.float32)
_TENSORS = np.arange(6, dtype=np.float32).reshape(3, 2), np.arange(12, dtype=np.float32).reshape(3, 2, 2)
_ROWS_OF = [(_SCALAR, _CREATED, (*_IDS, *_NUMBERS)), (_TENSOR, _CREATED_TENSOR, (*_IDS, *_TENSORS))]
create_scalar_op.accepts(_SCALAR, np.int64(5), after=[made(serialize_ops[0].type, _SCALAR)])
create_tensor_op.accepts(
    _TENSOR, np.int64(5), np.array([2]), np.array([2, 2]), after=[made(serialize_ops[1].type, _TENSOR)]
)
for _number, (_made, _create, _rows) in enumerate(_ROWS_OF):
    _lists = [[value] for value in _rows]
    _added_before = [_create, made(add_ops[_number].type, [_made], np.int64(5), *_lists)]
    _after = [made(serialize_ops[_number].type, _made)]
    handle_ops[_number].accepts(shared_name="sums", after=[made(initialized_ops[_number].type, result)])
    add_ops[_number].accepts([_made], np.int64(5), *_lists, before=[_create], after=_after)
    add_ops[_number].accepts([_made], np.int64(4), *_lists, before=[_create], after=_after)
    add_ops[_number].rejects([_made], np.int64(5), *_lists, error=NotFoundError)
    flush_ops[_number].accepts(_made, np.int64(5), np.int64(6), before=_added_before, after=_after)
    flush_ops[_number].rejects(
        _made, np.int64(4), np.int64(6), before=[_create], error=InvalidArgumentError, differs="1.15 ends the process"
    )
    serialize_ops[_number].accepts(_made, before=_added_before)
    deserialize_ops[_number].accepts(_made, np.int64(8), np.int64(3), *_rows, before=[_create], after=_after)
    initialized_ops[_number].accepts(_made).accepts(_made, before=[_create])
    summary_ops[_number].accepts(*_rows)
