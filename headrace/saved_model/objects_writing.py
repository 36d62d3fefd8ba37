"""Objects with their variables and functions written as SavedModels, with graphs for those who know signatures only."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headrace.core import nest
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.defaults import control_dependencies, get_default_graph, get_default_session
from headrace.core.dtypes import string
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.functions import Function, called_function
from headrace.core.graph import Graph
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.type_specs import TensorSpec, TypeSpec, spec_from_value
from headrace.core.version import VERSION
from headrace.files.checkpoint.bundle import BundleWriter
from headrace.files.paths import as_path
from headrace.interop import protos
from headrace.interop.graph_files import write_message
from headrace.interop.node_def import shape_to_proto
from headrace.interop.op_lists import stripped_op_list_for_graph
from headrace.interop.program_order import order_variable_uses
from headrace.interop.structured_values import FullArgSpec, encoded
from headrace.ops.array.constant import constant
from headrace.ops.host_values import to_array
from headrace.saved_model import folders, names
from headrace.saved_model.objects_resources import ResourceFunctions, Stored, WrittenAssets, is_resource
from headrace.saved_model.restored import RestoredConcreteFunction, RestoredFunction, RestoredSignature
from headrace.saved_model.signatures import build_signature_def, build_tensor_info
from headrace.state.concrete_function import ConcreteFunction, variable_of
from headrace.state.polymorphic_function import PolymorphicFunction
from headrace.state.variables import Variable
from headrace.train.object_graph import OBJECT_GRAPH_KEY, described, objects_below
from headrace.train.tracked_resources import TrackableAsset
from headrace.train.tracking import Dict, List, Trackable, Tuple

_COMPOSITES = (CompositeTensor, IndexedSlices, SparseTensor)
_PREDICT = names.PREDICT_METHOD_NAME
_IDENTIFIERS = ((List, "trackable_list_wrapper"), (Tuple, "trackable_tuple_wrapper"), (Dict, "trackable_dict_wrapper"))


def save(obj: Any, export_dir: Any, signatures: Any = None) -> None:
    """Writes an object with its variables and functions as a SavedModel.

    Args:
        obj: a `tf.Module`, or another object that keeps variables; its `tf.function` methods are written as far as they
            have been traced or have an `input_signature`.
        export_dir: the folder.
        signatures: functions to serve by: one, or a dict of them by key; by default the only function that has an
            `input_signature` or one trace. Each takes tensors by name and returns a tensor, or a dict of them.

    Raises:
        ValueError: if `obj` keeps nothing, or a signature takes or returns something else than tensors.
        NotImplementedError: if a function uses something that is no variable and has no value, such as a table.

    Example:
        >>> class Scale(tf.Module):
        ...     def __init__(self):
        ...         self.w = tf.Variable(2.0)
        ...     @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        ...     def __call__(self, x):
        ...         return self.w * x
        >>> tf.saved_model.save(Scale(), "scale")
    """
    if not isinstance(obj, Trackable):
        raise ValueError(f"Expected a Trackable object for export, got {obj!r}.")
    if get_default_graph().building_function:
        raise AssertionError("tf.saved_model.save is not supported inside a traced @tf.function.")
    _Export(obj, as_path(export_dir), signatures).write()


def functions_of(item: Any) -> dict[str, Any]:
    """The `tf.function`s among an object's attributes and methods, by name."""
    found = {}
    for name in dir(type(item)):
        if isinstance(inspect.getattr_static(type(item), name, None), PolymorphicFunction):
            found[name] = getattr(item, name)
    for name, value in vars(item).items():
        if isinstance(value, (PolymorphicFunction, ConcreteFunction, RestoredFunction)):
            found[name] = value
    return dict(sorted(found.items()))


def _traces(function: Any) -> list[ConcreteFunction]:
    if isinstance(function, ConcreteFunction):
        return [function]
    if isinstance(function, RestoredFunction):
        return function.concrete_functions
    if not function._traces and function.input_signature is not None:
        function.get_concrete_function()
    return function.outermost_traces()


def _add_called(function: Function, graph: Graph) -> None:
    """Adds the functions that the body of a loaded one calls: they are in the library it was loaded into."""
    for op in function.operations:
        for attr in op.decl.signature.attrs.values():
            if attr.kind not in ("func", "list(func)"):
                continue
            value = op.attrs[attr.name]
            for name in [value] if attr.kind == "func" else value:
                called = called_function(op.graph, name)
                if called is not None and name not in graph._functions:
                    called.add_to_graph(graph)
                    _add_called(called, graph)


class _Export:
    """One SavedModel being written."""

    def __init__(self, root: Any, folder: str, signatures: Any) -> None:
        self.folder = folder
        self.below = objects_below(root)
        self.functions: list[tuple[int, str, Any]] = []
        for place, item in enumerate(list(self.below.objects)):
            # How a loaded table is made and filled is written with the table.
            if not isinstance(item, Variable) and not is_resource(item):
                self.functions += [(place, name, function) for name, function in functions_of(item).items()]
        self.signatures = self._signatures(signatures)
        # The functions are traced now: objects that they made are there.
        for _, _, function in self.functions:
            _traces(function)
        self.below = objects_below(root)
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
            own = [function for place, _, function in self.functions if place == 0]
            fitting = [made for made in map(_only_trace, own) if made is not None]
            given = fitting[0] if len(fitting) == 1 else {}
        if not isinstance(given, Mapping):
            given = {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
        made = {}
        for key, function in given.items():
            if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
                raise KeyError(f"SignatureDef map key {key} is reserved for internal use.")
            made[key] = _wrapped(key, _one_trace(key, function))
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
        meta.meta_info_def.tensorflow_version = VERSION
        meta.meta_info_def.stripped_op_list.CopyFrom(stripped_op_list_for_graph(meta.graph_def))
        self._write_variables(folders.get_variables_path(self.folder), saveables, states, stored_nodes)
        model = protos.SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION, meta_graphs=[meta])
        write_message(os.path.join(self.folder, names.SAVED_MODEL_FILENAME_PB), model)

    def _write_variables(self, prefix: str, saveables: Any, states: Any, stored: Any) -> None:
        specs = [spec for saveable in saveables for spec in saveable.specs]
        tensors = [spec.tensor() if callable(spec.tensor) else spec.tensor for spec in specs]
        if not executing_eagerly() and tensors:
            session = get_default_session()
            if session is None:
                raise ValueError(
                    "The variables are in a graph: call tf.saved_model.save in the block `with session.as_default()`."
                )
            tensors = session.run(tensors)
        with BundleWriter(prefix) as writer:
            for spec, value in zip(specs, tensors, strict=True):
                array = to_array(value._value if hasattr(value, "_value") else value)
                writer.add(spec.name, spec.dtype.base_dtype, array)
            for key, state in states.items():
                writer.add(key, string, _text(state.serialize()))
            writer.add(OBJECT_GRAPH_KEY, string, _text(stored.SerializeToString(deterministic=True)))
            writer.finish()

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

    def _add_objects(self, stored: Any) -> None:
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
                variable.shape.CopyFrom(shape_to_proto(_dims(item.shape)))
                variable.trainable = bool(item.trainable)
                variable.name = item.name.partition(":")[0]
                continue
            user = made.user_object
            user.identifier = next(
                (text for kind, text in _IDENTIFIERS if isinstance(item, kind)), "_generic_user_object"
            )
            user.version.producer = user.version.min_consumer = 1

    def _node(self, owner: int, name: str) -> tuple[int, Any]:
        number = len(self.message.nodes)
        self.message.nodes[owner].children.add(node_id=number, local_name=name)
        return number, self.message.nodes.add()

    def _add_functions(self, stored: Any) -> Any:
        """Adds functions and signatures; returns the checkpoint's own graph, which has all objects that are children."""
        for owner, name, function in self.functions:
            traces = _traces(function)
            if not traces:
                continue
            _, node = self._node(owner, name)
            node.function.SetInParent()
            node.function.function_spec.CopyFrom(_spec_of(function))
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
        name = concrete.name
        if name in self.concrete:
            # Of the same text, and of other variables: the methods of two objects of one class.
            name = f"{name}_{len(self.concrete)}"
        self.names[concrete] = name
        self.concrete[name] = concrete
        function = concrete.function
        if name != concrete.name:
            function = Function(name, function.graph, attrs=function.attrs, out_names=function.out_names)
            function.operations = concrete.function.operations
        function.add_to_graph(self.graph)
        _add_called(function, self.graph)
        made = self.message.concrete_functions[name]
        made.canonicalized_input_signature.CopyFrom(encoded(_specs_of_arguments(concrete)))
        if isinstance(concrete, RestoredConcreteFunction):
            structure = concrete.structure
        else:
            structure = None if getattr(concrete.graph, "returns_none", False) else concrete.structured_outputs
        made.output_signature.CopyFrom(encoded(_plain(nest.map_structure(_spec, structure))))
        return name

    def _place_of(self, concrete: ConcreteFunction, tensor: Any) -> int:
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
                raise AssertionError(
                    f"Tried to export function {concrete.name}, which uses {variable if variable is not None else tensor} "
                    "that the object does not keep: make it an attribute of the object or of one it keeps."
                )
            return place
        if id(tensor) not in self.constants:
            value = _value(tensor)
            with self.graph.as_default():
                made = constant(value, tensor.dtype.base_dtype)
            number = len(self.message.nodes)
            self.message.nodes.add().constant.operation = made.op.name
            self.constants[id(tensor)] = number, made
        return self.constants[id(tensor)][0]

    # ---- the graph for signatures ----

    def _add_saver(self, meta: Any, keys: dict[int, str]) -> None:
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

    def _add_signatures(self, meta: Any) -> None:
        for key, concrete in self.signatures.items():
            wanted = concrete.structured_input_signature[1]
            inputs = {
                name: raw.Placeholder(dtype=spec.dtype, shape=spec.shape, name=f"{key}_{name}")
                for name, spec in sorted(wanted.items())
            }
            results = concrete._call(concrete.function, [*inputs.values(), *self._captured(concrete)])
            outputs = dict(zip(sorted(concrete.structured_outputs), results, strict=True))
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

    def _order_library(self, library: Any) -> None:
        for message in library.function:
            order_variable_uses(message)


def _text(value: Any) -> Any:
    made = np.empty((), object)
    made[()] = value.encode() if isinstance(value, str) else value
    return made


def _dims(shape: Any) -> Any:
    return None if shape.ndims is None else tuple(shape.as_list())


def _value(tensor: Any) -> Any:
    if hasattr(tensor, "numpy"):
        return tensor.numpy()
    session = get_default_session()
    if session is None:
        raise ValueError("Values are in a graph: call tf.saved_model.save in the block `with session.as_default()`.")
    return session.run(tensor)


def _spec(value: Any) -> Any:
    if isinstance(value, _COMPOSITES):
        return spec_from_value(value)
    if not isinstance(value, (Tensor, TensorSpec)):
        return value
    return TensorSpec(value.shape, value.dtype.base_dtype)


def _plain(structure: Any) -> Any:
    """A structure with Python's own containers."""
    if isinstance(structure, dict):
        return {key: _plain(item) for key, item in structure.items()}
    if isinstance(structure, list):
        return [_plain(item) for item in structure]
    if isinstance(structure, tuple) and not hasattr(structure, "_fields"):
        return tuple(_plain(item) for item in structure)
    return structure


def _specs_of_arguments(concrete: ConcreteFunction) -> Any:
    """The arguments of a trace: specs with the names of its parameters for tensors, other values as they are."""
    parameters = iter(concrete.inputs)

    def spec(value: Any) -> Any:
        if isinstance(value, _COMPOSITES):
            value = spec_from_value(value)
        if isinstance(value, TypeSpec) and not isinstance(value, TensorSpec):
            for _ in value._flat_tensor_specs:
                next(parameters)
            return value
        if isinstance(value, (Tensor, TensorSpec)) or hasattr(value, "__array__"):
            parameter = next(parameters)
            return TensorSpec(parameter.shape, parameter.dtype.base_dtype, parameter.op.name)
        return value

    args, kwargs = concrete.structured_input_signature
    if isinstance(concrete, RestoredConcreteFunction):
        return _plain((tuple(args), dict(kwargs)))
    return _plain(nest.map_structure(spec, (tuple(args), dict(kwargs))))


def _spec_of(function: Any) -> Any:
    """The Python signature of a function, as SavedModels tell it."""
    message = protos.SavedObjectGraph().nodes.add().function.function_spec
    if isinstance(function, RestoredFunction):
        message.CopyFrom(function.spec)
        return message
    if isinstance(function, ConcreteFunction):
        args, _ = function.structured_input_signature
        spec = FullArgSpec([f"args_{i}" for i in range(len(args))], None, None, None, [], None, {})
    else:
        found = inspect.getfullargspec(function.python_function)
        spec = FullArgSpec(
            found.args, found.varargs, found.varkw, found.defaults, found.kwonlyargs, found.kwonlydefaults, {}
        )
        message.is_method = inspect.ismethod(function.python_function)
        message.input_signature.CopyFrom(encoded(function.input_signature))
    message.fullargspec.CopyFrom(encoded(spec))
    return message


def _only_trace(function: Any) -> ConcreteFunction | None:
    """The trace of a function that can serve, if there is just one."""
    traces = _traces(function)
    if len(traces) != 1 or getattr(traces[0].graph, "returns_none", False):
        return None
    leaves = nest.flatten(traces[0].structured_outputs)
    return traces[0] if leaves and all(isinstance(leaf, Tensor) for leaf in leaves) else None


def _one_trace(key: str, function: Any) -> ConcreteFunction:
    if isinstance(function, RestoredSignature):
        return function.concrete
    if isinstance(function, ConcreteFunction):
        return function
    if not isinstance(function, PolymorphicFunction | RestoredFunction):
        raise ValueError(
            f"Expected a TensorFlow function to generate a signature for, but got {function!r} for {key!r}."
        )
    traces = _traces(function)
    if len(traces) != 1 and getattr(function, "input_signature", None) is None:
        raise ValueError(
            f"The function of signature {key!r} has {len(traces)} traces: give it an input_signature, or pass what its "
            "get_concrete_function(...) returns."
        )
    return traces[0]


def _wrapped(key: str, concrete: ConcreteFunction) -> ConcreteFunction:
    """A function that takes tensors by name and returns a dict of them."""
    args, kwargs = _specs_of_arguments(concrete)
    specs = [spec for spec in nest.flatten((args, kwargs)) if isinstance(spec, TensorSpec)]
    by_name = {str(spec.name): spec for spec in specs}
    if len(by_name) != len(specs):
        raise ValueError(f"Signature {key!r}: two arguments have one name; name them by tf.TensorSpec(..., name=...).")
    outputs = concrete.structured_outputs

    def serve(tensors: Mapping[str, Any]) -> Any:
        found = concrete.call_flat([tensors[str(spec.name)] for spec in specs])
        if isinstance(outputs, dict):
            return dict(found)
        flat = nest.flatten(found)
        return {f"output_{i}": value for i, value in enumerate(flat)}

    return _traced(f"signature_wrapper_{key}", by_name, serve, key)


def _traced(name: str, specs: Mapping[str, Any], body: Callable[..., Any], key: str) -> ConcreteFunction:
    graph = FuncGraph(name)
    with graph.as_default():
        inputs = {arg: graph.add_input(spec.dtype, _dims(spec.shape), arg) for arg, spec in sorted(specs.items())}
        found = body(inputs)
        if not all(isinstance(value, Tensor) for value in found.values()):
            raise ValueError(f"Got a non-Tensor value in the outputs of the function of signature {key!r}: {found}")
        graph.structured_outputs = {
            output: raw.Identity(graph.capture(value), name=output) for output, value in sorted(found.items())
        }
        graph.outputs = list(graph.structured_outputs.values())
    graph.returns_none = False  # type: ignore[attr-defined]
    graph.inputs = [t for t in graph.inputs if graph.outer_of(t) is None] + graph.extra_args
    signature = ((), {arg: TensorSpec(t.shape, t.dtype.base_dtype, arg) for arg, t in inputs.items()})
    return ConcreteFunction(graph, name, signature)
