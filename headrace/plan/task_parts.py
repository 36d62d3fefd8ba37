"""A part of a step that runs as another task: nodes of a plan as a graph in a message, with what goes in and comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headrace.core import errors, slots
from headrace.core.device import DeviceSpec
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.registry import find_public
from headrace.messages import protos
from headrace.messages.function_def import library_of
from headrace.messages.node_def import attr_to_proto
from headrace.messages.tensor_proto import array_to_proto
from headrace.plan.ir import READ_REFERENCE, Node, Value

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.operation import Operation


@dataclass(frozen=True)
class TaskPart:
    """What a task does of a step in one call.

    Attributes:
        task: the number of the task, as `runtime.tasks` counts them.
        graph_def: the nodes.
        feeds: the names of the tensors that are given.
        feed_types: their types.
        fetches: the names of the tensors that are wanted.
        fetch_types: their types.
        targets: the names of the operations that run though nothing is wanted of them.
        fetch_dims: their static shapes.
        operations: the operations of the program by the names of the nodes that stand for them.
        may_wait: whether one of them may wait for something else than what it is given.
    """

    task: int
    graph_def: protos.GraphDef
    feeds: Sequence[str]
    feed_types: Sequence[DType]
    fetches: Sequence[str]
    fetch_types: Sequence[DType]
    fetch_dims: Sequence[Dims]
    targets: Sequence[str]
    operations: Mapping[str, Operation]
    may_wait: bool


def _kind_of(device: str) -> str:
    """The device of a task that a scope asks for: where state is another task's, the scope's own task does not count."""
    spec = DeviceSpec.from_string(device)
    return DeviceSpec(device_type=spec.device_type, device_index=spec.device_index).to_string()


class PartWriter:
    """Writes the graph of one part.

    Args:
        task: the number of the task.
    """

    def __init__(self, task: int) -> None:
        self._task = task
        self._graph_def = protos.GraphDef()
        self._names: dict[Node, str] = {}
        self._constants: dict[Value, str] = {}
        self._fed: dict[Value, str] = {}
        self._operations: dict[str, Operation] = {}
        self._reads: dict[tuple[str, tuple[str, ...]], str] = {}
        self._copies: dict[str, str] = {}
        self._library_of: Graph | None = None
        self._may_wait = False

    @property
    def fed(self) -> list[Value]:
        """The values that the part is given, in order."""
        return list(self._fed)

    def has(self, node: Node) -> bool:
        """Whether a node has been written."""
        return node in self._names

    def feed(self, value: Value) -> str:
        """What stands for a value that is given.

        Raises:
            UnimplementedError: if it cannot leave the task that has it.
        """
        name = self._fed.get(value)
        if name is None:
            if value.dtype._is_ref_dtype or value.dtype.name in ("resource", "variant"):
                raise errors.UnimplementedError(
                    None,
                    value.node.origin,
                    f"'{value.node.name}' gives a {value.dtype.name}, which belongs to its task, to an operation of "
                    "another: place both on one task.",
                )
            name = self._fed[value] = self._placeholder(f".in/{len(self._fed)}", value.dtype.base_dtype, value.dims)
        return name

    def constant(self, value: Value) -> str:
        """What stands for a value that is always the same."""
        name = self._constants.get(value)
        if name is None:
            name = self._constants[value] = f".constant/{len(self._constants)}"
            node = self._graph_def.node.add(name=name, op="Const")
            dtype = value.dtype.base_dtype
            node.attr["dtype"].CopyFrom(attr_to_proto("type", dtype))
            assert value.constant is not None
            node.attr["value"].tensor.CopyFrom(array_to_proto(value.constant, dtype))
        return name

    def add(self, node: Node, inputs: Sequence[str], controls: Sequence[str]) -> None:
        """Adds a node whose inputs have names."""
        if node.type == READ_REFERENCE or node.decl.reads_variable:
            # Several reads at one time are one, which is sent once.
            key = (inputs[0], tuple(sorted(controls)))
            known = self._reads.get(key)
            if known is not None:
                self._names[node] = known
                return
        taken = node.name in self._operations
        name = f".more/{len(self._names)}" if taken or node.type == READ_REFERENCE else node.name
        self._names[node] = name
        self._may_wait = self._may_wait or node.decl.may_wait
        if node.origin is not None:
            self._operations[name] = node.origin
        message = self._message(node, name)
        message.input.extend([*inputs, *(f"^{control}" for control in dict.fromkeys(controls))])
        if node.type == READ_REFERENCE or node.decl.reads_variable:
            self._reads[inputs[0], tuple(sorted(controls))] = name

    def copy(self, value: Value) -> str:
        """The name of a copy of an output, made before anything of the part writes to what it lies in."""
        source = self.name(value)
        name = self._copies.get(source)
        if name is None:
            name = self._copies[source] = f".copy/{len(self._copies)}"
            node = self._graph_def.node.add(name=name, op="DeepCopy", input=[source])
            node.attr["T"].CopyFrom(attr_to_proto("type", value.dtype.base_dtype))
        return name

    def name(self, value: Value) -> str:
        """The name of an output of a node that has been added."""
        name = self._names[value.node]
        return f"{name}:{value.index}" if value.index else name

    def node_name(self, node: Node) -> str:
        """The name of a node that has been added."""
        return self._names[node]

    def finished(self, fetches: Mapping[str, Value], targets: Sequence[Node]) -> TaskPart:
        """The part, of which some values are wanted, by their names there, and some nodes run for their effect."""
        if self._library_of is not None:
            self._graph_def.library.CopyFrom(library_of(self._library_of))
        return TaskPart(
            task=self._task,
            graph_def=self._graph_def,
            feeds=[f"{name}:0" for name in self._fed.values()],
            feed_types=[value.dtype.base_dtype for value in self._fed],
            fetches=[name if ":" in name else f"{name}:0" for name in fetches],
            fetch_types=[value.dtype.base_dtype for value in fetches.values()],
            fetch_dims=[value.dims for value in fetches.values()],
            targets=list(dict.fromkeys(self._names[node] for node in targets)),
            operations=self._operations,
            # What waits in a function is not looked for.
            may_wait=self._may_wait or self._library_of is not None,
        )

    def _placeholder(self, name: str, dtype: DType, dims: Dims) -> str:
        node = self._graph_def.node.add(name=name, op="Placeholder")
        node.attr["dtype"].CopyFrom(attr_to_proto("type", dtype))
        node.attr["shape"].CopyFrom(attr_to_proto("shape", dims))
        return name

    def _message(self, node: Node, name: str) -> protos.NodeDef:
        origin = node.origin
        if node.type in ("Identity", READ_REFERENCE):
            message = self._graph_def.node.add(name=name, op="Identity")
            message.attr["T"].CopyFrom(attr_to_proto("type", node.outputs[0].dtype.base_dtype))
            return message
        if origin is None or node.decl is not origin.decl:
            raise errors.InternalError(None, origin, f"'{node.name}' is a {node.type}, which no other task knows.")
        given = slots.node_def_of(origin)
        message = self._graph_def.node.add(name=name, op=given.op, device=_kind_of(given.device))
        for key, value in given.attr.items():
            # What begins so is a remark: colocation with nodes that may not be here, shapes, the gradient's name.
            if key.startswith("_"):
                continue
            message.attr[key].CopyFrom(value)
            if value.HasField("func") or value.list.func:
                self._library_of = origin.graph
        if find_public(node.type) is None:
            self._library_of = origin.graph
        return message
