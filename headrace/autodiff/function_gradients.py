"""Gradients of functions: the derivative of a body as another function over the same graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.autodiff.gradients import gradients, is_trainable
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.graph_functions import Function, called_function
from headrace.core.operation import Operation
from headrace.core.registry import CALLS, raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import zeros_like


class GradientParts:
    """The gradients in the body of a function.

    Attributes:
        starts: the placeholders of the outputs' gradients.
        found: for each input its gradient, a tensor or slices, None where none reaches it.
        sliced: the function that returns them in parts, once it has been asked for.
    """

    def __init__(self, starts: list[Tensor], found: list[Any]) -> None:
        self.starts = starts
        self.found = found
        self.sliced: Function | None = None

    @property
    def has_slices(self) -> bool:
        """Whether a gradient is kept as slices."""
        return any(isinstance(gradient, IndexedSlices) for gradient in self.found)


def gradient_parts(function: Function) -> GradientParts:
    """The gradients of a function's inputs, built in its body where they are not there yet."""
    if function._gradient_parts is not None:
        known: GradientParts = function._gradient_parts
        return known
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
            # Of a view of a body the inputs may be computed in that body: they are where it begins all the same.
            made = gradients(ys, xs, grad_ys=[dy for _, dy in pairs], stop_gradients=xs)
            found = dict(zip(xs, made, strict=True))
    parts = function._gradient_parts = GradientParts(starts, [found.get(x) for x in function.inputs])
    return parts


def gradient_of(function: Function) -> Function:
    """The function of the inputs of `function` and its outputs' gradients that returns the inputs' gradients.

    An input that no gradient reaches gets zeros; one that holds a variable gets the gradient of the variable's value.
    """
    parts, graph = gradient_parts(function), function.graph
    with graph.as_default(), graph.name_scope("gradient"), graph.control_dependencies(None):
        outputs = [dense(gradient, x) for gradient, x in zip(parts.found, function.inputs, strict=True)]
    return Function(f"{function.name}_grad", graph, inputs=[*function.inputs, *parts.starts], outputs=outputs)


def flat_parts(gradients: Sequence[Any]) -> list[Tensor]:
    """Gradients as tensors only: slices become their values, indices and shape."""
    flat: list[Tensor] = []
    for gradient in gradients:
        if isinstance(gradient, IndexedSlices):
            flat += [part for part in (gradient.values, gradient.indices, gradient.dense_shape) if part is not None]
        elif gradient is not None:
            flat.append(gradient)
    return flat


def from_parts(like: Sequence[Any], flat: Sequence[Tensor]) -> list[Any]:
    """What `flat_parts` made tensors of: as `like`, from the tensors `flat`."""
    given = iter(flat)
    made: list[Any] = []
    for gradient in like:
        if isinstance(gradient, IndexedSlices):
            values, indices = next(given), next(given)
            made.append(IndexedSlices(values, indices, None if gradient.dense_shape is None else next(given)))
        else:
            made.append(None if gradient is None else next(given))
    return made


def dense(gradient: Any, x: Tensor) -> Tensor:
    """The gradient of a function's input `x` as a tensor, zeros where there is none."""
    if gradient is not None:
        return convert_to_tensor(gradient)
    if x.dtype.name in ("resource", "variant", "string"):
        # Nothing of such a type is a gradient; the place is filled.
        return convert_to_tensor(0.0)
    return zeros_like(x)


def connected(function: Function) -> list[bool]:
    """For each input, whether a gradient flows to it: whether one may, as long as the gradients have not been built."""
    if function._gradient_parts is not None:
        return [gradient is not None for gradient in function._gradient_parts.found]
    reached: set[Operation] = set()
    pending = [y.op for y in function.outputs if is_trainable(y.dtype)]
    while pending:
        op = pending.pop()
        if op not in reached:
            reached.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
    return [is_trainable(x.dtype) and x.op in reached for x in function.inputs]


def gradient_of_whole_call(op: Operation, function: Function, received: Sequence[Any]) -> list[Any]:
    """The gradients of the inputs of a call: by the function's own gradient, or by its body, which runs again for it."""
    given = [*op.inputs, *_filled(op, received)]
    graph = get_default_graph()
    if function.gradient is None and op.type in CALLS:
        parts = gradient_parts(function)
        if parts.has_slices:
            return masked(function, _sliced_call(function, parts, given))
    derived = function.gradient_function()
    if called_function(graph, function.name) is None:
        # The gradient of a gradient: only what the program made itself is in the library already.
        function.add_to_graph(graph)
    types = derived.output_types
    if len(types) != len(op.inputs):
        # A gradient function of the program that gives more or fewer is refused when it is called.
        types = [x.dtype.base_dtype for x in op.inputs]
    made = raw.SymbolicGradient(given, Tout=types, f=function.name)
    # What a gradient function of the program returns is taken as it is.
    if function.gradient is not None:
        return list(made)
    for gradient, known, x in zip(made, derived.outputs, op.inputs, strict=False):
        if x.dtype.name == "resource":
            gradient.set_shape(known.shape)
    if op.type == function.name:
        # A `Defun` gives zeros to inputs that its results do not depend on.
        return [g if is_trainable(x.dtype) else None for g, x in zip(made, function.inputs, strict=True)]
    return masked(function, list(made))


def _sliced_call(function: Function, parts: GradientParts, given: Sequence[Any]) -> list[Any]:
    """The gradients of a call of which some are slices, as `tf.gather` has them."""
    if parts.sliced is None:
        parts.sliced = Function(
            f"{function.name}_grad_slices",
            function.graph,
            inputs=[*function.inputs, *parts.starts],
            outputs=flat_parts(parts.found),
        )
    sliced = parts.sliced
    sliced.add_to_graph(get_default_graph())
    decl = raw.StatefulPartitionedCall if sliced.stateful else raw.PartitionedCall
    return from_parts(parts.found, decl(list(given), Tout=tuple(sliced.output_types), f=sliced.name))


def masked(function: Function, made: list[Any]) -> list[Any]:
    """The gradients of inputs, with None where no gradient flows."""
    return [gradient if is_on else None for gradient, is_on in zip(made, connected(function), strict=True)]


def _filled(op: Operation, received: Sequence[Any]) -> list[Any]:
    return [zeros_like(y) if g is None else convert_to_tensor(g) for y, g in zip(op.outputs, received, strict=True)]
