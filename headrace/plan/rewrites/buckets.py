"""Vocabularies with buckets: only words that the table does not have are hashed."""

from __future__ import annotations

from headrace.plan.ir import Node, Value, new_node

HASHES = frozenset({"StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong"})
_FINDS = frozenset({"LookupTableFind", "LookupTableFindV2"})


def fuse_buckets(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """The hash in SelectV2(NotEqual(found, missing), found, hash + size) is asked for where `found` is `missing`.

    It becomes one of `HASHES` with `OfMissing` behind its name, which comes right before the sum.
    """
    takers: dict[Value, list[Node]] = {}
    for node in nodes:
        for value in node.inputs:
            takers.setdefault(value, []).append(node)
    # Nodes that others wait for must stay who they are.
    fixed = keep.union(*(node.control for node in nodes))
    wanted = set(fetched)
    made: dict[Node, Node] = {}
    dropped: set[Node] = set()
    for node in nodes:
        parts = _parts(node)
        if parts is None:
            continue
        hashed, total, found, missing = parts
        alone = takers[hashed.outputs[0]] == [total] and takers[total.outputs[0]] == [node]
        if not alone or hashed in fixed or hashed.control or not wanted.isdisjoint((*hashed.outputs, *total.outputs)):
            continue
        output = hashed.outputs[0]
        new = new_node(
            f"_{hashed.type}OfMissing",
            hashed,
            [hashed.inputs[0], found, missing],
            [(output.dtype, output.dims)],
            hashed.attrs,
        )
        total.inputs = [new.outputs[0] if value is output else value for value in total.inputs]
        made[total] = new
        dropped.add(hashed)
    if not made:
        return nodes, {}
    result: list[Node] = []
    for node in nodes:
        if node in made:
            result.append(made[node])
        if node not in dropped:
            result.append(node)
    return result, {}


def _parts(node: Node) -> tuple[Node, Node, Value, Value] | None:
    """The hash, the sum, the ids that were found and the one that means none, if `node` chooses among them."""
    if node.type != "SelectV2":
        return None
    chooses, found, otherwise = node.inputs
    compared, total = chooses.node, otherwise.node
    if compared.type != "NotEqual" or found.node.type not in _FINDS or total.type not in ("Add", "AddV2"):
        return None
    if compared.inputs[0] is not found or compared.inputs[1].dims != ():
        return None
    hashed = next((value.node for value in total.inputs if value.node.type in HASHES), None)
    if hashed is None or len({one.guard for one in (node, compared, found.node, total, hashed)}) != 1:
        return None
    return hashed, total, found, compared.inputs[1]
