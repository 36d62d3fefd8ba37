"""Convolutions of images by filters that the native runner computes: what all of them offer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import torch

# What is done to results while they are written, by its number in the runner.
ACTIVATION_NUMBERS = {"": 0, "Relu": 1, "Relu6": 2}
# And by torch, in place: what is not a number stays so, of which the library of convolutions would make 0.
ACTIVATIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "Relu": torch.relu_,
    "Relu6": lambda x: torch.clamp_(x, 0.0, 6.0),
}

Pairs = Sequence[tuple[int, int]]


class RunnerConvolution(Protocol):
    """Convolutions by filters of one kind and of so many channels and outputs."""

    def turned(self, filters: torch.Tensor) -> torch.Tensor | None:
        """Filters [rows, columns, channels, outputs] as `convolve` wants them; None where they do not suit."""

    def pays(self, image: torch.Tensor, paddings: Pairs) -> bool:
        """Whether it is faster than the library of convolutions.

        Args:
            image: batch, height, width and channels.
            paddings: how many zeros lie before and after height and width.
        """

    def convolve(
        self,
        image: torch.Tensor,
        turned: torch.Tensor,
        bias: torch.Tensor | None,
        paddings: Pairs,
        activation: str = "",
    ) -> torch.Tensor | None:
        """The convolution; None where it is not computed: results are not finite, or what lies otherwise.

        Args:
            image: batch, height, width and channels.
            turned: the filters.
            bias: what is added to the outputs.
            paddings: how many zeros lie before and after height and width.
            activation: Relu, Relu6 or nothing.
        """


def is_taken(image: torch.Tensor) -> bool:
    """Whether the runner may convolve it: who exports the step, or differentiates it, wants to see torch's operations."""
    return image.dim() == 4 and image.shape[0].__class__ is int and not image.requires_grad
