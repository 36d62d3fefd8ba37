"""The updates of Keras' RMSprop and Nadam, a dozen ops a variable, become one multi-tensor op.

Both are written in 1.15 as arithmetic and assignments, where other optimizers have an op of their own.
"""

from __future__ import annotations

from typing import NamedTuple

from headrace.core.buffers import VariableBuffer
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.train import keras_updates
from headrace.plan.contraction import Together, all_replaced, in_a_circle, known_as, only_serve
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, UNBOUND, Node, Value, consumers_of, new_node

rms_prop_op = op(
    "_ApplyRMSPropByRootMany",
    "lr: T, rho: T, epsilon: T, var: N * ref T, ms: N * ref T, grad: N * T, *, T: {float, double} -> ",
    stateful=True,
)
rms_prop_op.writes("var", "ms").on_host("lr", "rho", "epsilon").costs(3).advances()
rms_prop_op.kernel(keras_updates.rms_prop_by_root)

_NADAM_NUMBERS = ("lr", "beta1", "beta2", "own", "own_left", "ahead", "ahead_left", "left", "epsilon")
nadam_op = op(
    "_ApplyNadamMany",
    f"{''.join(f'{name}: T, ' for name in _NADAM_NUMBERS)}"
    "var: N * ref T, m: N * ref T, v: N * ref T, grad: N * T, *, T: {float, double} -> ",
    stateful=True,
)
nadam_op.writes("var", "m", "v").on_host(*_NADAM_NUMBERS).costs(3).advances()
nadam_op.kernel(keras_updates.nadam)


_TYPES = frozenset({"float32", "float64"})


class _Step(NamedTuple):
    """The update of one variable.

    Attributes:
        op_type: the op that does it.
        shared: the numbers that it goes by.
        states: references to the variable and its slots.
        gradient: the gradient.
        members: the nodes that are one from now on, the assignment of the variable last.
    """

    op_type: str
    shared: tuple[Value, ...]
    states: tuple[Value, ...]
    gradient: Value
    members: tuple[Node, ...]


class _Match:
    """Collects the nodes of a pattern, and finds out that it is none.

    Args:
        consumers: of each value the nodes that take it.
    """

    def __init__(self, consumers: dict[Value, list[Node]]) -> None:
        self._consumers = consumers
        self.members: list[Node] = []

    def parts(self, value: Value, *types: str) -> list[Value]:
        """The inputs of the node that makes `value`, which must be of one of the types and wait for no branch.

        Raises:
            _NoMatch: if it is not.
        """
        node = value.node
        if node.type not in types or value.bound is not UNBOUND or node.guard:
            raise _NoMatch
        if node not in self.members:
            self.members.append(node)
        return node.inputs

    def scaled(self, value: Value) -> tuple[Value, Value]:
        """A number and what it is multiplied with.

        Raises:
            _NoMatch: if `value` is no such product.
        """
        left, right = self.parts(value, "Mul")
        return (self.number(left), right) if left.dims == () else (self.number(right), left)

    def number(self, value: Value) -> Value:
        """`value`, which must be a scalar.

        Raises:
            _NoMatch: if it is not.
        """
        if value.dims != ():
            raise _NoMatch
        return value

    def read(self, value: Value) -> Value:
        """The reference to the variable that `value` was read from.

        Raises:
            _NoMatch: if it was not read from any.
        """
        (reference,) = self.parts(value, "ReadVariableOp")
        if not isinstance(reference.bound, VariableBuffer):
            raise _NoMatch
        return reference

    def assigned(self, value: Value, reference: Value) -> None:
        """Takes in the assignment of `value` to a variable.

        Raises:
            _NoMatch: if there is none.
        """
        for node in self._consumers.get(value, ()):
            if node.type == "AssignVariableOp" and node.inputs[0].bound is reference.bound and node.inputs[1] is value:
                self.members.append(node)
                return
        raise _NoMatch

    def average(self, value: Value, squared: bool) -> tuple[Value, Value, Value]:
        """Of a moving average, a + b of rate * slot and (1 - rate) * gradient: the rate, the slot and the gradient.

        Raises:
            _NoMatch: if `value` is none, or is not what the slot gets.
        """
        kept, added = self.parts(value, *ADDITIONS)
        rate, before = self.scaled(kept)
        rest, gradient = self.scaled(added)
        if not _is_complement(rest, rate):
            raise _NoMatch
        if squared:
            (gradient,) = self.parts(gradient, "Square")
        slot = self.read(before)
        self.assigned(value, slot)
        return rate, slot, gradient


class _NoMatch(Exception):  # no error: it leaves a search
    """There is no pattern here."""


def fuse_keras_updates(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Updates of one kind that share their numbers become one; what anything else takes of them stays as it is."""
    consumers = consumers_of(nodes)
    wanted = set(fetched)
    groups: dict[tuple[object, ...], list[_Step]] = {}
    for node in nodes:
        step = _step(node, consumers) if node.type == "AssignVariableOp" and node not in keep else None
        if step is None or not _is_alone(step, consumers, keep, wanted):
            continue
        key = (step.op_type, *map(known_as, step.shared), step.gradient.dtype.base_dtype, node.device)
        groups.setdefault(key, []).append(step)
    together: list[Together] = [
        (list(dict.fromkeys(member for step in steps for member in step.members)), _fused(steps))
        for steps in groups.values()
    ]
    while together and (stuck := in_a_circle(nodes, together)) is not None:
        together.remove(stuck)
    return (all_replaced(nodes, together), {}) if together else (nodes, {})


def _step(assignment: Node, consumers: dict[Value, list[Node]]) -> _Step | None:
    """The update that ends with the assignment of a variable, None where it is another one."""
    variable, value = assignment.inputs
    if value.node.type != "Sub" or value.dtype.name not in _TYPES or assignment.guard:
        return None
    for find in (_rms_prop, _nadam):
        match = _Match(consumers)
        try:
            before, change = match.parts(value, "Sub")
            if match.read(before).bound is not variable.bound:
                return None
            along, by = match.parts(change, "RealDiv")
            rate, way = match.scaled(along)
            root, epsilon = match.parts(by, *ADDITIONS)
            (average,) = match.parts(root, "Sqrt")
            return find(match, assignment, rate, way, average, match.number(epsilon))
        except _NoMatch:
            continue
    return None


def _rms_prop(match: _Match, assignment: Node, rate: Value, way: Value, average: Value, epsilon: Value) -> _Step:
    """v - lr * g / (sqrt(ms) + epsilon)."""
    rho, squares, gradient = match.average(average, squared=True)
    if way is not gradient:
        raise _NoMatch
    states = (assignment.inputs[0], squares)
    return _Step("_ApplyRMSPropByRootMany", (rate, rho, epsilon), states, gradient, (*match.members, assignment))


def _nadam(match: _Match, assignment: Node, rate: Value, way: Value, average: Value, epsilon: Value) -> _Step:
    """v - lr * (own * g / own_left + ahead * m / ahead_left) / (sqrt(v / left) + epsilon)."""
    own_part, ahead_part = match.parts(way, *ADDITIONS)
    own, of_gradient = match.scaled(own_part)
    gradient, own_left = match.parts(of_gradient, "RealDiv")
    ahead, of_moment = match.scaled(ahead_part)
    moment, ahead_left = match.parts(of_moment, "RealDiv")
    second, left = match.parts(average, "RealDiv")
    beta1, m, first_gradient = match.average(moment, squared=False)
    beta2, v, second_gradient = match.average(second, squared=True)
    if first_gradient is not gradient or second_gradient is not gradient:
        raise _NoMatch
    numbers = (rate, beta1, beta2, own, match.number(own_left), ahead, match.number(ahead_left), match.number(left))
    states = (assignment.inputs[0], m, v)
    return _Step("_ApplyNadamMany", (*numbers, epsilon), states, gradient, (*match.members, assignment))


def _is_complement(rest: Value, rate: Value) -> bool:
    """Whether `rest` is 1 - `rate`."""
    if rest.constant is not None and rate.constant is not None:
        return abs(float(rest.constant) + float(rate.constant) - 1.0) < 1e-6
    node = rest.node
    return node.type == "Sub" and node.inputs[0].constant == 1 and known_as(node.inputs[1]) == known_as(rate)


def _is_alone(step: _Step, consumers: dict[Value, list[Node]], keep: set[Node], wanted: set[Value]) -> bool:
    """Whether nothing else takes what the members compute, and the gradient fits the variable."""
    dims = step.gradient.dims
    if dims is None or None in dims or any(state.bound.dims != dims for state in step.states):
        return False
    return only_serve(step.members, consumers, keep, wanted)


def _fused(steps: list[_Step]) -> Node:
    first, last = steps[0], steps[-1]
    inputs = [*first.shared]
    for states in zip(*(step.states for step in steps)):
        inputs.extend(states)
    inputs.extend(step.gradient for step in steps)
    attrs = {"N": len(steps), "T": first.gradient.dtype.base_dtype}
    fused = new_node(first.op_type, first.members[-1], inputs, [], attrs)
    assignments = [step.members[-1] for step in steps]
    fused.name = f"{fused.name} and {len(steps) - 1} more" if len(steps) > 1 else fused.name
    fused.members = tuple(node.name for node in assignments)
    members = {member for step in steps for member in step.members}
    waited = [other for step in steps for member in step.members for other in member.control]
    fused.control = [other for other in dict.fromkeys(waited) if other not in members]
    fused.serial = last.members[-1].serial
    return fused


fusion = Fusion(
    "do the updates of Keras' RMSprop and Nadam in one call",
    fuse_keras_updates,
    [{"AssignVariableOp"}, {"Sqrt"}, {"Square"}, {"RealDiv"}, {"Sub"}],
    makes=[rms_prop_op, nadam_op],
)
_ROWS = tensor("rows", 4)


def _trained(tf: API, x: Tensor, name: str) -> Fetches:
    ones = {"initializer": tf.ones_initializer(), "use_resource": True}
    w, b = tf.get_variable("w", [4, 3], **ones), tf.get_variable("b", [3], **ones)
    loss = tf.reduce_mean(tf.square(tf.sin(tf.matmul(x, w)) + b))
    return tf.group(*getattr(tf.keras.optimizers, name)(0.1).get_updates(loss, [w, b]))


@fusion.example(_ROWS, makes=["_ApplyRMSPropByRootMany"])
def rms_prop(tf: API, x: Tensor) -> Fetches:
    return _trained(tf, x, "RMSprop")


@fusion.example(_ROWS, makes=["_ApplyNadamMany"])
def nadam(tf: API, x: Tensor) -> Fetches:
    return _trained(tf, x, "Nadam")
