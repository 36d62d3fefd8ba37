"""Tensors that tell of themselves when they are computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import bool as bool_type
from headrace.core.dtypes import uint8
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.constant import constant
from headrace.ops.flow.printing import Print
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.state.variables import Variable

_KINDS: dict[Any, str] = {
    Tensor: "Tensor",
    SparseTensor: "SparseTensor",
    TensorArray: "TensorArray",
    Variable: "Variable",
}


def _described(value: Any, with_name: bool, with_type: bool, with_shape: bool, first_true: bool) -> list[Tensor]:
    """What is printed of a value."""
    kind = next((name for type_, name in _KINDS.items() if isinstance(value, type_)), None)
    described: list[Any] = []
    if with_name and kind == "Tensor":
        described.append(constant(f"Name: {value.name}"))
    if with_type:
        if kind is None:
            raise ValueError("t must be a Tensor, SparseTensor, TensorArray or Variable.")
        described.append(constant(f"Type: {kind} ({value.dtype.name})"))
    if with_shape and kind == "SparseTensor":
        described += [constant("Shape:"), value.dense_shape]
    elif with_shape and kind == "Tensor":
        described.append(constant(f"Shape: {value.get_shape().dims}"))
    elif with_shape and kind == "TensorArray":
        described += [constant("Size:"), value.size()]
    if first_true and value.dtype == bool_type:
        numbers = cast(value, uint8)
        described += [constant("First True in Boolean tensor at:"), argmax(numbers, 0)]
    if kind == "SparseTensor":
        described += [constant("Sparse indices:"), value.indices, constant("Sparse values:"), value.values]
    elif kind == "Tensor":
        described += [constant("Value:"), value]
    elif kind == "TensorArray":
        described += [constant("Value:"), value.stack()]
    return described


def print_op(
    input_: Any,
    data: Iterable[Any] | None = None,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_shape: bool = True,
    summarize_indicator_vector: bool = True,
    name: str | None = None,
) -> Any:
    """The same value, which prints its name, type, shape and elements whenever it is computed.

    Args:
        input_: a tensor, SparseTensor, TensorArray or variable.
        data: more of them to print.
        message: a text in front.
        first_n: print only so often; always if None or negative.
        summarize: how many elements to print.
        print_tensor_name, print_tensor_type, print_shape: what to print.
        summarize_indicator_vector: whether to print where in bools the first True is.
        name: a name for the operation.

    Raises:
        ValueError: for anything else.

    Example:
        >>> logits = print_op(logits, message="logits: ")
    """
    kinds: Any = tuple(_KINDS)
    if not isinstance(input_, kinds):
        raise ValueError("input_ must be of type Tensor, SparseTensor or TensorArray")
    settings = (print_tensor_name, print_tensor_type, print_shape, summarize_indicator_vector)
    described = [tensor for value in (input_, *(data or ())) for tensor in _described(value, *settings)]
    plain = not isinstance(input_, (SparseTensor, TensorArray))
    printed = Print(input_ if plain else constant([]), described, message or "", first_n, summarize, name)
    if plain:
        return printed
    with control_dependencies([printed]):
        if isinstance(input_, SparseTensor):
            return SparseTensor(identity(input_.indices), identity(input_.values), identity(input_.dense_shape))
        return TensorArray(dtype=input_.dtype, handle=input_.handle, flow=input_.flow)
