"""The pass that says which nodes are worth more than one thread.

A parallel region costs microseconds to enter, and milliseconds when another program holds one of the cores, so small
operations run on one thread and only large ones on all.
"""

from __future__ import annotations

from collections.abc import Sequence

from headrace.core.dims import Dims
from headrace.core.multiply_adds import AMOUNT
from headrace.plan.ir import Node, input_positions, regions

# Multiply-adds and elements from which a second thread is worth waking: it takes up to 0.05 ms on a virtual machine, and
# these about 0.1 ms on one core.
_ENOUGH = {"product": 6_000_000, "convolution": 2_000_000}
_ENOUGH_ELEMENTS = 250_000


def mark_heavy(nodes: Sequence[Node], unknown: int) -> bool:
    """Marks the nodes that are to use all threads; returns whether there are any.

    Args:
        nodes: the planned nodes.
        unknown: the size to assume for unknown dimensions: the batch that was fed.
    """
    found = False
    for node in nodes:
        if node.device.type == "cpu" and _is_heavy(node, unknown):
            node.heavy = found = True
    for _, region in regions(nodes):
        found = mark_heavy(region.nodes, unknown) or found
    return found


def _is_heavy(node: Node, unknown: int) -> bool:
    decl = node.decl
    if node.region is not None:
        return False
    if decl.work_rule is not None:
        kind, amount = decl.work_rule(node, lambda dims: _elements(dims, unknown))
        if kind == "convolution":
            # Small ones join native regions.
            node.notes[AMOUNT] = amount
        return amount > _ENOUGH[kind]
    if decl.touched_inputs is not None:
        touched = [node.inputs[i] for i in input_positions(node, decl.touched_inputs)]
        touched += node.outputs if decl.touches_outputs else []
    else:
        # A slice of a large tensor is a view: the rest of the tensor is no work.
        touched = node.outputs if decl.may_alias else [*node.inputs, *node.outputs]
    sizes = [_elements(value.dims, unknown) for value in touched]
    return max(sizes, default=0) * decl.element_cost > _ENOUGH_ELEMENTS


def _elements(dims: Dims, unknown: int) -> int:
    if dims is None:
        return unknown
    size = 1
    for dim in dims:
        size *= unknown if dim is None else dim
    return size
