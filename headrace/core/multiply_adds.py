"""The multiply-adds of one call of an op, by which it is decided whether more than one thread is worth waking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from headrace.core.dims import Dims
    from headrace.core.typing import NodeView, ValueView


# Under this note a node has the multiply-adds of one call.
AMOUNT = "multiply-adds"


class Work(NamedTuple):
    """What one call computes.

    Attributes:
        kind: "product" or "convolution", whose multiply-adds are counted.
        amount: how many; without end where that is not known.
    """

    kind: str
    amount: float


# Takes a planned node and a function that counts the elements of shapes, unknown sizes assumed; returns the work.
WorkRule = Callable[["NodeView", Callable[["Dims"], int]], Work]


def matrix_product(left: int = 0) -> WorkRule:
    """The rule of a product of matrices.

    Args:
        left: the index of the left matrix; where the op has no output, the second input has the product's shape.
    """

    def rule(node: NodeView, count: Callable[[Dims], int]) -> Work:
        out = node.outputs[0].dims if node.outputs else node.inputs[1].dims
        columns = count((out[-1] if out else None,))
        return Work("product", count(node.inputs[left].dims) * columns)

    return rule


def convolution(
    filters: Callable[[NodeView], ValueView] = lambda node: node.inputs[1],
    results: Callable[[NodeView], Sequence[ValueView]] = lambda node: node.outputs,
    depthwise: bool = False,
) -> WorkRule:
    """The rule of a convolution or one half of its gradient.

    Args:
        filters: of a node, the value with the shape of its filters, unless the planner has noted `filter_dims`.
        results: of a node, the values that together have as many elements as the convolution has results.
        depthwise: whether every channel has filters of its own: a result sums over the window only.
    """

    def rule(node: NodeView, count: Callable[[Dims], int]) -> Work:
        dims = node.notes.get("filter_dims")
        if dims is None:
            dims = filters(node).dims
        if not dims or None in dims:
            return Work("convolution", inf)
        # A result sums over the window, and over the channels that go in where they are not kept apart.
        window = prod(dims[: -2 if depthwise else -1])
        return Work("convolution", sum(count(value.dims) for value in results(node)) * window)

    return rule
