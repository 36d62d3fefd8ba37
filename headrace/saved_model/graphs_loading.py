"""SavedModels of graphs alone, as 1.x programs write them, as objects: a function for each signature, and variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.checkpoints.auto_trackable import AutoTrackable
from headrace.checkpoints.meta_graphs import import_meta_graph_with_return_elements
from headrace.checkpoints.tracked_resources import CapturableResource, TrackableAsset
from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.saved_model import folders, names
from headrace.saved_model.loading import asset_paths, asset_tensors, get_init_op, refuse_writing
from headrace.saved_model.resource_graphs import ResourceGraph
from headrace.saved_model.restored import SignatureMap
from headrace.state.handles import UninitializedVariable
from headrace.state.lifted_initial_values import UnliftableError
from headrace.state.scoping import init_scope
from headrace.state.variable_class import Variable
from headrace.state.wrapped_function import WrappedFunction, wrap_function

_VARIABLE_COLLECTIONS = (
    *(GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.MODEL_VARIABLES),
    *(GraphKeys.MOVING_AVERAGE_VARIABLES, GraphKeys.METRIC_VARIABLES, GraphKeys.GLOBAL_STEP),
)


class LoadedGraph(AutoTrackable):
    """A graph of a SavedModel that was loaded.

    Attributes:
        signatures: the functions for serving, by key.
        variables: the variables that were saved.
        graph: the graph, as the body of a function.
        prune: makes a function of a part of it: `WrappedFunction.prune`.
        asset_paths: the files of the model.
        initializer: what the model runs when it is loaded; None for nothing.
        tensorflow_version, tensorflow_git_version: what it was written by.
    """

    signatures: SignatureMap
    variables: list[Variable]
    graph: FuncGraph
    prune: Callable[..., WrappedFunction]
    asset_paths: list[TrackableAsset]
    initializer: _Initializer | None
    tensorflow_version: str
    tensorflow_git_version: str


class _Initializer(CapturableResource):
    """What a model runs when it is loaded.

    Args:
        function: from the paths of the model's files to what is run.
        assets: the files.
    """

    def __init__(self, function: WrappedFunction, assets: list[TrackableAsset]) -> None:
        super().__init__()
        self._function = function
        self._assets = assets

    def _create_resource(self) -> Tensor:
        # There is no resource: the operations are what it is for.
        return constant(1.0)

    def _initialize(self) -> Any:
        return self._function(*(asset.asset_path for asset in self._assets))


def load_graph(export_dir: str, message: protos.MetaGraphDef) -> LoadedGraph:
    """An object for a graph of a SavedModel.

    Args:
        export_dir: the folder.
        message: the graph.

    Returns:
        it; while another graph is built, the initializers of that one's tables restore the variables.

    Raises:
        UnliftableError: if a signature lacks a placeholder that its outputs need.
    """
    with init_scope():
        return _GraphLoader(as_path(export_dir), message).run()


class _GraphLoader:
    def __init__(self, folder: str, message: protos.MetaGraphDef) -> None:
        self.folder = folder
        self.message = message
        # Variables that are not saved stay where they are.
        saved = {
            described.variable_name.partition(":")[0]
            for key in _VARIABLE_COLLECTIONS
            if key not in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES)
            for described in self._definitions(key)
        }
        rewritten = ResourceGraph(message, saved)
        self.rewritten = rewritten.message
        self.nodes = {name: node for name, node in rewritten.variables.items() if name in saved}
        self.variables: dict[str, UninitializedVariable] = {}

    def run(self) -> LoadedGraph:
        self._make_variables()
        whole = wrap_function(self._import, [])
        for name, variable in self.variables.items():
            whole.graph.add_capture(variable.handle, whole.graph.get_tensor_by_name(f"{name}:0"))
        # Traced anew, as its captured tensors are known now.
        whole = WrappedFunction(
            whole.graph, "wrapped_function", whole._variable_holder, whole.structured_input_signature
        )
        self._restore(whole)
        # Who keeps a signature keeps the variables.
        whole._variable_holder.variables.update(self.variables)
        model = LoadedGraph()
        model.asset_paths = [TrackableAsset(path) for path in asset_paths(self.folder, self.message)]
        with whole.graph.as_default():
            paths = [whole.graph.get_tensor_by_name(name) for name in asset_tensors(self.folder, self.message)]
            init_op = get_init_op(self.message)
        model.initializer = None
        if init_op is not None:
            refuse_writing([init_op], self.folder, paths)
            model.initializer = _Initializer(whole.prune(paths, init_op), model.asset_paths)
            self._done(model.initializer._initialize())
        model.__dict__["signatures"] = self._signatures(whole)
        model.variables = list(self.variables.values())
        model.tensorflow_version = self.message.meta_info_def.tensorflow_version
        model.tensorflow_git_version = self.message.meta_info_def.tensorflow_git_version
        model.graph, model.prune = whole.graph, whole.prune
        return model

    def _definitions(self, collection: str) -> list[protos.VariableDef]:
        if collection not in self.message.collection_def:
            return []
        packed = self.message.collection_def[collection].bytes_list.value
        return [protos.VariableDef.FromString(data) for data in packed]

    def _make_variables(self) -> None:
        trainable = {d.variable_name for d in self._definitions(GraphKeys.TRAINABLE_VARIABLES)}
        for name, node in self.nodes.items():
            self.variables[name] = UninitializedVariable(
                trainable=f"{name}:0" in trainable,
                name=name,
                shape=TensorShape(node.attr["shape"].shape),
                dtype=as_dtype(node.attr["dtype"].type).base_dtype,
            )

    def _import(self) -> None:
        for key in _VARIABLE_COLLECTIONS:
            if key in self.rewritten.collection_def:
                del self.rewritten.collection_def[key]
        import_meta_graph_with_return_elements(self.rewritten)

    def _restore(self, whole: WrappedFunction) -> None:
        prefix = folders.get_variables_path(self.folder)
        if not self.rewritten.HasField("saver_def"):
            if not self.variables:
                return
            reader = CheckpointReader(prefix)
            for name, variable in self.variables.items():
                if reader.has_tensor(name):
                    self._done(variable.assign(reader.get_tensor(name), read_value=False))
            return
        described = self.rewritten.saver_def
        filename = whole.graph.get_tensor_by_name(described.filename_tensor_name)
        operation = whole.graph.get_operation_by_name(described.restore_op_name)
        refuse_writing([operation], self.folder, [filename])
        self._done(whole.prune([filename], operation)(convert_to_tensor(prefix)))

    def _done(self, operation: Any) -> None:
        """What has been done eagerly a graph does with the initialization of its tables."""
        if not executing_eagerly() and operation is not None:
            add_to_collection(GraphKeys.TABLE_INITIALIZERS, getattr(operation, "op", operation))

    def _signatures(self, whole: WrappedFunction) -> SignatureMap:
        found = SignatureMap()
        for key, signature in self.message.signature_def.items():
            if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
                continue
            inputs = sorted(signature.inputs)
            try:
                function = whole.prune(
                    [signature.inputs[name] for name in inputs], {n: signature.outputs[n] for n in signature.outputs}
                )
            except UnliftableError as error:
                raise UnliftableError(
                    "A SavedModel signature needs an input for each placeholder the signature's outputs use. An output for "
                    f"signature '{key}' depends on a placeholder which is not an input (i.e. the placeholder is not fed a "
                    f"value).\n\n{error}"
                ) from None
            flat = nest.flatten([whole._element(signature.inputs[name]) for name in inputs], expand_composites=True)
            function._arg_keywords = inputs if len(flat) == len(inputs) else [tensor.op.name for tensor in flat]
            # A single one needs no name; of several the order tells nothing.
            function._num_positional_args = 1 if len(flat) == 1 else 0
            dict.__setitem__(found, key, function)
        return found
