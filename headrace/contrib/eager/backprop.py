"""The names that 1.15's `tensorflow.python.eager.backprop` gives to gradients of functions, and its helpers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.autodiff.aggregation import added_slices
from headrace.autodiff.gradient_tape import GradientTape
from headrace.config import pywrap
from headrace.contrib.eager.functional import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    make_vjp,
    value_and_gradients_function,
)
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import find_public
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.ops.math.add_n import add_n

implicit_grad = implicit_gradients
implicit_val_and_grad = implicit_value_and_gradients
val_and_grad_function = value_and_gradients_function

_KINDS = {
    "string": pywrap.TF_ATTR_STRING,
    "int": pywrap.TF_ATTR_INT,
    "float": pywrap.TF_ATTR_FLOAT,
    "bool": pywrap.TF_ATTR_BOOL,
    "type": pywrap.TF_ATTR_TYPE,
    "shape": pywrap.TF_ATTR_SHAPE,
    "tensor": pywrap.TF_ATTR_TENSOR,
    "func": pywrap.TF_ATTR_FUNC,
}


def op_attr_type(op_type: str, attr_name: str) -> int | list[int]:
    """What an attribute of an op holds.

    Args:
        op_type: the type of the op.
        attr_name: the attribute.

    Returns:
        one of `pywrap_tensorflow`'s `TF_ATTR_…`, in a list where it holds a list of them.

    Raises:
        NotFoundError: if no op is called so.
        InvalidArgumentError: if the op has no such attribute.

    Example:
        >>> from headrace.python.eager import backprop
        >>> backprop.op_attr_type("MaxPool", "ksize")
        [1]
    """
    decl = find_public(op_type)
    if decl is None:
        raise NotFoundError(
            None, None, f"'{op_type}' is neither a type of a primitive operation nor a name of a function"
        )
    attr = decl.signature.attrs.get(attr_name)
    if attr is None:
        raise InvalidArgumentError(None, None, f"Attribute '{attr_name}' does not exist for this operation")
    kind = attr.kind
    if kind.startswith("list("):
        return [_KINDS[kind[len("list(") : -1]]]
    return _KINDS[kind]


def make_attr(attr_type: int | list[int], value: Any) -> Any:
    """A value of an attribute as gradients get it: types as `tf.DType`, shapes as messages, others as they are.

    Args:
        attr_type: what `op_attr_type` returns.
        value: the value, types as the numbers of their enumeration and shapes as lists of sizes.

    Example:
        >>> from headrace.python.eager import backprop
        >>> backprop.make_attr(backprop.op_attr_type("Add", "T"), 1)
        tf.float32
    """
    if isinstance(attr_type, list):
        return [make_attr(attr_type[0], each) for each in value]
    if attr_type == pywrap.TF_ATTR_TYPE:
        return as_dtype(value)
    if attr_type == pywrap.TF_ATTR_SHAPE:
        return TensorShape(value).as_proto()
    return value


def aggregate_indexed_slices_gradients(grads: Sequence[Any]) -> Any:
    """The sum of the gradients of a tensor of which some rows are used.

    Args:
        grads: tensors, `tf.IndexedSlices`, or None.

    Returns:
        the sum: slices one after the other where all are slices, else a tensor; None where nothing is to be added.

    Raises:
        TypeError: if one is something else.

    Example:
        >>> from headrace.python.eager import backprop
        >>> rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
        >>> added = backprop.aggregate_indexed_slices_gradients([rows, None, rows])
        >>> with tf.Session() as sess:
        ...     print(sess.run(added.indices))
        [1 1]
    """
    found = [gradient for gradient in grads if gradient is not None]
    for gradient in found:
        if not isinstance(gradient, (Tensor, IndexedSlices)):
            raise TypeError(f"Not a Tensor or IndexedSlices: {type(gradient)}")
    if len(found) < 2:
        return found[0] if found else None
    if all(isinstance(gradient, IndexedSlices) for gradient in found):
        return added_slices(found)
    return add_n([convert_to_tensor(gradient) for gradient in found])


__all__ = [
    "GradientTape",
    "aggregate_indexed_slices_gradients",
    "gradients_function",
    "implicit_grad",
    "implicit_val_and_grad",
    "make_attr",
    "make_vjp",
    "op_attr_type",
    "val_and_grad_function",
]
