"""Whether branches and loops are built as functions, or of Switch and Merge."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from headrace.core import dtypes
from headrace.core.defaults import get_default_graph
from headrace.core.errors import InvalidArgumentError
from headrace.core.func_graph import FuncGraph

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.tensor import Tensor


# Programs read and set it as `control_flow_util.ENABLE_CONTROL_FLOW_V2`.
ENABLE_CONTROL_FLOW_V2 = (
    os.environ.get("TF_ENABLE_CONTROL_FLOW_V2", "0") != "0" or os.environ.get("TF_ENABLE_COND_V2", "0") != "0"
)


def set_control_flow_v2(enabled: bool) -> None:
    """Has branches and loops built as functions, or of Switch and Merge, from now on."""
    global ENABLE_CONTROL_FLOW_V2
    ENABLE_CONTROL_FLOW_V2 = enabled


def EnableControlFlowV2(graph: Graph) -> bool:
    """Whether control flow built in `graph` becomes operations that call functions."""
    return ENABLE_CONTROL_FLOW_V2 or calls_functions(graph)


def builds_functions() -> bool:
    """Whether a branch or loop that is built now becomes one operation that calls functions, and an array a list."""
    return EnableControlFlowV2(get_default_graph())


def calls_functions(graph: Graph) -> bool:
    """Whether a graph is the body of a traced function, of a branch or of a loop: branches and loops in it are functions."""
    return isinstance(graph, FuncGraph) and not graph.of_defun


def require_condition(value: Tensor) -> Tensor:
    """What decides on a branch or a loop that TensorFlow has as functions.

    Raises:
        InvalidArgumentError: if it is no bool, or several, which TensorFlow says when the function is run.
    """
    if value.dims:
        shape = "x".join(map(str, value.dims))
        raise InvalidArgumentError(
            None, value.op, f"Input '{value.name}' has {shape} elements, and a branch or loop goes by one."
        )
    if value.dtype.base_dtype is not dtypes.bool:
        raise InvalidArgumentError(
            None, value.op, f"Input '{value.name}' has type {value.dtype.name}, and a branch or loop goes by a bool."
        )
    return value


class BodyGraph(FuncGraph):
    """The body of a branch or a loop. What it adds to collections is in those of the graph around it."""

    def __init__(self, name: str, outer: Any = None) -> None:
        super().__init__(name, outer)
        self._collections = self.outer_graph._collections
        # In a graph only what is asked for runs; a traced function does all that its text says.
        self.only_for_results = getattr(self.outer_graph, "only_for_results", True)
