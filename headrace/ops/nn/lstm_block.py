"""An LSTM in one op: a step (LSTMBlockCell) and a whole sequence (BlockLSTM, BlockLSTMV2).

Zaremba et al., "Recurrent neural network regularization", arXiv:1409.2329; peepholes: Gers and Schmidhuber, "Recurrent
nets that time and count", IJCNN 2000.

The gates lie in the order input, new memory (`ci`), forget, output; in V2 the forget gate is before the memory. Clipping
the memory does not change gradients, as in TensorFlow. 1.15 differentiates V2 by BlockLSTMGrad, as if its gates lay as in
the first version: programs of 1.15 that train by it depend on that, so the same is done here. BlockLSTMGradV2 has the right
order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims, merge_dim
from headrace.core.registry import op, raw
from headrace.devices.vector_loops import tanh_of
from headrace.kernels import composing
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_INPUTS = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T"
_STATES = "i: T, cs: T, f: T, o: T, ci: T, co: T"
_SETTINGS = "*, forget_bias=1.0, cell_clip=3.0, use_peephole=False, T: {half, float}"

lstm_block_cell_op = op("LSTMBlockCell", f"{_INPUTS}, {_SETTINGS} -> {_STATES}, h: T")
lstm_block_cell_grad_op = op(
    "LSTMBlockCellGrad",
    f"{_INPUTS}, {_STATES}, cs_grad: T, h_grad: T, *, use_peephole: bool, T: {{half, float}} "
    "-> cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T",
)
block_lstm_op = op("BlockLSTM", f"seq_len_max: int64, {_INPUTS}, {_SETTINGS} -> {_STATES}, h: T").on_host("seq_len_max")
_WHOLE_GRAD = (
    f"seq_len_max: int64, {_INPUTS}, {_STATES}, h: T, cs_grad: T, h_grad: T, *, use_peephole: bool, T: {{half, float}} "
    "-> x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T"
)
block_lstm_grad_op = op("BlockLSTMGrad", _WHOLE_GRAD).on_host("seq_len_max")
block_lstm_v2_op = op(
    "BlockLSTMV2",
    f"seq_len_max: int64, {_INPUTS}, *, cell_clip=0.0, use_peephole=False, T: {{half, float}} -> {_STATES}, h: T",
).on_host("seq_len_max")
block_lstm_grad_v2_op = op("BlockLSTMGradV2", _WHOLE_GRAD).on_host("seq_len_max")

# Where input gate, new memory, forget gate and output gate lie.
_ORDER, _ORDER_V2 = (0, 1, 2, 3), (0, 2, 1, 3)


def _state_dims(x: Dims, state: Dims) -> tuple[int | None, int | None]:
    """The batch size and the number of units."""
    return merge_dim(x[-2] if x else None, state[0] if state else None), state[1] if state else None


@lstm_block_cell_op.shape
def lstm_block_cell_shape(op):
    x, state = rank_is(op.inputs[0].dims, 2), rank_is(op.inputs[1].dims, 2)
    return [_state_dims(x, state)] * 7


@lstm_block_cell_grad_op.shape
def lstm_block_cell_grad_shape(op):
    batch, units = _state_dims(rank_is(op.inputs[0].dims, 2), rank_is(op.inputs[1].dims, 2))
    return [(batch, units), (batch, None if units is None else 4 * units), *[(units,)] * 3]


@block_lstm_op.shape
@block_lstm_v2_op.shape
def block_lstm_shape(op):
    x, b = rank_is(op.inputs[1].dims, 3), rank_is(op.inputs[8].dims, 1)
    units = None if b is None or b[0] is None else b[0] // 4
    return [(x[0] if x else None, x[1] if x else None, units)] * 7


@block_lstm_grad_op.shape
@block_lstm_grad_v2_op.shape
@ranked(None, 3, 2, 2, 2, 1, 1, 1, 1)
def block_lstm_grad_shape(op):
    ranks = (3, 2, 2, 2, 1, 1, 1, 1)
    return [rank_is(tensor.dims, rank) for tensor, rank in zip(op.inputs[1:9], ranks, strict=True)]


Tanh = Callable[[Any], Any]


def _in_order(gates: torch.Tensor, order: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:
    """Input gate, new memory, forget gate, output gate."""
    parts = gates.chunk(4, -1)
    return parts[0], parts[order[1]], parts[order[2]], parts[3]


def _step(
    gates: torch.Tensor,
    c_before: torch.Tensor,
    bias: float,
    clip: float,
    holes: tuple[Any, Any, Any] | None,
    tanh: Tanh,
    order: tuple[int, ...] = _ORDER,
) -> tuple[Any, ...]:
    """One step from the products, which it changes: i, cs, f, o, ci, co, h."""
    i, ci, f, o = _in_order(gates, order)
    if bias:
        f.add_(bias)
    ci = tanh(ci)
    if holes is None:
        gates.sigmoid_()
    else:
        i.addcmul_(c_before, holes[0]).sigmoid_()
        f.addcmul_(c_before, holes[1]).sigmoid_()
    cs = (f * c_before).addcmul_(i, ci)
    if clip > 0:
        cs.clamp_(-clip, clip)
    if holes is not None:
        o.addcmul_(cs, holes[2]).sigmoid_()
    co = tanh(cs)
    return i, cs, f, o, ci, co, o * co


@lstm_block_cell_op.kernel
def lstm_block_cell_kernel(node):
    bias, clip, tanh = node.attrs["forget_bias"], node.attrs["cell_clip"], tanh_of(node)
    peepholes = node.attrs["use_peephole"]

    def run(x, c_before, h_before, w, wci, wcf, wco, b):
        gates = torch.addmm(b, torch.cat((x, h_before), 1), w)
        return _step(gates, c_before, bias, clip, (wci, wcf, wco) if peepholes else None, tanh)

    return run


_tanh_backward = torch.ops.aten.tanh_backward.default
_tanh_into = torch.ops.aten.tanh_backward.grad_input
_sigmoid_into = torch.ops.aten.sigmoid_backward.grad_input


def _step_back(
    states: Sequence[torch.Tensor],
    c_before: torch.Tensor,
    c_grad: torch.Tensor,
    h_grad: torch.Tensor,
    holes: Sequence[torch.Tensor] | None,
    gates_grad: torch.Tensor,
    order: tuple[int, ...] = _ORDER,
) -> torch.Tensor:
    """Fills the gradient of the products; returns that of the memory before."""
    i, f, o, ci, co = states
    to_i, to_ci, to_f, to_o = _in_order(gates_grad, order)
    _sigmoid_into(h_grad * co, o, grad_input=to_o)
    memory = _tanh_backward(h_grad * o, co).add_(c_grad)
    if holes is not None:
        memory.addcmul_(to_o, holes[2])
    _sigmoid_into(memory * ci, i, grad_input=to_i)
    _tanh_into(memory * i, ci, grad_input=to_ci)
    _sigmoid_into(memory * c_before, f, grad_input=to_f)
    before = memory.mul_(f)
    if holes is not None:
        before.addcmul_(to_i, holes[0]).addcmul_(to_f, holes[1])
    return before


def _hole_gradients(
    gates_grad: torch.Tensor,
    c_before: torch.Tensor,
    c: torch.Tensor,
    wci: torch.Tensor,
    used: bool,
    order: tuple[int, ...] = _ORDER,
) -> list[Any]:
    """The gradients of the three peepholes, sums over all but the last axis."""
    if not used:
        return [torch.zeros_like(wci) for _ in range(3)]
    to_i, _, to_f, to_o = _in_order(gates_grad, order)
    axes = tuple(range(c.dim() - 1))
    return [(grad * seen).sum(axes) for grad, seen in ((to_i, c_before), (to_f, c_before), (to_o, c))]


@lstm_block_cell_grad_op.kernel
def lstm_block_cell_grad_kernel(node):
    peepholes = node.attrs["use_peephole"]

    def run(x, c_before, h_before, w, wci, wcf, wco, b, i, cs, f, o, ci, co, c_grad, h_grad):
        gates_grad = x.new_empty(x.shape[0], 4 * c_before.shape[1])
        holes = (wci, wcf, wco) if peepholes else None
        before = _step_back((i, f, o, ci, co), c_before, c_grad, h_grad, holes, gates_grad)
        return (before, gates_grad, *_hole_gradients(gates_grad, c_before, cs, wci, peepholes))

    return run


@block_lstm_op.kernel
def block_lstm_kernel(node):
    return _sequence(node, node.attrs["forget_bias"], _ORDER)


@block_lstm_v2_op.kernel
def block_lstm_v2_kernel(node):
    return _sequence(node, 0.0, _ORDER_V2)


def _sequence(node: NodeView, bias: float, order: tuple[int, ...]) -> Callable[..., Any]:
    clip, tanh = node.attrs["cell_clip"], tanh_of(node)
    peepholes = node.attrs["use_peephole"]

    def run(length, x, c, h, w, wci, wcf, wco, b):
        steps = min(int(length), x.shape[0])
        depth, units = x.shape[2], c.shape[1]
        holes = (wci, wcf, wco) if peepholes else None
        # The inputs' products do not wait for the states, so that they are one product.
        of_inputs = torch.addmm(b, x[:steps].reshape(-1, depth), w[:depth]).view(steps, x.shape[1], 4 * units)
        of_state = w[depth:]
        gates = x.new_zeros(x.shape[0], x.shape[1], 4 * units)
        memory, new, squashed, outputs = (x.new_zeros(x.shape[0], x.shape[1], units) for _ in range(4))
        for t in range(steps):
            # Into memory of its own: adding a product in place takes twice the time.
            step = torch.addmm(of_inputs[t], h, of_state, out=gates[t])
            _, c, _, _, ci, co, h = _step(step, c, bias, clip, holes, tanh, order)
            memory[t], new[t], squashed[t], outputs[t] = c, ci, co, h
        i, _, f, o = _in_order(gates, order)
        return i, memory, f, o, new, squashed, outputs

    return run


@block_lstm_grad_op.kernel
def block_lstm_grad_kernel(node):
    return _sequence_back(node, _ORDER)


@block_lstm_grad_v2_op.kernel
def block_lstm_grad_v2_kernel(node):
    return _sequence_back(node, _ORDER_V2)


def _sequence_back(node: NodeView, order: tuple[int, ...]) -> Callable[..., Any]:
    peepholes = node.attrs["use_peephole"]

    def run(length, x, c_first, h_first, w, wci, wcf, wco, b, i, cs, f, o, ci, co, h, c_grad, h_grad):
        steps = min(int(length), x.shape[0])
        depth, units = x.shape[2], c_first.shape[1]
        holes = (wci, wcf, wco) if peepholes else None
        before = torch.cat((c_first.unsqueeze(0), cs[: max(steps - 1, 0)]))[:steps]
        back = x.new_zeros(x.shape[0], x.shape[1], 4 * units)
        memory, output = torch.zeros_like(c_first), torch.zeros_like(h_first)
        to_state = w[depth:].t()
        for t in range(steps - 1, -1, -1):
            states = (i[t], f[t], o[t], ci[t], co[t])
            memory = _step_back(states, before[t], c_grad[t] + memory, h_grad[t] + output, holes, back[t], order)
            output = back[t] @ to_state
        flat = back.view(-1, 4 * units)
        x_grad = (flat @ w[:depth].t()).view(x.shape)
        used = back[:steps].reshape(-1, 4 * units)
        h_before = torch.cat((h_first.unsqueeze(0), h[: max(steps - 1, 0)]))[:steps]
        w_grad = torch.cat((x[:steps].reshape(-1, depth).t() @ used, h_before.reshape(-1, units).t() @ used))
        of_holes = _hole_gradients(back[:steps], before, cs[:steps], wci, peepholes, order)
        return (x_grad, memory, output, w_grad, *of_holes, used.sum(0))

    return run


@lstm_block_cell_op.gradient
def lstm_block_cell_gradient(op, *grads):
    x, c_before, h_before, w = op.inputs[:4]
    i, cs, f, o, ci, co, _ = op.outputs
    depth, units = x.dims[1] if x.dims else None, c_before.dims[1] if c_before.dims else None
    if depth is None or units is None:
        raise ValueError("LSTMBlockCell: the sizes of the inputs and of the state must be known for its gradient.")
    before, gates, *holes = raw.LSTMBlockCellGrad(
        *op.inputs, i, cs, f, o, ci, co, grads[1], grads[6], use_peephole=op.attrs["use_peephole"]
    )
    both = raw.MatMul(gates, w, transpose_b=True)
    batch = -1 if x.dims[0] is None else x.dims[0]
    return [
        raw.Slice(both, [0, 0], [batch, depth]),
        before,
        raw.Slice(both, [0, depth], [batch, units]),
        raw.MatMul(composing.concat([x, h_before], 1), gates, transpose_a=True),
        *holes,
        raw.BiasAddGrad(gates),
    ]


@block_lstm_op.gradient
@block_lstm_v2_op.gradient
def block_lstm_gradient(op, *grads):
    back = raw.BlockLSTMGrad(*op.inputs, *op.outputs, grads[1], grads[6], use_peephole=op.attrs["use_peephole"])
    return [None, *back]


lstm_block_cell_op.accepts([2, 3], [2, 4], [2, 4], [7, 16], [4], [4], [4], [16], use_peephole=True)

_STATE, _HOLE, _STEPS = [2, 2], [2], [3, 2, 2]
_WEIGHTS = ([4, 8], _HOLE, _HOLE, _HOLE, [8])
for _peephole in (False, True):
    _inputs = ([2, 2], _STATE, _STATE, *_WEIGHTS)
    lstm_block_cell_grad_op.accepts(*_inputs, *[_STATE] * 8, use_peephole=_peephole)
    for _length, _varies in ((3, None), (2, "1.15 leaves the gates after the last step unset")):
        _whole = (np.int64(_length), _STEPS, _STATE, _STATE, *_WEIGHTS)
        block_lstm_op.accepts(*_whole, use_peephole=_peephole, cell_clip=0.5, varies=_varies)
        block_lstm_v2_op.accepts(*_whole, use_peephole=_peephole, varies=_varies)
        for _decl in (block_lstm_grad_op, block_lstm_grad_v2_op):
            _decl.accepts(*_whole, *[_STEPS] * 9, use_peephole=_peephole)
