"""Adam's update of a large variable of which a step uses some rows: its moments decay in place, and it changes by pieces.

1.15 writes it as m = m * beta1, v = v * beta2, sums of rows onto both, and var -= rate * m / (sqrt(v) + epsilon).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from headrace.core.buffers import VariableBuffer
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.train import adam_of_rows
from headrace.plan.contraction import Together, all_replaced, only_serve
from headrace.plan.fusion import API, CPU, Fetches, Fusion, tensor
from headrace.plan.ir import (
    ADDITIONS,
    READ_REFERENCE,
    UNBOUND,
    Node,
    Value,
    consumers_of,
    input_positions,
    joined_control,
    new_node,
)

decay_op = op("_Decay", "ref: ref T, by: T, *, T: {float, double} -> ", stateful=True)
decay_op.writes("ref").on_host("by")
decay_op.kernel(adam_of_rows.decay)

step_op = op("_StepByRoot", "var: ref T, rate: T, m: T, v: T, epsilon: T, *, T: {float, double} -> ", stateful=True)
step_op.writes("var").on_host("rate", "epsilon").costs(3)
step_op.kernel(adam_of_rows.step_by_root)

_READS = frozenset({READ_REFERENCE, "ReadVariableOp"})
_ASSIGNMENTS = frozenset({"Assign", "AssignVariableOp"})
_SUBTRACTIONS = frozenset({"AssignSub", "AssignSubVariableOp"})
_TYPES = frozenset({"float32", "float64"})
# What is smaller stays in the caches as it is, and goes into native regions.
_LARGE = 2**17


class _Found(NamedTuple):
    """A pattern: its nodes, the last of them what writes the variable, and what the node in their place is given."""

    members: list[Node]
    inputs: list[Value]


def fuse_adam_of_rows(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Products that a variable is assigned of itself become `_Decay`, and steps by roots `_StepByRoot`."""
    consumers, wanted = consumers_of(nodes), set(fetched)
    writers = _writers(nodes)
    together: list[Together] = []
    for node in nodes:
        if node.guard or not _is_large(node):
            continue
        found, made = None, "_Decay"
        if node.type in _ASSIGNMENTS:
            found = _decay(node, writers)
        elif node.type in _SUBTRACTIONS:
            found, made = _step(node), "_StepByRoot"
        if found is not None and only_serve(found.members, consumers, keep, wanted):
            together.append((found.members, _fused(made, found)))
    return (all_replaced(nodes, together), {}) if together else (nodes, {})


def _is_large(node: Node) -> bool:
    """Whether it writes a whole variable that is large, with a value of its shape."""
    if node.type not in _ASSIGNMENTS | _SUBTRACTIONS or node.device.type != "cpu":
        return False
    buffer, value = node.inputs[0].bound, node.inputs[1]
    if not isinstance(buffer, VariableBuffer) or value.dtype.name not in _TYPES:
        return False
    dims = buffer.dims
    return dims is not None and None not in dims and value.dims == dims and math.prod(map(int, dims)) >= _LARGE  # type: ignore[arg-type]  # all sizes are known


def _writers(nodes: Iterable[Node]) -> dict[object, list[Node]]:
    """Of each variable the nodes that write it."""
    writers: dict[object, list[Node]] = {}
    for node in nodes:
        for index in input_positions(node, node.decl.writes_state):
            writers.setdefault(node.inputs[index].bound, []).append(node)
    return writers


def _made_by(value: Value, *types: str) -> Node | None:
    node = value.node
    return node if node.type in types and value.bound is UNBOUND and not node.guard else None


def _scaled(value: Value) -> tuple[Node, Value, Value] | None:
    """A product with a number: its node, the number and what it multiplies."""
    node = _made_by(value, "Mul")
    if node is None:
        return None
    left, right = node.inputs
    if left.dims == ():
        return node, left, right
    return (node, right, left) if right.dims == () else None


def _waits_for(node: Node, other: Node) -> bool:
    """Whether `other` runs before `node` in any case."""
    ways, seen = [node], {node}
    while ways:
        at = ways.pop()
        for before in (*at.control, *(value.node for value in at.inputs if not value.is_given())):
            if before is other:
                return True
            if before not in seen:
                seen.add(before)
                ways.append(before)
    return False


def _decay(assignment: Node, writers: dict[object, list[Node]]) -> _Found | None:
    """A variable that is assigned itself times a number, before anything else writes it."""
    variable, value = assignment.inputs
    product = _scaled(value)
    if product is None:
        return None
    multiply, number, before = product
    read = _made_by(before, *_READS)
    if read is None or read.inputs[0].bound is not variable.bound:
        return None
    # It is read where it is written from now on. Whoever writes through a reference made in the step may write anything.
    others = [node for node in writers[variable.bound] if node is not assignment]
    if UNBOUND in writers or not all(_waits_for(node, assignment) for node in others):
        return None
    return _Found([read, multiply, assignment], [variable, number])


def _step(subtraction: Node) -> _Found | None:
    """A variable less rate * m / (sqrt(v) + epsilon)."""
    variable, change = subtraction.inputs
    divide = _made_by(change, "RealDiv")
    along = _scaled(divide.inputs[0]) if divide is not None else None
    add = _made_by(divide.inputs[1], *ADDITIONS) if divide is not None else None
    if divide is None or along is None or add is None or len(add.inputs) != 2:
        return None
    multiply, rate, m = along
    root = next((node for value in add.inputs if (node := _made_by(value, "Sqrt")) is not None), None)
    if root is None:
        return None
    epsilon = next((value for value in add.inputs if value.dims == ()), None)
    v = root.inputs[0]
    if epsilon is None or m.dims != change.dims or v.dims != change.dims:
        return None
    return _Found([multiply, root, add, divide, subtraction], [variable, rate, m, v, epsilon])


def _fused(op_type: str, found: _Found) -> Node:
    members = found.members
    fused = new_node(op_type, members[-1], found.inputs, [], {"T": found.inputs[1].dtype.base_dtype})
    fused.control = [other for other in joined_control(*members) if other not in members]
    return fused


fusion = Fusion(
    "let Adam's moments decay in place, and change a large variable of which a step uses some rows by pieces",
    fuse_adam_of_rows,
    [_ASSIGNMENTS, _SUBTRACTIONS, {"ScatterAdd", "ResourceScatterAdd"}, {"Sqrt"}, {"RealDiv"}],
    makes=[decay_op, step_op],
    devices={CPU},
)
_IDS = tensor(6, dtype="int32", low=0, high=99)


def _looked_up(tf: API, ids: Tensor, resource: bool) -> Fetches:
    settings = {"initializer": tf.ones_initializer(), "use_resource": resource}
    table, w = tf.get_variable("table", [100, 1400], **settings), tf.get_variable("w", [1400, 1], **settings)
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.embedding_lookup(table, ids), w) - 3.0))
    return tf.train.AdamOptimizer(0.1).minimize(loss)


@fusion.example(_IDS)
def rows_of_a_variable(tf: API, ids: Tensor) -> Fetches:
    return _looked_up(tf, ids, resource=False)


@fusion.example(_IDS)
def rows_of_a_resource(tf: API, ids: Tensor) -> Fetches:
    return _looked_up(tf, ids, resource=True)


@fusion.example(_IDS)
def rows_of_a_layer(tf: API, ids: Tensor) -> Fetches:
    embedding = tf.keras.layers.Embedding(100, 1400, embeddings_initializer="ones")
    loss = tf.reduce_mean(tf.square(embedding(ids) - 3.0))
    return tf.group(*tf.keras.optimizers.Adam(0.1).get_updates(loss, embedding.trainable_weights))
