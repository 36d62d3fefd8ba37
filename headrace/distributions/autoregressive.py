"""Distributions made by feeding samples back into what makes distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import Distribution
from headrace.distributions.parameters import gen_new_seed

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class Autoregressive(Distribution):
    """The distribution of x = fn(... fn(fn(x0).sample()).sample() ...).sample().

    The probability of x is that of fn(x), so each coordinate of fn's distribution may depend on those before it only.

    Args:
        distribution_fn: a function from a sample to a Distribution.
        sample0: the first sample; `distribution_fn` is called without one where there is none.
        num_steps: how often samples are fed back; as many as a value has elements by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: if the number of steps is neither given nor known, or less than 1.

    Example:
        >>> ds = tf.contrib.distributions
        >>> before = tf.constant(np.tril(np.ones([8, 8]), -1), tf.float32)  # an entry depends on those before it
        >>> step = lambda x: ds.Independent(ds.Normal(tf.linalg.matvec(before, x), 1.0), 1)
        >>> made = ds.Autoregressive(step, tf.zeros([8]))
    """

    def __init__(
        self,
        distribution_fn: Callable[..., Distribution],
        sample0: TensorLike | None = None,
        num_steps: int | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Autoregressive",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope:
            first = distribution_fn() if sample0 is None else distribution_fn(sample0)
            if num_steps is None:
                num_steps = first.event_shape.num_elements()
                if num_steps is None:
                    raise ValueError("distribution_fn must generate a distribution with fully known `event_shape`.")
            if num_steps < 1:
                raise ValueError(f"num_steps ({num_steps}) must be at least 1.")
        self._distribution_fn, self._sample0 = distribution_fn, sample0
        self._num_steps, self._distribution0 = num_steps, first
        super().__init__(
            first.dtype,
            first.reparameterization_type,
            validate_args,
            allow_nan_stats,
            arguments,
            first._graph_parents,
            scope,
        )

    @property
    def distribution_fn(self) -> Callable[..., Distribution]:
        """What makes a distribution of a sample."""
        return self._distribution_fn

    @property
    def sample0(self) -> Any:
        """The first sample."""
        return self._sample0

    @property
    def num_steps(self) -> int:
        """How often samples are fed back."""
        return self._num_steps

    @property
    def distribution0(self) -> Distribution:
        """The distribution of the first sample."""
        return self._distribution0

    def _batch_shape(self) -> TensorShape:
        return self._distribution0.batch_shape

    def _batch_shape_tensor(self) -> Tensor:
        return self._distribution0.batch_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self._distribution0.event_shape

    def _event_shape_tensor(self) -> Tensor:
        return self._distribution0.event_shape_tensor()

    def _sample_n(self, n: Tensor | np.integer[Any], seed: int | None = None) -> Tensor:
        if seed is None:
            # Every step draws with the same seed, so that the sample is a fixed point.
            seed = gen_new_seed(np.random.randint(2**32 - 1), "autoregressive")
        samples = self._distribution0.sample(n, seed=seed)
        for _ in range(self._num_steps):
            samples = self._distribution_fn(samples).sample(seed=seed)
        return samples

    def _log_prob(self, value: Tensor) -> Tensor:
        return self._distribution_fn(value).log_prob(value)

    def _prob(self, value: Tensor) -> Tensor:
        return self._distribution_fn(value).prob(value)
