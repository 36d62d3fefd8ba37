"""The element-wise part of a long short-term memory, forward and backward, is one node each.

Zaremba et al., "Recurrent neural network regularization", arXiv:1409.2329: c = f c_before + i j and h = o tanh(c).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.native import applied
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.devices.vector_loops import tanh_in_place_of, tanh_of
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, Node, Value, new_node
from headrace.plan.loops import topological

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

_PARTS = "i: T, j: T, f: T, o: T, c: T, tc: T, h: T"
lstm_tail_op = op("_LSTMTail", f"gates: T, c_before: T, *, forget_bias=0.0, T: {{float, double}} -> {_PARTS}")
lstm_tail_op.not_differentiable().numpy_floats()


@lstm_tail_op.kernel
def lstm_tail_kernel(node: NodeView) -> Kernel:
    """From the gates [batch, 4 units] in the order i, j, f, o: their values, the memory, its tanh, the output."""
    bias = node.attrs["forget_bias"]
    sigmoid, mul, addcmul, chunk = torch.sigmoid, torch.mul, torch.addcmul, torch.chunk
    tanh = tanh_of(node)

    def tail(gates: torch.Tensor, c_before: torch.Tensor) -> tuple[torch.Tensor, ...]:
        i, j, f, o = chunk(gates, 4, 1)
        i, j, o = sigmoid(i), tanh(j), sigmoid(o)
        f = (f + bias).sigmoid_() if bias else sigmoid(f)
        c = addcmul(mul(i, j), c_before, f)
        tc = tanh(c)
        return i, j, f, o, c, tc, mul(tc, o)

    return tail


def _lstm_tail_in_place(node: NodeView, index: int) -> Kernel | None:
    """The values of the gates take the place of what they are computed from."""
    if index or node.inputs[0].dtype.torch is not torch.float32 or node.device.type != "cpu":
        return None
    bias, mul, chunk = node.attrs["forget_bias"], torch.mul, torch.chunk
    shift = torch.tensor(bias, dtype=torch.float32)
    tanh = tanh_of(node)
    tanh_into = tanh_in_place_of(node)

    def tail(gates: torch.Tensor, c_before: torch.Tensor) -> tuple[torch.Tensor, ...]:
        i, j, f, o = chunk(gates, 4, 1)
        i.sigmoid_()
        tanh_into(j)
        if bias:
            f.add_(shift)
        f.sigmoid_()
        o.sigmoid_()
        c = mul(i, j).addcmul_(c_before, f)
        tc = tanh(c)
        return i, j, f, o, c, tc, mul(tc, o)

    return tail


lstm_tail_op.reuses(_lstm_tail_in_place)
lstm_tail_grad_op = op(
    "_LSTMTailGrad",
    "dh: T, dc_after: T, i: T, j: T, f: T, o: T, c_before: T, tc: T, *, has_after=True, T: {float, double} "
    "-> gates: T, dc: T, c_before_grad: T",
)
lstm_tail_grad_op.never_fails().not_differentiable()


@lstm_tail_grad_op.kernel
def lstm_tail_grad_kernel(node: NodeView) -> Kernel:
    """The gradients of the gates and of the memory before, from those of the output and of the memory after."""
    mul, empty, chunk, has_after = torch.mul, torch.empty, torch.chunk, node.attrs["has_after"]
    sigmoid_into = torch.ops.aten.sigmoid_backward.grad_input
    tanh_into = torch.ops.aten.tanh_backward.grad_input

    def grad(
        dh: torch.Tensor,
        dc_after: torch.Tensor,
        i: torch.Tensor,
        j: torch.Tensor,
        f: torch.Tensor,
        o: torch.Tensor,
        c_before: torch.Tensor,
        tc: torch.Tensor,
    ) -> tuple[torch.Tensor, ...]:
        batch, units = i.shape
        gates = empty((batch, 4 * units), dtype=i.dtype, device=i.device)
        to_i, to_j, to_f, to_o = chunk(gates, 4, 1)
        dc = mul(dh, o)
        tanh_into(dc, tc, grad_input=dc)
        if has_after:
            dc += dc_after
        sigmoid_into(mul(dc, j), i, grad_input=to_i)
        tanh_into(mul(dc, i), j, grad_input=to_j)
        sigmoid_into(mul(dc, c_before), f, grad_input=to_f)
        sigmoid_into(mul(dh, tc), o, grad_input=to_o)
        return gates, dc, mul(dc, f)

    return grad


_TYPES = frozenset({"float32", "float64"})


def fuse_lstm(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """c = σ(f + b)·c' + σ(i)·tanh(j), h = σ(o)·tanh(c) from a Split in i, j, f, o, and the gradients of it."""
    consumers: dict[Value, list[Node]] = {}
    splits, joins = [], []
    for node in nodes:
        for value in node.inputs:
            consumers.setdefault(value, []).append(node)
        if node.type == "Split" and len(node.outputs) == 4:
            splits.append(node)
        elif node.type == "ConcatV2" and len(node.inputs) == 5:
            joins.append(node)
    if not splits and not joins:
        return nodes, {}
    replaced: dict[Value, Value] = {}
    added: list[Node] = []
    for node in splits:
        _match_forward(node, consumers, replaced, added)
    for node in joins:
        _match_backward(node, consumers, replaced, added)
    if not added:
        return nodes, {}
    for node in added:
        node.inputs = [replaced.get(value, value) for value in node.inputs]
    gone = {value.node for value in replaced}
    nodes = [node for node in nodes if node not in gone or not set(node.outputs) <= replaced.keys()]
    for node in nodes:
        node.inputs = [replaced.get(value, value) for value in node.inputs]
    return topological([*nodes, *added]), replaced


def _only(consumers: dict[Value, list[Node]], value: Value, op_types: frozenset[str] | set[str]) -> Node | None:
    """The one consumer of `value` that is of these types."""
    found = [node for node in consumers.get(value, ()) if node.type in op_types]
    return found[0] if len(found) == 1 and not found[0].control else None


def _other(node: Node, value: Value) -> Value | None:
    """The other input of a node of two inputs, one of which is `value`."""
    if len(node.inputs) != 2:
        return None
    first, second = node.inputs
    return second if first is value else first if second is value else None


def _match_forward(
    split: Node, consumers: dict[Value, list[Node]], replaced: dict[Value, Value], added: list[Node]
) -> None:
    gates = split.inputs[1]
    if gates.dtype.name not in _TYPES or gates.dims is None or len(gates.dims) != 2 or split.control:
        return
    axis = split.constant(0)
    if axis is None or int(axis) not in (1, -1) or gates.dims[1] is None:
        return
    i, j, f, o = split.outputs
    bias = 0.0
    shifted = _only(consumers, f, ADDITIONS)
    if shifted is not None:
        scalar = _other(shifted, f)
        if scalar is None or scalar.constant is None or scalar.constant.size != 1:
            return
        bias = float(scalar.constant.reshape(()))
        f = shifted.outputs[0]
    made = [
        _only(consumers, value, {kind}) for value, kind in ((i, "Sigmoid"), (j, "Tanh"), (f, "Sigmoid"), (o, "Sigmoid"))
    ]
    if any(node is None for node in made):
        return
    si, tj, sf, so = (node.outputs[0] for node in made if node is not None)
    new = next((n for n in consumers.get(si, ()) if n.type == "Mul" and _other(n, si) is tj and not n.control), None)
    if new is None:
        return
    for kept in (n for n in consumers.get(sf, ()) if n.type == "Mul" and not n.control):
        before = _other(kept, sf)
        total = next(
            (n for n in consumers.get(kept.outputs[0], ()) if n.type in ADDITIONS and new.outputs[0] in n.inputs), None
        )
        if before is None or total is None or total.control or _other(total, kept.outputs[0]) is not new.outputs[0]:
            continue
        c = total.outputs[0]
        bent = _only(consumers, c, {"Tanh"})
        if (
            bent is None
            or before.dims is None
            or len(before.dims) != 2
            or c.dims is None
            or before.dims[1] != c.dims[1]
        ):
            continue
        tc = bent.outputs[0]
        output = next((n for n in consumers.get(tc, ()) if n.type == "Mul" and _other(n, tc) is so), None)
        if output is None or output.control:
            continue
        if any(n.guard != split.guard for n in (kept, total, bent, output, new)):
            continue
        parts = [si, tj, sf, so, c, tc, output.outputs[0]]
        fused = new_node(
            "_LSTMTail", output, [gates, before], [(v.dtype, v.dims) for v in parts], {"forget_bias": bias}
        )
        fused.control = []
        fused.early = split.early
        for old, value in zip(parts, fused.outputs, strict=True):
            replaced[old] = value
        added.append(fused)
        return


def _match_backward(
    join: Node, consumers: dict[Value, list[Node]], replaced: dict[Value, Value], added: list[Node]
) -> None:
    axis = join.constant(4)
    if axis is None or int(axis) not in (1, -1) or join.control or join.outputs[0].dtype.name not in _TYPES:
        return
    grads = [value.node for value in join.inputs[:4]]
    kinds = ["SigmoidGrad", "TanhGrad", "SigmoidGrad", "SigmoidGrad"]
    if [node.type for node in grads] != kinds or any(node.control or node.guard != join.guard for node in grads):
        return
    i, j, f, o = (node.inputs[0] for node in grads)
    products = [node.inputs[1].node for node in grads]
    if any(node.type != "Mul" or node.control for node in products):
        return
    dc = _other(products[0], j)
    if dc is None or _other(products[1], i) is not dc:
        return
    before = _other(products[2], dc)
    if before is None or i.dims is None or len(i.dims) != 2 or before.dims is None or len(before.dims) != 2:
        return
    # dc is what comes back through tanh(c), and what the next step sends.
    terms = [dc] if dc.node.type == "TanhGrad" else list(dc.node.inputs)
    if dc.node.type not in {"TanhGrad", "AddN", *ADDITIONS} or len(terms) > 2 or dc.node.control:
        return
    for at, term in enumerate(terms):
        bent = term.node
        if bent.type != "TanhGrad" or bent.control or bent.inputs[1].node.type != "Mul":
            continue
        tc = bent.inputs[0]
        dh = _other(bent.inputs[1].node, o)
        if dh is None or _other(products[3], tc) is not dh:
            continue
        after = terms[1 - at] if len(terms) == 2 else dh
        if any(v.dims is None or len(v.dims) != 2 for v in (dh, after, tc)):
            continue
        like = [(v.dtype, v.dims) for v in (join.outputs[0], dc, before)]
        fused = new_node(
            "_LSTMTailGrad", join, [dh, after, i, j, f, o, before, tc], like, {"has_after": len(terms) == 2}
        )
        replaced[join.outputs[0]] = fused.outputs[0]
        replaced[dc] = fused.outputs[1]
        back = next(
            (n for n in consumers.get(dc, ()) if n.type == "Mul" and _other(n, dc) is f and n is not products[2]), None
        )
        if back is not None and not back.control:
            replaced[back.outputs[0]] = fused.outputs[2]
        added.append(fused)
        return


fusion = Fusion(
    "compute the element-wise part of a step of an LSTM in one call, forward and backward",
    fuse_lstm,
    [{"Split", "ConcatV2"}, {"Sigmoid", "SigmoidGrad"}],
    makes=[lstm_tail_op, lstm_tail_grad_op],
)


@fusion.example(tensor(2, 3, 4), tensor(9, 20), tensor(20))
def unrolled(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    state, outputs = (tf.zeros([2, 5]), tf.zeros([2, 5])), []
    for step in tf.unstack(x, axis=1):
        gates = tf.nn.bias_add(tf.matmul(tf.concat([step, state[1]], 1), w), b)
        i, j, f, o = tf.split(gates, 4, 1)
        c = state[0] * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        state = c, tf.tanh(c) * tf.sigmoid(o)
        outputs.append(tf.sin(state[1]))
    return [*outputs, *tf.gradients(tf.add_n(outputs), [x, w, b])]


@fusion.example(tensor(2, 3, 4), makes=["_LSTMTail"])
def in_a_loop(tf: API, x: Tensor) -> Fetches:
    with tf.variable_scope("cell", initializer=tf.constant_initializer(0.3)):
        return tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(5), x, dtype=tf.float32)[0]


# ---- native instructions

lstm_tail_op.native(lambda node: applied("lstm_pointwise", floats=[node.attrs["forget_bias"]]))
lstm_tail_grad_op.native(lambda node: applied("lstm_pointwise_grad", [int(node.attrs["has_after"])]))
