"""Elements that a function makes of others."""

from __future__ import annotations

from collections.abc import Callable

from headrace.core.errors import OutOfRangeError
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
            if element is None:
                return None
            try:
                return call(*element)
            except OutOfRangeError:
                # A function that may end the dataset has done so.
                return None

        return next_element

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()
