"""What a tape records in a graph: which operations were added while it listened, and what they were made from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from headrace.autodiff.gradients import is_trainable
from headrace.core.defaults import get_default_graph
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.planning_facts import CONTROL_FLOW, Role
from headrace.core.tensor import Tensor


class GraphRecording:
    """The stretches of graphs that were added while a tape listened, and what it watched from when on.

    Args:
        watches_variables: whether trainable variables are watched without being asked for.
    """

    def __init__(self, watches_variables: bool) -> None:
        self.watches_variables = watches_variables
        # For each graph the numbers of its first operation that was recorded, and of the first after those.
        self.stretches: dict[Graph, list[list[int | None]]] = {}
        self.watched: dict[Tensor, int] = {}
        self._open: list[int | None] | None = None
        self._open_in: Graph | None = None

    def start(self) -> None:
        """From here on operations are recorded."""
        graph = get_default_graph()
        if isinstance(graph, Graph):
            self._open, self._open_in = [len(graph._operations), None], graph
            self.stretches.setdefault(graph, []).append(self._open)

    def stop(self) -> None:
        """From here on they are not."""
        if self._open is not None and self._open_in is not None:
            self._open[1] = len(self._open_in._operations)
            self._open = self._open_in = None

    def watch(self, tensor: Tensor) -> None:
        """What is made from `tensor` from here on is followed."""
        self.watched.setdefault(tensor, len(tensor.graph._operations) if tensor._is_graph_tensor else 0)

    def covers(self, graph: Graph) -> bool:
        """Whether anything of `graph` was recorded."""
        return graph in self.stretches

    def operations(self, graph: Graph) -> dict[Operation, int]:
        """What was recorded of `graph`, in the order in which it was made, with its numbers."""
        made = graph._operations
        return {made[at]: at for first, last in self.stretches[graph] for at in range(first or 0, last or len(made))}

    def followed(self, graph: Graph, sources: Iterable[Tensor]) -> tuple[list[Operation], set[Tensor]]:
        """The recorded operations of `graph` that depend on what is watched, in their order; and all that is followed.

        Args:
            sources: tensors and handles of variables watched without having been asked for.
        """
        recorded = self.operations(graph)
        # Loops are followed in functions only, as 1.15 does.
        in_function = isinstance(graph, FuncGraph)
        start = dict.fromkeys(sources, 0)
        start.update(self.watched)
        reached: set[Operation] = set()
        followed: set[Tensor] = set()
        waiting: deque[tuple[Tensor, int]] = deque()
        for tensor, since in start.items():
            waiting.append((tensor, since))
            inner = graph.inner_of(tensor) if isinstance(graph, FuncGraph) else None
            if inner is not None:
                waiting.append((inner, 0))
        while waiting:
            tensor, since = waiting.popleft()
            followed.add(tensor)
            # What was made eagerly knows nothing of its use; in a function an input stands for it.
            for op in tensor._consumers if tensor._is_graph_tensor else ():
                if not in_function and op.decl.role is Role.NEXT_ITERATION:
                    continue
                if not in_function and op.decl.role in CONTROL_FLOW and tensor.dtype.name == "resource":
                    # The way of a handle into a branch or loop, which another use may have made before.
                    waiting.extend((output, since) for output in op.outputs if output not in followed)
                    continue
                if op in reached or recorded.get(op, -1) < since:
                    continue
                reached.add(op)
                waiting.extend((output, 0) for output in op.outputs if is_trainable(output.dtype))
        return sorted(reached, key=recorded.__getitem__), followed

    def variables(self) -> list[Any]:
        """The trainable variables that recorded operations read, in the order of their first use."""
        found: dict[int, Any] = {}
        for graph in self.stretches:
            for op in self.operations(graph):
                for tensor in op.inputs:
                    if tensor.dtype.name == "resource":
                        tensor = carried_from(tensor)
                        outer = graph.outer_of(tensor) if isinstance(graph, FuncGraph) else None
                        reference = getattr(tensor if outer is None else outer, "_variable", None)
                        variable = reference() if reference is not None else None
                        if variable is not None and (variable.trainable or variable.handle in self.watched):
                            found.setdefault(id(variable), variable)
        return list(found.values())


def backward_order(operations: Iterable[Operation], targets: Iterable[Any]) -> list[Operation]:
    """Those of `operations` that lead to `targets`, each after all that use what it makes: first ready, first gone back."""
    recorded = set(operations)
    needed: dict[Operation, None] = {}
    waiting = [target.op for target in targets if isinstance(target, Tensor)]
    while waiting:
        op = waiting.pop()
        if op in recorded and op not in needed:
            needed[op] = None
            waiting.extend(tensor.op for tensor in op.inputs)
    uses = dict.fromkeys(needed, 0)
    for op in needed:
        for tensor in op.inputs:
            if tensor.op in uses:
                uses[tensor.op] += 1
    ready = deque(op for op in needed if not uses[op])
    order: list[Operation] = []
    while ready:
        op = ready.popleft()
        order.append(op)
        for tensor in op.inputs:
            if tensor.op in uses:
                uses[tensor.op] -= 1
                if not uses[tensor.op]:
                    ready.append(tensor.op)
    return order


def carried_from(tensor: Tensor) -> Tensor:
    """The handle that was carried into the branch or loop where it is `tensor`; another tensor is itself."""
    while tensor.dtype.name == "resource" and tensor._is_graph_tensor and tensor.op.decl.role in CONTROL_FLOW:
        tensor = tensor.op.inputs[0]
    return tensor


def refuse_control_flow(operations: Iterable[Operation]) -> None:
    """Raises NotImplementedError for branches and loops, which only `tf.gradients` differentiates in a graph.

    What a tape inside of a loop sees come in from around it is no loop to it.
    """
    for op in operations:
        if op.decl.role in CONTROL_FLOW and op.decl.role is not Role.ENTER:
            raise NotImplementedError(
                "tf.GradientTape.gradients() does not support graph control flow operations like tf.cond or tf.while "
                f"(here {op.name!r}, a {op.type}). Use tf.gradients() instead."
            )
