"""Loops as functions: `while_loop` as one While operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dims import Dims
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TypeSpec
from headrace.functions.flow.branch_functions import function_name
from headrace.functions.flow.flows import to_flow, with_tensor_arrays
from headrace.functions.flow.loop_variables import check_invariant, fits, invariant_dims
from headrace.functions.flow.modes import BodyGraph, require_condition
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# The variables that each loop has before those of the program: how often it went round, and how often it may.
_OWN = 2


def loop_of_functions(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    shape_invariants: Sequence[TensorShape] | None,
    parallel_iterations: int,
    maximum_iterations: TensorLike | None,
    name: str | None,
    return_same_structure: bool,
) -> Any:
    """`tf.while_loop` as a While operation.

    Raises:
        ValueError: if the shape of a loop variable changes without an invariant that allows it.
        TypeError: if the type of one changes.
    """
    loop_vars = list(loop_vars)
    originals = nest.flatten(loop_vars, expand_composites=True)
    wholes = [to_flow(item) for item in nest.flatten(loop_vars, expand_composites=False)]
    wholes = [item if nest.is_sequence_or_composite(item) else convert_to_tensor(item) for item in wholes]
    if shape_invariants is not None:
        nest.assert_same_structure(loop_vars, list(shape_invariants), expand_composites=False)
    given = None if shape_invariants is None else nest.flatten(list(shape_invariants), expand_composites=False)
    for invariant in given or ():
        if not isinstance(invariant, (TensorShape, TypeSpec)):
            raise TypeError(f"A shape invariant of a loop is a TensorShape or a TypeSpec here, got {invariant!r}.")
    dims = invariant_dims(wholes, given)
    entering = nest.flatten(wholes, expand_composites=True)
    if given is not None:
        for tensor, invariant in zip(entering, dims, strict=True):
            check_invariant(tensor, invariant)

    def packed(values: Sequence[Tensor]) -> list[Any]:
        return nest.pack_sequence_as(loop_vars, with_tensor_arrays(originals, values), expand_composites=True)

    with name_scope(name or "while") as scope:
        names = [function_name(scope, kind) for kind in ("cond", "body")]
        limit = convert_to_tensor(
            -1 if maximum_iterations is None else maximum_iterations, dtype="int32", name="maximum_iterations"
        )
        counter = constant(0, dtype=limit.dtype, name="loop_counter")
        inputs = [counter, limit, *entering]
        parameters = [(), (), *dims]
        cond_graph, body_graph = (BodyGraph(name) for name in names)
        with cond_graph.as_default():
            count, most, *values = _parameters(cond_graph, inputs, parameters)
            holds = cond(*packed(values))
            if holds is None:
                raise AssertionError("The condition of tf.while_loop returns None: it must return one tensor.")
            holds = convert_to_tensor(holds)
            if holds.dims is None or holds.dims:
                holds = raw.Squeeze(holds)
            if maximum_iterations is not None:
                holds = raw.LogicalAnd(raw.Less(count, most), holds)
            cond_graph.outputs = [cond_graph.capture(holds)]
        with body_graph.as_default():
            count, most, *values = _parameters(body_graph, inputs, parameters)
            for tensor in cond_graph.external_captures:
                body_graph.capture(tensor)
            following = _following(body, packed(values), loop_vars)
            body_graph.outputs = [count + 1, most, *[body_graph.capture(tensor) for tensor in following]]
        for tensor in body_graph.external_captures:
            cond_graph.capture(tensor)
        captured = body_graph.external_captures
        body_graph.outputs += [body_graph.capture(tensor) for tensor in captured]
        _check_round(inputs, body_graph.outputs, parameters)
        require_condition(cond_graph.outputs[0])
        shapes = [*parameters, *[tensor.dims for tensor in captured]]
        results = while_operation([*inputs, *captured], cond_graph, body_graph, shapes, parallel_iterations, scope)
        results[0].op.inputs[0].op._set_attr("_num_original_outputs", len(results))
    leaving = packed(results[_OWN : _OWN + len(entering)])
    if return_same_structure or len(entering) > 1:
        return leaving
    return nest.flatten(leaving, expand_composites=True)[0] if len(entering) == 1 else leaving


def _parameters(graph: BodyGraph, inputs: Sequence[Tensor], dims: Sequence[Dims]) -> list[Tensor]:
    return [
        graph.add_input(tensor.dtype, shape, tensor.op.name.replace("/", "_") if i < _OWN else None)
        for i, (tensor, shape) in enumerate(zip(inputs, dims, strict=True))
    ]


def _following(body: Callable[..., Any], arguments: Sequence[Any], loop_vars: Sequence[Any]) -> list[Tensor]:
    """What the body returns as flat tensors."""
    result = body(*arguments)
    if result is None:
        raise AssertionError("The body of tf.while_loop returns None: it must return a tensor for each loop variable.")
    if not nest.is_sequence_or_composite(result):
        result = [result]
    nest.assert_same_structure(list(result), list(loop_vars), expand_composites=True)
    return [convert_to_tensor(to_flow(item)) for item in nest.flatten(list(result), expand_composites=True)]


def _check_round(inputs: Sequence[Tensor], outputs: Sequence[Tensor], dims: Sequence[Dims]) -> None:
    for before, after, invariant in zip(inputs[_OWN:], outputs[_OWN:], dims[_OWN:], strict=False):
        if not fits(after.dims, invariant):
            raise ValueError(
                f"Input tensor '{before.name}' enters the loop with shape {TensorShape.from_dims(invariant)}, but has shape "
                f"{after.shape} after one iteration. To allow the shape to vary across iterations, use the "
                "`shape_invariants` argument of tf.while_loop to specify a less-specific shape."
            )
    for before, after in zip(inputs, outputs, strict=False):
        if before.dtype.base_dtype is not after.dtype.base_dtype:
            raise TypeError(
                f"Loop var {before.name} enters the loop with type {before.dtype} but has type {after.dtype} after 1 "
                "iteration."
            )


def while_operation(
    inputs: Sequence[Tensor],
    cond_graph: BodyGraph,
    body_graph: BodyGraph,
    shapes: Sequence[Dims],
    parallel_iterations: int,
    name: str | None,
) -> list[Tensor]:
    """A While operation of two bodies; its outputs, each through an Identity."""
    functions = [Function(graph.name, graph) for graph in (cond_graph, body_graph)]
    for function in functions:
        function.add_to_graph(get_default_graph())
    made = raw.While(
        list(inputs),
        cond=functions[0].name,
        body=functions[1].name,
        output_shapes=list(shapes),
        parallel_iterations=parallel_iterations,
        name=name,
    )
    op: Operation = made[0].op
    op._set_attr("_lower_using_switch_merge", True)
    return [raw.Identity(tensor) for tensor in made]
