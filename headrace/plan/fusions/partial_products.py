"""Products of which only some columns are used, and products that are added to a sum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from headrace.core.multiply_adds import matrix_product
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, Node, Value, consumers_of, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

matmul_rows_op = op("_MatMulRows", "a: T, b: T, *, begin: int, end: int, T: {float, double} -> output: T")
matmul_rows_op.never_fails().work(matrix_product()).not_differentiable()


@matmul_rows_op.kernel
def matmul_rows_kernel(node: NodeView) -> Kernel:
    """The product of `a` and some rows of `b`, transposed."""
    begin, end = node.attrs["begin"], node.attrs["end"]
    mm = torch.mm
    return lambda a, b: mm(a, b[begin:end].t())


matmul_add_op = op("_MatMulAdd", "total: T, a: T, b: T, *, T: {float, double} -> output: T").not_differentiable()


matmul_add_op.fresh().never_fails().work(matrix_product(left=1))


@matmul_add_op.kernel
def matmul_add_kernel(node: NodeView) -> Kernel:
    """A sum and the product of `a` transposed and `b`."""
    addmm = torch.addmm
    return lambda total, a, b: addmm(total, a.t(), b)


_TYPES = frozenset({"float32", "float64"})


def fuse_partial_products(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Columns [k, k+n) of g·wᵀ are g·w[k:k+n]ᵀ, and s + xᵀ·g is one call.

    The first is what is left of the gradient of a cell's joined inputs when only the state wants one; the second how a
    loop sums the gradient of a weight.
    """
    consumers = consumers_of(nodes)
    wanted = set(fetched)
    replaced: dict[Value, Value] = {}
    result = []
    for node in nodes:
        fused = None
        if node.type == "Slice" and node not in keep and not node.control:
            fused = _columns(node, consumers, wanted)
        elif node.type in ADDITIONS and node not in keep and not node.control:
            fused = _added(node, consumers, wanted)
        if fused is not None:
            replaced[node.outputs[0]] = fused.outputs[0]
            node = fused
        result.append(node)
    return result, replaced


def _is_single(value: Value, node: Node, consumers: dict[Value, list[Node]], fetched: set[Value]) -> bool:
    """Whether only `node` takes the product `value`, and both lie in the same branch."""
    maker = value.node
    return (
        maker.type == "MatMul"
        and value not in fetched
        and len(consumers[value]) == 1
        and not maker.control
        and maker.guard == node.guard
        and value.dtype.name in _TYPES
    )


def _columns(node: Node, consumers: dict[Value, list[Node]], fetched: set[Value]) -> Node | None:
    product = node.inputs[0]
    if not _is_single(product, node, consumers, fetched):
        return None
    attrs = product.node.attrs
    begin, size = node.constant_dims(1), node.constant_dims(2)
    if attrs["transpose_a"] or not attrs["transpose_b"] or begin is None or size is None or begin[0] != 0:
        return None
    rows = None if product.dims is None else product.dims[0]
    if size[0] not in (-1, rows) or begin[1] is None or size[1] is None or size[1] < 0:
        return None
    output = node.outputs[0]
    return new_node(
        "_MatMulRows",
        node,
        list(product.node.inputs),
        [(output.dtype, (rows, size[1]))],
        {"begin": begin[1], "end": begin[1] + size[1]},
    )


def _added(node: Node, consumers: dict[Value, list[Node]], fetched: set[Value]) -> Node | None:
    for index in (1, 0):
        product, total = node.inputs[index], node.inputs[1 - index]
        if not _is_single(product, node, consumers, fetched) or total.dims is None or total.dims != product.dims:
            continue
        if None in total.dims or not product.node.attrs["transpose_a"] or product.node.attrs["transpose_b"]:
            continue
        output = node.outputs[0]
        return new_node("_MatMulAdd", node, [total, *product.node.inputs], [(output.dtype, output.dims)])
    return None


fusion = Fusion(
    "compute only the columns of a product that are used, and add a product to a sum in one call",
    fuse_partial_products,
    [{"MatMul"}, ADDITIONS | {"Slice"}],
    makes=[matmul_rows_op, matmul_add_op],
)


@fusion.example(tensor("rows", 4), tensor(6, 4), makes=["_MatMulRows"])
def some_columns(tf: API, x: Tensor, w: Tensor) -> Fetches:
    return tf.slice(tf.matmul(x, w, transpose_b=True), [0, 2], [-1, 3])


@fusion.example(tensor(4, 5), tensor("rows", 4), tensor("rows", 5), makes=["_MatMulAdd"])
def added_to_a_sum(tf: API, total: Tensor, x: Tensor, y: Tensor) -> Fetches:
    return total + tf.matmul(x, y, transpose_a=True)


# ---- native instructions


@matmul_rows_op.native
def _matmul_rows_native(node: NodeView) -> Lowering | None:
    begin, end = node.attrs["begin"], node.attrs["end"]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (rows,) = b.apply("slice", [inputs[1]], [begin, 0, end - begin, -1, 1, 1])
        return b.apply("matmul", [inputs[0], rows], [0, 1])

    return lower


@matmul_add_op.native
def _matmul_add_native(node: NodeView) -> Lowering | None:
    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (product,) = b.apply("matmul", [inputs[1], inputs[2]], [1, 0])
        return b.apply("add", [inputs[0], product])

    return lower
