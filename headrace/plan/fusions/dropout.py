"""Dropout (Srivastava et al., JMLR 15, 2014): the mask and the scale become one factor, for values and gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from headrace.core.native import TYPE_CODES, Lowering, NativeBuilder
from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

dropout_factor = op("_DropoutFactor", "noise: T, rate: T, scale: T, *, T: floating -> output: T").not_differentiable()


@dropout_factor.kernel
def dropout_factor_kernel(node: NodeView) -> Kernel:
    """`scale` where the noise is not below the rate, 0 elsewhere."""
    return lambda noise, rate, scale: (noise >= rate).to(noise.dtype).mul_(scale)


@dropout_factor.reuses
def dropout_factor_in_place(node: NodeView, index: int) -> Kernel | None:
    # Scalar tensors: Python's numbers are made such in every call, at three times the cost.
    return None if index else lambda noise, rate, scale: noise.ge_(rate).mul_(scale)


@dropout_factor.native
def _dropout_factor_native(node: NodeView) -> Lowering:
    code = TYPE_CODES[node.outputs[0].dtype.name]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (kept,) = b.apply("greater_equal", inputs[:2])
        return b.apply("mul", [*b.apply("cast", [kept], [code]), inputs[2]])

    return lower


_SUMS = frozenset({"_SumLike", "_SumToShape"})


def fuse_dropout(nodes: list[Node], keep: set[Node], fetched: list[Value]) -> tuple[list[Node], dict[Value, Value]]:
    """x * scale * Cast(noise >= rate) becomes x * f, and its gradient g * f, with f = `_DropoutFactor(noise, rate, scale)`.

    To multiply by a mask of 0 and 1 is exact, so it does not matter when it is done. (Only where x * scale overflows is an
    element that is dropped 0 now, and not NaN.)
    """
    return _Dropouts(nodes, keep, fetched).fused()


class _Dropouts:
    """The nodes of a plan or of one loop, with the uses of each value."""

    def __init__(self, nodes: list[Node], keep: set[Node], fetched: Sequence[Value]) -> None:
        self._nodes = nodes
        self._keep = keep
        self._fetched = set(fetched)
        self._users: dict[Value, list[Node]] = {}
        for node in nodes:
            for value in node.inputs:
                self._users.setdefault(value, []).append(node)
            for pred, _ in node.guard:
                self._users.setdefault(pred, []).append(node)
        self._replaced: dict[Value, Value] = {}
        # Products with a scale whose factor is taken instead: they keep the value they have.
        self._passed: set[Node] = set()

    def fused(self) -> tuple[list[Node], dict[Value, Value]]:
        """The nodes left, and what stands for values that are no more."""
        factors: dict[Node, Node] = {}
        for cast in self._nodes:
            if cast.type == "Cast" and not cast.control and cast not in self._keep:
                factor = self._factor(cast)
                if factor is not None:
                    factors[cast] = factor
        if not factors:
            return self._nodes, {}
        return [factors.get(node, node) for node in self._nodes], self._replaced

    def _factor(self, cast: Node) -> Node | None:
        """What takes the place of a mask whose every use it can serve."""
        mask, kept = cast.outputs[0], cast.inputs[0]
        test = kept.node
        if test.type != "GreaterEqual" or not self._is_like(test, cast) or self._sole_user(kept) is not cast:
            return None
        noise, rate = test.inputs
        if noise.node.type != "RandomUniform" or noise.node.guard != cast.guard or self._sole_user(noise) is not test:
            return None
        if rate.dims != () or mask.dtype is not noise.dtype or mask.dims in (None, ()) or mask in self._fetched:
            return None
        products = self._users.get(mask, [])
        if not all(
            node.type == "Mul" and self._is_like(node, cast) and node.inputs.count(mask) == 1 for node in products
        ):
            return None
        for scale in dict.fromkeys(scale for node in products for scale, _ in _scalings(_other(node, mask).node)):
            places = [self._place(node, mask, scale, i == 0) for i, node in enumerate(products)]
            if all(place is not None for place in places):
                factor = new_node("_DropoutFactor", cast, [noise, rate, scale], [(mask.dtype, mask.dims)])
                for node, place in zip(products, places, strict=True):
                    assert place is not None
                    self._apply(node, *place, factor.outputs[0])
                return factor
        return None

    def _place(self, product: Node, mask: Value, scale: Value, is_first: bool) -> tuple[Value, list[Node]] | None:
        """What the factor multiplies instead of the mask, and the nodes that go with it: a scaling before or after.

        The values come before the gradients, so of the first product what is multiplied is scaled, and of the others what
        comes of it.
        """
        other = _other(product, mask)
        before = None
        if self._is_like(other.node, product) and other not in self._replaced:
            before = next((x for found, x in _scalings(other.node) if found is scale), None)
        if before is not None and is_first:
            return before, [other.node]
        after: list[Node] = []
        value = product.outputs[0]
        consumer = self._sole_user(value)
        if (
            consumer is not None
            and consumer.type in _SUMS
            and consumer.inputs[0] is value
            and self._is_like(consumer, product)
        ):
            after.append(consumer)
            value = consumer.outputs[0]
            consumer = self._sole_user(value)
        if consumer is not None and consumer not in self._passed and self._is_like(consumer, product):
            scalings = list(_scalings(consumer))
            if (scale, value) in scalings:
                return other, [*after, consumer]
        return None if before is None else (before, [other.node])

    def _apply(self, product: Node, multiplied: Value, scaling: list[Node], factor: Value) -> None:
        before = scaling[-1].outputs[0] in product.inputs
        product.inputs = [multiplied, factor]
        if not before:
            last = scaling[-2] if len(scaling) > 1 else product
            self._replaced[scaling[-1].outputs[0]] = last.outputs[0]
            return
        self._passed.add(scaling[-1])
        scaled = scaling[-1].outputs[0]
        for consumer in self._users[scaled]:
            if consumer.type == "_SumLike" and consumer.inputs[1] is scaled and consumer.inputs[0] is not scaled:
                # Of the same shape: what was multiplied is then not scaled for that.
                consumer.inputs[1] = multiplied

    def _is_like(self, node: Node, other: Node) -> bool:
        return not node.control and node not in self._keep and node.guard == other.guard and node.device == other.device

    def _sole_user(self, value: Value) -> Node | None:
        users = self._users.get(value, ())
        return users[0] if len(users) == 1 and value not in self._fetched else None


def _other(product: Node, value: Value) -> Value:
    return product.inputs[1 if product.inputs[0] is value else 0]


def _scalings(node: Node) -> Iterator[tuple[Value, Value]]:
    """The scalar by which a product multiplies a tensor, and the tensor."""
    if node.type == "Mul":
        for scale, x in (node.inputs, reversed(node.inputs)):
            if scale.dims == () and x.dims not in (None, ()):
                yield scale, x


fusion = Fusion(
    "scale and drop elements by one factor, forward and backward",
    fuse_dropout,
    [{"RandomUniform"}, {"GreaterEqual"}, {"Cast"}],
    makes=[dropout_factor],
)


@fusion.example(tensor("rows", 5))
def values_and_gradients(tf: API, x: Tensor) -> Fetches:
    y = tf.nn.dropout(tf.sin(x), rate=0.4, seed=7)
    return [y, *tf.gradients(tf.square(y), x)]
