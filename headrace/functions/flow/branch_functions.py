"""Branches as functions: `cond` as one If operation, `switch_case` as one Case operation."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.dims import Dims
from headrace.core.graph_functions import Function
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.flows import to_flow, with_tensor_arrays
from headrace.functions.flow.modes import BodyGraph, calls_functions, require_condition

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


Branch = Callable[[], Any]
_numbers = itertools.count(1)


def function_name(scope: str, kind: str) -> str:
    """A name for the function that is one part of the operation of a name scope."""
    return f"{scope}{kind}_{next(_numbers)}".replace("/", "_")


def cond_of_functions(pred: Any, true_fn: Branch, false_fn: Branch, name: str | None) -> Any:
    """`tf.cond` as an If operation, or a StatelessIf one where no operation of a branch has state.

    Raises:
        TypeError: if `pred` is a Python bool, or the branches differ in what they return.
        ValueError: if one branch uses a tensor of the other.
    """
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    with name_scope(name or "cond") as scope:
        names = [function_name(scope, "true"), function_name(scope, "false")]
        pred = convert_to_tensor(pred)
        if pred.dims is None or pred.dims:
            pred = raw.Squeeze(pred)
        graphs = [branch_graph(name, function, pred) for name, function in zip(names, (true_fn, false_fn), strict=True)]
        labels = ["true_fn", "false_fn"]
        _check_apart(graphs, labels)
        _check_kinds(graphs)
        _check_graphs_alike(graphs, labels, "tf.cond", "cond")
        if calls_functions(get_default_graph()):
            # In a graph it is found when that is run.
            require_condition(pred)
        return _packed(graphs[0], if_operation(pred, graphs, scope))


def case_of_functions(branch_index: TensorLike, branches: Sequence[Branch], name: str | None = None) -> Any:
    """`tf.switch_case` as a Case operation.

    Raises:
        TypeError: if `branch_index` is a Python int, or the branches differ in what they return.
        ValueError: if one branch uses a tensor of another.
    """
    if isinstance(branch_index, int):
        raise TypeError("branch_index must not be a Python int", branch_index)
    with name_scope(name or "indexed_case") as scope:
        names = [function_name(scope, f"branch{i}") for i, _ in enumerate(branches)]
        index = convert_to_tensor(branch_index, name="branch_index")
        graphs = [branch_graph(name, branch, index) for name, branch in zip(names, branches, strict=True)]
        _check_apart(graphs, [f"branch {i}" for i, _ in enumerate(graphs)])
        _check_graphs_alike(graphs, [f"branches[{i}]" for i, _ in enumerate(graphs)], "tf.switch_case", "case")
        return _packed(graphs[0], case_operation(index, graphs, scope))


def branch_graph(name: str, function: Branch, fallback: Tensor) -> BodyGraph:
    """The body of one branch. An operation it returns counts as the value of `fallback` after that operation."""
    graph = BodyGraph(name)
    with graph.as_default():
        result = function()
        values = nest.flatten(result, expand_composites=True)
        flat = [None if value is None else _output(graph, value, fallback) for value in values]
        graph.outputs = [tensor for tensor in flat if tensor is not None]
        shown = [value if to_flow(value) is not value else tensor for value, tensor in zip(values, flat, strict=True)]
        graph.structured_outputs = nest.pack_sequence_as(result, shown, expand_composites=True)
    return graph


def _output(graph: BodyGraph, value: TensorLike | Operation, fallback: Tensor) -> Tensor:
    if isinstance(value, Operation):
        with control_dependencies([value]):
            value = raw.Identity(fallback)
    return graph.capture(convert_to_tensor(to_flow(value)))


def _packed(graph: BodyGraph, results: Sequence[Tensor]) -> Any:
    """The results in the structure that the first branch returned."""
    values = nest.flatten(graph.structured_outputs, expand_composites=True)
    given = iter(with_tensor_arrays([value for value in values if value is not None], results))
    flat = [None if value is None else next(given) for value in values]
    return nest.pack_sequence_as(graph.structured_outputs, flat, expand_composites=True)


def if_operation(pred: Tensor, graphs: Sequence[BodyGraph], name: str | None = None) -> list[Tensor]:
    """An If operation of two bodies that return alike; its outputs, each through an Identity."""
    inputs = shared_inputs(graphs)
    then_branch, else_branch = library_functions(graphs)
    has_state = any(op.decl.signature.stateful for graph in graphs for op in graph.get_operations())
    decl = raw.If if has_state else raw.StatelessIf
    made = decl(
        pred,
        inputs,
        Tout=then_branch.output_types,
        then_branch=then_branch.name,
        else_branch=else_branch.name,
        output_shapes=_shapes(graphs),
        name=name,
    )
    return _identities(made, IndexError)


def case_operation(index: Tensor, graphs: Sequence[BodyGraph], name: str | None = None) -> list[Tensor]:
    """A Case operation of bodies that return alike; its outputs, each through an Identity."""
    inputs = shared_inputs(graphs)
    functions = library_functions(graphs)
    made = raw.Case(
        index,
        inputs,
        Tout=functions[0].output_types,
        branches=[function.name for function in functions],
        output_shapes=_shapes(graphs),
        name=name,
    )
    return _identities(made, TypeError)


def _identities(made: Sequence[Tensor], nothing: type[Exception]) -> list[Tensor]:
    made = list(made)
    if not made:
        raise nothing("The branches return nothing: each must return at least one tensor.")
    op = made[0].op
    op._set_attr("_lower_using_switch_merge", True)
    results = [raw.Identity(tensor) for tensor in made]
    op.graph.prevent_fetching(op)
    return results


def shared_inputs(graphs: Sequence[BodyGraph]) -> list[Tensor]:
    """The outer tensors that any of the bodies needs; each body takes them all, in this order, from then on."""
    outer = list(dict.fromkeys(tensor for graph in graphs for tensor in graph.external_captures))
    for graph in graphs:
        graph.inputs = [graph.capture(tensor) for tensor in outer]
    return outer


def library_functions(graphs: Sequence[BodyGraph]) -> list[Function]:
    """The bodies as functions in the library of the default graph."""
    functions = [Function(graph.name, graph) for graph in graphs]
    for function in functions:
        function.add_to_graph(get_default_graph())
    return functions


def _shapes(graphs: Sequence[BodyGraph]) -> list[Dims]:
    return [_common([tensor.dims for tensor in outputs]) for outputs in zip(*(g.outputs for g in graphs), strict=True)]


def _common(shapes: Sequence[Dims]) -> Dims:
    """The most that is true of all of the shapes."""
    if any(dims is None or len(dims) != len(shapes[0] or ()) for dims in shapes):
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes, strict=True))


def _check_apart(graphs: Sequence[BodyGraph], labels: Sequence[str]) -> None:
    for graph, label in zip(graphs, labels, strict=True):
        for tensor in graph.external_captures:
            if tensor._is_graph_tensor and tensor.graph in graphs:
                other = labels[[each is tensor.graph for each in graphs].index(True)]
                raise ValueError(f"Tensor {tensor.name} in {other} is accessed from {label}.")


def _check_kinds(graphs: Sequence[BodyGraph]) -> None:
    """Raises TypeError where one branch returns IndexedSlices and the other one a tensor."""
    flat = [nest.flatten(graph.structured_outputs) for graph in graphs]
    for i, each in enumerate(zip(*flat, strict=False)):
        if len({isinstance(value, IndexedSlices) for value in each}) == 2:
            raise TypeError(f"Cannot reconcile tf.cond {i}-th outputs:\n  outputs from all branches: {list(each)}")


def _check_graphs_alike(graphs: Sequence[BodyGraph], labels: Sequence[str], function: str, kind: str) -> None:
    structures = [graph.structured_outputs for graph in graphs]
    check_alike(structures, [graph.outputs for graph in graphs], labels, function, kind)


def check_alike(
    structures: Sequence[Any], outputs: Sequence[Sequence[Tensor]], labels: Sequence[str], function: str, kind: str
) -> None:
    """Raises an error of the class that TensorFlow has where branches that are functions differ in what they return.

    Args:
        structures: what each branch returns.
        outputs: the tensors of each.
        labels: what to call the branches.
        function: the public function that builds them.
        kind: what to call them together.
    """
    first = structures[0]
    counts = [len(nest.flatten(structure)) for structure in structures]
    if len(set(counts)) > 1:
        described = ", ".join(f"{label} {count}" for label, count in zip(labels, counts, strict=True))
        raise AssertionError(f"All branches of {function} must return as many values, and return: {described}.")
    for i, (structure, tensors, label) in enumerate(zip(structures, outputs, labels, strict=True)):
        shown = (
            f"{labels[0]} and {label} arguments to {function} must have the same number, type, and overall structure of "
            f"return values.\n\n{labels[0]} output: {first}\n{label} output: {structure}\n\nError details:\n"
        )
        try:
            nest.assert_same_structure(first, structure, expand_composites=True)
        except (ValueError, TypeError) as error:
            raise TypeError(f"{shown}{error}") from None
        if len(outputs[0]) != len(tensors):
            raise ValueError(
                f"Lengths of branch outputs of {kind} must match.\nlen(graphs[0].outputs): {len(outputs[0])}\n"
                f"len(graphs[{i}].outputs): {len(tensors)}\n"
            )
        for x, y in zip(outputs[0], tensors, strict=True):
            if x.dtype.base_dtype is not y.dtype.base_dtype:
                raise TypeError(f"{shown}{x} and {y} have different types")
