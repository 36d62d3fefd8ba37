"""Checks of distributions for tests of programs: that samples, densities and moments fit one another.

The classes are mixed into a test case, which has `assertAllClose`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.counting import histogram_fixed_width
from headrace.functions.math.norms import norm
from headrace.functions.math.reduction import reduce_max, reduce_mean, reduce_min, reduce_prod
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.join import unstack
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.state.collecting import global_variables_initializer

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_Run = Callable[[Any], Any]


class _Moments:
    """What both have: the test case's comparison."""

    assertAllClose: Callable[..., None]

    def _same(self, pairs: list[tuple[Any, Any]], rtol: float, atol: float) -> None:
        for exact, sampled in pairs:
            self.assertAllClose(exact, sampled, rtol=rtol, atol=atol)


class DiscreteScalarDistributionTestHelpers(_Moments):
    """Checks of distributions of whole numbers."""

    def run_test_sample_consistent_log_prob(
        self,
        sess_run_fn: _Run,
        dist: Any,
        num_samples: int = int(1e5),
        num_threshold: int = int(1e3),
        seed: int | None = 42,
        batch_size: Any = None,
        rtol: float = 1e-2,
        atol: float = 0.0,
    ) -> None:
        """Fails unless values come as often among samples as `log_prob` says.

        Args:
            sess_run_fn: runs a list of tensors, as `sess.run` does.
            dist: the distribution.
            num_samples: how many samples to draw.
            num_threshold: how often a value must come to be compared.
            seed: of the samples.
            batch_size: how many distributions it holds; found out by default.
            rtol, atol: how far a share may be off.

        Raises:
            ValueError: for a threshold below 1.
        """
        if num_threshold < 1:
            raise ValueError(f"num_threshold({num_threshold}) must be at least 1.")
        y = reshape(dist.sample(num_samples, seed=seed), [num_samples, -1])
        if batch_size is None:
            batch_size = reduce_prod(dist.batch_shape_tensor())
        batch_rank = shape_internal(dist.batch_shape_tensor())[0]
        expanded_shape = 1 + pad([-2], paddings=[[0, batch_rank]])
        for index, x in enumerate(unstack(y, num=batch_size, axis=1)):
            counts, edges = self.histogram(x)
            probs = raw.Exp(dist.log_prob(reshape(edges, expanded_shape)))
            counts, probs = sess_run_fn([counts, reshape(probs, [-1, batch_size])[:, index]])
            often = counts > num_threshold
            self.assertAllClose(probs[often], counts[often] / num_samples, rtol=rtol, atol=atol)

    def run_test_sample_consistent_mean_variance(
        self,
        sess_run_fn: _Run,
        dist: Any,
        num_samples: int = int(1e5),
        seed: int | None = 24,
        rtol: float = 1e-2,
        atol: float = 0.0,
    ) -> None:
        """Fails unless mean, variance and deviation are those of samples.

        Args:
            sess_run_fn, dist, num_samples, seed: as for `run_test_sample_consistent_log_prob`.
            rtol, atol: how far a moment may be off.
        """
        x = cast(dist.sample(num_samples, seed=seed), "float32")
        mean = reduce_mean(x, axis=0)
        variance = reduce_mean(raw.Square(x - mean), axis=0)
        sampled = [mean, variance, raw.Sqrt(variance)]
        found = sess_run_fn([*sampled, dist.mean(), dist.variance(), dist.stddev()])
        self._same(list(zip(found[3:], found[:3])), rtol, atol)

    def histogram(self, x: TensorLike, value_range: Any = None, nbins: Any = None, name: str | None = None) -> Any:
        """How many elements fall into each of bins of one width.

        Args:
            x: vector of numbers.
            value_range: the lower end of the first bin and the upper end of the last; the range of `x` by default.
            nbins: how many bins; of width 1 by default.
            name: a name scope.

        Returns:
            the counts, and the lower ends of the bins.
        """
        with name_scope(name, "histogram", [x]):
            x = convert_to_tensor(x, name="x")
            if value_range is None:
                value_range = [reduce_min(x), 1 + reduce_max(x)]
            value_range = convert_to_tensor(value_range, name="value_range")
            low, high = value_range[0], value_range[1]
            if nbins is None:
                nbins = cast(high - low, "int32")
            width = (high - low) / cast(nbins, value_range.dtype.base_dtype)
            edges = composing.range_(low, high, width, dtype=x.dtype.base_dtype)
            return histogram_fixed_width(x, value_range=value_range, nbins=nbins), edges


class VectorDistributionTestHelpers(_Moments):
    """Checks of distributions of vectors."""

    def run_test_sample_consistent_log_prob(
        self,
        sess_run_fn: _Run,
        dist: Any,
        num_samples: int = int(1e5),
        radius: float = 1.0,
        center: Any = 0.0,
        seed: int | None = 42,
        rtol: float = 1e-2,
        atol: float = 0.0,
    ) -> None:
        """Fails unless the volume of a ball is what samples weighted with their densities make of it.

        Args:
            sess_run_fn: runs a list of tensors, as `sess.run` does.
            dist: the distribution, positive all over the ball.
            num_samples: how many samples to draw.
            radius, center: those of the ball; a scalar center stands for all elements.
            seed: of the samples.
            rtol, atol: how far the volume may be off.
        """
        with name_scope("run_test_sample_consistent_log_prob", values=dist._graph_parents):
            batch_shape = dist.batch_shape_tensor()
            wide = np.asarray(radius)
            size = cast(dist.event_shape_tensor()[0], wide.dtype)
            volume = raw.Exp((size / 2.0) * np.log(np.pi) - raw.Lgamma(1.0 + size / 2.0) + size * raw.Log(wide))
            # A tensor of its own, for which no bijector has kept anything.
            x = identity(dist.sample(num_samples, seed=seed))
            weights = raw.Exp(-dist.log_prob(x))
            inside = cast(norm(x - center, axis=-1) <= radius, x.dtype)
            sampled = reduce_mean(weights * inside, axis=0)
            initializer = global_variables_initializer()
        sess_run_fn(initializer)
        batch, exact, found = sess_run_fn([batch_shape, volume, sampled])
        self.assertAllClose(np.tile(exact, reps=batch), found, rtol=rtol, atol=atol)

    def run_test_sample_consistent_mean_covariance(
        self,
        sess_run_fn: _Run,
        dist: Any,
        num_samples: int = int(1e5),
        seed: int | None = 24,
        rtol: float = 1e-2,
        atol: float = 0.1,
        cov_rtol: float | None = None,
        cov_atol: float | None = None,
    ) -> None:
        """Fails unless mean, covariance, variance and deviation are those of samples.

        Args:
            sess_run_fn, dist, num_samples, seed: as for `run_test_sample_consistent_log_prob`.
            rtol, atol: how far a moment may be off.
            cov_rtol, cov_atol: how far the covariance may be, by default as far.
        """
        x = dist.sample(num_samples, seed=seed)
        mean = reduce_mean(x, axis=0)
        covariance = reduce_mean(_outer_square(x - mean), axis=0)
        variance = raw.MatrixDiagPart(covariance, name="diag_part")
        moments = [dist.mean(), dist.covariance(), dist.variance(), dist.stddev()]
        found = sess_run_fn([mean, covariance, variance, raw.Sqrt(variance), *moments])
        pairs = list(zip(found[4:], found[:4]))
        self._same([pairs[0], *pairs[2:]], rtol, atol)
        self._same([pairs[1]], cov_rtol or rtol, cov_atol or atol)


def _outer_square(x: Tensor) -> Tensor:
    with name_scope("vec_osquare", values=[x]):
        return x[..., :, None] * x[..., None, :]
