"""Draws from categorical, gamma and Poisson distributions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dims import Dims, broadcast_dims
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.random_seed import get_seed
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.math.incomplete import gamma_sample_derivative
from headrace.kernels.random import streams
from headrace.kernels.random.drawing import draws_classes
from headrace.kernels.random.sampling import (
    generator_for,
    is_seeded,
    no_gradient_through,
    shape_of_input,
    stream_of,
    two_seeds,
)

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, OpView, TensorLike


# ---- categories ----

multinomial_op = (
    op(
        "Multinomial",
        "logits: T, num_samples: int32, *, seed=0, seed2=0, T: realnumeric, output_dtype: index = int64 "
        "-> output: output_dtype",
        stateful=True,
    )
    .on_host("num_samples")
    .no_side_effects()
)
stateless_multinomial_op = op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32, seed: Tseed, *, T: realnumeric, Tseed: index = int64, output_dtype: index = int64 "
    "-> output: output_dtype",
).on_host("num_samples", "seed")


def _multinomial_shape(op: OpView) -> list[Dims]:
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
    if op.inputs[1].dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(op.inputs[1].dims)}")
    samples = op.constant(1)
    if samples is not None and samples < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {int(samples)}")
    return [(None if dims is None else dims[0], None if samples is None else int(samples))]


@multinomial_op.shape
def multinomial_shape(op):
    return _multinomial_shape(op)


@stateless_multinomial_op.shape
def stateless_multinomial_shape(op):
    two_seeds(op, 2)
    return _multinomial_shape(op)


@multinomial_op.kernel
def multinomial_kernel(node):
    function = _multinomial_rule(node)
    if node.inputs[1].dims == ():
        return function

    def checked(logits, samples):
        if samples.dim():
            raise InvalidArgumentError(None, None, f"num_samples should be a scalar, got shape {list(samples.shape)}")
        return function(logits, samples)

    return checked


def _multinomial_rule(node):
    dtype, device = node.outputs[0].dtype, node.device
    if is_seeded(node):
        stream, numpy_type = stream_of(node), dtype.as_numpy_dtype
        return lambda logits, samples: to_tensor(
            stream.multinomial(to_array(logits), samples.item(), numpy_type), device
        )
    generator, torch_type = generator_for(device), dtype.torch

    def draw(logits, samples):
        if samples.item() < 0:
            raise InvalidArgumentError(None, None, "num_samples should be a nonnegative integer")
        if logits.shape[-1] == 0 and logits.numel() == 0 and logits.shape[0]:
            raise InvalidArgumentError(None, None, "num_classes should be positive")
        logits = logits.double()
        finite = logits.masked_fill(~logits.isfinite(), -math.inf)
        highest = finite.amax(1, keepdim=True) if logits.numel() else finite
        # A row without any finite logit keeps -inf, which minus itself would be NaN.
        totals = (finite - highest.clamp_min(-1e308)).exp_().cumsum(1)
        places = torch.rand((logits.shape[0], samples.item()), generator=generator, dtype=torch.float64, device=device)
        return torch.searchsorted(totals, places.mul_(totals[:, -1:]), right=True).to(torch_type)

    return draw


@stateless_multinomial_op.kernel
def stateless_multinomial_kernel(node):
    draw, numpy_type, device = streams.stateless_multinomial, node.outputs[0].dtype.as_numpy_dtype, node.device
    return lambda logits, samples, seed: to_tensor(
        draw(to_array(logits), samples.item(), seed.numpy(), numpy_type), device
    )


# ---- gamma ----

random_gamma_op = (
    op(
        "RandomGamma",
        "shape: S, alpha: T, *, seed=0, seed2=0, S: index, T: {half, float, double} -> output: T",
        stateful=True,
    )
    .on_host("shape")
    .no_side_effects()
)
random_gamma_grad_op = op("RandomGammaGrad", "alpha: T, sample: T, *, T: {float, double} -> output: T")


def _draws_for_each(op: OpView) -> list[Dims]:
    """The shape rule of draws of shape `shape` for each of a tensor of parameters."""
    shape, parameters = shape_of_input(op, 0), op.inputs[1].dims
    return [None if shape is None or parameters is None else shape + parameters]


random_gamma_op.shape(_draws_for_each)


@random_gamma_op.kernel
def random_gamma_kernel(node):
    device = node.device
    if is_seeded(node):
        stream = stream_of(node)
        return lambda shape, alpha: to_tensor(stream.gamma(shape.tolist(), to_array(alpha)), device)
    generator, torch_type = generator_for(device), node.outputs[0].dtype.torch

    def draw(shape, alpha):
        wide = alpha.float() if torch_type is torch.float16 else alpha
        wide = wide.expand(*shape.tolist(), *alpha.shape).contiguous()
        return torch._standard_gamma(wide, generator=generator).to(torch_type)

    return draw


@random_gamma_op.gradient
def random_gamma_gradient(op, grad):
    """By implicit reparameterization: M. Figurnov, S. Mohamed, A. Mnih, NeurIPS 2018, arXiv:1805.08498."""
    shape, alpha = op.inputs
    with control_dependencies([grad]):
        sampled = composing.shape(shape)[0]
        unit = composing.ones([sampled], "int32")
        alpha = raw.Reshape(alpha, composing.concat([unit, composing.shape(alpha)], 0))
        partial = raw.RandomGammaGrad(alpha, op.outputs[0])
        return None, raw.Sum(raw.Mul(grad, partial, name="mul"), composing.range_(sampled))


@random_gamma_grad_op.shape
def random_gamma_grad_shape(op):
    return [broadcast_dims(op.inputs[0].dims, op.inputs[1].dims)]


@random_gamma_grad_op.kernel
def random_gamma_grad_kernel(node):
    return gamma_sample_derivative


# ---- Poisson ----

random_poisson_op = op(
    "RandomPoisson",
    "shape: S, rate: dtype, *, seed=0, seed2=0, S: index, dtype: {half, float, double} -> output: dtype",
    stateful=True,
).no_side_effects()
random_poisson_v2_op = op(
    "RandomPoissonV2",
    "shape: S, rate: R, *, seed=0, seed2=0, S: index, R: {half, float, double, int32, int64} = double, "
    "dtype: {half, float, double, int32, int64} = int64 -> output: dtype",
    stateful=True,
).no_side_effects()


def _poisson_rules(decl: OpDecl) -> None:
    decl.on_host("shape")
    decl.shape(_draws_for_each)

    @decl.kernel
    def random_poisson_kernel(node):
        dtype, device = node.outputs[0].dtype, node.device
        if is_seeded(node):
            stream, numpy_type = stream_of(node), dtype.as_numpy_dtype
            return lambda shape, rate: to_tensor(stream.poisson(shape.tolist(), to_array(rate), numpy_type), device)
        generator, torch_type = generator_for(device), dtype.torch

        def draw(shape, rate):
            rates = rate.double().expand(*shape.tolist(), *rate.shape).contiguous()
            return torch.poisson(rates, generator=generator).to(torch_type)

        return draw


_poisson_rules(random_poisson_op)
_poisson_rules(random_poisson_v2_op)
no_gradient_through(multinomial_op, stateless_multinomial_op)
draws_classes(multinomial_op)

multinomial_op.accepts(np.zeros([2, 3], np.float32), 4, seed=1)
multinomial_op.rejects([3], 4, seed=1, error=ValueError)
stateless_multinomial_op.accepts(np.zeros([2, 3], np.float32), 4, np.array([1, 2]))
random_gamma_op.accepts(np.array([2], np.int32), np.array([0.5, 2.0], np.float32), seed=1)
random_gamma_grad_op.accepts(np.array([0.5, 2.0], np.float32), np.array([0.3, 1.5], np.float32))
random_poisson_v2_op.accepts(np.array([2], np.int32), np.array([0.5, 20.0], np.float32), seed=1)
random_poisson_op.accepts(np.array([2], np.int32), np.array([0.5, 20.0], np.float32), seed=1)
random_poisson_op.accepts(np.array([2], np.int32), np.float32(3), varies="a draw without seed")
random_poisson_op.rejects(np.int32(2), np.float32(3), error=ValueError)


# ---- functions ----


def multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: DTypeLike | None = None,
) -> Tensor:
    """Classes drawn with the probabilities softmax(logits).

    Args:
        logits: tensor of shape [batch, classes], unnormalized log-probabilities.
        num_samples: int32 scalar, how many to draw for each of the batch.
        seed: the op's seed.
        name: a name for the operation.
        output_dtype: int32 or int64, the default.

    Returns:
        a tensor of shape [batch, num_samples].

    Example:
        >>> tf.multinomial(tf.log([[0.5, 0.5]]), 5)
        <tf.Tensor 'multinomial/Multinomial:0' shape=(1, 5) dtype=int64>
    """
    with name_scope(name, "multinomial", [logits]):
        return _drawn_classes(logits, num_samples, seed, output_dtype)


def categorical(
    logits: TensorLike,
    num_samples: TensorLike,
    dtype: DTypeLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Classes drawn with the probabilities softmax(logits), as `multinomial` does."""
    with name_scope(name, "categorical", [logits]):
        return _drawn_classes(logits, num_samples, seed, dtype)


def _drawn_classes(logits: TensorLike, num_samples: TensorLike, seed: int | None, dtype: DTypeLike | None) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    seed1, seed2 = get_seed(seed)
    return raw.Multinomial(logits, num_samples, seed=seed1, seed2=seed2, output_dtype=dtype)


def stateless_multinomial(
    logits: TensorLike,
    num_samples: TensorLike,
    seed: TensorLike,
    output_dtype: DTypeLike = "int64",
    name: str | None = None,
) -> Tensor:
    """Classes as `multinomial` draws them, that depend on `seed` (int32 or int64, shape [2]) alone."""
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        logits = convert_to_tensor(logits, name="logits")
        return raw.StatelessMultinomial(logits, num_samples, seed, output_dtype=output_dtype)


def stateless_categorical(
    logits: TensorLike, num_samples: TensorLike, seed: TensorLike, dtype: DTypeLike = "int64", name: str | None = None
) -> Tensor:
    """Classes as `categorical` draws them, that depend on `seed` (int32 or int64, shape [2]) alone."""
    with name_scope(name, "stateless_categorical", [logits, seed]):
        logits = convert_to_tensor(logits, name="logits")
        return raw.StatelessMultinomial(logits, num_samples, seed, output_dtype=dtype)


def random_gamma(
    shape: TensorLike,
    alpha: TensorLike,
    beta: TensorLike | None = None,
    dtype: DTypeLike = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Draws from gamma distributions; gradients reach `alpha` and `beta`.

    Args:
        shape: int32 vector, the shape of the draws made for each distribution.
        alpha: the shape parameters, of type `dtype`.
        beta: the rates, which broadcast against `alpha`; 1 by default.
        dtype: float16, float32 or float64.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of shape `shape + (alpha + beta).shape`.

    Example:
        >>> tf.random_gamma([10], [0.5, 1.5])
        <tf.Tensor 'random_gamma/Maximum:0' shape=(10, 2) dtype=float32>
    """
    dtype = as_dtype(dtype)
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, "int32", name="shape")
        alpha = convert_to_tensor(alpha, dtype, name="alpha")
        beta = convert_to_tensor(1 if beta is None else beta, dtype, name="beta")
        spread = raw.AddV2(alpha, composing.zeros_like(beta), name="add")
        seed1, seed2 = get_seed(seed)
        drawn = raw.RandomGamma(shape, spread, seed=seed1, seed2=seed2)
        # What rounds to zero becomes the smallest number there is.
        least = np.finfo(dtype.as_numpy_dtype).tiny
        return raw.Maximum(least, raw.RealDiv(drawn, beta, name="truediv"))


def random_poisson(
    lam: TensorLike, shape: TensorLike, dtype: DTypeLike = "float32", seed: int | None = None, name: str | None = None
) -> Tensor:
    """Draws from Poisson distributions.

    Args:
        lam: the rates, a tensor of numbers.
        shape: int32 vector, the shape of the draws made for each rate.
        dtype: float16, float32, float64, int32 or int64.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of shape `shape + lam.shape`.

    Example:
        >>> tf.random_poisson([0.5, 1.5], [10])
        <tf.Tensor 'random_poisson/RandomPoissonV2:0' shape=(10, 2) dtype=float32>
    """
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, "int32", name="shape")
        seed1, seed2 = get_seed(seed)
        return raw.RandomPoissonV2(shape, lam, dtype=dtype, seed=seed1, seed2=seed2)
