"""Cutting subgraphs out of a graph, joining them, and going round them."""

from __future__ import annotations

from typing import Any

from headrace.contrib.graph_editor.reroute import (
    remove_control_inputs,
    reroute_inputs,
    reroute_ts,
    swap_inputs,
    swap_outputs,
)
from headrace.contrib.graph_editor.select import check_cios
from headrace.contrib.graph_editor.subgraph import SubGraphView, make_view
from headrace.contrib.graph_editor.util import (
    ControlOutputs,
    check_graphs,
    make_placeholder_from_tensor,
    placeholder_name,
)
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import placeholder


def _graph(view: SubGraphView) -> Graph:
    if view.graph is None:
        raise ValueError("The subgraph is empty.")
    return view.graph


def detach_control_inputs(sgv: SubGraphView) -> None:
    """Lets the operations of a subgraph wait for none outside it."""
    view = make_view(sgv)
    for op in view.ops:
        remove_control_inputs(op, [cop for cop in op.control_inputs if cop not in view.ops])


def detach_control_outputs(sgv: SubGraphView, control_outputs: ControlOutputs) -> None:
    """Lets no operation outside a subgraph wait for one inside it.

    Args:
        sgv: the subgraph.
        control_outputs: the `ControlOutputs` of its graph.

    Raises:
        TypeError: if it is none.
    """
    if not isinstance(control_outputs, ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    control_outputs.update()
    view = make_view(sgv)
    for op in view.ops:
        for cop in control_outputs.get(op):
            if cop not in view.ops:
                remove_control_inputs(cop, op)


def detach_inputs(sgv: SubGraphView, control_inputs: bool = False) -> tuple[SubGraphView, list[Tensor]]:
    """Lets a subgraph take placeholders instead of its inputs.

    Args:
        sgv: the subgraph; a view is changed in place.
        control_inputs: whether to cut its control inputs too.

    Returns:
        (the view, the placeholders, one for each input).
    """
    view = make_view(sgv)
    with _graph(view).as_default():
        fed = [placeholder(t.dtype, name=placeholder_name(t)) for t in view.inputs]
    swap_inputs(view, fed)
    if control_inputs:
        detach_control_inputs(view)
    return view, fed


def detach_outputs(
    sgv: SubGraphView, control_outputs: ControlOutputs | None = None
) -> tuple[SubGraphView, list[Tensor]]:
    """Lets what takes the outputs of a subgraph take placeholders instead.

    Args:
        sgv: the subgraph.
        control_outputs: the `ControlOutputs` of its graph, to cut these too, or None.

    Returns:
        (a view with the outputs that were taken, the placeholders, one for each).
    """
    view = make_view(sgv)
    view = view.remap_outputs([i for i, tensor in enumerate(view.outputs) if tensor.consumers()])
    after = SubGraphView(view.consumers())
    after = after.remap_inputs([i for i, tensor in enumerate(after.inputs) if tensor in list(view.outputs)])
    with _graph(view).as_default():
        fed = [make_placeholder_from_tensor(tensor) for tensor in after.inputs]
    swap_outputs(view, fed)
    if control_outputs is not None:
        detach_control_outputs(view, control_outputs)
    return view, fed


def detach(
    sgv: SubGraphView,
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> tuple[Any, list[Tensor], list[Tensor]]:
    """Cuts a subgraph out of its graph, with placeholders on either side.

    Args:
        sgv: the subgraph.
        control_inputs: whether to cut its control inputs too.
        control_outputs: the `ControlOutputs` of its graph, to cut these too, or None.
        control_ios: the `ControlOutputs`, to cut both.

    Returns:
        (`sgv`, the placeholders it takes, those that others take instead of its outputs).
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    _, before = detach_inputs(sgv, control_inputs)
    _, after = detach_outputs(sgv, control_outputs)
    return sgv, before, after


def connect(
    sgv0: SubGraphView, sgv1: SubGraphView, disconnect_first: bool = False
) -> tuple[SubGraphView, SubGraphView]:
    """Lets `sgv1` take the outputs of `sgv0` as its inputs.

    Args:
        sgv0, sgv1: the subgraphs.
        disconnect_first: whether what takes the outputs of `sgv0` now gets placeholders.

    Returns:
        the two views.

    Raises:
        ValueError: if they are of several graphs, or outputs and inputs do not fit.
    """
    sgv0, sgv1 = make_view(sgv0), make_view(sgv1)
    check_graphs(sgv0, sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute_inputs(SubGraphView(passthrough_ts=sgv0.outputs), sgv1)
    return sgv0, sgv1


def bypass(sgv: SubGraphView) -> tuple[SubGraphView, list[Tensor]]:
    """Lets what takes the outputs of a subgraph take its inputs instead; the subgraph gets placeholders.

    Returns:
        (the view, the placeholders).

    Raises:
        ValueError: if inputs and outputs do not fit.
    """
    view = make_view(sgv)
    inputs = list(view.inputs)
    view, fed = detach_inputs(view)
    reroute_ts(inputs, view.outputs)
    return view, fed
