"""Functions of tensors' values: a graph's inputs and outputs as something to call."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.core import nest
from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, get_default_session
from headrace.core.eager import EagerTensor, eager_mode
from headrace.core.errors import InvalidArgumentError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.keras.backend.sessions import get_session, graph_of
from headrace.kernels.composing.arranging import identity
from headrace.layers.context import get_graph, is_learning_phase
from headrace.layers.values import of_graph
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.runtime.feeding import is_about_shape
from headrace.runtime.fetching import refuse_fed_fetches
from headrace.runtime.known_feeds import callable_knowing
from headrace.state.scoping import makes_eager_variables
from headrace.state.updates import assign
from headrace.state.variables import Variable

# What stands for values in place of arrays.
_OF_GRAPHS = (Tensor, Variable)
_RUN_OPTIONS = ("feed_dict", "fetches", "options", "run_metadata")


def cast_variables_to_tensor(tensors: Any) -> Any:
    """The structure with the values of variables in their places."""
    return nest.map_structure(lambda t: identity(t) if isinstance(t, Variable) else t, tensors)


def _run_updates(updates: Sequence[Any], outputs: Sequence[Any]) -> Operation:
    """One operation for updates that wait for the first output: what is fetched was computed before them."""
    after = [t for t in outputs[:1] if not isinstance(t, EagerTensor)]
    with control_dependencies(after):
        operations = [assign(*update) if isinstance(update, tuple) else update for update in updates]
        return group(*operations)


def _check_updates(updates: Any) -> Sequence[Any]:
    if not isinstance(updates or [], (list, tuple)):
        raise TypeError("`updates` in a Keras backend function should be a list or tuple.")
    return updates or []


class GraphExecutionFunction:
    """A function of the values of some tensors of a graph that gives those of others.

    Args:
        inputs: the placeholders to feed, in any structure.
        outputs: the tensors to compute, in the structure of the results.
        updates: assignments that run in the same step, or pairs of a variable and its new value.
        name: unused except to be read.
        **session_kwargs: `feed_dict`, `fetches` (run besides, not returned), `options`, `run_metadata`.

    Attributes:
        fetches: what is run besides.
        fetch_callbacks: functions of the values of `fetches`, by these.
    """

    def __init__(
        self, inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **session_kwargs: Any
    ) -> None:
        updates = _check_updates(updates)
        self.inputs = nest.flatten(inputs, expand_composites=True)
        self._outputs_structure = outputs
        self.outputs = cast_variables_to_tensor(nest.flatten(outputs, expand_composites=True))
        self._graph = graph_of([*self.outputs, *self.inputs])
        in_force = get_graph()
        if in_force is not self._graph and not makes_eager_variables() and self.outputs:
            # Refused there, as in 1.15: the updates would be made here for what is computed elsewhere.
            in_force.as_graph_element(self.outputs[0])
        with self._graph.as_default():
            self.updates_op = _run_updates(updates, self.outputs)
        self.name = name
        self.feed_dict = session_kwargs.pop("feed_dict", None)
        fetches = session_kwargs.pop("fetches", [])
        self.fetches: list[Any] = [_identity(x) for x in (fetches if isinstance(fetches, list) else [fetches])]
        self.run_options = session_kwargs.pop("options", None)
        self.run_metadata = session_kwargs.pop("run_metadata", None)
        self.session_kwargs = session_kwargs
        self.fetch_callbacks: dict[Any, Callable[[Any], Any]] = {}
        if session_kwargs:
            raise ValueError(f"Some keys in session_kwargs are not supported at this time: {session_kwargs.keys()}")
        given = nest.flatten(inputs)
        self._is_plain = isinstance(inputs, (list, tuple)) and not any(nest.is_nested(x) for x in inputs)
        self._has_composite = len(given) != len(self.inputs)
        self._is_list = isinstance(outputs, list) and all(isinstance(x, (Tensor, Variable)) for x in outputs)
        self._prepared: tuple[Any, ...] | None = None
        self._callable: Callable[..., Any] | None = None
        self._elsewhere: GraphExecutionFunction | None = None
        ends_with_phase = bool(self.inputs) and is_learning_phase(self.inputs[-1])
        self._phase = self.inputs[-1] if ends_with_phase else None
        # Of functions that are not fed the learning phase: the one whose default, 0, plans may go by.
        self._default_phase: Tensor | None = None

    def know_default_phase(self, phase: Any) -> None:
        """Lets plans go by the learning phase's default, since nothing else is fed: an integer has none."""
        if isinstance(phase, Tensor) and self._phase is None:
            self._default_phase = phase

    def _prepare(self, session: Any, fed: list[Tensor], phase: tuple[bool, ...]) -> Callable[..., Any]:
        """The function of the session that feeds `fed`, and the learning phase `phase` where there is one; made once."""
        fetches = list(self.fetches)
        prepared = (session, fed, fetches, phase)
        if self._callable is None or self._prepared is None or not _same(prepared, self._prepared):
            feeds = [*fed, *(self.feed_dict or ())]
            everything = [*self.outputs, *fetches, self.updates_op]
            refuse_fed_fetches(everything, feeds)
            made = None
            fixed = self._phase if self._default_phase is None else self._default_phase
            if phase and fixed is not None:
                made = callable_knowing(session, everything, feeds, fixed, phase[0])
            if made is None:
                feeds += [fixed] if phase and fixed is not None else []
                made = session.make_callable(everything, feeds, accept_options=True)
                if phase:
                    made = _called_last_with(made, phase[0])
            self._callable = made
            self._prepared = prepared
        return self._callable

    def _in_graph(self, graph: Graph) -> GraphExecutionFunction:
        """The function in another graph, by the names of its tensors: 1.15 asks the session in force for them.

        Raises:
            InvalidArgumentError: if one is not there.
        """
        if self._elsewhere is None or self._elsewhere._graph is not graph:
            made = copy.copy(self)
            try:
                made.inputs = [graph.get_tensor_by_name(tensor.name) for tensor in self.inputs]
                made.outputs = [graph.get_tensor_by_name(tensor.name) for tensor in self.outputs]
                made.fetches = [graph.get_tensor_by_name(tensor.name) for tensor in self.fetches]
                if self._default_phase is not None:
                    made._default_phase = graph.get_tensor_by_name(self._default_phase.name)
                made._phase = made.inputs[-1] if self._phase is not None else None
                made.updates_op = graph.get_operation_by_name(self.updates_op.name)
            except (KeyError, ValueError) as error:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{error} The function is of another graph than the session in force, which Keras makes anew after "
                    "clear_session() and in another graph: call it in `with graph.as_default()` of its own graph.",
                ) from None
            made._graph, made._prepared, made._callable, made._elsewhere = graph, None, None, None
            self._elsewhere = made
        return self._elsewhere

    def __call__(self, inputs: Any) -> Any:
        """The outputs for these inputs, as NumPy arrays in the structure of `outputs`."""
        kept = of_graph(self._graph)
        session = get_default_session()
        in_force = get_graph() if session is None else session.graph
        if in_force is not self._graph and not makes_eager_variables():
            return self._in_graph(in_force)(inputs)
        session = session or kept.session
        if session is None or kept.waiting or kept.optimizers:
            session = get_session(self.inputs)
        fed = self.inputs
        if self._is_plain and isinstance(inputs, (list, tuple)) and len(inputs) == len(fed):
            values = list(inputs)
        else:
            values = nest.flatten(inputs)
        if self._has_composite:
            values = _components(values)
        if any([value is None or isinstance(value, _OF_GRAPHS) for value in values]):  # noqa: C419  # faster for a few
            fed = [t for t, value in zip(fed, values) if value is not None]
            values = [v for v in values if v is not None]
            # Together: several may come from one step of an input pipeline.
            tensors = [v for v in values if isinstance(v, _OF_GRAPHS)]
            computed = iter(session.run(tensors))
            values = [next(computed) if isinstance(v, _OF_GRAPHS) else v for v in values]
        elif len(values) < len(fed):
            fed = fed[: len(values)]
        plain = self.run_metadata is None and self.run_options is None
        phase: tuple[bool, ...] = ()
        values = values[: len(fed)]
        if plain and self._phase is not None and fed is self.inputs and values[-1].__class__ is bool:
            phase, fed, values = (values[-1],), fed[:-1], values[:-1]
        elif plain and self._default_phase is not None and not self.feed_dict:
            phase = (False,)
        call = self._prepare(session, fed, phase)
        if self.feed_dict:
            values += self.feed_dict.values()
        try:
            if plain:
                found = call(*values)
            else:
                found = call(*values, options=self.run_options, run_metadata=self.run_metadata)
        except ValueError as error:
            if not is_about_shape(error):
                raise
            # In 1.15 the shape is not looked at, and the operations that take the value refuse it.
            raise InvalidArgumentError(None, None, str(error)) from error
        count = len(self.outputs)
        for fetch, value in zip(self.fetches, found[count:-1]):
            if fetch in self.fetch_callbacks:
                self.fetch_callbacks[fetch](value)
        if self._is_list:
            return found[:count]
        return packed_values(self._outputs_structure, found[:count])


def _called_last_with(function: Callable[..., Any], value: bool) -> Callable[..., Any]:
    return lambda *values: function(*values, value)


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return one[0] is other[0] and all(
        a is b or (len(a) == len(b) and all(x is y for x, y in zip(a, b))) for a, b in zip(one[1:], other[1:])
    )


def _components(values: Sequence[Any]) -> list[Any]:
    """What is fed for sparse and ragged values: their arrays, those of SciPy's matrices too."""
    found: list[Any] = []
    for value in values:
        if hasattr(value, "tocoo"):
            matrix = value.tocoo()
            indices = np.stack([matrix.row, matrix.col], axis=1)
            found += [indices, matrix.data, matrix.shape]
        else:
            found += composite_values(value)
    return found


def composite_values(value: Any) -> list[Any]:
    """The arrays that a value of a sparse or ragged tensor consists of; of others itself."""
    if isinstance(value, SparseTensorValue):
        return list(value)
    if isinstance(value, RaggedTensorValue):
        splits: list[Any] = []
        while isinstance(value, RaggedTensorValue):
            splits.append(value.row_splits)
            value = value.values
        return [value, *splits]
    return [value]


def packed_values(structure: Any, values: Sequence[Any]) -> Any:
    """Arrays in the structure of the tensors they are the values of; those of a sparse or ragged tensor are put together.

    Args:
        structure: tensors, sparse and ragged ones among them.
        values: the arrays of their parts, in the order of `nest`.
    """
    waiting = iter(values)

    def value_of(tensor: Any) -> Any:
        parts = [next(waiting) for _ in nest.flatten(tensor, expand_composites=True)]
        if isinstance(tensor, SparseTensor):
            return SparseTensorValue(*parts)
        if isinstance(tensor, RaggedTensor):
            whole, *splits = parts
            for inner in reversed(splits):
                whole = RaggedTensorValue(whole, inner)
            return whole
        return nest.pack_sequence_as(tensor, parts, expand_composites=True)

    return nest.map_structure(value_of, structure)


def _identity(x: Any) -> Any:
    return x if isinstance(x, Operation) else raw.Identity(x)


_function_numbers = itertools.count()


class EagerExecutionFunction:
    """What `function` gives to a program that executes eagerly: a part of the graph of symbolic tensors, called.

    Args:
        inputs, outputs, updates, name: as of `GraphExecutionFunction`.
    """

    def __init__(self, inputs: Any, outputs: Any, updates: Any = None, name: str | None = None) -> None:
        updates = _check_updates(updates)
        self.name = name
        self._outputs_structure = outputs
        self._is_plain = isinstance(inputs, (list, tuple)) and not any(nest.is_nested(x) for x in inputs)
        self.inputs = nest.flatten(inputs, expand_composites=True)
        self.outputs = nest.flatten(outputs, expand_composites=True)
        if all(isinstance(part, EagerTensor) for part in (*self.inputs, *self.outputs)):
            raise KeyError("The inputs and outputs are no tensors of models: there is no graph that they are of.")
        graph = get_graph()
        assert isinstance(graph, FuncGraph)
        with graph.as_default():
            self.outputs = [graph.capture(convert_to_tensor(x)) for x in self.outputs]
            targets = [_run_updates(updates, self.outputs)] if updates else []
        operations, needed = _needed(graph, [t.op for t in self.outputs] + targets, set(self.inputs))
        self._outer = [graph.outer_of(t) for t in needed]
        # The graph goes on, so its text now does not tell this function from those of the graph that comes after it.
        self._function = Function(
            f"{name or 'keras_function'}_{next(_function_numbers)}",
            graph,
            inputs=[*self.inputs, *needed],
            outputs=self.outputs,
        )
        # Of the graph, which holds all models, only these are the function's; those with effects run.
        self._function.is_view = False
        self._function.operations = operations
        self._call = raw.StatefulPartitionedCall if self._function.stateful else raw.PartitionedCall

    def __call__(self, inputs: Any) -> Any:
        """The outputs for these inputs, as NumPy arrays in the structure of `outputs`."""
        values = nest.flatten(inputs, expand_composites=True)
        if self._is_plain and isinstance(inputs, (list, tuple)) and len(inputs) == len(self.inputs):
            values = list(inputs)
        with eager_mode():
            arguments = [_as_argument(t, value) for t, value in zip(self.inputs, values)]
            self._function.add_to_graph(get_default_graph())
            made = self._call(
                [*arguments, *self._outer], Tout=tuple(self._function.output_types), f=self._function.name
            )
        found = [t.numpy() for t in made] if self.outputs else []
        return packed_values(self._outputs_structure, found)


def _as_argument(tensor: Tensor, value: Any) -> Tensor:
    if value is None and tensor.op.type == "PlaceholderWithDefault":
        value = constant_value(tensor.op.inputs[0])
    if value is None:
        raise ValueError(f"You must feed a value for placeholder {tensor}")
    found = value if isinstance(value, Tensor) else convert_to_tensor(np.asarray(value), dtype_hint=tensor.dtype)
    return found if found.dtype == tensor.dtype else cast(found, tensor.dtype)


def _needed(graph: FuncGraph, ends: Sequence[Operation], fed: set[Tensor]) -> tuple[list[Operation], list[Tensor]]:
    """The operations that `ends` need where `fed` is given, and the inputs of `graph` for outer tensors among them."""
    waiting, outer = list(ends), {}
    seen: dict[Operation, None] = {}
    while waiting:
        operation = waiting.pop()
        if operation in seen:
            continue
        seen[operation] = None
        outer.update(dict.fromkeys(tensor for tensor in operation.outputs if graph.outer_of(tensor) is not None))
        waiting += [t.op for t in operation.inputs if t not in fed]
        waiting += operation.control_inputs
    return [op for op in graph.get_operations() if op in seen], list(outer)


def function(inputs: Any, outputs: Any, updates: Any = None, name: str | None = None, **kwargs: Any) -> Any:
    """A function of the values of some tensors that gives those of others.

    Args:
        inputs: placeholders, in any structure.
        outputs: tensors, in the structure of what the function returns.
        updates: assignments that run in the same step, or pairs of a variable and its new value.
        name: that of the function.
        **kwargs: of `Session.run`: `feed_dict`, `fetches`, `options`, `run_metadata`. Not in eager execution.

    Raises:
        ValueError: for other keyword arguments.

    Example:
        >>> x = tf.keras.backend.placeholder([None, 2])
        >>> double = tf.keras.backend.function([x], [x * 2.0])
        >>> double([[[1.0, 2.0]]])
        [array([[2., 4.]], dtype=float32)]
    """
    if makes_eager_variables():
        if kwargs:
            raise ValueError(f"Session keyword arguments are not support during eager execution. You passed: {kwargs}")
        return EagerExecutionFunction(inputs, outputs, updates=updates, name=name)
    for key in kwargs:
        if key not in _RUN_OPTIONS:
            raise ValueError(f'Invalid argument "{key}" passed to K.function with TensorFlow backend')
    return GraphExecutionFunction(inputs, outputs, updates=updates, name=name, **kwargs)
