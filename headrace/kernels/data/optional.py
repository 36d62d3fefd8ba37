"""An element or none, as a value of a graph."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.data.base import Element


class Optional:
    """An element, or none."""

    # As an element of a list it is a scalar.
    shape = ()

    def __init__(self, element: Element | None) -> None:
        self.element = element

    def clone(self) -> Optional:
        """Itself: it never changes, so a copy for keeping is not needed."""
        return self

    def __add__(self, other: Optional) -> Optional:
        """The sums of the components, none where both have none.

        Raises:
            InvalidArgumentError: if just one has an element, or they have different numbers of components.
        """
        if (self.element is None) != (other.element is None):
            raise InvalidArgumentError(
                None, None, "Cannot add optionals because one has a value and the other doesn't."
            )
        if self.element is None or other.element is None:
            return self
        if len(self.element) != len(other.element):
            raise InvalidArgumentError(
                None,
                None,
                "Cannot add optionals because they have different numbers of components: "
                f"{len(self.element)} and {len(other.element)}.",
            )
        return Optional(tuple(a + b for a, b in zip(self.element, other.element, strict=True)))

    def zeros_like(self) -> Optional:
        """Zeros in the place of its components, if it has any."""
        if self.element is None:
            return self
        return Optional(tuple(_zeros_like(component) for component in self.element))


def _zeros_like(component: Any) -> Any:
    if isinstance(component, torch.Tensor):
        return torch.zeros_like(component)
    return component.zeros_like() if hasattr(component, "zeros_like") else component
