"""The ops of `tf.contrib.boosted_trees` that find the boundaries of buckets: QuantileAccumulator, and what stands beside it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import boxed, to_array, to_tensor
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.quantile_states import StampedQuantiles, parsed_config, parsed_summary, summary_bytes
from headrace.kernels.trees.quantile_summary import QuantileStream

_HANDLE = "quantile_accumulator_handle: resource"
_STAMPED = f"{_HANDLE}, stamp_token: int64"
_STATE = "stream_state: string, are_buckets_ready: bool, buckets: float"
_FEATURES = (
    "dense_float_features: num_dense_features * float, sparse_float_feature_indices: num_sparse_features * int64, "
    "sparse_float_feature_values: num_sparse_features * float, sparse_float_feature_shapes: num_sparse_features * int64, "
    "example_weights: float"
)
_COUNTS = "num_dense_features: int >= 0, num_sparse_features: int >= 0"
handle_op = op("QuantileStreamResourceHandleOp", "*, container='', shared_name='' -> resource: resource", stateful=True)
create_op = op(
    "CreateQuantileAccumulator",
    f"{_STAMPED}, *, container='', shared_name='', max_elements=1099511627776, epsilon: float, num_quantiles: int, "
    "generate_quantiles=False ->",
    stateful=True,
)
initialized_op = op("QuantileAccumulatorIsInitialized", f"{_HANDLE} -> is_initialized: bool", stateful=True)
add_op = op(
    "QuantileAccumulatorAddSummaries",
    "quantile_accumulator_handles: num_resource_handles * resource, stamp_token: int64, "
    "summaries: num_resource_handles * string, *, num_resource_handles: int >= 1 ->",
    stateful=True,
)
buckets_op = op(
    "QuantileAccumulatorGetBuckets",
    "quantile_accumulator_handles: num_resource_handles * resource, stamp_token: int64, *, "
    "num_resource_handles: int >= 1 -> are_buckets_ready: num_resource_handles * bool, "
    "buckets: num_resource_handles * float",
    stateful=True,
)
flush_op = op("QuantileAccumulatorFlush", f"{_STAMPED}, next_stamp_token: int64 ->", stateful=True)
flush_summary_op = op(
    "QuantileAccumulatorFlushSummary", f"{_STAMPED}, next_stamp_token: int64 -> output: string", stateful=True
)
serialize_op = op("QuantileAccumulatorSerialize", f"{_HANDLE} -> stamp_token: int64, {_STATE}", stateful=True)
deserialize_op = op("QuantileAccumulatorDeserialize", f"{_STAMPED}, {_STATE} ->", stateful=True)
summaries_op = op(
    "MakeQuantileSummaries",
    f"{_FEATURES}, *, {_COUNTS}, epsilon: float -> "
    "dense_summaries: num_dense_features * string, sparse_summaries: num_sparse_features * string",
)
quantile_buckets_op = op(
    "QuantileBuckets",
    f"{_FEATURES}, *, {_COUNTS}, dense_config: list(string), sparse_config: list(string) -> "
    "dense_buckets: num_dense_features * float, sparse_buckets: num_sparse_features * float",
)
quantiles_op = op(
    "Quantiles",
    "dense_values: num_dense_features * float, sparse_values: num_sparse_features * float, "
    "dense_buckets: num_dense_features * float, sparse_buckets: num_sparse_features * float, "
    f"sparse_indices: num_sparse_features * int64, *, {_COUNTS} -> dense_quantiles: num_dense_features * int32, "
    "sparse_quantiles: num_sparse_features * int32",
)
bucketize_op = op(
    "BucketizeWithInputBoundaries", "input: T, boundaries: float, *, T: {int32, int64, float, double} -> output: int32"
)
for _decl in (create_op, add_op, flush_op, flush_summary_op, deserialize_op):
    _decl.writes(_decl.signature.inputs[0].name)
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]), outputs=True)
for _decl in (initialized_op, serialize_op):
    _decl.on_host(outputs=True).reads("quantile_accumulator_handle")
buckets_op.on_host("stamp_token", outputs=True).reads("quantile_accumulator_handles").fresh()
for _decl in (summaries_op, quantile_buckets_op, quantiles_op):
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs), outputs=True)
bucketize_op.on_host("boundaries")
handle_op.shape(lambda op: [()])
initialized_op.shape(ranked(0)(lambda op: [()]))


@handle_op.kernel
def handle_kernel(node):
    accumulator = shared_state(node, "stamped quantiles", lambda name: StampedQuantiles(f"quantile accumulator {name}"))
    return lambda: accumulator


@initialized_op.kernel
def initialized_kernel(node):
    return lambda accumulator: torch.tensor(accumulator.is_created)


@create_op.shape
@ranked(0, 0)
def create_shape(op):
    return []


@create_op.kernel
def create_kernel(node):
    attrs = node.attrs

    def create(accumulator, stamp):
        accumulator.create(
            int(stamp), attrs["epsilon"], attrs["num_quantiles"], attrs["max_elements"], attrs["generate_quantiles"]
        )
        return ()

    return create


@add_op.shape
def add_shape(op):
    for summary in op.inputs[op.attrs["num_resource_handles"] + 1 :]:
        check_rank(summary.dims, 0)
    return []


@add_op.kernel
def add_kernel(node):
    count = node.attrs["num_resource_handles"]

    def add(*inputs):
        stamp = int(inputs[count])
        for accumulator, serialized in zip(inputs[:count], inputs[count + 1 :], strict=True):
            with accumulator.checked().lock:
                # What comes too late, or too early, is of no use.
                if accumulator.is_current(stamp):
                    accumulator.stream.push_summary(parsed_summary(boxed(serialized).item()))
        return ()

    return add


@buckets_op.shape
def buckets_shape(op):
    count = op.attrs["num_resource_handles"]
    return [()] * count + [(None,)] * count


@buckets_op.kernel
def buckets_kernel(node):
    count = node.attrs["num_resource_handles"]

    def get(*inputs):
        stamp = int(inputs[count])
        ready, found = [], []
        for accumulator in inputs[:count]:
            with accumulator.checked().lock:
                is_ready = accumulator.is_ready and accumulator.is_current(stamp)
                ready.append(torch.tensor(is_ready))
                found.append(to_tensor(accumulator.buckets.copy()) if is_ready else torch.zeros(0))
        return (*ready, *found)

    return get


@flush_op.shape
@ranked(0, 0, 0)
def flush_shape(op):
    return []


@flush_op.kernel
def flush_kernel(node):
    def flush(accumulator, stamp, following):
        with accumulator.checked().lock:
            accumulator.advance(int(stamp), int(following))
            accumulator.flush()
        return ()

    return flush


@flush_summary_op.shape
@ranked(0, 0, 0)
def flush_summary_shape(op):
    return [()]


@flush_summary_op.kernel
def flush_summary_kernel(node):
    def flush(accumulator, stamp, following):
        with accumulator.checked().lock:
            accumulator.advance(int(stamp), int(following))
            summary = summary_bytes(accumulator.stream.finished())
            accumulator.restart()
        return boxed(summary)

    return flush


@serialize_op.shape
@ranked(0)
def serialize_shape(op):
    return [None] * 4


@serialize_op.kernel
def serialize_kernel(node):
    def serialize(accumulator):
        with accumulator.checked().lock:
            return (
                torch.tensor(accumulator.stamp),
                boxed(accumulator.stream_bytes()),
                torch.tensor(accumulator.is_ready),
                to_tensor(accumulator.buckets.copy()),
            )

    return serialize


@deserialize_op.shape
@ranked(0, 0, 0, 0, 1)
def deserialize_shape(op):
    return []


@deserialize_op.kernel
def deserialize_kernel(node):
    def deserialize(accumulator, stamp, state, ready, buckets):
        with accumulator.checked().lock:
            accumulator.replace(int(stamp), boxed(state).item(), bool(ready), to_array(buckets).copy())
        return ()

    return deserialize


def _streams(inputs: Sequence[torch.Tensor], dense: int, sparse: int, errors: Sequence[float]) -> list[QuantileStream]:
    """A stream of each feature's values, weighted by those of their examples."""
    weights = to_array(inputs[-1]).reshape(-1)
    rows = len(weights)
    features = [(to_array(values).reshape(-1), weights) for values in inputs[:dense]]
    indices, values = inputs[dense : dense + sparse], inputs[dense + sparse : dense + 2 * sparse]
    for places, found in zip(indices, values, strict=True):
        features.append((to_array(found), weights[to_array(places)[:, 0]]))
    streams = []
    for (found, weight), error in zip(features, errors, strict=True):
        stream = QuantileStream(error, rows + 1)
        stream.push(found, weight)
        streams.append(stream)
    return streams


def _check_features(op) -> None:
    dense, sparse = op.attrs["num_dense_features"], op.attrs["num_sparse_features"]
    ranks = (2,) * dense + (2,) * sparse + (1,) * (2 * sparse) + (2,)
    for value, rank in zip(op.inputs, ranks, strict=True):
        check_rank(value.dims, rank)


@summaries_op.shape
def summaries_shape(op):
    _check_features(op)
    return [()] * (op.attrs["num_dense_features"] + op.attrs["num_sparse_features"])


@summaries_op.kernel
def summaries_kernel(node):
    dense, sparse, error = (node.attrs[name] for name in ("num_dense_features", "num_sparse_features", "epsilon"))

    def summarize(*inputs):
        streams = _streams(inputs, dense, sparse, [error] * (dense + sparse))
        return tuple(boxed(summary_bytes(stream.finished())) for stream in streams)

    return summarize


@quantile_buckets_op.shape
def quantile_buckets_shape(op):
    _check_features(op)
    return [None] * (op.attrs["num_dense_features"] + op.attrs["num_sparse_features"])


@quantile_buckets_op.kernel
def quantile_buckets_kernel(node):
    dense, sparse = node.attrs["num_dense_features"], node.attrs["num_sparse_features"]
    configs = [parsed_config(text) for text in (*node.attrs["dense_config"], *node.attrs["sparse_config"])]

    def buckets(*inputs):
        streams = _streams(inputs, dense, sparse, [config.eps for config in configs])
        return tuple(
            to_tensor(stream.finished().boundaries(config.num_quantiles))
            for stream, config in zip(streams, configs, strict=True)
        )

    return buckets


@quantiles_op.shape
def quantiles_shape(op):
    dense, sparse = op.attrs["num_dense_features"], op.attrs["num_sparse_features"]
    values = op.inputs[: dense + sparse]
    for value in values:
        check_rank(value.dims, 1 if value.dims is None else (1, 2))
    return [(value.dims[0] if value.dims else None, 2) for value in values]


def _numbered(values: np.ndarray, boundaries: np.ndarray, dimensions: np.ndarray) -> torch.Tensor:
    """The bucket of each value, the last one for what lies behind it, beside the dimension it is of."""
    if not len(boundaries) and len(values):
        raise InvalidArgumentError(None, None, "There are values, but no buckets to sort them into")
    found = np.minimum(np.searchsorted(boundaries, values, "left"), len(boundaries) - 1)
    return to_tensor(np.stack((found, dimensions), 1).astype(np.int32))


@quantiles_op.kernel
def quantiles_kernel(node):
    dense, sparse = node.attrs["num_dense_features"], node.attrs["num_sparse_features"]
    count = dense + sparse

    def quantiles(*inputs):
        arrays = [to_array(value) for value in inputs]
        values = [value.reshape(-1) for value in arrays[:count]]
        dimensions = [np.zeros(len(value), np.int64) for value in values[:dense]]
        dimensions += [indices[:, 1] for indices in arrays[2 * count :]]
        return tuple(
            _numbered(value, boundaries, dimension)
            for value, boundaries, dimension in zip(values, arrays[count : 2 * count], dimensions, strict=True)
        )

    return quantiles


@bucketize_op.shape
def bucketize_shape(op):
    return [op.inputs[0].dims]


@bucketize_op.kernel
def bucketize_kernel(node):
    def bucketize(values, boundaries):
        if any(later < earlier for earlier, later in itertools.pairwise(boundaries.tolist())):
            raise InvalidArgumentError(None, None, "Expected sorted boundaries")
        kept = boundaries.to(torch.float64)
        return torch.searchsorted(kept, values.to(torch.float64), right=True, out_int32=True)

    return bucketize


# ---- examples ----

_MADE = made(handle_op.type)
_HOW = {"epsilon": 0.1, "num_quantiles": 3}
_CREATED = made(create_op.type, _MADE, np.int64(0), **_HOW)
_EXACT = made(create_op.type, _MADE, np.int64(0), generate_quantiles=True, **_HOW)
_DENSE = [np.array([[1], [2], [3], [5], [2]], np.float32)]
_SPARSE = [np.array([[0, 0], [2, 0]])], [np.array([3, 4], np.float32)], [np.array([5, 1])]
_WEIGHTS = np.array([[1], [2], [1], [1], [0.5]], np.float32)
_SUMMARY = made(summaries_op.type, _DENSE, *_SPARSE, _WEIGHTS, epsilon=0.1)
_ADDED = made(add_op.type, [_MADE], np.int64(0), [_SUMMARY])
_BEFORE = [_CREATED, _ADDED]
_GET, _KEPT = made(buckets_op.type, [_MADE], np.int64(1)), made(serialize_op.type, _MADE)
handle_op.accepts(shared_name="quantiles", after=[made(initialized_op.type, result)])
create_op.accepts(_MADE, np.int64(3), **_HOW, after=[_KEPT])
initialized_op.accepts(_MADE).accepts(_MADE, before=[_CREATED])
add_op.accepts([_MADE], np.int64(0), [_SUMMARY], before=[_CREATED], after=[_KEPT])
add_op.accepts([_MADE], np.int64(2), [_SUMMARY], before=[_CREATED], after=[_KEPT])
add_op.rejects([_MADE], np.int64(0), [_SUMMARY], error=NotFoundError)
buckets_op.accepts([_MADE], np.int64(0), before=[_CREATED])
buckets_op.accepts([_MADE], np.int64(1), before=[*_BEFORE, made(flush_op.type, _MADE, np.int64(0), np.int64(1))])
flush_op.accepts(_MADE, np.int64(0), np.int64(1), before=_BEFORE, after=[_GET, _KEPT])
flush_op.accepts(_MADE, np.int64(0), np.int64(1), before=[_EXACT, _ADDED], after=[_GET, _KEPT])
flush_op.rejects(
    _MADE, np.int64(2), np.int64(3), before=_BEFORE, error=InvalidArgumentError, differs="1.15 ends the process"
)
flush_summary_op.accepts(_MADE, np.int64(0), np.int64(1), before=_BEFORE, after=[_GET, _KEPT])
serialize_op.accepts(_MADE, before=_BEFORE)
deserialize_op.accepts(
    _MADE, np.int64(7), b"\n\x00", np.bool_(True), np.array([1, 2], np.float32), before=[_CREATED], after=[_KEPT]
)
summaries_op.accepts(_DENSE, *_SPARSE, _WEIGHTS, epsilon=0.1)
_CONFIG = b"\x09\x9a\x99\x99\x99\x99\x99\xb9\x3f\x10\x03"
quantile_buckets_op.accepts(_DENSE, *_SPARSE, _WEIGHTS, dense_config=[_CONFIG], sparse_config=[_CONFIG])
quantiles_op.accepts(
    [np.array([1, 2, 3, 0.1, 9], np.float32)],
    [np.array([3, 6, 2], np.float32)],
    [np.array([1, 2, 5], np.float32)],
    [np.array([1, 4, 5], np.float32)],
    [np.array([[0, 0], [2, 0], [3, 1]])],
)
bucketize_op.accepts(np.array([1, 2, 3, 0, 9], np.float32), np.array([1, 2, 5], np.float32))
bucketize_op.accepts(np.array([[1, 2], [3, 9]], np.int32), np.array([1, 2, 5], np.float32))
bucketize_op.rejects(np.array([1, 2], np.int32), np.array([1, 5, 2], np.float32), error=InvalidArgumentError)
