"""Sizes that are computed from shapes and known altogether."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headrace.plan.ir import Node, Value, declared
from headrace.plan.known_sizes import KnownSizes, computes_sizes
from headrace.plan.values import to_torch

# What sizes come from.
_SOURCES = frozenset({"Shape", "Size", "TensorArraySizeV3"})


def bind_sizes(nodes: list[Node], keep: set[Node], fetched: Sequence[Value]) -> list[Node]:
    """The nodes without those whose sizes are known altogether, whose outputs are constants from now on, and without
    those that only they asked."""
    if not any(node.type in _SOURCES for node in nodes):
        return nodes
    sizes = KnownSizes()
    left = [node for node in nodes if not (_may_be_bound(node, keep) and _bind(node, sizes))]
    if len(left) == len(nodes):
        return nodes
    wanted = set(fetched)
    needed = {other for node in left for other in node.control}
    kept = []
    for node in reversed(left):
        idle = computes_sizes(node) and node not in keep and node not in needed and node.region is None
        if idle and wanted.isdisjoint(node.outputs):
            continue
        wanted.update(node.inputs)
        wanted.update(pred for pred, _ in node.guard)
        kept.append(node)
    return kept[::-1]


def _may_be_bound(node: Node, keep: set[Node]) -> bool:
    return computes_sizes(node) and node not in keep and len(node.outputs) == 1


def _bind(node: Node, sizes: KnownSizes) -> bool:
    """Makes the output of a node a constant, if all its elements are known; returns whether they are."""
    output = node.outputs[0]
    elements = sizes.elements(output)
    if elements is None:
        return False
    known = [element for element in elements if isinstance(element, int)]
    limits = np.iinfo(output.dtype.as_numpy_dtype)
    if len(known) < len(elements) or not all(limits.min <= number <= limits.max for number in known):
        return False
    shape = () if output.dims == () else (len(known),)
    output.constant = np.array(known, output.dtype.as_numpy_dtype).reshape(shape)
    output.bound, output.dims = to_torch(output.constant, output.dtype), shape
    # Nothing is asked of what it was computed from, and rewrites that look for its op find none.
    node.decl, node.inputs = declared("Const"), []
    return True
