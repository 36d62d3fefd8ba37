"""The updates of one optimizer step, one op a variable, become one multi-tensor op."""

from __future__ import annotations

import math
from typing import Any

from headrace.core.buffers import VariableBuffer
from headrace.plan.ir import Node, Value, is_live, new_node
from headrace.plan.rewrites.decay import Decays

# For each kind of update: the fused op, and which inputs are lists in it (the others are shared by all).
UPDATES: dict[str, tuple[str, tuple[int, ...]]] = {
    f"{form}{kind}": (f"_{kind}Many", lists)
    for kind, lists in {
        "ApplyGradientDescent": (0, 2),
        "ApplyMomentum": (0, 1, 3),
        "ApplyAdagrad": (0, 1, 3),
        "ApplyAdagradV2": (0, 1, 4),
        "ApplyRMSProp": (0, 1, 2, 7),
        "ApplyAdam": (0, 1, 2, 9),
    }.items()
    for form in ("", "Resource")
}
# The fused op of these is the faster one for a single variable too, if it has as many elements.
_ALONE = frozenset(
    f"{form}{kind}"
    for kind in ("ApplyAdam", "ApplyMomentum", "ApplyAdagrad", "ApplyAdagradV2")
    for form in ("", "Resource")
)
_ALONE_SIZE = 10_000
# A variable of as many elements is updated by itself: as soon as its gradient is there and lies in the caches.
_LARGE_VARIABLE = 200_000
_TYPES = frozenset({"float32", "float64"})
# Where the decay stands in what tells groups apart.
_DECAY = 5
_DESCENTS = frozenset({"ApplyGradientDescent", "ResourceApplyGradientDescent"})
# From as many elements, and up to as many products summed for each, adding up in place beats oneDNN and a pass after it:
# 784 x 128 sums of 100 take 0.20 instead of 0.26 ms, 1024 x 1024 sums of 128 are even.
_LARGE_PRODUCT, _LONGEST_INNER = 32_768, 128


def fuse_updates(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Groups the updates of one kind that share their hyperparameters and do not wait for one another.

    Gradients with a weight decay leave it to the update.
    """
    groups: dict[Any, list[Node]] = {}
    decays = Decays(nodes, fetched)
    plain: dict[Node, tuple[Value, float]] = {}
    for node in nodes:
        kind = UPDATES.get(node.type)
        if kind is None or node in keep or node.guard:
            continue
        if node.attrs["use_locking"] or not node.attrs.get("update_slots", True):
            continue
        gradient = node.inputs[kind[1][-1]]
        if gradient.dtype.base_dtype.name not in _TYPES:
            continue
        shared = tuple(_known_as(value) for i, value in enumerate(node.inputs) if i not in kind[1])
        flags = tuple(sorted((k, v) for k, v in node.attrs.items() if isinstance(v, bool)))
        plain[node] = decays.split(node.inputs[0], gradient)
        alone = node if _size(gradient) >= _LARGE_VARIABLE else None
        key = (node.type, shared, flags, gradient.dtype.base_dtype, node.device, plain[node][1], alone)
        groups.setdefault(key, []).append(node)
    products: dict[Node, Node] = {}
    for key, members in groups.items():
        if key[0] in _DESCENTS:
            products |= _by_products(members, plain, decays)
            members[:] = [member for member in members if member not in products]
    groups = {key: _independent(nodes, members) for key, members in groups.items() if _worthwhile(members, key[_DECAY])}
    groups = {key: members for key, members in groups.items() if _worthwhile(members, key[_DECAY])}
    if not groups and not products:
        return nodes, {}

    fused_of: dict[Node, Node] = {}
    replaced: dict[Value, Value] = {}
    last: dict[Node, Node] = {}
    together = [(members, _fused(members, plain)) for members in groups.values()]
    together += [([member], fused) for member, fused in products.items()]
    for members, fused in together:
        for member in members:
            fused_of[member] = fused
            for output in member.outputs:
                # The result of an update is the variable itself; whoever reads it waits for the update.
                replaced[output] = member.inputs[0]
        last[members[-1]] = fused
    readers = {value for value in fetched if value in replaced}
    result = []
    for node in nodes:
        waits = {fused_of[value.node] for value in node.inputs if value in replaced}
        control = [fused_of.get(other, other) for other in node.control]
        if waits or any(other in fused_of for other in node.control):
            node.control = list(dict.fromkeys([*control, *(waits - {node})]))
        if node in fused_of:
            if node in last:
                result.append(last[node])
            continue
        result.append(node)
    if readers:
        keep.update(fused_of[value.node] for value in readers)
    return _sorted(result), replaced


def _by_products(members: list[Node], plain: dict[Node, tuple[Value, float]], decays: Decays) -> dict[Node, Node]:
    """For updates along a product of matrices, what takes the product off the variable as it is computed."""
    found: dict[Node, Node] = {}
    for member in members:
        gradient, decay = plain[member]
        if _is_large_product(gradient) and decays.serves_only(gradient):
            found[member] = _by_product(member, gradient.node, decay)
    return found


def _is_large_product(gradient: Value) -> bool:
    """Whether `gradient` is a product that takes less time when it is added up where the variable lies."""
    product = gradient.node
    if product.type != "MatMul" or product.guard or product.control or product.device.type != "cpu":
        return False
    if gradient.dims is None:
        return False
    left, dims = product.inputs[0].dims, gradient.dims
    if left is None or len(left) != 2 or len(dims) != 2 or None in dims:
        return False
    inner = left[0 if product.attrs["transpose_a"] else 1]
    if math.prod(dims) < _LARGE_PRODUCT or (inner or 0) > _LONGEST_INNER:  # type: ignore[arg-type]  # none is None
        return False
    # What is read from the variable itself must not change while it is written.
    return not any(map(is_live, product.inputs))


def _by_product(update: Node, product: Node, decay: float) -> Node:
    attrs = {"T": product.outputs[0].dtype.base_dtype, "decay": decay}
    attrs.update((name, product.attrs[name]) for name in ("transpose_a", "transpose_b"))
    variable, rate, _ = update.inputs
    return new_node("_ApplyGradientDescentProduct", update, [rate, variable, *product.inputs], [], attrs)


def _known_as(value: Value) -> Any:
    """Equal for hyperparameters that are equal: each update of a resource variable reads and casts its own."""
    if value.constant is not None:
        return (value.dtype, value.constant.shape, value.constant.tobytes())
    node = value.node
    if not node.control:
        if node.type == "ReadVariableOp" and isinstance(node.inputs[0].bound, VariableBuffer):
            return (node.type, node.inputs[0].bound)
        if node.type == "Cast":
            return (node.type, value.dtype, _known_as(node.inputs[0]))
    return value


def _worthwhile(members: list[Node], decay: float) -> bool:
    if len(members) > 1 or decay:
        return bool(members)
    if not members or members[0].type not in _ALONE:
        return False
    return _size(members[0].inputs[-1]) > _ALONE_SIZE


def _size(value: Value) -> int:
    """How many elements it has, 0 if that is not known."""
    return 0 if value.dims is None else math.prod(size or 0 for size in value.dims)


def _fused(members: list[Node], plain: dict[Node, tuple[Value, float]]) -> Node:
    first = members[0]
    fused_type, listed = UPDATES[first.type]
    inputs = [value for i, value in enumerate(first.inputs) if i not in listed]
    for i in listed[:-1]:
        inputs.extend(member.inputs[i] for member in members)
    inputs.extend(plain[member][0] for member in members)
    attrs = {"N": len(members), "T": first.inputs[listed[-1]].dtype.base_dtype, "decay": plain[first][1]}
    attrs["use_nesterov"] = bool(first.attrs.get("use_nesterov", False))
    fused = new_node(fused_type, first, inputs, [], attrs)
    fused.name = f"{first.name} and {len(members) - 1} more" if len(members) > 1 else first.name
    fused.members = tuple(member.name for member in members)
    fused.control = list(dict.fromkeys(control for member in members for control in member.control))
    fused.serial = members[-1].serial
    return fused


def _independent(nodes: list[Node], members: list[Node]) -> list[Node]:
    """The members that do not depend on a member kept before them."""
    kept: list[Node] = []
    chosen = set(members)
    tainted: set[Node] = set()
    for node in nodes:
        depends = any(value.node in tainted for value in node.inputs) or any(c in tainted for c in node.control)
        if node in chosen and not depends:
            kept.append(node)
            tainted.add(node)
        elif depends:
            tainted.add(node)
    return kept


def _sorted(nodes: list[Node]) -> list[Node]:
    """Topological order again: a fused update stands where its last member stood."""
    done: set[Node] = set()
    here = set(nodes)
    ordered: list[Node] = []
    for root in nodes:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            before = [v.node for v in node.inputs if v.node in here and v.node not in done]
            before += [c for c in node.control if c in here and c not in done]
            if before:
                stack.extend(before)
            else:
                done.add(node)
                ordered.append(node)
                stack.pop()
    return ordered
