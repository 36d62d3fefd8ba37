"""What operations cost in the steps that `GraphOptions.build_cost_model` asks to be measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.core.tensor import Tensor
from headrace.messages import protos
from headrace.runtime.fetching import FetchPlan, expand_feed

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.operation import Operation
    from headrace.core.typing import Fetches
    from headrace.plan.watched import WatchedPlan


@dataclass(slots=True)
class _Cost:
    """The most that an operation took in any measured step.

    Attributes:
        micros: its time.
        persistent: the bytes that stay when it has run: those of a constant or a variable.
        outputs: by index its outputs, as `TensorDescription`s.
    """

    micros: int = 0
    persistent: int = 0
    outputs: dict[int, Any] = field(default_factory=dict)


class CostModel:
    """What is known of the steps of one set of fetches and feeds.

    Attributes:
        steps: how many steps there have been.
    """

    def __init__(self) -> None:
        self.steps = 0
        self._costs: dict[str, _Cost] = defaultdict(_Cost)
        self._devices: dict[str, str] = {}

    def add(self, step_stats: protos.StepStats) -> None:
        """Takes in the statistics of a measured step."""
        for device in step_stats.dev_stats:
            for stats in device.node_stats:
                self._devices[stats.node_name] = device.device
                cost = self._costs[stats.node_name]
                cost.micros = max(cost.micros, stats.op_end_rel_micros)
                cost.persistent = max(cost.persistent, stats.memory_stats.persistent_memory_size)
                for output in stats.output:
                    before, now = cost.outputs.get(output.slot), output.tensor_description
                    if before is None or _size(now) >= _size(before):
                        cost.outputs[output.slot] = now

    def fill(self, cost_graph: protos.CostGraphDef, plan: WatchedPlan) -> None:
        """Describes the operations of a plan with their costs, between a `_SOURCE` and a `_SINK` as 1.x does.

        What is fed and fetched has nodes of its own, `_arg_x_0_0` and `_retval_y_0_0`: the name of the operation, the index
        of its output, and the position among what is fed or fetched, by name.
        """
        source, sink = cost_graph.node.add(name="_SOURCE"), cost_graph.node.add(name="_SINK", id=1)
        sink.control_input.append(source.id)
        ids: dict[object, int] = {}
        fed = sorted(plan.fed, key=lambda tensor: tensor.name)
        for i, tensor in enumerate(fed):
            node = cost_graph.node.add(name=f"_arg_{tensor.op.name}_{tensor.value_index}_{i}", id=len(cost_graph.node))
            node.control_input.append(source.id)
            self._describe(node, tensor.op, [tensor])
            ids[tensor] = node.id
        # The operation of what is fed takes part only where another of its outputs is asked for.
        operations = [operation for operation in plan.graph_operations if operation in plan.taken]
        for i, operation in enumerate(operations, len(cost_graph.node)):
            ids[operation] = i
        waited_for: set[int] = set()
        for operation in operations:
            node = cost_graph.node.add(name=operation.name, id=ids[operation])
            for tensor in operation.inputs:
                if tensor in ids:
                    node.input_info.add(preceding_node=ids[tensor])
                else:
                    node.input_info.add(preceding_node=ids[tensor.op], preceding_port=tensor.value_index)
            before = sorted(ids[each] for each in operation.control_inputs if each in ids)
            node.control_input.extend(before or ([] if operation.inputs else [source.id]))
            waited_for.update(node.control_input, (each.preceding_node for each in node.input_info))
            self._describe(node, operation, operation.outputs)
        fetched = sorted({item for item in plan.fetches if isinstance(item, Tensor)}, key=lambda tensor: tensor.name)
        for i, tensor in enumerate(fetched):
            node = cost_graph.node.add(
                name=f"_retval_{tensor.op.name}_{tensor.value_index}_{i}", id=len(cost_graph.node)
            )
            if tensor in ids:
                node.input_info.add(preceding_node=ids[tensor])
            else:
                node.input_info.add(preceding_node=ids[tensor.op], preceding_port=tensor.value_index)
            waited_for.add(node.input_info[0].preceding_node)
        sink.control_input.extend(node.id for node in cost_graph.node[2:] if node.id not in waited_for)

    def _describe(self, node: protos.CostGraphDef.Node, operation: Operation, outputs: Sequence[Tensor]) -> None:
        cost = self._costs[operation.name]
        node.device = self._devices.get(operation.name, operation.device)
        node.compute_cost, node.persistent_memory_size = cost.micros, cost.persistent
        aliased = 0 if operation.decl.may_alias and operation.inputs else -1
        for tensor in outputs:
            info = node.output_info.add(alias_input_port=aliased, dtype=tensor.dtype.as_datatype_enum)
            made = cost.outputs.get(tensor.value_index)
            info.shape.CopyFrom(tensor.shape.as_proto() if made is None else made.shape)
            # A constant's memory is there before any step.
            if made is not None and operation.type != "Const":
                info.size = _size(made)


def _size(description: protos.TensorDescription) -> int:
    return int(description.allocation_description.requested_bytes)


class CostModels:
    """The models of a session, one for each set of fetches and feeds.

    Args:
        every, after: of how many steps one is measured, and how many go before: as in `GraphOptions`.
    """

    def __init__(self, every: int, after: int) -> None:
        self._every, self._after = every, after
        self._models: dict[tuple[frozenset[str], frozenset[str]], CostModel] = defaultdict(CostModel)

    @staticmethod
    def metadata() -> protos.RunMetadata:
        """A message for a measured step that nobody asked about."""
        return protos.RunMetadata()

    def due(self, graph: Graph, fetches: Fetches, feed_dict: Mapping[Any, Any] | None) -> CostModel | None:
        """Counts a step; its model where it is to be measured, else None."""
        wanted = frozenset(item.name for item in FetchPlan(graph, fetches).elements)
        fed = frozenset(tensor.name for key in feed_dict or () for tensor in expand_feed(graph, key)[0])
        model = self._models[wanted, fed]
        measured = model.steps - self._after
        model.steps += 1
        return model if measured >= 0 and (measured + 1) % self._every == 0 else None
