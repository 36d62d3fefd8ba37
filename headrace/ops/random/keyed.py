"""Stateless random numbers as TensorFlow 2 writes them: a key and a counter made of the seeds, then numbers of those."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.random import philox, streams
from headrace.kernels.random.generator_state import skipped
from headrace.kernels.random.philox import full_range
from headrace.kernels.random.sampling import output_of_shape_input, scalar_bounds, two_seeds

_PHILOX, _AUTOMATIC = 1, 3
_WORD = 1 << 64


def _check_algorithm(algorithm: torch.Tensor) -> None:
    if int(algorithm) not in (_PHILOX, _AUTOMATIC):
        raise InvalidArgumentError(None, None, f"Unsupported algorithm id: {int(algorithm)}; Philox (1) is there.")


def _unsigned(*numbers: int) -> torch.Tensor:
    return to_tensor(np.array(numbers, np.uint64))


def _key_and_counter(seed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    place = streams.scrambled(to_array(seed))
    return _unsigned(place.key), _unsigned(place.position, place.high)


key_counter_op = op(
    "StatelessRandomGetKeyCounter", "seed: Tseed, *, Tseed: index = int64 -> key: uint64, counter: uint64"
)
key_counter_alg_op = op(
    "StatelessRandomGetKeyCounterAlg",
    "seed: Tseed, *, Tseed: index = int64 -> key: uint64, counter: uint64, alg: int32",
)
for _decl in (key_counter_op, key_counter_alg_op):
    _decl.on_host("seed", outputs=True).not_differentiable()


@key_counter_op.shape
def key_counter_shape(op):
    two_seeds(op, 0)
    return [(1,), (2,)]


@key_counter_alg_op.shape
def key_counter_alg_shape(op):
    two_seeds(op, 0)
    return [(1,), (2,), ()]


@key_counter_op.kernel
def key_counter_kernel(node):
    return _key_and_counter


@key_counter_alg_op.kernel
def key_counter_alg_kernel(node):
    algorithm = torch.tensor(_PHILOX, dtype=torch.int32)
    return lambda seed: (*_key_and_counter(seed), algorithm)


for _decl in (key_counter_op, key_counter_alg_op):
    _decl.accepts(np.array([1, 2]))
    _decl.rejects(np.array([1, 2, 3]), error=ValueError)

get_alg_op = op("StatelessRandomGetAlg", "-> alg: int32", stateful=True).on_host(outputs=True)
get_alg_op.shape(lambda op: [()])
get_alg_op.not_differentiable()
get_alg_op.accepts()


@get_alg_op.kernel
def get_alg_kernel(node):
    algorithm = torch.tensor(_PHILOX, dtype=torch.int32)
    return lambda: algorithm


def _drawing(
    op_type: str, types: str, draw: Callable[..., Any], bounds: str = "", host: tuple[str, ...] = ()
) -> OpDecl:
    """An op that draws with `draw(philox, count, dtype, *bounds)` at the place that key and counter tell."""
    decl = op(
        op_type,
        f"shape: Tshape, key: uint64, counter: uint64, alg: int32{bounds}, *, dtype: {types}, Tshape: index = int32 "
        "-> output: dtype",
    ).on_host("shape", "key", "counter", "alg", *host)
    decl.not_differentiable()

    @decl.shape
    def keyed_shape(op):
        if host:
            scalar_bounds(op, 4)
        return output_of_shape_input(op)

    @decl.kernel
    def keyed_kernel(node):
        kind, device = node.outputs[0].dtype.as_numpy_dtype, node.device

        def run(shape, key, counter, alg, *limits):
            _check_algorithm(alg)
            sizes = shape.tolist()
            if min(sizes, default=0) < 0:
                raise InvalidArgumentError(None, None, f"Dimensions must be at least 0, got shape {sizes}")
            key, counter = to_array(key).reshape(-1), to_array(counter).reshape(-1)
            if key.size != 1 or counter.size < 2:
                raise InvalidArgumentError(
                    None, None, f"key must have shape [1], counter [2], got {key.shape}, {counter.shape}"
                )
            place = philox.Philox(int(key[0]), int(counter[1]), int(counter[0]))
            values = draw(place, math.prod(sizes), kind, *(to_array(limit).item() for limit in limits))
            return to_tensor(np.ascontiguousarray(values).reshape(sizes), device)

        return run

    limits = (np.int32(-5), np.int32(5)) if host else ()
    place = (np.array([7], np.uint64), np.array([1, 2], np.uint64))
    decl.accepts(np.array([2, 3]), *place, np.int32(1), *limits)
    decl.rejects(np.array([2]), *place, np.int32(9), *limits, error=InvalidArgumentError)
    decl.rejects(
        *(np.array([2]), place[0], place[1][:1], np.int32(1), *limits),
        error=Exception,
        differs="2.21 reads past the end of a counter that is too short",
    )
    return decl


_drawing("StatelessRandomUniformV2", "floating = float", lambda *args: philox.uniform(*args))
_drawing("StatelessRandomNormalV2", "floating = float", lambda *args: philox.standard_normal(*args))
_drawing("StatelessTruncatedNormalV2", "floating = float", lambda *args: philox.truncated_normal(*args))
_drawing("StatelessRandomUniformFullIntV2", "{int32, int64, uint32, uint64} = uint64", full_range)
_drawing(
    "StatelessRandomUniformIntV2",
    "{int32, int64, uint32, uint64}",
    lambda place, count, kind, low, high: philox.uniform_int(place, count, low, high, kind),
    bounds=", minval: dtype, maxval: dtype",
    host=("minval", "maxval"),
)

full_int_op = op(
    "StatelessRandomUniformFullInt",
    "shape: T, seed: Tseed, *, dtype: {int32, int64, uint32, uint64} = uint64, T: index = int32, "
    "Tseed: {int32, int64, uint32, uint64} = int64 -> output: dtype",
).on_host("shape", "seed")
full_int_op.not_differentiable()


@full_int_op.shape
def full_int_shape(op):
    two_seeds(op, 1)
    return output_of_shape_input(op)


@full_int_op.kernel
def full_int_kernel(node):
    kind, device = node.outputs[0].dtype.as_numpy_dtype, node.device

    def draw(shape, seed):
        sizes = shape.tolist()
        return to_tensor(full_range(streams.scrambled(to_array(seed)), math.prod(sizes), kind).reshape(sizes), device)

    return draw


full_int_op.accepts(np.array([2, 3], np.int32), np.array([1, 2]), dtype="int32")
full_int_op.accepts(np.array([2], np.int32), np.array([1, 2], np.int32), dtype="int64")
full_int_op.rejects(np.array([2], np.int32), np.array([1, 2, 3]), error=ValueError)

read_and_skip_op = op("RngReadAndSkip", "resource: resource, alg: int32, delta: uint64 -> value: int64", stateful=True)
read_and_skip_op.on_host("alg", "delta").writes("resource").not_differentiable()
read_and_skip_op.shape(lambda op: [(None,)])


@read_and_skip_op.kernel
def read_and_skip_kernel(node):
    def run(buffer, algorithm, delta):
        _check_algorithm(algorithm)
        with buffer.lock:
            before = buffer.value.clone()
            skipped(buffer, _PHILOX, int(to_array(delta)) % _WORD)
            return before

    return run


read_and_skip_op.accepts(np.array([1, 2, 3]), np.int32(1), np.uint64(10))
read_and_skip_op.rejects(np.array([1, 2, 3]), np.int32(9), np.uint64(10), error=InvalidArgumentError)
