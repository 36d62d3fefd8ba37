"""Giving back memory that cycles of references hold: 1.x's `util.memory`."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any


def dismantle_ordered_dict(ordered_dict: OrderedDict[Any, Any]) -> None:
    """Empties a dictionary that will not be used any more; those of Python 3 hold no cycle of references."""
    ordered_dict.clear()


def IS_IN_GRAPH_MODE() -> bool:
    """Whether the program builds graphs, as `util.is_in_graph_mode` has always said."""
    return True
