"""The calls of layers as nodes of a graph: the names that 1.15's module of this name had."""

from __future__ import annotations

from headrace.layers.nodes import KerasHistory, Node

__all__ = ["KerasHistory", "Node"]
