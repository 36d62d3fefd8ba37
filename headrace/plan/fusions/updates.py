"""The updates of one optimizer step, one op a variable, become one multi-tensor op."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.dtypes import DType
from headrace.core.multiply_adds import matrix_product
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.train import keras_updates, multi_tensor_updates
from headrace.kernels.train.native_updates import updates_of_many
from headrace.plan.contraction import Together, in_a_circle, known_as
from headrace.plan.fusion import API, Fetches, Fusion, tensor, variable
from headrace.plan.ir import ADDITIONS, UNBOUND, Node, Value, input_positions, is_live, joined_control, new_node

_LISTS = "use_nesterov=False, use_locking=False, decay=0.0, T: type -> "
descent_many = op("_ApplyGradientDescentMany", f"alpha: T, var: N * ref T, delta: N * T, *, {_LISTS}", stateful=True)
descent_many.writes("var").on_host("alpha").advances().kernel(multi_tensor_updates.descent)

momentum_many = op(
    "_ApplyMomentumMany",
    f"lr: T, momentum: T, var: N * ref T, accum: N * ref T, grad: N * T, *, {_LISTS}",
    stateful=True,
)
momentum_many.writes("var", "accum").on_host("lr", "momentum").advances().kernel(multi_tensor_updates.momentum)

keras_many = op(
    "_ApplyKerasMomentumMany",
    f"lr: T, momentum: T, var: N * ref T, accum: N * ref T, grad: N * T, *, {_LISTS}",
    stateful=True,
)
keras_many.writes("var", "accum").on_host("lr", "momentum").advances().kernel(multi_tensor_updates.keras_momentum)

adagrad_many = op(
    "_ApplyAdagradMany", f"lr: T, var: N * ref T, accum: N * ref T, grad: N * T, *, {_LISTS}", stateful=True
)
adagrad_many.writes("var", "accum").on_host("lr").advances().kernel(multi_tensor_updates.adagrad)

adagrad_v2_many = op(
    "_ApplyAdagradV2Many",
    f"lr: T, epsilon: T, var: N * ref T, accum: N * ref T, grad: N * T, *, {_LISTS}",
    stateful=True,
)
adagrad_v2_many.writes("var", "accum").on_host("lr", "epsilon").advances().kernel(multi_tensor_updates.adagrad_v2)

rms_prop_many = op(
    "_ApplyRMSPropMany",
    "lr: T, rho: T, momentum: T, epsilon: T, var: N * ref T, ms: N * ref T, mom: N * ref T, grad: N * T, *, " + _LISTS,
    stateful=True,
)
rms_prop_many.writes("var", "ms", "mom").on_host("lr", "rho", "momentum", "epsilon").costs(3).advances()
rms_prop_many.kernel(keras_updates.rms_prop)

ada_max_many = op(
    "_ApplyAdaMaxMany",
    "beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, var: N * ref T, m: N * ref T, v: N * ref T, grad: N * T, *, "
    + _LISTS,
    stateful=True,
)
ada_max_many.writes("var", "m", "v").on_host("beta1_power", "lr", "beta1", "beta2", "epsilon").costs(3).advances()
ada_max_many.kernel(keras_updates.ada_max)

adadelta_many = op(
    "_ApplyAdadeltaMany",
    "lr: T, rho: T, epsilon: T, var: N * ref T, accum: N * ref T, accum_update: N * ref T, grad: N * T, *, " + _LISTS,
    stateful=True,
)
adadelta_many.writes("var", "accum", "accum_update").on_host("lr", "rho", "epsilon").costs(3).advances()
adadelta_many.kernel(keras_updates.adadelta)

adam_many = op(
    "_ApplyAdamMany",
    "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, "
    "var: N * ref T, m: N * ref T, v: N * ref T, grad: N * T, *, " + _LISTS,
    stateful=True,
)
adam_many.writes("var", "m", "v").costs(3).advances()
adam_many.on_host("beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon").kernel(multi_tensor_updates.adam)

descent_by_product = op(
    "_ApplyGradientDescentProduct",
    "alpha: T, var: ref T, a: T, b: T, *, transpose_a=False, transpose_b=False, use_locking=False, decay=0.0, "
    "T: {float, double} -> ",
    stateful=True,
)
descent_by_product.writes("var").on_host("alpha").work(matrix_product(left=2)).advances()
descent_by_product.kernel(multi_tensor_updates.descent_by_product)


class _Many(NamedTuple):
    """What updates of one kind become.

    Attributes:
        op_type: the fused op.
        lists: which inputs are lists in it, the gradients last; the others are shared by all.
        alone: whether the fused op is the faster one for a single variable too, if that has as many elements as
            `_ALONE_SIZE`.
    """

    op_type: str
    lists: tuple[int, ...]
    alone: bool = False


_KINDS = {
    prefix + name: many
    for name, many in {
        "GradientDescent": _Many("_ApplyGradientDescentMany", (0, 2)),
        "Momentum": _Many("_ApplyMomentumMany", (0, 1, 3), alone=True),
        "Adagrad": _Many("_ApplyAdagradMany", (0, 1, 3), alone=True),
        "AdagradV2": _Many("_ApplyAdagradV2Many", (0, 1, 4), alone=True),
        "RMSProp": _Many("_ApplyRMSPropMany", (0, 1, 2, 7)),
        "AdaMax": _Many("_ApplyAdaMaxMany", (0, 1, 2, 8)),
        "Adadelta": _Many("_ApplyAdadeltaMany", (0, 1, 2, 6)),
        "Adam": _Many("_ApplyAdamMany", (0, 1, 2, 9), alone=True),
    }.items()
    for prefix in ("Apply", "ResourceApply")
}
_KINDS["ResourceApplyKerasMomentum"] = _Many("_ApplyKerasMomentumMany", (0, 1, 3))
# An update of as many elements with momentum takes 4.8 microseconds in single calls and 2.5 in torch's multi-tensor kernel
# on a core of a virtual machine, Adam's 17 and 5; of fewer there is less to win.
_ALONE_SIZE = 10_000
# A variable of as many elements is updated by itself: as soon as its gradient is there and lies in the caches. What that is
# worth is told in `plan.advance`.
_LARGE_VARIABLE = 200_000
_TYPES = frozenset({"float32", "float64"})
_DESCENTS = frozenset({"ApplyGradientDescent", "ResourceApplyGradientDescent"})
_DECAYED = ADDITIONS | {"AddN"}
# From as many elements, and up to as many products summed for each, adding up in place beats oneDNN and a pass after it:
# 784 x 128 sums of 100 take 0.20 instead of 0.26 ms, 1024 x 1024 sums of 128 are even.
_LARGE_PRODUCT, _MAX_INNER = 32_768, 128


class _Group(NamedTuple):
    """What updates share that are done together."""

    op_type: str
    shared: tuple[Hashable, ...]
    flags: tuple[tuple[str, bool], ...]
    dtype: DType
    device: torch.device
    decay: float
    alone: Node | None


# For each update the gradient without decay, and the factor of the decay.
_Plain = dict[Node, tuple[Value, float]]


class _Decays:
    """Finds, for the updates of one plan, gradients of the form g + factor * variable.

    What weight decay adds to a gradient is left to the update, which goes over the variable anyway.

    Args:
        nodes: the nodes of the plan.
        fetched: the values that are asked for.
    """

    def __init__(self, nodes: Sequence[Node], fetched: Sequence[Value]) -> None:
        self._nodes = nodes
        self._fetched = set(fetched)
        # Of each variable how many nodes write it, and of each value how many take it: found out when first asked for.
        self._writers: dict[object, int] | None = None
        self._uses: dict[Value, int] = {}

    def split(self, variable: Value, gradient: Value) -> tuple[Value, float]:
        """What of `gradient` is not decay, and the factor of the decay, 0 where there is none.

        The factor must be a constant, and the sum must serve the update of `variable` only. Nothing else may write the
        variable: whenever the update reads it, it then reads what the decay was taken from.
        """
        total, buffer = gradient.node, variable.bound
        if not isinstance(buffer, VariableBuffer) or total.type not in _DECAYED:
            return gradient, 0.0
        if len(total.inputs) != 2 or total.control or gradient in self._fetched:
            return gradient, 0.0
        for term, rest in (total.inputs, reversed(total.inputs)):
            factor = _factor(term, buffer)
            if factor is None or rest.dims is None or rest.dims != term.dims or None in rest.dims:
                continue
            writers = self._counted()
            # Whoever writes through a reference made in the step may write anything.
            if self._uses[gradient] == 1 and writers.get(buffer) == 1 and UNBOUND not in writers:
                return rest, factor
        return gradient, 0.0

    def serves_only(self, gradient: Value) -> bool:
        """Whether nothing but one node takes `gradient`."""
        self._counted()
        return gradient not in self._fetched and self._uses[gradient] == 1

    def _counted(self) -> dict[object, int]:
        if self._writers is None:
            self._writers = {}
            for node in self._nodes:
                for value in node.inputs:
                    self._uses[value] = self._uses.get(value, 0) + 1
                if node.decl.writes_state:
                    for index in input_positions(node, node.decl.writes_state):
                        bound = node.inputs[index].bound
                        self._writers[bound] = self._writers.get(bound, 0) + 1
        return self._writers


def _factor(term: Value, variable: VariableBuffer) -> float | None:
    """The constant by which `term` multiplies what `variable` holds, if it is that."""
    node = term.node
    if node.type != "Mul" or node.control:
        return None
    for read, scale in (node.inputs, reversed(node.inputs)):
        if scale.constant is None or scale.constant.shape != ():
            continue
        reader = read.node
        if reader.decl.reads_variable and not reader.control and reader.inputs[0].bound is variable:
            return float(scale.constant)
    return None


def fuse_updates(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Groups the updates of one kind that share their hyperparameters and do not wait for one another.

    Gradients with a weight decay leave it to the update.
    """
    decays = _Decays(nodes, fetched)
    plain: _Plain = {}
    groups: dict[_Group, list[Node]] = {}
    for node in nodes:
        if node.type in _KINDS and _may_be_fused(node, keep):
            plain[node] = decays.split(node.inputs[0], _gradient(node))
            groups.setdefault(_group(node, plain[node][1]), []).append(node)
    products: dict[Node, Node] = {}
    for group, members in groups.items():
        if group.op_type in _DESCENTS:
            products |= _by_products(members, plain, decays)
            members[:] = [member for member in members if member not in products]
    groups = {group: members for group, members in groups.items() if _worthwhile(members, group)}
    every = [member for members in groups.values() for member in members]
    # Mostly no update depends on another.
    depend = len(_independent(nodes, every)) < len(every)
    if depend:
        groups = {group: _independent(nodes, members) for group, members in groups.items()}
    together = [(members, _fused(members, plain)) for group, members in groups.items() if _worthwhile(members, group)]
    together += [([member], fused) for member, fused in products.items()]
    while depend and (stuck := in_a_circle(nodes, together)) is not None:
        # Each group would have to run before the other: the members of one stay single.
        together.remove(stuck)
    return _replaced(nodes, together, keep, fetched) if together else (nodes, {})


def _may_be_fused(node: Node, keep: set[Node]) -> bool:
    if node in keep or node.guard or not node.attrs.get("update_slots", True):
        return False
    return _gradient(node).dtype.base_dtype.name in _TYPES


def _gradient(update: Node) -> Value:
    return update.inputs[_KINDS[update.type].lists[-1]]


def _group(node: Node, decay: float) -> _Group:
    lists, gradient = _KINDS[node.type].lists, _gradient(node)
    shared = tuple(known_as(value) for i, value in enumerate(node.inputs) if i not in lists)
    flags = tuple(sorted((k, v) for k, v in node.attrs.items() if isinstance(v, bool)))
    alone = node if _size(gradient) >= _LARGE_VARIABLE else None
    return _Group(node.type, shared, flags, gradient.dtype.base_dtype, node.device, decay, alone)


def _replaced(
    nodes: list[Node], together: list[Together], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """The nodes with the fused ones where the last of their members stood, and what stands for the members' outputs."""
    fused_of: dict[Node, Node] = {}
    replaced: dict[Value, Value] = {}
    last: dict[Node, Node] = {}
    for members, fused in together:
        for member in members:
            fused_of[member] = fused
            for output in member.outputs:
                # The result of an update is the variable itself; whoever reads it waits for the update.
                replaced[output] = member.inputs[0]
        last[members[-1]] = fused
    result = []
    for node in nodes:
        if node not in fused_of:
            result.append(node)
        elif node in last:
            result.append(last[node])
    for node in result:
        waits = {fused_of[value.node] for value in node.inputs if value in replaced}
        control = [fused_of.get(other, other) for other in node.control]
        if waits or any(other in fused_of for other in node.control):
            node.control = list(dict.fromkeys([*control, *(waits - {node})]))
    keep.update(fused_of[value.node] for value in fetched if value in replaced)
    return _sorted(result), replaced


def _by_products(members: list[Node], plain: _Plain, decays: _Decays) -> dict[Node, Node]:
    """For updates along a product of matrices, what takes the product off the variable as it is computed."""
    found: dict[Node, Node] = {}
    for member in members:
        gradient, decay = plain[member]
        if _is_large_product(gradient) and decays.serves_only(gradient):
            found[member] = _by_product(member, gradient.node, decay)
    return found


def _is_large_product(gradient: Value) -> bool:
    """Whether `gradient` is a product that takes less time when it is added up where the variable lies."""
    product = gradient.node
    if product.type != "MatMul" or product.guard or product.control or product.device.type != "cpu":
        return False
    if gradient.dims is None:
        return False
    left, dims = product.inputs[0].dims, gradient.dims
    if left is None or len(left) != 2 or len(dims) != 2 or None in dims:
        return False
    inner = left[0 if product.attrs["transpose_a"] else 1]
    if math.prod(size or 0 for size in dims) < _LARGE_PRODUCT or (inner or 0) > _MAX_INNER:
        return False
    # What is read from the variable itself must not change while it is written.
    return not any(map(is_live, product.inputs))


def _by_product(update: Node, product: Node, decay: float) -> Node:
    attrs = {"T": product.outputs[0].dtype.base_dtype, "decay": decay, "use_locking": update.attrs["use_locking"]}
    attrs.update((name, product.attrs[name]) for name in ("transpose_a", "transpose_b"))
    variable, rate, _ = update.inputs
    return new_node("_ApplyGradientDescentProduct", update, [rate, variable, *product.inputs], [], attrs)


def _worthwhile(members: list[Node], group: _Group) -> bool:
    if len(members) > 1 or group.decay:
        return bool(members)
    if not members or not _KINDS[group.op_type].alone:
        return False
    return _size(members[0].inputs[-1]) > _ALONE_SIZE


def _size(value: Value) -> int:
    """How many elements it has, 0 if that is not known."""
    return 0 if value.dims is None else math.prod(size or 0 for size in value.dims)


def _fused(members: list[Node], plain: _Plain) -> Node:
    first = members[0]
    fused_type, listed, _ = _KINDS[first.type]
    inputs = [value for i, value in enumerate(first.inputs) if i not in listed]
    for i in listed[:-1]:
        inputs.extend(member.inputs[i] for member in members)
    inputs.extend(plain[member][0] for member in members)
    attrs = {"N": len(members), "T": first.inputs[listed[-1]].dtype.base_dtype, "decay": plain[first][1]}
    attrs["use_nesterov"] = bool(first.attrs.get("use_nesterov", False))
    attrs["use_locking"] = first.attrs["use_locking"]
    fused = new_node(fused_type, first, inputs, [], attrs)
    fused.name = f"{first.name} and {len(members) - 1} more" if len(members) > 1 else first.name
    fused.members = tuple(member.name for member in members)
    fused.control = joined_control(*members)
    fused.serial = members[-1].serial
    return fused


def _independent(nodes: list[Node], members: list[Node]) -> list[Node]:
    """The members that do not depend on a member kept before them."""
    kept: list[Node] = []
    chosen = set(members)
    tainted: set[Node] = set()
    for node in nodes:
        depends = any(value.node in tainted for value in node.inputs) or any(c in tainted for c in node.control)
        if node in chosen and not depends:
            kept.append(node)
            tainted.add(node)
        elif depends:
            tainted.add(node)
    return kept


def _sorted(nodes: list[Node]) -> list[Node]:
    """Topological order again: a fused update stands where its last member stood."""
    done: set[Node] = set()
    here = set(nodes)
    ordered: list[Node] = []
    for root in nodes:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in done:
                stack.pop()
                continue
            before = [v.node for v in node.inputs if v.node in here and v.node not in done]
            before += [c for c in node.control if c in here and c not in done]
            if before:
                stack.extend(before)
            else:
                done.add(node)
                ordered.append(node)
                stack.pop()
    return ordered


fusion = Fusion(
    "do the updates of one optimizer step in one call, with weight decay, and a large product where the variable lies",
    fuse_updates,
    [_KINDS.keys()],
    makes=[
        *(descent_many, momentum_many, keras_many, adagrad_many, adagrad_v2_many, rms_prop_many),
        *(ada_max_many, adadelta_many, adam_many),
        descent_by_product,
    ],
)
_ROWS, _MATRIX, _BIAS = tensor("rows", 4), variable(4, 3), variable(3)


def _loss(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.reduce_mean(tf.square(tf.sin(tf.matmul(x, w)) + b))


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyGradientDescentMany"])
def descent(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.train.GradientDescentOptimizer(0.1).minimize(_loss(tf, x, w, b))


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyGradientDescentMany"])
def descent_with_weight_decay(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    decay = tf.nn.l2_loss(w) + tf.nn.l2_loss(b)
    return tf.train.GradientDescentOptimizer(0.1).minimize(_loss(tf, x, w, b) + 0.01 * decay)


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyMomentumMany"])
def momentum(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True).minimize(_loss(tf, x, w, b))


@fusion.example(_ROWS, makes=["_ApplyKerasMomentumMany"])
def keras_momentum(tf: API, x: Tensor) -> Fetches:
    ones = {"initializer": tf.ones_initializer(), "use_resource": True}
    w, b = tf.get_variable("w", [4, 3], **ones), tf.get_variable("b", [3], **ones)
    return tf.keras.optimizers.SGD(0.1, 0.9, nesterov=True).get_updates(_loss(tf, x, w, b), [w, b])


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyAdagradMany"])
def adagrad(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.train.AdagradOptimizer(0.1).minimize(_loss(tf, x, w, b))


@fusion.example(
    variable(4, 3), variable(3), variable(4, 3, low=0.1), variable(3, low=0.1), makes=["_ApplyAdagradV2Many"]
)
def adagrad_v2(tf: API, w: Tensor, b: Tensor, w_sum: Tensor, b_sum: Tensor) -> Fetches:
    apply = tf.raw_ops.ApplyAdagradV2
    return [apply(var=v, accum=a, lr=0.1, epsilon=1e-3, grad=tf.sin(v)) for v, a in ((w, w_sum), (b, b_sum))]


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyRMSPropMany"])
def rms_prop(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.train.RMSPropOptimizer(0.1, momentum=0.5).minimize(_loss(tf, x, w, b))


@fusion.example(_ROWS, makes=["_ApplyAdaMaxMany"])
def ada_max(tf: API, x: Tensor) -> Fetches:
    ones = {"initializer": tf.ones_initializer(), "use_resource": True}
    w, b = tf.get_variable("w", [4, 3], **ones), tf.get_variable("b", [3], **ones)
    return tf.keras.optimizers.Adamax(0.1).get_updates(_loss(tf, x, w, b), [w, b])


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyAdadeltaMany"])
def adadelta(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.train.AdadeltaOptimizer(0.5, rho=0.7, epsilon=1e-3).minimize(_loss(tf, x, w, b))


@fusion.example(_ROWS, _MATRIX, _BIAS, makes=["_ApplyAdamMany"])
def adam(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    return tf.train.AdamOptimizer(0.1).minimize(_loss(tf, x, w, b))


@fusion.example(tensor("rows", 256), variable(256, 128), makes=["_ApplyGradientDescentProduct"])
def descent_along_a_large_product(tf: API, x: Tensor, w: Tensor) -> Fetches:
    return tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.matmul(x, w)))


# ---- native instructions

descent_many.native(updates_of_many("apply_gradient_descent", 1, 1, (1, 0, 2)))
momentum_many.native(updates_of_many("apply_momentum", 2, 2, (2, 3, 0, 4, 1), "use_nesterov"))
keras_many.native(updates_of_many("apply_keras_momentum", 2, 2, (2, 3, 0, 4, 1), "use_nesterov"))
adam_many.native(updates_of_many("apply_adam", 6, 3, (6, 7, 8, 0, 1, 2, 3, 4, 5, 9), "use_nesterov"))
rms_prop_many.native(updates_of_many("apply_rmsprop", 4, 3, (4, 5, 6, 0, 1, 2, 3, 7)))

adagrad_many.native(updates_of_many("apply_adagrad", 1, 2, (1, 2, 0, 3), ints=[1]))
adagrad_v2_many.native(updates_of_many("apply_adagrad_v2", 2, 2, (2, 3, 0, 1, 4), ints=[1]))
