"""Normal random numbers, plain and truncated, and their stateless forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.random_seed import get_seed
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.random import streams
from headrace.kernels.random.drawing import begins_at_seeds, draws
from headrace.kernels.random.sampling import (
    generator_for,
    is_seeded,
    no_gradient_through,
    output_of_shape_input,
    scaled,
    shape_tensor,
    stream_of,
    two_seeds,
    with_shape,
)
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


standard_normal_op = (
    op(
        "RandomStandardNormal",
        "shape: T, *, seed=0, seed2=0, dtype: floating, T: index -> output: dtype",
        stateful=True,
    )
    .on_host("shape")
    .no_side_effects()
)
standard_normal_op.shape(output_of_shape_input)


@standard_normal_op.kernel
def standard_normal_kernel(node):
    dtype, device = node.outputs[0].dtype, node.device
    if is_seeded(node):
        stream, numpy_type = stream_of(node), dtype.as_numpy_dtype
        return with_shape(node, lambda sizes: to_tensor(stream.standard_normal(sizes, numpy_type), device))
    generator, torch_type = generator_for(device), dtype.torch
    return with_shape(node, lambda sizes: torch.randn(sizes, generator=generator, dtype=torch_type, device=device))


truncated_normal_op = (
    op("TruncatedNormal", "shape: T, *, seed=0, seed2=0, dtype: floating, T: index -> output: dtype", stateful=True)
    .on_host("shape")
    .no_side_effects()
)
truncated_normal_op.shape(output_of_shape_input)


@truncated_normal_op.kernel
def truncated_normal_kernel(node):
    dtype, device = node.outputs[0].dtype, node.device
    if is_seeded(node):
        stream, numpy_type = stream_of(node), dtype.as_numpy_dtype
        return with_shape(node, lambda sizes: to_tensor(stream.truncated_normal(sizes, numpy_type), device))
    generator, torch_type = generator_for(device), dtype.torch
    wide = torch.float64 if torch_type is torch.float64 else torch.float32
    # The inverse of the distribution function, over the stretch that two deviations leave.
    bound = math.erf(math.sqrt(2))

    def draw(sizes):
        values = torch.empty(sizes, dtype=wide, device=device)
        values.uniform_(-bound, bound, generator=generator).erfinv_().mul_(math.sqrt(2))
        return values if torch_type is wide else values.to(torch_type)

    return with_shape(node, draw)


parameterized_op = (
    op(
        "ParameterizedTruncatedNormal",
        "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype, *, seed=0, seed2=0, dtype: floating, "
        "T: index -> output: dtype",
        stateful=True,
    )
    .on_host("shape", "means", "stdevs", "minvals", "maxvals")
    .no_side_effects()
)
parameterized_op.shape(ranked(None, *[(0, 1)] * 4)(output_of_shape_input))


@parameterized_op.kernel
def parameterized_truncated_normal_kernel(node):
    stream, numpy_type, device = stream_of(node), node.outputs[0].dtype.as_numpy_dtype, node.device
    return lambda shape, *parameters: to_tensor(
        stream.parameterized_truncated_normal(shape.tolist(), *map(to_array, parameters), numpy_type), device
    )


def _declare_stateless(op_type: str, function: str) -> OpDecl:
    decl = op(
        op_type,
        "shape: T, seed: Tseed, *, dtype: floating = float, T: index = int32, Tseed: index = int64 -> output: dtype",
    ).on_host("shape", "seed")

    @decl.shape
    def stateless_shape(op):
        two_seeds(op, 1)
        return output_of_shape_input(op)

    @decl.kernel
    def stateless_kernel(node):
        draw, numpy_type, device = getattr(streams, function), node.outputs[0].dtype.as_numpy_dtype, node.device
        return lambda shape, seed: to_tensor(draw(shape.tolist(), seed.numpy(), numpy_type), device)

    return decl.accepts(np.array([2, 3], np.int32), np.array([1, 2]))


stateless_normal_op = _declare_stateless("StatelessRandomNormal", "stateless_normal")
stateless_truncated_op = _declare_stateless("StatelessTruncatedNormal", "stateless_truncated_normal")

no_gradient_through(
    standard_normal_op, truncated_normal_op, parameterized_op, stateless_normal_op, stateless_truncated_op
)

draws(standard_normal_op, "random_normal")
draws(truncated_normal_op, "truncated_normal")
begins_at_seeds(stateless_normal_op, "random_normal")
begins_at_seeds(stateless_truncated_op, "truncated_normal")

standard_normal_op.accepts(np.array([2, 3], np.int32), seed=1, dtype="float32")
truncated_normal_op.accepts(np.array([2, 3], np.int32), seed=1, dtype="float64")
parameterized_op.accepts(np.array([2, 3], np.int32), [0.0, 1.0], 1.0, -2.0, 2.0, seed=1, dtype="float32")


def random_normal(
    shape: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution.

    Args:
        shape: the shape of the result.
        mean, stddev: scalars of type `dtype`, or what broadcasts against the shape.
        dtype: float16, bfloat16, float32 or float64.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of that shape and type.

    Example:
        >>> tf.random_normal([784, 10], stddev=0.1)
        <tf.Tensor 'random_normal:0' shape=(784, 10) dtype=float32>
    """
    with name_scope(name, "random_normal", [shape, mean, stddev]) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype, name="stddev")
        seed1, seed2 = get_seed(seed)
        random = raw.RandomStandardNormal(sizes, dtype=dtype, seed=seed1, seed2=seed2)
        return scaled(random, stddev, mean, scope)


def truncated_normal(
    shape: Any,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers of a normal distribution, drawn again where they are two deviations or more from the mean.

    Args:
        shape: the shape of the result.
        mean, stddev: scalars of type `dtype`, or what broadcasts against the shape.
        dtype: float16, bfloat16, float32 or float64.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of that shape and type.

    Example:
        >>> w = tf.Variable(tf.truncated_normal([784, 10], stddev=0.1))
    """
    with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype, name="stddev")
        seed1, seed2 = get_seed(seed)
        random = raw.TruncatedNormal(sizes, dtype=dtype, seed=seed1, seed2=seed2)
        return scaled(random, stddev, mean, scope)


def parameterized_truncated_normal(
    shape: Sequence[int],
    means: float = 0.0,
    stddevs: float = 1.0,
    minvals: float = -2.0,
    maxvals: float = 2.0,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal random numbers between given bounds.

    Args:
        shape: the shape of the result; its first dimension is the batch.
        means, stddevs, minvals, maxvals: of type `dtype`, scalars or vectors with an entry for each of the batch; the
            bounds are values, not deviations.
        dtype: float16, bfloat16, float32 or float64.
        seed: the op's seed.
        name: a name for the operation.
    """
    with name_scope(name, "parameterized_truncated_normal", [shape, means, stddevs, minvals, maxvals]):
        sizes = shape_tensor(shape)
        parameters = [
            convert_to_tensor(value, dtype, name=part)
            for part, value in (("means", means), ("stddevs", stddevs), ("minvals", minvals), ("maxvals", maxvals))
        ]
        seed1, seed2 = get_seed(seed)
        return raw.ParameterizedTruncatedNormal(sizes, *parameters, seed=seed1, seed2=seed2)


def stateless_normal(
    shape: Sequence[int],
    seed: Sequence[int],
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """Normal random numbers that depend on `seed` alone.

    Args:
        shape: the shape of the result.
        seed: int32 or int64 tensor of shape [2].
        mean, stddev, dtype, name: as for `random_normal`.

    Example:
        >>> tf.random.stateless_normal([3], seed=[1, 2])
        <tf.Tensor 'stateless_random_normal:0' shape=(3,) dtype=float32>
    """
    decl = raw.StatelessRandomNormal
    return _stateless("stateless_random_normal", decl, shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(
    shape: Sequence[int],
    seed: Sequence[int],
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = "float32",
    name: str | None = None,
) -> Tensor:
    """Normal random numbers within two deviations of the mean that depend on `seed` alone.

    Args:
        shape: the shape of the result.
        seed: int32 or int64 tensor of shape [2].
        mean, stddev, dtype, name: as for `truncated_normal`.
    """
    decl = raw.StatelessTruncatedNormal
    return _stateless("stateless_truncated_normal", decl, shape, seed, mean, stddev, dtype, name)


def _stateless(
    default_name: str,
    decl: OpDecl,
    shape: Sequence[int],
    seed: Sequence[int],
    mean: TensorLike,
    stddev: TensorLike,
    dtype: DTypeLike,
    name: str | None,
) -> Tensor:
    with name_scope(name, default_name, [shape, seed, mean, stddev]) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype, name="stddev")
        return scaled(decl(sizes, seed, dtype=dtype), stddev, mean, scope)
