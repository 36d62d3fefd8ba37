"""Sizes that are known only when a step runs: tiling to the shape of a tensor, its number of elements, dividing by it.

The gradient of every mean over a batch of unknown size is made of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.native import TYPE_CODES, applied
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

expand_like = op("_ExpandLike", "x: T, like: U, *, T: type, U: type -> output: T").aliases().never_fails()


@expand_like.kernel
def expand_like_kernel(node: NodeView) -> Kernel:
    return lambda x, like: x.expand(like.shape)


divide_by_count = op("_DivideByCount", "x: T, counted: U, *, divisor: int, T: type, U: type -> output: T").never_fails()


@divide_by_count.kernel
def divide_by_count_kernel(node: NodeView) -> Kernel:
    divisor = node.attrs["divisor"]
    return lambda x, counted: x / (counted.numel() // divisor)


times_count = op("_TimesCount", "counted: U, *, number: float, T: type = float, U: type -> output: T").never_fails()


@times_count.kernel
def times_count_kernel(node: NodeView) -> Kernel:
    """The sum of a tensor of that shape, all of one number."""
    number, dtype, device = node.attrs["number"], node.outputs[0].dtype.torch, node.device
    as_tensor = torch.tensor
    # Of nothing the sum is 0, also where the number is infinite.
    return lambda counted: as_tensor(number * counted.numel() if counted.numel() else 0.0, dtype=dtype, device=device)


def fuse_counts(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """Tile(v, Shape(x)) becomes `_ExpandLike`, t / Cast(Prod(Shape(x)) // c) `_DivideByCount`, and the sum of a number
    filled in the shape of x `_TimesCount`."""
    replaced: dict[Value, Value] = {}
    result = []
    there = set(nodes)
    for node in nodes:
        fused = None
        if not node.control and node not in keep:
            if node.type == "Tile":
                fused = _expansion(node, there)
            elif node.type == "RealDiv":
                fused = _division(node, there)
            elif node.type == "Sum":
                fused = _sum(node, there)
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _shaped(shape: Value, there: Set[Node]) -> Value | None:
    """The tensor that was asked for this shape, if the plan still has it: where the shape is known, it may have gone."""
    if shape.node.type != "Shape":
        return None
    tensor = shape.node.inputs[0]
    return tensor if tensor.is_given() or tensor.node in there else None


def _expansion(node: Node, there: Set[Node]) -> Node | None:
    value, multiples = node.inputs
    if value.dims is None or any(d != 1 for d in value.dims):
        return None
    like = _shaped(multiples, there)
    if like is None or like.dims is None or len(like.dims) != len(value.dims) or value.dtype.name == "string":
        return None
    output = node.outputs[0]
    return new_node("_ExpandLike", node, [value, like], [(output.dtype, like.dims)])


def _division(node: Node, there: Set[Node]) -> Node | None:
    total, count = node.inputs
    cast = count.node
    if cast.type != "Cast" or total.dtype.name not in ("float32", "float64"):
        return None
    quotient = cast.inputs[0].node
    if quotient.type != "FloorDiv":
        return None
    product, divisor = quotient.inputs[0].node, quotient.constant(1)
    if product.type != "Prod" or divisor is None or divisor.shape != ():
        return None
    axes = product.constant(1)
    counted = _shaped(product.inputs[0], there)
    if axes is None or axes.ravel().tolist() != [0] or counted is None or counted.dims is None:
        return None
    output = node.outputs[0]
    return new_node("_DivideByCount", node, [total, counted], [(output.dtype, output.dims)], {"divisor": int(divisor)})


def _sum(node: Node, there: Set[Node]) -> Node | None:
    fill, axes = node.inputs[0].node, node.constant(1)
    if fill.type != "Fill" or fill.control or axes is None or node.outputs[0].dims != ():
        return None
    shape, number = fill.inputs
    if number.constant is None or number.dtype.name not in ("float32", "float64"):
        return None
    counted = _shaped(shape, there)
    if (
        counted is None
        or counted.dims is None
        or counted.dtype.name == "string"
        or len(set(axes.ravel().tolist())) != len(counted.dims)
    ):
        return None
    attrs = {"number": float(number.constant)}
    return new_node("_TimesCount", node, [counted], [(number.dtype, ())], attrs)


fusion = Fusion(
    "tile to, divide by and multiply with the size of a tensor without asking for its shape",
    fuse_counts,
    [{"Tile", "RealDiv", "Fill"}, {"Shape", "Prod"}],
    makes=[expand_like, divide_by_count, times_count],
)


@fusion.example(tensor("rows", 3), makes=["_ExpandLike", "_DivideByCount"])
def gradient_of_a_mean(tf: API, x: Tensor) -> Fetches:
    return tf.gradients(tf.square(tf.reduce_mean(tf.sin(x))), x)


@fusion.example(tensor("rows", "columns"), makes=["_TimesCount"])
def sum_of_ones(tf: API, x: Tensor) -> Fetches:
    return tf.reduce_sum(tf.fill(tf.shape(x), 0.5))


# ---- native instructions

expand_like.native(lambda node: applied("broadcast_like"))


@divide_by_count.native
def _divide_by_count_native(node: NodeView) -> Lowering | None:
    divisor, kind = np.int64(node.attrs["divisor"]), TYPE_CODES[node.outputs[0].dtype.name]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (count,) = b.apply("size_of", [inputs[1]], [TYPE_CODES["int64"]])
        (count,) = b.apply("floordiv", [count, b.constant(divisor)])
        (count,) = b.apply("cast", [count], [kind])
        return b.apply("div", [inputs[0], count])

    return lower if divisor > 0 else None


@times_count.native
def _times_count_native(node: NodeView) -> Lowering | None:
    number, kind = node.attrs["number"], node.outputs[0].dtype
    if not math.isfinite(number):
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (count,) = b.apply("size_of", [inputs[0]], [TYPE_CODES["int64"]])
        (count,) = b.apply("cast", [count], [TYPE_CODES["float64"]])
        (total,) = b.apply("mul", [count, b.constant(np.float64(number))])
        return b.apply("cast", [total], [TYPE_CODES[kind.name]])

    return lower if kind.name in TYPE_CODES else None
