"""Streams of seeds, moving statistics, and statistics of samples."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.normal import Normal
from headrace.distributions.padding import pad
from headrace.distributions.static_logic import prefer_static_rank, prefer_static_shape
from headrace.functions.array.rotation import rotate_transpose
from headrace.functions.flow.checks import assert_greater_equal, assert_integer, assert_less_equal
from headrace.functions.flow.rank_checks import assert_rank
from headrace.functions.math.reduction import reduce_logsumexp, reduce_max, reduce_mean, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import conj
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.complex import complex as complex_of
from headrace.ops.math.unary import round as round_half_to_even
from headrace.ops.nn.topk import top_k
from headrace.state.initializers import zeros_initializer
from headrace.state.updates import assign_add, assign_sub
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class SeedStream:
    """Seeds for the ops of a library, all from one seed.

    Args:
        seed: an int, None for none, or another stream whose seed to take.
        salt: a string that tells this stream from others.

    Example:
        >>> seeds = tf.contrib.distributions.SeedStream(1, salt="my_library")
        >>> first, second = seeds(), seeds()
    """

    def __init__(self, seed: int | SeedStream | None, salt: str) -> None:
        self._seed = seed.original_seed if isinstance(seed, SeedStream) else seed
        self._salt = salt
        self._count = 0

    def __call__(self) -> int | None:
        """The next seed, None if there is none."""
        self._count += 1
        if self._seed is None:
            return None
        text = str((self._seed, self._count, self._salt))
        return int(hashlib.sha512(text.encode("utf-8")).hexdigest(), 16)

    @property
    def original_seed(self) -> Any:
        """The seed it began with."""
        return self._seed

    @property
    def salt(self) -> str:
        """The salt."""
        return self._salt


def _floating(variable: Any, name: str) -> DType:
    dtype = variable.dtype.base_dtype
    if not dtype.is_floating:
        raise TypeError(f"{name}.base_dtype({dtype.name}) does not have float type `dtype`.")
    return dtype


def assign_moving_mean_variance(
    mean_var: TensorLike, variance_var: Variable, value: TensorLike, decay: TensorLike, name: str | None = None
) -> tuple[Any, Any]:
    """Moves a mean and a variance towards a value.

    T. Finch, "Incremental calculation of weighted mean and variance" (2009), section 9.

    Args:
        mean_var, variance_var: floating variables of the shape of `value`.
        value: the next value.
        decay: how much of the old is kept, between 0 and 1.
        name: a name scope.

    Returns:
        the two variables after it.

    Raises:
        TypeError: if the variables are not of one floating type.
    """
    with (
        name_scope(name, "assign_moving_mean_variance", [variance_var, mean_var, value, decay]),
        colocate_with(variance_var),
        colocate_with(mean_var),
    ):
        dtype = _floating(mean_var, "mean_var")
        if dtype != variance_var.dtype.base_dtype:
            other = variance_var.dtype.base_dtype
            raise TypeError(f"mean_var.base_dtype({dtype.name}) != variance_var.base_dtype({other.name})")
        value = convert_to_tensor(value, dtype, name="value")
        decay = convert_to_tensor(decay, dtype, name="decay")
        delta = value - mean_var
        with control_dependencies([delta]):
            mean = assign_add(mean_var, (1.0 - decay) * delta)
            variance = assign_sub(variance_var, (1.0 - decay) * (variance_var - decay * raw.Square(delta)))
        return mean, variance


def assign_log_moving_mean_exp(
    log_mean_exp_var: Variable, log_value: TensorLike, decay: TensorLike, name: str | None = None
) -> Tensor:
    """Moves the logarithm of a mean of exp(log_value): to log(decay exp(old) + (1 - decay) exp(log_value)).

    Args:
        log_mean_exp_var: a floating variable of the shape of `log_value`.
        log_value: the next value's logarithm.
        decay: how much of the old is kept, between 0 and 1.
        name: a name scope.

    Returns:
        the variable after it.
    """
    with (
        name_scope(name, "assign_log_moving_mean_exp", [log_mean_exp_var, log_value, decay]),
        colocate_with(log_mean_exp_var),
    ):
        dtype = _floating(log_mean_exp_var, "log_mean_exp_var")
        log_value = convert_to_tensor(log_value, dtype, name="log_value")
        decay = convert_to_tensor(decay, dtype, name="decay")
        delta = log_value - log_mean_exp_var
        kept, added = raw.Log(decay) * composing.ones_like(delta), delta + raw.Log1p(-decay)
        most = raw.Maximum(kept, added)
        step = most + raw.Log(raw.Exp(kept - most) + raw.Exp(added - most))
        return assign_add(log_mean_exp_var, step)


def moving_mean_variance(
    value: TensorLike, decay: TensorLike, collections: list[str] | None = None, name: str | None = None
) -> tuple[Any, Any]:
    """`assign_moving_mean_variance` with variables `moving_mean` and `moving_variance` that it makes, zero at first.

    Args:
        value: a floating tensor of known shape, the next value.
        decay: how much of the old is kept.
        collections: of the variables; GLOBAL_VARIABLES by default.
        name: a variable scope.
    """
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "moving_mean_variance", [value, decay]):
        value = convert_to_tensor(value, name="value")
        dtype = _floating(value, "value")
        decay = convert_to_tensor(decay, dtype, name="decay")
        variance, mean = (
            get_variable(
                key,
                shape=value.get_shape(),
                dtype=dtype,
                initializer=zeros_initializer(),
                trainable=False,
                collections=collections,
            )
            for key in ("moving_variance", "moving_mean")
        )
        return assign_moving_mean_variance(mean, variance, value, decay)


def reduce_weighted_logsumexp(
    logx: TensorLike,
    w: TensorLike | None = None,
    axis: int | None = None,
    keep_dims: bool = False,
    return_sign: bool = False,
    name: str | None = None,
) -> Any:
    """log(abs(sum(w exp(logx)))).

    Args:
        logx: floating tensor.
        w: weights that broadcast to it, of any sign; ones by default.
        axis: over which axes, all by default.
        keep_dims: whether the axes stay, of size 1.
        return_sign: whether to return the sum's sign as well.
        name: a name scope.

    Returns:
        the logarithm, or the pair (logarithm, sign).
    """
    with name_scope(name, "reduce_weighted_logsumexp", [logx, w]):
        logx = convert_to_tensor(logx, name="logx")
        if w is None:
            result = reduce_logsumexp(logx, axis=axis, keepdims=keep_dims)
            return (result, composing.ones_like(result)) if return_sign else result
        weights = convert_to_tensor(w, logx.dtype, name="w")
        logs = logx + raw.Log(raw.Abs(weights))
        most = reduce_max(logs, axis=axis, keepdims=True)
        most = where_v2(raw.IsInf(most), composing.zeros_like(most), most)
        total = reduce_sum(raw.Sign(weights) * raw.Exp(logs - most), axis=axis, keepdims=keep_dims)
        if not keep_dims:
            axes = None if axis is None else [axis] if isinstance(axis, int) else list(axis)
            most = composing.squeeze(most, axes)
        sign = raw.Sign(total)
        result = most + raw.Log(sign * total)
        return (result, sign) if return_sign else result


def percentile(
    x: TensorLike,
    q: Any,
    axis: TensorLike | None = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> Tensor:
    """The element of `x` that `q` per cent of them do not exceed.

    It is the one nearest to place (n - 1) q / 100 of the n in their order: definition 7 of Hyndman and Fan, "Sample
    quantiles in statistical packages", The American Statistician 50 (1996), without interpolation.

    Args:
        x: a tensor of numbers; its rank is known.
        q: a scalar between 0 and 100.
        axis: an int or list of ints, the sample's dimensions; all by default.
        interpolation: "lower", "higher" or "nearest" (the default): which of two neighbours.
        keep_dims: whether the dimensions stay, of size 1.
        validate_args: whether to check `q` when the graph runs.
        name: a name scope.

    Returns:
        a tensor of the other dimensions.

    Raises:
        ValueError: for another interpolation, or a `q` that is no scalar.

    Example:
        >>> tf.Session().run(tf.contrib.distributions.percentile([1.0, 3.0, 2.0], 50.0))
        2.0
    """
    if interpolation not in ("nearest", "lower", "higher", None):
        raise ValueError(
            f"Argument 'interpolation' must be in {{'nearest', 'lower', 'higher'}}.  Found {interpolation}"
        )
    with name_scope(name or "percentile", values=[x, q]):
        x = convert_to_tensor(x, name="x")
        q = cast(q, "float64", name="q")
        if q.get_shape().ndims not in (None, 0):
            raise ValueError(f"Expected argument 'x' to have ndims 0.  Found tensor {q}")
        if validate_args:
            bounds = [assert_greater_equal(q, cast(0.0, "float64")), assert_less_equal(q, cast(100.0, "float64"))]
            q = with_dependencies([assert_rank(q, 0), *bounds], q)
        axes = None if axis is None else _axes(axis, x)
        flat = reshape(x, [-1]) if axes is None else _joined(x, axes)
        # TopKV2 gives the largest first, so places are counted from there, and so are halves rounded.
        share = 1.0 - q / 100.0
        count = cast(shape_internal(flat)[-1], "float64")
        rounding = {"lower": raw.Ceil, "higher": raw.Floor}.get(interpolation or "nearest", round_half_to_even)
        place = rounding((count - 1) * share)
        length = shape_internal(flat)[-1]
        index = clip_by_value(cast(place, "int32"), 0, length - 1)
        ordered = top_k(flat, k=shape_internal(flat)[-1])[0]
        result = ordered[..., index]
        result.set_shape(flat.get_shape()[:-1])
        if not keep_dims:
            return result
        if axes is None:
            rank = x.get_shape().ndims
            ones = composing.ones([rank_internal(x) if rank is None else rank], dtype="int32")
            return result * composing.ones(ones, dtype=x.dtype)
        for place in sorted(axes):
            result = composing.expand_dims(result, place)
        return result


def _axes(axis: TensorLike, x: Tensor) -> list[int]:
    """The dimensions that are meant, counted from the first.

    Raises:
        ValueError: if they or the rank of `x` are not known, or one is out of range.
    """
    axis = convert_to_tensor(axis, name="axis")
    assert_integer(axis)
    known, rank = constant_value(axis), x.get_shape().ndims
    if known is None:
        raise ValueError(f"Expected argument 'axis' to be statically available.  Found: {axis}")
    if known.ndim > 1:
        raise ValueError(f"Expected argument 'x' to have ndims <= 1.  Found tensor {axis}")
    if rank is None:
        raise ValueError(f"Expected argument 'x' to have statically defined 'ndims'.  Found: {x}")
    if rank < 1:
        raise ValueError(f"Expected argument 'x' to have ndims >= 1.  Found tensor {x}")
    found = [int(each) for each in np.atleast_1d(known)]
    for each in found:
        if each >= rank:
            raise ValueError(f"dim {each} not in the interval [0, {rank - 1}].")
        if each < -rank:
            raise ValueError(f"Negatively indexed dim {each} not in the interval [-{rank}, -1]")
    return [each % rank for each in found]


def _joined(x: Tensor, axes: list[int]) -> Tensor:
    """`x` with some dimensions made one, the last."""
    static = x.get_shape()
    others = [each for each in range(len(static.dims or ())) if each not in axes]
    transposed = composing.transpose(x, [*others, *axes])
    if static.is_fully_defined():
        sizes: Any = static.as_list()
        return reshape(transposed, [*(sizes[each] for each in others), int(np.prod([sizes[each] for each in axes]))])
    return reshape(transposed, composing.concat([shape_internal(transposed)[: len(others)], [-1]], 0))


def normal_conjugates_known_scale_posterior(prior: Normal, scale: TensorLike, s: TensorLike, n: TensorLike) -> Normal:
    """The Normal distribution of a mean after `n` observations with sum `s` and known deviation `scale`.

    Bishop, "Pattern recognition and machine learning" (2006), section 2.3.6.

    Args:
        prior: the Normal distribution before.
        scale: the deviation of an observation.
        s: the sum of the observations.
        n: how many there are.

    Raises:
        TypeError: if `prior` is no Normal, or `s` of another type.
    """
    return _normal_after(prior, scale, s, n, predictive=False)


def normal_conjugates_known_scale_predictive(prior: Normal, scale: TensorLike, s: TensorLike, n: TensorLike) -> Normal:
    """The Normal distribution of the next observation. Arguments as for `normal_conjugates_known_scale_posterior`."""
    return _normal_after(prior, scale, s, n, predictive=True)


def _normal_after(prior: Any, scale: TensorLike, s: Any, n: TensorLike, predictive: bool) -> Normal:
    if not isinstance(prior, Normal):
        raise TypeError(f"Expected prior to be an instance of type Normal, got {prior}")
    if s.dtype != prior.dtype:
        raise TypeError(f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. {prior.dtype}")
    n = composing.cast(n, prior.dtype)
    before, noise = raw.Square(prior.scale), raw.Square(convert_to_tensor(scale, prior.dtype))
    after = 1.0 / (1.0 / before + n / noise)
    mean = (prior.loc / before + s / noise) * after
    return Normal(loc=mean, scale=raw.Sqrt(after + noise if predictive else after))


def auto_correlation(
    x: TensorLike | np.ndarray,
    axis: int = -1,
    max_lags: int | None = None,
    center: bool = True,
    normalize: bool = True,
    name: str = "auto_correlation",
) -> Tensor:
    """How much a series resembles itself some steps later.

    By the theorem of Wiener and Khinchin: the Fourier transform of the autocorrelation is |the spectrum|².

    Args:
        x: float32, float64 or complex tensor.
        axis: the dimension of time, of known size.
        max_lags: up to how many steps; all by default.
        center: whether to take off the mean.
        normalize: whether to divide by the variance.
        name: a name scope.

    Returns:
        a tensor of the shape of `x`, max_lags + 1 long along `axis`.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        dtype = x.dtype
        rank = prefer_static_rank(x)
        shift = rank - 1 - (rank + axis if axis < 0 else axis)
        rotated = rotate_transpose(x, shift)
        if center:
            rotated = rotated - reduce_mean(rotated, axis=-1, keepdims=True)
        size = prefer_static_shape(rotated)[-1]
        length = cast(size, "float64")
        # Products of the spectrum are correlations once the series is at least twice as long.
        target = raw.Pow(np.float64(2.0), raw.Ceil(raw.Log(length * 2) / np.log(2.0)))
        padded = pad(rotated, axis=-1, back=True, count=cast(target - length, "int32"))
        if not dtype.is_complex:
            if not dtype.is_floating:
                raise TypeError(f"Argument x must have either float or complex dtype found: {dtype}")
            padded = complex_of(padded, dtype.real_dtype.as_numpy_dtype(0.0))
        spectrum = raw.FFT(padded)
        products = cast(raw.IFFT(spectrum * conj(spectrum)), dtype)
        static = rotated.get_shape()
        known = static.is_fully_defined()
        lags: Tensor | np.integer[Any] | np.ndarray = size - 1
        if max_lags is not None:
            lags_tensor = convert_to_tensor(max_lags, name="max_lags")
            value = constant_value(lags_tensor)
            known = known and value is not None
            lags = min(size - 1, value) if known else raw.Minimum(size - 1, lags_tensor)
        chopped = products[..., : lags + 1]
        if known:
            chopped.set_shape([*static.as_list()[:-1], min(size, lags + 1)])
        counts = cast(size, dtype.real_dtype)
        last = cast(lags, dtype.real_dtype)
        counts = counts - composing.range_(0.0, last + 1.0, 1.0)
        result = chopped / cast(counts, dtype)
        if normalize:
            result = result / result[..., :1]
        return rotate_transpose(result, -shift)
