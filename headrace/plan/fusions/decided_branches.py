"""Branches that are decided while planning: what leads into them and out of them is the value itself.

The gradient of what a branch takes is the sum of those of both branches, of which the other gives zeros.
"""

from __future__ import annotations

from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node


def settle_branches(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Switch(x, true) becomes x, Merge of one branch what the branch gives, and AddN(Merge of zeros, x) becomes x."""
    replaced: dict[Value, Value] = {}
    merged: set[Value] = set()
    wanted = {value for node in nodes for value in node.inputs if value.index == 1} | set(fetched)
    result = []
    for node in nodes:
        if node in keep or node.control or (node.outputs and node.outputs[0].dtype.name == "bool"):
            # What decides branches itself is what their nodes' guards name.
            pass
        elif node.type == "Switch" and node.notes.get("guards") is False and not node.guard:
            # It was decided before guards were set, so that nothing of the other branch is left.
            taken = node.outputs[int(bool(node.inputs[1].constant))]
            replaced[taken] = replaced.get(node.inputs[0], node.inputs[0])
        elif node.type == "Merge" and not node.guard and node.outputs[1] not in wanted:
            live = node.notes.get("live", ())
            if len(live) == 1:
                replaced[node.outputs[0]] = replaced.get(node.inputs[live[0]], node.inputs[live[0]])
                merged.add(node.outputs[0])
        elif node.type == "AddN":
            node = _without_zeros(node, replaced, merged)
        result.append(node)
    return (result, replaced) if replaced else (nodes, {})


def _without_zeros(total: Node, replaced: dict[Value, Value], merged: set[Value]) -> Node:
    """A sum without the zeros of branches that are not taken; in `replaced` where one term is left."""
    left = [value for value in total.inputs if not (value in merged and _is_zeros(replaced[value]))]
    if len(left) == len(total.inputs) or not left:
        return total
    output = total.outputs[0]
    if len(left) == 1:
        replaced[output] = replaced.get(left[0], left[0])
        return total
    made = new_node("AddN", total, left, [(output.dtype, output.dims)], {"N": len(left), "T": total.attrs["T"]})
    replaced[output] = made.outputs[0]
    return made


def _is_zeros(value: Value) -> bool:
    node = value.node
    number = node.inputs[1].constant if node.type == "Fill" else None
    return node.type == "ZerosLike" or (number is not None and number.shape == () and number == 0)


fusion = Fusion(
    "leave out what leads into branches and out of them that are decided",
    settle_branches,
    [{"Switch", "Merge"}],
)


@fusion.example(tensor("rows", 3))
def always_taken(tf: API, x: Tensor) -> Fetches:
    z = tf.cond(tf.constant(True), lambda: tf.square(x), lambda: tf.sin(x))
    return z, tf.gradients(z, x)
