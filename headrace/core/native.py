"""How ops become native instructions: what the rules of their declarations are made of.

A rule takes the planned node and returns a lowering, or None where the node has to stay a call of its kernel. A lowering is
called when the program of a region is built: it applies instructions to the values of the node's inputs and returns those of
its outputs. `headrace.native.instructions` is the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


class NativeBuilder(Protocol):
    """What makes the program of a region: see `headrace.native.program.Builder`."""

    def apply(
        self, name: str, inputs: Sequence[int], ints: Sequence[int] = (), floats: Sequence[float] = ()
    ) -> tuple[int, ...]:
        """Adds an instruction; returns the values that it makes."""

    def constant(self, value: Any) -> int:
        """A value that is known."""

    def stream(self, stream: object) -> int:
        """The place of a random stream, which draws move on."""

    def dim(self, value: int, axis: int) -> int:
        """Says "the size of that axis of that value" where ints ask for a size."""

    def contents(self, value: int) -> int:
        """Says "all that is in that vector or number of integers" where ints ask for sizes or axes."""

    def dtype(self, value: int) -> str:
        """The type of a value."""


# Takes the builder and the values of the node's inputs, those that are asked for made then; returns those of its outputs.
Lowering = Callable[[NativeBuilder, Sequence[int]], Sequence[int]]
# The codes of types among the ints of instructions.
TYPE_CODES = {"float32": 0, "float64": 1, "int32": 2, "int64": 3, "bool": 4, "uint8": 5}


def applied(
    name: str, ints: Sequence[int] = (), floats: Sequence[float] = (), take: Sequence[int] | None = None
) -> Lowering:
    """The lowering to one instruction.

    Args:
        name: of the instruction.
        ints, floats: what it is told besides its inputs.
        take: the inputs of the node that it takes, all in order by default.
    """

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        taken = list(inputs) if take is None else [inputs[i] for i in take]
        return b.apply(name, taken, ints, floats)

    return lower


def handed_on(node: NodeView) -> Lowering:
    """The rule of an op whose output is its first input."""
    return lambda b, inputs: [inputs[0]]
