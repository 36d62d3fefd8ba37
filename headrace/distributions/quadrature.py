"""Continuous mixtures as sums over few points, and the mixture of Poisson distributions over a lognormal rate.

Dillon and Langmore, "Quadrature compound: an approximating family of distributions", arXiv:1801.03080.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.discrete import Categorical
from headrace.distributions.location_scale import Poisson
from headrace.distributions.matrix_bijectors import SoftmaxCentered
from headrace.distributions.normal import Normal
from headrace.distributions.parameters import gen_new_seed, maybe_get_static_value
from headrace.functions.flow.checks import assert_equal
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.reduction import reduce_logsumexp, reduce_prod
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, reshape
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.nn.softmax import softmax
from headrace.ops.random.sampling import random_poisson

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


def vectors_joined(*vectors: Any) -> Any:
    """Integer vectors one after the other: a list where all are known, else a tensor."""
    values = [
        [maybe_get_static_value(number) for number in vector]
        if isinstance(vector, list)
        else maybe_get_static_value(vector)
        for vector in vectors
    ]
    if any(value is None or None in list(value) for value in values):
        return composing.concat(list(vectors), 0)
    return [int(number) for value in values for number in value]


def _hermite(size: int, dtype: DType) -> tuple[Any, Tensor]:
    """Points and weights of the Gauss-Hermite rule (Abramowitz and Stegun, 25.4.46), the weights adding up to 1."""
    points, weights = np.polynomial.hermite.hermgauss(deg=size)
    kind = dtype.as_numpy_dtype
    weights = weights.astype(kind)
    weights /= np.abs(weights).sum()
    return points.astype(kind), convert_to_tensor(weights, dtype, name="probs")


def _quantiles(distribution: Distribution, size: int, forward: Callable[[Tensor], Tensor]) -> Tensor:
    """size + 1 evenly spaced quantiles, sent through `forward`, along a last dimension."""
    rank: Any = distribution.batch_shape.ndims
    if rank is None:
        rank = shape_internal(distribution.batch_shape_tensor())[0]
    edges = raw.LinSpace(composing.zeros([], dtype=distribution.dtype), 1.0, size + 3)[1:-1]
    edges = reshape(edges, composing.concat([[-1], composing.ones([rank], dtype="int32")], 0))
    found = forward(distribution.quantile(edges))
    return composing.transpose(found, composing.concat([composing.range_(1, 1 + rank), [0]], 0))


def _even(size: int, dtype: DType) -> Tensor:
    return raw.Fill([size], 1.0 / cast(size, dtype))


def quadrature_scheme_lognormal_gauss_hermite(
    loc: Tensor, scale: Tensor, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Gauss-Hermite points of a normal distribution, for the logarithm of a lognormal variable.

    Args:
        loc, scale: floating tensors of shape [...], the mean and deviation of the normal distribution.
        quadrature_size: how many points.
        validate_args: not used.
        name: a name scope.

    Returns:
        The points, shape [..., quadrature_size], and their weights, [quadrature_size].

    Example:
        >>> grid, probs = quadrature_scheme_lognormal_gauss_hermite(tf.constant([0.0]), tf.constant([1.0]), 8)
    """
    del validate_args
    with name_scope(name, "vector_diffeomixture_quadrature_gauss_hermite", [loc, scale]):
        points, probs = _hermite(quadrature_size, loc.dtype)
        return loc[..., None] + np.sqrt(2.0) * scale[..., None] * points, probs


def quadrature_scheme_lognormal_quantiles(
    loc: TensorLike, scale: TensorLike, quadrature_size: int, validate_args: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The middles between evenly spaced quantiles of a lognormal distribution.

    Args and returns as `quadrature_scheme_lognormal_gauss_hermite`.

    Example:
        >>> grid, probs = quadrature_scheme_lognormal_quantiles(tf.constant([0.0]), tf.constant([1.0]), 8)
    """
    with name_scope(name, "quadrature_scheme_lognormal_quantiles", [loc, scale]):
        normal = Normal(loc=loc, scale=scale, validate_args=validate_args)
        quantiles = _quantiles(normal, quadrature_size, raw.Exp)
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        grid.set_shape(normal.batch_shape.concatenate([quadrature_size]))
        return grid, _even(quadrature_size, normal.dtype)


def _bimixture(param: Tensor, name: str, validate_args: bool) -> Tensor:
    """`param`, whose last dimension is to be 1: only mixtures of two are supported."""
    with name_scope("check_" + name, values=[param]):
        shape = param.get_shape()
        checks: list[Operation] = []
        if shape.ndims == 0:
            raise ValueError(f"Mixing params must be a (batch of) vector; {name}.rank=0 is not at least one.")
        if shape.ndims is None and validate_args:
            message = f"Mixing params must be a (batch of) vector; {name}.rank is not at least one."
            checks.append(assert_rank_at_least(param, 1, message=message))
        last = dimension_at_index(shape.with_rank_at_least(1), -1).value if shape.ndims else None
        if last is not None and last != 1:
            raise NotImplementedError(f"Currently only bimixtures are supported; {name}.shape[-1]={last} is not 1.")
        if last is None and validate_args:
            message = f"Currently only bimixtures are supported; {name}.shape[-1] is not 1."
            checks.append(assert_equal(shape_internal(param)[-1], 1, message=message))
        return with_dependencies(checks, param) if checks else param


def _normal_params(loc: TensorLike, scale: TensorLike, validate_args: bool) -> tuple[Tensor, Tensor]:
    loc = convert_to_tensor(loc, name="normal_loc")
    scale = convert_to_tensor(scale, loc.dtype.base_dtype, name="normal_scale")
    return loc, _bimixture(scale, "normal_scale", validate_args)


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: TensorLike,
    normal_scale: TensorLike,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Gauss-Hermite points of a normal distribution, made weights of two components by the softmax.

    Args:
        normal_loc, normal_scale: floating tensors of shape [..., 1].
        quadrature_size: how many points.
        validate_args: whether to check shapes when the graph runs.
        name: a name scope.

    Returns:
        The points, shape [..., 2, quadrature_size], and their weights, [quadrature_size].

    Raises:
        NotImplementedError: for more than two components.

    Example:
        >>> grid, probs = quadrature_scheme_softmaxnormal_gauss_hermite([0.0], [1.0], 8)
    """
    with name_scope(name, "quadrature_scheme_softmaxnormal_gauss_hermite", [normal_loc, normal_scale]):
        loc, scale = _normal_params(normal_loc, normal_scale, validate_args)
        points, probs = _hermite(quadrature_size, loc.dtype.base_dtype)
        logits = loc[..., None] + np.sqrt(2.0) * scale[..., None] * points
        # The other component's logit is 0.
        logits = composing.concat([composing.zeros_like(logits), logits], -2)
        return softmax(-logits, axis=-2), probs


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: TensorLike,
    normal_scale: TensorLike,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The middles between evenly spaced quantiles of a normal distribution, made weights by the softmax.

    Args, returns and raises as `quadrature_scheme_softmaxnormal_gauss_hermite`.

    Example:
        >>> grid, probs = quadrature_scheme_softmaxnormal_quantiles([0.0], [1.0], 8)
    """
    with name_scope(name, "softmax_normal_grid_and_probs", [normal_loc, normal_scale]):
        loc, scale = _normal_params(normal_loc, normal_scale, validate_args)
        normal = Normal(loc=loc, scale=scale)
        quantiles = _quantiles(normal, quadrature_size, SoftmaxCentered().forward)
        batch = normal.batch_shape.with_rank_at_least(1)
        count = dimension_at_index(batch, -1).value if batch.ndims else None
        outer = batch[:-1].concatenate([None if count is None else count + 1])
        quantiles.set_shape(outer.concatenate([quadrature_size + 1]))
        grid = (quantiles[..., :-1] + quantiles[..., 1:]) / 2.0
        grid.set_shape(outer.concatenate([quadrature_size]))
        return grid, _even(quadrature_size, normal.dtype)


class PoissonLogNormalQuadratureCompound(Distribution):
    """Poisson distributions mixed over a lognormal rate, as a sum over few rates.

    Args:
        loc, scale: floating tensors of shape [...], the mean and deviation of the logarithm of the rate.
        quadrature_size: how many rates.
        quadrature_fn: a function from loc, scale, the number and validate_args to the points and their weights.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        TypeError: if points and weights are of different types.

    Example:
        >>> tf.contrib.distributions.PoissonLogNormalQuadratureCompound(loc=[0.0, -0.5], scale=1.0).log_prob([3.0, 2.0])
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Sequence[Tensor]] = quadrature_scheme_lognormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "PoissonLogNormalQuadratureCompound",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            if scale is not None:
                scale = convert_to_tensor(scale, None if loc is None else loc.dtype, name="scale")
            grid, probs = quadrature_fn(loc, scale, quadrature_size, validate_args)
            if grid.dtype.base_dtype != probs.dtype.base_dtype:
                raise TypeError(
                    f"Quadrature grid dtype ({grid.dtype.name}) does not match quadrature probs dtype "
                    f"({probs.dtype.name})."
                )
            self._distribution = Poisson(log_rate=grid, validate_args=validate_args, allow_nan_stats=allow_nan_stats)
            self._mixture = Categorical(
                logits=raw.Log(probs), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
        self._loc, self._scale, self._quadrature_size = loc, scale, quadrature_size
        parents = [loc, scale]
        super().__init__(grid.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    @property
    def mixture_distribution(self) -> Categorical:
        """The weights of the rates."""
        return self._mixture

    @property
    def distribution(self) -> Poisson:
        """The Poisson distribution of each rate."""
        return self._distribution

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm of the rate."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The deviation of the logarithm of the rate."""
        return self._scale

    @property
    def quadrature_size(self) -> int:
        """How many rates."""
        return self._quadrature_size

    def _batch_shape_tensor(self) -> Tensor:
        logits = shape_internal(self._mixture.logits)
        return broadcast_dynamic_shape(self._distribution.batch_shape_tensor(), logits)[:-1]

    def _batch_shape(self) -> TensorShape:
        return broadcast_static_shape(self._distribution.batch_shape, self._mixture.logits.get_shape())[:-1]

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        batch: Any = self.batch_shape.num_elements()
        if batch is None:
            batch = reduce_prod(self.batch_shape_tensor())
        # One choice of a rate for each member of each sample.
        chosen_seed = gen_new_seed(seed, "poisson_lognormal_quadrature_compound")
        ids = self._mixture.sample(vectors_joined([n], [batch]), seed=chosen_seed)
        if self.batch_shape.ndims == 0:
            ids = reshape(ids, [n])
        size = self._quadrature_size
        ids = ids + composing.range_(0, batch * size, size)
        rate = composing.gather(reshape(self._distribution.rate, [-1]), ids)
        rate = reshape(rate, vectors_joined([n], self.batch_shape_tensor()))
        return random_poisson(rate, [], dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Tensor) -> Tensor:
        return reduce_logsumexp(self._mixture.logits + self._distribution.log_prob(x[..., None]), axis=-1)

    def _mean(self) -> Tensor:
        return raw.Exp(reduce_logsumexp(self._mixture.logits + self._distribution.log_rate, axis=-1))

    def _variance(self) -> Tensor:
        return raw.Exp(self._log_variance())

    def _stddev(self) -> Tensor:
        return raw.Exp(0.5 * self._log_variance())

    def _log_variance(self) -> Tensor:
        """Of what the rates vary by themselves, and of how far apart they lie."""
        apart = 2.0 * raw.Log(raw.Abs(self._distribution.mean() - self._mean()[..., None]))
        both = composing.stack([self._distribution.log_rate, apart], axis=-1)
        return reduce_logsumexp(self._mixture.logits[..., None] + both, axis=[-2, -1])
