"""A max pool and its gradient: where the largest values are is found out once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.dtypes import int64
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.nn.max_pooling import BACKWARD, indexed_by, sent_back_by
from headrace.kernels.nn.pool_windows import Windows
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

_WINDOW = (
    "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC'"
)
max_pool_indices_op = op("_MaxPoolWithIndices", f"input: T, *, T: floating, {_WINDOW} -> output: T, indices: int64")
max_pool_indices_grad_op = op(
    "_MaxPoolGradWithIndices", f"orig_input: T, indices: int64, grad: T, *, {_WINDOW}, T: floating -> output: T"
)
max_pool_indices_op.fresh()
max_pool_indices_grad_op.fresh().never_fails()


@max_pool_indices_op.kernel
def max_pool_indices_kernel(node: NodeView) -> Kernel:
    windows = Windows(node, node.inputs[0].dims, 4)
    indexed, layout = indexed_by(windows), windows.layout

    def pooled(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = layout.enter(x)
        values, indices = indexed(x)
        return layout.leave(windows.dropped(values, windows.geometry(x.shape[2:])[2])), indices

    return pooled


@max_pool_indices_grad_op.kernel
def max_pool_indices_grad_kernel(node: NodeView) -> Kernel:
    windows = Windows(node, node.inputs[0].dims, 4)
    sent_back, layout = sent_back_by(windows), windows.layout
    to, back = layout.to_torch, layout.from_torch
    if to is not None and windows.known is not None and windows.known[2] is None:
        backward, ksize, strides, ones = BACKWARD[4], windows.ksize, windows.strides, windows.ones
        pads, ceil, _ = windows.known

        def sent_back_plainly(x: torch.Tensor, indices: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
            gradient = gradient.permute(to)
            return backward(gradient, x.permute(to), ksize, strides, pads, ones, ceil, indices).permute(back)

        return sent_back_plainly
    return lambda x, indices, gradient: layout.leave(sent_back(layout.enter(x), indices, layout.enter(gradient)))


_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_SETTINGS = ("ksize", "strides", "padding", "data_format")


def fuse_max_pooling(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """MaxPool(x) and MaxPoolGrad(x, y, g) become `_MaxPoolWithIndices(x)` and `_MaxPoolGradWithIndices(x, indices, g)`.

    By itself, the gradient would have to pool again.
    """
    if not any(node.type == "MaxPoolGrad" for node in nodes):
        return nodes, {}
    # Nodes that others wait for must stay who they are.
    fixed = keep.union(*(node.control for node in nodes))
    # A pool of constants has been done, and is none of the nodes any more.
    left = set(nodes)
    gradients: dict[Node, list[Node]] = {}
    for node in nodes:
        if node.type == "MaxPoolGrad" and node not in fixed:
            pool = node.inputs[1].node
            if pool in left and _belong_together(pool, node) and pool not in fixed:
                gradients.setdefault(pool, []).append(node)
    if not gradients:
        return nodes, {}
    indexed = {gradient: pool for pool, found in gradients.items() for gradient in found}
    shared: dict[Node, Node] = {}
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        made = node
        if node in gradients:
            output = node.outputs[0]
            types = [(output.dtype, output.dims), (int64, None)]
            made = shared[node] = new_node(
                "_MaxPoolWithIndices", node, list(node.inputs), types, {key: node.attrs[key] for key in _SETTINGS}
            )
        elif node in indexed:
            pool, output = shared[indexed[node]], node.outputs[0]
            made = new_node(
                "_MaxPoolGradWithIndices",
                node,
                [node.inputs[0], pool.outputs[1], node.inputs[2]],
                [(output.dtype, output.dims)],
                {key: node.attrs[key] for key in _SETTINGS},
            )
        if made is not node:
            replaced[node.outputs[0]] = made.outputs[0]
        result.append(made)
    return result, replaced


def _belong_together(pool: Node, gradient: Node) -> bool:
    if pool.type != "MaxPool" or pool.inputs[0] is not gradient.inputs[0]:
        return False
    if pool.guard != gradient.guard[: len(pool.guard)]:
        return False
    channel = 1 if pool.attrs["data_format"] == "NCHW" else 3
    return (
        pool.inputs[0].dtype.name in _FLOATS
        and pool.attrs["ksize"][channel] == 1
        and all(pool.attrs[key] == gradient.attrs[key] for key in _SETTINGS)
    )


fusion = Fusion(
    "find out once where the largest values are, for a pool and for its gradient",
    fuse_max_pooling,
    [{"MaxPoolGrad"}],
    makes=[max_pool_indices_op, max_pool_indices_grad_op],
)


@fusion.example(tensor("batch", 6, 5, 3))
def pool_and_gradient(tf: API, x: Tensor) -> Fetches:
    y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    return [y, *tf.gradients(tf.sin(y), x)]
