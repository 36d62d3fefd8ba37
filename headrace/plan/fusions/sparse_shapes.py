"""Sparse tensors that are brought into the shape they have, as lookups of embeddings do with matrices."""

from __future__ import annotations

from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
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
            # Whether they fit each other is known then, or asked when it runs.
            if shape is wanted and _fit(indices, shape):
                replaced.update(zip(node.outputs, (indices, shape), strict=True))
                continue
        result.append(node)
    return result, replaced


def _fit(indices: Value, shape: Value) -> bool:
    if indices.dims is None or shape.dims is None or len(indices.dims) != 2 or len(shape.dims) != 1:
        return False
    return indices.dims[1] is not None and indices.dims[1] == shape.dims[0]


fusion = Fusion(
    "drop reshapes of sparse tensors into the shape they have",
    drop_sparse_reshapes,
    [{"SparseReshape"}],
)
_INDICES = tensor("n", 2, dtype="int32", low=0, high=4)


@fusion.example(_INDICES, tensor(2, dtype="int32", low=5, high=9))
def into_its_own_shape(tf: API, indices: Tensor, shape: Tensor) -> Fetches:
    shape = tf.cast(shape, tf.int64)
    return tf.raw_ops.SparseReshape(input_indices=tf.cast(indices, tf.int64), input_shape=shape, new_shape=shape)
