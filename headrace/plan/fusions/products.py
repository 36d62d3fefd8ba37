"""The gradients that all uses of a weight send back are one product of stacked rows."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.core.dims import Dims
from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor, variable
from headrace.plan.ir import Node, Value, new_node

# A product of few rows writes its whole result for little work, so one long product wins. With 64 x 64 results three
# products of 4 rows and their sums take 13 microseconds on a core of a virtual machine and one product 7, of two 9 and 6;
# of three times 32 rows 16 and 13.
_MIN_PRODUCTS = 3
_TYPES = frozenset({"float32", "float64"})


def fuse_products(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """AddN of x1ᵀ·g1, x2ᵀ·g2, … becomes [x1; x2; …]ᵀ·[g1; g2; …], and AddN of the columns' sums likewise.

    Unrolled networks use their weights at every step, so their gradients are such sums.
    """
    uses: dict[Value, int] = {}
    for node in nodes:
        for value in node.inputs:
            uses[value] = uses.get(value, 0) + 1
    wanted = set(fetched)
    stacks: dict[tuple[Value, ...], Node] = {}
    replaced: dict[Value, Value] = {}
    result: list[Node] = []
    for node in nodes:
        if node.type == "AddN" and len(node.inputs) >= _MIN_PRODUCTS and node not in keep and not node.control:
            made = _fused(node, uses, wanted, stacks)
            if made:
                result.extend(made)
                replaced[node.outputs[0]] = made[-1].outputs[0]
                continue
        result.append(node)
    return result, replaced


def _fused(
    node: Node, uses: dict[Value, int], fetched: set[Value], stacks: dict[tuple[Value, ...], Node]
) -> list[Node]:
    """The nodes that compute the sum instead; none where there is no such pattern."""
    if node.outputs[0].dtype.name not in _TYPES:
        return []
    for is_term, parts in ((_is_product, 2), (_is_column_sum, 1)):
        terms = [
            value
            for value in node.inputs
            if value not in fetched and uses[value] == 1 and value.node.guard == node.guard and is_term(value.node)
        ]
        if len(terms) < _MIN_PRODUCTS:
            continue
        made: list[Node] = []
        stacked: list[Value] = []
        for part in range(parts):
            rows = tuple(value.node.inputs[part] for value in terms)
            stack = stacks.get(rows)
            if stack is None:
                stack = new_node(
                    "_Concat", node, list(rows), [(rows[0].dtype, _stacked(rows))], {"N": len(rows), "axis": 0}
                )
                stack.control = []
                stacks[rows] = stack
                made.append(stack)
            stacked.append(stack.outputs[0])
        first = terms[0].node
        output = node.outputs[0]
        whole = new_node(first.type, node, stacked, [(output.dtype, terms[0].dims)], first.attrs)
        made.append(whole)
        rest = [value for value in node.inputs if value not in terms]
        if rest:
            rest.append(whole.outputs[0])
            made.append(new_node("AddN", node, rest, [(output.dtype, output.dims)], {**node.attrs, "N": len(rest)}))
        return made
    return []


def _stacked(rows: Sequence[Value]) -> Dims:
    """The shape of matrices one below the other."""
    count: int | None = 0
    for value in rows:
        assert value.dims is not None
        height = value.dims[0]
        count = None if count is None or height is None else count + height
    assert rows[0].dims is not None
    return (count, rows[0].dims[1])


def _is_product(node: Node) -> bool:
    if node.type != "MatMul" or node.control or not node.attrs["transpose_a"] or node.attrs["transpose_b"]:
        return False
    return all(value.dims is not None and len(value.dims) == 2 and value.dims[1] is not None for value in node.inputs)


def _is_column_sum(node: Node) -> bool:
    if node.type != "BiasAddGrad" or node.control or node.attrs.get("data_format", "NHWC") != "NHWC":
        return False
    dims = node.inputs[0].dims
    return dims is not None and len(dims) == 2 and dims[1] is not None


fusion = Fusion(
    "compute the gradients that all uses of a weight send back as one product of stacked rows",
    fuse_products,
    [{"AddN"}, {"MatMul", "BiasAddGrad"}],
)


@fusion.example(tensor("rows", 4), variable(4, 4))
def a_weight_used_three_times(tf: API, x: Tensor, w: Tensor) -> Fetches:
    for _ in range(3):
        x = tf.sin(tf.matmul(x, w))
    return tf.gradients(x, w)


@fusion.example(tensor("rows", 4), variable(4, 4), variable(4))
def a_weight_with_a_penalty_and_a_bias(tf: API, x: Tensor, w: Tensor, b: Tensor) -> Fetches:
    y = x
    for _ in range(4):
        y = tf.sin(tf.nn.bias_add(tf.matmul(y, w), b))
    return tf.gradients([y, tf.nn.l2_loss(w)], [w, b])
