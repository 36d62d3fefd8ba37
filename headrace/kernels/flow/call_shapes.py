"""The static shapes of what calls give: those that a function's body has for the shapes of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from headrace.core.func_graph import FuncGraph
from headrace.core.operation import Operation
from headrace.kernels.state.handles import handle_dims

if TYPE_CHECKING:
    from headrace.core.dims import Dims
    from headrace.core.graph_functions import Function
    from headrace.core.tensor import Tensor

# In files functions may call themselves, or one another as deep and with as many shapes as they like.
_MAX_DEPTH = 32
_MAX_CALLS = 64

_Shapes = tuple["Dims", ...]
_inferred: WeakKeyDictionary[Function, dict[_Shapes, list[Dims]]] = WeakKeyDictionary()
_in_progress: ContextVar[tuple[tuple[Function, _Shapes], ...]] = ContextVar("_in_progress", default=())


def call_shapes(function: Function, arguments: Sequence[Tensor]) -> list[Dims]:
    """The static shapes of the results of a call, as far as the shapes of its arguments tell.

    Of arguments that do not fit they tell nothing: such a call is refused when it runs.

    Args:
        function: what is called.
        arguments: what it is called with.

    Returns:
        the shape of each result.
    """
    unknown: list[Dims] = [None] * len(function.outputs)
    if [tensor.dtype.base_dtype for tensor in arguments] != function.input_types:
        return unknown
    # A handle that says nothing of its variable is taken for the one that the function was made with.
    given = [
        parameter if tensor.dtype.name == "resource" and handle_dims(tensor) is None else tensor
        for parameter, tensor in zip(function.inputs, arguments, strict=True)
    ]
    key = _shapes_of(given)
    if key == _shapes_of(function.inputs):
        return [tensor.dims for tensor in function.outputs]
    calls = _inferred.setdefault(function, {})
    if key in calls:
        return calls[key]
    around = _in_progress.get()
    if (function, key) in around or len(around) == _MAX_DEPTH or len(calls) >= _MAX_CALLS:
        return unknown
    token = _in_progress.set((*around, (function, key)))
    try:
        calls[key] = _shapes_in_copy(function, given)
    except ValueError:
        calls[key] = unknown
    finally:
        _in_progress.reset(token)
    return calls[key]


def _shapes_of(tensors: Sequence[Tensor]) -> _Shapes:
    """What is known of arguments: their shapes, of handles those of the variables that they lead to."""
    return tuple(handle_dims(tensor) if tensor.dtype.name == "resource" else tensor.dims for tensor in tensors)


def _shapes_in_copy(function: Function, arguments: Sequence[Tensor]) -> list[Dims]:
    """The shapes of the results in a copy of the body, whose parameters have the shapes of the arguments."""
    body = FuncGraph(function.name, function.graph)
    copies: dict[Tensor, Tensor] = {}
    for parameter, argument in zip(function.inputs, arguments, strict=True):
        copy = copies[parameter] = body.add_input(parameter.dtype, argument.dims)
        if parameter.dtype.name == "resource":
            body._outer_of[copy] = argument
    for op in _sources_first(function):
        for tensor in op.inputs:
            if tensor not in copies:
                # What comes round a loop may have any shape.
                copies[tensor] = body.add_input(tensor.dtype, None)
        made = body.add_operation(
            op.decl,
            [copies[tensor] for tensor in op.inputs],
            dict(op.attrs),
            body.unique_name(op.name),
            [tensor.dtype for tensor in op.outputs],
        )
        copies.update(zip(op.outputs, made.outputs, strict=True))
    return [copies[tensor].dims for tensor in function.outputs]


def _sources_first(function: Function) -> list[Operation]:
    """The operations that the results are computed by, each after its sources; in a loop one comes before them."""
    started = {tensor.op for tensor in function.inputs}
    order: list[Operation] = []
    for result in function.outputs:
        path = [] if result.op in started else [(result.op, iter(result.op.inputs))]
        started.add(result.op)
        while path:
            op, inputs = path[-1]
            source = next((tensor.op for tensor in inputs if tensor.op not in started), None)
            if source is None:
                order.append(op)
                path.pop()
            else:
                started.add(source)
                path.append((source, iter(source.inputs)))
    return order
