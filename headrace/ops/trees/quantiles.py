"""The ops that find the boundaries of buckets: quantile sketches of features, kept between steps."""

from __future__ import annotations

import threading

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.queues.handles import shared_state
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.quantile_summary import QuantileStream, QuantileSummary

_HANDLE = "quantile_stream_resource_handle: resource"
handle_op = op(
    "BoostedTreesQuantileStreamResourceHandleOp", "*, container='', shared_name='' -> resource: resource", stateful=True
)
create_op = op(
    "BoostedTreesCreateQuantileStreamResource",
    f"{_HANDLE}, epsilon: float, num_streams: int64, *, max_elements=1099511627776 ->",
    stateful=True,
)
add_op = op(
    "BoostedTreesQuantileStreamResourceAddSummaries",
    f"{_HANDLE}, summaries: num_features * float, *, num_features: int ->",
    stateful=True,
)
flush_op = op(
    "BoostedTreesQuantileStreamResourceFlush",
    f"{_HANDLE}, num_buckets: int64, *, generate_quantiles=False ->",
    stateful=True,
)
boundaries_op = op(
    "BoostedTreesQuantileStreamResourceGetBucketBoundaries",
    f"{_HANDLE}, *, num_features: int -> bucket_boundaries: num_features * float",
    stateful=True,
)
deserialize_op = op(
    "BoostedTreesQuantileStreamResourceDeserialize",
    f"{_HANDLE}, bucket_boundaries: num_streams * float, *, num_streams: int >= 1 ->",
    stateful=True,
)
initialized_op = op(
    "IsBoostedTreesQuantileStreamResourceInitialized", f"{_HANDLE} -> is_initialized: bool", stateful=True
)
take_op = op(
    "BoostedTreesFlushQuantileSummaries",
    f"{_HANDLE}, *, num_features: int -> summaries: num_features * float",
    stateful=True,
)
summaries_op = op(
    "BoostedTreesMakeQuantileSummaries",
    "float_values: num_features * float, example_weights: float, epsilon: float, *, num_features: int -> "
    "summaries: num_features * float",
)
bucketize_op = op(
    "BoostedTreesBucketize",
    "float_values: num_features * float, bucket_boundaries: num_features * float, *, num_features: int -> "
    "buckets: num_features * int32",
)
create_op.on_host("epsilon", "num_streams")
add_op.on_host("summaries")
flush_op.on_host("num_buckets")
deserialize_op.on_host("bucket_boundaries")
for _decl in (create_op, add_op, flush_op, deserialize_op, take_op):
    _decl.writes("quantile_stream_resource_handle")
for _decl in (boundaries_op, initialized_op):
    _decl.on_host(outputs=True).reads("quantile_stream_resource_handle")
take_op.on_host(outputs=True)
summaries_op.on_host("float_values", "example_weights", "epsilon", outputs=True)
bucketize_op.on_host("bucket_boundaries")
_FLOAT = np.float32


class QuantileAccumulator:
    """Streams of values, one a feature, and the boundaries that were made of them last."""

    def __init__(self) -> None:
        self.is_created = False
        self.is_ready = False
        self.error, self.max_elements = 0.0, 0
        self.streams: list[QuantileStream] = []
        self.boundaries: list[np.ndarray] = []
        self.lock = threading.RLock()

    def create(self, error: float, streams: int, max_elements: int) -> None:
        """Makes the streams, unless they are there."""
        with self.lock:
            if self.is_created:
                return
            self.error, self.max_elements = error, max_elements
            self.boundaries = [np.zeros(0, _FLOAT)] * streams
            self.is_created = True
            self.restart()

    def checked(self) -> QuantileAccumulator:
        """Itself; NotFoundError where it has not been created."""
        if not self.is_created:
            raise NotFoundError(None, None, "Resource of the quantile streams does not exist: create it first.")
        return self

    def restart(self) -> None:
        """Forgets what has come."""
        self.streams = [QuantileStream(self.error, self.max_elements) for _ in self.boundaries]

    def flush(self, buckets: int, exact_count: bool) -> None:
        """Makes boundaries of what has come, and forgets it."""
        with self.lock:
            for number, stream in enumerate(self.streams):
                whole = stream.finished()
                self.boundaries[number] = whole.quantiles(buckets - 1) if exact_count else whole.boundaries(buckets)
            self.restart()
            self.is_ready = True


@handle_op.kernel
def handle_kernel(node):
    accumulator = shared_state(node, "quantile streams", lambda name: QuantileAccumulator())
    return lambda: accumulator


@handle_op.shape
def handle_shape(op):
    return [()]


@create_op.shape
@ranked(0, 0, 0)
def create_shape(op):
    return []


@create_op.kernel
def create_kernel(node):
    most = node.attrs["max_elements"]

    def create(accumulator, error, streams):
        if float(error) <= 0:
            raise InvalidArgumentError(
                None, None, f"An epsilon of zero is not allowed: it must be positive, got {float(error)}"
            )
        accumulator.create(float(error), int(streams), most)
        return ()

    return create


@add_op.shape
def add_shape(op):
    for summary in op.inputs[1:]:
        check_rank(summary.dims, 2)
    return []


@add_op.kernel
def add_kernel(node):
    def add(accumulator, *summaries):
        with accumulator.checked().lock:
            if len(accumulator.streams) != len(summaries):
                raise InvalidArgumentError(
                    None, None, f"Expected {len(accumulator.streams)} summaries, one a stream, got {len(summaries)}"
                )
            for stream, rows in zip(accumulator.streams, summaries, strict=True):
                stream.push_summary(QuantileSummary(to_array(rows)))
        return ()

    return add


@flush_op.shape
@ranked(0, 0)
def flush_shape(op):
    return []


@flush_op.kernel
def flush_kernel(node):
    exact = node.attrs["generate_quantiles"]

    def flush(accumulator, buckets):
        accumulator.checked().flush(int(buckets), exact)
        return ()

    return flush


@boundaries_op.shape
@ranked(0)
def boundaries_shape(op):
    return [(None,)] * op.attrs["num_features"]


@boundaries_op.kernel
def boundaries_kernel(node):
    count = node.attrs["num_features"]

    def get(accumulator):
        with accumulator.checked().lock:
            if len(accumulator.boundaries) != count:
                raise InvalidArgumentError(
                    None, None, f"num_features is {count}, but there are {len(accumulator.boundaries)} streams"
                )
            return tuple(to_tensor(boundaries.copy()) for boundaries in accumulator.boundaries)

    return get


@deserialize_op.shape
def deserialize_shape(op):
    for boundaries in op.inputs[1:]:
        check_rank(boundaries.dims, 1)
    return []


@deserialize_op.kernel
def deserialize_kernel(node):
    def deserialize(accumulator, *boundaries):
        with accumulator.checked().lock:
            accumulator.boundaries = [to_array(one).copy() for one in boundaries]
            accumulator.restart()
            accumulator.is_ready = True
        return ()

    return deserialize


@initialized_op.shape
@ranked(0)
def initialized_shape(op):
    return [()]


@initialized_op.kernel
def initialized_kernel(node):
    return lambda accumulator: torch.tensor(accumulator.is_created)


@take_op.shape
@ranked(0)
def take_shape(op):
    return [(None, 4)] * op.attrs["num_features"]


@take_op.kernel
def take_kernel(node):
    def take(accumulator):
        with accumulator.checked().lock:
            summaries = tuple(to_tensor(stream.finished().rows) for stream in accumulator.streams)
            accumulator.restart()
        return summaries

    return take


@summaries_op.shape
def summaries_shape(op):
    count = op.attrs["num_features"]
    for values in op.inputs[:count]:
        check_rank(values.dims, 1)
    check_rank(op.inputs[count].dims, 1)
    check_rank(op.inputs[count + 1].dims, 0)
    return [(None, 4)] * count


@summaries_op.kernel
def summaries_kernel(node):
    def summarize(*inputs):
        *features, weights, error = inputs
        weights = to_array(weights)
        tables = []
        for feature in features:
            values = to_array(feature)
            stream = QuantileStream(float(error), len(values) + 1)
            stream.push(values, np.broadcast_to(weights, values.shape) if len(weights) == 1 else weights)
            tables.append(to_tensor(stream.finished().rows))
        return tuple(tables)

    return summarize


@bucketize_op.shape
def bucketize_shape(op):
    count = op.attrs["num_features"]
    for values in op.inputs:
        check_rank(values.dims, 1)
    return [values.dims for values in op.inputs[:count]]


@bucketize_op.kernel
def bucketize_kernel(node):
    count = node.attrs["num_features"]

    def bucketize(*inputs):
        buckets = []
        for values, boundaries in zip(inputs[:count], inputs[count:], strict=True):
            found = torch.searchsorted(boundaries.contiguous(), values.contiguous(), out_int32=True)
            buckets.append(found.clamp_(max=max(len(boundaries) - 1, 0)))
        return tuple(buckets)

    return bucketize


# ---- examples ----

_MADE = made(handle_op.type)
_CREATED = made(create_op.type, _MADE, np.float32(0.1), np.int64(2))
_ROWS = np.array([[1, 1, 0, 1], [2, 1, 1, 2], [3, 2, 2, 4], [5, 1, 4, 5]], np.float32)
_ADDED = made(add_op.type, _MADE, [_ROWS, 2 * _ROWS])
_FLUSHED = made(flush_op.type, _MADE, np.int64(3))
_GOT = made(boundaries_op.type, _MADE, num_features=2)
_VALUES = [np.array([0.5, 3, 1, 2, 2, 7], np.float32), np.array([6, 5, 4, 3, 2, 1], np.float32)]
handle_op.accepts(shared_name="streams", after=[made(initialized_op.type, result)])
create_op.accepts(_MADE, np.float32(0.1), np.int64(2), after=[_GOT, made(initialized_op.type, _MADE)])
create_op.rejects(_MADE, np.zeros(2, np.float32), np.int64(2), error=ValueError)
add_op.accepts(_MADE, [_ROWS, 2 * _ROWS], before=[_CREATED])
add_op.rejects(_MADE, [_ROWS], error=NotFoundError)
flush_op.accepts(_MADE, np.int64(3), before=[_CREATED, _ADDED], after=[_GOT])
flush_op.accepts(_MADE, np.int64(3), generate_quantiles=True, before=[_CREATED, _ADDED], after=[_GOT])
flush_op.rejects(_MADE, np.int64(3), error=NotFoundError)
boundaries_op.accepts(_MADE, num_features=2, before=[_CREATED, _ADDED, _FLUSHED])
boundaries_op.rejects(_MADE, num_features=2, error=NotFoundError)
_ONE_STREAM = made(create_op.type, _MADE, np.float32(0.1), np.int64(1))
_ONE = made(boundaries_op.type, _MADE, num_features=1)
deserialize_op.accepts(
    _MADE,
    [np.array([1, 2], np.float32)],
    before=[_ONE_STREAM],
    after=[_ONE],
    differs="1.15's shape rule asks for scalars, which its kernel has no use for",
    gives=lambda boundaries: boundaries,
)
initialized_op.accepts(_MADE).accepts(_MADE, before=[_CREATED])
take_op.accepts(_MADE, num_features=2, before=[_CREATED, _ADDED])
take_op.rejects(_MADE, num_features=2, error=NotFoundError)
summaries_op.accepts(_VALUES, np.array([1, 2, 1, 1, 0, 3], np.float32), np.float32(0.1))
summaries_op.accepts(_VALUES, np.array([1, 2, 1, 1, 0, 3], np.float32), np.float32(0.5))
bucketize_op.accepts(_VALUES, [np.array([1, 2, 5], np.float32), np.array([3], np.float32)])
bucketize_op.rejects([np.zeros((2, 2), np.float32)], [np.array([3], np.float32)], error=ValueError)
