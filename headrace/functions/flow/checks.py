"""Checks of values: assert_equal and its like.

What is known while the graph is built is checked then and there; the rest becomes an Assert.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, float32
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.kernels import composing
from headrace.ops.array.slice import strided_slice
from headrace.ops.flow.assertion import all_of, summarized
from headrace.ops.flow.grouping import no_op

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_NUMERIC = frozenset(
    {
        *("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "qint8", "qint32", "quint8"),
        *("complex64",),
    }
)


def _known(tensor: TensorLike) -> np.ndarray | None:
    if not isinstance(tensor, Tensor) or not tensor._is_graph_tensor:
        return None
    # What TensorFlow does not know while it builds the graph it checks at run time.
    return None if tensor.op.decl.python_value_rule is None else constant_value(tensor)


def _text(item: TensorLike) -> str:
    known = _known(item)
    return str(item if known is None else known)


def _check_now(
    sign: str, held: Any, x: Any, y: Any, data: Sequence[TensorLike] | None, summarize: int | None, message: str | None
) -> None:
    """Raises an error that tells where a comparison does not hold, if it does not everywhere."""
    right = held.numpy()
    if right.all():
        return
    most = 3 if summarize is None else right.size + x.numpy().size + y.numpy().size if summarize < 0 else summarize
    lines: list[Any] = []
    if data is not None:
        lines = [summarized(item, summarize) if isinstance(item, Tensor) else item for item in data]
    else:
        lines.append(f"Condition x {sign} y did not hold.")
        pairs = [("x", x.numpy()), ("y", y.numpy())]
        if most > 0 and x.dims and x.dims == y.dims:
            places = np.argwhere(~right)[:most]
            lines += [f"Indices of first {len(places)} different values:", places]
            for name, value in pairs:
                lines += [f"Corresponding {name} values:", value[~right][:most]]
        if most > 0:
            for name, value in pairs:
                first = np.reshape(value, -1)[:most]
                lines += [f"First {len(first)} elements of {name}:", first]
    if message is not None:
        lines = [message, *lines]
    raise InvalidArgumentError(None, None, "\n".join(map(str, lines)))


def _binary(
    sign: str,
    default_name: str,
    decl: Callable[[], OpDecl],
    holds: Callable[[Any, Any], Any],
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None,
    summarize: int | None,
    message: str | None,
    name: str | None,
) -> Operation:
    with name_scope(name, default_name, [x, y, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y")
        if executing_eagerly():
            _check_now(sign, decl()(x, y), x, y, data, summarize, message)
            return None  # type: ignore[return-value]  # eagerly there is no operation, as in 1.x
        if data is None:
            data = [
                f"Condition x {sign} y did not hold element-wise:",
                f"x ({x._shown_name}) = ",
                x,
                f"y ({y._shown_name}) = ",
                y,
            ]
        if message is not None:
            data = [message, *data]
        condition = all_of(decl()(x, y))
        known_x, known_y = _known(x), _known(y)
        if known_x is not None and known_y is not None and not np.all(holds(known_x, known_y)):
            raise InvalidArgumentError(None, None, "\n".join(_text(item) for item in data))
        return Assert(condition, data, summarize=summarize)


_ARGUMENTS = """

    Args:
        x, y: numeric tensors that broadcast against each other.
        data: what to tell when it fails; by default the condition and both tensors.
        summarize: how many elements of each tensor to tell.
        message: what to tell first.
        name: a name scope.

    Returns:
        an operation to depend on.

    Raises:
        InvalidArgumentError: now, if both are known and it does not hold; else when the operation runs.

    Example:
        >>> with tf.control_dependencies([tf.{name}(x, y)]):
        ...     z = tf.identity(x)
    """


def _comparison(name: str, sign: str, op_type: str, holds: Callable[[Any, Any], Any]) -> Callable[..., Operation]:
    def check(
        x: TensorLike,
        y: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Operation:
        return _binary(sign, check.__name__, lambda: getattr(raw, op_type), holds, x, y, data, summarize, message, name)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Asserts that `x {sign} y` holds for all elements." + _ARGUMENTS.replace("{name}", name)
    return check


assert_none_equal = _comparison("assert_none_equal", "!=", "NotEqual", np.not_equal)
assert_less = _comparison("assert_less", "<", "Less", np.less)
assert_less_equal = _comparison("assert_less_equal", "<=", "LessEqual", np.less_equal)
assert_greater = _comparison("assert_greater", ">", "Greater", np.greater)
assert_greater_equal = _comparison("assert_greater_equal", ">=", "GreaterEqual", np.greater_equal)


def assert_equal(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[str] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `x == y` holds for all elements."""
    with name_scope(name, "assert_equal", [x, y, data]):
        if x is y:
            return no_op()
    return _binary("==", "assert_equal", lambda: raw.Equal, np.equal, x, y, data, summarize, message, name)


assert_equal.__doc__ = f"{assert_equal.__doc__}" + _ARGUMENTS.replace("{name}", "assert_equal")


def _sign_check(name: str, sign: str, compare: Callable[..., Operation], zero_first: bool) -> Callable[..., Operation]:
    def check(
        x: TensorLike,
        data: Any = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Operation:
        with name_scope(name, check.__name__, [x, data]):
            x = convert_to_tensor(x, name="x")
            if data is None:
                data = [message or "", f"Condition x {sign} 0 did not hold element-wise:", f"x ({x._shown_name}) = ", x]
                if sign == "<=":
                    # TensorFlow tells these two as one.
                    data[1:3] = [data[1] + data[2]]
            zero = convert_to_tensor(0, x.dtype)
            pair = (zero, x) if zero_first else (x, zero)
            return compare(*pair, data=data, summarize=summarize)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"""Asserts that `x {sign} 0` holds for all elements.

    Args:
        x: numeric tensor.
        data: what to tell when it fails; by default the condition and the tensor.
        summarize: how many elements of it to tell.
        message: what to tell first.
        name: a name scope.

    Returns:
        an operation to depend on.

    Raises:
        InvalidArgumentError: now, if `x` is known and it does not hold; else when the operation runs.
    """
    return check


assert_negative = _sign_check("assert_negative", "<", assert_less, False)
assert_positive = _sign_check("assert_positive", ">", assert_less, True)
assert_non_negative = _sign_check("assert_non_negative", ">=", assert_less_equal, True)
assert_non_positive = _sign_check("assert_non_positive", "<=", assert_less_equal, False)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """Asserts that `|x - y| < atol + rtol * |y|` holds for all elements.

    Args:
        x, y: floating tensors of one type that broadcast against each other.
        rtol, atol: the tolerances; ten times the smallest difference from 1 of the type by default.
        data, summarize, message, name: as for `assert_equal`.

    Returns:
        an operation to depend on; InvalidArgumentError when it runs.
    """
    with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, x.dtype, name="y")
        smallest = 10 * np.finfo(x.dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(smallest if rtol is None else rtol, x.dtype, name="rtol")
        atol = convert_to_tensor(smallest if atol is None else atol, x.dtype, name="atol")
        if data is None:
            description = f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}"
            data = [message or "", description, f"x ({x._shown_name}) = ", x, f"y ({y._shown_name}) = ", y]
        tolerance = raw.AddV2(atol, raw.Mul(rtol, raw.Abs(y), name="mul"), name="add")
        difference = raw.Abs(raw.Sub(x, y, name="sub"))
        return Assert(all_of(raw.Less(difference, tolerance)), data, summarize=summarize)


# ---- types and shapes known while building ----


def assert_proper_iterable(values: object) -> None:
    """Asserts that `values` can be iterated over as a collection: it is no tensor, array or string.

    Raises:
        TypeError: if it cannot.
    """
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, bytes, str)):
        raise TypeError(f'Expected argument "values" to be a "proper" iterable.  Found: {type(values)}')
    if not hasattr(values, "__iter__"):
        raise TypeError(f'Expected argument "values" to be iterable.  Found: {type(values)}')


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Operation:
    """Asserts that `x` is of an integer type; TypeError if it is not."""
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{message or ""}  Expected "x" to be integer type.  Found: {x._shown_name} of dtype {x.dtype}'
            )
        return no_op("statically_determined_was_integer")


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Operation:
    """Asserts that `tensor` is of type `tf_type`; TypeError if it is not."""
    with name_scope(name, "assert_type", [tensor]):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            raise TypeError(f"{message or ''}  {tensor._shown_name} must be of type {tf_type}")
        return no_op("statically_determined_correct_type")


def assert_scalar(tensor: TensorLike, name: str | None = None, message: str | None = None) -> Tensor:
    """`tensor`, which must be known to be a scalar; ValueError if it is not."""
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.dims != ():
            raise ValueError(
                f"{message or ''}Expected scalar shape for {tensor._shown_name}, saw shape: {tensor.get_shape()}."
            )
        return tensor


def assert_same_float_dtype(
    tensors: Sequence[Tensor | SparseTensor | None] | None = None, dtype: DType | None = None
) -> DType:
    """The one floating type of `tensors`, which must also be `dtype` where given; float32 if nothing is.

    Raises:
        ValueError: if the types differ or are not floating.
    """
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if dtype is None:
            dtype, first = found, tensor
        elif found != dtype:
            known = f" as {getattr(first, 'name', first)}" if first is not None else ""
            raise ValueError(
                f"{getattr(tensor, 'name', tensor)}, type={found}, must be of the same type ({dtype}){known}."
            )
    if dtype is None:
        return float32
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def is_numeric_tensor(tensor: TensorLike) -> bool:
    """Whether `tensor` is a tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.base_dtype.name in _NUMERIC


# ---- order ----


def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element of `x`, in row-major order, is less than the one before it.

    Args:
        x: numeric tensor.
        name: a name scope.

    Returns:
        a bool scalar; True for fewer than two elements.
    """
    with name_scope(name, "is_non_decreasing", [x]):
        steps = _steps(x)
        return all_of(raw.LessEqual(convert_to_tensor(0, steps.dtype), steps))


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element of `x`, in row-major order, is greater than the one before it.

    Args:
        x: numeric tensor.
        name: a name scope.

    Returns:
        a bool scalar; True for fewer than two elements.
    """
    with name_scope(name, "is_strictly_increasing", [x]):
        steps = _steps(x)
        return all_of(raw.Less(convert_to_tensor(0, steps.dtype), steps))


def _steps(x: Any) -> Tensor:
    """The differences between successive elements."""
    x = raw.Reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    few = raw.Less(composing.size(x), 2)
    count = raw.Sub(composing.shape(x), 1, name="sub")

    def differences() -> Tensor:
        later = strided_slice(x, [1], raw.AddV2([1], count, name="add"))
        return raw.Sub(later, strided_slice(x, [0], count), name="sub")

    return cond(few, lambda: convert_to_tensor([], x.dtype), differences)
