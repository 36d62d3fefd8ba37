"""What decides the plan of an operation run eagerly, as keys of plans kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.eager import EagerTensor

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.eager import EagerOperation
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike


# The most elements of a value read on the host that may be part of a key.
LARGEST_KNOWN = 32
# Kinds of values that go into a key as they are.
_VALUES = frozenset({int, bool, str, bytes, np.int32, np.int64, np.bool_})


def flat_inputs(args: Sequence[Any]) -> list[Any]:
    """The inputs with lists of tensors flattened; a list of numbers is one input."""
    flat: list[Any] = []
    for value in args:
        if value.__class__ in (list, tuple) and value and value[0].__class__ is EagerTensor:
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def call_key(decl: OpDecl, args: Sequence[Any], keywords: dict[str, Any], device: str | None = "") -> Any:
    """What decides the plan of a call: types and shapes of tensors, and the values of what is read on the host.

    Args:
        decl: what is called.
        args: its inputs, by position.
        keywords: its attributes.
        device: the device asked for; None where that is not known before.
    """
    key: list[Any] = [decl, device if device is not None else []]
    host = decl.host_positions
    for i, value in enumerate(args):
        kind = value.__class__
        if kind is EagerTensor:
            dtype = value._dtype
            # A number, which has its hash at hand.
            key.append(dtype.as_datatype_enum)
            key.append(value.dims)
            # Numbers such as learning rates change from call to call, and decide no plan.
            if i in host and not dtype.is_floating:
                held = value._value
                if held.__class__ is not torch.Tensor or held.numel() > LARGEST_KNOWN:
                    # Not hashable: such a call is looked at anew each time.
                    key.append([])
                else:
                    key.append(held.numpy().tobytes())
        elif kind is list or kind is tuple:
            for item in value:
                if item.__class__ is EagerTensor:
                    key.append(item._dtype.as_datatype_enum)
                    key.append(item.dims)
                    if i in host:
                        key.append([])
                    elif item._value.__class__ is VariableBuffer:
                        # Functions are planned for the variables that they are called with.
                        key.append(id(item._value))
                else:
                    _add_value(key, item)
            key.append(len(value))
        elif kind is np.ndarray:
            if value.size > LARGEST_KNOWN or value.dtype == object:
                key.append([])
            else:
                key.append((value.dtype.str, value.shape, value.tobytes()))
        else:
            _add_value(key, value)
    if keywords:
        key += _attributes(keywords)
    return tuple(key)


def plain_key(decl: OpDecl, args: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """A shorter key for calls of one or two tensors, of which nothing is read on the host; None for others."""
    if decl.host_positions:
        return None
    count = len(args)
    if count == 2:
        x, y = args
        if x.__class__ is not EagerTensor or y.__class__ is not EagerTensor:
            return None
        first, second = x._dtype.as_datatype_enum, y._dtype.as_datatype_enum
        if keywords:
            return decl, first, x.dims, second, y.dims, *_attributes(keywords)
        return decl, first, x.dims, second, y.dims
    if count == 1:
        (x,) = args
        if x.__class__ is not EagerTensor:
            return None
        kind = x._dtype.as_datatype_enum
        return (decl, kind, x.dims, *_attributes(keywords)) if keywords else (decl, kind, x.dims)
    return None


def _attributes(keywords: dict[str, Any]) -> list[Any]:
    return [item if item[1].__class__ is not list else (item[0], tuple(item[1])) for item in keywords.items()]


def is_host_input(op: EagerOperation, index: int) -> bool:
    """Whether an operation reads the value of an input on the host."""
    position = 0
    for arg in op.decl.signature.inputs:
        count = 1
        if arg.number_attr is not None:
            count = op.attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(op.attrs[arg.type_list_attr])
        if index < position + count:
            return arg.name in op.decl.host_inputs
        position += count
    return False


def is_variable(value: object) -> bool:
    """Whether a value is a variable that operations take the value of."""
    return hasattr(value.__class__, "_read_variable_op")


def variable_value(value: Any) -> Any:
    """The tensor of a variable's value; anything else as it is."""
    return value.value() if is_variable(value) else value


def _add_value(key: list[Any], value: TensorLike | DType) -> None:
    kind = value.__class__
    key.append(kind)
    if kind is float:
        # Zeros of both signs are equal, but not the same.
        key.append(repr(value))
    else:
        key.append(value if kind in _VALUES else [])


def size_of(dims: Any) -> int:
    """The number of elements of a tensor with a value, by its shape."""
    size = 1
    for dim in dims or ():
        size *= dim
    return size


def frozen(value: Any) -> Any:
    """An attribute value, or a dict of them, as a part of a key."""
    if isinstance(value, dict):
        return tuple((key, frozen(item)) for key, item in value.items() if key != "_class")
    if isinstance(value, (list, tuple)):
        return tuple(frozen(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if value.dtype != object else tuple(value.ravel().tolist())
    try:
        hash(value)
    except TypeError:
        return id(value)
    return value
