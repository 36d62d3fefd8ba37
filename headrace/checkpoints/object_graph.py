"""The graph of the objects in a checkpoint: written from a root object, and matched with one again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.dependencies import dependencies_of
from headrace.checkpoints.python_state import PythonState
from headrace.checkpoints.saveables import SaveableObject, op_list_to_dict, saveable_objects_for_op
from headrace.checkpoints.tracking import saveables_of
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.messages import protos
from headrace.state.dependencies import SlotOwner
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.state.dependencies import NamedDependencies


OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_PYTHON_STATE = "py_state"


def escaped(name: str) -> str:
    """A name as part of a path, apart from what separates paths."""
    return name.replace(".", "..").replace("/", ".S")


@dataclass
class ObjectGraph:
    """The objects below a root.

    Attributes:
        objects: the root, what it depends on breadth first, then the slots of optimizers.
        paths: where each is, the beginning of the keys of its attributes.
        slots: for the place of an optimizer, (place of a variable, name, place of the slot).
        also: what gives further dependencies of an object.
    """

    objects: list[Any] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    slots: dict[int, list[tuple[int, str, int]]] = field(default_factory=dict)
    also: Callable[[object], list[tuple[str, Any]]] | None = None

    def dependencies(self, item: object) -> list[tuple[str, Any]]:
        """What an object depends on, by name."""
        return [*dependencies_of(item), *(self.also(item) if self.also is not None else ())]

    def place(self, item: Any) -> int | None:
        """The number of an object, None if it is not in the graph."""
        return next((i for i, known in enumerate(self.objects) if known is item), None)


def objects_below(root: object, also: Callable[[object], list[tuple[str, Any]]] | None = None) -> ObjectGraph:
    """The objects that `root` depends on, and itself.

    Args:
        root: the object.
        also: further dependencies of an object.
    """
    graph = ObjectGraph([root], [""], also=also)
    seen = {id(root)}
    pending = deque([0])
    while pending:
        place = pending.popleft()
        for name, ref in graph.dependencies(graph.objects[place]):
            if id(ref) in seen:
                continue
            seen.add(id(ref))
            above = graph.paths[place]
            pending.append(len(graph.objects))
            graph.objects.append(ref)
            graph.paths.append(f"{above}/{escaped(name)}" if above else escaped(name))
    plain = list(graph.objects)
    for place, item in enumerate(plain):
        if isinstance(item, SlotOwner) or hasattr(item, "_create_or_restore_slot_variable"):
            _add_slots(graph, place, item, plain)
    return graph


def _add_slots(graph: ObjectGraph, place: int, optimizer: SlotOwner, plain: list[Any]) -> None:
    for name in optimizer.get_slot_names():
        for owner, item in enumerate(plain):
            slot = _slot_of(optimizer, item, name)
            if slot is None:
                continue
            graph.slots.setdefault(place, []).append((owner, name, len(graph.objects)))
            graph.objects.append(slot)
            graph.paths.append(f"{graph.paths[owner]}/.OPTIMIZER_SLOT/{graph.paths[place]}/{escaped(name)}")


def _slot_of(optimizer: SlotOwner, item: NamedDependencies | Variable, name: str) -> Variable | None:
    try:
        return optimizer.get_slot(item, name)
    except (AttributeError, KeyError):
        # Not everything an optimizer is asked about is a variable.
        return None


def _saveables(source: Any, key: str) -> tuple[list[SaveableObject], str]:
    """The saveable objects of an attribute under a key, and the name it has without objects."""
    made = source(name=key) if callable(source) and not hasattr(source, "op") else source
    if isinstance(made, SaveableObject):
        return [made], ""
    (full_name,) = op_list_to_dict([made], convert_variable_to_tensor=False)
    return list(saveable_objects_for_op(made, key)), full_name


def described(graph: ObjectGraph) -> tuple[Any, list[SaveableObject], dict[str, PythonState]]:
    """The graph as a `TrackableObjectGraph`, what is to be saved, and the Python objects whose state is, by key."""
    message = protos.TrackableObjectGraph()
    saveables: list[SaveableObject] = []
    states: dict[str, PythonState] = {}
    places = {id(item): i for i, item in enumerate(graph.objects)}
    for place, (item, path) in enumerate(zip(graph.objects, graph.paths)):
        node = message.nodes.add()
        for owner, name, slot in graph.slots.get(place, []):
            node.slot_variables.add(slot_name=name, original_variable_node_id=owner, slot_variable_node_id=slot)
        for name, ref in graph.dependencies(item):
            node.children.add(node_id=places[id(ref)], local_name=name)
        for name, source in saveables_of(item).items():
            key = f"{path}/.ATTRIBUTES/{escaped(name)}"
            made, full_name = _saveables(source, key)
            for saveable in made:
                saveable.full_name = full_name
            node.attributes.add(name=name, checkpoint_key=key, full_name=full_name)
            saveables += made
        if isinstance(item, PythonState):
            key = f"{path}/.ATTRIBUTES/{escaped(_PYTHON_STATE)}"
            node.attributes.add(name=_PYTHON_STATE, checkpoint_key=key)
            states[key] = item
    return message, saveables, states


@dataclass
class Match:
    """The nodes of a checkpoint and the objects they are.

    Attributes:
        objects: the object of a node, by the node's number.
        saveables: what is to be restored.
        states: the Python objects whose state is to be restored, by key.
        unused: nodes with the attributes that their objects lack.
        ambiguous: further objects that a node would be, by the node's number.
    """

    objects: dict[int, Any]
    saveables: list[SaveableObject]
    states: dict[str, PythonState]
    unused: list[tuple[int, str]]
    ambiguous: dict[int, Any]


def _new_slot(optimizer: Any, var: Any, name: str) -> Variable | None:
    """A slot that an optimizer would make in its first step; None where it is of another kind."""
    if hasattr(optimizer, "add_slot"):
        return optimizer.add_slot(var, name)
    return optimizer._zeros_slot(var, name, optimizer.get_name()) if hasattr(optimizer, "_zeros_slot") else None


def matched(
    message: protos.TrackableObjectGraph,
    there: Mapping[int, Any],
    edges: set[tuple[int, str]],
    slot_shapes: Mapping[str, Sequence[int]] | None = None,
) -> Match:
    """Finds the objects that the nodes of a `TrackableObjectGraph` stand for, by the names on the way to them.

    Args:
        message: the nodes.
        there: the objects of some, by their numbers: the root's and what has been found before.
        edges: the ways that have been gone before, as numbers and names; those gone now are added.
        slot_shapes: the shapes in the checkpoint by key, where slots that optimizers have not made yet are to be made.
    """
    objects, ambiguous = _bound(message.nodes, there, edges)
    _bind_slots(message.nodes, objects, slot_shapes)
    saveables: list[SaveableObject] = []
    unused: list[tuple[int, str]] = []
    states: dict[str, PythonState] = {}
    for number, item in objects.items():
        if number >= len(message.nodes):
            continue
        sources = saveables_of(item)
        for attribute in message.nodes[number].attributes:
            if attribute.name in sources:
                saveables += _saveables(sources[attribute.name], attribute.checkpoint_key)[0]
            elif attribute.name == _PYTHON_STATE and isinstance(item, PythonState):
                states[attribute.checkpoint_key] = item
            else:
                unused.append((number, attribute.name))
    return Match(objects, saveables, states, unused, ambiguous)


def _bound(
    nodes: Sequence[Any], there: Mapping[int, Any], edges: set[tuple[int, str]]
) -> tuple[dict[int, Any], dict[int, Any]]:
    """The objects that nodes are, and others that they would be too."""
    objects: dict[int, Any] = {}
    ambiguous: dict[int, Any] = {}
    bound = dict(there)
    pending: deque[tuple[int, Any]] = deque(there.items() if nodes else ())
    while pending:
        number, item = pending.popleft()
        if number in objects or not 0 <= number < len(nodes):
            continue
        objects[number] = item
        named = dict(dependencies_of(item))
        # Some objects make what they are asked for.
        lookup = getattr(item, "_lookup_dependency", named.get)
        for child in nodes[number].children:
            edge = (number, child.local_name)
            ref = named[edge[1]] if edge[1] in named else lookup(edge[1])
            if ref is None:
                continue
            if bound.setdefault(child.node_id, ref) is ref:
                pending.append((child.node_id, ref))
            elif edge not in edges:
                # Otherwise the program has put another object there since.
                ambiguous[child.node_id] = ref
            edges.add(edge)
    return objects, ambiguous


def _bind_slots(nodes: Sequence[Any], objects: dict[int, Any], slot_shapes: Mapping[str, Sequence[int]] | None) -> None:
    """Adds the slots of optimizers to the objects."""
    for number, item in list(objects.items()):
        for reference in nodes[number].slot_variables:
            owner = objects.get(reference.original_variable_node_id)
            slot = None if owner is None else _slot_of(item, owner, reference.slot_name)
            if slot is None and slot_shapes is not None and isinstance(owner, Variable):
                saved = nodes[reference.slot_variable_node_id].attributes
                if any(owner.shape == slot_shapes.get(attribute.checkpoint_key) for attribute in saved):
                    slot = _new_slot(item, owner, reference.slot_name)
            if slot is not None:
                objects.setdefault(reference.slot_variable_node_id, slot)


def node_names(message: protos.TrackableObjectGraph) -> dict[int, str]:
    """What to call the nodes of a `TrackableObjectGraph`: the ways to them from the root."""
    names = {0: "(root)"}
    pending = deque([0])
    while pending:
        number = pending.popleft()
        for child in message.nodes[number].children:
            if child.node_id not in names and child.node_id < len(message.nodes):
                names[child.node_id] = f"{names[number]}.{child.local_name}"
                pending.append(child.node_id)
    for number, node in enumerate(message.nodes):
        for slot in node.slot_variables:
            owner = names.get(slot.original_variable_node_id)
            names[slot.slot_variable_node_id] = f"{names.get(number)}'s state '{slot.slot_name}' for {owner}"
    return names


def object_graph_key_mapping(checkpoint_path: str) -> dict[str, str]:
    """The keys in a checkpoint of objects by the names the variables had.

    Raises:
        NotFoundError: if it is no such checkpoint.
    """
    graph = protos.TrackableObjectGraph.FromString(CheckpointReader(checkpoint_path).get_tensor(OBJECT_GRAPH_KEY))
    return {item.full_name: item.checkpoint_key for node in graph.nodes for item in node.attributes}
