"""What models of objects hold beside variables: tables, as functions that make and fill them, and files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from headrace.core import nest
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import int32, string
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.files import file_io
from headrace.ops.array.constant import constant
from headrace.saved_model import folders
from headrace.saved_model.writing import asset_name
from headrace.state.concrete_function import ConcreteFunction


class Stored(NamedTuple):
    """What a checkpoint keeps of an object, in a graph.

    Attributes:
        keys: the keys in the checkpoint.
        values: what is saved under them.
        restore: makes the operation that gives the object what was saved.
    """

    keys: list[str]
    values: list[Tensor]
    restore: Callable[[Sequence[Tensor]], Operation]


def is_resource(item: object) -> bool:
    """Whether an object is a table or another resource, which a model makes anew when it is loaded."""
    return hasattr(item, "_create_resource") and getattr(item, "resource_handle", None) is not None


class ResourceFunctions:
    """The functions by which a model makes, fills, saves and restores a resource.

    Args:
        item: the table.

    Attributes:
        functions: those that make and fill it, by the names of its methods.
        saving: for each of its attributes that checkpoints keep, the function that saves it and the one that restores it.
    """

    def __init__(self, item: Any) -> None:
        self.functions = {
            "_create_resource": _traced("_creator", [], lambda: raw.Identity(item._create_resource())),
            "_initialize": _traced("_initializer", [], lambda: _done(item._initialize())),
        }
        gather = getattr(item, "_gather_saveables_for_checkpoint", dict)
        self.saving = {name: _saving(factory) for name, factory in gather().items()}

    def stored(self, handle: Tensor, key: str) -> Stored:
        """What checkpoints keep of it under a key, where `handle` stands for it."""
        (save, restore, suffixes), *_ = self.saving.values()
        parts = nest.pack_sequence_as(save.structured_outputs, save._call(save.function, [constant(key), handle]))

        def restored(values: Sequence[Tensor]) -> Operation:
            done: Tensor = restore._call(restore.function, [*values, handle])[0]
            return done.op

        return Stored([key + suffix for suffix in suffixes], [part["tensor"] for part in parts], restored)


class Saving(NamedTuple):
    """The functions that save and restore what checkpoints keep of a resource, and how the keys of its parts end."""

    save: ConcreteFunction
    restore: ConcreteFunction
    suffixes: list[str]


def _saving(factory: Callable[..., Any]) -> Saving:
    specs: list[Any] = []

    def save(key: Tensor) -> list[dict[str, Tensor]]:
        # The names of its parts begin with its key, which is told when the function is called.
        specs.extend(factory(name="").specs)
        return [
            {"name": raw.Add(key, constant(spec.name)), "slice_spec": constant(""), "tensor": raw.Identity(spec.tensor)}
            for spec in specs
        ]

    saved = _traced("save_fn", [TensorSpec([], string, "checkpoint_key")], save)
    signature = [TensorSpec(None, spec.dtype, f"restored_tensors_{i}") for i, spec in enumerate(specs)]
    restored = _traced("restore_fn", signature, lambda *tensors: _done(factory(name="").restore(tensors, None)))
    return Saving(saved, restored, [spec.name for spec in specs])


def _done(operation: Operation | None) -> Tensor:
    """What a function returns that was called for what it does."""
    with control_dependencies([] if operation is None else [operation]):
        return raw.Identity(constant(1, int32))


def _traced(name: str, specs: Sequence[TensorSpec], body: Callable[..., Any]) -> ConcreteFunction:
    graph = FuncGraph(name)
    with graph.as_default():
        inputs = [graph.add_input(s.dtype, as_dims(s.shape), s.name) for s in specs]
        graph.structured_outputs = body(*inputs)
        graph.outputs = nest.flatten(graph.structured_outputs)
    graph.inputs = inputs + graph.extra_args
    return ConcreteFunction(graph, name, (tuple(specs), {}))


class WrittenAssets:
    """The files of a model that is written: copied, told of, and in the graph as variables with their paths.

    Args:
        graph: the graph for those who know signatures only.
        folder: the model's.

    Attributes:
        assigned: the operations that set the paths when the model is loaded.
    """

    def __init__(self, graph: Graph, folder: str) -> None:
        self.assigned: list[Operation] = []
        self._graph = graph
        self._folder = folder
        self._paths: dict[str, str] = {}  # by their names in the model
        self._places: dict[int, str] = {}
        self._tensors: dict[str, Tensor] = {}
        self._variables: dict[str, Tensor] = {}

    def add(self, place: int, path: bytes) -> Tensor:
        """Adds the file that the object in this place is; returns its path when the model is loaded."""
        text = os.fsdecode(path.item() if hasattr(path, "item") else path)
        name = asset_name(text, self._paths)
        self._places[place] = name
        if name not in self._paths:
            self._paths[name] = text
            self._tensors[name] = raw.Placeholder(dtype=string, shape=[], name="asset_path_initializer")
            shared = self._graph.unique_name("asset_path")
            variable = raw.VarHandleOp(dtype=string, shape=[], shared_name=shared, name=f"{shared}/")
            self._variables[name] = variable
            self.assigned.append(raw.AssignVariableOp(variable, self._tensors[name]))
        return self._read(name)

    def _read(self, name: str) -> Tensor:
        made: Tensor = raw.ReadVariableOp(self._variables[name], dtype=string)
        return made

    def paths(self) -> dict[int, Tensor]:
        """The paths by the places of the objects, read after what the graph waits for here."""
        return {place: self._read(name) for place, name in self._places.items()}

    def index(self, place: int) -> int:
        """The number of a file in the model."""
        return list(self._paths).index(self._places[place])

    def write(self, meta: Any) -> None:
        """Copies the files, and tells of them in a MetaGraphDef."""
        folder = folders.get_assets_dir(self._folder)
        file_io.recursive_create_dir(folder)
        for name, path in self._paths.items():
            meta.asset_file_def.add(filename=name).tensor_info.name = self._tensors[name].name
            target = os.path.join(folder, name)
            if not file_io.file_exists(target) or not os.path.samefile(path, target):
                file_io.copy(path, target, overwrite=True)
