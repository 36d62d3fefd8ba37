"""A matrix product, or a convolution, and the bias added to it are one kernel."""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node

_ADDITIONS = frozenset({"Add", "AddV2", "BiasAdd"})
_TYPES = frozenset({"float32", "float64"})
# Rounding a short type twice, as two ops do, is not what one kernel does.
_FUSED = {
    "MatMul": "_MatMulBias",
    "Conv2D": "_Conv2DBias",
    "Conv3D": "_Conv3DBias",
    "DepthwiseConv2dNative": "_DepthwiseConv2dBias",
}


def fuse_bias(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """BiasAdd(MatMul(x, w), b) becomes `_MatMulBias(x, w, b)`, and so on, where nothing else takes the product itself.

    A `_SumLike` takes it for its shape only, which the sum has too.
    """
    takers: dict[Value, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            takers.setdefault(value, []).append(node)
    wanted = set(fetched)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        if node.type in _ADDITIONS and not node.control and node not in keep:
            fused = _match(node, takers, wanted)
            if fused is not None:
                output = node.outputs[0]
                replaced[output] = fused.outputs[0]
                # For the nodes that look at the product's shape.
                replaced[node.inputs[0]] = fused.outputs[0]
                node = fused
        result.append(node)
    return result, replaced


def _match(node: Node, takers: dict[Value, list[Node]], wanted: set[Value]) -> Node | None:
    product, bias = node.inputs
    maker = product.node
    fused_type = _FUSED.get(maker.type)
    if fused_type is None or product in wanted or maker.control or maker.guard != node.guard:
        return None
    if product.dtype.name not in _TYPES or bias.dims is None or len(bias.dims) != 1:
        return None
    if product.dims is None or bias.dims[0] is None or product.dims[-1] != bias.dims[0]:
        return None
    if len(product.dims) > 2 and not _on_last_axis(node, maker):
        return None
    for taker in takers[product]:
        if taker is not node and not (taker.type == "_SumLike" and taker.inputs[0] is not product):
            return None
    output = node.outputs[0]
    return new_node(fused_type, node, [*maker.inputs, bias], [(output.dtype, output.dims)], maker.attrs)


def _on_last_axis(*nodes: Node) -> bool:
    """Whether the channels are last to all of these."""
    return all(not node.attrs.get("data_format", "").startswith("NC") for node in nodes)
