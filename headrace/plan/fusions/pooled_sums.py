"""Sums of what a pool's gradient scatters: those of what it was given."""

from __future__ import annotations

from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor, variable
from headrace.plan.ir import Node, Value, joined_control

_SUMS = frozenset({"BiasAddGrad", "_SumToShape"})


def fuse_pooled_sums(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """The sum over all places of what MaxPoolGrad sends back is that of what it was given: it only scatters."""
    for node in nodes:
        if node.type not in _SUMS:
            continue
        scattered = node.inputs[0].node
        if scattered.type != "MaxPoolGrad":
            continue
        data_format = scattered.attrs["data_format"]
        channel = 1 if data_format == "NCHW" else 3
        if scattered.attrs["ksize"][channel] != 1 or scattered.attrs["strides"][channel] != 1:
            continue
        if node.type == "BiasAddGrad":
            sums_places = node.attrs["data_format"] == data_format
        else:
            shape, dims = node.attrs["shape"], node.inputs[0].dims
            sums_places = channel == 3 and dims is not None and len(shape) == 1 and shape[0] == dims[-1]
        if sums_places and scattered.guard == node.guard[: len(scattered.guard)]:
            node.inputs[0] = scattered.inputs[2]
            node.control = joined_control(node, scattered)
    return nodes, {}


fusion = Fusion("sum what a pool's gradient was given instead of what it scatters", fuse_pooled_sums, [{"MaxPoolGrad"}])
_IMAGE, _BIAS = tensor("batch", 6, 5, 3), variable(3)


def _pooled(tf: API, x: Tensor) -> Tensor:
    return tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")


@fusion.example(_IMAGE, _BIAS)
def gradient_of_a_bias(tf: API, x: Tensor, b: Tensor) -> Fetches:
    return tf.gradients(tf.sin(_pooled(tf, tf.nn.bias_add(x, b))), b)


@fusion.example(_IMAGE, _BIAS)
def gradient_of_a_broadcast_vector(tf: API, x: Tensor, b: Tensor) -> Fetches:
    return tf.gradients(tf.sin(_pooled(tf, x + b)), b)
