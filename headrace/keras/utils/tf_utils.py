"""What Keras asks of tensors, and nested lists of shapes and of nodes."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.composite_tensors import CompositeTensor
from headrace.core.eager import EagerTensor, executing_eagerly
from headrace.core.shapes import Dimension, TensorShape
from headrace.core.tensor import Tensor
from headrace.layers.base import Layer as LegacyLayer
from headrace.layers.conditions import constant_value as constant_value
from headrace.layers.conditions import smart_cond as smart_cond
from headrace.layers.context import get_graph
from headrace.layers.nodes import following
from headrace.state.scoping import init_scope, makes_eager_variables
from headrace.state.variables import Variable

_user_convertible_tensor_types: set[type] = set()


def is_symbolic_tensor(tensor: object) -> bool:
    """Whether something stands for a value in a graph, rather than being one."""
    if isinstance(tensor, EagerTensor):
        return False
    if isinstance(tensor, (Tensor, SparseTensor, CompositeTensor)):
        return True
    if isinstance(tensor, Variable):
        # Variables of graphs are; so are those made eagerly that a function uses.
        return bool(getattr(tensor, "_keras_history", False)) or not executing_eagerly()
    return isinstance(tensor, tuple(_user_convertible_tensor_types))


def register_symbolic_tensor_type(cls: type) -> None:
    """Lets models take objects of a class that `tf.convert_to_tensor` converts for tensors.

    Args:
        cls: the class.
    """
    _user_convertible_tensor_types.add(cls)


def are_all_symbolic_tensors(tensors: Iterable[object]) -> bool:
    """Whether all of them stand for values in a graph."""
    return all(is_symbolic_tensor(tensor) for tensor in tensors)


def is_tensor_or_tensor_list(v: Any) -> bool:
    """Whether it is a tensor, or a structure whose first element is one."""
    flat = nest.flatten(v)
    return bool(flat) and isinstance(flat[0], Tensor)


def is_tensor_or_variable(x: object) -> bool:
    """Whether it is a tensor or a variable."""
    return isinstance(x, (Tensor, SparseTensor, CompositeTensor, Variable))


@contextlib.contextmanager
def graph_context_for_symbolic_tensors(*args: Any, **kwargs: Any) -> Iterator[None]:
    """A context in whose graph tensors among the arguments are, if any of them stands for a value."""
    if any(is_symbolic_tensor(value) for value in [*args, *kwargs.values()]):
        with get_graph().as_default():
            yield
    else:
        yield


@contextlib.contextmanager
def maybe_init_scope(layer: Any) -> Iterator[None]:
    """A context to make the variables of a layer in: outside of functions where these execute eagerly."""
    if makes_eager_variables() and getattr(layer, "_keras_style", True):
        with init_scope():
            yield
    else:
        yield


def assert_no_legacy_layers(layers: Iterable[Any]) -> None:
    """Checks that no layer is one of `tf.layers`.

    Raises:
        TypeError: if there is one.
    """
    legacy = [str(layer) for layer in layers if isinstance(layer, LegacyLayer)]
    if legacy:
        raise TypeError(
            "The following are legacy tf.layers.Layers:\n  "
            + "\n  ".join(legacy)
            + "\nA Network, Model or Sequential is made of layers of tf.keras.layers; layers of your own are subclasses of "
            "tf.keras.layers.Layer rather than of those of tf.layers. Please use the tf.keras.layers implementation "
            "instead."
        )


def get_reachable_from_inputs(inputs: Any, targets: Any = None) -> set[Any]:
    """The operations and tensors that depend on tensors.

    Args:
        inputs: tensors, variables or operations.
        targets: those to look for; with them the search ends when all are found.

    Raises:
        TypeError: for other objects.
    """
    found = list(nest.flatten(inputs, expand_composites=True))
    seen = {id(item) for item in found}
    missing = {id(target) for target in nest.flatten(targets)} - seen if targets is not None else None
    waiting = list(found)
    while waiting and missing != set():
        for other in following(waiting.pop()):
            if id(other) not in seen:
                seen.add(id(other))
                found.append(other)
                waiting.append(other)
                if missing is not None:
                    missing.discard(id(other))
    return set(found)


# ---- structures


def map_structure_with_atomic(is_atomic_fn: Callable[[Any], bool], map_fn: Callable[[Any], Any], nested: Any) -> Any:
    """A structure with a function applied to its elements, where another function says what is an element.

    Args:
        is_atomic_fn: whether something is an element.
        map_fn: the function.
        nested: an element, or a sequence or dictionary of structures.

    Raises:
        ValueError: for what is neither.
    """
    if is_atomic_fn(nested):
        return map_fn(nested)
    if not nest.is_nested(nested):
        raise ValueError(f"Received non-atomic and non-sequence element: {nested}")
    if isinstance(nested, dict):
        return {key: map_structure_with_atomic(is_atomic_fn, map_fn, nested[key]) for key in nested}
    mapped = [map_structure_with_atomic(is_atomic_fn, map_fn, element) for element in nested]
    return nested._make(mapped) if hasattr(nested, "_make") else type(nested)(mapped)


def _is_shape_component(value: Any) -> bool:
    return value is None or isinstance(value, (int, Dimension))


def _is_shape(value: Any) -> bool:
    if value is None or isinstance(value, TensorShape):
        return True
    return isinstance(value, (tuple, list)) and all(_is_shape_component(size) for size in value)


def convert_shapes(input_shape: Any, to_tuples: bool = True) -> Any:
    """A structure of shapes with each as a tuple, or as a `TensorShape`.

    Args:
        input_shape: shapes as tuples, lists or `TensorShape`s; a list of numbers is one shape.
        to_tuples: whether they become tuples.

    Raises:
        ValueError: if the rank of one is not known and tuples are asked for.
    """

    def convert(shape: Any) -> Any:
        known = TensorShape(shape)
        return tuple(known.as_list()) if to_tuples else known

    return map_structure_with_atomic(_is_shape, convert, input_shape)


def shape_type_conversion(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a method such as `compute_output_shape` see shapes as tuples; what it returns becomes `TensorShape`s."""

    @functools.wraps(fn)
    def wrapper(instance: Any, input_shape: Any) -> Any:
        if input_shape is not None:
            input_shape = convert_shapes(input_shape, to_tuples=True)
        shape = fn(instance, input_shape)
        return shape if shape is None else convert_shapes(shape, to_tuples=False)

    return wrapper


class ListWrapper:
    """A list that counts as one element of a structure.

    Args:
        list_to_wrap: the list.
    """

    def __init__(self, list_to_wrap: Sequence[Any]) -> None:
        self._list = list_to_wrap

    def as_list(self) -> Sequence[Any]:
        """The list."""
        return self._list


def convert_inner_node_data(nested: Any, wrap: bool = False) -> Any:
    """A structure of lists (layer, node, tensor, arguments), with each wrapped so that it counts as one element, or back.

    Args:
        nested: the structure.
        wrap: whether they are wrapped; else they are unwrapped.
    """

    def is_node_data(value: Any) -> bool:
        if isinstance(value, ListWrapper):
            return True
        return isinstance(value, list) and bool(value) and isinstance(value[0], str)

    def convert(value: Any) -> Any:
        if isinstance(value, ListWrapper):
            return value if wrap else value.as_list()
        return ListWrapper(value) if wrap else value

    return map_structure_with_atomic(is_node_data, convert, nested)
