"""The public reductions: `tf.reduce_sum` and its like, under the argument names of all 1.x versions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import is_fully_defined
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.functions.ragged.tensor import RaggedTensor


def _axes(value: TensorLike | RaggedTensor | None, axis: TensorLike | None) -> Any:
    """`axis`, or all axes: a constant where the rank is known."""
    if axis is not None:
        return axis
    if isinstance(value, Tensor) and value.dims is not None:
        axes = np.arange(len(value.dims), dtype=np.int32)
        # What runs at once is known by its arguments: an array is one as it stands.
        return convert_to_tensor(axes) if value._is_graph_tensor else axes
    return composing.range_(0, composing.rank(value))


def _reduced(op_type: str, value: Any, axis: TensorLike | None, keepdims: bool | None, name: str | None) -> Tensor:
    keepdims = False if keepdims is None else keepdims
    result = getattr(raw, op_type)(value, _axes(value, axis), keep_dims=keepdims, name=name)
    return _scalar_if_whole(result, axis, keepdims)


def _scalar_if_whole(result: Tensor, axis: TensorLike | None, keepdims: bool) -> Tensor:
    if axis is None and not keepdims and not is_fully_defined(result.dims):
        result.set_shape(())
    return result


def _reduction(op_type: str, name: str, does: str, example: str) -> Callable[..., Tensor]:
    def reduce(
        input_tensor: TensorLike | RaggedTensor | None,
        axis: TensorLike | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: int | Sequence[int] | None = None,
        keep_dims: bool | None = None,
    ) -> Tensor:
        axis = first_given("axis", axis, "reduction_indices", reduction_indices)
        keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
        return _reduced(op_type, input_tensor, axis, keepdims, name)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"""{does}.

    Args:
        input_tensor: {"bool" if op_type in ("All", "Any") else "numbers"} of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        a tensor of the type of `input_tensor` without the reduced axes.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> tf.Session().run{example}
    """
    return reduce


reduce_sum = _reduction("Sum", "reduce_sum", "The sum over axes", "(tf.reduce_sum([[1, 2], [3, 4]]))\n        10")
reduce_mean = _reduction(
    "Mean",
    "reduce_mean",
    "The mean over axes; of integers, rounded towards zero",
    "(tf.reduce_mean([1.0, 2.0, 4.5]))\n        2.5",
)
reduce_prod = _reduction(
    "Prod", "reduce_prod", "The product over axes", "(tf.reduce_prod([[1, 2], [3, 4]]))\n        24"
)
reduce_max = _reduction(
    "Max", "reduce_max", "The greatest element over axes", "(tf.reduce_max([[1, 2], [3, 4]]))\n        4"
)
reduce_min = _reduction(
    "Min", "reduce_min", "The least element over axes", "(tf.reduce_min([[1, 2], [3, 4]]))\n        1"
)
reduce_all = _reduction(
    "All", "reduce_all", "Whether all elements over axes are true", "(tf.reduce_all([True, False]))\n        False"
)
reduce_any = _reduction(
    "Any", "reduce_any", "Whether any element over axes is true", "(tf.reduce_any([True, False]))\n        True"
)


def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over axes.

    Args:
        input_tensor: numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes.
        keepdims: keep the reduced axes with size 1.
        name: a name for the operation.

    Example:
        >>> tf.Session().run(tf.math.reduce_euclidean_norm([3.0, 4.0]))
        5.0
    """
    return _reduced("EuclideanNorm", input_tensor, axis, keepdims, name)


def count_nonzero(
    input_tensor: TensorLike | None = None,
    axis: int | Sequence[int] | None = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = "int64",
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Sequence[TensorLike] | None = None,
) -> Tensor:
    """The number of elements over axes that are not zero (or empty, for strings).

    Args:
        input_tensor: numbers, bools or strings of any shape; `input` is its name in later versions.
        axis: an int, a list of ints or an int tensor; None for all axes.
        keepdims: keep the reduced axes with size 1.
        dtype: the type of the counts.
        name: a name scope.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Raises:
        ValueError: if an argument is given under both names.

    Example:
        >>> tf.Session().run(tf.count_nonzero([[0, 1], [2, 3]], 1))
        array([1, 2])
    """
    keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
    value = first_given("input", input, "input_tensor", input_tensor)
    axis = first_given("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(name, "count_nonzero", [value]):
        value = convert_to_tensor(value, name="input")
        empty = b"" if value.dtype.name == "string" else 0
        zero = convert_to_tensor(bool(empty) if value.dtype.name == "bool" else empty, value.dtype, name="zeros")
        different = composing.cast(raw.NotEqual(value, zero), "int64")
        return composing.cast(reduce_sum(different, axis=axis, keepdims=keepdims), dtype)


def reduce_variance(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean squared distance from the mean over axes.

    Args:
        input_tensor: floating or complex numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes.
        keepdims: keep the reduced axes with size 1.
        name: a name scope.

    Example:
        >>> tf.Session().run(tf.math.reduce_variance([1.0, 2.0, 3.0, 4.0]))
        1.25
    """
    with name_scope(name or "reduce_variance"):
        means = reduce_mean(input_tensor, axis=axis, keepdims=True)
        return reduce_mean(raw.Square(input_tensor - means), axis=axis, keepdims=keepdims)


def reduce_std(
    input_tensor: TensorLike, axis: TensorLike | None = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the variance over axes.

    Args:
        input_tensor: floating or complex numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes.
        keepdims: keep the reduced axes with size 1.
        name: a name scope.

    Example:
        >>> tf.Session().run(tf.math.reduce_std([1.0, 5.0]))
        2.0
    """
    with name_scope(name or "reduce_std"):
        return raw.Sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: TensorLike | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Sequence[int] | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """log(sum(exp(x))) over axes, with the maximum taken out first so that nothing overflows.

    Args:
        input_tensor: floating numbers of any shape.
        axis: an int, a list of ints or an int tensor; None for all axes.
        keepdims: keep the reduced axes with size 1.
        name: a name scope.
        reduction_indices, keep_dims: the older names of `axis` and `keepdims`.

    Raises:
        ValueError: if an axis is out of range, or is given under both names.

    Example:
        >>> sess.run(tf.reduce_logsumexp([1000.0, 1000.0]))  # 1000 + log(2)
        1000.6932
    """
    axis = first_given("axis", axis, "reduction_indices", reduction_indices)
    keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims) or False
    x = convert_to_tensor(input_tensor)
    with name_scope(name, "ReduceLogSumExp", [x]):
        greatest = reduce_max(x, axis=axis, keepdims=True)
        # Infinite maxima stay in: taking them out would give inf - inf.
        finite = raw.Select(raw.IsFinite(greatest), greatest, composing.zeros_like(greatest))
        shift = raw.StopGradient(finite)
        result = raw.Log(reduce_sum(raw.Exp(raw.Sub(x, shift)), axis, keepdims=keepdims))
        if not keepdims:
            shift = raw.Reshape(shift, composing.shape(result))
        return _scalar_if_whole(raw.Add(result, shift), axis, keepdims)
