"""Shapes that a loop keeps on stacks for its gradient, where the gradient can do without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.core.planning_facts import Role
from headrace.core.tensor import Tensor
from headrace.plan.equal_sizes import EqualSizes, Shape
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Region, Value, without


class _Kept:
    """A stack that one loop pushes to, once an iteration, and another pops from, once an iteration."""

    __slots__ = ("pop", "popping", "push", "pushing", "stack")

    def __init__(self, stack: Node, pushing: Node, push: Node, popping: Node, pop: Node) -> None:
        self.stack = stack
        self.pushing, self.push = pushing, push
        self.popping, self.pop = popping, pop


def _kept(nodes: Sequence[Node], fetched: Iterable[Value]) -> list[_Kept]:
    """The stacks of these nodes of which everything is known that is done with them."""
    stacks = {node.outputs[0]: node for node in nodes if node.decl.role is Role.STACK}
    if not stacks:
        return []
    uses: dict[Value, list[tuple[Node, int]]] = {handle: [] for handle in stacks}
    for node in nodes:
        for i, value in enumerate(node.inputs):
            if value in uses:
                uses[value].append((node, i))
    wanted = set(fetched)
    # Of the loops that stacks go to, who takes each capture.
    consumers: dict[Node, dict[Value, list[Node]]] = {}
    found = []
    for handle, stack in stacks.items():
        pushes: list[tuple[Node, Node]] = []
        pops: list[tuple[Node, Node]] = []
        is_known = handle not in wanted
        for loop, position in uses[handle]:
            region = loop.region
            if region is None or position < len(region.variables):
                is_known = False
                break
            if loop not in consumers:
                consumers[loop] = _consumers_inside(region)
            capture = region.captures[position - len(region.variables)]
            for node in consumers[loop].get(capture, ()):
                role = node.decl.role
                (pushes if role is Role.STACK_PUSH else pops).append((loop, node))
                is_known = is_known and (role is Role.STACK_PUSH or role is Role.STACK_POP)
                is_known = is_known and not node.guard and not node.early
            is_known = is_known and capture not in region.results
        if is_known and len(pushes) == len(pops) == 1 and pushes[0][0] is not pops[0][0]:
            found.append(_Kept(stack, *pushes[0], *pops[0]))
    return found


def _consumers_inside(region: Region) -> dict[Value, list[Node]]:
    consumers: dict[Value, list[Node]] = {}
    for node in region.nodes:
        for value in node.inputs:
            consumers.setdefault(value, []).append(node)
        for pred, _ in node.guard:
            consumers.setdefault(pred, []).append(node)
    return consumers


def fuse_loop_shapes(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Reshape(Sum(g, BroadcastGradientArgs(sx, sy)), sx) in the gradient of a loop becomes g where nothing was broadcast.

    Elsewhere it costs little to find that out in each step. Here sx and sy come off stacks, to which the loop has pushed
    them in each iteration. Stacks whose values nobody takes then go.
    """
    kept = _kept(nodes, fetched)
    if not kept:
        return nodes, {}
    sizes: dict[Node, EqualSizes] = {}
    pushed = {entry.pop.outputs[0]: entry for entry in kept}
    for region in {entry.popping: entry.popping.region for entry in kept}.values():
        assert region is not None
        _drop_sums(region, pushed, sizes)
    unused = _unused(kept, keep)
    if not unused:
        return nodes, {}
    for loop in dict.fromkeys([loop for entry in unused for loop in (entry.pushing, entry.popping)]):
        _drop_captures(loop, {entry.stack.outputs[0] for entry in unused})
    for entry_loop, gone in _by_loop(unused).items():
        region = entry_loop.region
        assert region is not None
        region.nodes = _without(region.nodes, gone)
        region.waits = without(region.waits, gone)
    return _without(nodes, {entry.stack for entry in unused}), {}


def _drop_sums(region: Region, pushed: dict[Value, _Kept], sizes: dict[Node, EqualSizes]) -> None:
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
    region.nodes = _without(region.nodes, gone)


def _unchanged(node: Node, pushed: dict[Value, _Kept], sizes: dict[Node, EqualSizes]) -> Value | None:
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


def _shape(value: Value, pushed: dict[Value, _Kept], sizes: EqualSizes) -> Shape | None:
    """The shape that a vector of sizes says."""
    if value in pushed:
        value = pushed[value].push.inputs[1]
        if value.node.type == "Shape" and value.constant is None:
            return None if value.node.guard else sizes.of(value.node.inputs[0])
    return None if value.constant is None else sizes.numbers(value.constant.ravel().tolist())


def _unused(kept: list[_Kept], keep: set[Node]) -> list[_Kept]:
    """The stacks from which nothing is taken that is used."""
    used: set[Value] = set()
    for loop in {loop for entry in kept for loop in (entry.pushing, entry.popping)}:
        assert loop.region is not None
        used.update(loop.region.results)
        used.update(_consumers_inside(loop.region))
    return [
        entry
        for entry in kept
        if entry.pop.outputs[0] not in used and entry.push.outputs[0] not in used and entry.stack not in keep
    ]


def _by_loop(kept: list[_Kept]) -> dict[Node, set[Node]]:
    found: dict[Node, set[Node]] = {}
    for entry in kept:
        found.setdefault(entry.pushing, set()).add(entry.push)
        found.setdefault(entry.popping, set()).add(entry.pop)
    return found


def _drop_captures(loop: Node, handles: set[Value]) -> None:
    region = loop.region
    assert region is not None
    count = len(region.variables)
    left = [(o, i) for o, i in zip(loop.inputs[count:], region.captures, strict=True) if o not in handles]
    loop.inputs = [*loop.inputs[:count], *(outer for outer, _ in left)]
    region.captures = [inner for _, inner in left]


def _without(nodes: list[Node], gone: set[Node]) -> list[Node]:
    """The other nodes; who waited for one that is gone waits for what that waited for."""
    left = [node for node in nodes if node not in gone]
    for node in left:
        if node.control and not gone.isdisjoint(node.control):
            node.control = without(node.control, gone)
    return left


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
