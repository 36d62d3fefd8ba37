"""A matrix product and the bias added to it are one kernel."""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node

_ADDITIONS = frozenset({"Add", "AddV2", "BiasAdd"})
_TYPES = frozenset({"float32", "float64"})


def fuse_bias(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """BiasAdd(MatMul(x, w), b) becomes `_MatMulBias(x, w, b)` where nothing else takes the product itself.

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
    matmul = product.node
    if matmul.type != "MatMul" or product in wanted or matmul.control or matmul.guard != node.guard:
        return None
    if product.dtype.name not in _TYPES or bias.dims is None or len(bias.dims) != 1:
        return None
    if product.dims is None or bias.dims[0] is None or product.dims[1] != bias.dims[0]:
        return None
    for taker in takers[product]:
        if taker is not node and not (taker.type == "_SumLike" and taker.inputs[0] is not product):
            return None
    output = node.outputs[0]
    attrs = {"transpose_a": matmul.attrs["transpose_a"], "transpose_b": matmul.attrs["transpose_b"]}
    return new_node("_MatMulBias", node, [*matmul.inputs, bias], [(output.dtype, output.dims)], attrs)
