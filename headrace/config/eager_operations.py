"""1.x's `eager.execute` and `eager.core`: operations by the names of their types, run as they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import find
from headrace.core.shapes import TensorShape
from headrace.core.signature import Arg
from headrace.core.tensor import Tensor

__all__ = [
    "args_to_matching_eager",
    "convert_to_mixed_eager_tensors",
    "execute",
    "make_bool",
    "make_float",
    "make_int",
    "make_shape",
    "make_str",
    "make_type",
    "quick_execute",
]


class NotOkStatusException(Exception):
    """What an operation run by name failed with, before it is an error of `tf.errors`.

    Args:
        message: what went wrong.
        code: the error's code.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__()
        self.message, self.code = message, code

    def __str__(self) -> str:
        error = status_to_exception(self.code, self.message)
        return f"{type(error).__name__}: {error}"


class FallbackException(Exception):
    """What sends a call from the quick way to the slow one; here there is one way."""


class SymbolicException(Exception):
    """What says that an operation run by name was given tensors of a graph."""


def status_to_exception(code: int, message: str) -> Exception:
    """The error of `tf.errors` with a code.

    Args:
        code: the code.
        message: the text.
    """
    try:
        kind = errors.exception_type_from_error_code(code)
    except KeyError:
        return errors.UnknownError(None, None, message)
    made: Any = kind
    return errors.UnknownError(None, None, message) if kind is errors.OpError else made(None, None, message)


def quick_execute(
    op_name: str | bytes,
    num_outputs: int,
    inputs: Sequence[Any],
    attrs: Sequence[Any] | None,
    ctx: Any,
    name: str | None = None,
) -> list[Tensor]:
    """Runs an operation.

    Args:
        op_name: the type of the op.
        num_outputs: how many tensors it gives.
        inputs: its inputs, lists among them one after the other.
        attrs: names and values of its attributes in turn; types as the numbers of their enumeration.
        ctx: has no effect: there is one context.
        name: the operation's name.

    Returns:
        the outputs, a list.

    Raises:
        NotFoundError: if no op of this type is declared.
        InvalidArgumentError: if inputs or attributes are missing or of another kind, there are more outputs, or inputs of
            a graph are given.
        TypeError: if `num_outputs` is no number.
    """
    if not isinstance(num_outputs, int):
        raise TypeError(f"num_outputs must be a whole number, got {num_outputs!r}.")
    text = op_name.decode() if isinstance(op_name, bytes) else op_name
    decl = find(text)
    if decl is None:
        raise errors.NotFoundError(None, None, f"Op type not registered '{text}' in this process")
    given = list(attrs or ())
    values = {_text(key): value for key, value in zip(given[::2], given[1::2], strict=True)}
    kinds = decl.signature.attrs
    keywords: dict[str, Any] = {}
    inferred = {attr for arg in decl.signature.inputs for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    for key, value in values.items():
        if key not in kinds:
            raise errors.InvalidArgumentError(None, None, f"{text} has no attribute {key}")
        if key not in inferred:
            keywords[key] = _attribute(f"{key} of {text}", kinds[key].kind, value)
    left = list(inputs)
    arguments: list[Any] = []
    for arg in decl.signature.inputs:
        arguments.append(_taken(left, arg, values))
    if left:
        raise errors.InvalidArgumentError(
            None, None, f"{text} takes {len(inputs) - len(left)} inputs, and got {len(inputs)}"
        )
    result = decl(*arguments, name=name, **keywords)
    flat: list[Tensor] = []
    for each in result if isinstance(result, (list, tuple)) else [] if result is None else [result]:
        flat += each if isinstance(each, (list, tuple)) else [each]
    if len(flat) > num_outputs:
        raise errors.InvalidArgumentError(
            None, None, f"Expecting {num_outputs} outputs, but {text} is going to return {len(flat)}"
        )
    return flat


execute = quick_execute


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


_KINDS: dict[str, tuple[type, ...]] = {
    "bool": (bool, np.bool_),
    "int": (int, np.integer),
    "float": (int, float, np.integer, np.floating),
    "string": (str, bytes),
    "type": (int, DType),
    "shape": (list, tuple, type(None), TensorShape),
    "list": (list, tuple),
}


def _attribute(name: str, kind: str, value: Any) -> Any:
    """The value of an attribute as op wrappers take it."""
    wanted = _KINDS.get("list" if kind.startswith("list(") else kind)
    if wanted is not None and not isinstance(value, wanted):
        raise errors.InvalidArgumentError(None, None, f"Expecting {kind} value for attr {name}, got {value!r}")
    if kind.startswith("list("):
        return [_attribute(name, kind[5:-1], each) for each in value]
    return as_dtype(value) if kind == "type" else value


def _taken(left: list[Any], arg: Arg, values: dict[str, Any]) -> Any:
    """The next input, or list of inputs, taken from those that are left."""
    if arg.number_attr is not None:
        given = values.get(arg.number_attr, len(left))
        count = int(_attribute(arg.number_attr, "int", given))
    elif arg.type_list_attr is not None:
        count = len(values.get(arg.type_list_attr, left))
    else:
        if not left:
            raise errors.InvalidArgumentError(None, None, f"No input is left for {arg.name}")
        return left.pop(0)
    taken = left[:count]
    del left[:count]
    return taken


def args_to_matching_eager(
    l: Sequence[Any],  # noqa: E741  the name that callers know
    ctx: Any,
    default_dtype: DType | None = None,
) -> tuple[int, list[Tensor]]:
    """Values as tensors of one type: that of the tensors among them.

    Args:
        l: the values.
        ctx: has no effect: there is one context.
        default_dtype: the type, where none of them says it.

    Returns:
        the number of the type, and the tensors.
    """
    dtype = next((value.dtype for value in l if isinstance(value, Tensor)), None)
    made: list[Tensor] = []
    for value in l:
        tensor = convert_to_tensor(value, dtype, preferred_dtype=default_dtype)
        dtype = tensor.dtype if dtype is None else dtype
        made.append(tensor)
    return (dtype or as_dtype(default_dtype)).as_datatype_enum, made


def convert_to_mixed_eager_tensors(values: Sequence[Any], ctx: Any) -> tuple[list[int], list[Tensor]]:
    """Values as tensors, each of its own type: the numbers of the types, and the tensors.

    Args:
        values: the values.
        ctx: has no effect: there is one context.
    """
    made = [convert_to_tensor(value) for value in values]
    return [tensor.dtype.as_datatype_enum for tensor in made], made


def make_float(v: Any, arg_name: str) -> float:
    """An attribute that is a number; TypeError for what is none."""
    if isinstance(v, (int, float)):
        return float(v)
    raise TypeError(f"Expected float for argument '{arg_name}' not {v!r}.")


def make_int(v: Any, arg_name: str) -> int:
    """An attribute that is a whole number; TypeError for what is none."""
    if isinstance(v, str):
        raise TypeError(f"Expected int for argument '{arg_name}' not {v!r}.")
    try:
        return int(v)
    except (ValueError, TypeError):
        raise TypeError(f"Expected int for argument '{arg_name}' not {v!r}.") from None


def make_str(v: Any, arg_name: str) -> bytes:
    """An attribute that is text; TypeError for what is none."""
    if not isinstance(v, (str, bytes)):
        raise TypeError(f"Expected string for argument '{arg_name}' not {v!r}.")
    return v.encode() if isinstance(v, str) else v


def make_bool(v: Any, arg_name: str) -> bool:
    """An attribute that is true or false; TypeError for what is neither."""
    if not isinstance(v, bool):
        raise TypeError(f"Expected bool for argument '{arg_name}' not {v!r}.")
    return v


def make_type(v: Any, arg_name: str) -> int:
    """The number of an attribute that is a type; TypeError for what is none."""
    try:
        return as_dtype(v).base_dtype.as_datatype_enum
    except TypeError:
        raise TypeError(f"Expected DataType for argument '{arg_name}' not {v!r}.") from None


def make_shape(v: Any, arg_name: str) -> list[int | None] | None:
    """An attribute that is a shape, as a list, None of unknown rank; TypeError or ValueError for what is none."""
    try:
        shape = TensorShape(v)
    except TypeError as error:
        raise TypeError(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    except ValueError as error:
        raise ValueError(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    return None if shape.ndims is None else shape.as_list()
