"""What the rules of several ops on native instructions share: see `core.native`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.native import Lowering, NativeBuilder, applied

if TYPE_CHECKING:
    from headrace.core.dims import Dims
    from headrace.core.registry import OpDecl
    from headrace.core.typing import NodeView

Rule = Callable[["NodeView"], "Lowering | None"]


def known(dims: Dims) -> Sequence[int] | None:
    """The sizes, if all are known."""
    if dims is None or None in dims:
        return None
    return [size for size in dims if size is not None]


def same_shape(b: NativeBuilder, *values: int) -> None:
    """Lets the program refuse values of different shapes: each has to broadcast to the next, and back."""
    for one, other in itertools.pairwise(values):
        b.apply("broadcast_like", [one, other])
        b.apply("broadcast_like", [other, one])


def equal_dims(*values: Any) -> bool:
    """Whether the values are known to be of one shape."""
    first = known(values[0].dims)
    return first is not None and all(value.dims == values[0].dims for value in values[1:])


def of_one_shape(name: str, take: Sequence[int] | None = None, floats: Sequence[float] = ()) -> Rule:
    """The rule of an op of one instruction whose inputs have one shape."""

    def rule(node: NodeView) -> Lowering | None:
        taken = range(len(node.inputs)) if take is None else take
        if equal_dims(*(node.inputs[i] for i in taken)):
            return applied(name, floats=floats, take=take)

        def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
            values = [inputs[i] for i in taken]
            same_shape(b, *values)
            return b.apply(name, values, (), floats)

        return lower

    return rule


def integers(node: NodeView, index: int) -> list[int] | None:
    """The integers of a constant input."""
    constant = node.constant(index)
    return None if constant is None else [int(item) for item in constant.reshape(-1)]


# Under this note a node has the positions of those inputs whose contents follow from sizes: see `plan.native_sizes`.
SIZED = "native sizes"


def is_sized(node: NodeView, *indices: int) -> bool:
    """Whether lowerings may say `b.contents` of these inputs."""
    positions = node.notes.get(SIZED, ())
    return all(index in positions for index in indices)


def of_sizes(name: str) -> Rule:
    """The rule of an op of one instruction that computes with sizes, all inputs of which have to be."""
    return lambda node: applied(name) if is_sized(node, *range(len(node.inputs))) else None


def shaped(b: NativeBuilder, sizes: int) -> int:
    """A value of a shape that is told, for instructions that take one like it; it takes no memory."""
    return b.apply("fill", [b.constant(False)], [b.contents(sizes)])[0]


def reduction(name: str, integer: bool = True) -> Rule:
    """The rule of a reduction over constant axes, the second input."""

    def rule(node: NodeView) -> Lowering | None:
        axes, dims = integers(node, 1), node.inputs[0].dims
        if node.inputs[0].dtype.is_integer and not integer:
            return None
        if axes is None:
            # These name no axis twice.
            if node.inputs[1].node.type not in ("BroadcastGradientArgs", "Range") or not is_sized(node, 1):
                return None
            keeps = int(node.attrs["keep_dims"])
            return lambda b, inputs: b.apply(name, [inputs[0]], [keeps, b.contents(inputs[1])])
        if dims is not None:
            if not all(-len(dims) <= axis < len(dims) for axis in axes):
                return None
            axes = sorted({axis % len(dims) for axis in axes})
        elif len(axes) > 1:
            # One axis may be named twice.
            return None
        return applied(name, [int(node.attrs["keep_dims"]), *axes], take=[0])

    return rule


def pieces(axis: int, rank: int, sizes: Sequence[int], take: int, squeezed: bool = False) -> Lowering:
    """The lowering of a split along an axis into parts of these sizes, which may lose the axis."""

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        value, results, start = inputs[take], [], 0
        for size in sizes:
            begin, count = [0] * rank, [-1] * rank
            begin[axis], count[axis] = start, size
            (part,) = b.apply("slice", [value], [*begin, *count, *[1] * rank])
            if squeezed:
                (part,) = b.apply("squeeze", [part], [axis])
            results.append(part)
            start += size
        return results

    return lower


def source(b: NativeBuilder, node: NodeView, inputs: Sequence[int], index: int) -> int:
    """What is written into a variable: a copy where it may lie in the variable's own memory."""
    decl = node.inputs[index].node.decl
    if decl.may_alias or decl.lends_state:
        return b.apply("copy", [inputs[index]])[0]
    return inputs[index]


def update_of(
    name: str, gradient: int, ints: Callable[[NodeView], Sequence[int]] | None = None, states: int = 1
) -> Rule:
    """The rule of an update of a variable and its slots, the first inputs, along a gradient of their shape."""

    def rule(node: NodeView) -> Lowering | None:
        numbers = () if ints is None else ints(node)

        def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
            values = [source(b, node, inputs, i) if i == gradient else inputs[i] for i in range(len(node.inputs))]
            same_shape(b, *values[:states], values[gradient])
            made = b.apply(name, values, numbers)
            return made[: len(node.outputs)]

        return lower

    return rule


def named(*pairs: tuple[OpDecl, str]) -> None:
    """Declares ops that are one instruction, whatever the node, of the same inputs."""
    for decl, name in pairs:
        decl.native(always(applied(name)))


def always(lowering: Lowering) -> Rule:
    """The rule of an op that has one lowering."""
    return lambda node: lowering
