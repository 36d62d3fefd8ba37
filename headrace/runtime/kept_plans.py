"""Plans of operations run eagerly that are kept for the next ones like them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.buffers import VariableBuffer

if TYPE_CHECKING:
    from headrace.core.eager import EagerOperation
    from headrace.runtime.eager_calls import Call, Kernel

# For one op with given attributes, so many combinations of shapes (or of values read on the host) get plans of their own;
# after that a plan serves all shapes of one rank (all values).
MAX_VARIANTS = 64
# A plan with its call takes about 18 kB; to make one takes 0.6 ms on a core of an AMD EPYC, to call it again 11 microseconds.
_MAX_CALLS = 8_000
_MAX_KERNELS = 8_000
# For so many sets of variables a function gets plans that know them; after that a plan serves all.
_MAX_BINDINGS = 16


class KeptPlans:
    """Planned operations, and what calls came to.

    The calls of a function have theirs, which goes when the function goes: its plans know the variables that they are
    called with, mostly those the function has captured, so that loops of it are planned as they would be in a session.

    Args:
        epoch: a mark of the time for which they are good.

    Attributes:
        kernels: the planned operations, by what decides their plans.
        calls: what calls came to, by types and shapes.
        variants: how many plans there are for operations that differ in sizes alone.
    """

    def __init__(self, epoch: object) -> None:
        self.epoch = epoch
        self.kernels: dict[Any, Kernel] = {}
        self.calls: dict[Any, Call] = {}
        self.variants: dict[Any, int] = {}
        self._bindings: set[tuple[int, ...]] = set()

    @property
    def has_many_calls(self) -> bool:
        """Whether it is time to forget them."""
        return len(self.calls) > _MAX_CALLS

    def variables(self, op: EagerOperation) -> tuple[dict[int, VariableBuffer], tuple[int, ...]]:
        """The variables that the plan of a call may know, by position, and what stands for them in its key."""
        values: list[Any] = [tensor._value for tensor in op._inputs]  # type: ignore[attr-defined]  # EagerTensors
        found = {i: value for i, value in enumerate(values) if value.__class__ is VariableBuffer}
        # The plan keeps its variables, so nothing else can come to have their numbers.
        binding = tuple(map(id, found.values()))
        if binding not in self._bindings:
            if len(self._bindings) >= _MAX_BINDINGS:
                return {}, ()
            self._bindings.add(binding)
        return found, binding

    def shed(self) -> None:
        """Forgets the planned operations if there are very many."""
        if len(self.kernels) > _MAX_KERNELS:
            self.kernels.clear()
            self.variants.clear()
            self._bindings.clear()
