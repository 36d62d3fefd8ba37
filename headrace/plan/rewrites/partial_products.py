"""Products of which only some columns are used, and products that are added to a sum."""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node

_TYPES = frozenset({"float32", "float64"})
_ADDITIONS = frozenset({"Add", "AddV2"})


def fuse_partial_products(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Columns [k, k+n) of g·wᵀ are g·w[k:k+n]ᵀ, and s + xᵀ·g is one call.

    The first is what is left of the gradient of a cell's joined inputs when only the state wants one; the second how a
    loop sums the gradient of a weight.
    """
    takers: dict[Value, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            takers.setdefault(value, []).append(node)
    wanted = set(fetched)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        fused = None
        if node.type == "Slice" and node not in keep and not node.control:
            fused = _columns(node, takers, wanted)
        elif node.type in _ADDITIONS and node not in keep and not node.control:
            fused = _added(node, takers, wanted)
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _is_single(value: Value, node: Node, takers: dict[Value, list[Node]], wanted: set[Value]) -> bool:
    """Whether only `node` takes the product `value`, and both lie in the same branch."""
    maker = value.node
    return (
        maker.type == "MatMul"
        and value not in wanted
        and len(takers[value]) == 1
        and not maker.control
        and maker.guard == node.guard
        and value.dtype.name in _TYPES
    )


def _columns(node: Node, takers: dict[Value, list[Node]], wanted: set[Value]) -> Node | None:
    product = node.inputs[0]
    if not _is_single(product, node, takers, wanted):
        return None
    attrs = product.node.attrs
    begin, size = node.constant_dims(1), node.constant_dims(2)
    if attrs["transpose_a"] or not attrs["transpose_b"] or begin is None or size is None or begin[0] != 0:
        return None
    rows = None if product.dims is None else product.dims[0]
    if size[0] not in (-1, rows) or begin[1] is None or size[1] is None or size[1] < 0:
        return None
    output = node.outputs[0]
    return new_node(
        "_MatMulRows",
        node,
        list(product.node.inputs),
        [(output.dtype, (rows, size[1]))],
        {"begin": begin[1], "end": begin[1] + size[1]},
    )


def _added(node: Node, takers: dict[Value, list[Node]], wanted: set[Value]) -> Node | None:
    for index in (1, 0):
        product, total = node.inputs[index], node.inputs[1 - index]
        if not _is_single(product, node, takers, wanted) or total.dims is None or total.dims != product.dims:
            continue
        if None in total.dims or not product.node.attrs["transpose_a"] or product.node.attrs["transpose_b"]:
            continue
        output = node.outputs[0]
        return new_node("_MatMulAdd", node, [total, *product.node.inputs], [(output.dtype, output.dims)])
    return None
