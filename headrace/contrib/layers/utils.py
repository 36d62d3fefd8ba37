"""What the layers of `tf.contrib.layers` share: collections, aliases of tensors, arguments of sizes."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import constant_value as constant_values
from headrace.core.defaults import get_collection, get_default_graph
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.typing import CollectionNames, DTypeLike, TensorLike


__all__ = [
    "append_tensor_alias", "channel_dimension", "collect_named_outputs", "constant_value", "convert_collection_to_dict",
    "gather_tensors_aliases", "get_tensor_aliases", "get_variable_collections", "last_dimension",
    "n_positive_integers", "smart_cond", "static_cond", "two_element_tuple",
]  # fmt: skip

NamedOutputs = namedtuple("NamedOutputs", ["name", "outputs"])


def collect_named_outputs(collections: CollectionNames | None, alias: str, outputs: SparseTensor | Tensor) -> Any:
    """Adds `outputs` to collections under an alias, if there are any, and returns them."""
    if collections:
        append_tensor_alias(outputs, alias)
        get_default_graph().add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more alias, without a slash at its end."""
    tensor.aliases = [*getattr(tensor, "aliases", ()), alias.removesuffix("/")]
    return tensor


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """The aliases of several tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def get_tensor_aliases(tensor: Tensor) -> list[str]:
    """The aliases of a tensor; its name if it has none."""
    if hasattr(tensor, "aliases"):
        return tensor.aliases
    return [tensor.op.name if tensor.name.endswith(":0") else tensor.name]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> OrderedDict[str, Any]:
    """The tensors of a collection by their aliases.

    Args:
        collection: its name.
        clear_collection: whether to empty it.
    """
    found = OrderedDict((alias, t) for t in get_collection(collection) for alias in get_tensor_aliases(t))
    if clear_collection:
        get_default_graph().clear_collection(collection)
    return found


def constant_value(value_or_tensor_or_var: bool | Tensor, dtype: DTypeLike | None = None) -> Any:
    """The value of a tensor where it is known while the graph is built, else None; other values as they are.

    Raises:
        ValueError: for None, or a tensor or variable of another type than `dtype`.
    """
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError("value_or_tensor_or_var cannot be None")
    if not isinstance(value, (Tensor, Variable)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError(f"It has the wrong type {value.dtype} instead of {dtype}")
    return None if isinstance(value, Variable) else constant_values.constant_value(value)


def static_cond(pred: TensorLike, fn1: Callable[[], Any], fn2: Callable[[], Any]) -> Any:
    """fn1() if `pred`, a value of Python, is true, else fn2()."""
    for function, name in ((fn1, "fn1"), (fn2, "fn2")):
        if not callable(function):
            raise TypeError(f"{name} must be callable.")
    return fn1() if pred else fn2()


def smart_cond(pred: bool | Tensor, fn1: Callable[[], Any], fn2: Callable[[], Any], name: str | None = None) -> Any:
    """`static_cond` where `pred` is known, else `tf.cond`."""
    known = constant_value(pred)
    return cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections: CollectionNames | None, name: str) -> Any:
    """The collections for the variable `name`: those of a dict at its key, else all."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def _dimension(shape: TensorShape, axis: int, min_rank: int) -> int:
    if shape.ndims is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.ndims < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {shape.ndims}")
    size = shape[axis].value
    if size is None:
        raise ValueError(f"dimension {axis} of shape must be known but is None: {shape}")
    return size


def channel_dimension(shape: TensorShape, data_format: str, min_rank: int = 1) -> int:
    """The number of channels of a shape, "channels_first" or "channels_last".

    Raises:
        ValueError: if it is not known, or the rank is below `min_rank`.
    """
    return _dimension(shape, 1 if data_format == "channels_first" else -1, min_rank)


def last_dimension(shape: TensorShape, min_rank: int = 1) -> int:
    """The size of the last axis of a shape.

    Raises:
        ValueError: if it is not known, or the rank is below `min_rank`.
    """
    return _dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple: int | Sequence[int]) -> tuple[Any, Any]:
    """A pair: twice an int, or the two entries of a list, tuple or shape.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, TensorShape) and len(int_or_tuple) == 2:
        return int_or_tuple[0], int_or_tuple[1]
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")


def n_positive_integers(n: int, value: Any) -> tuple[int, ...]:
    """A tuple of `n` positive ints: that many times `value`, or its entries.

    Raises:
        ValueError: if they are not positive, or not as many.
    """
    if int(n) < 1 or int(n) != n:
        raise ValueError("n must be a positive integer")
    try:
        values = (int(value),) * int(n)
    except (TypeError, ValueError):
        wrong = f"Expected sequence of {n} positive integers, but received {value!r}"
        if len(value) != n:
            raise ValueError(wrong) from None
        try:
            values = tuple(int(x) for x in value)
        except (TypeError, ValueError):
            raise ValueError(wrong) from None
    for x in values:
        if x < 1:
            raise ValueError(f"expected positive integer, but received {x}")
    return values
