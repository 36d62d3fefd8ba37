"""Patterns that have one good kernel, rewritten to it; each rewrite is a function from nodes to nodes."""

from __future__ import annotations

from headrace.plan.ir import Node, Value


def fuse(nodes: list[Node], fetched: list[Value], keep: set[Node]) -> tuple[list[Node], list[Value]]:
    """Applies every rewrite in turn."""
    return nodes, fetched
