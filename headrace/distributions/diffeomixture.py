"""Mixtures of vectors along a line between two affine transformations.

Dillon and Langmore, "Quadrature compound: an approximating family of distributions", arXiv:1801.03080.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.distributions.affine_bijectors import AffineLinearOperator
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution
from headrace.distributions.discrete import Categorical
from headrace.distributions.parameters import gen_new_seed
from headrace.distributions.quadrature import quadrature_scheme_softmaxnormal_quantiles, vectors_joined
from headrace.functions.flow.checks import assert_equal
from headrace.functions.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import LinearOperatorDiag, LinearOperatorLowerTriangular
from headrace.functions.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank, shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, reshape
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


class VectorDiffeomixture(Distribution):
    """Vectors x = w (A0 z + b0) + (1 - w) (A1 z + b1), z drawn from a distribution of numbers, w from a simplex.

    The weights are softmax([mix_loc + normal noise] / temperature), as a sum over few points.

    Args:
        mix_loc: floating tensor of shape [..., 1].
        temperature: floating tensor, as `mix_loc`.
        distribution: a Distribution of single numbers.
        loc: two tensors of shape [..., k], or None.
        scale: two LinearOperators of shape [..., k, k]: (scaled) identities, diagonals or lower triangles.
        quadrature_size: how many points.
        quadrature_fn: a function from loc / temperature, 1 / temperature, the number and validate_args to the points,
            [..., 2, quadrature_size], and their weights.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: for fewer scales than two, other numbers of locs, or a scale that is to be positive definite and is
            not known to be. TypeError: for scales of different types. NotImplementedError: for more scales than two.

    Example:
        >>> ds = tf.contrib.distributions
        >>> ds.VectorDiffeomixture([[0.0]], [1.0], ds.Normal(0.0, 1.0), loc=[None, [2.0, 2.0]],
        ...     scale=[tf.linalg.LinearOperatorIdentity(2), tf.linalg.LinearOperatorDiag([1.0, 0.5])])
    """

    def __init__(
        self,
        mix_loc: TensorLike,
        temperature: TensorLike,
        distribution: Distribution,
        loc: Sequence[Any] | None = None,
        scale: Sequence[LinearOperator] | None = None,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Sequence[Tensor]] = quadrature_scheme_softmaxnormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDiffeomixture",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[mix_loc, temperature]) as scope:
            if not scale or len(scale) < 2:
                raise ValueError(
                    "Must specify list (or list-like object) of scale LinearOperators, one for each component with "
                    "num_component >= 2."
                )
            loc = [None] * len(scale) if loc is None else loc
            if len(loc) != len(scale):
                raise ValueError("loc/scale must be same-length lists (or same-length list-like objects).")
            dtype = scale[0].dtype.base_dtype
            shifts = [
                None if shift is None else convert_to_tensor(shift, dtype, name=f"loc{number}")
                for number, shift in enumerate(loc)
            ]
            _check_scales(scale, validate_args)
            self._endpoint_affine = _affine(shifts, scale, validate_args, "endpoint_affine")
            mix_loc = convert_to_tensor(mix_loc, dtype, name="mix_loc")
            temperature = convert_to_tensor(temperature, dtype, name="temperature")
            grid, probs = quadrature_fn(mix_loc / temperature, 1.0 / temperature, quadrature_size, validate_args)
            self._mixture = Categorical(
                logits=raw.Log(probs), validate_args=validate_args, allow_nan_stats=allow_nan_stats
            )
            checks = _check_scalar(distribution, dtype, validate_args)
            self._grid = with_dependencies(checks, grid) if checks else grid
            self._distribution = distribution
            self._interpolated_affine = _affine(
                *_interpolated(self._grid, shifts, scale), validate_args, "interpolated_affine"
            )
            self._shapes = _batch_and_event(self._grid, self._endpoint_affine)
        parents = [*distribution._graph_parents, *(shift for shift in shifts if shift is not None)]
        parents += [parent for operator in scale for parent in operator.graph_parents]
        super().__init__(dtype, FULLY_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    @property
    def mixture_distribution(self) -> Categorical:
        """The weights of the points."""
        return self._mixture

    @property
    def distribution(self) -> Distribution:
        """What the coordinates are drawn from."""
        return self._distribution

    @property
    def grid(self) -> Tensor:
        """The points, [..., 2, quadrature_size]."""
        return self._grid

    @property
    def endpoint_affine(self) -> list[AffineLinearOperator]:
        """The two transformations."""
        return self._endpoint_affine

    @property
    def interpolated_affine(self) -> list[AffineLinearOperator]:
        """The transformation at each point."""
        return self._interpolated_affine

    def _batch_shape(self) -> TensorShape:
        return self._shapes[0]

    def _batch_shape_tensor(self) -> Tensor:
        return self._shapes[1]

    def _event_shape(self) -> TensorShape:
        return self._shapes[2]

    def _event_shape_tensor(self) -> Tensor:
        return self._shapes[3]

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        drawn = self._distribution.sample(
            vectors_joined([n], self.batch_shape_tensor(), self.event_shape_tensor()), seed=seed
        )
        first, second = (affine.forward(drawn) for affine in self._endpoint_affine)
        batch: Any = self.batch_shape.num_elements()
        if batch is None:
            batch = reduce_prod(self.batch_shape_tensor())
        mixed: Any = self._mixture.batch_shape.num_elements()
        if mixed is None:
            mixed = reduce_prod(self._mixture.batch_shape_tensor())
        scalar = self.batch_shape.ndims == 0
        ids = self._mixture.sample(
            vectors_joined([n], [] if scalar else [batch // mixed]), seed=gen_new_seed(seed, "vector_diffeomixture")
        )
        ids = reshape(ids, vectors_joined([n], [] if scalar else [-1]))
        stride: int = self._grid.get_shape().with_rank_at_least(2)[-2:].num_elements()
        if stride is None:
            stride = reduce_prod(shape_internal(self._grid)[-2:])
        # The first component's weights come first in the points of each member of the batch.
        places = ids + composing.range_(0, batch * stride, stride)
        weight = composing.gather(reshape(self._grid, [-1]), places)
        weight = reshape(weight, vectors_joined([-1], self.batch_shape_tensor(), [1]))
        return weight * (first - second) + second

    def _log_prob(self, x: Tensor) -> Tensor:
        before = composing.stack([affine.inverse(x) for affine in self._interpolated_affine], axis=-1)
        log_prob = reduce_sum(self._distribution.log_prob(before), axis=-2)
        dims = rank(self.event_shape_tensor())
        stretched = [affine.forward_log_det_jacobian(x, event_ndims=dims) for affine in self._interpolated_affine]
        return reduce_logsumexp(self._mixture.logits - composing.stack(stretched, axis=-1) + log_prob, axis=-1)

    def _expanded_probs(self) -> Tensor:
        """The weights of the points with dimensions for the value before the last."""
        probs = self._mixture.probs
        count: Any = dimension_at_index(probs.get_shape().with_rank_at_least(1), -1).value
        count = shape_internal(probs)[-1] if count is None else count
        return reshape(probs, vectors_joined(self._mixture.batch_shape_tensor(), [1], [count]))

    def _expanded_mean(self) -> Tensor:
        """The mean of the numbers' distribution as the coordinates of a value."""
        shape = composing.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        mean = raw.Tile(reshape(self._distribution.mean(), composing.ones_like(shape)), shape)
        mean.set_shape(self.batch_shape.concatenate(self.event_shape))
        return mean

    def _mean(self) -> Tensor:
        probs, mean = self._expanded_probs(), self._expanded_mean()
        return _total([probs[..., k] * affine.forward(mean) for k, affine in enumerate(self._interpolated_affine)])

    def _variance(self) -> Tensor:
        return self._within(diagonal=True) + self._between(diagonal=True)

    def _covariance(self) -> Tensor:
        return self._within(diagonal=False) + self._between(diagonal=False)

    def _within(self, diagonal: bool) -> Tensor:
        """The mean over the points of the covariance at each."""
        probs, variance = self._mixture.probs, self._distribution.variance()
        parts = []
        for k, affine in enumerate(self._interpolated_affine):
            scale, weight = affine.scale, probs[..., k, None]
            if scale is None:
                raise ValueError("VectorDiffeomixture needs a scale at each point, got None.")
            if isinstance(scale, (LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorDiag)):
                part = weight * raw.Square(scale.diag_part())
                parts.append(part if diagonal else raw.MatrixDiag(part, name="diag"))
            else:
                square = scale.matmul(scale.to_dense(), adjoint_arg=True)
                parts.append(
                    weight * raw.MatrixDiagPart(square, name="diag_part") if diagonal else weight[..., None] * square
                )
        return _total(parts) * variance

    def _between(self, diagonal: bool) -> Tensor:
        """The covariance over the points of the mean at each."""
        probs, inner, mean = self._expanded_probs(), self._expanded_mean(), self._mean()
        probs = probs if diagonal else probs[..., None, :]
        parts = []
        for k, affine in enumerate(self._interpolated_affine):
            away = affine.forward(inner) - mean
            square = raw.Square(away) if diagonal else away[..., :, None] * away[..., None, :]
            parts.append(probs[..., k] * square)
        return _total(parts)


def _total(parts: Sequence[Tensor]) -> Tensor:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _affine(
    shifts: Sequence[Tensor | None], scales: Sequence[LinearOperator], validate_args: bool, name: str
) -> list[AffineLinearOperator]:
    return [
        AffineLinearOperator(shift=shift, scale=scale, validate_args=validate_args, name=f"{name}_{number}")
        for number, (shift, scale) in enumerate(zip(shifts, scales, strict=True))
    ]


def _check_scales(scales: Sequence[LinearOperator], validate_args: bool) -> None:
    kind = scales[0].dtype.base_dtype
    for number, scale in enumerate(scales):
        if validate_args and not scale.is_positive_definite:
            raise ValueError(f"scale[{number}].is_positive_definite = {scale.is_positive_definite} != True")
        if scale.dtype.base_dtype != kind:
            found = scale.dtype.base_dtype.name
            raise TypeError(f'dtype mismatch; scale[{number}].base_dtype="{found}" != "{kind.name}"')
    if len(scales) != 2:
        raise NotImplementedError(f"Currently only bimixtures are supported; len(scale)={len(scales)} is not 2.")


def _check_scalar(distribution: Distribution, dtype: DType, validate_args: bool) -> list[Operation]:
    """Refuses distributions of other values than single numbers of the type, or in batches."""
    if distribution.dtype != dtype:
        raise TypeError(
            f'dtype mismatch; distribution.dtype="{distribution.dtype.name}" is not "{dtype.base_dtype.name}"'
        )
    checks: list[Operation] = []
    for what, shape, tensor in (
        ("event", distribution.event_shape, distribution.event_shape_tensor),
        ("batch", distribution.batch_shape, distribution.batch_shape_tensor),
    ):
        if shape.ndims not in (None, 0):
            raise ValueError(f"distribution must be scalar; distribution.{what}_shape={shape} is not []")
        if shape.ndims is None and validate_args:
            message = f"distribution must be scalar; distribution.{what}_shape is not []"
            checks.append(assert_equal(composing.size(tensor()), 0, message=message))
    return checks


def _interpolated(
    grid: Tensor, shifts: Sequence[Tensor | None], scales: Sequence[LinearOperator]
) -> tuple[list[Any], list[Any]]:
    """The shift and the scale at each point."""
    count = dimension_at_index(grid.get_shape().with_rank_at_least(1), -1).value
    if count is None:
        raise ValueError("Num quadrature grid points must be known prior to graph execution.")
    first, second = shifts
    between: list[Any] = [None] * count
    with name_scope("interpolate_loc", values=[grid]):
        weights = grid[..., None, :, :]
        joined = None
        if first is not None and second is not None:
            joined = weights[..., 0, :] * (first - second)[..., None] + second[..., None]
        elif second is not None:
            joined = weights[..., 1, :] * second[..., None]
        elif first is not None:
            joined = weights[..., 0, :] * first[..., None]
        if joined is not None:
            between = [joined[..., number] for number in range(count)]
    with name_scope("interpolate_scale", values=[grid]):
        mixed = [
            _sum_of([_times(grid[..., k, number], scale) for k, scale in enumerate(scales)]) for number in range(count)
        ]
    return between, mixed


def _times(weight: Tensor, operator: LinearOperator) -> LinearOperator:
    """A number times an operator, of the same structure."""
    hints: dict[str, Any] = {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
    }
    with name_scope("linop_scale", values=[weight]):
        if isinstance(operator, (LinearOperatorIdentity, LinearOperatorScaledIdentity)):
            if isinstance(operator, LinearOperatorScaledIdentity):
                weight = weight * operator.multiplier
            rows = operator.range_dimension.value
            return LinearOperatorScaledIdentity(
                operator.range_dimension_tensor() if rows is None else rows, multiplier=weight, **hints
            )
        if isinstance(operator, LinearOperatorDiag):
            return LinearOperatorDiag(weight[..., None] * operator.diag_part(), **hints)
        if isinstance(operator, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(weight[..., None, None] * operator.to_dense(), **hints)
    raise NotImplementedError(f"Unsupported Linop type ({type(operator).__name__})")


def _sum_of(operators: Sequence[LinearOperator]) -> LinearOperator:
    """Two operators added, in the simplest structure that holds both."""
    first, second = operators
    definite = bool(first.is_positive_definite and second.is_positive_definite) or None
    hints: dict[str, Any] = {"is_non_singular": definite, "is_positive_definite": definite}
    if isinstance(first, LinearOperatorScaledIdentity) and isinstance(second, LinearOperatorScaledIdentity):
        rows = first.range_dimension.value
        return LinearOperatorScaledIdentity(
            first.range_dimension_tensor() if rows is None else rows,
            multiplier=first.multiplier + second.multiplier,
            **hints,
        )
    if not any(isinstance(operator, LinearOperatorLowerTriangular) for operator in operators):
        return LinearOperatorDiag(first.diag_part() + second.diag_part(), **hints)
    return LinearOperatorLowerTriangular(first.to_dense() + second.to_dense(), **hints)


def _batch_and_event(grid: Tensor, affines: Sequence[AffineLinearOperator]) -> tuple[Any, Any, Any, Any]:
    """The shapes of the batch and of a value, each as far as known and as a tensor."""
    with name_scope("determine_batch_event_shapes"):
        batch, batch_tensor = grid.get_shape()[:-2], shape_internal(grid)[:-2]
        event: TensorShape | None = None
        event_tensor: Tensor | None = None
        found = []
        for affine in affines:
            if affine.shift is not None:
                shape, tensor = affine.shift.get_shape(), shape_internal(affine.shift)
                found.append((shape[:-1], tensor[:-1], shape[-1:], tensor[-1:]))
            if affine.scale is not None:
                found.append(
                    (
                        affine.scale.batch_shape,
                        affine.scale.batch_shape_tensor(),
                        TensorShape([affine.scale.range_dimension]),
                        affine.scale.range_dimension_tensor()[None],
                    )
                )
        for outer, outer_tensor, inner, inner_tensor in found:
            batch = broadcast_static_shape(batch, outer)
            batch_tensor = broadcast_dynamic_shape(batch_tensor, outer_tensor)
            event_tensor = inner_tensor if event is None else broadcast_dynamic_shape(event_tensor, inner_tensor)
            event = inner if event is None else broadcast_static_shape(event, inner)
        return batch, batch_tensor, event, event_tensor
