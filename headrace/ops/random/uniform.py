"""Uniform random numbers: RandomUniform, RandomUniformInt and their stateless forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.random_seed import get_seed
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import to_tensor
from headrace.kernels.random import streams
from headrace.kernels.random.drawing import begins_at_seeds, draws, draws_integers
from headrace.kernels.random.sampling import (
    generator_for,
    host_generator,
    is_seeded,
    no_gradient_through,
    output_of_shape_input,
    scalar_bounds,
    scaled,
    shape_tensor,
    stream_of,
    two_seeds,
    with_shape,
)

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_TYPES = frozenset({"float16", "bfloat16", "float32", "float64", "int32", "int64"})

random_uniform_op = (
    op("RandomUniform", "shape: T, *, seed=0, seed2=0, dtype: floating, T: index -> output: dtype", stateful=True)
    .on_host("shape")
    .no_side_effects()
)
random_uniform_op.shape(output_of_shape_input)
random_uniform_op.fresh()


@random_uniform_op.kernel
def random_uniform_kernel(node):
    dtype, device = node.outputs[0].dtype, node.device
    if is_seeded(node):
        stream, numpy_type = stream_of(node), dtype.as_numpy_dtype
        return with_shape(node, lambda sizes: to_tensor(stream.uniform(sizes, numpy_type), device))
    if device.type == "cpu" and dtype.name in ("float32", "float64"):
        # NumPy's generator takes half the time of torch's, which draws one number after the other.
        draw, numpy_type, from_numpy = host_generator().random, dtype.as_numpy_dtype, torch.from_numpy
        return with_shape(node, lambda sizes: from_numpy(draw(sizes, numpy_type)))
    generator, torch_type = generator_for(device), dtype.torch
    return with_shape(node, lambda sizes: torch.rand(sizes, generator=generator, dtype=torch_type, device=device))


random_uniform_int_op = (
    op(
        "RandomUniformInt",
        "shape: T, minval: Tout, maxval: Tout, *, seed=0, seed2=0, Tout: index, T: index -> output: Tout",
        stateful=True,
    )
    .on_host("shape", "minval", "maxval")
    .no_side_effects()
)


@random_uniform_int_op.shape
def random_uniform_int_shape(op):
    scalar_bounds(op, 1)
    return output_of_shape_input(op)


@random_uniform_int_op.kernel
def random_uniform_int_kernel(node):
    dtype, device = node.outputs[0].dtype, node.device
    if is_seeded(node):
        stream, numpy_type = stream_of(node), dtype.as_numpy_dtype
        return lambda shape, low, high: to_tensor(
            stream.uniform_int(shape.tolist(), low.item(), high.item(), numpy_type), device
        )
    generator, torch_type = generator_for(device), dtype.torch

    def draw(shape, low, high):
        least, bound = low.item(), high.item()
        if least >= bound:
            if 0 in shape.tolist():
                return torch.empty(shape.tolist(), dtype=torch_type, device=device)
            raise InvalidArgumentError(None, None, f"Need minval < maxval, got {least} >= {bound}")
        return torch.randint(least, bound, shape.tolist(), generator=generator, dtype=torch_type, device=device)

    return draw


stateless_uniform_op = op(
    "StatelessRandomUniform",
    "shape: T, seed: Tseed, *, dtype: floating = float, T: index = int32, Tseed: index = int64 -> output: dtype",
).on_host("shape", "seed")


@stateless_uniform_op.shape
def stateless_uniform_shape(op):
    two_seeds(op, 1)
    return output_of_shape_input(op)


@stateless_uniform_op.kernel
def stateless_uniform_kernel(node):
    draw, numpy_type, device = streams.stateless_uniform, node.outputs[0].dtype.as_numpy_dtype, node.device
    return lambda shape, seed: to_tensor(draw(shape.tolist(), seed.numpy(), numpy_type), device)


stateless_uniform_int_op = op(
    "StatelessRandomUniformInt",
    "shape: T, seed: Tseed, minval: dtype, maxval: dtype, *, dtype: index, T: index, Tseed: index = int64 "
    "-> output: dtype",
).on_host("shape", "seed", "minval", "maxval")


@stateless_uniform_int_op.shape
def stateless_uniform_int_shape(op):
    two_seeds(op, 1)
    scalar_bounds(op, 2)
    return output_of_shape_input(op)


@stateless_uniform_int_op.kernel
def stateless_uniform_int_kernel(node):
    draw, numpy_type, device = streams.stateless_uniform_int, node.outputs[0].dtype.as_numpy_dtype, node.device
    return lambda shape, seed, low, high: to_tensor(
        draw(shape.tolist(), seed.numpy(), low.item(), high.item(), numpy_type), device
    )


no_gradient_through(random_uniform_op, stateless_uniform_op, stateless_uniform_int_op)
draws(random_uniform_op, "random_uniform")
draws_integers(random_uniform_int_op)
begins_at_seeds(stateless_uniform_op, "random_uniform")

random_uniform_op.accepts(np.array([2, 3], np.int32), seed=1, dtype="float32")
random_uniform_op.rejects(np.array([[2, 3]], np.int32), dtype="float32", error=ValueError)
random_uniform_int_op.accepts(np.array([2, 3], np.int32), 0, 10, seed=1)
stateless_uniform_op.accepts(np.array([0, 3], np.int32), np.array([1, 2]))
stateless_uniform_op.rejects(np.array([0, 3], np.int32), np.array([1, 2, 3]), error=ValueError)
stateless_uniform_int_op.accepts(np.array([4], np.int32), np.array([1, 2]), 0, 10)


def _checked_range(dtype: DTypeLike, maxval: TensorLike | None) -> tuple[Any, Any]:
    dtype = as_dtype(dtype)
    if dtype.name not in _TYPES:
        raise ValueError(f"Invalid dtype {dtype!r}")
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    return dtype, maxval


def random_uniform(
    shape: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers uniform in [minval, maxval).

    Args:
        shape: the shape of the result.
        minval: scalar of type `dtype`, the least number that may come.
        maxval: scalar of type `dtype`, the bound above; 1 by default, to be given where `dtype` is an integer type.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of that shape and type.

    Raises:
        ValueError: if `maxval` misses for integers, or the type is another.

    Example:
        >>> tf.random_uniform([2, 3], -1.0, 1.0, seed=1)
        <tf.Tensor 'random_uniform:0' shape=(2, 3) dtype=float32>
    """
    dtype, maxval = _checked_range(dtype, maxval)
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(maxval, dtype, name="max")
        seed1, seed2 = get_seed(seed)
        if dtype.is_integer:
            return raw.RandomUniformInt(sizes, low, high, seed=seed1, seed2=seed2, name=scope)
        random = raw.RandomUniform(sizes, dtype=dtype, seed=seed1, seed2=seed2)
        return scaled(random, raw.Sub(high, low, name="sub"), low, scope)


def stateless_uniform(
    shape: Sequence[int],
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: Any = "float32",
    name: str | None = None,
) -> Tensor:
    """Random numbers uniform in [minval, maxval) that depend on `seed` alone: the same in every run.

    Args:
        shape: the shape of the result.
        seed: int32 or int64 tensor of shape [2].
        minval, maxval, dtype, name: as for `random_uniform`.

    Raises:
        ValueError: if `maxval` misses for integers, or the type is another.

    Example:
        >>> tf.random.stateless_uniform([3], seed=[1, 2])
        <tf.Tensor 'stateless_random_uniform:0' shape=(3,) dtype=float32>
    """
    dtype, maxval = _checked_range(dtype, maxval)
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        sizes = shape_tensor(shape)
        low = convert_to_tensor(minval, dtype, name="min")
        high = convert_to_tensor(maxval, dtype, name="max")
        if dtype.is_integer:
            return raw.StatelessRandomUniformInt(sizes, seed, low, high, name=scope)
        random = raw.StatelessRandomUniform(sizes, seed, dtype=dtype)
        return scaled(random, raw.Sub(high, low, name="sub"), low, scope)
