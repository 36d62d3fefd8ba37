"""Sparse tensors that are brought into the shape they have, as lookups of embeddings do with matrices."""

from __future__ import annotations

from headrace.plan.ir import Node, Value


def drop_sparse_reshapes(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """SparseReshape(indices, shape, shape) is the indices and the shape."""
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        if node.type == "SparseReshape" and not node.control and node not in keep:
            indices, shape, wanted = (replaced.get(value, value) for value in node.inputs)
            if shape is wanted and indices.dims is not None and len(indices.dims) == 2:
                replaced.update(zip(node.outputs, (indices, shape), strict=True))
                continue
        result.append(node)
    return result, replaced
