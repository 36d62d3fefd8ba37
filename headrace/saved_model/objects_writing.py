"""Objects with their variables and functions written as SavedModels, with graphs for those who know signatures only."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.containers import Dict, List, Tuple
from headrace.checkpoints.functional_saver import save_op
from headrace.checkpoints.load_status import needed_session
from headrace.checkpoints.object_graph import OBJECT_GRAPH_KEY, described, objects_below
from headrace.checkpoints.tracked_resources import TrackableAsset
from headrace.checkpoints.tracking import is_trackable
from headrace.core import nest, slots, version
from headrace.core.defaults import control_dependencies, device, get_default_graph
from headrace.core.dtypes import string
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.graph_functions import Function
from headrace.core.origins import add_called
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.files.paths import as_path
from headrace.interop.meta_graph import strip_graph_default_valued_attrs
from headrace.layers.engine import Layer
from headrace.messages import protos
from headrace.messages.graph_files import write_message
from headrace.messages.node_def import shape_to_proto
from headrace.messages.op_lists import stripped_op_list_for_graph
from headrace.messages.program_order import order_variable_uses
from headrace.ops.array.constant import constant
from headrace.saved_model import folders, names
from headrace.saved_model.objects_functions import (
    dims_of,
    function_spec_of,
    functions_of,
    named_by_place,
    one_trace,
    only_trace,
    plain_containers,
    serving_function,
    spec_of_result,
    specs_of_arguments,
    traces_of,
)
from headrace.saved_model.objects_resources import ResourceFunctions, Stored, WrittenAssets, is_resource
from headrace.saved_model.restored import RestoredConcreteFunction, SignatureMap
from headrace.saved_model.revived_types import serialize
from headrace.saved_model.signatures import build_signature_def, build_tensor_info
from headrace.saved_model.structured_values import FullArgSpec, encoded
from headrace.state.concrete_function import ConcreteFunction, variable_of
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.checkpoints.saveables import SaveableObject


_PREDICT = names.PREDICT_METHOD_NAME
# The function of a model that serves where no signatures are given.
_DEFAULT_FUNCTION = "_default_save_signature"
_IDENTIFIERS = ((List, "trackable_list_wrapper"), (Tuple, "trackable_tuple_wrapper"), (Dict, "trackable_dict_wrapper"))


class Additions:
    """What a room above adds to the objects of a SavedModel; nothing, by itself."""

    def dependencies(self, item: object) -> list[tuple[str, Any]]:
        """Further objects that an object keeps, by name; the same ones each time."""
        return []

    def functions(self, item: object) -> dict[str, Any]:
        """Further `tf.function`s of an object, by name; the same ones each time."""
        return {}

    def description(self, item: object) -> tuple[str, str] | None:
        """What an object is called, and what else is said of it; None for what has no name of its own."""
        return None


def save(obj: object, export_dir: str, signatures: Any = None, additions: Additions | None = None) -> None:
    """Writes an object with its variables and functions as a SavedModel.

    Args:
        obj: a `tf.Module`, or another object that keeps variables; its `tf.function` methods are written as far as they
            have been traced or have an `input_signature`.
        export_dir: the folder.
        signatures: functions to serve by: one, or a dict of them by key; by default the only one that has an
            `input_signature`. Each takes tensors by name and returns tensors, or a dict of them.

    Raises:
        ValueError: if `obj` keeps nothing, or a signature takes or returns something else than tensors.
        KeyError: if a function uses a variable that `obj` does not keep.
        AssertionError: if a function uses a dataset that `obj` does not keep.
        NotImplementedError: if `obj` keeps a dataset that is of a graph.
        FailedPreconditionError: if `obj` keeps a dataset whose functions have state, or call Python.

    Example:
        >>> tf.enable_eager_execution()
        >>> class Scale(tf.Module):
        ...     def __init__(self):
        ...         self.w = tf.Variable(2.0)
        ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        ...     def __call__(self, x):
        ...         return self.w * x
        >>> tf.saved_model.save(Scale(), "scale")
        >>> tf.saved_model.load_v2("scale")(tf.constant([3.0])).numpy()
        array([6.], dtype=float32)
    """
    if not is_trackable(obj):
        raise ValueError(f"Expected a Trackable object for export, got {obj!r}.")
    if get_default_graph().building_function:
        raise AssertionError("tf.saved_model.save is not supported inside a traced @tf.function.")
    reserved = getattr(obj, "signatures", None)
    if is_trackable(reserved) and not isinstance(reserved, SignatureMap):
        raise ValueError(
            f"Exporting an object {obj!r} which has an attribute named 'signatures', as objects that were loaded have. "
            "Delete it (e.g. 'del obj.signatures') before saving."
        )
    _Export(obj, as_path(export_dir), signatures, additions).write()


class _Export:
    """One SavedModel being written."""

    def __init__(self, root: object, folder: str, signatures: Any, additions: Additions | None) -> None:
        self.folder = folder
        if additions is None and any(isinstance(item, Layer) for item in objects_below(root).objects):
            additions = slots.layer_additions(root)
        self.additions = additions = additions or Additions()
        self.below = objects_below(root, additions.dependencies)
        self.functions: list[tuple[int, str, Any]] = []
        for place, item in enumerate(list(self.below.objects)):
            # How a loaded table is made and filled is written with the table.
            if not isinstance(item, Variable) and not is_resource(item):
                found = functions_of(item) | additions.functions(item)
                self.functions += [(place, name, function) for name, function in found.items()]
        self.signatures = self._signatures(signatures)
        # The functions are traced now: objects that they made are there.
        for _, _, function in self.functions:
            traces_of(function)
        self.below = objects_below(root, additions.dependencies)
        self.message = protos.SavedObjectGraph()
        self.graph = Graph()
        self.handles: dict[int, Tensor] = {}  # of variables, tables and the paths of assets, by their places
        self.resources: dict[int, ResourceFunctions] = {}
        self.assets = WrittenAssets(self.graph, self.folder)
        self.constants: dict[int, tuple[int, Tensor]] = {}
        self.concrete: dict[str, ConcreteFunction] = {}
        self.names: dict[ConcreteFunction, str] = {}

    # ---- signatures ----

    def _signatures(self, given: Any) -> dict[str, ConcreteFunction]:
        if given is None:
            own = {name: function for place, name, function in self.functions if place == 0}
            # Of a model that is what is computed of its inputs.
            default = own.get(_DEFAULT_FUNCTION)
            candidates = list(own.values()) if default is None else [default]
            fitting = [made for made in map(only_trace, candidates) if made is not None]
            given = fitting[0] if len(fitting) == 1 else {}
        if not isinstance(given, Mapping):
            given = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
        made = {}
        for key, function in given.items():
            if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
                raise KeyError(f"SignatureDef map key {key} is reserved for internal use.")
            made[key] = serving_function(key, one_trace(key, function))
        return made

    # ---- writing ----

    def write(self) -> None:
        folders.get_or_create_variables_dir(self.folder)
        folders.get_or_create_assets_dir(self.folder)
        stored, saveables, states = described(self.below)
        self._trace_resources()
        with self.graph.as_default():
            self._add_handles()
        self._add_objects(stored)
        stored_nodes = self._add_functions(stored)
        keys = {
            place: attribute.checkpoint_key
            for place, node in enumerate(stored.nodes)
            for attribute in node.attributes
            if place in self.handles
        }
        meta = protos.MetaGraphDef()
        with self.graph.as_default():
            self._add_saver(meta, keys)
            self._add_signatures(meta)
        self.assets.write(meta)
        meta.graph_def.CopyFrom(self.graph.as_graph_def())
        self._order_library(meta.graph_def.library)
        meta.object_graph_def.CopyFrom(self.message)
        meta.meta_info_def.tags.append(names.SERVING)
        strip_graph_default_valued_attrs(meta)
        meta.meta_info_def.tensorflow_version = version.VERSION
        meta.meta_info_def.tensorflow_git_version = version.GIT_VERSION
        meta.meta_info_def.stripped_op_list.CopyFrom(stripped_op_list_for_graph(meta.graph_def))
        self._write_variables(folders.get_variables_path(self.folder), saveables, states, stored_nodes)
        model = protos.SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION, meta_graphs=[meta])
        write_message(os.path.join(self.folder, names.SAVED_MODEL_FILENAME_PB), model)

    def _write_variables(
        self, prefix: str, saveables: Sequence[SaveableObject], states: Any, stored: protos.TrackableObjectGraph
    ) -> None:
        texts = {key: state.serialize() for key, state in states.items()}
        texts[OBJECT_GRAPH_KEY] = stored.SerializeToString(deterministic=True)
        with device("/cpu:0"):
            kept = {key: constant(text) for key, text in texts.items()}
        save = save_op(prefix, saveables, kept)
        if not executing_eagerly():
            _session().run(save)

    def _trace_resources(self) -> None:
        for place, item in enumerate(self.below.objects):
            if is_resource(item):
                self.resources[place] = ResourceFunctions(item)

    def _add_handles(self) -> None:
        for place, item in enumerate(self.below.objects):
            if place in self.resources:
                self.handles[place] = item._create_resource()
            elif isinstance(item, TrackableAsset):
                self.handles[place] = self.assets.add(place, _value(item.asset_path))
            elif isinstance(item, Variable):
                name = self.graph.unique_name(item.name.partition(":")[0])
                self.handles[place] = raw.VarHandleOp(
                    dtype=item.dtype.base_dtype, shape=item.shape, shared_name=name, name=name + "/"
                )

    def _add_objects(self, stored: protos.TrackableObjectGraph) -> None:
        for place, (item, node) in enumerate(zip(self.below.objects, stored.nodes, strict=True)):
            made = self.message.nodes.add()
            for child in node.children:
                made.children.add(node_id=child.node_id, local_name=child.local_name)
            for slot in node.slot_variables:
                made.slot_variables.add(
                    slot_name=slot.slot_name,
                    original_variable_node_id=slot.original_variable_node_id,
                    slot_variable_node_id=slot.slot_variable_node_id,
                )
            if place in self.resources:
                made.resource.SetInParent()
                continue
            if isinstance(item, TrackableAsset):
                made.asset.asset_file_def_index = self.assets.index(place)
                continue
            if place in self.handles:
                variable = made.variable
                variable.dtype = item.dtype.base_dtype.as_datatype_enum
                variable.shape.CopyFrom(shape_to_proto(dims_of(item.shape)))
                variable.trainable = bool(item.trainable)
                variable.name = item.name.partition(":")[0]
                continue
            user = made.user_object
            if (registered := serialize(item)) is not None:
                user.CopyFrom(registered)
                continue
            user.identifier = next(
                (text for kind, text in _IDENTIFIERS if isinstance(item, kind)), "_generic_user_object"
            )
            if (described_as := self.additions.description(item)) is not None:
                user.identifier, user.metadata = described_as
            user.version.producer = user.version.min_consumer = 1

    def _node(self, owner: int, name: str) -> tuple[int, Any]:
        number = len(self.message.nodes)
        self.message.nodes[owner].children.add(node_id=number, local_name=name)
        return number, self.message.nodes.add()

    def _add_functions(self, stored: protos.TrackableObjectGraph) -> protos.TrackableObjectGraph:
        """Adds functions and signatures; returns the checkpoint's own graph, which has all objects that are children."""
        for owner, name, function in self.functions:
            traces = traces_of(function)
            _, node = self._node(owner, name)
            if isinstance(function, ConcreteFunction) and function._arg_keywords is not None:
                bare = node.bare_concrete_function
                bare.concrete_function_name = self._concrete(function)
                bare.argument_keywords.extend(function._arg_keywords)
                bare.allowed_positional_arguments = function._num_positional_args or 0
                continue
            node.function.SetInParent()
            node.function.function_spec.CopyFrom(function_spec_of(function))
            for concrete in traces:
                node.function.concrete_functions.append(self._concrete(concrete))
        for owner, resource in self.resources.items():
            for name, concrete in resource.functions.items():
                _, node = self._node(owner, name)
                node.function.function_spec.fullargspec.CopyFrom(
                    encoded(FullArgSpec([], None, None, None, [], None, {}))
                )
                node.function.function_spec.input_signature.CopyFrom(encoded(()))
                node.function.concrete_functions.append(self._concrete(concrete))
            for name, saving in resource.saving.items():
                numbers = []
                for concrete in (saving.save, saving.restore):
                    text = self._concrete(concrete)
                    numbers.append(len(self.message.nodes))
                    bare = self.message.nodes.add().bare_concrete_function
                    bare.concrete_function_name = text
                    arguments = [spec.name for spec in concrete.structured_input_signature[0]]
                    bare.argument_keywords.extend(arguments)
                    bare.allowed_positional_arguments = len(arguments)
                saveable = self.message.nodes[owner].saveable_objects[name]
                saveable.save_function, saveable.restore_function = numbers
        number, node = self._node(0, "signatures")
        node.user_object.identifier = "signature_map"
        node.user_object.version.producer = node.user_object.version.min_consumer = 1
        for key, concrete in self.signatures.items():
            served = self._concrete(concrete)
            _, bare = self._node(number, key)
            bare.bare_concrete_function.concrete_function_name = served
            arguments = sorted(concrete.structured_input_signature[1])
            bare.bare_concrete_function.argument_keywords.extend(arguments)
            bare.bare_concrete_function.allowed_positional_arguments = min(1, len(arguments))
        for place, node in enumerate(self.message.nodes):
            if place >= len(stored.nodes):
                stored.nodes.add()
            del stored.nodes[place].children[:]
            for child in node.children:
                stored.nodes[place].children.add(node_id=child.node_id, local_name=child.local_name)
        # What functions use beside variables; no one's child.
        for text, concrete in self.concrete.items():
            described_function = self.message.concrete_functions[text]
            described_function.bound_inputs.extend(
                self._place_of(concrete, tensor) for tensor in concrete.captured_inputs
            )
        return stored

    def _concrete(self, concrete: ConcreteFunction) -> str:
        """Adds a traced function; returns its name in the model."""
        if concrete in self.names:
            return self.names[concrete]
        if not concrete.graph.saveable:
            raise ValueError(
                f"Function {concrete.function.name} cannot be saved: {'; '.join(sorted(concrete.graph.saving_errors))}"
            )
        name = concrete.function.name
        if name in self.concrete:
            # Of the same text, and of other variables: the methods of two objects of one class.
            name = f"{name}_{len(self.concrete)}"
        self.names[concrete] = name
        self.concrete[name] = concrete
        function = concrete.function
        if name != concrete.function.name:
            function = Function(name, function.graph, attrs=function.attrs, out_names=function.out_names)
            function.operations = concrete.function.operations
        function.add_to_graph(self.graph)
        add_called(function, self.graph)
        made = self.message.concrete_functions[name]
        made.canonicalized_input_signature.CopyFrom(encoded(specs_of_arguments(concrete)))
        if isinstance(concrete, RestoredConcreteFunction):
            structure = concrete.structure
        else:
            structure = None if concrete.graph.returns_none else concrete.graph.structured_outputs
        results = named_by_place(plain_containers(nest.map_structure(spec_of_result, structure)))
        made.output_signature.CopyFrom(encoded(results))
        return name

    def _place_of(self, concrete: ConcreteFunction, tensor: Tensor) -> int:
        for number in self.handles:
            known = self.below.objects[number]
            if getattr(known, "resource_handle", None) is tensor or getattr(known, "asset_path", None) is tensor:
                return number
        variable = variable_of(tensor)
        if variable is not None or tensor.dtype.name == "resource":
            place = None
            for number in self.handles:
                known = self.below.objects[number]
                if known is variable or getattr(known, "handle", None) is tensor:
                    place = number
            if place is None:
                # 1.15 meets what signatures use in a graph of its own first.
                served = any(tensor is used for made in self.signatures.values() for used in made.captured_inputs)
                kind = AssertionError if served else KeyError
                raise kind(
                    f"Function {concrete.function.name} uses {tensor if variable is None else variable!r}, which is not "
                    "reachable from root: make it an attribute of the object that is saved or of one it keeps."
                )
            return place
        if id(tensor) not in self.constants:
            if tensor._is_graph_tensor and isinstance(tensor.graph, FuncGraph):
                raise ValueError(
                    f"Attempted to save function {concrete.function.name}, which uses the tensor {tensor.name} of another "
                    "function. Pass it as an argument."
                )
            if tensor.dtype.name == "variant":
                raise AssertionError(
                    f"Tried to export function {concrete.function.name}, which references a dataset or another variant that is "
                    "not tracked: make it an attribute of the object that is saved or of one it keeps, or make it in "
                    "the function."
                )
            value = _value(tensor)
            with self.graph.as_default():
                made = constant(value, tensor.dtype.base_dtype)
            number = len(self.message.nodes)
            self.message.nodes.add().constant.operation = made.op.name
            self.constants[id(tensor)] = number, made
        return self.constants[id(tensor)][0]

    # ---- the graph for signatures ----

    def _add_saver(self, meta: protos.MetaGraphDef, keys: dict[int, str]) -> None:
        prefix = raw.Placeholder(dtype=string, shape=[], name="saver_filename")
        groups = [self._stored(place, key) for place, key in sorted(keys.items())]
        texts = [text for group in groups for text in group.keys]
        saves, assigned = [], []
        if texts:
            values = [value for group in groups for value in group.values]
            specs = [""] * len(texts)
            saves = [raw.SaveV2(prefix, texts, specs, values)]
            found = iter(raw.RestoreV2(prefix, texts, specs, dtypes=[value.dtype for value in values]))
            assigned = [group.restore([next(found) for _ in group.keys]) for group in groups]
        with control_dependencies(saves):
            saved = raw.Identity(prefix, name="saved_path")
        with control_dependencies(assigned):
            restored = raw.NoOp(name="restore_all")
        saver = meta.saver_def
        saver.filename_tensor_name, saver.save_tensor_name = prefix.name, saved.name
        saver.restore_op_name, saver.version = restored.name, protos.SaverDef.V2

    def _stored(self, place: int, key: str) -> Stored:
        """What a checkpoint keeps of an object, in the graph."""
        handle = self.handles[place]
        if place in self.resources:
            return self.resources[place].stored(handle, key)
        value = raw.ReadVariableOp(handle, dtype=self.below.objects[place].dtype.base_dtype)
        return Stored([key], [value], lambda values: raw.AssignVariableOp(handle, *values))

    def _captured(self, concrete: ConcreteFunction) -> list[Tensor]:
        """What stands in the graph for what a function uses beside its arguments."""
        made = self.handles | dict(self.constants.values())
        return [made[number] for number in self.message.concrete_functions[self.names[concrete]].bound_inputs]

    def _add_signatures(self, meta: protos.MetaGraphDef) -> None:
        for key, concrete in self.signatures.items():
            keyword_specs = concrete.structured_input_signature[1]
            inputs = {
                name: raw.Placeholder(dtype=spec.dtype, shape=spec.shape, name=f"{key}_{name}")
                for name, spec in sorted(keyword_specs.items())
            }
            results = concrete._call(concrete.function, [*inputs.values(), *self._captured(concrete)])
            outputs = dict(zip(sorted(concrete.graph.structured_outputs), results, strict=True))
            meta.signature_def[key].CopyFrom(
                build_signature_def(
                    {name: build_tensor_info(tensor) for name, tensor in inputs.items()},
                    {name: build_tensor_info(tensor) for name, tensor in outputs.items()},
                    _PREDICT,
                )
            )
        started = self.assets.assigned
        with control_dependencies(started):
            # The paths are read again, now that they are there.
            self.handles |= self.assets.paths()
            for resource in self.resources.values():
                fill = resource.functions["_initialize"]
                started.append(fill._call(fill.function, self._captured(fill))[0].op)
        with control_dependencies(started):
            start = raw.NoOp(name="init")
        info = meta.signature_def[names.INIT_OP_SIGNATURE_KEY].outputs[names.INIT_OP_SIGNATURE_KEY]
        info.name, info.tensor_shape.unknown_rank = start.name, True

    def _order_library(self, library: protos.FunctionDefLibrary) -> None:
        for message in library.function:
            order_variable_uses(message)


def _value(tensor: Tensor) -> Any:
    if hasattr(tensor, "numpy"):
        return tensor.numpy()
    return _session().run(tensor)


def _session() -> Any:
    """The default session, else that of Keras, which has the values of its models."""
    try:
        return needed_session(None)
    except RuntimeError:
        raise ValueError(
            "Values are in a graph: call tf.saved_model.save in the block `with session.as_default()`."
        ) from None
