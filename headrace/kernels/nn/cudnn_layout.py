"""How the weights of CudnnRNN lie in its one buffer: all matrices, a layer and direction after the other, then all biases.

In canonical form each gate has a matrix for the inputs, one for the state, and a bias for each. The gates' order is that
of cuDNN and of torch: input, forget, new memory, output; or reset, update, new.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


GATES = {"lstm": 4, "gru": 3, "rnn_relu": 1, "rnn_tanh": 1}


@dataclasses.dataclass(frozen=True)
class Layout:
    """The sizes of a network."""

    mode: str
    layers: int
    units: int
    depth: int
    directions: int = 1
    skips_input: bool = False
    projected: int = 0

    @property
    def outputs(self) -> int:
        """The size of what a direction puts out."""
        return self.projected or self.units

    def input_size(self, layer: int) -> int:
        """The size of a layer's inputs."""
        return self.outputs * self.directions if layer else self.depth

    @functools.cached_property
    def weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of all matrices in canonical order; no rows for those that are not there."""
        gates = GATES[self.mode]
        shapes: list[tuple[int, int]] = []
        for layer in range(self.layers):
            rows = 0 if self.skips_input and layer == 0 else self.units
            of_inputs = [(rows, self.input_size(layer))] * gates
            of_state = [(self.units, self.outputs)] * gates
            of_output = [(self.projected, self.units)] if self.projected else []
            shapes += (of_inputs + of_state + of_output) * self.directions
        return shapes

    @property
    def bias_count(self) -> int:
        """How many biases there are, each one of `units` numbers."""
        return 2 * GATES[self.mode] * self.layers * self.directions

    @property
    def size(self) -> int:
        """How many numbers the buffer holds."""
        return sum(math.prod(shape) for shape in self.weight_shapes) + self.bias_count * self.units

    def canonical(self, buffer: torch.Tensor) -> tuple[list[Any], list[Any]]:
        """The matrices and biases as parts of a buffer."""
        sizes = [math.prod(shape) for shape in self.weight_shapes]
        chunks = buffer.split([*sizes, *[self.units] * self.bias_count])
        matrices = [chunk.view(shape) for chunk, shape in zip(chunks, self.weight_shapes, strict=False)]
        return matrices, list(chunks[len(sizes) :])

    def per_layer(self, buffer: torch.Tensor) -> list[list[Any]]:
        """For each layer and direction what torch takes: of inputs, of state, their biases, of the output."""
        gates = GATES[self.mode]
        weights, biases = self.canonical(buffer)
        width = 2 * gates + (1 if self.projected else 0)
        found = []
        for number in range(self.layers * self.directions):
            own, its = weights[number * width :], biases[number * 2 * gates :]
            of_inputs, of_state = _joined(own[:gates]), _joined(own[gates : 2 * gates])
            if of_inputs.shape[0] == 0:
                # The inputs are added to every gate as they are.
                of_inputs = _same(buffer, self.units).repeat(gates, 1)
            parts = [of_inputs, of_state, _joined(its[:gates]), _joined(its[gates : 2 * gates])]
            found.append([*parts, own[2 * gates]] if self.projected else parts)
        return found


def _joined(parts: list[Any]) -> torch.Tensor:
    import torch

    return torch.cat(parts) if len(parts) > 1 else parts[0]


def _same(like: torch.Tensor, size: int) -> torch.Tensor:
    import torch

    return torch.eye(size, dtype=like.dtype, device=like.device)
