"""Elements that a function makes of others."""

from __future__ import annotations

from collections.abc import Callable

from headrace.kernels.data.base import Dataset, Element, Iteration, Next

Call = Callable[..., Element]


class Mapped(Dataset):
    """What a function makes of each element.

    Args:
        call: takes the components of an element.
        of_batches: gives the function of batches, or None where there is none.
    """

    passes_shards = True

    def __init__(self, source: Dataset, call: Call, of_batches: Callable[[], Call | None] | None = None) -> None:
        super().__init__(source)
        self.call = call
        self.of_batches = of_batches

    def start(self, iteration: Iteration) -> Next:
        upstream, call = self.inputs[0].start(iteration), self.call

        def next_element() -> Element | None:
            element = upstream()
            return None if element is None else call(*element)

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()
