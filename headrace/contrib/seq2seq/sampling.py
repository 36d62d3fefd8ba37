"""Draws of helpers: of coins and of ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32, int64
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_prod
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.shapes import rank, shape
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, less
from headrace.ops.math.unary import sigmoid
from headrace.ops.random.sampling import multinomial
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def _shaped_draws(draw: Callable[[Any], Any], sample_shape: TensorLike) -> Tensor:
    """As many draws as `sample_shape`, a scalar or vector, says, in that shape."""
    with name_scope(None, "call_sampler", values=[sample_shape]):
        sample_shape = convert_to_tensor(sample_shape, dtype=int32, name="sample_shape")
        scalar = cast(equal(rank(sample_shape), 0), int32)
        sample_shape = reshape(sample_shape, pad(shape(sample_shape), [[scalar, 0]], constant_values=1))
        draws = draw(reduce_prod(sample_shape))
        return reshape(draws, concat([sample_shape, shape(draws)[1:]], 0))


def bernoulli_sample(
    probs: TensorLike | None = None,
    logits: Any = None,
    dtype: DTypeLike = int32,
    sample_shape: TensorLike = (),
    seed: int | None = None,
) -> Tensor:
    """Draws of coins with the given probabilities, or the sigmoids of `logits`: `sample_shape + shape(probs)`."""
    probs = sigmoid(logits, name="probs") if probs is None else convert_to_tensor(probs, name="probs")
    own_shape = shape(probs)

    def draw(count: Tensor) -> Tensor:
        uniform = random_uniform(concat([[count], own_shape], 0), seed=seed, dtype=probs.dtype)
        return cast(less(uniform, probs), dtype)

    return _shaped_draws(draw, sample_shape)


def categorical_sample(
    logits: TensorLike, dtype: DTypeLike = int32, sample_shape: TensorLike = (), seed: int | None = None
) -> Tensor:
    """Draws of ids from the distributions with the given logits [..., classes]: `sample_shape + shape(logits)[:-1]`."""
    logits = convert_to_tensor(logits, name="logits")
    classes, own_shape = shape(logits)[-1], shape(logits)[:-1]

    def draw(count: Tensor) -> Tensor:
        rows = logits if logits.shape.ndims == 2 else reshape(logits, [-1, classes])
        ids = multinomial(rows, count, seed=seed, output_dtype=int64 if logits.dtype.size > 4 else int32)
        return cast(reshape(transpose(ids), concat([[count], own_shape], 0)), dtype)

    return _shaped_draws(draw, sample_shape)
