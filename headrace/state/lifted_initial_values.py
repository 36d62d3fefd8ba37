"""Variables that a `tf.function` makes while it is traced: their initial values, computed outside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.framework_ops import uid
from headrace.core.func_graph import FuncGraph
from headrace.core.graph_functions import Function
from headrace.core.nest import flatten
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.ops.array.constant import constant
from headrace.state.handles import UninitializedVariable
from headrace.state.scoping import init_scope
from headrace.state.variable_class import Variable


class LaterInitialized(NamedTuple):
    """A variable without a value yet, and the tensor of the traced body that it begins with."""

    variable: UninitializedVariable
    initial_value: Tensor


def body_of(value: object) -> FuncGraph | None:
    """The traced body that a value is in, or a part of it is; None for what is known outside."""
    for part in flatten(value):
        if isinstance(part, Tensor) and isinstance(part._op._graph, FuncGraph):
            return part._op._graph
    return None


def refuse_inner_value(settings: Mapping[str, Any]) -> None:
    """Raises ValueError for an initial value that is a tensor of the body that is traced.

    A function that may make variables in each call makes them outside of itself.
    """
    initial = settings.get("initial_value")
    if isinstance(initial, Tensor) and body_of(initial) is not None:
        raise ValueError(
            f"A variable made in a function cannot begin with a tensor that the function computes ({initial}): give "
            "tf.Variable a function that returns the value, or make the value within tf.init_scope()."
        )


class UnliftableError(Exception):
    """A part of a graph cannot be computed elsewhere, as it needs a placeholder that nothing is given for."""


def placeholder_needed(targets: Sequence[Operation], sources: Iterable[Tensor]) -> Operation | None:
    """A placeholder that operations of a graph need, and that is none of the `sources`; None if there is none."""
    given = {tensor._op for tensor in sources}
    pending = [op for op in targets if op not in given]
    seen = {*pending, *given}
    while pending:
        op = pending.pop()
        if op.type in ("Placeholder", "PlaceholderV2"):
            return op
        for before in [t._op for t in op.inputs] + list(op.control_inputs):
            if before not in seen:
                seen.add(before)
                pending.append(before)
    return None


def unliftable(target: Operation | Tensor, placeholder: Operation) -> UnliftableError:
    """What is raised for a target that needs a placeholder."""
    return UnliftableError(
        f"Unable to lift tensor {target!r} because it depends transitively on placeholder {placeholder!r}: nothing is given "
        "for it."
    )


def argument_needed(tensor: Tensor) -> Operation | None:
    """An argument's placeholder that decides the value of a tensor of a traced body; None if there is none."""
    graph = tensor._op._graph
    assert isinstance(graph, FuncGraph)
    found = placeholder_needed([tensor._op], graph.extra_args)
    if found is not None:
        return found
    around = [outer for outer in graph.external_captures if isinstance(outer._op._graph, FuncGraph)]
    return next((needed for needed in map(argument_needed, around) if needed is not None), None)


def computed_outside(tensor: Tensor) -> Tensor:
    """What computes a tensor of a traced body, which no argument decides, in the default graph."""
    graph = tensor._op._graph
    assert isinstance(graph, FuncGraph)
    # The body grows while it is traced: what is computed now has a name of its own.
    function = Function(f"initial_value_{uid()}", graph, inputs=graph.extra_args, outputs=[tensor])
    captured = [
        computed_outside(outer) if isinstance(outer._op._graph, FuncGraph) else outer
        for outer in graph.external_captures
    ]
    function.add_to_graph(get_default_graph())
    call = raw.StatefulPartitionedCall if function.stateful else raw.PartitionedCall
    (made,) = call(captured, Tout=tuple(function.output_types), f=function.name)
    made.set_shape(tensor.shape)
    return made


def make_variable(
    next_creator: Callable[..., Any], settings: Mapping[str, Any], wait: list[LaterInitialized] | None
) -> tuple[Variable, bool]:
    """The variable that is asked for while a function is traced.

    Args:
        next_creator: makes variables.
        settings: its arguments.
        wait: where to put the variable, without a value, instead of computing it now.

    Returns:
        the variable, and whether its value comes from the arguments, in the first call.

    Raises:
        UnliftableError: if its value is to wait, and comes from the arguments.
    """
    settings = {**settings, "use_resource": True}
    initial = settings.get("initial_value")
    if wait is None and (callable(initial) or body_of(initial) is None):
        return next_creator(**settings), False
    value = convert_to_tensor(initial() if callable(initial) else initial, settings.get("dtype"), name="initial_value")
    argument = argument_needed(value) if isinstance(value._op._graph, FuncGraph) else None
    decided_later = argument is not None
    if argument is not None and wait is not None:
        raise unliftable(value, argument)
    if not decided_later and wait is None:
        with init_scope():
            outside = computed_outside(value)
        return next_creator(**{**settings, "initial_value": outside}), False
    with init_scope():
        variable = UninitializedVariable(
            name=settings.get("name"),
            shape=value.shape,
            dtype=value.dtype.base_dtype,
            **{key: settings.get(key) for key in ("trainable", "constraint", "synchronization", "aggregation")},
        )
    if decided_later:
        _begin_in_body(variable, value)
    elif wait is not None:
        wait.append(LaterInitialized(variable, value))
    return variable, decided_later


def _begin_in_body(variable: UninitializedVariable, value: Tensor) -> None:
    """Gives a variable its value in the traced body, where it has none yet."""

    def assigned() -> Tensor:
        with control_dependencies([raw.AssignVariableOp(variable.handle, value)]):
            return constant(True)

    cond(raw.VarIsInitializedOp(variable.handle), lambda: constant(True), assigned)


def initialize(waiting: list[LaterInitialized]) -> None:
    """Gives variables that wait for it their values."""
    for variable, value in waiting:
        raw.AssignVariableOp(variable.handle, computed_outside(value) if body_of(value) is not None else value)
