"""How ops that draw numbers become native instructions: see `core.native`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from headrace.core.native import TYPE_CODES, Lowering, NativeBuilder
from headrace.kernels.native import is_sized
from headrace.kernels.random.sampling import is_seeded, known_sizes, stream_of

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import NodeView

# Of a builder and the values of the node's inputs, where the numbers begin.
_Place = Callable[[NativeBuilder, Sequence[int]], int]
# More normal numbers than these torch draws faster, where they need not be TensorFlow's.
_FEW = 1024


def _sizes(node: NodeView) -> Callable[[NativeBuilder, Sequence[int]], Sequence[int]] | None:
    """The sizes of the output, as ints of an instruction, where they are known or follow from sizes."""
    sizes = known_sizes(node)
    if sizes is not None:
        return lambda b, inputs: sizes
    return (lambda b, inputs: [b.contents(inputs[0])]) if is_sized(node, 0) else None


def _floats(name: str, node: NodeView, place: _Place) -> Lowering | None:
    sizes = _sizes(node)
    if sizes is None:
        return None
    code = TYPE_CODES[node.outputs[0].dtype.name]
    return lambda b, inputs: b.apply(name, [place(b, inputs)], [code, *sizes(b, inputs)])


def draws(decl: OpDecl, name: str) -> None:
    """Declares that an op draws floats by the instruction `name`, from a stream of its own."""

    def rule(node: NodeView) -> Lowering | None:
        if name != "random_uniform" and not is_seeded(node):
            sizes = known_sizes(node)
            if sizes is None or math.prod(sizes) > _FEW:
                return None
        return _floats(name, node, lambda b, inputs: b.stream(stream_of(node)))

    decl.native_draw(stream_of, rule)


def draws_integers(decl: OpDecl) -> None:
    """Declares that an op draws integers between its second and third input, from a stream of its own."""

    def rule(node: NodeView) -> Lowering | None:
        sizes = _sizes(node)
        if sizes is None:
            return None
        return lambda b, inputs: b.apply(
            "random_uniform_int", [b.stream(stream_of(node)), inputs[1], inputs[2]], sizes(b, inputs)
        )

    decl.native_draw(stream_of, rule)


def draws_classes(decl: OpDecl) -> None:
    """Declares that an op draws classes with the logits of its first input, from a stream of its own."""

    def rule(node: NodeView) -> Lowering | None:
        samples = node.constant(1)
        if samples is None or samples.ndim or not node.inputs[0].dtype.is_floating:
            return None
        ints = [TYPE_CODES[node.outputs[0].dtype.name], int(samples)]
        return lambda b, inputs: b.apply("multinomial", [b.stream(stream_of(node)), inputs[0]], ints)

    decl.native_draw(stream_of, rule)


def begins_at_seeds(decl: OpDecl, name: str) -> None:
    """Declares that an op draws floats by the instruction `name`, from where its second input says."""
    decl.native(
        lambda node: _floats(name, node, lambda b, inputs: b.apply("place_of_seeds", [inputs[1]])[0]),
    )
