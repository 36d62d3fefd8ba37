"""BroadcastGradientArgs: the axes along which two shapes were broadcast against each other."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.math.elementwise import reduction_axes
from headrace.kernels.native import of_sizes

broadcast_gradient_args_op = op(
    "BroadcastGradientArgs", "s0: T, s1: T, *, T: index = int32 -> r0: T, r1: T"
).gives_no_more()
broadcast_gradient_args_op.on_host("s0", "s1", outputs=True).not_differentiable()
broadcast_gradient_args_op.accepts(np.array([2, 3], np.int32), np.array([3], np.int32))


@broadcast_gradient_args_op.shape
def broadcast_gradient_args_shape(op):
    for shape in op.inputs:
        if shape.dims is not None and len(shape.dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(shape.dims)}")
    return [(None,), (None,)]


@broadcast_gradient_args_op.kernel
def broadcast_gradient_args_kernel(node):
    dtype = node.outputs[0].dtype.torch

    def axes(first, second):
        try:
            pair = reduction_axes(first.tolist(), second.tolist())
        except ValueError as error:
            raise InvalidArgumentError(None, None, str(error)) from None
        return torch.tensor(pair[0], dtype=dtype), torch.tensor(pair[1], dtype=dtype)

    return axes


broadcast_gradient_args_op.native(of_sizes("broadcast_gradient_args"))
