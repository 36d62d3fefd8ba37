"""What all distributions share: shapes, names, and which of their functions follow from others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value, is_tensor
from headrace.distributions import divergence
from headrace.distributions.static_logic import pick_vector
from headrace.functions.math.reduction import reduce_prod
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_NO_SHAPE = TensorShape(None)


class ReparameterizationType:
    """Whether samples are differentiable functions of the parameters; compared by identity."""

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameteriation Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


def _hook(name: str) -> Callable[..., Any]:
    """A method that subclasses may override to offer `name`."""

    def missing(self: Distribution, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is not implemented: {type(self).__name__}")

    missing.__name__ = f"_{name}"
    return missing


class Distribution:
    """The base of distributions. A subclass overrides the methods with an underscore that it can compute.

    Args:
        dtype: the type of the samples.
        reparameterization_type: FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED.
        validate_args: whether to check parameters and values when the graph runs.
        allow_nan_stats: whether undefined statistics are NaN; else they are errors.
        parameters: the arguments the subclass was made with.
        graph_parents: the tensors it depends on.
        name: a name for its operations.

    Raises:
        ValueError: if one of `graph_parents` is no tensor.

    Example:
        >>> class Point(tf.distributions.Distribution):
        ...     def _sample_n(self, n, seed=None):
        ...         return tf.zeros([n])
    """

    def __init__(
        self,
        dtype: DTypeLike,
        reparameterization_type: ReparameterizationType,
        validate_args: bool,
        allow_nan_stats: bool,
        parameters: dict[str, Any] | None = None,
        graph_parents: list[Any] | None = None,
        name: str | None = None,
    ) -> None:
        graph_parents = list(graph_parents or [])
        for index, parent in enumerate(graph_parents):
            if parent is None or not is_tensor(parent):
                raise ValueError(f"Graph parent item {index} is not a Tensor; {parent}.")
        if not name or name[-1] != "/":
            with name_scope(name or type(self).__name__) as scope:
                name = scope
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._parameters = {} if parameters is None else parameters
        self._graph_parents = graph_parents
        self._name = name

    # ------------------------------------------------------------------------------------------------ what it is

    @classmethod
    def param_shapes(cls, sample_shape: Sequence[int], name: str = "DistributionParamShapes") -> dict[str, Tensor]:
        """The shapes of the parameters that give samples of a shape, as tensors."""
        with name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict[str, TensorShape]:
        """The shapes of the parameters that give samples of a known shape.

        Raises:
            ValueError: if the shape is not fully known.
        """
        if isinstance(sample_shape, TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError("TensorShape sample_shape must be fully defined")
            sample_shape = sample_shape.as_list()
        known = {name: constant_value(shape) for name, shape in cls.param_shapes(sample_shape).items()}
        if any(shape is None for shape in known.values()):
            raise ValueError("sample_shape must be a fully-defined TensorShape or list/tuple")
        return {name: TensorShape(shape) for name, shape in known.items()}

    @staticmethod
    def _param_shapes(sample_shape: Sequence[int]) -> dict[str, Tensor]:
        raise NotImplementedError("_param_shapes not implemented")

    @property
    def name(self) -> str:
        """The scope of its operations, with a slash at the end."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The type of the samples."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {k: v for k, v in self._parameters.items() if not k.startswith("__") and k != "self"}

    @property
    def reparameterization_type(self) -> ReparameterizationType:
        """Whether gradients flow through samples."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self) -> bool:
        """Whether undefined statistics are NaN."""
        return self._allow_nan_stats

    @property
    def validate_args(self) -> bool:
        """Whether parameters and values are checked."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs: Any) -> Distribution:
        """Another distribution of this class, some arguments changed."""
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    # ---------------------------------------------------------------------------------------------------- shapes

    _batch_shape_tensor = _hook("batch_shape_tensor")
    _event_shape_tensor = _hook("event_shape_tensor")

    def _batch_shape(self) -> TensorShape:
        return _NO_SHAPE

    def _event_shape(self) -> TensorShape:
        return _NO_SHAPE

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the distributions this object stands for."""
        return as_shape(self._batch_shape())

    @property
    def event_shape(self) -> TensorShape:
        """The shape of one sample of one distribution."""
        return as_shape(self._event_shape())

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """`batch_shape` as an int32 vector."""
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return convert_to_tensor(self.batch_shape.as_list(), "int32", name="batch_shape")
            return self._batch_shape_tensor()

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """`event_shape` as an int32 vector."""
        with self._name_scope(name):
            if self.event_shape.is_fully_defined():
                return convert_to_tensor(self.event_shape.as_list(), "int32", name="event_shape")
            return self._event_shape_tensor()

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether samples are scalars, as a bool tensor."""
        with self._name_scope(name):
            return convert_to_tensor(_is_scalar(self.event_shape, self.event_shape_tensor), name="is_scalar_event")

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether it stands for one distribution, as a bool tensor."""
        with self._name_scope(name):
            return convert_to_tensor(_is_scalar(self.batch_shape, self.batch_shape_tensor), name="is_scalar_batch")

    # --------------------------------------------------------------------------------------------------- samples

    _sample_n = _hook("sample_n")

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Tensor:
        """Samples of shape [*sample_shape, *batch_shape, *event_shape].

        Args:
            sample_shape: an int or int32 vector.
            seed: the seed of the drawing.
            name: a name for the operations.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(self, sample_shape: TensorLike, seed: int | None, name: str, **kwargs: Any) -> Tensor:
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = convert_to_tensor(sample_shape, "int32", name="sample_shape")
            sample_shape, count = self._expand_sample_shape_to_vector(sample_shape, "sample_shape")
            samples = self._sample_n(count, seed, **kwargs)
            final = composing.concat([sample_shape, shape_internal(samples)[1:]], 0)
            return self._set_sample_static_shape(reshape(samples, final), sample_shape)

    def _expand_sample_shape_to_vector(self, x: Tensor, name: str) -> tuple[Tensor, Any]:
        """`x` as a vector, and how many samples it means."""
        known = constant_value(x)
        count = reduce_prod(x) if known is None else np.prod(known, dtype=x.dtype.as_numpy_dtype)
        rank = x.get_shape().ndims
        if rank is None:
            is_scalar = raw.Equal(rank_internal(x), 0)
            vector_shape = pick_vector(is_scalar, np.array([1], np.int32), shape_internal(x))
            return reshape(x, vector_shape), count
        if rank == 0:
            if known is None:
                return reshape(x, [1]), count
            return convert_to_tensor(np.array([known], x.dtype.as_numpy_dtype), name=name), count
        if rank != 1:
            raise ValueError("Input is neither scalar nor vector.")
        return x, count

    def _set_sample_static_shape(self, x: Tensor, sample_shape: Tensor) -> Tensor:
        """Tells `x` what is known of its shape from the three parts."""
        outer = TensorShape(constant_value(sample_shape))
        parts = [outer, self.batch_shape, self.event_shape]
        rank = x.get_shape().ndims
        unknown = [part for part in parts if part.ndims is None]
        if rank is None and unknown:
            return x
        if rank is not None and len(unknown) > 1:
            # Only the ends are in their places.
            if outer.ndims is not None:
                x.set_shape(outer.concatenate([None] * (rank - outer.ndims)))
            if self.event_shape.ndims is not None:
                x.set_shape(TensorShape([None] * (rank - self.event_shape.ndims)).concatenate(self.event_shape))
            return x
        rest = sum(part.ndims for part in parts if part.ndims is not None)
        whole = TensorShape([])
        for part in parts:
            whole = whole.concatenate([None] * ((rank or 0) - rest) if part.ndims is None else part)
        x.set_shape(whole)
        return x

    # --------------------------------------------------------------------------------- functions of a value

    _log_prob = _hook("log_prob")
    _prob = _hook("prob")
    _log_cdf = _hook("log_cdf")
    _cdf = _hook("cdf")
    _log_survival_function = _hook("log_survival_function")
    _survival_function = _hook("survival_function")
    _quantile = _hook("quantile")

    def _of_value(
        self, value: Any, name: str, own: Callable[..., Any], other: Callable[[Tensor], Tensor] | None, kwargs: Any
    ) -> Tensor:
        """`own(value)`, or `other(value)` where that is not implemented."""
        with self._name_scope(name, values=[value]):
            value = convert_to_tensor(value, name="value", preferred_dtype=self.dtype)
            return _first_of(lambda: own(value, **kwargs), other and (lambda: other(value)))

    def _call_log_prob(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(value, name, self._log_prob, lambda x: raw.Log(self._prob(x, **kwargs)), kwargs)

    def log_prob(self, value: TensorLike, name: str = "log_prob") -> Tensor:
        """The logarithm of the probability (density) of `value`, shape [*sample_shape, *batch_shape]."""
        return self._call_log_prob(value, name)

    def _call_prob(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(value, name, self._prob, lambda x: raw.Exp(self._log_prob(x, **kwargs)), kwargs)

    def prob(self, value: TensorLike, name: str = "prob") -> Tensor:
        """The probability (density) of `value`."""
        return self._call_prob(value, name)

    def _call_log_cdf(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(value, name, self._log_cdf, lambda x: raw.Log(self._cdf(x, **kwargs)), kwargs)

    def log_cdf(self, value: TensorLike, name: str = "log_cdf") -> Tensor:
        """The logarithm of the probability of at most `value`."""
        return self._call_log_cdf(value, name)

    def _call_cdf(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(value, name, self._cdf, lambda x: raw.Exp(self._log_cdf(x, **kwargs)), kwargs)

    def cdf(self, value: TensorLike, name: str = "cdf") -> Tensor:
        """The probability of at most `value`."""
        return self._call_cdf(value, name)

    def _call_log_survival_function(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(
            value, name, self._log_survival_function, lambda x: raw.Log1p(-self.cdf(x, **kwargs)), kwargs
        )

    def log_survival_function(self, value: TensorLike, name: str = "log_survival_function") -> Tensor:
        """The logarithm of the probability of more than `value`."""
        return self._call_log_survival_function(value, name)

    def _call_survival_function(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(value, name, self._survival_function, lambda x: 1.0 - self.cdf(x, **kwargs), kwargs)

    def survival_function(self, value: TensorLike, name: str = "survival_function") -> Tensor:
        """The probability of more than `value`."""
        return self._call_survival_function(value, name)

    def _call_quantile(self, value: TensorLike, name: str, **kwargs: Any) -> Tensor:
        return self._of_value(value, name, self._quantile, None, kwargs)

    def quantile(self, value: TensorLike, name: str = "quantile") -> Tensor:
        """The number that is not exceeded with probability `value`."""
        return self._call_quantile(value, name)

    # -------------------------------------------------------------------------------------------------- statistics

    _entropy = _hook("entropy")
    _mean = _hook("mean")
    _variance = _hook("variance")
    _stddev = _hook("stddev")
    _covariance = _hook("covariance")
    _mode = _hook("mode")

    def entropy(self, name: str = "entropy") -> Tensor:
        """Shannon's entropy in nats."""
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name: str = "mean") -> Tensor:
        """The mean."""
        with self._name_scope(name):
            return self._mean()

    def variance(self, name: str = "variance") -> Tensor:
        """The variance of each element of a sample."""
        with self._name_scope(name):
            return _first_of(self._variance, lambda: raw.Square(self._stddev()))

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation of each element of a sample."""
        with self._name_scope(name):
            return _first_of(self._stddev, lambda: raw.Sqrt(self._variance()))

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariances of the elements of a vector sample."""
        with self._name_scope(name):
            return self._covariance()

    def mode(self, name: str = "mode") -> Tensor:
        """The most probable value."""
        with self._name_scope(name):
            return self._mode()

    def _cross_entropy(self, other: Distribution) -> Tensor:
        return divergence.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """The mean of -log `other.prob` of samples of this distribution."""
        with self._name_scope(name):
            return self._cross_entropy(other)

    def _kl_divergence(self, other: Distribution) -> Tensor:
        return divergence.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """The Kullback-Leibler divergence of this distribution from `other`."""
        with self._name_scope(name):
            return self._kl_divergence(other)

    # ------------------------------------------------------------------------------------------------------ names

    def __str__(self) -> str:
        known = [("batch_shape", self.batch_shape), ("event_shape", self.event_shape)]
        shapes = "".join(f", {key}={shape}" for key, shape in known if shape.ndims is not None)
        return f'tfp.distributions.{type(self).__name__}("{self.name}"{shapes}, dtype={self.dtype.name})'

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: list[Any] | None = None) -> Iterator[str]:
        with name_scope(self.name), name_scope(name, values=(values or []) + self._graph_parents) as scope:
            yield scope


def _first_of(own: Callable[[], Tensor], other: Callable[[], Tensor] | None) -> Tensor:
    try:
        return own()
    except NotImplementedError as missing:
        if other is None:
            raise
        try:
            return other()
        except NotImplementedError:
            raise missing from None


def _is_scalar(static: TensorShape, dynamic: Callable[[], Tensor]) -> bool | Tensor:
    if static.ndims is not None:
        return static.ndims == 0
    shape = dynamic()
    if shape.dims is not None and shape.dims[0] is not None:
        return shape.dims == (0,)
    return raw.Equal(shape_internal(shape)[0], 0)
