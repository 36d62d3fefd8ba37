"""Object graphs of SavedModels as objects: variables, functions and what holds them, by the names they were saved with."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.checkpoints.containers import Dict, ListWrapper
from headrace.checkpoints.object_graph import OBJECT_GRAPH_KEY
from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.checkpoints.tracked_resources import TrackableAsset
from headrace.checkpoints.tracking import VARIABLE_VALUE
from headrace.core import errors, slots
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.core.graph_functions import function_named
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.function_def import import_library
from headrace.messages.tensor_proto import MakeNdarray
from headrace.saved_model import folders, revived_types
from headrace.saved_model.graphs_loading import load_graph
from headrace.saved_model.loading import (
    asset_paths,
    meta_graph_of_tags,
    parse_saved_model,
    refuse_python,
    refuse_writing,
    saved_model_path,
)
from headrace.saved_model.restored import RestoredConcreteFunction, RestoredFunction, RestoredSignature, SignatureMap
from headrace.state.resource_variables import ResourceVariable

if TYPE_CHECKING:
    from headrace.state.variables import Variable


_OPTIMIZER = "optimizer"
_NAME = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/-]*")


class LoadedObject(AutoTrackable):
    """An object of a loaded model, which has the variables, functions and objects that the saved one had.

    Attributes:
        signatures: of the root, the functions for serving by key.
        graph_debug_info: nothing is known of where the model was made.
        tensorflow_version, tensorflow_git_version: of the root, what it was written by.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls what was saved as `__call__`.

        Raises:
            TypeError: if that was nothing.
        """
        call = self.__dict__.get("__call__")
        if call is None:
            raise TypeError("The object was saved without a function to call it by.")
        return call(*args, **kwargs)


# What became of Python's containers when they were saved.
_CONTAINERS: dict[str, Any] = {
    "signature_map": SignatureMap,
    "trackable_list_wrapper": ListWrapper,
    "trackable_tuple_wrapper": ListWrapper,
    "trackable_dict_wrapper": Dict,
}


def load(export_dir: str, tags: Iterable[str] | str | None = None) -> AutoTrackable:
    """Loads a SavedModel as an object.

    Args:
        export_dir: its folder.
        tags: which of its graphs; not needed where there is only one.

    Returns:
        an object with the attributes of the one that was saved: variables, functions, objects, and `signatures`. While a
        graph is built the variables belong to it, and their initializers restore their values. Of a model of a graph
        alone it has `signatures`, `variables`, `graph` and `prune`; the initializers of tables restore its variables.

    Raises:
        OSError: if there is no SavedModel; ValueError: if it has no such tags; RuntimeError: if it is a graph's and has none.
        UnliftableError: if a signature of a graph lacks an input that its outputs need.
        InvalidArgumentError: if it calls Python functions, or its parts do not fit together.

    Example:
        >>> tf.enable_eager_execution()
        >>> module = tf.Module()
        >>> module.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([], tf.float32)])
        >>> tf.saved_model.save(module, "model")
        >>> model = tf.saved_model.load_v2("model")
        >>> model.signatures["serving_default"](x=tf.constant(3.0))["output_0"].numpy()
        6.0
    """
    folder = as_path(export_dir)
    message = _chosen(folder, tags)
    if not message.HasField("object_graph_def"):
        refuse_python(message, folder)
        with faults_in(saved_model_path(folder), protos.SavedModel):
            return load_graph(folder, message)
    root = load_all(export_dir, tags)[0]
    if isinstance(root, LoadedObject):
        root.__dict__.setdefault("signatures", SignatureMap())
        root.__dict__["graph_debug_info"] = None
        root.__dict__["tensorflow_version"] = message.meta_info_def.tensorflow_version
        root.__dict__["tensorflow_git_version"] = message.meta_info_def.tensorflow_git_version
    return root


def load_all(export_dir: str, tags: Iterable[str] | str | None = None) -> list[Any]:
    """All objects of a SavedModel, by their numbers in its object graph; the root comes first.

    Args:
        export_dir, tags: as in `load`.
    """
    folder = as_path(export_dir)
    message = _chosen(folder, tags)
    if not message.HasField("object_graph_def"):
        raise NotImplementedError(
            f"The SavedModel in {folder} holds a graph and no objects; use tf.saved_model.load_v2(export_dir)."
        )
    refuse_python(message, folder)
    with faults_in(saved_model_path(folder), protos.SavedModel):
        return _Loader(folder, message).run()


def _chosen(folder: str, tags: Iterable[str] | str | None) -> protos.MetaGraphDef:
    """The graph of a SavedModel with these tags; its only one where none are told."""
    model = parse_saved_model(folder)
    if tags is not None:
        asked = [tags] if isinstance(tags, str) else list(tags)
        # Graphs of 1.x programs are looked for by their tags.
        of_objects = len(model.meta_graphs) == 1 and model.meta_graphs[0].HasField("object_graph_def")
        if of_objects and set(asked) != set(model.meta_graphs[0].meta_info_def.tags):
            raise ValueError(
                f"The SavedModel in {folder} has one graph, of the tags {sorted(model.meta_graphs[0].meta_info_def.tags)}, and "
                f"`tags` asks for {sorted(asked)}: leave them out, or ask for these."
            )
        return meta_graph_of_tags(model, asked)
    if len(model.meta_graphs) != 1:
        there = [sorted(graph.meta_info_def.tags) for graph in model.meta_graphs]
        raise ValueError(f"Specify `tags`: the SavedModel has several graphs, of the tags {there}.")
    return model.meta_graphs[0]


class _Loader:
    def __init__(self, folder: str, message: protos.MetaGraphDef) -> None:
        self.folder = folder
        self.message = message
        self.saved = message.object_graph_def
        self.nodes = self.saved.nodes
        self.objects: list[Any] = [None] * len(self.nodes)
        self.prefix = folders.get_variables_path(folder)
        self.library = Graph()
        self.concrete: dict[str, RestoredConcreteFunction] = {}
        self.handles: dict[int, Any] = {}
        # How objects of registered kinds get their attributes.
        self._setters: dict[int, Any] = {}
        # Variables that optimizers keep for others: the number of the other, and what they are to it.
        self._slots = {
            slot.slot_variable_node_id: (slot.original_variable_node_id, slot.slot_name)
            for node in self.nodes
            for slot in node.slot_variables
        }

    def run(self) -> list[Any]:
        if not self.nodes:
            raise errors.InvalidArgumentError(None, None, "The object graph has no objects.")
        self._check_numbers()
        import_library(self.library, self.message.graph_def.library)
        self.stored = self._checkpoint_keys()
        for number, node in enumerate(self.nodes):
            self.objects[number] = self._plain(number, node)
        for number, node in enumerate(self.nodes):
            if node.WhichOneof("kind") == "resource":
                self._create(number, node)
        maps = [node for node in self.nodes if node.user_object.identifier == "signature_map"]
        served = {child.node_id for node in maps for child in node.children}
        for number, node in enumerate(self.nodes):
            kind = node.WhichOneof("kind")
            if kind == "function":
                traces = [self._concrete(name) for name in node.function.concrete_functions]
                self.objects[number] = RestoredFunction(self._name_of(number), traces, node.function)
            elif kind == "bare_concrete_function":
                bare = node.bare_concrete_function
                concrete = self._concrete(bare.concrete_function_name)
                names = list(bare.argument_keywords)
                positional = min(bare.allowed_positional_arguments, len(names))
                if number in served:
                    self.objects[number] = RestoredSignature(concrete, names, positional)
                else:
                    concrete._arg_keywords, concrete._num_positional_args = names, positional
                    self.objects[number] = concrete
        self._connect()
        self._initialize()
        return self.objects

    def _check_numbers(self) -> None:
        count = len(self.nodes)
        for node in self.nodes:
            slots = [slot.slot_variable_node_id for slot in node.slot_variables]
            slots += [slot.original_variable_node_id for slot in node.slot_variables]
            for number in [child.node_id for child in node.children] + slots:
                if not 0 <= number < count:
                    raise ValueError(f"The object graph names object {number} of {count}")
            for number in slots:
                if self.nodes[number].WhichOneof("kind") != "variable":
                    raise ValueError(
                        f"The object graph names object {number} as a variable of an optimizer, which it is not"
                    )
        for name, described in self.saved.concrete_functions.items():
            for number in described.bound_inputs:
                if not 0 <= number < count:
                    raise ValueError(f"Function {name!r} captures object {number} of {count}")

    def _name_of(self, number: int) -> str:
        for node in self.nodes:
            for child in node.children:
                if child.node_id == number:
                    return str(child.local_name)
        return f"function {number}"

    def _checkpoint_keys(self) -> dict[tuple[int, str], str]:
        """The key in the checkpoint of each attribute of an object, found by the names on the way to it."""
        if not any(node.WhichOneof("kind") == "variable" or node.saveable_objects for node in self.nodes):
            return {}
        reader = CheckpointReader(self.prefix)
        message = protos.TrackableObjectGraph.FromString(reader.get_tensor(OBJECT_GRAPH_KEY))
        keys: dict[tuple[int, str], str] = {}
        seen: set[int] = set()
        pending = deque([(0, 0)])
        while pending:
            number, stored = pending.popleft()
            if number in seen or not 0 <= stored < len(message.nodes):
                continue
            seen.add(number)
            found = message.nodes[stored]
            for attribute in found.attributes:
                keys[number, attribute.name] = attribute.checkpoint_key
            below = {child.local_name: child.node_id for child in found.children}
            for child in self.nodes[number].children:
                if child.local_name in below:
                    pending.append((child.node_id, below[child.local_name]))
            # The slots of an optimizer are in the same order, and named.
            for slot, same in zip(self.nodes[number].slot_variables, found.slot_variables, strict=False):
                if slot.slot_name == same.slot_name:
                    pending.append((slot.slot_variable_node_id, same.slot_variable_node_id))
        return keys

    def _plain(self, number: int, node: protos.SavedObject) -> Any:
        kind = node.WhichOneof("kind")
        if kind == "variable":
            return self._variable(number, node.variable)
        if kind == "constant":
            return self._constant(node.constant.operation)
        if kind == "asset":
            paths = asset_paths(self.folder, self.message)
            index = node.asset.asset_file_def_index
            if not 0 <= index < len(paths):
                raise ValueError(f"The object graph names asset {index} of {len(paths)}")
            return TrackableAsset(paths[index])
        if kind in ("user_object", "resource", None):
            if node.user_object.identifier == _OPTIMIZER and _OPTIMIZER not in revived_types.registered_identifiers():
                # The module that makes one registers the kind.
                slots.restored_optimizer()
            if kind == "user_object" and (revived := revived_types.deserialize(node.user_object)) is not None:
                made, self._setters[number] = revived
                return made
            identifier = node.user_object.identifier if kind == "user_object" else ""
            return _CONTAINERS.get(identifier, LoadedObject)()
        return None

    def _variable(self, number: int, described: protos.SavedVariable) -> Variable:
        dtype, shape = as_dtype(described.dtype), TensorShape(described.shape)
        key = self.stored.get((number, VARIABLE_VALUE))
        if key is not None:

            def value() -> Any:
                (found,) = raw.RestoreV2(self.prefix, [key], [""], dtypes=[dtype])
                found.set_shape(shape)
                return found
        elif shape.is_fully_defined():
            # Not saved: a counter of a model that has not run, say.
            def value() -> Any:
                return raw.Fill(shape.as_list(), convert_to_tensor(0, dtype))
        else:
            raise errors.NotFoundError(None, None, f"The checkpoint has no value of variable {described.name!r}")
        original, slot_name = self._slots.get(number, (number, ""))
        owner = self.objects[original]
        name = described.name.partition(":")[0] if owner is None else f"{owner._shared_name}/{slot_name}"
        return ResourceVariable(
            value,
            trainable=described.trainable,
            name=name if _NAME.fullmatch(name) else None,
            dtype=dtype,
            shape=shape,
        )

    def _constant(self, operation: str) -> Tensor:
        for node in self.message.graph_def.node:
            if node.name == operation and node.op == "Const":
                return convert_to_tensor(MakeNdarray(node.attr["value"].tensor))
        raise ValueError(f"The graph has no constant '{operation}', which an object is")

    def _captured(self, name: str, number: int) -> Any:
        if number in self.handles:
            return self.handles[number]
        found = self.objects[number]
        if isinstance(found, ResourceVariable):
            return found.handle
        if isinstance(found, TrackableAsset):
            return found.asset_path
        if not isinstance(found, Tensor):
            raise ValueError(f"Function {name!r} captures object {number}, which is no tensor")
        return found

    def _concrete(self, name: str) -> RestoredConcreteFunction:
        found = self.concrete.get(name)
        if found is None:
            if name not in self.saved.concrete_functions:
                raise ValueError(f"The object graph says nothing of function {name!r}")
            described = self.saved.concrete_functions[name]
            try:
                function = function_named(self.library, name)
            except KeyError:
                raise ValueError(f"The library has no function {name!r}, which the object graph names") from None
            captured = [self._captured(name, number) for number in described.bound_inputs]
            if len(captured) > len(function.inputs):
                raise ValueError(f"Function {name!r} has {len(function.inputs)} inputs, and captures {len(captured)}")
            found = self.concrete[name] = RestoredConcreteFunction(function, captured, described)
        return found

    def _function_of(self, node: protos.SavedObject, name: str) -> RestoredConcreteFunction | None:
        """The only trace of a function that is a child."""
        for child in node.children:
            if child.local_name == name:
                traces = self.nodes[child.node_id].function.concrete_functions
                return self._concrete(traces[0]) if traces else None
        return None

    def _create(self, number: int, node: protos.SavedObject) -> None:
        create = self._function_of(node, "_create_resource")
        if create is None:
            raise ValueError(f"Resource {number} has no function that creates it")
        refuse_writing(create.graph.get_operations(), self.folder)
        self.handles[number] = create()
        self.objects[number].__dict__["resource_handle"] = self.handles[number]

    def _connect(self) -> None:
        for number, (node, item) in enumerate(zip(self.nodes, self.objects, strict=True)):
            if number in self._setters:
                for child in node.children:
                    self._setters[number](item, child.local_name, self.objects[child.node_id])
                for slot in node.slot_variables if node.user_object.identifier == _OPTIMIZER else ():
                    original, kept = slot.original_variable_node_id, slot.slot_variable_node_id
                    item.keep_slot(self.objects[original], slot.slot_name, self.objects[kept])
                continue
            if not isinstance(item, (LoadedObject, dict, list)):
                continue
            if isinstance(item, list):
                # By their places; what is no such number is no element.
                places = {child.local_name: child.node_id for child in node.children}
                item.extend(self.objects[places[str(i)]] for i in range(len(places)) if str(i) in places)
                continue
            for child in node.children:
                below = self.objects[child.node_id]
                if isinstance(item, dict):
                    # Past what keeps signatures as they are.
                    (dict if isinstance(item, SignatureMap) else type(item)).__setitem__(item, child.local_name, below)
                elif child.local_name == "__call__":
                    item.__dict__["__call__"] = below
                elif isinstance(below, SignatureMap):
                    item.__dict__[child.local_name] = below
                else:
                    setattr(item, child.local_name, below)

    def _initialize(self) -> None:
        for number, node in enumerate(self.nodes):
            if number not in self.handles:
                continue
            initialize = self._function_of(node, "_initialize")
            if initialize is not None:
                self._do(initialize)
            for name, saveable in node.saveable_objects.items():
                self._restore(number, name, saveable)

    def _do(self, function: RestoredConcreteFunction, tensors: Sequence[Any] = ()) -> None:
        """Calls a function for what it does, which in a graph is done with the initialization of tables."""
        refuse_writing(function.graph.get_operations(), self.folder)
        done = function.call_flat(tensors)
        if not executing_eagerly() and done is not None:
            add_to_collection(GraphKeys.TABLE_INITIALIZERS, getattr(done, "op", done))

    def _restore(self, number: int, name: str, saveable: protos.SaveableObject) -> None:
        """Gives a resource what the checkpoint keeps of it."""
        numbers = (saveable.save_function, saveable.restore_function)
        if not all(0 <= place < len(self.nodes) for place in numbers):
            raise ValueError(f"The object graph names function {max(numbers)} of {len(self.nodes)}")
        save, restore = (
            self._concrete(self.nodes[place].bare_concrete_function.concrete_function_name) for place in numbers
        )
        key = self.stored.get((number, name))
        if key is None:
            return
        refuse_writing(save.graph.get_operations(), self.folder)
        parts = save.call_flat([key])
        if not isinstance(parts, list) or not all(
            isinstance(p, dict) and {"name", "tensor"} <= p.keys() for p in parts
        ):
            raise ValueError(f"Function {save.name!r} does not tell what it saves")
        texts = [convert_to_tensor(part["name"]) for part in parts]
        types = [part["tensor"].dtype.base_dtype for part in parts]
        values = raw.RestoreV2(self.prefix, raw.Pack(texts), [""] * len(parts), dtypes=types)
        self._do(restore, list(values))
        if executing_eagerly():
            suffixes = [part["name"].numpy().decode().removeprefix(key) for part in parts]

            def saveable_of(name: str = "") -> SaveableObject:
                return _LoadedSaveable(name, suffixes, save, restore)

            self.objects[number].__dict__["_gather_saveables_for_checkpoint"] = lambda: {name: saveable_of}


class _LoadedSaveable(SaveableObject):
    """What checkpoints keep of a resource of a loaded model, by the functions it was loaded with.

    Args:
        name: its key.
        suffixes: how the keys of its parts go on from there.
        save, restore: the functions.
    """

    def __init__(
        self, name: str, suffixes: Sequence[str], save: RestoredConcreteFunction, restore: RestoredConcreteFunction
    ) -> None:
        self._restoring = restore
        tensors = [part["tensor"] for part in save.call_flat([name])]
        specs = [SaveSpec(tensor, "", name + end) for tensor, end in zip(tensors, suffixes, strict=True)]
        super().__init__(tensors[0], specs, name)

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Sequence[TensorShape] | None) -> Tensor:
        """Gives the resource what was saved."""
        return self._restoring.call_flat(list(restored_tensors))
