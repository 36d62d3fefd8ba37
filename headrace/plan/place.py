"""The pass that decides on which device each node runs and where values must move."""

from __future__ import annotations

from typing import Any

from headrace.plan.ir import Node, Value


def place(nodes: list[Node], fetched: list[Value], runtime: Any) -> tuple[list[Node], list[Value]]:
    """Assigns devices; with only a CPU there is nothing to decide."""
    return nodes, fetched
