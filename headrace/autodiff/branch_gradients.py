"""Gradients of If and Case operations: another If or Case operation of the bodies' gradients.

What a body's gradient needs of the body itself, the operation returns besides its results, each wrapped in an optional:
of the branches not taken there is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.autodiff.gradients import gradients, is_trainable
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.graph_functions import Function, called_function, function_named
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.branch_functions import case_operation, function_name, if_operation
from headrace.functions.flow.modes import BodyGraph
from headrace.kernels.composing.filling import zeros, zeros_like
from headrace.kernels.state.handles import handle_dtype
from headrace.ops.array.constant import constant
from headrace.ops.state.resource import variable_shape


def branch_gradient(op: Operation, received: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of an If or Case operation."""
    bodies = [function_named(op.graph, name) for name in _branch_names(op)]
    graphs = [_BranchGradient(body, op) for body in bodies]
    results = [graph.differentiate(received[: len(body.outputs)]) for graph, body in zip(graphs, bodies, strict=True)]
    connected = [i for i, x in enumerate(op.inputs[1:]) if _has_zeros(x) or any(row[i] is not None for row in results)]
    sparse = {i for i in connected if any(isinstance(row[i], IndexedSlices) for row in results)}
    for graph, row in zip(graphs, results, strict=True):
        with graph.as_default():
            for i in connected:
                x = graph.body.inputs[i]
                gradient = zeros_of(x) if row[i] is None else row[i]
                parts = _parts(gradient) if i in sparse else [gradient]
                graph.outputs += [graph.capture(convert_to_tensor(part)) for part in parts]
    _return_more(op, bodies, graphs)
    if not connected:
        return [None] * len(op.inputs)
    if op.type in ("If", "StatelessIf"):
        made = iter(if_operation(op.inputs[0], graphs))
    else:
        made = iter(case_operation(op.inputs[0], graphs, "gradient"))
    found: dict[int, Any] = {}
    for i in connected:
        first = next(made)
        found[i] = IndexedSlices(first, next(made), next(made)) if i in sparse else first
    return [None, *[found.get(i) for i, _ in enumerate(op.inputs[1:])]]


def _parts(gradient: IndexedSlices | Tensor) -> list[Any]:
    """The values, indices and shape of a gradient as slices, all of them if it is dense."""
    if not isinstance(gradient, IndexedSlices):
        shape = raw.Shape(gradient, out_type="int64")
        gradient = IndexedSlices(
            gradient, raw.Range(_long(0), raw.Squeeze(raw.Slice(shape, [0], [1])), _long(1)), shape
        )
    dense_shape = gradient.dense_shape
    if dense_shape is None:
        raise ValueError("The gradient of a branch as slices needs their dense_shape.")
    return [gradient.values, *[raw.Cast(part, DstT="int64") for part in (gradient.indices, dense_shape)]]


def _long(value: int) -> Tensor:
    return constant(value, dtype="int64")


def _branch_names(op: Operation) -> list[str]:
    if op.type in ("If", "StatelessIf"):
        return [op.attrs["then_branch"], op.attrs["else_branch"]]
    return list(op.attrs["branches"])


class _BranchGradient(BodyGraph):
    """The gradient of one branch of an operation.

    Args:
        body: the branch.
        op: the operation.

    Attributes:
        more: the optionals that the branch has to return for it, besides what it returns already.
    """

    def __init__(self, body: Function, op: Operation) -> None:
        super().__init__(function_name(body.name + "/", "grad"))
        self.body = body
        self.more: list[Tensor] = []
        self._op = op
        self._values: dict[Tensor, Tensor] = {}
        self._outside = {
            **dict(zip(body.outputs, op.outputs, strict=False)),
            **dict(zip(body.inputs, op.inputs[1:], strict=True)),
        }

    def differentiate(self, received: Sequence[Any]) -> list[Any]:
        """Builds the gradients of the body's inputs, None where there is none."""
        pairs = [
            (y, gradient)
            for y, gradient in zip(self.body.outputs, received, strict=True)
            if gradient is not None and is_trainable(y.dtype)
        ]
        xs = [x for x in self.body.inputs if is_trainable(x.dtype)]
        if not pairs or not xs:
            return [None] * len(self.body.inputs)
        with self.as_default():
            found = dict(zip(xs, gradients([y for y, _ in pairs], xs, [g for _, g in pairs]), strict=True))
        return [found.get(x) for x in self.body.inputs]

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """As for other bodies; what is computed in the branch comes by way of the operation's results."""
        if tensor._op._graph is not self.body.graph:
            return super().capture(tensor, name)
        found = self._values.get(tensor)
        if found is not None:
            return found
        outside = self._outside.get(tensor)
        if outside is not None:
            found = super().capture(outside, name)
        else:
            optional = super().capture(self._optional(tensor))
            found = raw.OptionalGetValue(optional, output_types=[tensor.dtype.base_dtype], output_shapes=[tensor.dims])[
                0
            ]
        self._values[tensor] = found
        return found

    def _optional(self, tensor: Tensor) -> Tensor:
        """The result of the operation that holds `tensor`, a tensor of the branch."""
        for consumer in tensor._consumers:
            if consumer.type == "OptionalFromValue" and consumer.outputs[0] in self._outside:
                return self._outside[consumer.outputs[0]]
        graph = self.body.graph
        with graph.as_default(), graph.control_dependencies(None):
            optional = raw.OptionalFromValue([tensor])
        made = Tensor(self._op, len(self._op.outputs), optional.dtype, ())
        self._op._outputs.append(made)
        self._outside[optional] = made
        self.more.append(optional)
        return made


def _has_zeros(x: Tensor) -> bool:
    """Whether an input that no branch gives a gradient gets zeros, as in TensorFlow, rather than none.

    Tables and the like have none; of lists and optionals there is no need to make any.
    """
    if x.dtype.name == "resource":
        return handle_dtype(x) is not None
    return is_trainable(x.dtype) and x.dtype.name != "variant"


def zeros_of(x: Tensor) -> Tensor:
    if x.dtype.name == "resource":
        return zeros(variable_shape(x), handle_dtype(x) or "float32")
    return zeros_like(x)


def _return_more(op: Operation, bodies: Sequence[Function], graphs: Sequence[_BranchGradient]) -> None:
    """Makes `op` return the optionals that the gradients need."""
    if not any(graph.more for graph in graphs):
        return
    note_original(op, len(op._outputs) - sum(len(graph.more) for graph in graphs))
    names = []
    for body, own in zip(bodies, graphs, strict=True):
        inside = body.graph
        results = list(body.outputs)
        operations = list(body.operations)
        with inside.as_default(), inside.control_dependencies(None):
            for graph in graphs:
                results += graph.more if graph is own else [raw.OptionalNone() for _ in graph.more]
        operations += [tensor.op for tensor in results[len(body.outputs) :]]
        names.append(rewritten(body, op, body.inputs, results, operations).name)
    if op.type in ("If", "StatelessIf"):
        op.attrs.update(then_branch=names[0], else_branch=names[1])
    else:
        op.attrs["branches"] = names
    op.attrs["Tout"] = [tensor.dtype.base_dtype for tensor in op.outputs]
    op.attrs["output_shapes"] = [tensor.dims for tensor in op.outputs]
    op.graph._version_bump()


def note_original(op: Operation, outputs: int) -> None:
    """Keeps what an operation was before gradients made it return more, for functions that are written without them.

    Args:
        op: the operation, about to be changed.
        outputs: how many results it had.
    """
    if op._original is None:
        op._original = len(op._inputs), outputs, dict(op.attrs)


def rewritten(
    body: Function, op: Operation, inputs: Sequence[Tensor], results: Sequence[Tensor], operations: Sequence[Operation]
) -> Function:
    """A function of the same graph as `body` that takes and returns more, in the library of the graph of `op`."""
    name = f"{body.name}_rewritten"
    if called_function(op.graph, name) is not None:
        name = function_name(body.name + "/", "rewritten")
    made = Function(name, body.graph, inputs=inputs, outputs=results)
    # It does what the body does.
    made.is_view = False
    made.operations = list(operations)
    made.add_to_graph(op.graph)
    return made
