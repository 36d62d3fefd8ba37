"""A gated recurrent unit's step in one op: Cho et al., arXiv:1406.1078, with the reset gate before the product."""

from __future__ import annotations

import torch

from headrace.core.dims import merge_dim
from headrace.core.registry import op, raw
from headrace.devices.vector_loops import tanh_of
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.composing import concat

_INPUTS = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T"

gru_block_cell_op = op("GRUBlockCell", f"{_INPUTS}, *, T: {{float}} -> r: T, u: T, c: T, h: T")
gru_block_cell_grad_op = op(
    "GRUBlockCellGrad",
    f"{_INPUTS}, r: T, u: T, c: T, d_h: T, *, T: {{float}} -> d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
)


def _state_dims(op):
    x, state = rank_is(op.inputs[0].dims, 2), rank_is(op.inputs[1].dims, 2)
    return merge_dim(x[0] if x else None, state[0] if state else None), state[1] if state else None


@gru_block_cell_op.shape
def gru_block_cell_shape(op):
    return [_state_dims(op)] * 4


@gru_block_cell_grad_op.shape
def gru_block_cell_grad_shape(op):
    batch, units = _state_dims(op)
    both = (batch, None if units is None else 2 * units)
    return [op.inputs[0].dims, (batch, units), (batch, units), both]


@gru_block_cell_op.kernel
def gru_block_cell_kernel(node):
    tanh = tanh_of(node)

    def run(x, before, w_ru, w_c, b_ru, b_c):
        r, u = torch.addmm(b_ru, torch.cat((x, before), 1), w_ru).sigmoid_().chunk(2, 1)
        c = tanh(torch.addmm(b_c, torch.cat((x, before * r), 1), w_c))
        return r, u, c, torch.lerp(c, before, u)

    return run


@gru_block_cell_grad_op.kernel
def gru_block_cell_grad_kernel(_):
    def run(x, before, w_ru, w_c, b_ru, b_c, r, u, c, grad):
        depth = x.shape[1]
        of_candidate = grad * (1 - u) * (1 - c * c)
        of_update = grad * (before - c) * u * (1 - u)
        back = of_candidate @ w_c.t()
        of_kept = back[:, depth:]
        of_reset = of_kept * before * r * (1 - r)
        of_gates = torch.cat((of_reset, of_update), 1)
        through = of_gates @ w_ru.t()
        of_x = back[:, :depth] + through[:, :depth]
        return of_x, torch.addcmul(through[:, depth:] + grad * u, of_kept, r), of_candidate, of_gates

    return run


@gru_block_cell_op.gradient
def gru_block_cell_gradient(op, *grads):
    x, before, *_ = op.inputs
    r, u, c, _ = op.outputs
    of_x, of_before, of_candidate, of_gates = raw.GRUBlockCellGrad(*op.inputs, r, u, c, grads[3])
    both = concat([x, before], 1)
    of_gate_weights, of_gate_bias = raw.MatMul(both, of_gates, transpose_a=True), raw.BiasAddGrad(of_gates)
    kept = concat([x, raw.Mul(before, r, name="mul")], 1)
    of_candidate_weights = raw.MatMul(kept, of_candidate, transpose_a=True)
    return [
        of_x,
        of_before,
        of_gate_weights,
        of_candidate_weights,
        of_gate_bias,
        raw.BiasAddGrad(of_candidate),
    ]


gru_block_cell_op.accepts([2, 3], [2, 4], [7, 8], [7, 4], [8], [4])
gru_block_cell_grad_op.accepts([2, 3], [2, 2], [5, 4], [5, 2], [4], [2], *[[2, 2]] * 4)
