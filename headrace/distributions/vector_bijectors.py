"""Bijectors of vectors that keep elements: in another order, or some of them as they are and the others changed by those."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.bijector import Bijector
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _checked_permutation(permutation: Tensor) -> Tensor:
    """`permutation` with a check, when it is computed, that each number is there once."""
    ordered, _ = raw.TopKV2(-permutation, shape_internal(permutation)[-1], sorted=True)
    each_once = assert_equal(
        -ordered,
        composing.range_(composing.size(ordered)),
        message="Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`.",
    )
    return with_dependencies([each_once], permutation)


class Permute(Bijector):
    """The elements of the last dimension in another order: y[i] = x[permutation[i]].

    Raises:
        TypeError: if the permutation is not of integers.
        ValueError: if it is known not to be one.
    """

    def __init__(self, permutation: TensorLike, validate_args: bool = False, name: str | None = None) -> None:
        with name_scope(name, "permute", [permutation]):
            self._permutation = convert_to_tensor(permutation, name="permutation")
            if not self._permutation.dtype.is_integer:
                raise TypeError(f"permutation.dtype ({self._permutation.dtype.name}) should be `int`-like.")
            value = constant_value(self._permutation)
            if value is not None and not np.array_equal(np.sort(value), np.arange(value.size)):
                raise ValueError("Permutation over `d` must contain exactly one of each of `{0, 1, ..., d}`.")
            if value is None and validate_args:
                self._permutation = _checked_permutation(self._permutation)
            super().__init__(
                forward_min_event_ndims=1,
                is_constant_jacobian=True,
                validate_args=validate_args,
                name=name or "permute",
            )

    @property
    def permutation(self) -> Tensor:
        """The permutation."""
        return self._permutation

    def _forward(self, x: Tensor) -> Tensor:
        return composing.gather(x, self._permutation, axis=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return composing.gather(y, raw.InvertPermutation(self._permutation), axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        return constant(0.0, dtype=y.dtype.base_dtype)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return constant(0.0, dtype=x.dtype.base_dtype)


class RealNVP(Bijector):
    """An affine coupling layer: Dinh and others, "Density estimation using Real NVP", arXiv:1605.08803.

    Args:
        num_masked: how many elements of the last dimension stay as they are.
        shift_and_log_scale_fn: from those and the number of the others, shift and log-scale of the others.
        is_constant_jacobian, validate_args, name: as for `Bijector`.

    Raises:
        ValueError: for a negative number.
    """

    def __init__(
        self,
        num_masked: int,
        shift_and_log_scale_fn: Callable[..., Any],
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        if num_masked <= 0:
            raise ValueError("num_masked must be a positive integer.")
        self._num_masked = num_masked
        self._shift_and_log_scale_fn = shift_and_log_scale_fn
        super().__init__(
            forward_min_event_ndims=1,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name or "real_nvp",
        )

    def _rest(self, x: Tensor) -> int:
        """How many elements of the last dimension change."""
        depth = x.get_shape().with_rank_at_least(1).as_list()[-1]
        if depth is None:
            raise NotImplementedError("Rightmost dimension must be known prior to graph execution.")
        if self._num_masked >= depth:
            raise ValueError("Number of masked units must be smaller than the event size.")
        return int(depth - self._num_masked)

    def _parts(self, x: Tensor) -> tuple[Tensor, Tensor, Any, Any]:
        count = self._rest(x)
        kept, rest = x[:, : self._num_masked], x[:, self._num_masked :]
        shift, log_scale = self._shift_and_log_scale_fn(kept, count)
        return kept, rest, shift, log_scale

    def _log_scale(self, x: Tensor) -> Tensor:
        count = self._rest(x)
        return self._shift_and_log_scale_fn(x[:, : self._num_masked], count)[1]

    def _forward(self, x: Tensor) -> Tensor:
        kept, rest, shift, log_scale = self._parts(x)
        if log_scale is not None:
            rest = rest * raw.Exp(log_scale)
        return composing.concat([kept, rest if shift is None else rest + shift], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        kept, rest, shift, log_scale = self._parts(y)
        rest = rest if shift is None else rest - shift
        return composing.concat([kept, rest if log_scale is None else rest * raw.Exp(-log_scale)], -1)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        log_scale = self._log_scale(x)
        if log_scale is None:
            return constant(0.0, dtype=x.dtype, name="fldj")
        return reduce_sum(log_scale, axis=-1)

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        log_scale = self._log_scale(y)
        if log_scale is None:
            return constant(0.0, dtype=y.dtype, name="ildj")
        return -reduce_sum(log_scale, axis=-1)
