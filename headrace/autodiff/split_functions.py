"""Functions in two parts: forward with what the gradient needs of the way to the results, and the gradient of that.

A call whose gradient is taken runs the forward part, so that what the function does is done once, and what its gradient goes
by is what was there then.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from headrace.autodiff.branch_gradients import note_original
from headrace.autodiff.function_gradients import (
    connected,
    dense,
    flat_parts,
    from_parts,
    gradient_of_whole_call,
    gradient_parts,
)
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import CALLS, raw
from headrace.core.tensor import Tensor

# What 1.x's names of functions begin with, by what these are.
_PREFIX = re.compile("(?:__inference_|__forward_|__backward_)+")


class SplitFunction:
    """A function split in two.

    Args:
        function: the function.

    Attributes:
        forward: returns the results and then what is kept; None where the gradient runs the function again.
        backward: takes what is kept, parameters, and the gradients of results.
        parameters: the parameters it takes.
        started: the results whose gradients it takes.
        connected: for each parameter, whether a gradient flows to it.
        gradients: the gradients of those, tensors and slices of the body.
    """

    def __init__(self, function: Function) -> None:
        graph = function.graph
        self.forward: Any = None
        self.backward: Function | None = None
        self.connected = connected(function)
        if not any(self.connected):
            return
        if any(op._control_flow_context is not None for op in function.operations):
            # What a loop keeps for its gradient stays in the loop's own stacks: the call is differentiated as a whole.
            return
        parts = gradient_parts(function)
        self.connected = connected(function)
        if not any(self.connected):
            return
        with graph.as_default(), graph.name_scope("gradient"), graph.control_dependencies(None):
            self.gradients = [
                gradient if gradient is not None else dense(None, x)
                for gradient, x, is_on in zip(parts.found, function.inputs, self.connected, strict=True)
                if is_on
            ]
        outputs = flat_parts(self.gradients)
        inputs = set(function.inputs)
        new, taken = _beyond(set(function.operations), inputs, outputs)
        # Constants too, which stand for small tensors from outside: the gradient depends on them.
        self.parameters = [tensor for tensor in taken if tensor in inputs]
        kept = [tensor for tensor in taken if tensor not in inputs and tensor.op.type != "Const"]
        plain = _PREFIX.sub("", function.name)
        self.started = [i for i, start in enumerate(parts.starts) if start.op in new]
        self.forward = Function(
            None,
            graph,
            inputs=function.inputs,
            outputs=[*function.outputs, *kept],
            base=f"__forward_{plain}",
        )
        # It does what the function does; loops in it take lists besides, which the gradient made.
        self.forward.is_view, self.forward.targets = function.is_view, function.targets
        needed = {*function.operations, *_beyond(set(), inputs, self.forward.outputs)[0]}
        self.forward.operations = [op for op in graph.get_operations() if op in needed]
        self.backward = Function(
            None,
            graph,
            inputs=[*kept, *self.parameters, *(parts.starts[i] for i in self.started)],
            outputs=outputs,
            base=f"__inference___backward_{plain}",
        )
        self.backward.operations = [op for op in graph.get_operations() if op in new]
        # Their definitions name each other.
        self.forward.attrs.update(function.attrs, backward_function_name=self.backward.name)
        self.backward.attrs.update(function.attrs, forward_function_name=self.forward.name)

    @classmethod
    def of(cls, function: Function) -> SplitFunction:
        """A function split in two, which is done once."""
        if function._split is None:
            function._split = cls(function)
        found: SplitFunction = function._split
        return found


def _beyond(own: set[Operation], inputs: set[Tensor], outputs: Sequence[Tensor]) -> tuple[set[Operation], list[Tensor]]:
    """The operations beside `own` that compute `outputs`, and what of `own` and `inputs` they take or wait for."""
    new: set[Operation] = set()
    taken: dict[Tensor, None] = {}
    pending = list(reversed(outputs))
    while pending:
        tensor = pending.pop()
        if tensor in inputs or tensor.op in own:
            taken.setdefault(tensor)
        elif tensor.op not in new:
            new.add(tensor.op)
            # What an operation waits for has run in the forward part: what it gave says so.
            waited = [output for before in tensor.op.control_inputs for output in before.outputs[:1]]
            pending += reversed([*tensor.op.inputs, *waited])
    return new, list(taken)


def gradient_of_call(op: Operation, function: Function, received: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of a call. In a graph the call is made to return what they need.

    Args:
        op: the call.
        function: what it calls.
        received: the gradients of what it returns.
    """
    if op.type not in CALLS or function.gradient is not None or get_default_graph().is_eager:
        return gradient_of_whole_call(op, function, received)
    split = SplitFunction.of(function)
    if split.backward is None:
        return gradient_of_whole_call(op, function, received)
    count = len(function.outputs)
    if op.attrs["f"] != split.forward.name:
        note_original(op, count)
        split.forward.add_to_graph(op.graph)
        for kept in split.forward.outputs[count:]:
            op._outputs.append(Tensor(op, len(op._outputs), kept.dtype.base_dtype, kept.dims))
        op.attrs.update(f=split.forward.name, Tout=split.forward.output_types)
        op.graph._version_bump()
    given = dict(zip(function.inputs, op.inputs, strict=True))
    starts = [
        raw.ZerosLike(op.outputs[i]) if received[i] is None else convert_to_tensor(received[i]) for i in split.started
    ]
    split.backward.add_to_graph(get_default_graph())
    decl = raw.StatefulPartitionedCall if split.backward.stateful else raw.PartitionedCall
    inputs = [*op.outputs[count:], *(given[parameter] for parameter in split.parameters), *starts]
    made = decl(inputs, Tout=tuple(split.backward.output_types), f=split.backward.name)
    for gradient, known in zip(made, split.backward.outputs, strict=True):
        gradient.set_shape(known.shape)
    found = iter(from_parts(split.gradients, made))
    return [next(found) if is_on else None for is_on in split.connected]
