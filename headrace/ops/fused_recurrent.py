"""The fused step of long short-term memories that the planner makes of their element-wise operations."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.registry import op
from headrace.ops.math.vector_loops import tanh_in_place_of, tanh_of

_PARTS = "i: T, j: T, f: T, o: T, c: T, tc: T, h: T"
lstm_tail_op = op("_LSTMTail", f"gates: T, c_before: T, *, forget_bias=0.0, T: {{float, double}} -> {_PARTS}")
lstm_tail_op.not_differentiable().numpy_floats()


@lstm_tail_op.kernel
def lstm_tail_kernel(node):
    """From the gates [batch, 4 units] in the order i, j, f, o: their values, the memory, its tanh, the output."""
    bias = node.attrs["forget_bias"]
    sigmoid, mul, addcmul, chunk = torch.sigmoid, torch.mul, torch.addcmul, torch.chunk
    tanh = tanh_of(node)

    def tail(gates: Any, c_before: Any) -> Any:
        i, j, f, o = chunk(gates, 4, 1)
        i, j, o = sigmoid(i), tanh(j), sigmoid(o)
        f = (f + bias).sigmoid_() if bias else sigmoid(f)
        c = addcmul(mul(i, j), c_before, f)
        tc = tanh(c)
        return i, j, f, o, c, tc, mul(tc, o)

    return tail


def _lstm_tail_in_place(node, index):
    """The values of the gates take the place of what they are computed from."""
    if index or node.inputs[0].dtype.torch is not torch.float32 or node.device.type != "cpu":
        return None
    bias, mul, chunk = node.attrs["forget_bias"], torch.mul, torch.chunk
    shift = torch.tensor(bias, dtype=torch.float32)
    tanh = tanh_of(node)
    tanh_into = tanh_in_place_of(node)

    def tail(gates: Any, c_before: Any) -> Any:
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
lstm_tail_grad_op.not_differentiable()


@lstm_tail_grad_op.kernel
def lstm_tail_grad_kernel(node):
    """The gradients of the gates and of the memory before, from those of the output and of the memory after."""
    mul, empty, chunk, has_after = torch.mul, torch.empty, torch.chunk, node.attrs["has_after"]
    sigmoid_into = torch.ops.aten.sigmoid_backward.grad_input
    tanh_into = torch.ops.aten.tanh_backward.grad_input

    def grad(dh: Any, dc_after: Any, i: Any, j: Any, f: Any, o: Any, c_before: Any, tc: Any) -> Any:
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
