"""Python functions of elements as functions of the graph."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Callable
from typing import Any

from headrace.autograph import converted_for_function
from headrace.core.defaults import get_default_graph
from headrace.core.func_graph import FuncGraph
from headrace.core.graph_functions import Function
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.data import structure
from headrace.state.defun import outer_variables

_numbers = itertools.count(1)


class ElementFunction:
    """A function of elements, traced.

    Args:
        func: takes an element; one that is a plain tuple as several arguments.
        transformation: what it is for, in messages, such as "Dataset.map()".
        spec: the description of the element.
        legacy: whether `get_variable` in it gives the values of resource variables, as in functions by `Defun`.

    Attributes:
        output_structure: the description of what it returns.

    Raises:
        TypeError: if it returns what is no element.
        ValueError: if it is none.
    """

    def __init__(self, func: Callable[..., Any], transformation: str, spec: Any, legacy: bool = False) -> None:
        if not callable(func):
            raise ValueError(f"Argument must be callable: {transformation} was given {func!r}.")
        name = getattr(func, "__name__", None) or type(func).__name__
        base = f"{transformation.replace('.', '_').removesuffix('()')}_{name}"
        graph = FuncGraph(f"__inference_{base}_{next(_numbers)}")
        outer = get_default_graph()
        self.output_structure: Any = None
        with graph.as_default():
            tensors = []
            types, dims = structure.flat_types(spec), structure.flat_dims(spec)
            for i, (dtype, shape) in enumerate(zip(types, dims, strict=True)):
                tensors.append(graph.add_input(dtype, shape, f"args_{i}"))
            element = structure.from_tensors(spec, tensors)
            arguments = element if type(element) is tuple else (element,)
            with outer_variables(graph, True) if legacy else contextlib.nullcontext():
                returned = converted_for_function(func)(*arguments)
            if isinstance(returned, list):
                # Lists would become one tensor, which what came from an op with several outputs was not meant to be.
                returned = tuple(returned)
            self.output_structure, returned = self._described(returned, transformation)
            flat = structure.to_tensors(self.output_structure, returned)
            outputs: list[Tensor] = [raw.Identity(graph.capture(tensor)) for tensor in flat]
            graph.outputs = outputs
        if graph.makes_resources:
            warnings.warn(
                f"Creating resources inside a function passed to {transformation} is not supported. Create each resource "
                "outside the function, and capture it inside the function to use it.",
                stacklevel=4,
            )
        if graph._seed_used and outer.seed is not None and graph.seed == outer.seed:
            warnings.warn(
                f"Seed {outer.seed} from outer graph might be getting used by function {base}, if the random op has not been "
                "provided any seed. Explicitly set the seed in the function if this is not the intended behavior.",
                stacklevel=4,
            )
        self.function = Function(graph.name, graph)
        self.function.add_to_graph(outer)
        self.captured = graph.external_captures

    def _described(self, returned: object, transformation: str) -> tuple[Any, Any]:
        problem = f"Unsupported return value from function passed to {transformation}: {returned}."
        if returned is None:
            raise TypeError(problem)
        try:
            returned = structure.normalized_result(returned)
            return structure.spec_of(returned), returned
        except (TypeError, ValueError) as error:
            raise TypeError(problem) from error

    @property
    def name(self) -> str:
        """The name of the function in the graph."""
        return self.function.name

    @property
    def stateful(self) -> bool:
        """Whether it has stateful operations."""
        return self.function.stateful
