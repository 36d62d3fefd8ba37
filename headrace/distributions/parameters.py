"""What distributions share: parameters given as logits or probabilities, checks, seeds, and shapes known or not."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.functions.flow.checks import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
    assert_near,
    assert_non_negative,
)
from headrace.functions.flow.cond import cond
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.reduction import reduce_all, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.softmax import softmax

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, TensorLike


_NO_EVENT: list[int] = []


def scalar_event() -> Tensor:
    """The event shape of distributions over numbers, as a tensor."""
    return convert_to_tensor(_NO_EVENT, "int32")


def maybe_get_static_value(x: TensorLike, dtype: Any = None) -> Any:
    """`x` if it is known while the graph is built, a tensor's value as an array; else None."""
    if x is None:
        return None
    value = constant_value(x) if isinstance(x, Tensor) else x
    return value if value is None or dtype is None else np.array(value, dtype)


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """Another seed for a second drawing under the same name; None stays None."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode()).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def get_logits_and_probs(
    logits: TensorLike | None = None,
    probs: TensorLike | None = None,
    multidimensional: bool = False,
    validate_args: bool = False,
    name: str = "get_logits_and_probs",
    dtype: DTypeLike | None = None,
) -> tuple[Tensor, Tensor]:
    """Both from either.

    Args:
        logits, probs: one of them.
        multidimensional: whether the last dimension is that of the classes.
        validate_args: whether to check the probabilities when the graph runs.
        name: a name for the operations.
        dtype: the element type of the results.

    Raises:
        ValueError: unless exactly one is given.
        TypeError: if it is not floating.
    """
    with name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if probs is None:
            logits = convert_to_tensor(logits, dtype, name="logits")
            if not logits.dtype.is_floating:
                raise TypeError("logits must having floating type.")
            if multidimensional:
                if validate_args:
                    logits = embed_check_categorical_event_shape(logits)
                return logits, softmax(logits, name="probs")
            return logits, sigmoid(logits, name="probs")
        probs = convert_to_tensor(probs, dtype, name="probs")
        if not probs.dtype.is_floating:
            raise TypeError("probs must having floating type.")
        if validate_args:
            probs = _checked_probs(probs, multidimensional)
        with name_scope("logits"):
            if multidimensional:
                return raw.Log(probs), probs
            return raw.Log(probs) - raw.Log1p(-1.0 * probs), probs


def _checked_probs(probs: Tensor, multidimensional: bool) -> Tensor:
    with name_scope("validate_probs"):
        one = constant(1.0, probs.dtype)
        checks = [assert_non_negative(probs)]
        if multidimensional:
            probs = embed_check_categorical_event_shape(probs)
            checks.append(assert_near(reduce_sum(probs, -1), one, message="probs does not sum to 1."))
        else:
            checks.append(assert_less_equal(probs, one, message="probs has components greater than 1."))
        return with_dependencies(checks, probs)


def largest_integer(dtype: DTypeLike) -> int:
    """The largest whole number up to which a type holds all of them.

    Raises:
        TypeError: if the type is not one of numbers and truth values.
    """
    kind = as_dtype(dtype)
    number = _number_type(kind)
    if kind.is_floating:
        return int(2 ** (np.finfo(number).nmant + 1))
    return int(np.iinfo(number).max) if kind.is_integer else 1


def smallest_integer(dtype: DTypeLike) -> int:
    """The negative of `largest_integer`, 0 for types without a sign."""
    kind = as_dtype(dtype)
    return 0 if _number_type(kind) in _UNSIGNED else -largest_integer(kind)


_UNSIGNED = (np.bool_, np.uint8, np.uint16)
_SIGNED = (np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64)


def _number_type(kind: DType) -> type:
    number = kind.base_dtype.as_numpy_dtype
    if np.dtype(number) not in [np.dtype(each) for each in (*_UNSIGNED, *_SIGNED)]:
        raise TypeError(f"Unrecognized dtype: {kind.name}")
    return number


def embed_check_categorical_event_shape(
    categorical_param: TensorLike, name: str = "embed_check_categorical_event_shape"
) -> Tensor:
    """The parameter of a categorical distribution, with a check that it has at least 2 classes and not too many.

    Raises:
        ValueError: if it is known to have fewer than 2 classes or more than its type can count, or no dimension at all.
        TypeError: if its type cannot count the classes.
    """
    with name_scope(name, values=[categorical_param]):
        x = convert_to_tensor(categorical_param, name="categorical_param")
        kind = x.dtype.base_dtype
        if not kind.is_floating:
            raise TypeError(f"Unable to validate size of unrecognized dtype ({kind.name}).")
        most = largest_integer(kind)
        no_dimension = "A categorical-distribution parameter must have at least 1 dimension."
        too_few = "A categorical-distribution parameter must have at least 2 events."
        too_many = f"Number of classes exceeds `dtype` precision, i.e., {kind.name}"
        static = x.get_shape()
        if static.ndims == 0:
            raise ValueError(no_dimension)
        size = None if static.dims is None else static.dims[-1].value
        if size is None:
            count = composing.shape(x, name="x_shape")[-1]
            checks = [
                assert_rank_at_least(x, 1, message=no_dimension),
                assert_greater_equal(shape_internal(x)[-1], 2, message=too_few),
                assert_less_equal(count, most, message=f"{too_many} dtype cannot exceed {most} shape."),
            ]
            return with_dependencies(checks, x)
        if size < 2:
            raise ValueError(too_few)
        if size > most:
            raise ValueError(f"{too_many} implies shape ({size}) cannot exceed {most}.")
        return x


def assert_integer_form(
    x: TensorLike,
    data: Any = None,
    summarize: Any = None,
    message: str | None = None,
    int_dtype: DTypeLike | None = None,
    name: str = "assert_integer_form",
) -> Operation:
    """The operation that checks that the elements of `x` are whole numbers, of those that `int_dtype` holds.

    Raises:
        TypeError: if no `int_dtype` is given and `x` is of a type that goes with none.
    """
    with name_scope(name, values=[x, data]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_integer:
            return raw.NoOp()
        message = message or f"{x} has non-integer components"
        if int_dtype is None:
            sizes = {"float16": "int16", "float32": "int32", "float64": "int64"}
            if (int_dtype := sizes.get(x.dtype.base_dtype.name)) is None:
                raise TypeError(f"Unrecognized type {x.dtype.name}")
        whole = cast(cast(x, int_dtype), x.dtype)
        return assert_equal(x, whole, data=data, summarize=summarize, message=message, name=name)


def assert_symmetric(matrix: Tensor) -> Tensor:
    """`matrix`, with a check that it is its own transpose."""
    check = assert_equal(matrix, composing.matrix_transpose(matrix))
    return with_dependencies([check], matrix)


def same_dynamic_shape(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether two tensors have one shape when the graph runs."""
    a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")

    def equal() -> Tensor:
        shapes = [composing.concat([shape_internal(x), shape_internal(y)], 0) for x, y in ((a, b), (b, a))]
        return reduce_all(raw.Equal(*shapes))

    return cond(raw.Equal(rank_internal(a), rank_internal(b)), equal, lambda: constant(False))


def embed_check_nonnegative_integer_form(x: TensorLike, name: str = "embed_check_nonnegative_integer_form") -> Tensor:
    """`x`, with checks that its elements are whole numbers and none is negative."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        checks = [assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            checks.append(assert_integer_form(x, message=f"'{x}' cannot contain fractional components."))
        return with_dependencies(checks, x)


def _like_integers(kind: DType) -> bool:
    _number_type(kind)
    return kind.is_integer or kind.base_dtype.name == "bool"


def embed_check_integer_casting_closed(
    x: Tensor, target_dtype: DTypeLike, assert_nonnegative: bool = True, name: str = "embed_check_casting_closed"
) -> Tensor:
    """`x`, with checks that its elements are whole numbers that fit another type.

    Raises:
        TypeError: if neither type is one of whole numbers, or one is not a type of numbers at all.
    """
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        target = as_dtype(target_dtype)
        whole = [_like_integers(kind) for kind in (x.dtype, target)]
        if not whole[0] and not x.dtype.is_floating:
            raise TypeError(f"{x.dtype.name}.dtype must be floating- or integer-type.")
        if not whole[1] and not target.is_floating:
            raise TypeError(f"target_dtype ({target.name}) must be floating- or integer-type.")
        if not any(whole):
            names = f"{x}.dtype ({x.dtype.name}) and target_dtype ({target.name})"
            raise TypeError(f"At least one of {names} must be integer-type.")
        checks = [assert_non_negative(x, message="Elements must be non-negative.")] if assert_nonnegative else []
        if x.dtype.is_floating:
            message = f"Elements must be {target.name}-equivalent."
            checks.append(assert_integer_form(x, int_dtype=target, message=message))
        else:
            most, least = largest_integer(target), smallest_integer(target)
            if largest_integer(x.dtype) > most:
                checks.append(assert_less_equal(x, most, message=f"Elements cannot exceed {most}."))
            if not assert_nonnegative and smallest_integer(x.dtype) < least:
                checks.append(assert_greater_equal(x, least, message=f"Elements cannot be smaller than {least}."))
        return with_dependencies(checks, x) if checks else x


def log_combinations(n: TensorLike, counts: TensorLike, name: str = "log_combinations") -> Tensor:
    """The logarithm of the number of ways to divide `n` things into groups of `counts`."""
    with name_scope(name, values=[n, counts]):
        n, counts = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
        whole = raw.Lgamma(n + 1)
        return whole - reduce_sum(raw.Lgamma(counts + 1), axis=[-1])


def nans(shape: TensorLike, dtype: DType) -> Tensor:
    """A tensor of NaN."""
    return raw.Fill(shape, np.array(np.nan, dtype.as_numpy_dtype), name="nan")


def nan_unless(defined: TensorLike, value: Tensor, shape: TensorLike) -> Tensor:
    """`value` where it is defined, else NaN."""
    return where_v2(defined, value, nans(shape, value.dtype))


def softplus_inverse(x: TensorLike, name: str | None = None) -> Tensor:
    """What `softplus` makes `x` of: log(exp(x) - 1), with all its digits."""
    with name_scope(name, "softplus_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        threshold = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        small, large = raw.Less(x, np.exp(threshold)), raw.Greater(x, -threshold)
        of_small = raw.Log(x)
        between = where_v2(raw.LogicalOr(small, large), composing.ones_like(x), x)
        exact = between + raw.Log(-raw.Expm1(-between))
        return where_v2(small, of_small, where_v2(large, x, exact))


def identities(**values: Any) -> list[Tensor]:
    """Each value as a tensor under its name."""
    return [identity(value, name=name) for name, value in values.items()]
