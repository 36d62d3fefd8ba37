"""Gradients of functions: the derivative of a body as another function over the same graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.autodiff.gradients import gradients, is_trainable
from headrace.core.convert import convert_to_tensor
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import zeros_like


def gradient_of(function: Function) -> Function:
    """The function of the inputs of `function` and its outputs' gradients that returns the inputs' gradients.

    An input that no gradient reaches gets zeros; one that holds a variable gets the gradient of the variable's value.
    """
    graph = function.graph
    with graph.as_default(), graph.name_scope("gradient"), graph.control_dependencies(None):
        starts = []
        for output in function.outputs:
            starts.append(raw.Placeholder(dtype=output.dtype.base_dtype, shape=output.dims, name="dy"))
        pairs = [(y, dy) for y, dy in zip(function.outputs, starts, strict=True) if is_trainable(y.dtype)]
        # An output may be an input itself, and one tensor may be given twice.
        xs = list(dict.fromkeys(x for x in function.inputs if is_trainable(x.dtype)))
        found: dict[Tensor, Any] = {}
        if pairs and xs:
            ys = [identity(y) for y, _ in pairs]
            found = dict(zip(xs, gradients(ys, xs, grad_ys=[dy for _, dy in pairs]), strict=True))
        outputs = [_dense(found.get(x), x) for x in function.inputs]
    return Function(
        f"{function.name}_grad",
        graph,
        inputs=[*function.inputs, *starts],
        outputs=outputs,
    )


def _dense(gradient: Tensor | None, x: Tensor) -> Tensor:
    if gradient is not None:
        return convert_to_tensor(gradient)
    if x.dtype.name in ("resource", "variant", "string"):
        # Nothing of such a type is a gradient; the place is filled.
        return convert_to_tensor(0.0)
    return zeros_like(x)


def connected(function: Function) -> list[bool]:
    """For each input, whether a gradient may flow to it."""
    reached: set[Operation] = set()
    pending = [y.op for y in function.outputs if is_trainable(y.dtype)]
    while pending:
        op = pending.pop()
        if op not in reached:
            reached.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
    return [is_trainable(x.dtype) and x.op in reached for x in function.inputs]


def gradient_of_call(op: Operation, function: Function, received: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of a call: of the function's own gradient, or by differentiating its body."""
    derived = function.gradient_function()
    made = raw.SymbolicGradient(
        [*op.inputs, *_filled(op, received)],
        Tout=derived.output_types,
        f=function.name,
    )
    # What a gradient function of the program returns is taken as it is.
    if function.gradient is not None:
        return list(made)
    if op.type == function.name:
        # A `Defun` gives zeros to inputs that its results do not depend on.
        return [g if is_trainable(x.dtype) else None for g, x in zip(made, function.inputs, strict=True)]
    return masked(function, list(made))


def masked(function: Function, made: list[Any]) -> list[Any]:
    """The gradients of inputs, with None where no gradient flows."""
    return [gradient if is_on else None for gradient, is_on in zip(made, connected(function), strict=True)]


def _filled(op: Operation, received: Sequence[Any]) -> list[Any]:
    return [zeros_like(y) if g is None else convert_to_tensor(g) for y, g in zip(op.outputs, received, strict=True)]
