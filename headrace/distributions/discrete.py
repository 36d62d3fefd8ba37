"""Distributions of classes and of counts: Bernoulli, Categorical, Multinomial, DirichletMultinomial.

Johnson, Kotz and Balakrishnan, "Discrete multivariate distributions" (1997), chapter 35. Entropies and divergences are
their definitions, -sum p log p and sum p log(p / q), by log-odds where those keep more digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int32
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.divergence import RegisterKL
from headrace.distributions.gamma import DirichletParameters, checked_positive
from headrace.distributions.parameters import (
    embed_check_categorical_event_shape,
    embed_check_integer_casting_closed,
    embed_check_nonnegative_integer_form,
    gen_new_seed,
    get_logits_and_probs,
    log_combinations,
    scalar_event,
)
from headrace.functions.array.where import sequence_mask
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import identity, transpose
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.special import lbeta
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.activations import softplus
from headrace.ops.nn.softmax import log_softmax, softmax
from headrace.ops.random.sampling import multinomial, random_gamma
from headrace.ops.random.uniform import random_uniform
from headrace.recurrent.functional import map_fn

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import DTypeLike, TensorLike


class Bernoulli(Distribution):
    """The distribution of 1 with probability `probs`, else 0.

    Args:
        logits: floating tensor, log-odds of 1.
        probs: floating tensor, probabilities of 1; one of the two is given.
        dtype: the type of the samples.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: unless exactly one of the two is given.

    Example:
        >>> tf.distributions.Bernoulli(probs=[0.2, 0.7]).sample(5, seed=1).shape
        TensorShape([Dimension(5), Dimension(2)])
    """

    def __init__(
        self,
        logits: float | TensorLike | np.ndarray | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args, name=scope)
        parents = [self._logits, self._probs]
        dtype = as_dtype(dtype)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    @staticmethod
    def _param_shapes(sample_shape: Sequence[int]) -> dict[str, Tensor]:
        return {"logits": convert_to_tensor(sample_shape, "int32")}

    @property
    def logits(self) -> Tensor:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._logits)

    def _batch_shape(self) -> TensorShape:
        return self._logits.get_shape()

    def _event_shape_tensor(self) -> Tensor:
        return scalar_event()

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], self.batch_shape_tensor()], 0)
        drawn = random_uniform(shape, seed=seed, dtype=self._probs.dtype)
        return cast(raw.Less(drawn, self._probs), self.dtype)

    def _log_prob(self, event: Tensor) -> Tensor:
        if self.validate_args:
            event = embed_check_integer_casting_closed(event, "bool")
        logits, event = self._logits, cast(event, self._logits.dtype)
        shapes = event.get_shape(), logits.get_shape()
        if not (shapes[0].is_fully_defined() and shapes[1].is_fully_defined() and shapes[0] == shapes[1]):
            logits, event = composing.ones_like(event) * logits, composing.ones_like(logits) * event
        return -sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self) -> Tensor:
        return -self._logits * (sigmoid(self._logits) - 1) + softplus(-self._logits)

    def _mean(self) -> Tensor:
        return identity(self._probs)

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self._probs)

    def _mode(self) -> Tensor:
        return cast(self._probs > 0.5, self.dtype)


@RegisterKL(Bernoulli, Bernoulli)
def _bernoulli_from_bernoulli(a: Bernoulli, b: Bernoulli, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_bernoulli_bernoulli", values=[a.logits, b.logits]):
        of_0 = softplus(-b.logits) - softplus(-a.logits)
        of_1 = softplus(b.logits) - softplus(a.logits)
        return sigmoid(a.logits) * of_0 + sigmoid(-a.logits) * of_1


def _broadcast(event: Tensor, params: Tensor, dtype: DTypeLike) -> tuple[Tensor, Tensor]:
    """Classes and their parameters, broadcast against each other."""
    if event.dtype.is_floating:
        event = cast(event, "int32")
    elif not event.dtype.is_integer:
        raise TypeError(f"`value` should have integer `dtype` or `self.dtype` ({dtype})")
    static = params.get_shape()
    outer = None if static.ndims is None else static[:-1]
    fixed = outer is not None and outer.is_fully_defined() and event.get_shape().is_fully_defined()
    if not fixed or outer != event.get_shape():
        params *= composing.ones_like(event[..., None], dtype=params.dtype)
        event *= composing.ones(shape_internal(params)[:-1], dtype=event.dtype)
        if params.dims is not None:
            event.set_shape(params.dims[:-1])
    return event, params


class Categorical(Distribution):
    """The distribution of class numbers.

    Args:
        logits: floating tensor, log-probabilities up to a constant, of the classes in the last dimension.
        probs: floating tensor, the probabilities; one of the two is given.
        dtype: the type of the samples.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: unless exactly one of the two is given.

    Example:
        >>> tf.distributions.Categorical(probs=[0.1, 0.6, 0.3]).log_prob(1)  # log(0.6)
    """

    def __init__(
        self,
        logits: TensorLike | np.ndarray | Sequence[float | Sequence[float]] | None = None,
        probs: np.ndarray | Sequence[float] | None = None,
        dtype: DTypeLike = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            if validate_args:
                self._logits = embed_check_categorical_event_shape(self._logits)
            static = self._logits.get_shape().with_rank_at_least(1)
            if static.ndims is not None:
                self._batch_rank = convert_to_tensor(static.ndims - 1, "int32", name="batch_rank")
            else:
                with name_scope("batch_rank"):
                    self._batch_rank = rank_internal(self._logits) - 1
            shape = shape_internal(self._logits, name="logits_shape")
            size = static.dims[-1].value if static.dims else None
            if size is not None:
                self._event_size = convert_to_tensor(size, "int32", name="event_size")
            else:
                with name_scope("event_size"):
                    self._event_size = shape[self._batch_rank]
            if static.ndims is not None and static[:-1].is_fully_defined():
                self._batch_shape_val = convert_to_tensor(static[:-1].as_list(), "int32", name="batch_shape")
            else:
                with name_scope("batch_shape"):
                    self._batch_shape_val = shape[:-1]
        parents = [self._logits, self._probs]
        dtype = as_dtype(dtype)
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    @property
    def event_size(self) -> Tensor:
        """How many classes there are, an int32 scalar."""
        return self._event_size

    @property
    def logits(self) -> Tensor:
        """Log-probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    def _batch_shape_tensor(self) -> Tensor:
        return identity(self._batch_shape_val)

    def _batch_shape(self) -> TensorShape:
        return self._logits.get_shape()[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return scalar_event()

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        logits = self._logits
        if logits.get_shape().ndims != 2:
            logits = reshape(logits, [-1, self._event_size])
        drawn = multinomial(logits, n, seed=seed, output_dtype="int64" if self.dtype.size > 4 else "int32")
        drawn = reshape(transpose(drawn), composing.concat([[n], self.batch_shape_tensor()], 0))
        return cast(drawn, self.dtype)

    def _classes(self, k: Tensor) -> Tensor:
        k = convert_to_tensor(k, name="k")
        return embed_check_integer_casting_closed(k, "int32") if self.validate_args else k

    def _log_prob(self, k: Tensor) -> Tensor:
        k, logits = _broadcast(self._classes(k), self._logits, self.dtype)
        return -sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: Tensor) -> Tensor:
        k, probs = _broadcast(self._classes(k), self._probs, self.dtype)
        rows = reshape(probs, [-1, self._event_size])
        below = sequence_mask(reshape(k, [-1]), self._event_size)
        return reshape(reduce_sum(raw.Select(below, rows, composing.zeros_like(rows)), axis=-1), shape_internal(k))

    def _entropy(self) -> Tensor:
        return -reduce_sum(log_softmax(self._logits) * self._probs, axis=-1)

    def _mode(self) -> Tensor:
        mode = cast(raw.ArgMax(self._logits, self._batch_rank), self.dtype)
        mode.set_shape(self.batch_shape)
        return mode


@RegisterKL(Categorical, Categorical)
def _categorical_from_categorical(a: Categorical, b: Categorical, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        difference = log_softmax(a.logits) - log_softmax(b.logits)
        return reduce_sum(softmax(a.logits) * difference, axis=-1)


class Multinomial(Distribution):
    """The distribution of how often each class comes in `total_count` draws.

    Args:
        total_count: floating tensor, how many draws.
        logits, probs: as for `Categorical`.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: unless exactly one of `logits` and `probs` is given.
    """

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | np.ndarray | Sequence[float | Sequence[float]] | None = None,
        probs: Sequence[Sequence[float]] | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            self._total_count = _checked_count(total_count, validate_args)
            self._logits, self._probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            self._mean_val = self._total_count[..., None] * self._probs
        parents = [self._total_count, self._logits, self._probs]
        super().__init__(
            self._probs.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope
        )

    @property
    def total_count(self) -> Tensor:
        """How many draws."""
        return self._total_count

    @property
    def logits(self) -> Tensor:
        """Log-probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._mean_val)[:-1]

    def _batch_shape(self) -> TensorShape:
        return self._mean_val.get_shape().with_rank_at_least(1)[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return shape_internal(self._mean_val)[-1:]

    def _event_shape(self) -> TensorShape:
        return self._mean_val.get_shape().with_rank_at_least(1)[-1:]

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        draws = cast(self._total_count, "int32")
        k = self.event_shape_tensor()[0]
        draws = composing.ones_like(self._logits[..., 0], dtype=draws.dtype) * draws
        logits = composing.ones_like(draws[..., None], dtype=self._logits.dtype) * self._logits

        def of_one(row: Sequence[Tensor]) -> Tensor:
            drawn = multinomial(row[0][None, ...], row[1], seed)
            return reduce_sum(one_hot(reshape(drawn, [n, -1]), depth=k), axis=-2)

        rows = [reshape(logits, [-1, k]), n * reshape(draws, [-1])]
        counts = transpose(map_fn(of_one, rows, dtype=self.dtype), perm=[1, 0, 2])
        return reshape(counts, composing.concat([[n], self.batch_shape_tensor(), [k]], 0))

    def _log_prob(self, counts: Tensor) -> Tensor:
        unordered = reduce_sum(_checked_counts(self, counts) * log_softmax(self._logits), -1)
        return unordered - -log_combinations(self._total_count, _checked_counts(self, counts))

    def _mean(self) -> Tensor:
        return identity(self._mean_val)

    def _spread_probs(self) -> Tensor:
        return self._probs * composing.ones_like(self._total_count)[..., None]

    def _covariance(self) -> Tensor:
        probs = self._spread_probs()
        outer = matmul(self._mean_val[..., None], probs[..., None, :])
        return raw.MatrixSetDiag(-outer, self._variance(), name="set_diag")

    def _variance(self) -> Tensor:
        probs = self._spread_probs()
        return self._mean_val - self._mean_val * probs


def _checked_count(total_count: TensorLike, validate_args: bool) -> Tensor:
    count = convert_to_tensor(total_count, name="total_count")
    return embed_check_nonnegative_integer_form(count) if validate_args else count


def _checked_counts(distribution: Any, counts: Tensor) -> Tensor:
    if not distribution.validate_args:
        return counts
    counts = embed_check_nonnegative_integer_form(counts)
    message = "counts must sum to `self.total_count`"
    return with_dependencies([assert_equal(distribution.total_count, reduce_sum(counts, -1), message=message)], counts)


class DirichletMultinomial(DirichletParameters):
    """The distribution of counts in `total_count` draws, the probabilities themselves drawn from a Dirichlet.

    Args:
        total_count: floating tensor, how many draws.
        concentration: as for `Dirichlet`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        total_count: TensorLike,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[total_count, concentration]) as scope:
            self._total_count = _checked_count(total_count, validate_args)
            value = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                value = checked_positive(embed_check_categorical_event_shape(value))
            self._concentration = value
            self._total_concentration = reduce_sum(self._concentration, -1)
        parents = [self._total_count, self._concentration]
        super().__init__(
            self._concentration.dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope
        )

    @property
    def total_count(self) -> Tensor:
        """How many draws."""
        return self._total_count

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        draws = cast(self._total_count, "int32")
        k = self.event_shape_tensor()[0]
        drawn = random_gamma([n], self._concentration, dtype=self.dtype, seed=seed)
        logits = reshape(raw.Log(drawn), [-1, k])
        classes = multinomial(logits, draws, seed=gen_new_seed(seed, "dirichlet_multinomial"))
        counts = reduce_sum(one_hot(classes, depth=k), -2)
        return cast(reshape(counts, composing.concat([[n], self.batch_shape_tensor(), [k]], 0)), self.dtype)

    def _log_prob(self, counts: Tensor) -> Tensor:
        counts = _checked_counts(self, counts)
        ordered = lbeta(self._concentration + counts) - lbeta(self._concentration)
        return ordered + log_combinations(self._total_count, counts)

    def _mean(self) -> Tensor:
        return self._total_count * (self._concentration / self._total_concentration[..., None])

    def _scale(self) -> Tensor:
        total = self._total_concentration[..., None]
        return raw.Sqrt((1.0 + total / self._total_count) / (1.0 + total))

    def _covariance(self) -> Tensor:
        x = self._scale() * self._mean()
        outer = matmul(x[..., None], x[..., None, :])
        return raw.MatrixSetDiag(-outer, self._variance(), name="set_diag")

    def _variance(self) -> Tensor:
        scale = self._scale()
        x = scale * self._mean()
        return x * (self._total_count * scale - x)
