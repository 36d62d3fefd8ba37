"""Distributions of one-hot vectors, and the relaxations of those and of Bernoulli's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, int32
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import FULLY_REPARAMETERIZED, NOT_REPARAMETERIZED, Distribution, ReparameterizationType
from headrace.distributions.counting import WithOdds
from headrace.distributions.divergence import RegisterKL
from headrace.distributions.elementwise_bijectors import Exp, Sigmoid
from headrace.distributions.location_scale import Logistic
from headrace.distributions.parameters import get_logits_and_probs
from headrace.distributions.transformed import TransformedDistribution
from headrace.functions.flow.checks import assert_near, assert_non_positive, assert_positive
from headrace.functions.math.reduction import reduce_logsumexp, reduce_sum
from headrace.functions.nn.cross_entropy import softmax_cross_entropy_with_logits
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import identity, transpose
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div
from headrace.ops.nn.softmax import log_softmax, softmax
from headrace.ops.random.sampling import multinomial
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class _OneHot(WithOdds):
    """Those over vectors with one element for each class."""

    def _begin(
        self,
        arguments: dict[str, Any],
        scope: str,
        dtype: DTypeLike,
        parents: list[Tensor],
        reparameterized: ReparameterizationType,
    ) -> None:
        rank = self._logits.get_shape().with_rank_at_least(1).ndims
        if rank is None:
            with name_scope("batch_rank"):
                self._batch_rank = rank_internal(self._logits) - 1
        else:
            self._batch_rank = convert_to_tensor(rank - 1, "int32", name="batch_rank")
        with name_scope("event_size"):
            self._event_size = shape_internal(self._logits)[-1]
        Distribution.__init__(
            self,
            as_dtype(dtype),
            reparameterized,
            arguments["validate_args"],
            arguments["allow_nan_stats"],
            arguments,
            parents,
            scope,
        )

    @property
    def event_size(self) -> Tensor:
        """How many classes there are, an int32 scalar."""
        return self._event_size

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._logits)[:-1]

    def _batch_shape(self) -> TensorShape:
        return self._logits.get_shape()[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return shape_internal(self._logits)[-1:]

    def _event_shape(self) -> TensorShape:
        return self._logits.get_shape().with_rank_at_least(1)[-1:]

    def _rows(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Values and logits broadcast against each other, as rows of matrices, and the shape of a number for each."""
        logits = self._logits
        fixed = x.get_shape().is_fully_defined() and logits.get_shape().is_fully_defined()
        if not fixed or x.get_shape() != logits.get_shape():
            logits = composing.ones_like(x, dtype=logits.dtype) * logits
            x = composing.ones_like(logits, dtype=x.dtype) * x
        shape = shape_internal(reduce_sum(logits, -1))
        return reshape(x, [-1, self._event_size]), reshape(logits, [-1, self._event_size]), shape

    def _checked_logs(self, x: Tensor) -> Tensor:
        """`x`, checked to be logarithms of probabilities."""
        if not self.validate_args:
            return x
        negative = assert_non_positive(x)
        whole = assert_near(composing.zeros([], dtype=self.dtype), reduce_logsumexp(x, axis=[-1]))
        return with_dependencies([negative, whole], x)


class OneHotCategorical(_OneHot):
    """The distribution of one-hot vectors. Arguments as for `Categorical`."""

    def __init__(
        self,
        logits: TensorLike | np.ndarray | None = None,
        probs: np.ndarray | None = None,
        dtype: DTypeLike = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            self._begin(arguments, scope, dtype, [self._logits, self._probs], NOT_REPARAMETERIZED)

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._logits)], 0)
        rows = self._logits
        if rows.get_shape().ndims != 2:
            rows = reshape(rows, [-1, self._event_size])
        drawn = transpose(multinomial(rows, n, seed=seed))
        return reshape(one_hot(drawn, self._event_size, dtype=self.dtype), shape)

    def _log_prob(self, x: Tensor) -> Tensor:
        rows, logits, shape = self._rows(self._checked_logs(x))
        return reshape(-softmax_cross_entropy_with_logits(labels=rows, logits=logits), shape)

    def _entropy(self) -> Tensor:
        return -reduce_sum(log_softmax(self._logits) * self._probs, axis=-1)

    def _mode(self) -> Tensor:
        mode = one_hot(raw.ArgMax(self._logits, self._batch_rank), self._event_size, dtype=self.dtype)
        mode.set_shape(self._logits.get_shape())
        return mode

    def _covariance(self) -> Tensor:
        outer = matmul(self._probs[..., None], self._probs[..., None, :])
        return raw.MatrixSetDiag(-outer, self._variance(), name="set_diag")

    def _variance(self) -> Tensor:
        return self._probs * (1.0 - self._probs)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _one_hot_from_one_hot(a: OneHotCategorical, b: OneHotCategorical, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        return reduce_sum(softmax(a.logits) * (log_softmax(a.logits) - log_softmax(b.logits)), axis=-1)


class ExpRelaxedOneHotCategorical(_OneHot):
    """The distribution of the logarithms of vectors that are one-hot in the limit of temperature 0.

    Maddison, Mnih and Teh, "The Concrete Distribution", arXiv:1611.00712.

    Args:
        temperature: floating scalar (or a number for each distribution), above 0.
        logits, probs: as for `Categorical`.
        dtype: the type of the samples, that of `logits` by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | np.ndarray | Sequence[float] | None = None,
        probs: TensorLike | np.ndarray | None = None,
        dtype: DTypeLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            if dtype is None:
                dtype = self._logits.dtype
                if not validate_args:
                    temperature = cast(temperature, dtype)
            with control_dependencies([assert_positive(temperature)] if validate_args else []):
                self._temperature = identity(temperature, name="temperature")
                self._column = reshape(temperature, [-1, 1], name="temperature_2d")
            parents = [self._logits, self._probs, self._temperature]
            self._begin(arguments, scope, dtype, parents, FULLY_REPARAMETERIZED)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._temperature

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._logits)], 0)
        rows = reshape(self._logits * composing.ones(shape, dtype=self.dtype), [-1, self._event_size])
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = random_uniform(shape_internal(rows), least, 1.0, self.dtype, seed=seed)
        gumbel = -raw.Log(-raw.Log(uniform))
        return reshape(log_softmax(div(gumbel + rows, self._column)), shape)

    def _log_prob(self, x: Tensor) -> Tensor:
        rows, logits, shape = self._rows(self._checked_logs(x))
        count = cast(self._event_size, rows.dtype)
        constant = raw.Lgamma(count) + (count - 1.0) * raw.Log(self._temperature)
        return reshape(constant + reduce_sum(log_softmax(logits - rows * self._column), [-1]), shape)


class RelaxedOneHotCategorical(TransformedDistribution):
    """The distribution of vectors of probabilities that are one-hot in the limit of temperature 0.

    Arguments as for `ExpRelaxedOneHotCategorical`.

    Example:
        >>> tf.contrib.distributions.RelaxedOneHotCategorical(0.5, logits=[1.0, 2.0, 3.0]).sample(seed=1)
    """

    _distribution: ExpRelaxedOneHotCategorical

    def __init__(
        self,
        temperature: TensorLike,
        logits: np.ndarray | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        logs = ExpRelaxedOneHotCategorical(temperature, logits, probs, dtype, validate_args, allow_nan_stats)
        super().__init__(logs, Exp(), name=name)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._distribution.temperature

    @property
    def event_size(self) -> Tensor:
        """How many classes there are."""
        return self._distribution.event_size

    @property
    def logits(self) -> Tensor:
        """Log-probabilities, up to a constant."""
        return self._distribution.logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._distribution.probs


class RelaxedBernoulli(TransformedDistribution):
    """The distribution of numbers between 0 and 1 that are 0 or 1 in the limit of temperature 0 (arXiv:1611.00712).

    Args:
        temperature: floating tensor, above 0.
        logits, probs: as for `Bernoulli`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | np.ndarray | Sequence[float] | None = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            with control_dependencies([assert_positive(temperature)] if validate_args else []):
                self._temperature = identity(temperature, name="temperature")
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args)
            super().__init__(
                Logistic(
                    self._logits / self._temperature,
                    1.0 / self._temperature,
                    validate_args=validate_args,
                    allow_nan_stats=allow_nan_stats,
                    name=f"{scope}/Logistic",  # TensorFlow has two slashes
                ),
                Sigmoid(validate_args=validate_args),
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = arguments

    @staticmethod
    def _param_shapes(sample_shape: Sequence[int]) -> dict[str, Tensor]:
        return {"logits": convert_to_tensor(sample_shape, int32)}

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._temperature

    @property
    def logits(self) -> Tensor:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs
