"""The nodes of GraphDefs as operations of a graph: their names, types and attributes checked, made in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from headrace.core.apply import add_fitting, operation_from_parts
from headrace.core.device import DeviceSpec
from headrace.core.errors import UndeclaredOpError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.graph_functions import called_function, has_functions
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, find, find_public
from headrace.core.tensor import Tensor
from headrace.messages.file_faults import note_node
from headrace.messages.node_checks import check_attr, check_signature, constrained, counts_outputs, fits
from headrace.messages.node_def import attrs_from_protos, shape_from_proto
from headrace.messages.producers import Producer
from headrace.util.callsite import user_frames

if TYPE_CHECKING:
    from headrace.messages import protos


_TENSOR_NAME = re.compile(r"^[^:]+:\d+$")
_NODE_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\-/]*")
# In the body of a function names of the system's own making are met too.
_INNER_NODE_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.\-/]*")
_LOOP_BACK = "NextIteration"
_COLOCATED = "loc:@"
# Before it, the shape of a scalar of a Placeholder said that nothing is known of its shape.
_PLACEHOLDERS_HAVE_SHAPES = 24
# More outputs than any import has whose number a node says, and few enough to make.
_MAX_OUTPUTS = 1 << 20
# How many there have been: a GraphDef and the functions of its library have one producer, and are one import.
_counted_outputs: WeakKeyDictionary[Producer, int] = WeakKeyDictionary()


def import_nodes(
    graph: Graph,
    graph_def: protos.GraphDef,
    producer: Producer,
    scope: str = "",
    mapped: Mapping[tuple[str, int], Any] | None = None,
    return_elements: Sequence[str] | None = None,
) -> list[Operation | Tensor] | None:
    """Adds the nodes of a GraphDef to `graph`.

    Args:
        graph: the graph, which has the functions that the nodes call.
        graph_def: the `GraphDef`, whose library is not looked at.
        producer: what is known of the program that made it.
        scope: what goes before the names, with a slash at its end.
        mapped: tensors and operations of the graph to use instead of what `parse_input` makes of an input.
        return_elements: names of operations ("op") and tensors ("op:0") to return.

    Raises:
        ValueError, NotFoundError: as `import_graph_def`.
    """
    return _Import(graph, graph_def, scope, mapped or {}, producer).run(return_elements)


def check_types(graph: Graph, graph_def: Any) -> None:
    """Raises UndeclaredOpError, which names them all, if nodes are of types that are not declared."""
    # A node without a type is told of when it is its turn.
    types = {node.op for node in graph_def.node if node.op}
    unknown = sorted(t for t in types if called_function(graph, t) is None and find_public(t) is None)
    if unknown:
        error = UndeclaredOpError(
            None,
            None,
            f"Op type not registered '{unknown[0]}': Headrace declares no op of type {', '.join(unknown)}, which the "
            "GraphDef uses.",
        )
        note_node(error, next(node.name for node in graph_def.node if node.op in unknown))
        raise error


def parse_input(text: str) -> tuple[str, int]:
    """The operation and output that an input string names; -1 for a control input."""
    if text.startswith("^"):
        return text[1:], -1
    name, colon, index = text.rpartition(":")
    return (name, int(index)) if colon and index.isdigit() else (text, 0)


def check_node_name(name: str, pattern: re.Pattern[str] = _INNER_NODE_NAME) -> None:
    """Raises ValueError for what cannot be the name of a node."""
    if not pattern.fullmatch(name):
        error = ValueError(f"Node {name!r}: Node name contains invalid characters")
        note_node(error, name)
        raise error


def as_text(value: str | bytes) -> str:
    """A name, which may be given as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _colocated_with(groups_attr: protos.AttrValue) -> list[str]:
    """The nodes that the attribute `_class` of a node says it is colocated with."""
    groups = map(as_text, groups_attr.list.s)
    return [group.removeprefix(_COLOCATED) for group in groups if group.startswith(_COLOCATED)]


def _scopes_of(graph: Graph) -> set[str]:
    """The names that stand before a slash in those of a graph's operations."""
    found: set[str] = set()
    for name in graph._nodes_by_name:
        scope = name.rpartition("/")[0]
        while scope and scope not in found:
            found.add(scope)
            scope = scope.rpartition("/")[0]
    return found


def _refuse_mapped(missing: Sequence[tuple[str, int]]) -> None:
    if missing:
        texts = [f"^{n}" if i < 0 else f"{n}:{i}" for n, i in missing]
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(texts)}]")


def _refine_shapes(known: protos.AttrValue, op: Operation) -> None:
    """Adds what `_output_shapes`, which exporters may write, knows of the outputs; ValueError where that cannot be."""
    for number, (tensor, shape) in enumerate(zip(op._outputs, known.list.shape, strict=False)):
        dims = shape_from_proto(shape)
        if dims != tensor.dims:
            try:
                tensor.set_shape(dims)
            except ValueError as error:
                # A handle has no other shape, whatever is written; some writers gave it that of what it leads to.
                handle = tensor.dtype.base_dtype.name == "resource"
                if not (handle or op.type in _WRITTEN_BY_OLD_FILES or op.type.startswith("Reader")):
                    raise ValueError(
                        f"Node '{op.name}' has an _output_shapes attribute inconsistent with the GraphDef for output "
                        f"#{number}: {error}"
                    ) from None


# Types whose shapes older releases wrote down wrongly: 1.15 goes by its own.
_WRITTEN_BY_OLD_FILES = frozenset((
    "Barrier", "BarrierIncompleteSize", "BarrierReadySize", "ConditionalAccumulator", "FIFOQueue",
    "FixedLengthRecordReader", "HashTable", "IdentityReader", "LMDBReader", "MutableHashTable",
    "MutableHashTableOfTensors", "PaddingFIFOQueue", "PriorityQueue", "QueueSize", "RandomShuffleQueue",
    "RefMerge", "SparseConditionalAccumulator", "Stack", "TFRecordReader", "TextLineReader",
    "WholeFileReader",
))  # fmt: skip


class _Import:
    """One import: nodes become operations in an order in which their inputs exist."""

    def __init__(
        self,
        graph: Graph,
        graph_def: protos.GraphDef,
        scope: str,
        mapped: Mapping[tuple[str, int], Any],
        producer: Producer,
    ) -> None:
        self.graph = graph
        self.producer = producer
        self.nodes = {node.name: node for node in graph_def.node}
        if len(self.nodes) != len(graph_def.node):
            counts = Counter(node.name for node in graph_def.node)
            raise ValueError(f"Node {counts.most_common(1)[0][0]!r} is not unique")
        pattern = _INNER_NODE_NAME if isinstance(graph, FuncGraph) else _NODE_NAME
        # What each node's inputs name.
        self.keys: dict[str, list[tuple[str, int]]] = {}
        for name, node in self.nodes.items():
            check_node_name(name, pattern)
            if not node.op:
                raise ValueError(f"Node '{name}' does not specify an operation")
            self.keys[name] = [parse_input(text) for text in node.input]
        # The nodes that each is colocated with, of those that are.
        self.colocated: dict[str, list[str]] = {}
        self.scope = scope
        self.mapped = mapped
        self.made: dict[str, Operation] = {}
        self.scopes = _scopes_of(graph)
        self.renamed: dict[str, str] = {}
        self.used: set[tuple[str, int]] = set()
        self.unfinished: list[tuple[str, int, tuple[str, int]]] = []
        # Whether names of types may be those of functions.
        self.calls = has_functions(graph)

    def run(self, return_elements: Sequence[str] | None) -> list[Operation | Tensor] | None:
        for element in return_elements or ():
            if ":" in element and not _TENSOR_NAME.match(element):
                raise ValueError(f"Cannot convert {element!r} to a tensor name.")
            if parse_input(element)[0] not in self.nodes:
                kind = "tensor" if ":" in element else "node"
                raise ValueError(f"Requested return {kind} '{element}' not found in graph def")
        missing = []
        if self.mapped:
            known = {key for keys in self.keys.values() for key in keys}
            missing = [key for key in self.mapped if key not in known and key[0] not in self.nodes]
        _refuse_mapped(missing)
        in_order = self._check_inputs()
        scopes = self.graph._scopes
        before = scopes.name_stack, scopes.frames
        scopes.name_stack, scopes.frames = "", user_frames()
        name = ""
        try:
            for name in self.nodes if in_order else self._ordered():
                self._make(name, self.nodes[name])
        except Exception as error:
            note_node(error, name)
            raise
        finally:
            scopes.name_stack, scopes.frames = before
        _refuse_mapped([key for key in self.mapped if key[0] in self.made and key[1] >= len(self.made[key[0]].outputs)])
        self._colocate()
        for name, position, (source, index) in self.unfinished:
            self.made[name]._update_input(position, self.made[source].outputs[index])
        if return_elements is None:
            return None
        return [self._element(text) for text in return_elements]

    def _check_inputs(self) -> bool:
        """Whether all nodes come after their inputs.

        Raises:
            ValueError: if a node names another that is not there.
        """
        nodes, mapped = self.nodes, self.mapped
        in_order = True
        seen: set[str] = set()
        for name, node in nodes.items():
            for place, key in enumerate(self.keys[name]):
                if key[0] in seen or key in mapped:
                    continue
                in_order = False
                if key[0] not in nodes:
                    error = ValueError(f"Node '{name}': Unknown input node '{node.input[place]}'")
                    note_node(error, name)
                    raise error
            seen.add(name)
            attr = node.attr
            others = _colocated_with(attr["_class"]) if "_class" in attr else None
            if others:
                self.colocated[name] = others
                for other in others:
                    if other not in nodes and not isinstance(self.graph, FuncGraph):
                        error = ValueError(f"Node '{name}' expects to be colocated with unknown node '{other}'")
                        note_node(error, name)
                        raise error
        return in_order

    def _colocate(self) -> None:
        """Gives operations the devices of those that they are colocated with, whose names may have changed."""
        for name, others in self.colocated.items():
            op = self.made[name]
            if self.renamed:
                op.attrs["_class"] = [self._renamed(group) for group in op.attrs["_class"]]
            for other in others:
                if other != name and other in self.made:
                    op._device = self.made[other]._device

    def _renamed(self, group: str) -> str:
        name = group.removeprefix(_COLOCATED)
        return _COLOCATED + self.renamed.get(name, name) if name != group else group

    def _ordered(self) -> list[str]:
        ordered: list[str] = []
        state: dict[str, int] = {}
        for root in self.nodes:
            stack = [root]
            while stack:
                name = stack[-1]
                mark = state.get(name)
                if mark == 2:
                    stack.pop()
                elif mark == 1:
                    stack.pop()
                    state[name] = 2
                    ordered.append(name)
                else:
                    state[name] = 1
                    for key in reversed(self.keys[name]):
                        if key in self.mapped or self._loops_back(name, key):
                            continue
                        mark = state.get(key[0])
                        if mark == 1:
                            count = len(stack) - stack.index(key[0])
                            raise ValueError(f"{count} nodes in a cycle through '{key[0]}', outside of a loop")
                        if mark is None:
                            stack.append(key[0])
        return ordered

    def _loops_back(self, name: str, key: tuple[str, int]) -> bool:
        return self.nodes[name].op in ("Merge", "RefMerge") and self.nodes[key[0]].op.endswith(_LOOP_BACK)

    def _make(self, name: str, node: protos.NodeDef) -> None:
        graph, mapped, made = self.graph, self.mapped, self.made
        inputs: list[Tensor] = []
        controls: list[Operation] = []
        for key in self.keys[name]:
            source, index = key
            if controls and index >= 0:
                raise ValueError(f"Node '{name}': Control dependencies must come after regular dependencies")
            if mapped and key in mapped:
                self.used.add(key)
                value = mapped[key]
                if index < 0:
                    controls.append(value if isinstance(value, Operation) else value.op)
                else:
                    inputs.append(value)
            elif index < 0:
                controls.append(made[source])
            elif source not in made:
                # The back edge of a loop: filled in when its source has been made.
                self.unfinished.append((name, len(inputs), key))
                inputs.append(self._stand_in(name))
            else:
                outputs = made[source]._outputs
                inputs.append(outputs[index] if index < len(outputs) else self._output(name, key))
        # Types of the planner's have been refused.
        kind = node.op
        decl = find(kind)
        if decl is not None and self.calls and called_function(graph, kind) is not None:
            # A call of a function, which has no attributes of its own and no signature until it is called.
            decl = None
        attr = node.attr
        attrs = self._attrs(name, node, attr, decl)
        full = self.scope + name
        plain = decl is not None and fits(decl, inputs, attrs)
        if decl is not None and not plain:
            check_signature(node, decl, inputs, attrs, full)
        if full in graph._nodes_by_name or full in self.scopes:
            self.renamed[full] = full = graph.unique_name(full)
        try:
            if decl is not None and plain and not self.calls and not full.startswith("_"):
                op = add_fitting(graph, decl, inputs, attrs, full, controls)
            else:
                op = operation_from_parts(graph, kind, inputs, attrs, full + "/", control_inputs=controls)
        except (TypeError, LookupError, ArithmeticError) as error:
            # What does not fit is in the GraphDef or the map, whose values are at fault.
            raise ValueError(f"Node '{name}' was passed an input incompatible with it: {error}") from None
        key_in_use = full.lower()
        graph._names_in_use[key_in_use] = max(1, graph._names_in_use.get(key_in_use, 0))
        device = node.device
        if device:
            # What the node says comes before the scopes that are open, which say the rest.
            merged = DeviceSpec.from_string(op._device)
            merged.merge_from(DeviceSpec.from_string(device))
            op._device = merged.to_string()
        if "_output_shapes" in attr:
            _refine_shapes(attr["_output_shapes"], op)
        made[name] = op

    def _stand_in(self, name: str) -> Tensor:
        """What a Merge takes until what comes back to it has been made: another of its inputs.

        Raises:
            ValueError: if all of them come back.
        """
        for source, index in self.keys[name]:
            if source in self.made and 0 <= index < len(self.made[source].outputs):
                return self.made[source].outputs[index]
            if (source, index) in self.mapped and index >= 0:
                return self.mapped[source, index]
        raise ValueError(f"Node '{name}': none of its inputs comes from outside of the loop")

    def _attrs(self, name: str, node: protos.NodeDef, values: Any, decl: OpDecl | None) -> dict[str, Any]:
        if decl is None:
            attrs = attrs_from_protos(values, None)
        else:
            declared = decl.signature.attrs
            for key in values:
                if key not in declared and key[:1] != "_":
                    values = self.producer.understood(node, declared)
                    break
            try:
                attrs = attrs_from_protos(values, declared)
            except ValueError as error:
                raise ValueError(f"{error}; NodeDef: {name} (op: '{node.op}')") from None
            if node.op == "Const" and "dtype" in values and values["value"].tensor.dtype != values["dtype"].type:
                raise ValueError(f"Node '{name}': the value of the constant is not of the type 'dtype' names")
            try:
                for attr, allowed in constrained(decl):
                    value = attrs.get(attr.name)
                    # Almost all are types, and fit.
                    if value is not None and id(value) not in allowed:
                        check_attr(attr, value, values[attr.name])
            except ValueError as error:
                where = f"NodeDef: {{{{node {self.scope}{name}}}}}; Op<name={node.op}>"
                raise ValueError(f"{error}\n\t; {where}") from None
            if counts_outputs(decl):
                self._count_outputs(node, decl, attrs)
        if node.op == "Placeholder" and self.producer.version < _PLACEHOLDERS_HAVE_SHAPES and attrs.get("shape") == ():
            attrs["shape"] = None
        if "frame_name" in attrs and isinstance(attrs["frame_name"], str):
            # Loops of two imports are two loops.
            attrs["frame_name"] = self.scope + attrs["frame_name"]
        if isinstance(attrs.get("_class"), list):
            attrs["_class"] = [self._moved(group) for group in attrs["_class"]]
        return attrs

    def _count_outputs(self, node: protos.NodeDef, decl: OpDecl, attrs: dict[str, Any]) -> None:
        """Raises ValueError if the nodes so far say of themselves that they have too many outputs."""
        for arg in decl.signature.outputs:
            if arg.number_attr is not None:
                count = attrs.get(arg.number_attr, 0)
                total = _counted_outputs[self.producer] = _counted_outputs.get(self.producer, 0) + count
                if total > _MAX_OUTPUTS:
                    raise ValueError(
                        f"Node '{node.name}' (op: '{node.op}') asks for {count} outputs: an import may have "
                        f"{_MAX_OUTPUTS} in all"
                    )

    def _output(self, name: str, key: tuple[str, int]) -> Tensor:
        raise ValueError(
            f"Node '{name}': Connecting to invalid output {key[1]} of source node {key[0]} which has "
            f"{len(self.made[key[0]].outputs)} outputs."
        )

    def _moved(self, group: str) -> str:
        """A colocation group follows its operation under the prefix."""
        text = as_text(group)
        name = text.removeprefix(_COLOCATED)
        return f"{_COLOCATED}{self.scope}{name}" if name != text and name in self.nodes else text

    def _element(self, text: str) -> Operation | Tensor:
        name, colon, _ = text.rpartition(":")
        if not colon:
            return self.made[text]
        key = parse_input(text)
        if key in self.mapped:
            return self.mapped[key]
        op = self.made[name]
        if key[1] >= len(op.outputs):
            raise ValueError(f"Invalid return output {key[1]} of node '{name}', which has {len(op.outputs)} output(s)")
        return op.outputs[key[1]]
