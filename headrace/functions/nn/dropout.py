"""Dropout: Srivastava, Hinton, Krizhevsky, Sutskever and Salakhutdinov, JMLR 15, 2014."""

from __future__ import annotations

import logging
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.renamed_arguments import first_given
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_log = logging.getLogger("tensorflow")
_warnings_left = 5


def _noise_shape(x: Tensor, noise_shape: Tensor | Sequence[int | None] | None) -> Any:
    """The shape of the random numbers: that of `x`, where None in `noise_shape` stands for its size."""
    if noise_shape is None:
        return composing.shape(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    try:
        dims = as_dims(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.dims is None or dims is None or len(dims) != len(x.dims):
        return noise_shape
    return TensorShape.from_dims(
        tuple(own if own is not None else size for own, size in zip(dims, x.dims, strict=True))
    )


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Tensor | Sequence[int | None] | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: float | Tensor | Sequence[float] | None = None,
) -> Tensor:
    """Sets elements to 0 at random and scales up the others, so that the expected sum stays.

    Args:
        x: floats of any shape.
        keep_prob: the probability that an element is kept: 1 - `rate`.
        noise_shape: an int32 vector that broadcasts to the shape of `x`; elements are dropped together along axes where
            it is 1.
        seed: a Python int for a reproducible choice; see `set_random_seed`.
        name: a name scope.
        rate: the probability that an element is dropped, a number or scalar tensor.

    Returns:
        a tensor of the type and shape of `x`; `x` itself where nothing is dropped.

    Raises:
        ValueError: if `x` is not floating point, or the rate is missing, given twice or not in [0, 1).

    Example:
        >>> tf.Session().run(tf.nn.dropout(tf.ones([4]), keep_prob=1.0))
        array([1., 1., 1., 1.], dtype=float32)
    """
    try:
        dropped = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(f"keep_prob must be a floating point number or Tensor (got {keep_prob!r})") from None
    rate = first_given("rate", rate, "keep_prob", dropped)
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    with name_scope(name, "dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"x has to be a floating point tensor since it's going to be scaled. Got a {x.dtype} tensor instead."
            )
        if isinstance(rate, numbers.Real):
            if not 0 <= rate < 1:  # type: ignore[operator]  # real numbers compare with others, which `numbers.Real` does not tell
                raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate:g}")
            if rate > 0.5:  # type: ignore[operator]  # the same holds here
                _warn_of_large_rate(rate)
            if rate == 0:
                return x
        rate = convert_to_tensor(rate, dtype=x.dtype.base_dtype, name="rate")
        rate.get_shape().assert_has_rank(0)
        if rate._op.type == "Const" and constant_value(rate) == 0:
            return x
        noise = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype.base_dtype)
        scale = 1 / (1 - rate)
        kept = noise >= rate
        result = x * scale * composing.cast(kept, x.dtype)
        result.set_shape(x.dims)
        return result


def _warn_of_large_rate(rate: Any) -> None:
    global _warnings_left
    if _warnings_left > 0:
        _warnings_left -= 1
        _log.warning(
            "Large dropout rate: %g (>0.5). In TensorFlow 2.x, dropout() uses dropout rate instead of keep_prob. Please "
            "ensure that this is intended.",
            rate,
        )
