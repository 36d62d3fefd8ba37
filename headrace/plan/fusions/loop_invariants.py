"""What is the same in all iterations of a loop: variables that it reads, and parts of them.

The loop reads them before it begins. Its gradient takes them from there: they need no stacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.handles import Handles, may_be_same
from headrace.plan.ir import UNBOUND, Node, Region, Value, regions
from headrace.plan.loop_stacks import KeptStack, drop_unused, kept_stacks
from headrace.plan.loops import capture_of, drop_unused_captures, topological

# Of a matrix that is the same in all iterations, these are too: views of it.
_VIEWS = frozenset({"Split", "StridedSlice"})


def take_out_invariants(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Reads of variables go before the loop, with the parts that are taken of them, and off the stacks."""
    handles = Handles(nodes)
    known = _touched_anyway(nodes, handles)
    moved = {
        loop: taken
        for loop, region in regions(nodes)
        if not loop.guard and (taken := _take_out(loop, region, handles, known))
    }
    for loop, taken in moved.items():
        _wait_for_writers(loop, taken, nodes, handles)
    if moved:
        nodes = topological([each for node in nodes for each in (*moved.get(node, ()), node)])
    kept = kept_stacks(nodes, fetched)
    for entry in kept:
        _take_from_outside(entry)
    _share(kept)
    for popping in dict.fromkeys(entry.popping for entry in kept):
        assert popping.region is not None
        popping.region.nodes = topological(popping.region.nodes)
    return drop_unused(nodes, kept, keep), {}


def _touched_anyway(nodes: Sequence[Node], handles: Handles) -> list[object]:
    """What leads to the variables that every step reads or writes outside of loops.

    A loop that does not run at all reads nothing: a variable without a value is to fail where it is read, not before.
    """
    found = []
    for node in nodes:
        if node.region is None and not node.guard:
            for index in {*node.decl.reads_state, *node.decl.writes_state}:
                if index < len(node.inputs):
                    found.append(handles.of(node.inputs[index]))
    return [handle for handle in found if handle is not UNBOUND]


def _take_out(loop: Node, region: Region, handles: Handles, known: Sequence[object]) -> list[Node]:
    """Takes the reads and their parts out of a loop; returns them."""
    count = len(region.variables)
    outer = dict(zip(region.captures, loop.inputs[count:], strict=True))
    runs = _is_true(region.predicate, dict(zip([*region.variables, *region.captures], loop.inputs, strict=True)))
    written = [handle for node in region.nodes for handle in handles.written_by(node)]
    taken: dict[Node, None] = {}
    reads: dict[int, Node] = {}
    again: dict[Value, Value] = {}
    for node in region.nodes:
        node.inputs = [again.get(value, value) for value in node.inputs]
        if node.guard or any(before not in taken for before in node.control):
            continue
        if node.type == "ReadVariableOp":
            handle = handles.of(node.inputs[0])
            is_read = handle is not UNBOUND and (runs or any(handle is other for other in known))
            is_same = is_read and not may_be_same(handle, written)
        else:
            is_same = node.type in _VIEWS and any(value.node in taken for value in node.inputs)
        if is_same and node.type == "ReadVariableOp" and reads.setdefault(id(handle), node) is not node:
            # All reads in a loop that does not write give the same.
            again[node.outputs[0]] = reads[id(handle)].outputs[0]
        elif is_same and all(v.node in taken or v in outer or v.bound is not UNBOUND for v in node.inputs):
            taken[node] = None
    if not taken:
        return []
    region.take_results([again.get(value, value) for value in region.results])
    gone = {value.node for value in again}
    region.waits = [node for node in region.waits if node not in gone]
    left = [node for node in region.nodes if node not in taken and node not in gone]
    used = {value for node in left for value in node.inputs}.union(region.results)
    standing: dict[Value, Value] = {}
    for node in taken:
        for value in node.outputs:
            if value in used:
                standing[value] = capture_of(loop, region, value)
    for node in left:
        node.inputs = [standing.get(value, value) for value in node.inputs]
        node.control = [before for before in node.control if before not in taken and before not in gone]
    region.take_results([standing.get(value, value) for value in region.results])
    region.waits = [node for node in region.waits if node not in taken]
    region.nodes = left
    # The handles of the variables may be such.
    drop_unused_captures(loop, region)
    made: list[Node] = []
    for node in taken:
        node.inputs = [_outside(value, outer, taken, made) for value in node.inputs]
        node.control = list(loop.control)
        node.early = False
        # They come when the loop begins: after what was written before it, however early the bodies were built.
        node.serial = loop.serial
        made.append(node)
    return made


def _wait_for_writers(loop: Node, taken: Sequence[Node], nodes: Sequence[Node], handles: Handles) -> None:
    """Lets reads that have left a loop come after the writes that the loop comes after."""
    writers = [(node, [*handles.written_by(node)]) for node in nodes if node is not loop]
    writers = [(node, written) for node, written in writers if written]
    if not writers:
        return
    before: set[Node] = set()
    stack = [loop]
    while stack:
        node = stack.pop()
        needed = {value.node for value in node.inputs}.union(node.control) - before
        before |= needed
        stack += needed
    for read in taken:
        if read.type == "ReadVariableOp":
            handle = handles.of(read.inputs[0])
            waits = [node for node, written in writers if node in before and may_be_same(handle, written)]
            read.control = list(dict.fromkeys([*read.control, *waits]))


_COMPARISONS: dict[str, np.ufunc] = {
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "NotEqual": np.not_equal,
}


def _is_true(asked: Value, first: Mapping[Value, Value]) -> bool:
    """Whether a loop's condition is known to hold the first time, given what its values are then."""

    def known(value: Value) -> np.ndarray | None:
        return value.constant if value.constant is not None or value not in first else first[value].constant

    if (constant := known(asked)) is not None:
        return bool(np.all(constant))
    node = asked.node
    if node.type == "LogicalAnd":
        return all(_is_true(value, first) for value in node.inputs)
    if node.type in ("Identity", "LoopCond"):
        return _is_true(node.inputs[0], first)
    if node.type not in _COMPARISONS or node.guard:
        return False
    one, other = (known(value) for value in node.inputs)
    return one is not None and other is not None and bool(np.all(_COMPARISONS[node.type](one, other)))


def _outside(value: Value, outer: dict[Value, Value], taken: dict[Node, None], made: list[Node]) -> Value:
    """What a value of the loop's inside is before the loop."""
    if value.node in taken:
        return value
    if value in outer:
        return outer[value]
    # A constant of the loop's inside, again.
    node = value.node
    copy = Node(node.decl, node.name, [], node.attrs, node.origin, node.runtime, node.device)
    copy.outputs = [Value(copy, index, out.dtype, out.dims) for index, out in enumerate(node.outputs)]
    for ours, theirs in zip(copy.outputs, node.outputs, strict=True):
        ours.bound, ours.constant = theirs.bound, theirs.constant
    made.append(copy)
    return copy.outputs[value.index]


def _take_from_outside(entry: KeptStack) -> None:
    """Lets the gradient take what is pushed from where the loop has it from."""
    pushing, popping = entry.pushing.region, entry.popping.region
    assert pushing is not None
    assert popping is not None
    pushed = entry.push.inputs[1]
    if pushed in pushing.captures and entry.pushing.guard == entry.popping.guard:
        outer = entry.pushing.inputs[len(pushing.variables) + pushing.captures.index(pushed)]
        _replace(popping, entry.pop.outputs[0], capture_of(entry.popping, popping, outer))


def _share(kept: Sequence[KeptStack]) -> None:
    """Lets what is pushed to several stacks come off one."""
    first: dict[tuple[Node, Node, Value], KeptStack] = {}
    for entry in kept:
        known = first.setdefault((entry.pushing, entry.popping, entry.push.inputs[1]), entry)
        if known is not entry and not entry.pop.control and not known.pop.control:
            assert entry.popping.region is not None
            _replace(entry.popping.region, entry.pop.outputs[0], known.pop.outputs[0])


def _replace(region: Region, value: Value, other: Value) -> None:
    for node in region.nodes:
        node.inputs = [other if given is value else given for given in node.inputs]
    region.take_results([other if given is value else given for given in region.results])


fusion = Fusion(
    "read variables before loops, whose gradients then need no stacks for them",
    take_out_invariants,
    [{"Enter", "_While"}, {"ReadVariableOp"}],
)


@fusion.example(tensor("rows", 3))
def weights_in_two_parts(tf: API, x: Tensor) -> Fetches:
    weights = tf.get_variable(
        "weights", [3, 6], use_resource=True, initializer=tf.random_uniform_initializer(-1, 1, seed=1)
    )

    def step(i: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        a, b = tf.split(weights, 2, axis=1)
        return i + 1, tf.tanh(tf.matmul(h, a)) * tf.matmul(h, b) + tf.matmul(h, weights[:, 2:5])

    y = tf.while_loop(lambda i, _: i < 3, step, [0, tf.matmul(x, weights[:, :3])])[1]
    return [y, *tf.gradients(y, [x, weights])]


@fusion.example(tensor("rows", 3))
def without_a_gradient(tf: API, x: Tensor) -> Fetches:
    weights = tf.get_variable(
        "weights", [3, 6], use_resource=True, initializer=tf.random_uniform_initializer(-1, 1, seed=1)
    )

    def step(i: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        a, b = tf.split(weights, 2, axis=1)
        return i + 1, tf.tanh(tf.matmul(h, a)) * tf.matmul(h, b)

    return tf.while_loop(lambda i, _: tf.logical_and(i < 3, i < tf.constant(5)), step, [0, x])[1]
