"""1.x's `context`: whether operations run as they are made (never here), and what surrounds those that would."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

import torch

from headrace.platform.behavior import executing_eagerly

__all__ = ["eager_mode", "executing_eagerly", "graph_mode", "in_eager_mode", "in_graph_mode", "num_gpus"]

GRAPH_MODE = 0
EAGER_MODE = 1


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A context in which operations are added to a graph; so they are already."""
    yield


def eager_mode() -> NoReturn:
    """Would let operations run as they are made.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("context.eager_mode(): Headrace runs graphs only; build a graph and run it in a session.")


def in_graph_mode() -> bool:
    """Whether operations are added to a graph: always."""
    return True


def in_eager_mode() -> bool:
    """Whether operations run as they are made: never."""
    return False


def num_gpus() -> int:
    """How many GPUs there are."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0
