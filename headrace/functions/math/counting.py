"""The public functions that count and order values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import DTypeLike, TensorLike


def bincount(
    arr: TensorLike,
    weights: TensorLike | None = None,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    dtype: DTypeLike = "int32",
) -> Tensor:
    """How often each non-negative integer occurs, or the sum of the weights where it does.

    Args:
        arr: int32 of any shape.
        weights: numbers of the shape of `arr`.
        minlength: the least length of the result.
        maxlength: its greatest length; larger integers are not counted.
        dtype: the type of the counts, without `weights`.

    Returns:
        a vector as long as the greatest integer plus one, within those limits.

    Example:
        >>> tf.Session().run(tf.bincount([1, 1, 3]))
        array([0, 2, 0, 1], dtype=int32)
    """
    with name_scope("bincount"):
        arr = convert_to_tensor(arr, "int32", name="arr")
        not_empty = _over_all_axes(raw.Prod, composing.shape(arr)) > 0
        length = composing.cast(not_empty, "int32") * (_over_all_axes(raw.Max, arr) + 1)
        if minlength is not None:
            length = raw.Maximum(convert_to_tensor(minlength, "int32", name="minlength"), length)
        if maxlength is not None:
            length = raw.Minimum(convert_to_tensor(maxlength, "int32", name="maxlength"), length)
        if weights is not None:
            return raw.UnsortedSegmentSum(convert_to_tensor(weights, name="weights"), arr, length)
        return raw.Bincount(arr, length, convert_to_tensor([], dtype))


def _over_all_axes(reduce: OpDecl, x: Tensor) -> Tensor:
    """A reduction over all axes, with the operations `tf.reduce_*` makes for them."""
    if x.dims is None:
        result = reduce(x, composing.range_(0, composing.rank(x)))
        result.set_shape(())
        return result
    return reduce(x, convert_to_tensor(np.arange(len(x.dims)), "int32"))


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = "int32",
    name: str | None = None,
) -> Tensor:
    """How many values fall into each of a number of bins of equal width.

    Args:
        values: numbers of any shape.
        value_range: two numbers of that type: where the first bin begins and the last ends. What lies outside counts
            in the first or last bin.
        nbins: how many bins, a scalar.
        dtype: int32 or int64.
        name: a name for the operation.

    Returns:
        a vector of length `nbins`.

    Raises:
        InvalidArgumentError: when run, if the range is empty.

    Example:
        >>> tf.Session().run(tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5))
        array([2, 1, 1, 0, 2], dtype=int32)
    """
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return raw.HistogramFixedWidth(values, value_range, nbins, dtype=dtype, name=scope)


def histogram_fixed_width_bins(
    values: Any, value_range: TensorLike, nbins: TensorLike = 100, dtype: DTypeLike = "int32", name: str | None = None
) -> Tensor:
    """Into which of a number of bins of equal width each value falls.

    Args:
        values: numbers of any shape.
        value_range: two numbers of that type: where the first bin begins and the last ends.
        nbins: how many bins, a scalar.
        dtype: int32; the result has this type whatever is given, as in TensorFlow.
        name: a name scope.

    Returns:
        an int32 tensor of the shape of `values`.
    """
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = composing.shape(values)
        values = raw.Reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name="value_range")
        count = composing.cast(convert_to_tensor(nbins, "int32", name="nbins"), values.dtype)
        low, high = values - value_range[0], value_range[1] - value_range[0]
        with name_scope("scaled_values", values=[low, high]) as scope:
            scaled = _quotient(low, high, scope)
        indices = raw.Floor(count * scaled, name="indices")
        indices = composing.cast(_clipped(indices, 0, count - 1), "int32")
        return raw.Reshape(indices, shape)


def _quotient(x: Tensor, y: Tensor, name: str) -> Tensor:
    if x.dtype.is_integer:
        x, y = composing.cast(x, "float64"), composing.cast(y, "float64")
    return raw.RealDiv(x, y, name=name)


def _clipped(x: Tensor, low: int, high: Tensor) -> Tensor:
    with name_scope(None, "clip_by_value", [x, low, high]) as scope:
        least = raw.Minimum(x, high)
        return raw.Maximum(least, low, name=scope)


def nth_element(input: TensorLike, n: TensorLike, reverse: bool = False, name: str | None = None) -> Tensor:
    """The n-th least element of each row, counted from 0.

    Args:
        input: real numbers of shape (..., m).
        n: a scalar.
        reverse: the n-th greatest instead.
        name: a name for the operation.

    Returns:
        a tensor of shape (...).

    Raises:
        ValueError: if there are not so many elements.
    """
    return raw.NthElement(input, n, reverse=reverse, name=name)
