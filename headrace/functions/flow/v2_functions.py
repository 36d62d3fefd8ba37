"""Branches and loops as operations that call functions, whatever `tf.enable_control_flow_v2` says: 1.x's internal names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph
from headrace.core.func_graph import FuncGraph
from headrace.functions.flow.branch_functions import Branch, case_of_functions, cond_of_functions
from headrace.functions.flow.loop_function import loop_of_functions
from headrace.functions.flow.modes import BodyGraph

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def cond_v2(pred: Tensor, true_fn: Branch, false_fn: Branch, name: str | None = "cond") -> Tensor:
    """`tf.cond` as an If operation."""
    return cond_of_functions(pred, true_fn, false_fn, name)


def indexed_case(branch_index: TensorLike, branch_fns: Sequence[Branch], name: str | None = "indexed_case") -> Tensor:
    """The results of the branch at `branch_index`, or of the last one where there is none, as a Case operation."""
    return case_of_functions(branch_index, branch_fns, name)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[TensorLike],
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: str | None = None,
    return_same_structure: bool = True,
) -> Any:
    """`tf.while_loop` as a While operation."""
    return loop_of_functions(
        cond,
        body,
        loop_vars,
        shape_invariants,
        parallel_iterations,
        maximum_iterations,
        name,
        return_same_structure,
    )


def in_defun() -> bool:
    """Whether the default graph is the body of a traced function, or of a branch or loop in one."""
    graph = get_default_graph()
    while isinstance(graph, BodyGraph):
        graph = graph.outer_graph
    return isinstance(graph, FuncGraph)
