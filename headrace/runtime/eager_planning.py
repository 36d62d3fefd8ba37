"""Operations planned to run eagerly: each as the only one of a small graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.eager import EagerOperation, invalid
from headrace.core.errors import OpError
from headrace.core.graph import Graph
from headrace.core.registry import raw
from headrace.core.shape_errors import GraphShapeError
from headrace.core.tensor import Tensor
from headrace.plan.collect import KnownFeed
from headrace.plan.plan import make_plan
from headrace.runtime.eager_calls import Kernel, named

if TYPE_CHECKING:
    from headrace.core.buffers import VariableBuffer
    from headrace.core.dims import Dims
    from headrace.runtime.eager import EagerGraph


class PlannedShapes(Enum):
    """For which shapes of its inputs an operation is planned."""

    GIVEN = auto()
    """The shapes that they have."""

    GIVEN_RANKS = auto()
    """Any sizes of the ranks that they have."""

    ANY = auto()
    """Any shapes, so that the shape function refuses nothing."""


def planned(
    graph: EagerGraph,
    op: EagerOperation,
    output_types: Sequence[Any],
    shapes: PlannedShapes,
    known: dict[int, np.ndarray],
    name: str,
    variables: Mapping[int, VariableBuffer] | None = None,
) -> Kernel:
    """Plans an operation as the only one of a graph.

    Args:
        graph: where it runs: its functions, container and devices are those of the small graph.
        op: the operation.
        output_types: its outputs' element types.
        shapes: for which shapes of the inputs it is planned.
        known: values of inputs that are part of the plan.
        name: its name there.
        variables: the variables that inputs always lead to, by position.

    Raises:
        OpError: if the operation refuses its arguments.
    """
    decl = op.decl
    scratch = scratch_graph(graph)
    feeds: list[Tensor] = []
    given: list[int] = []
    inputs: list[Tensor] = []
    with scratch.as_default():
        for i, tensor in enumerate(op._inputs):
            if i in known:
                inputs.append(raw.Const(value=np.array(known[i]), dtype=tensor._dtype.base_dtype, name="known"))
                continue
            feed: Tensor = raw.Placeholder(
                dtype=tensor._dtype.base_dtype, shape=_planned_dims(tensor, shapes), name="input"
            )
            feeds.append(feed)
            given.append(i)
            inputs.append(feed)
        try:
            made = Graph.add_operation(
                scratch, decl, inputs, dict(op.attrs), scratch.unique_name(name.replace(":", "_")), output_types
            )
        except ValueError as error:
            if shapes is PlannedShapes.ANY:
                raise
            if isinstance(error.__context__, GraphShapeError):
                return planned(graph, op, output_types, PlannedShapes.ANY, known, name, variables)
            raise _refusal(graph, op, output_types, name) or invalid(str(error), decl.type) from None
        fetches: list[Any] = list(made._outputs) or [made]
        if made._outputs and decl.stateful:
            fetches.append(made)
        try:
            plan = make_plan(fetches, feeds, graph.runtime, known=_handles(given, variables))
        except OpError as error:
            named(error, decl.type)
            raise
    # A call may write any of its arguments.
    writes = tuple(
        i
        for i, tensor in enumerate(op._inputs)
        if tensor._dtype.name == "resource"
        and (decl.signature.calls or i in decl.writes_state or decl.type in graph._functions)
    )
    return Kernel(decl.type, plan, given, len(op._inputs), writes, scratch)


def _handles(given: Sequence[int], variables: Mapping[int, VariableBuffer] | None) -> dict[int, KnownFeed]:
    return {given.index(i): KnownFeed(buffer) for i, buffer in (variables or {}).items()}


def scratch_graph(graph: EagerGraph) -> Graph:
    """An empty graph whose functions, container and devices are those of the eager one."""
    scratch = Graph()
    scratch._functions = graph._functions
    scratch._container = graph._container
    scratch._scopes.devices = graph._scopes.devices
    return scratch


def planned_walk(
    graph: EagerGraph, fetches: Sequence[Tensor], feeds: Sequence[Tensor], given: list[int], count: int
) -> Kernel:
    """Plans what the walk back over a tape computes, in a scratch graph.

    Args:
        graph: where it runs.
        fetches: the gradients.
        feeds: the placeholders they are computed from.
        given: where in the tensors of the recording the one for each placeholder is.
        count: how many tensors the recording has.
    """
    scratch = fetches[0].graph
    with scratch.as_default():
        return Kernel("gradient", make_plan(fetches, feeds, graph.runtime), given, count, (), scratch)


def _planned_dims(tensor: Tensor, shapes: PlannedShapes) -> Dims:
    dims = tensor.dims
    if dims is None or shapes is PlannedShapes.ANY or tensor._dtype.name in ("resource", "variant"):
        return None
    return (None,) * len(dims) if shapes is PlannedShapes.GIVEN_RANKS else dims


def _refusal(graph: EagerGraph, op: EagerOperation, output_types: Sequence[Any], name: str) -> OpError | None:
    """What the kernel says of arguments that the shape function refuses: TensorFlow runs nothing else eagerly."""
    if op.decl.stateful and not op.decl.named_scalars:
        return None
    try:
        graph._run(planned(graph, op, output_types, PlannedShapes.ANY, {}, name), op._inputs)
    except OpError as error:
        # What torch says of shapes that it was never to see tells less than the shape function.
        return None if f"(op {op.decl.type}, node" in error.message else error
    except (ValueError, TypeError, RuntimeError, IndexError):
        pass
    return None
