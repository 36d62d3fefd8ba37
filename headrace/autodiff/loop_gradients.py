"""Gradients of While operations that `tf.while_loop` made: another While operation, of the body's gradient.

It goes round as often. What the body's gradient needs of the body, the loop keeps in lists, one element an iteration, and
the gradient takes off their ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.autodiff.branch_gradients import note_original, rewritten, zeros_of
from headrace.autodiff.gradients import UnconnectedGradients, gradients, is_trainable
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.graph_functions import function_named
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.branch_functions import function_name
from headrace.functions.flow.list_ops import empty_tensor_list
from headrace.functions.flow.loop_function import while_operation
from headrace.functions.flow.modes import BodyGraph
from headrace.ops.array.constant import constant


def loop_gradient(op: Operation, received: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of a While operation."""
    body = function_named(op.graph, op.attrs["body"])
    if body.input_types != [tensor.dtype.base_dtype for tensor in op.inputs] or body.output_types != body.input_types:
        # Of a graph from elsewhere: what is run is refused too.
        raise ValueError(
            f"{op.name!r} ({op.type}): its body, function {body.name}, does not take or give what goes round."
        )
    count = op.attrs["_num_original_outputs"]
    begun = [_start(op, i, gradient) for i, gradient in enumerate(received[:count])]
    starts = {i: gradient for i, gradient in enumerate(begun) if gradient is not None}
    differentiable = list(starts)
    counter = constant(0, dtype=op.outputs[0].dtype, name="grad_counter")
    inputs = [counter, op.inputs[1], op.outputs[0], *starts.values()]
    # What the gradient of a variable goes round with is shaped as the variable.
    shaped = [
        inputs[3 + n] if op.outputs[i].dtype.name == "resource" else op.outputs[i] for n, i in enumerate(differentiable)
    ]
    shapes = [(), (), (), *[tensor.dims for tensor in shaped]]

    graph = _LoopGradient(op)
    with graph.as_default():
        parameters = [graph.add_input(x.dtype, dims) for x, dims in zip(inputs, shapes, strict=True)]
        ys, xs = [body.outputs[i] for i in differentiable], [body.inputs[i] for i in differentiable]
        found = (
            gradients(ys, xs, parameters[3:], unconnected_gradients=UnconnectedGradients.ZERO) if differentiable else []
        )
        dense = [zeros_of(x) if g is None else convert_to_tensor(g) for x, g in zip(xs, found, strict=True)]
        graph.outputs = [graph.capture(t) for t in (parameters[0] + 1, *parameters[1:3], *dense)]
        graph.outputs += [graph.popped.get(inner, inner) for _, inner in graph.captures]
    captured = graph.external_captures
    inputs += captured
    shapes += [tensor.dims for tensor in captured]
    graph.keep_more()

    cond_graph = BodyGraph(function_name(op.attrs["cond"] + "/", "grad"))
    with cond_graph.as_default():
        around = [cond_graph.add_input(x.dtype, dims) for x, dims in zip(inputs, shapes, strict=True)]
        cond_graph.outputs = [raw.Less(around[0], around[2])]
    made = while_operation(
        inputs, cond_graph, graph, shapes, op.attrs["parallel_iterations"], f"{op.name.rpartition('/')[2]}_grad"
    )
    made[0].op.inputs[0].op._set_attr("_num_original_outputs", len(made))
    results = dict(zip(differentiable, made[3:], strict=False))
    return [results.get(i) for i, _ in enumerate(op.inputs)]


def _start(op: Operation, i: int, gradient: Tensor | None) -> Tensor | None:
    """The gradient to begin with for a loop variable, None for one that has none."""
    output = op.outputs[i]
    if not is_trainable(output.dtype):
        return None
    if gradient is not None:
        return convert_to_tensor(gradient)
    if output.dtype.name in ("resource", "variant"):
        return zeros_of(op.inputs[i] if output.dtype.name == "resource" else output)
    return None


class _LoopGradient(BodyGraph):
    """The gradient of the body of a loop.

    Args:
        op: the loop.

    Attributes:
        popped: for each of its inputs that is a list, the list without the element of this iteration.
    """

    def __init__(self, op: Operation) -> None:
        self._body = function_named(op.graph, op.attrs["body"])
        super().__init__(function_name(self._body.name + "/", "grad"))
        self.popped: dict[Tensor, Tensor] = {}
        self._op = op
        self._cond = function_named(op.graph, op.attrs["cond"])
        self._values: dict[Tensor, Tensor] = {}
        self._places = {tensor: i for i, tensor in enumerate(self._body.inputs)}
        self._lists: list[Tensor] = []
        self._results = list(self._body.outputs)
        self._pushed: list[Operation] = []

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """As for other bodies; what is computed in the loop comes out of a list that the loop keeps."""
        if tensor._op._graph is not self._body.graph:
            return super().capture(tensor, name)
        while tensor.op.type == "Identity":
            tensor = tensor.op.inputs[0]
        found = self._values.get(tensor)
        if found is None:
            found = self._values[tensor] = self._value(tensor)
        return found

    def _value(self, tensor: Tensor) -> Tensor:
        known = constant_value(tensor) if tensor.op.type == "Const" else None
        if known is not None:
            with self.as_default():
                return constant(known, dtype=tensor.dtype)
        place = self._places.get(tensor)
        if place is not None and self._results[place] is tensor:
            is_resource = tensor.dtype.name == "resource"
            return super().capture(self._op.inputs[place] if is_resource else self._op.outputs[place])
        if tensor.dtype.name == "resource":
            raise ValueError(f"{tensor.name} is a resource that is not the same in each iteration of {self._op.name}.")
        items = super().capture(self._list_of(tensor))
        with self.as_default():
            rest, value = raw.TensorListPopBack(items, -1, element_dtype=tensor.dtype.base_dtype)
        value.set_shape(tensor.shape)
        self.popped[items] = rest
        return value

    def _list_of(self, tensor: Tensor) -> Tensor:
        """The list, among the results of the loop, of the values that `tensor` had."""
        for consumer in tensor._consumers:
            if consumer.type == "TensorListPushBack" and consumer.outputs[0] in self._results:
                place = self._results.index(consumer.outputs[0])
                if self._places.get(consumer.inputs[0]) == place:
                    return self._op.outputs[place]
        op, inside = self._op, self._body.graph
        with op.graph.as_default(), op.graph.control_dependencies(None):
            name = tensor.name.lower() if tensor in self._places else tensor.name
            name = f"{name.replace(':', '_')}/accumulator"
            empty = empty_tensor_list(tensor.shape, tensor.dtype.base_dtype, op.inputs[1], name=name)
        with inside.as_default(), inside.control_dependencies(None):
            items = inside.capture(empty)
            pushed = raw.TensorListPushBack(items, tensor)
        made = Tensor(op, len(op.outputs), pushed.dtype, ())
        op._outputs.append(made)
        self._places[items] = len(self._results)
        self._lists.append(empty)
        self._results.append(pushed)
        self._pushed.append(pushed.op)
        return made

    def keep_more(self) -> None:
        """Makes the loop keep the lists that are needed."""
        op, body, cond = self._op, self._body, self._cond
        if self._lists:
            note_original(op, len(op._outputs) - len(self._lists))
            taken = [cond.graph.capture(empty) for empty in self._lists]
            new_cond = rewritten(cond, op, [*cond.inputs, *taken], cond.outputs, cond.operations)
            taken = [body.graph.capture(empty) for empty in self._lists]
            operations = [*body.operations, *self._pushed]
            new_body = rewritten(body, op, [*body.inputs, *taken], self._results, operations)
            for empty in self._lists:
                op._inputs.append(empty)
                empty._consumers.append(op)
            op.attrs.update(cond=new_cond.name, body=new_body.name)
            op.attrs["T"] = [tensor.dtype.base_dtype for tensor in op.inputs]
            op.attrs["output_shapes"] = [*op.attrs["output_shapes"], *[() for _ in self._lists]]
            op.graph._version_bump()
        op.attrs["_num_original_outputs"] = len(op.outputs)
