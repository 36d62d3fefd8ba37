"""Functions whose definitions in a graph's library other programs look at: their attributes, and those that are never called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.autodiff.split_functions import SplitFunction
from headrace.core.defaults import get_default_graph
from headrace.state.concrete_function import ConcreteFunction
from headrace.state.function_spec import check_signature
from headrace.state.polymorphic_function import PolymorphicFunction


def defun_with_attributes(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    attributes: Mapping[str, Any] | None = None,
    autograph: bool = True,
    experimental_autograph_options: Any = None,
    experimental_relax_shapes: bool = False,
) -> Any:
    """As `defun`, with attributes of the function's definition.

    Args:
        func: the function; without it a decorator is returned.
        input_signature: a spec for each argument.
        attributes: numbers, bools and texts by name.
        autograph: whether Python's control flow over tensors becomes that of the graph.
        experimental_autograph_options: features of that conversion.
        experimental_relax_shapes: whether sizes that differ from call to call become unknown ones.

    Raises:
        TypeError: if the signature is none; ValueError, from calls, for attributes of other types.
    """
    if func is None:
        return lambda f: defun_with_attributes(
            f, input_signature, attributes, autograph, experimental_autograph_options, experimental_relax_shapes
        )
    check_signature(input_signature)
    return PolymorphicFunction(
        func,
        input_signature,
        autograph,
        experimental_autograph_options,
        experimental_relax_shapes,
        creates_variables_once=False,
        attributes=attributes,
    )


def register(func: PolymorphicFunction, *args: Any, **kwargs: Any) -> ConcreteFunction:
    """Puts a function into the library of the default graph, with its gradient, without calling it.

    Args:
        func: what `defun` made.
        args, kwargs: the arguments that it is traced for.

    Returns:
        the function as it is in the library.

    Raises:
        ValueError: if it is no such function.
    """
    if not isinstance(func, PolymorphicFunction):
        raise ValueError(f"Only defun function is allowed to be registered. Got type: {type(func)}")
    concrete = func.get_concrete_function(*args, **kwargs)
    graph = get_default_graph()
    concrete.add_to_graph(graph)
    split = SplitFunction.of(concrete.function)
    for part in (split.forward, split.backward):
        if part is not None:
            part.add_to_graph(graph)
    return concrete


__all__ = ["defun_with_attributes", "register"]
