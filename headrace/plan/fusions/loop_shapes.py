"""Shapes that a loop keeps on stacks for its gradient, where the gradient can do without them."""

from __future__ import annotations

from headrace.core.tensor import Tensor
from headrace.plan.equal_sizes import EqualSizes, Shape
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Region, Value
from headrace.plan.loop_stacks import KeptStack, drop_unused, kept_stacks, without_nodes


def fuse_loop_shapes(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Reshape(Sum(g, BroadcastGradientArgs(sx, sy)), sx) in the gradient of a loop becomes g where nothing was broadcast.

    Elsewhere it costs little to find that out in each step. Here sx and sy come off stacks, to which the loop has pushed
    them in each iteration. Stacks whose values nobody takes then go.
    """
    kept = kept_stacks(nodes, fetched)
    if not kept:
        return nodes, {}
    sizes: dict[Node, EqualSizes] = {}
    pushed = {entry.pop.outputs[0]: entry for entry in kept}
    for region in {entry.popping: entry.popping.region for entry in kept}.values():
        assert region is not None
        _drop_sums(region, pushed, sizes)
    return drop_unused(nodes, kept, keep), {}


def _drop_sums(region: Region, pushed: dict[Value, KeptStack], sizes: dict[Node, EqualSizes]) -> None:
    """Takes out the sums that do nothing, with what served them only."""
    replaced: dict[Value, Value] = {}
    gone: set[Node] = set()
    for node in region.nodes:
        gradient = _unchanged(node, pushed, sizes) if node.type == "Reshape" else None
        if gradient is not None:
            replaced[node.outputs[0]] = replaced.get(gradient, gradient)
            gone.add(node)
    if not replaced:
        return
    for node in region.nodes:
        node.inputs = [replaced.get(value, value) for value in node.inputs]
    region.take_results([replaced.get(value, value) for value in region.results])
    for _ in range(2):
        # The Sum goes with the Reshape, and with the last Sum goes what says along which axes.
        used = set(region.results)
        for node in region.nodes:
            if node not in gone:
                used.update(node.inputs)
        before = {value.node for node in gone for value in node.inputs}
        gone.update(n for n in before if n.type in ("Sum", "BroadcastGradientArgs") and used.isdisjoint(n.outputs))
    region.nodes = without_nodes(region.nodes, gone)


def _unchanged(node: Node, pushed: dict[Value, KeptStack], sizes: dict[Node, EqualSizes]) -> Value | None:
    """The gradient that a Reshape of a Sum hands on as it is."""
    total = node.inputs[0].node
    if total.type != "Sum" or total.attrs["keep_dims"] or total.control or node.control:
        return None
    axes = total.inputs[1].node
    if axes.type != "BroadcastGradientArgs" or axes.inputs[total.inputs[1].index] is not node.inputs[1]:
        return None
    here, other = node.inputs[1], axes.inputs[1 - total.inputs[1].index]
    loops = {pushed[value].pushing for value in (here, other) if value in pushed}
    if len(loops) != 1:
        return None
    loop = loops.pop()
    known = sizes.get(loop)
    if known is None:
        known = sizes[loop] = EqualSizes(loop)
    ours, theirs = _shape(here, pushed, known), _shape(other, pushed, known)
    return total.inputs[0] if known.keeps_its_shape(ours, theirs) else None


def _shape(value: Value, pushed: dict[Value, KeptStack], sizes: EqualSizes) -> Shape | None:
    """The shape that a vector of sizes says."""
    if value in pushed:
        value = pushed[value].push.inputs[1]
        if value.node.type == "Shape" and value.constant is None:
            return None if value.node.guard else sizes.of(value.node.inputs[0])
    return None if value.constant is None else sizes.numbers(value.constant.ravel().tolist())


fusion = Fusion(
    "drop shapes that a loop keeps on stacks for its gradient, where nothing was broadcast",
    fuse_loop_shapes,
    [{"StackV2", "Stack"}, {"BroadcastGradientArgs"}],
)


@fusion.example(tensor("rows", 2))
def product_of_equal_shapes(tf: API, x: Tensor) -> Fetches:
    y = tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, tf.tanh(s) * tf.sigmoid(s)), [0, x])[1]
    return [y, *tf.gradients(y, x)]


@fusion.example(tensor("rows", 2), tensor("rows", 2))
def state_and_a_sum(tf: API, x: Tensor, y: Tensor) -> Fetches:
    def step(i: Tensor, s: Tensor, total: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return i + 1, tf.sin(s), total * tf.cos(s) + total

    ends = tf.while_loop(lambda i, s, total: i < 4, step, [0, x, x])[1:]
    return tf.gradients([ends[0], ends[1] * y], [x, y])
