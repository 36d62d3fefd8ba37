"""`tf.wrap_function`: a function written for 1.x graphs, with the variables that it makes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.func_graph import FuncGraph
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.state.concrete_function import ConcreteFunction
from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.core.typing import Fetches


class WrappedFunction(ConcreteFunction):
    """A function of the old kind with its variables and operations, from which parts can be taken by `prune`."""

    kept_variables: list[Any]

    def prune(
        self, feeds: Any, fetches: Fetches, name: str | None = None, input_signature: Any = None
    ) -> ConcreteFunction:
        """The function from `feeds` to `fetches`, both structures of tensors of its graph (or names of the latter)."""
        del name, input_signature
        flat_feeds = nest.flatten(feeds, expand_composites=True)
        found = nest.map_structure(
            lambda item: self.graph.as_graph_element(item) if not isinstance(item, (Tensor, Operation)) else item,
            fetches,
        )
        flat = nest.flatten(found, expand_composites=True)
        made = object.__new__(WrappedFunction)
        made.graph = _View(self.graph, found)  # type: ignore[assignment]  # it passes on all else to the graph
        made.structured_input_signature = None
        made._recorded, made._lock = None, threading.Lock()
        made.function = Function(
            None,
            self.graph,
            inputs=[*flat_feeds, *self.graph.extra_args],
            outputs=[t for t in flat if isinstance(t, Tensor)],
            base=f"pruned_{self.graph.name}",
        )
        targets = [op for op in flat if isinstance(op, Operation)]
        if targets:
            made.function.is_view = False
            made.function.operations = targets
        return made


class _View:
    """Of a traced body, the part that `prune` took."""

    def __init__(self, graph: FuncGraph, structure: Any) -> None:
        self._graph = graph
        self.structured_outputs = nest.map_structure(lambda t: t if isinstance(t, Tensor) else None, structure)
        self.returns_none = all(t is None for t in nest.flatten(self.structured_outputs))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> WrappedFunction:
    """Traces a function written for 1.x graphs, so that its variables live on and it can be called eagerly.

    Args:
        fn: makes operations, variables by `tf.get_variable` too, in a graph.
        signature: a `tf.TensorSpec` for each argument.
        name: what its name in the library begins with.

    Returns:
        a function of tensors, with `prune`, `graph` and `variables`.

    Example:
        >>> f = tf.wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
        >>> f(tf.constant(3.0)).numpy()
        6.0
    """
    graph = FuncGraph(name or "wrapped_function")
    kept: list[Any] = []

    def keep(next_creator: Any, **settings: Any) -> Any:
        variable = next_creator(**settings)
        kept.append(variable)
        return variable

    with graph.as_default(), variable_creator_scope(keep):
        inputs = [graph.add_input(spec.dtype, as_dims(spec.shape), spec.name) for spec in nest.flatten(list(signature))]
        result = fn(*nest.pack_sequence_as(list(signature), inputs))
        graph.returns_none = result is None
        graph.structured_outputs = nest.map_structure(
            lambda x: graph.capture(convert_to_tensor(x)), () if result is None else result, expand_composites=True
        )
        graph.outputs = nest.flatten(graph.structured_outputs, expand_composites=True)
    graph.inputs = [t for t in graph.inputs if graph.outer_of(t) is None] + graph.extra_args
    made = WrappedFunction(graph, name or "wrapped_function")
    made.kept_variables = kept
    return made
