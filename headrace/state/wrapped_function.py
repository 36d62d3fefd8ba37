"""`tf.wrap_function`: functions written for 1.x graphs, with the variables that they make."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.func_graph import FuncGraph
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.messages import protos
from headrace.messages.graph_def import import_graph_def
from headrace.state.concrete_function import ConcreteFunction
from headrace.state.lifted_initial_values import make_variable, placeholder_needed, refuse_inner_value, unliftable
from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.core.typing import Fetches
    from headrace.state.variable_class import Variable


class VariableHolder:
    """Keeps the variables that functions make.

    Args:
        fn: what it calls, when it is called, with the arguments it is given.
        share_variables: whether a variable that is made under the name of an earlier one is that one.
    """

    def __init__(self, fn: Callable[..., Any] | None = None, share_variables: bool = False) -> None:
        self._fn = fn
        self._share_variables = share_variables
        self._variables_by_name: dict[str, Variable] = {}

    @property
    def variables(self) -> dict[str, Variable]:
        """The variables by name."""
        return self._variables_by_name

    def variable_creator_scope(self, next_creator: Callable[..., Any], **kwargs: Any) -> Variable:
        """Makes a variable and keeps it; as `tf.variable_creator_scope` calls it.

        Args:
            next_creator: makes it.
            kwargs: the arguments of `tf.Variable`.
        """
        name = kwargs.get("name")
        known = self._variables_by_name.get(name) if self._share_variables and name is not None else None
        if known is not None:
            return known
        refuse_inner_value(kwargs)
        made, _ = make_variable(next_creator, kwargs, None)
        self._variables_by_name[made.name.partition(":")[0]] = made
        return made

    def call_with_variable_creator_scope(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """A function that calls `fn` and keeps the variables that it makes."""

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with variable_creator_scope(self.variable_creator_scope):
                return fn(*args, **kwargs)

        return wrapped

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._fn is None:
            raise TypeError("VariableHolder() was given no function to call.")
        return self.call_with_variable_creator_scope(self._fn)(*args, **kwargs)


class WrappedFunction(ConcreteFunction):
    """A function of the old kind with its variables and operations, from which parts can be taken by `prune`.

    Args:
        graph: its body.
        name: what its name in the library begins with.
        holder: the variables that it made.
        signature: the arguments it is called with.
    """

    def __init__(self, graph: FuncGraph, name: str, holder: VariableHolder, signature: Any = None) -> None:
        super().__init__(graph, name, signature)
        self._variable_holder = holder

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls it with its arguments in order; by name where it was pruned."""
        if self._arg_keywords is not None:
            return super().__call__(*args, **kwargs)
        return super().__call__(*nest.flatten(args, expand_composites=True), **kwargs)

    def prune(
        self, feeds: Any, fetches: Fetches, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """The function from a part of its graph to another.

        Args:
            feeds: a structure of tensors of the graph, or their names; those that are not captured become the parameters.
            fetches: a structure of tensors and operations, their names, or `TensorInfo` messages.
            name: what the function is called.
            input_signature: the arguments it is told to take.

        Returns:
            a function of the feeds that returns the fetches; None for operations, which it runs.

        Raises:
            ValueError: if a feed is no tensor.
            UnliftableError: if a fetch needs a placeholder that is not fed.
            KeyError: if the graph has nothing of a name.

        Example:
            >>> f = tf.wrap_function(lambda x: tf.add(x * 2.0, 1.0, name="sum"), [tf.TensorSpec([], tf.float32)])
            >>> f.prune(f.inputs, "sum:0")(tf.constant(3.0)).numpy()
            7.0
        """
        flat_feeds = [self._element(item) for item in nest.flatten(feeds, expand_composites=True)]
        if not all(isinstance(item, Tensor) for item in flat_feeds):
            raise ValueError("Feeds must be tensors.")
        # What is captured is passed anyhow, so that `inputs` can be given whole.
        flat_feeds = [item for item in flat_feeds if self.graph.outer_of(item) is None]
        found = nest.map_structure(self._element, fetches)
        flat = nest.flatten(found, expand_composites=True)
        sources = [*flat_feeds, *self.graph.extra_args]
        for item in flat:
            needed = placeholder_needed([item._op if isinstance(item, Tensor) else item], sources)
            if needed is not None:
                raise unliftable(item, needed)
        made = object.__new__(WrappedFunction)
        made.graph = _View(self.graph, found)  # type: ignore[assignment]  # it passes on all else to the graph
        made.base_name = name or "pruned"
        made.structured_input_signature = input_signature
        made._variable_holder = self._variable_holder
        made._lock = threading.Lock()
        made.function = Function(
            None,
            self.graph,
            inputs=sources,
            outputs=[t for t in flat if isinstance(t, Tensor)],
            base=f"__inference_{made.base_name}",
            targets=[op for op in flat if isinstance(op, Operation)],
        )
        made.name_arguments([tensor.op.name for tensor in flat_feeds])
        return made

    def _element(self, item: Any) -> Any:
        """A tensor, a composite tensor or an operation of the graph: as it is, by its name, or by its `TensorInfo`."""
        if isinstance(item, protos.TensorInfo):
            if item.WhichOneof("encoding") == "coo_sparse":
                coo = item.coo_sparse
                names = (coo.indices_tensor_name, coo.values_tensor_name, coo.dense_shape_tensor_name)
                return SparseTensor(*map(self.graph.as_graph_element, names))
            return self.graph.as_graph_element(item.name)
        if isinstance(item, SparseTensor):
            return item
        return self.graph.as_graph_element(item)


class _View:
    """Of a traced body, the part that `prune` took."""

    def __init__(self, graph: FuncGraph, structure: Any) -> None:
        self._graph = graph
        self.structured_outputs = nest.map_structure(
            lambda t: t if isinstance(t, Tensor) else None, structure, expand_composites=True
        )
        flat = nest.flatten(self.structured_outputs, expand_composites=True)
        self.outputs = [t for t in flat if t is not None]
        self.returns_none = all(t is None for t in flat)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


class WrappedGraph:
    """A graph that several wrapped functions, which share variables by name, are parts of.

    Args:
        variable_holder: what keeps the variables.

    Attributes:
        graph: it, as the body of a function.
    """

    def __init__(self, variable_holder: VariableHolder | None = None) -> None:
        self._variable_holder = variable_holder or VariableHolder(share_variables=True)
        self._functions: weakref.WeakValueDictionary[str, WrappedFunction] = weakref.WeakValueDictionary()
        self.graph = _old_graph("wrapped_function_graph")
        self._wrapped = WrappedFunction(self.graph, self.graph.name, self._variable_holder)

    @property
    def functions(self) -> Any:
        """The functions that were given names, by name."""
        return self._functions

    @property
    def variables(self) -> dict[str, Variable]:
        """The variables, by name."""
        return self._variable_holder.variables

    def wrap_function(
        self, fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None
    ) -> WrappedFunction:
        """Adds a function to the graph; arguments and result as of `tf.wrap_function`."""
        feeds, result = _trace(self.graph, self._variable_holder, fn, signature)
        made = self._wrapped.prune(
            feeds, () if result is None else result, name or "wrapped_function", (tuple(signature), {})
        )
        made._arg_keywords = made._num_positional_args = None
        made.graph.returns_none = result is None
        if name is not None:
            self._functions[name] = made
        return made


def _old_graph(name: str) -> FuncGraph:
    """The body of a function in which, as in a graph, nothing runs that no result needs."""
    graph = FuncGraph(name)
    graph.only_for_results = True
    return graph


def _trace(
    graph: FuncGraph, holder: VariableHolder, fn: Callable[..., Any], signature: Sequence[Any]
) -> tuple[list[Tensor], Any]:
    """Calls a function in a graph; returns its parameters and what it returned, as tensors."""
    with graph.as_default(), variable_creator_scope(holder.variable_creator_scope):
        # What is no spec is passed as it is.
        given = [
            graph.add_input(spec.dtype, as_dims(spec.shape), spec.name) if isinstance(spec, TensorSpec) else spec
            for spec in nest.flatten(list(signature))
        ]
        feeds = [value for value in given if isinstance(value, Tensor) and value.graph is graph]
        result = fn(*nest.pack_sequence_as(list(signature), given))
        if result is not None:
            result = nest.map_structure(
                lambda x: x if isinstance(x, Operation) else graph.capture(convert_to_tensor(x)),
                result,
                expand_composites=True,
            )
    graph.inputs = [t for t in graph.inputs if graph.outer_of(t) is None] + graph.extra_args
    return feeds, result


def wrap_function(fn: Callable[..., Any], signature: Sequence[Any], name: str | None = None) -> WrappedFunction:
    """Traces a function written for 1.x graphs, so that its variables live on and it can be called eagerly.

    Args:
        fn: makes operations, variables by `tf.get_variable` too, in a graph.
        signature: a `tf.TensorSpec` for each argument.
        name: what its name in the library begins with.

    Returns:
        a function of tensors, with `prune` and `graph`.

    Example:
        >>> f = tf.wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
        >>> f(tf.constant(3.0)).numpy()
        6.0
    """
    holder = VariableHolder()
    graph = _old_graph(name or "wrapped_function")
    _, result = _trace(graph, holder, fn, signature)
    graph.returns_none = result is None
    graph.structured_outputs = nest.map_structure(
        lambda x: None if isinstance(x, Operation) else x, () if result is None else result, expand_composites=True
    )
    graph.outputs = [t for t in nest.flatten(graph.structured_outputs, expand_composites=True) if t is not None]
    return WrappedFunction(graph, name or "wrapped_function", holder, (tuple(signature), {}))


def function_from_graph_def(graph_def: protos.GraphDef, inputs: Any, outputs: Any) -> WrappedFunction:
    """A function that is a part of a graph.

    Args:
        graph_def: the graph.
        inputs: a structure of the names of the tensors that it takes.
        outputs: a structure of the names of those that it returns.
    """
    whole = wrap_function(lambda: import_graph_def(graph_def, name=""), [])
    return whole.prune(inputs, outputs)
