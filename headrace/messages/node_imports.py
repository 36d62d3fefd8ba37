"""The nodes of GraphDefs as operations of a graph: their names, types and attributes checked, made in order."""

from __future__ import annotations

import contextlib
import functools
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from headrace.core.apply import argument_types, operation_from_parts
from headrace.core.device import DeviceSpec
from headrace.core.dtypes import DType
from headrace.core.errors import UndeclaredOpError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.graph_functions import called_function
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, find, find_public
from headrace.core.shapes import TensorShape
from headrace.core.signature import Attr
from headrace.core.tensor import Tensor
from headrace.messages.file_faults import note_node
from headrace.messages.node_def import attrs_from_protos
from headrace.messages.producers import Producer

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
# How many inputs that are not there an error still names one by one.
_MAX_INPUTS_NAMED = 1000
# How many there have been: a GraphDef and the functions of its library have one producer, and are one import.
_counted_outputs: WeakKeyDictionary[Producer, int] = WeakKeyDictionary()
# The list of an AttrValue that holds the elements of each kind.
_LISTS = {"i": "int", "f": "float", "b": "bool", "s": "string"}


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


def _type_name(dtype: DType) -> str:
    """What TensorFlow's runtime calls a type."""
    base = dtype.base_dtype.name
    name = {"float32": "float", "float64": "double", "float16": "half"}.get(base, base)
    return f"{name}_ref" if dtype._is_ref_dtype else name


def _fits(decl: OpDecl, inputs: list[Tensor], attrs: dict[str, Any]) -> bool:
    """Whether a node plainly fits its op's signature; a signature with lists is looked at more closely."""
    signature = decl.signature
    args = signature.inputs
    if len(args) != len(inputs):
        return False
    declared = signature.attrs
    for name, attr in declared.items():
        if name not in attrs and not attr.has_default:
            return False
    for arg, tensor in zip(args, inputs, strict=True):
        if arg.is_ref or arg.number_attr is not None or arg.type_list_attr is not None:
            return False
        expected = arg.dtype
        if expected is None:
            key = arg.type_attr or ""
            expected = attrs[key] if key in attrs else declared[key].default
        if tensor._dtype.base_dtype is not expected:
            return False
    return True


def check_node_name(name: str, pattern: re.Pattern[str] = _INNER_NODE_NAME) -> None:
    """Raises ValueError for what cannot be the name of a node."""
    if not pattern.fullmatch(name):
        error = ValueError(f"Node {name!r}: Node name contains invalid characters")
        note_node(error, name)
        raise error


@functools.cache
def _constrained(decl: OpDecl) -> tuple[tuple[Attr, frozenset[int]], ...]:
    """The attributes of an op of which not every value of their kind will do, and the identities of types that do."""
    return tuple(
        (attr, frozenset(id(item) for item in attr.allowed or () if isinstance(item, DType)))
        for attr in decl.signature.attrs.values()
        if attr.minimum is not None or attr.allowed is not None or attr.kind == "type" or attr.kind.startswith("list(")
    )


@functools.cache
def _counts_outputs(decl: OpDecl) -> bool:
    """Whether nodes of an op say how many outputs they have."""
    return any(arg.number_attr is not None for arg in decl.signature.outputs)


def _check_attr(attr: Attr, value: Any, message: protos.AttrValue) -> None:
    """Raises ValueError, in TensorFlow's words, for the value of an attribute that its op does not take."""
    if attr.kind.startswith("list("):
        for field, _ in message.list.ListFields():
            kind = _LISTS.get(field.name, field.name)
            if attr.kind != f"list({kind})":
                raise ValueError(
                    f"AttrValue had value with type 'list({kind})' when '{attr.kind}' expected\n\t for attr '{attr.name}'"
                )
        if attr.minimum is not None and len(value) < attr.minimum:
            raise ValueError(f"Length for attr '{attr.name}' of {len(value)} must be at least minimum {attr.minimum}")
    elif attr.minimum is not None and value < attr.minimum:
        raise ValueError(f"Value for attr '{attr.name}' of {value} must be at least minimum {attr.minimum}")
    if attr.kind not in ("type", "list(type)", "string", "list(string)"):
        return
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, DType) and item._is_ref_dtype:
            raise ValueError(
                f"AttrValue must not have reference type value of {_type_name(item)}\n\t for attr '{attr.name}'"
            )
        if attr.allowed is not None and item not in attr.allowed:
            raise ValueError(
                f"Value for attr '{attr.name}' of {_shown(item)} is not in the list of allowed values: "
                + ", ".join(map(_shown, attr.allowed))
            )


def _shown(item: Any) -> str:
    return _type_name(item) if isinstance(item, DType) else f'"{item}"'


def as_text(value: str | bytes) -> str:
    """A name, which may be given as bytes."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _colocated_with(node: protos.NodeDef) -> list[str]:
    """The nodes that a node says it is colocated with."""
    if "_class" not in node.attr:
        return []
    groups = map(as_text, node.attr["_class"].list.s)
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
        for node in graph_def.node:
            check_node_name(node.name, pattern)
            if not node.op:
                raise ValueError(f"Node '{node.name}' does not specify an operation")
        self.scope = scope
        self.mapped = mapped
        # What each node's inputs name.
        self.keys = {name: [parse_input(text) for text in node.input] for name, node in self.nodes.items()}
        self.made: dict[str, Operation] = {}
        self.scopes = _scopes_of(graph)
        self.renamed: dict[str, str] = {}
        self.used: set[tuple[str, int]] = set()
        self.unfinished: list[tuple[Operation, int, tuple[str, int]]] = []

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
        self._check_inputs()
        stack_scope, self.graph._name_stack = self.graph._name_stack, ""
        name = ""
        try:
            for node in self._ordered():
                name = node.name
                self._make(node)
        except Exception as error:
            note_node(error, name)
            raise
        finally:
            self.graph._name_stack = stack_scope
        _refuse_mapped([key for key in self.mapped if key[0] in self.made and key[1] >= len(self.made[key[0]].outputs)])
        self._colocate()
        for op, position, (source, index) in self.unfinished:
            op._update_input(position, self.made[source].outputs[index])
        if return_elements is None:
            return None
        return [self._element(text) for text in return_elements]

    def _check_inputs(self) -> None:
        for node in self.nodes.values():
            for key, text in zip(self.keys[node.name], node.input):
                if key[0] not in self.nodes and key not in self.mapped:
                    error = ValueError(f"Node '{node.name}': Unknown input node '{text}'")
                    note_node(error, node.name)
                    raise error
            for other in _colocated_with(node):
                if other not in self.nodes and not isinstance(self.graph, FuncGraph):
                    error = ValueError(f"Node '{node.name}' expects to be colocated with unknown node '{other}'")
                    note_node(error, node.name)
                    raise error

    def _colocate(self) -> None:
        """Gives operations the devices of those that they are colocated with, whose names may have changed."""
        for node in self.nodes.values():
            others = _colocated_with(node)
            if not others:
                continue
            op = self.made[node.name]
            if self.renamed:
                op.attrs["_class"] = [self._renamed(group) for group in op.attrs["_class"]]
            for other in others:
                if other != node.name and other in self.made:
                    op._device = self.made[other]._device

    def _renamed(self, group: str) -> str:
        name = group.removeprefix(_COLOCATED)
        return _COLOCATED + self.renamed.get(name, name) if name != group else group

    def _ordered(self) -> list[Any]:
        ordered: list[Any] = []
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
                    ordered.append(self.nodes[name])
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

    def _make(self, node: protos.NodeDef) -> None:
        inputs: list[Tensor] = []
        controls: list[Operation] = []
        later: list[tuple[int, tuple[str, int]]] = []
        for key in self.keys[node.name]:
            if controls and key[1] >= 0:
                raise ValueError(f"Node '{node.name}': Control dependencies must come after regular dependencies")
            if key in self.mapped:
                self.used.add(key)
                value = self.mapped[key]
                if key[1] < 0:
                    controls.append(value if isinstance(value, Operation) else value.op)
                else:
                    inputs.append(value)
            elif key[1] < 0:
                controls.append(self.made[key[0]])
            elif self._loops_back(node.name, key) and key[0] not in self.made:
                # The back edge of a loop: filled in when its source has been made.
                later.append((len(inputs), key))
                inputs.append(inputs[0])
            else:
                inputs.append(self._output(node, key))
        # Types of the planner's have been refused.
        decl = find(node.op)
        if decl is not None and self.graph._functions and called_function(self.graph, node.op) is not None:
            # A call of a function, which has no attributes of its own and no signature until it is called.
            decl = None
        attrs = self._attrs(node, decl)
        full = self.scope + node.name
        if decl is not None and not _fits(decl, inputs, attrs):
            self._check_signature(node, decl, inputs, attrs, full)
        if full in self.graph._nodes_by_name or full in self.scopes:
            self.renamed[full] = full = self.graph.unique_name(full)
        try:
            op = operation_from_parts(self.graph, node.op, inputs, attrs, full + "/", control_inputs=controls)
        except (TypeError, LookupError, ArithmeticError) as error:
            # What does not fit is in the GraphDef or the map, whose values are at fault.
            raise ValueError(f"Node '{node.name}' was passed an input incompatible with it: {error}") from None
        self.graph._names_in_use[full.lower()] = max(1, self.graph._names_in_use.get(full.lower(), 0))
        if node.device:
            # What the node says comes before the scopes that are open, which say the rest.
            merged = DeviceSpec.from_string(op._device)
            merged.merge_from(DeviceSpec.from_string(node.device))
            op._device = merged.to_string()
        self._refine_shapes(node, op)
        self.made[node.name] = op
        self.unfinished.extend((op, position, key) for position, key in later)

    def _attrs(self, node: protos.NodeDef, decl: OpDecl | None) -> dict[str, Any]:
        values = node.attr
        if decl is None:
            attrs = attrs_from_protos(values, None)
        else:
            declared = decl.signature.attrs
            for name in values:
                if name not in declared:
                    values = self.producer.understood(node, declared)
                    break
            try:
                attrs = attrs_from_protos(values, declared)
            except ValueError as error:
                raise ValueError(f"{error}; NodeDef: {node.name} (op: '{node.op}')") from None
            if node.op == "Const" and "dtype" in values and values["value"].tensor.dtype != values["dtype"].type:
                raise ValueError(f"Node '{node.name}': the value of the constant is not of the type 'dtype' names")
            try:
                for attr, allowed in _constrained(decl):
                    value = attrs.get(attr.name)
                    # Almost all are types, and fit.
                    if value is not None and id(value) not in allowed:
                        _check_attr(attr, value, values[attr.name])
            except ValueError as error:
                where = f"NodeDef: {{{{node {self.scope}{node.name}}}}}; Op<name={node.op}>"
                raise ValueError(f"{error}\n\t; {where}") from None
            if _counts_outputs(decl):
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

    def _check_signature(
        self, node: protos.NodeDef, decl: OpDecl, inputs: list[Tensor], attrs: dict[str, Any], full: str
    ) -> None:
        """Compares a node with its op's signature.

        Raises:
            ValueError: naming the attribute or input that does not fit.
        """
        where = f"Op<name={node.op}>; NodeDef: {{{{node {full}}}}}"
        for attr in decl.signature.attrs.values():
            if attr.name not in attrs and not attr.has_default:
                raise ValueError(f"NodeDef missing attr '{attr.name}' from {where}")
        filled = {attr.name: attr.default for attr in decl.signature.attrs.values() if attr.has_default} | attrs
        numbers = [filled[arg.number_attr] for arg in decl.signature.inputs if arg.number_attr is not None]
        if max(numbers, default=0) > len(inputs) + _MAX_INPUTS_NAMED:  # before there is a list as long as a file says
            raise ValueError(
                f"NodeDef expected {max(numbers)} inputs of one list do not match {len(inputs)} inputs specified; {where}"
            )
        expected = argument_types(decl.signature.inputs, filled)
        if len(expected) != len(inputs):
            names = ", ".join(map(_type_name, expected))
            raise ValueError(f"NodeDef expected inputs '{names}' do not match {len(inputs)} inputs specified; {where}")
        for position, (dtype, tensor) in enumerate(zip(expected, inputs, strict=True)):
            if dtype.base_dtype is not tensor.dtype.base_dtype or (
                dtype._is_ref_dtype and not tensor.dtype._is_ref_dtype
            ):
                raise ValueError(
                    f"Input {position} of node {full} was passed {_type_name(tensor.dtype)} from {tensor.name} "
                    f"incompatible with expected {_type_name(dtype)}."
                )

    def _refine_shapes(self, node: protos.NodeDef, op: Operation) -> None:
        """Adds what `_output_shapes`, which exporters may write, knows of the outputs."""
        if "_output_shapes" not in node.attr:
            return
        for tensor, shape in zip(op.outputs, node.attr["_output_shapes"].list.shape, strict=False):
            with contextlib.suppress(ValueError):  # the shape function knows better than an old file
                tensor.set_shape(TensorShape(shape))

    def _output(self, node: protos.NodeDef, key: tuple[str, int]) -> Tensor:
        source = self.made[key[0]]
        if key[1] >= len(source.outputs):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {key[1]} of source node {key[0]} which has "
                f"{len(source.outputs)} outputs."
            )
        return source.outputs[key[1]]

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
