"""Rectifying after the largest values are picked: on a quarter of the elements, for the usual windows."""

from __future__ import annotations

from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, consumers_of, joined_control, new_node

_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
# These pass nothing back where the largest value of a window may be several. Smooth ones could make two values equal by
# rounding, and which of them the gradient goes to would change.
_GRADIENTS = {"Relu": "ReluGrad", "Relu6": "Relu6Grad"}
_SETTINGS = ("ksize", "strides", "padding", "data_format")


def fuse_pooled_relus(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """MaxPool(Relu(x)) becomes Relu(MaxPool(x)), and their gradients with them.

    Where the largest value of a window is positive, it is the same element either way; where it is not, the result is 0
    and no gradient passes. The bits do not change.
    """
    if not any(node.type == "MaxPool" and node.inputs[0].node.type in _GRADIENTS for node in nodes):
        return nodes, {}
    consumers = consumers_of(nodes)
    # Nodes that others wait for must stay who they are.
    fixed = keep.union(*(node.control for node in nodes))
    wanted = set(fetched)
    dropped: set[Node] = set()
    made: dict[Node, list[Node]] = {}
    replaced: dict[Value, Value] = {}
    for pool in nodes:
        if pool.type != "MaxPool" or pool in fixed:
            continue
        relu = pool.inputs[0].node
        pairs = _gradients(relu, pool, consumers, wanted, fixed)
        if pairs is None:
            continue
        largest = new_node(
            "MaxPool", pool, [relu.inputs[0]], [(relu.outputs[0].dtype, pool.outputs[0].dims)], pool.attrs
        )
        largest.control = joined_control(relu, pool)
        active = _same_type(relu, pool, [largest.outputs[0]], pool.outputs[0])
        made[pool] = [largest, active]
        replaced[pool.outputs[0]] = active.outputs[0]
        dropped.add(relu)
        for scattered, gated in pairs:
            passed = _same_type(gated, scattered, [scattered.inputs[2], active.outputs[0]], pool.outputs[0])
            sent = _same_type(
                scattered, gated, [relu.inputs[0], largest.outputs[0], passed.outputs[0]], gated.outputs[0]
            )
            made[gated] = [passed, sent]
            replaced[gated.outputs[0]] = sent.outputs[0]
            dropped.add(scattered)
    if not made:
        return nodes, {}
    result: list[Node] = []
    for node in nodes:
        if node not in dropped:
            result.extend(made.get(node, (node,)))
    # Among the new nodes, too, one may take what another stood for.
    return result, replaced


def _gradients(
    relu: Node, pool: Node, consumers: dict[Value, list[Node]], fetched: set[Value], fixed: set[Node]
) -> list[tuple[Node, Node]] | None:
    """The gradients of the pool, each with that of the relu which takes it; None if something else takes part."""
    gate = _GRADIENTS.get(relu.type)
    if gate is None or relu in fixed or relu.outputs[0] in fetched or relu.guard != pool.guard:
        return None
    channel = 1 if pool.attrs["data_format"] == "NCHW" else 3
    if relu.outputs[0].dtype.name not in _FLOATS or pool.attrs["ksize"][channel] != 1:
        return None
    pairs = []
    gates: set[Node] = set()
    for consumer in consumers[relu.outputs[0]]:
        if consumer.type == gate:
            gates.add(consumer)
        elif consumer.type == "MaxPoolGrad":
            if (
                consumer.inputs[0] is not relu.outputs[0]
                or consumer.inputs[1] is not pool.outputs[0]
                or consumer in fixed
            ):
                return None
            if any(consumer.attrs[key] != pool.attrs[key] for key in _SETTINGS):
                return None
            takes = consumers.get(consumer.outputs[0], [])
            if len(takes) != 1 or consumer.outputs[0] in fetched:
                return None
            gated = takes[0]
            if (
                gated.type != gate
                or gated.inputs[1] is not relu.outputs[0]
                or gated.inputs[0] is not consumer.outputs[0]
            ):
                return None
            if gated in fixed or gated.guard != consumer.guard:
                return None
            pairs.append((consumer, gated))
        elif consumer is not pool:
            return None
    return pairs if gates == {gated for _, gated in pairs} else None


def _same_type(node: Node, other: Node, inputs: list[Value], output: Value) -> Node:
    made = new_node(node.type, node, inputs, [(output.dtype, output.dims)], node.attrs)
    made.control = joined_control(node, other)
    return made


fusion = Fusion(
    "rectify after pooling instead of before, on fewer elements",
    fuse_pooled_relus,
    [{"MaxPool"}, _GRADIENTS.keys()],
)


@fusion.example(tensor("batch", 6, 5, 3))
def relu_and_gradient(tf: API, x: Tensor) -> Fetches:
    y = tf.nn.max_pool(tf.nn.relu(x), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    return [y, *tf.gradients(tf.sin(y), x)]


@fusion.example(tensor("batch", 6, 5, 3, high=9.0))
def relu6_and_gradient(tf: API, x: Tensor) -> Fetches:
    y = tf.nn.max_pool(tf.nn.relu6(x), [1, 3, 3, 1], [1, 2, 2, 1], "VALID")
    return [y, *tf.gradients(tf.sin(y), x)]
