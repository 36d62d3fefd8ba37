"""Products in loops with the parts of a matrix that is the same in all iterations: one product with the whole of it.

Gates of recurrent cells are computed apart where programs split the weights: x·[A B] has the columns of x·A and of x·B.
The gradients are [g h]·[A B]ᵀ = g·Aᵀ + h·Bᵀ and xᵀ·[g h].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch

from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, UNBOUND, Node, Region, Value, new_node, regions
from headrace.plan.live import has_effect
from headrace.plan.loops import capture_of, topological

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

columns_op = op("_Columns", "value: T, *, N: int >= 1, T: {float, double} -> parts: N * T")
columns_op.never_fails().not_differentiable().aliases()


@columns_op.kernel
def columns_kernel(node: NodeView) -> Kernel:
    """A matrix in N parts side by side, all as wide: views of it."""
    count, chunk = node.attrs["N"], torch.chunk
    return lambda value: chunk(value, count, -1)


_TYPES = frozenset({"float32", "float64"})


class _Block(NamedTuple):
    """Columns of what is the same in all iterations."""

    source: Value
    begin: int
    end: int


def _width(value: Value) -> int | None:
    return None if not value.dims else value.dims[-1]


def _block(value: Value) -> _Block | None:
    """Which columns of what `value` is, of a matrix or vector."""
    node = value.node
    if value.bound is not UNBOUND:
        return None
    if node.type == "Split":
        source, axis = node.inputs[1], node.constant(0)
        size = _width(source)
        if axis is None or size is None or source.dims is None or int(axis) % len(source.dims) != len(source.dims) - 1:
            return None
        width = size // len(node.outputs)
        return _Block(source, value.index * width, (value.index + 1) * width)
    if node.type != "StridedSlice":
        return None
    source = node.inputs[0]
    size, bounds = _width(source), [node.constant(index) for index in (1, 2, 3)]
    if (
        size is None
        or source.dims is None
        or len(source.dims) != 2
        or any(b is None or b.shape != (2,) for b in bounds)
    ):
        return None
    begin, end, strides = ([int(number) for number in bound] for bound in bounds if bound is not None)
    masks = [node.attrs[name] for name in ("begin_mask", "end_mask")]
    others = [node.attrs[name] for name in ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")]
    if any(others) or strides != [1, 1] or not masks[0] & 1 or not masks[1] & 1:
        return None
    first, last = 0 if masks[0] & 2 else begin[1], size if masks[1] & 2 else end[1]
    return _Block(source, first, last) if 0 <= first < last <= size else None


def _are_all(blocks: Sequence[_Block]) -> bool:
    """Whether blocks in order make up their source, all of one width."""
    width = blocks[0].end - blocks[0].begin
    return (
        len(blocks) > 1
        and [block.begin for block in blocks] == [at * width for at in range(len(blocks))]
        and blocks[-1].end == _width(blocks[0].source)
    )


class _Loop:
    """A loop in which products are put together."""

    def __init__(self, loop: Node, region: Region) -> None:
        self._loop, self._region = loop, region
        count = len(region.variables)
        outer = dict(zip(region.captures, loop.inputs[count:], strict=True))
        self._blocks = {inner: block for inner, value in outer.items() if (block := _block(value)) is not None}
        self._replaced: dict[Value, Value] = {}
        self._joined: dict[tuple[Value, ...], Value] = {}
        # Of each part the whole, where wholes were made.
        self._parts: dict[Value, tuple[Value, int, int]] = {}
        self._wholes: list[tuple[Value, list[Value]]] = []

    def put_together(self) -> None:
        """Rewrites the region."""
        if not self._blocks:
            return
        self._products()
        for value, parts in list(self._wholes):
            self._biases(value, parts)
        self._sums()
        self._gradients()
        if self._replaced:
            self._finish()

    def _is_plain(self, node: Node) -> bool:
        return not node.control and not node.guard and bool(node.outputs) and node.outputs[0].dtype.name in _TYPES

    def _add(self, node: Node) -> Value:
        node.control = []
        self._region.nodes.append(node)
        return node.outputs[0]

    def _now(self, value: Value) -> Value:
        while value in self._replaced:
            value = self._replaced[value]
        return value

    def _put_whole(self, whole: Value, old: Sequence[Value], like: Node) -> None:
        """Parts of `whole` stand for the old values."""
        node = new_node("_Columns", like, [whole], [(v.dtype, v.dims) for v in old], {"N": len(old)})
        self._add(node)
        for at, (value, part) in enumerate(zip(old, node.outputs, strict=True)):
            self._replaced[value] = part
            self._parts[part] = whole, at, len(old)
        self._wholes.append((whole, list(node.outputs)))

    def _factor(self, node: Node, transposed: tuple[bool, bool]) -> _Block | None:
        """What the second factor of a product is a part of; None for other nodes."""
        if node.type != "MatMul" or not self._is_plain(node):
            return None
        is_so = (node.attrs["transpose_a"], node.attrs["transpose_b"]) == transposed
        return self._blocks.get(node.inputs[1]) if is_so else None

    def _products(self) -> None:
        """x·A, x·B become the parts of x·[A B]."""
        groups: dict[tuple[Value, Value, bool], list[tuple[_Block, Node]]] = {}
        for node in self._region.nodes:
            block = self._factor(node, (False, False))
            if block is not None:
                groups.setdefault((node.inputs[0], block.source, node.early), []).append((block, node))
        for (x, source, _), found in groups.items():
            found.sort(key=lambda pair: pair[0].begin)
            if not _are_all([block for block, _ in found]):
                continue
            like = found[0][1]
            dims = (x.dims[0] if x.dims else None, _width(source))
            inputs = [x, capture_of(self._loop, self._region, source)]
            whole = self._add(new_node("MatMul", like, inputs, [(x.dtype, dims)], like.attrs))
            self._put_whole(whole, [node.outputs[0] for _, node in found], like)

    def _users(self, parts: Sequence[Value], fits: Callable[[Node], bool]) -> list[Node] | None:
        """Of each part the one user that fits, if all have one."""
        found: list[Node] = []
        for part in parts:
            users = [
                node
                for node in self._region.nodes
                if fits(node) and self._is_plain(node) and part in map(self._now, node.inputs)
            ]
            # What a loop's condition needs is there before the rest.
            if len(users) != 1 or users[0].early != part.node.early:
                return None
            found.append(users[0])
        return found

    def _biases(self, whole: Value, parts: list[Value]) -> None:
        """x·A + a, x·B + b become the parts of x·[A B] + [a b]."""
        users = self._users(parts, lambda node: node.type == "BiasAdd" and node.inputs[1] in self._blocks)
        if users is None:
            return
        blocks = [self._blocks[node.inputs[1]] for node in users]
        if any(block.source is not blocks[0].source for block in blocks) or not _are_all(blocks):
            return
        like = users[0]
        bias = capture_of(self._loop, self._region, blocks[0].source)
        made = self._add(new_node("BiasAdd", like, [whole, bias], [(whole.dtype, whole.dims)], like.attrs))
        self._put_whole(made, [node.outputs[0] for node in users], like)

    def _sums(self) -> None:
        """The sums of parts become the parts of a sum."""
        groups: dict[tuple[Value, Value, str, bool], list[tuple[int, Node]]] = {}
        for node in self._region.nodes:
            if node.type in ADDITIONS and self._is_plain(node):
                ours = [self._parts.get(self._now(value)) for value in node.inputs]
                if ours[0] and ours[1] and ours[0][1:] == ours[1][1:]:
                    key = ours[0][0], ours[1][0], node.type, node.early
                    groups.setdefault(key, []).append((ours[0][1], node))
        for (one, other, kind, _), found in groups.items():
            found.sort(key=lambda pair: pair[0])
            count = self._parts[self._now(found[0][1].inputs[0])][2]
            if [at for at, _ in found] != list(range(count)):
                continue
            like = found[0][1]
            rows = like.outputs[0].dims
            dims = (rows[0] if rows else None, _width(one))
            whole = self._add(new_node(kind, like, [one, other], [(one.dtype, dims)], like.attrs))
            self._put_whole(whole, [node.outputs[0] for _, node in found], like)

    # ---- gradients

    def _are_joined(self, values: Sequence[Value]) -> bool:
        return tuple(map(self._now, values)) in self._joined

    def _join(self, values: Sequence[Value], like: Node) -> Value:
        """Values side by side."""
        key = tuple(self._now(value) for value in values)
        if key not in self._joined:
            widths = [_width(value) for value in key]
            width = None if None in widths else sum(width for width in widths if width is not None)
            dims = (key[0].dims[0] if key[0].dims else None, width)
            attrs = {"N": len(key), "axis": 1}
            self._joined[key] = self._add(new_node("_Concat", like, list(key), [(key[0].dtype, dims)], attrs))
        return self._joined[key]

    def _gradients(self) -> None:
        nodes = [node for node in self._region.nodes if self._is_plain(node)]
        joining = [(node, *_joined_values(node)) for node in nodes]
        for node, joined, axis in joining:
            if axis == 1 and len(joined) > 1 and all(_is_weights_gradient(value.node) for value in joined):
                self._of_weights(node, [value.node for value in joined])
        for node in nodes:
            if node.type == "AddN":
                self._of_input(node)
        for node, joined, axis in joining:
            if axis == 0 and len(joined) > 1 and all(value.node.type == "BiasAddGrad" for value in joined):
                self._of_bias(node, [value.node for value in joined])

    def _of_weights(self, node: Node, firsts: Sequence[Node]) -> None:
        """xᵀ·g beside xᵀ·h becomes xᵀ·[g h]."""
        x = firsts[0].inputs[0]
        if all(first.inputs[0] is x for first in firsts):
            self._put_joined(node, firsts, [x, self._join([first.inputs[1] for first in firsts], node)])

    def _of_bias(self, node: Node, firsts: Sequence[Node]) -> None:
        """The sums of g's columns and those of h's become the sums of [g h]'s."""
        grads = [first.inputs[0] for first in firsts]
        # Parts of one bias may have been added to products of other rows, where the gradients do not stand side by side.
        if self._are_joined(grads) or _have_rows_alike(grads):
            self._put_joined(node, firsts, [self._join(grads, node)])

    def _put_joined(self, node: Node, firsts: Sequence[Node], inputs: list[Value]) -> None:
        if not all(map(self._is_plain, firsts)):
            return
        output = node.outputs[0]
        made = new_node(firsts[0].type, node, inputs, [(output.dtype, output.dims)], firsts[0].attrs)
        self._replaced[output] = self._add(made)

    def _of_input(self, total: Node) -> None:
        """g·Aᵀ + h·Bᵀ + … becomes [g h]·[A B]ᵀ + …."""
        groups: dict[Value, list[tuple[_Block, Value]]] = {}
        for value in total.inputs:
            block = self._factor(value.node, (False, True))
            if block is not None:
                groups.setdefault(block.source, []).append((block, value))
        rest = list(total.inputs)
        for source, found in groups.items():
            found.sort(key=lambda pair: pair[0].begin)
            if not _are_all([block for block, _ in found]):
                continue
            first = found[0][1].node
            grads = self._join([value.node.inputs[0] for _, value in found], total)
            inputs = [grads, capture_of(self._loop, self._region, source)]
            made = new_node("MatMul", total, inputs, [(grads.dtype, first.outputs[0].dims)], first.attrs)
            terms = {value for _, value in found}
            rest = [value for value in rest if value not in terms] + [self._add(made)]
        if len(rest) == len(total.inputs):
            return
        output = total.outputs[0]
        if len(rest) == 1:
            self._replaced[output] = rest[0]
            return
        less = new_node("AddN", total, rest, [(output.dtype, output.dims)], {**total.attrs, "N": len(rest)})
        self._replaced[output] = self._add(less)

    def _finish(self) -> None:
        region = self._region
        for node in region.nodes:
            node.inputs = [self._now(value) for value in node.inputs]
        region.take_results([self._now(value) for value in region.results])
        used = set(region.results)
        left: list[Node] = []
        for node in reversed(topological(region.nodes)):
            is_used = any(value in used for value in node.outputs) or node in region.waits or has_effect(node)
            if is_used or node.control or not node.outputs:
                used.update(node.inputs)
                used.update(pred for pred, _ in node.guard)
                left.append(node)
        region.nodes = left[::-1]


def _joined_values(node: Node) -> tuple[list[Value], int | None]:
    """What a node puts one behind the other, and along which axis."""
    if node.type == "_Concat":
        return node.inputs, node.attrs["axis"]
    axis = node.constant(len(node.inputs) - 1) if node.type == "ConcatV2" else None
    dims = node.outputs[0].dims
    if axis is None or not dims:
        return [], None
    return node.inputs[:-1], int(axis) % len(dims)


def _have_rows_alike(values: Sequence[Value]) -> bool:
    """Whether values are matrices of a known number of rows, the same for all."""
    rows = {value.dims[0] if value.dims and len(value.dims) == 2 else None for value in values}
    return len(rows) == 1 and None not in rows


def _is_weights_gradient(node: Node) -> bool:
    return node.type == "MatMul" and (node.attrs["transpose_a"], node.attrs["transpose_b"]) == (True, False)


def put_products_together(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """Products with the parts of a matrix from outside a loop become one product with the matrix, and its gradients too."""
    for loop, region in regions(nodes):
        _Loop(loop, region).put_together()
    return nodes, {}


fusion = Fusion(
    "multiply in loops with a whole matrix where a program does with all its parts",
    put_products_together,
    [{"Split", "StridedSlice"}, {"MatMul"}, {"Enter", "_While"}],
    makes=[columns_op],
)


@fusion.example(tensor("rows", 3))
def four_gates(tf: API, x: Tensor) -> Fetches:
    def variable(name: str, *shape: int) -> Tensor:
        start = tf.random_uniform_initializer(-1, 1, seed=1)
        return tf.get_variable(name, shape, use_resource=True, initializer=start)

    weights, inner, bias = variable("weights", 3, 12), variable("inner", 3, 12), variable("bias", 12)

    def step(i: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        sides = zip(tf.split(weights, 4, axis=1), tf.split(bias, 4))
        mapped = [tf.nn.bias_add(tf.matmul(x, side), start) for side, start in sides]
        a, b, c, d = (part + tf.matmul(h, inner[:, at * 3 : at * 3 + 3]) for at, part in enumerate(mapped))
        return i + 1, tf.tanh(a) * tf.sigmoid(b) + tf.sin(c) * tf.cos(d)

    y = tf.while_loop(lambda i, _: i < 3, step, [0, x])[1]
    # What the loop reads is read before it, where every step does so.
    return [y, *tf.gradients(y, [x, weights, inner, bias]), *(tf.reduce_sum(w) for w in (weights, inner, bias))]


# ---- native instructions


@columns_op.native
def _columns_native(node: NodeView) -> Lowering | None:
    dims = node.inputs[0].dims
    if not dims or dims[-1] is None:
        return None
    count, rest = len(node.outputs), len(dims) - 1
    width = dims[-1] // count

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        ranges = ([*[0] * rest, at * width, *[-1] * rest, width, *[1] * (rest + 1)] for at in range(count))
        return [b.apply("slice", [inputs[0]], each)[0] for each in ranges]

    return lower
