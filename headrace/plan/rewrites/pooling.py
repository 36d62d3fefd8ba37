"""A max pool and its gradient: where the largest values are is found out once."""

from __future__ import annotations

from headrace.core.dtypes import int64
from headrace.plan.ir import Node, Value, new_node

_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_SETTINGS = ("ksize", "strides", "padding", "data_format")


def fuse_pooling(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """MaxPool(x) and MaxPoolGrad(x, y, g) become `_MaxPoolWithIndices(x)` and `_MaxPoolGradWithIndices(x, indices, g)`.

    By itself, the gradient would have to pool again.
    """
    if not any(node.type == "MaxPoolGrad" for node in nodes):
        return nodes, {}
    # Nodes that others wait for must stay who they are.
    fixed = keep.union(*(node.control for node in nodes))
    gradients: dict[Node, list[Node]] = {}
    for node in nodes:
        if node.type == "MaxPoolGrad" and node not in fixed:
            pool = node.inputs[1].node
            if _belong_together(pool, node) and pool not in fixed:
                gradients.setdefault(pool, []).append(node)
    if not gradients:
        return nodes, {}
    indexed = {gradient: pool for pool, found in gradients.items() for gradient in found}
    shared: dict[Node, Node] = {}
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        made = node
        if node in gradients:
            output = node.outputs[0]
            types = [(output.dtype, output.dims), (int64, None)]
            made = shared[node] = new_node(
                "_MaxPoolWithIndices", node, list(node.inputs), types, {key: node.attrs[key] for key in _SETTINGS}
            )
        elif node in indexed:
            pool, output = shared[indexed[node]], node.outputs[0]
            made = new_node(
                "_MaxPoolGradWithIndices",
                node,
                [node.inputs[0], pool.outputs[1], node.inputs[2]],
                [(output.dtype, output.dims)],
                {key: node.attrs[key] for key in _SETTINGS},
            )
        if made is not node:
            replaced[node.outputs[0]] = made.outputs[0]
        result.append(made)
    return result, replaced


def _belong_together(pool: Node, gradient: Node) -> bool:
    if pool.type != "MaxPool" or pool.inputs[0] is not gradient.inputs[0]:
        return False
    if pool.guard != gradient.guard[: len(pool.guard)]:
        return False
    channel = 1 if pool.attrs["data_format"] == "NCHW" else 3
    return (
        pool.inputs[0].dtype.name in _FLOATS
        and pool.attrs["ksize"][channel] == 1
        and all(pool.attrs[key] == gradient.attrs[key] for key in _SETTINGS)
    )
