"""What folding and quantising share: the count of steps, scopes of operations, rewiring."""

from __future__ import annotations

from headrace.contrib.graph_editor.reroute import move_consumers
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import int64
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import identity
from headrace.state.initializers import Zeros
from headrace.state.modes import VariableAggregation
from headrace.state.updates import assign_add
from headrace.state.variable_scope import get_variable

# Operations whose names begin so were not made by the model.
SKIPPED_PREFIXES = ("gradients/", "RMSProp/", "Adagrad/", "Const_", "HistogramSummary", "ScalarSummary")


def quantization_step() -> Tensor:
    """The count of training steps that delays are measured in, made when it is first asked for.

    Every run of it counts one further.
    """
    name = "fake_quantization_step"
    graph = get_default_graph()
    counted = graph._nodes_by_name.get(f"{name}/Identity")
    if counted is not None:
        return counted.outputs[0]
    with graph.name_scope(None):
        step = get_variable(
            name,
            shape=[],
            dtype=int64,
            initializer=Zeros(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
        )
        with graph.name_scope(f"{step.op.name}/"):
            counting: Tensor = identity(assign_add(step, 1))
            return counting


def scope_of(name: str) -> str:
    """The scope of an operation's or scope's name, "" at the root."""
    return name.rpartition("/")[0]


def reroute(new: Tensor, old: Tensor, consumers: list[Operation] | None = None) -> int:
    """Lets `consumers` (all by default) take `new` instead of `old`; returns how many inputs that changed."""
    rerouted = old.consumers()
    if consumers is not None:
        rerouted = [op for op in rerouted if op in consumers]
    return move_consumers(new, old, rerouted)


class Consumers:
    """Who takes what in a graph, as it was when this was made and without what training added.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self._by_tensor: dict[Tensor, dict[Operation, None]] = {}
        for op in graph.get_operations():
            if not op.name.startswith(SKIPPED_PREFIXES):
                for tensor in op.inputs:
                    self._by_tensor.setdefault(tensor, {})[op] = None

    def of(self, op: Operation) -> list[Operation]:
        """The operations that take an output of `op`."""
        return list(dict.fromkeys(consumer for tensor in op.outputs for consumer in self._by_tensor.get(tensor, ())))
