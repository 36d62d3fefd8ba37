"""What distributions share: parameters given as logits or probabilities, checks, seeds, and shapes known or not."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing
from headrace.ops.array.identity import identity
from headrace.ops.array.where import where_v2
from headrace.ops.flow.checks import assert_equal, assert_less_equal, assert_near, assert_non_negative
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.reduction import reduce_sum
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.softmax import softmax

_NO_EVENT: list[int] = []


def scalar_event() -> Tensor:
    """The event shape of distributions over numbers, as a tensor."""
    return convert_to_tensor(_NO_EVENT, "int32")


def known(x: Any, dtype: Any = None) -> Any:
    """`x` as a NumPy array if it is known while the graph is built, else None."""
    if x is None:
        return None
    value = constant_value(x) if isinstance(x, Tensor) else np.asarray(x)
    return value if value is None or dtype is None else np.asarray(value, dtype)


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """Another seed for a second drawing under the same name; None stays None."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode()).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def get_logits_and_probs(
    logits: Any = None,
    probs: Any = None,
    multidimensional: bool = False,
    validate_args: bool = False,
    name: str = "get_logits_and_probs",
    dtype: Any = None,
) -> tuple[Tensor, Tensor]:
    """Both from either.

    Args:
        logits, probs: one of them.
        multidimensional: whether the last dimension is that of the classes.
        validate_args: whether to check the probabilities when the graph runs.
        name: a name for the operations.
        dtype: the type wanted.

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
        one = convert_to_tensor(1.0, probs.dtype, name="one")
        checks = [assert_non_negative(probs)]
        if multidimensional:
            probs = embed_check_categorical_event_shape(probs)
            checks.append(assert_near(reduce_sum(probs, -1), one, message="probs does not sum to 1."))
        else:
            checks.append(assert_less_equal(probs, one, message="probs has components greater than 1."))
        return with_dependencies(checks, probs)


def embed_check_categorical_event_shape(
    categorical_param: Any, name: str = "embed_check_categorical_event_shape"
) -> Tensor:
    """The parameter of a categorical distribution, with a check that it has at least 2 classes.

    Raises:
        ValueError: if it is known to have fewer, or no dimension at all.
        TypeError: if its type cannot count the classes.
    """
    with name_scope(name, values=[categorical_param]):
        x = convert_to_tensor(categorical_param, name="categorical_param")
        if not x.dtype.is_floating:
            raise TypeError(f"Unable to validate size of unrecognized dtype ({x.dtype.name}).")
        dims = x.get_shape().with_rank_at_least(1).dims
        size = None if dims is None else dims[-1].value
        if size is not None:
            if size < 2:
                raise ValueError(f"A categorical distribution must have at least 2 events, got {size}.")
            return x
        count = composing.shape(x, name="x_shape")[-1]
        check = assert_less_equal(2, count, message="A categorical distribution must have at least 2 events.")
        return with_dependencies([check], x)


def assert_integer_form(
    x: Any, data: Any = None, summarize: Any = None, message: str | None = None, name: str = "assert_integer_form"
) -> Any:
    """The operation that checks that the elements of `x` are whole numbers."""
    with name_scope(name, values=[x, data]):
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_integer:
            return raw.NoOp()
        message = message or f"{x.op.name} has non-integer components"
        return assert_equal(x, raw.Round(x), data=data, summarize=summarize, message=message, name=name)


def embed_check_nonnegative_integer_form(x: Any, name: str = "embed_check_nonnegative_integer_form") -> Tensor:
    """`x`, with checks that its elements are whole numbers and none is negative."""
    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        checks = [assert_non_negative(x, message=f"'{x.op.name}' must be non-negative.")]
        if not x.dtype.is_integer:
            checks.append(assert_integer_form(x, message=f"'{x.op.name}' cannot contain fractional components."))
        return with_dependencies(checks, x)


def embed_check_integer_casting_closed(
    x: Any, target_dtype: Any, assert_nonnegative: bool = True, name: str = "embed_check_casting_closed"
) -> Tensor:
    """`x`, with checks that its elements are whole numbers that fit another type."""
    from headrace.core.dtypes import as_dtype

    with name_scope(name, values=[x]):
        x = convert_to_tensor(x, name="x")
        target = as_dtype(target_dtype)
        checks = [assert_non_negative(x, message=f"'{x.op.name}' must be non-negative.")] if assert_nonnegative else []
        if x.dtype.is_floating:
            checks.append(assert_integer_form(x, message=f"Elements must be {target.name}-equivalent."))
        if target.name == "bool":
            checks.append(assert_less_equal(x, cast(1, x.dtype), message=f"Elements cannot exceed {True}."))
        return with_dependencies(checks, x)


def log_combinations(n: Any, counts: Any, name: str = "log_combinations") -> Tensor:
    """The logarithm of the number of ways to divide `n` things into groups of `counts`."""
    with name_scope(name, values=[n, counts]):
        n, counts = convert_to_tensor(n, name="n"), convert_to_tensor(counts, name="counts")
        whole = raw.Lgamma(n + 1)
        return whole - reduce_sum(raw.Lgamma(counts + 1), axis=[-1])


def nan_unless(defined: Any, value: Tensor, shape: Any) -> Tensor:
    """`value` where it is defined, else NaN."""
    nan = raw.Fill(shape, np.array(np.nan, value.dtype.as_numpy_dtype), name="nan")
    return where_v2(defined, value, nan)


def softplus_inverse(x: Any, name: str | None = None) -> Tensor:
    """What `softplus` makes `x` of: log(exp(x) - 1), with all its digits."""
    with name_scope(name, "softplus_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        threshold = np.log(np.finfo(x.dtype.as_numpy_dtype).eps) + 2.0
        small, large = raw.Less(x, np.exp(threshold)), raw.Greater(x, -threshold)
        between = where_v2(raw.LogicalOr(small, large), composing.ones_like(x), x)
        exact = between + raw.Log(-raw.Expm1(-between))
        return where_v2(small, raw.Log(x), where_v2(large, x, exact))


def identities(**values: Any) -> list[Tensor]:
    """Each value as a tensor under its name."""
    return [identity(value, name=name) for name, value in values.items()]
