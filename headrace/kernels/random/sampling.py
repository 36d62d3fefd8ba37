"""What the random ops share: the stream of a seeded op, torch's generators for the others, and shapes of outputs.

A seeded op keeps its stream in the session, so that runs go on where the last one ended and a new session begins
anew. An op without seeds may give any numbers, so it takes torch's, in one call.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims
from headrace.core.registry import OpDecl, raw
from headrace.core.shapes import dimension_value
from headrace.core.tensor import Tensor
from headrace.kernels.random.streams import RandomStream

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView, TensorLike


Sampler = Callable[..., Any]


def is_seeded(node: NodeView) -> bool:
    """Whether the op must repeat its numbers in every session."""
    return node.attrs["seed"] != 0 or node.attrs["seed2"] != 0


def stream_of(node: NodeView) -> RandomStream:
    """The session's stream of the op."""
    seed, seed2 = node.attrs["seed"], node.attrs["seed2"]
    return node.runtime.object(("random_stream", node.name), lambda: RandomStream(seed, seed2))


@functools.lru_cache(maxsize=64)
def generator_for(device: torch.device) -> torch.Generator:
    """The generator of all unseeded ops on `device`: another one in each process."""
    generator = torch.Generator(device=device)
    generator.manual_seed(int.from_bytes(os.urandom(7), "little"))
    return generator


@functools.lru_cache(maxsize=1)
def host_generator() -> np.random.Generator:
    """NumPy's generator for unseeded ops on the CPU: another one in each process. It locks itself between threads."""
    return np.random.default_rng()


def known_sizes(node: NodeView, index: int = 0) -> list[int] | None:
    """The sizes in shape input `index` where they are known while planning."""
    value = node.constant(index)
    return None if value is None else [int(size) for size in value.reshape(-1)]


def with_shape(node: NodeView, sample: Sampler) -> Callable[..., Any]:
    """A kernel that calls `sample(sizes)`, with the sizes read only once where they are known."""
    known = known_sizes(node)
    if known is None:
        return lambda shape: sample(shape.tolist())
    return lambda shape: sample(known)


def output_of_shape_input(op: OpView) -> list[Dims]:
    """The shape rule of an op whose first input is the shape of its output."""
    return [shape_of_input(op, 0)]


def shape_of_input(op: OpView, index: int) -> Dims:
    """The dims that shape input `index` asks for.

    Raises:
        ValueError: if it is not a vector.
    """
    dims = op.inputs[index].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    value = op.constant(index)
    if value is not None and (value < -1).any():
        raise ValueError(f"Dimension {int(value.min())} must be >= 0")
    # A dimension of -1 is one that is not known yet; the kernel refuses it.
    return op.constant_dims(index, captured=True)


def shape_tensor(shape: TensorLike) -> Tensor:
    """A shape given to a random function as a tensor, int32 where it is empty."""
    dtype = None
    if isinstance(shape, (tuple, list)):
        if shape:
            shape = tuple(dimension_value(size) for size in shape)
        else:
            dtype = "int32"
    return convert_to_tensor(shape, dtype, name="shape")


def scaled(random: Tensor, factor: Tensor, shift: Tensor, name: str) -> Tensor:
    """`random * factor + shift`, with the operations that TensorFlow makes for it."""
    return raw.Add(raw.Mul(random, factor, name="mul"), shift, name=name)


def no_gradient_through(*declarations: OpDecl) -> None:
    """Random numbers do not depend on anything that a gradient could flow to."""
    for decl in declarations:
        decl.not_differentiable()


def scalar_bounds(op: OpView, first: int) -> None:
    for tensor in op.inputs[first : first + 2]:
        if tensor.dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(tensor.dims)}")


def two_seeds(op: OpView, index: int) -> None:
    """Raises ValueError unless input `index` can be a vector of two seeds."""
    dims = op.inputs[index].dims
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    if dims is not None and dims[0] not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {dims[0]}")
