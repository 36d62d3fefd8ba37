"""Means and variances over axes, and the normalizations composed of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from headrace.core.attributes import check_attribute
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import element_count
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.norms import norm as norm_of
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.kernels import composing
from headrace.kernels.renamed_arguments import first_given
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike, VariableLike


def sufficient_statistics(
    x: TensorLike,
    axes: Sequence[int],
    shift: TensorLike | None = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What mean and variance over axes can be computed from: count, sum and sum of squares.

    Args:
        x: numbers of any shape.
        axes: a list of ints.
        shift: subtracted from `x` first, for precision; near the true mean it works best. None for no shift.
        keep_dims: the older name of `keepdims`.
        name: a name scope.
        keepdims: keep the reduced axes with size 1.

    Returns:
        (count, sum of x - shift, sum of its squares, shift or None).
    """
    axes = list(set(axes))
    keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
    keepdims = False if keepdims is None else keepdims
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        counts: Tensor
        if x.dims is not None and all(x.dims[axis] is not None for axis in axes):
            count = 1
            for axis in axes:
                count *= x.dims[axis] or 0
            counts = constant(count, dtype=x.dtype.base_dtype)
        else:
            sizes = composing.gather(composing.cast(composing.shape(x), x.dtype), axes)
            counts = raw.Prod(sizes, convert_to_tensor([0], "int32"), name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            sums, squares = raw.Sub(x, shift), raw.SquaredDifference(x, shift)
        else:
            sums, squares = x, raw.Square(x)
        sums = reduce_sum(sums, axes, keepdims=keepdims, name="mean_ss")
        squares = reduce_sum(squares, axes, keepdims=keepdims, name="var_ss")
    return counts, sums, squares, shift


def normalize_moments(
    counts: TensorLike, mean_ss: TensorLike, variance_ss: TensorLike, shift: TensorLike | None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what `sufficient_statistics` returns: E[(x - s)²] - E[x - s]², whatever the shift s.

    Args:
        counts: the number of elements, a scalar.
        mean_ss: their (shifted) sum.
        variance_ss: the sum of their (shifted) squares.
        shift: the shift, or None.
        name: a name scope.

    Returns:
        (mean, variance).
    """
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = raw.Reciprocal(counts, name="divisor")
        if shift is not None:
            shifted = raw.Mul(mean_ss, divisor, name="shifted_mean")
            mean = raw.Add(shifted, shift, name="mean")
        else:
            mean = shifted = raw.Mul(mean_ss, divisor, name="mean")
        variance = raw.Sub(raw.Mul(variance_ss, divisor), raw.Square(shifted), name="variance")
    return mean, variance


def moments(
    x: TensorLike,
    axes: Sequence[int] | None,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `x` over axes.

    For batch normalization of images reduce over axes [0, 1, 2], of vectors over [0].

    Args:
        x: floats of any shape; float16 is computed in float32.
        axes: a list of ints; None for all.
        shift: has no effect: the true mean is what is shifted by.
        name: a name scope.
        keep_dims: the older name of `keepdims`.
        keepdims: keep the reduced axes with size 1.

    Returns:
        (mean, variance), of the type of `x`.

    Raises:
        AttributeError: if `x` has no type, as lists have none.

    Example:
        >>> tf.Session().run(tf.nn.moments(tf.constant([1.0, 3.0]), [0]))
        (2.0, 1.0)
    """
    keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
    with name_scope(name, "moments", [x, axes]):
        check_attribute("moments: x", x, "dtype")
        x = cast("Tensor", x)
        half = x.dtype == "float16"
        wide = composing.cast(x, "float32") if half else x
        mean = reduce_mean(wide, axes, keepdims=True, name="mean")
        # The variance has its minimum where the mean is, so nothing flows to the mean from here.
        distance = raw.SquaredDifference(wide, raw.StopGradient(mean))
        variance = reduce_mean(distance, axes, keepdims=True, name="variance")
        if not keepdims:
            mean, variance = _squeezed(mean, axes), _squeezed(variance, axes)
        if half:
            return composing.cast(mean, "float16"), composing.cast(variance, "float16")
        return mean, variance


def _squeezed(value: Tensor, axes: Sequence[int] | None) -> Tensor:
    if axes is None:
        return composing.squeeze(value)
    return composing.squeeze(
        value, [int(a) for a in axes] if isinstance(axes, Sequence) else [int(a) for a in _listed(axes)]
    )


def _listed(axes: Any) -> list[int]:
    if isinstance(axes, Tensor):
        raise TypeError("axes must be Python ints unless keepdims is True: which axes go must be known.")
    return list(axes.reshape(-1)) if hasattr(axes, "reshape") else [axes]


def weighted_moments(
    x: TensorLike,
    axes: Sequence[int] | None,
    frequency_weights: TensorLike,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `x` over axes, each element counted as often as its weight says.

    Args:
        x: floats of any shape; float16 is computed in float32.
        axes: a list of ints.
        frequency_weights: not negative, of a shape that broadcasts with that of `x`.
        name: a name scope.
        keep_dims: the older name of `keepdims`.
        keepdims: keep the reduced axes with size 1.

    Returns:
        (mean, variance).
    """
    keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        half = x.dtype == "float16"
        if half:
            x = composing.cast(x, "float32")
        if weights.dtype != x.dtype:
            weights = composing.cast(weights, x.dtype)
        total = reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        everywhere = weights + composing.zeros_like(x)
        weight = reduce_sum(everywhere, axes, name="sum_of_weights", keepdims=True)
        divisor = raw.Reciprocal(weight, name="inv_weight_sum")
        mean = raw.Mul(total, divisor)
        squares = reduce_sum(weights * raw.SquaredDifference(x, mean), axes, name="weighted_distsq", keepdims=True)
        variance = raw.Mul(squares, divisor)
        if not keepdims:
            mean, variance = _squeezed(mean, axes), _squeezed(variance, axes)
        if half:
            mean, variance = composing.cast(mean, "float16"), composing.cast(variance, "float16")
        return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: TensorLike | VariableLike | np.ndarray | None,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset (arXiv:1502.03167).

    Args:
        x: floats of any shape.
        mean, variance: of a shape that broadcasts with that of `x`.
        offset: added at last, or None.
        scale: a factor, or None.
        variance_epsilon: a small float.
        name: a name scope.

    Returns:
        a tensor of the type and shape of `x`.
    """
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        factor = raw.Rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        scaled = x * composing.cast(factor, x.dtype)
        rest = offset - mean * factor if offset is not None else -mean * factor
        return scaled + composing.cast(rest, x.dtype)


def batch_norm_with_global_normalization(
    t: TensorLike | None = None,
    m: TensorLike | None = None,
    v: TensorLike | None = None,
    beta: TensorLike | np.ndarray | None = None,
    gamma: TensorLike | np.ndarray | None = None,
    variance_epsilon: float | None = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
) -> Tensor:
    """Batch normalization under its first argument names; `batch_normalization` is the same with others.

    Args:
        t: floats of any shape; later called `input`.
        m: their mean; later `mean`.
        v: their variance; later `variance`.
        beta: the offset.
        gamma: the scale.
        variance_epsilon: a small float.
        scale_after_normalization: whether to use `gamma`.
        name: a name scope.
        input, mean, variance: the later names.
    """
    t = first_given("input", input, "t", t)
    m = first_given("mean", mean, "m", m)
    v = first_given("variance", variance, "v", v)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def l2_normalize(
    x: TensorLike,
    axis: int | Sequence[int] | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """x / sqrt(max(sum(x ** 2), epsilon)), the sum taken over axes.

    Args:
        x: floats of any shape.
        axis: an int or a list of ints; None for all axes.
        epsilon: keeps zeros from being divided by zero.
        name: a name for the operation.
        dim: the older name of `axis`.

    Example:
        >>> tf.Session().run(tf.nn.l2_normalize([3.0, 4.0], 0))
        array([0.6, 0.8], dtype=float32)
    """
    axis = first_given("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        total = reduce_sum(raw.Square(x), axis, keepdims=True)
        return raw.Mul(x, raw.Rsqrt(raw.Maximum(total, epsilon)), name=scope)


def normalize(
    tensor: TensorLike, ord: TensorLike = "euclidean", axis: int | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its norm, and the norm.

    Args:
        tensor: floats or complex numbers of any shape.
        ord: the order of the norm, as in `tf.norm`.
        axis: an int, or a pair of ints for matrix norms; None for the norm of all elements.
        name: a name scope.

    Returns:
        (normalized, norm): the norm keeps the axes with size 1.
    """
    with name_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        norm = composing.cast(norm_of(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / norm, norm


def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """Which part of the elements is zero.

    Args:
        value: numbers of any shape.
        name: a name scope.

    Returns:
        a float32 scalar in [0, 1]; NaN where there are no elements.

    Example:
        >>> tf.Session().run(tf.nn.zero_fraction([0, 1, 0, 3]))
        0.5
    """
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        size = _size64(value)
        nonzero = cond(
            size <= 2**31 - 1,
            true_fn=lambda: composing.cast(_count_nonzero(value, "int32"), "int64"),
            false_fn=lambda: _count_nonzero(value, "int64"),
        )
        with name_scope("counts_to_fraction"):
            fraction = composing.cast(size - nonzero, "float32") / composing.cast(size, "float32")
        return raw.Identity(fraction, name="fraction")


def _size64(value: Tensor) -> Tensor:
    with name_scope(None, "Size", [value]) as scope:
        count = element_count(value.dims)
        if count is not None:
            return constant(count, "int64", name=scope)
        return raw.Size(value, out_type="int64", name=scope)


def _count_nonzero(value: Tensor, dtype: str) -> Tensor:
    with name_scope(None, "count_nonzero", [value]):
        zero = composing.zeros([], value.dtype)
        return reduce_sum(composing.cast(raw.NotEqual(value, zero), dtype), name="nonzero_count")
