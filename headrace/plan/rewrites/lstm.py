"""The element-wise part of a long short-term memory, forward and backward, is one node each."""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node
from headrace.plan.loops import topological

_ADDITIONS = frozenset({"Add", "AddV2"})
_TYPES = frozenset({"float32", "float64"})


def fuse_lstm(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """c = σ(f + b)·c' + σ(i)·tanh(j), h = σ(o)·tanh(c) from a Split in i, j, f, o, and the gradients of it."""
    takers: dict[Value, list[Node]] = {}
    splits, joins = [], []
    for node in nodes:
        for value in node.inputs:
            takers.setdefault(value, []).append(node)
        if node.type == "Split" and len(node.outputs) == 4:
            splits.append(node)
        elif node.type == "ConcatV2" and len(node.inputs) == 5:
            joins.append(node)
    if not splits and not joins:
        return nodes, {}
    replaced: dict[Value, Value] = {}
    added: list[Node] = []
    for node in splits:
        _match_forward(node, takers, replaced, added)
    for node in joins:
        _match_backward(node, takers, replaced, added)
    if not added:
        return nodes, {}
    for node in added:
        node.inputs = [replaced.get(value, value) for value in node.inputs]
    gone = {value.node for value in replaced}
    nodes = [node for node in nodes if node not in gone or not set(node.outputs) <= replaced.keys()]
    for node in nodes:
        node.inputs = [replaced.get(value, value) for value in node.inputs]
    return topological([*nodes, *added]), replaced


def _only(takers: dict[Value, list[Node]], value: Value, op_types: frozenset[str] | set[str]) -> Node | None:
    """The one taker of `value` that is of these types."""
    found = [node for node in takers.get(value, ()) if node.type in op_types]
    return found[0] if len(found) == 1 and not found[0].control else None


def _other(node: Node, value: Value) -> Value | None:
    """The other input of a node of two inputs, one of which is `value`."""
    if len(node.inputs) != 2:
        return None
    first, second = node.inputs
    return second if first is value else first if second is value else None


def _match_forward(
    split: Node, takers: dict[Value, list[Node]], replaced: dict[Value, Value], added: list[Node]
) -> None:
    gates = split.inputs[1]
    if gates.dtype.name not in _TYPES or gates.dims is None or len(gates.dims) != 2 or split.control:
        return
    axis = split.constant(0)
    if axis is None or int(axis) not in (1, -1) or gates.dims[1] is None:
        return
    i, j, f, o = split.outputs
    bias = 0.0
    shifted = _only(takers, f, _ADDITIONS)
    if shifted is not None:
        scalar = _other(shifted, f)
        if scalar is None or scalar.constant is None or scalar.constant.size != 1:
            return
        bias = float(scalar.constant.reshape(()))
        f = shifted.outputs[0]
    made = [
        _only(takers, value, {kind}) for value, kind in ((i, "Sigmoid"), (j, "Tanh"), (f, "Sigmoid"), (o, "Sigmoid"))
    ]
    if any(node is None for node in made):
        return
    si, tj, sf, so = (node.outputs[0] for node in made if node is not None)
    new = next((n for n in takers.get(si, ()) if n.type == "Mul" and _other(n, si) is tj and not n.control), None)
    if new is None:
        return
    for kept in (n for n in takers.get(sf, ()) if n.type == "Mul" and not n.control):
        before = _other(kept, sf)
        total = next(
            (n for n in takers.get(kept.outputs[0], ()) if n.type in _ADDITIONS and new.outputs[0] in n.inputs), None
        )
        if before is None or total is None or total.control or _other(total, kept.outputs[0]) is not new.outputs[0]:
            continue
        c = total.outputs[0]
        bent = _only(takers, c, {"Tanh"})
        if (
            bent is None
            or before.dims is None
            or len(before.dims) != 2
            or c.dims is None
            or before.dims[1] != c.dims[1]
        ):
            continue
        tc = bent.outputs[0]
        output = next((n for n in takers.get(tc, ()) if n.type == "Mul" and _other(n, tc) is so), None)
        if output is None or output.control:
            continue
        if any(n.guard != split.guard for n in (kept, total, bent, output, new)):
            continue
        parts = [si, tj, sf, so, c, tc, output.outputs[0]]
        fused = new_node(
            "_LSTMTail", output, [gates, before], [(v.dtype, v.dims) for v in parts], {"forget_bias": bias}
        )
        fused.control = []
        fused.early = split.early
        for old, value in zip(parts, fused.outputs, strict=True):
            replaced[old] = value
        added.append(fused)
        return


def _match_backward(
    join: Node, takers: dict[Value, list[Node]], replaced: dict[Value, Value], added: list[Node]
) -> None:
    axis = join.constant(4)
    if axis is None or int(axis) not in (1, -1) or join.control or join.outputs[0].dtype.name not in _TYPES:
        return
    grads = [value.node for value in join.inputs[:4]]
    kinds = ["SigmoidGrad", "TanhGrad", "SigmoidGrad", "SigmoidGrad"]
    if [node.type for node in grads] != kinds or any(node.control or node.guard != join.guard for node in grads):
        return
    i, j, f, o = (node.inputs[0] for node in grads)
    products = [node.inputs[1].node for node in grads]
    if any(node.type != "Mul" or node.control for node in products):
        return
    dc = _other(products[0], j)
    if dc is None or _other(products[1], i) is not dc:
        return
    before = _other(products[2], dc)
    if before is None or i.dims is None or len(i.dims) != 2 or before.dims is None or len(before.dims) != 2:
        return
    # dc is what comes back through tanh(c), and what the next step sends.
    terms = [dc] if dc.node.type == "TanhGrad" else list(dc.node.inputs)
    if dc.node.type not in {"TanhGrad", "AddN", *_ADDITIONS} or len(terms) > 2 or dc.node.control:
        return
    for at, term in enumerate(terms):
        bent = term.node
        if bent.type != "TanhGrad" or bent.control or bent.inputs[1].node.type != "Mul":
            continue
        tc = bent.inputs[0]
        dh = _other(bent.inputs[1].node, o)
        if dh is None or _other(products[3], tc) is not dh:
            continue
        after = terms[1 - at] if len(terms) == 2 else dh
        if any(v.dims is None or len(v.dims) != 2 for v in (dh, after, tc)):
            continue
        like = [(v.dtype, v.dims) for v in (join.outputs[0], dc, before)]
        fused = new_node(
            "_LSTMTailGrad", join, [dh, after, i, j, f, o, before, tc], like, {"has_after": len(terms) == 2}
        )
        replaced[join.outputs[0]] = fused.outputs[0]
        replaced[dc] = fused.outputs[1]
        back = next(
            (n for n in takers.get(dc, ()) if n.type == "Mul" and _other(n, dc) is f and n is not products[2]), None
        )
        if back is not None and not back.control:
            replaced[back.outputs[0]] = fused.outputs[2]
        added.append(fused)
        return
