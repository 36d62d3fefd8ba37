"""Graphs that are no SavedModels: a frozen GraphDef, or a checkpoint with its MetaGraphDef."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.checkpoints.saver import Saver
from headrace.core import errors
from headrace.core.collections import GraphKeys
from headrace.core.file_effects import find_needed, find_python, find_writer
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.files import file_io
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_files import read_message
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.signatures import build_signature_def, build_tensor_info
from headrace.serve.model_configs import GraphSignature
from headrace.serve.servable import Scheduler, Servable, servable_of

# Programs see what they import below this scope unless they name another: its names are understood too.
IMPORTED = "import/"
_VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"])
_MOST_NAMES = 20


def tensors_by_name(texts: str | Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    """Tensors by the names that requests have for them.

    Args:
        texts: `name=tensor` each, divided by commas in a text; just `tensor` is called as its operation is.

    Raises:
        ValueError: if a name comes twice, or there is none.

    Example:
        >>> tensors_by_name("images=input:0,dropout/keep:0")
        {'images': 'input:0', 'dropout/keep': 'dropout/keep:0'}
    """
    if isinstance(texts, Mapping):
        return dict(texts)
    found: dict[str, str] = {}
    for text in texts.split(",") if isinstance(texts, str) else texts:
        alias, named, tensor = text.strip().rpartition("=")
        if ":" not in tensor:
            tensor += ":0"
        name = alias if named else tensor.removesuffix(":0").removeprefix(IMPORTED)
        if not name or tensor == ":0":
            raise ValueError(f"Expected name=tensor:0 or tensor:0, got {text!r}")
        if name in found:
            raise ValueError(f"The name {name!r} comes twice, in {texts!r}")
        found[name] = tensor
    return found


def load_graph(
    name: str,
    version: int,
    path: str,
    signature: GraphSignature,
    config: protos.ConfigProto | None = None,
    scheduler: Scheduler | None = None,
) -> Servable:
    """Loads a graph that is no SavedModel.

    Args:
        name, version: what to call it.
        path: a GraphDef, binary or text, or a checkpoint's prefix.
        signature: what it offers.
        config: a `ConfigProto` for its session.
        scheduler: what runs its calls.

    Raises:
        OSError, OpError: if there is no such file, or it holds something else.
        InvalidArgumentError: if the graph lacks a tensor, or what is served calls Python or writes files.
        FailedPreconditionError: if a GraphDef has variables, for which it has no values.
    """
    graph, saver = _imported(path)
    signature_def = describe_graph(graph, signature)
    fed = [graph.get_tensor_by_name(info.name) for info in signature_def.inputs.values()]
    fetched = [graph.get_tensor_by_name(info.name).op for info in signature_def.outputs.values()]
    with graph.as_default():
        session = Session(graph=graph, config=config)
        _refuse_effects(fetched, fed, path)
        if not file_io.file_exists(path):
            _restore(session, saver, path)
        elif find_needed(fetched, fed, lambda operation: operation.type in _VARIABLES):
            raise errors.FailedPreconditionError(
                None,
                None,
                f"The graph in {path} has variables, and no values for them: serve the checkpoint that has them, or make "
                "them constants with `headrace freeze`.",
            )
    return servable_of(
        name, version, session, {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature_def}, path, scheduler
    )


def read_graph(path: str) -> Graph:
    """The graph of a GraphDef or of a checkpoint, without values of variables; errors as of `load_graph`."""
    return _imported(path)[0]


def _imported(path: str) -> tuple[Graph, Saver | None]:
    with Graph().as_default() as graph:
        if file_io.file_exists(path):
            graph_def = read_message(path, protos.GraphDef())
            with faults_in(path, protos.GraphDef):
                import_graph_def(graph_def, name="")
            return graph, None
        return graph, import_meta_graph(_meta_graph_of(path), clear_devices=True)


def _meta_graph_of(prefix: str) -> str:
    """The file with the graph of a checkpoint; programs that save many may write it with the first one only."""
    if file_io.file_exists(f"{prefix}.meta"):
        return f"{prefix}.meta"
    there = file_io.get_matching_files(os.path.join(os.path.dirname(prefix), "*.meta"))
    if not there:
        raise errors.NotFoundError(
            None,
            None,
            f"There is no graph beside the checkpoint {prefix}: neither {prefix}.meta nor another .meta file",
        )
    return max(there, key=lambda file: file_io.stat(file).mtime_nsec)


def describe_graph(graph: Graph, signature: GraphSignature) -> protos.SignatureDef:
    """A graph's signature with types and shapes; InvalidArgumentError if it lacks a tensor, naming those it has."""
    return build_signature_def(
        {name: build_tensor_info(_tensor(graph, tensor)) for name, tensor in signature.inputs.items()},
        {name: build_tensor_info(_tensor(graph, tensor)) for name, tensor in signature.outputs.items()},
        names.PREDICT_METHOD_NAME,
    )


def _tensor(graph: Graph, name: str) -> Tensor:
    for tried in (name, name.removeprefix(IMPORTED)):
        try:
            return graph.get_tensor_by_name(tried)
        except (KeyError, ValueError):
            continue
    raise errors.InvalidArgumentError(None, None, f"The graph has no tensor {name!r}. {suggested_names(graph)}")


def suggested_names(graph: Graph) -> str:
    """What of a graph may be inputs and outputs, in a sentence."""
    operations = graph.get_operations()
    inputs = [op.name for op in operations if op.type in ("Placeholder", "PlaceholderV2", "PlaceholderWithDefault")]
    outputs = [
        op.name
        for op in operations
        if op.outputs and op.type not in ("Const", "Placeholder") and not any(out.consumers() for out in op.outputs)
    ]
    return f"Placeholders: {_listed(inputs)}; read by no other operation: {_listed(outputs)}."


def _listed(found: list[str]) -> str:
    more = f" and {len(found) - _MOST_NAMES} more" if len(found) > _MOST_NAMES else ""
    return ", ".join(f"{name}:0" for name in found[-_MOST_NAMES:]) + more if found else "none"


def _restore(session: Session, saver: Saver | None, prefix: str) -> None:
    if saver is not None:
        # It refuses graphs that write files where they should read.
        saver.restore(session, prefix)
    initializers = session.graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
    _refuse_effects(initializers, (), prefix)
    session.run(initializers)


def _refuse_effects(operations: Iterable[Operation], fed: Iterable[Tensor], path: str) -> None:
    operations, fed = list(operations), list(fed)
    for what, found in (("call Python", find_python(operations, fed)), ("write files", find_writer(operations, fed))):
        if found is not None:
            raise errors.InvalidArgumentError(
                None, None, f"What is served of {path} would {what}, by {found.name} ({found.type})."
            )
