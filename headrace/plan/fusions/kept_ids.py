"""Ids of features on their way to an embedding: without the negative ones, with one for each empty row, each looked up once.

`safe_embedding_lookup_sparse` and linear models make that of nine operations: GreaterEqual, Where, two gathers,
SparseFillEmptyRows, and Unique beside a slice and a cast for the rows. Their outputs have sizes that only values tell.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import int32, int64
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.native.direct import directly
from headrace.plan.failures import FAILURES, as_op_error
from headrace.plan.fusion import API, CPU, Fetches, Fusion, tensor
from headrace.plan.ir import UNBOUND, Node, Value, consumers_of, new_node

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

kept_ids = op(
    "_KeptIds",
    "indices: int64, ids: int64, dense_shape: int64, default_value: int64 -> rows: int32, different: int64, places: int32, "
    "empty: bool",
)
kept_ids.not_differentiable()


@kept_ids.kernel
def kept_ids_kernel(node: NodeView) -> Kernel:
    """The rows of the ids that are kept, the different ones among these, which of them each is, and which rows had none."""
    # Each with what it took then: later passes put other values into nodes.
    steps: Sequence[tuple[Node, Sequence[Value]]] = node.notes["steps"]
    given: Sequence[Value] = node.notes["given"]
    wanted: Sequence[Value] = node.notes["wanted"]

    @functools.cache
    def kernels() -> list[Kernel]:
        return [kernel for step, _ in steps if (kernel := step.kernel()) is not None]

    def by_steps(*values: Any) -> tuple[Any, ...]:
        known = dict(zip(given, values, strict=True))
        for (step, taken), kernel in zip(steps, kernels(), strict=True):
            inputs = [known[value] if value.bound is UNBOUND else value.bound for value in taken]
            try:
                made = kernel(*inputs)
            except FAILURES as error:
                raise as_op_error(error, step) from None
            known.update(zip(step.outputs, made if len(step.outputs) > 1 else [made], strict=True))
        return tuple(known[value] for value in wanted)

    return directly("kept_ids", by_steps)


def fuse_kept_ids(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """What is asked of ids before they are looked up is asked at once."""
    consumers = consumers_of(nodes)
    fixed = keep.union(*(node.control for node in nodes))
    wanted = set(fetched)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        result.append(node)
        if node.type != "SparseFillEmptyRows":
            continue
        steps = _steps(node, consumers)
        if steps is None or any(step.control for step in steps):
            continue
        if any((step.guard, step.early) != (node.guard, node.early) for step in steps):
            continue
        # What finds the ids may serve others too: two models on one column, say. Then it stays.
        compared, _, _, gather, _, *late = steps
        outputs = [late[2].outputs[0], *late[3].outputs, node.outputs[2]]
        within = {value for step in late for value in step.outputs} - set(outputs)
        alone = all(taker in late for value in within for taker in consumers.get(value, ()))
        if not alone or not fixed.isdisjoint(late) or not wanted.isdisjoint(within):
            continue
        given = [gather.inputs[0], compared.inputs[0], *node.inputs[2:]]
        types = [(value.dtype, value.dims) for value in outputs]
        notes = {
            "steps": [(step, tuple(step.inputs)) for step in steps],
            "given": tuple(given),
            "wanted": tuple(outputs),
        }
        made = new_node("_KeptIds", node, given, types, notes=notes)
        result[-1] = made
        replaced.update(zip(outputs, made.outputs, strict=True))
    return result, replaced


def _steps(filled: Node, consumers: dict[Value, list[Node]]) -> list[Node] | None:
    """The nodes around a SparseFillEmptyRows in the order they run, the last two the rows and the different ids."""
    indices, values = (_gather_of_rows(value) for value in filled.inputs[:2])
    if indices is None or values is None or indices.inputs[1] is not values.inputs[1]:
        return None
    flat = indices.inputs[1].node
    where = flat.inputs[0].node if flat.type == "Reshape" and _is(flat, 1, [-1]) else None
    if where is None or where.type != "Where":
        return None
    compared = where.inputs[0].node
    ids = values.inputs[0]
    if compared.type != "GreaterEqual" or compared.inputs[0] is not ids or not _is(compared, 1, 0):
        return None
    if ids.dtype is not int64 or ids.dims is None or len(ids.dims) != 1 or len(indices.inputs[0].dims or ()) != 2:
        return None
    rows = _first_column(consumers.get(filled.outputs[0], []), consumers)
    unique = consumers.get(filled.outputs[1], [])
    if rows is None or len(unique) != 1 or unique[0].type != "Unique" or unique[0].outputs[1].dtype is not int32:
        return None
    return [compared, where, flat, indices, values, filled, *rows, unique[0]]


def _gather_of_rows(value: Value) -> Node | None:
    node = value.node
    if node.type != "GatherV2" or not _is(node, 2, 0) or node.attrs["batch_dims"]:
        return None
    return node


def _first_column(takers: Sequence[Node], consumers: dict[Value, list[Node]]) -> list[Node] | None:
    """The slice of the first column and its cast, if nothing else is asked of the index vectors."""
    if len(takers) != 1 or takers[0].type != "StridedSlice":
        return None
    column = takers[0]
    attrs = column.attrs
    masks = [attrs[f"{name}_mask"] for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")]
    casts = consumers.get(column.outputs[0], [])
    if masks != [1, 1, 0, 0, 2] or not (_is(column, 1, [0, 0]) and _is(column, 3, [1, 1])):
        return None
    if len(casts) != 1 or casts[0].type != "Cast" or casts[0].outputs[0].dtype is not int32:
        return None
    return [column, casts[0]]


def _is(node: Node, index: int, expected: Any) -> bool:
    constant = node.constant(index)
    return constant is not None and np.array_equal(constant, expected)


fusion = Fusion(
    "ask once what is kept of ids before they are looked up",
    fuse_kept_ids,
    [{"SparseFillEmptyRows"}, {"Where"}, {"Unique"}],
    makes=[kept_ids],
    devices={CPU},
)


@fusion.example(tensor("n", dtype="int32", low=-2, high=4), tensor("n", dtype="int32", low=0, high=7))
def sums_of_embeddings(tf: API, ids: Tensor, rows: Tensor) -> Fetches:
    indices = tf.cast(tf.stack([rows, tf.zeros_like(rows)], 1), tf.int64)
    sparse = tf.SparseTensor(indices, tf.cast(ids, tf.int64), tf.constant([8, 1], tf.int64))
    table = tf.reshape(tf.range(10.0), [5, 2])
    return tf.nn.safe_embedding_lookup_sparse([table], sparse, combiner="sum")
