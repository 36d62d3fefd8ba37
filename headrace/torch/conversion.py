"""Models in files as files for PyTorch and ONNX."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch

from headrace.checkpoints.checkpoint_state import checkpoint_exists
from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.files import file_io
from headrace.kernels.host_values import to_tensor
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_files import read_message
from headrace.messages.tensor_proto import MakeNdarray
from headrace.runtime.session import Session
from headrace.saved_model.loading import maybe_saved_model_directory
from headrace.torch.checkpoints import from_checkpoint
from headrace.torch.module import GraphModule, from_saved_model, to_module

FORMATS = ("torch", "safetensors", "onnx")


def _full(names: Sequence[str]) -> list[str]:
    return [name if ":" in name else f"{name}:0" for name in names]


def _inputs(names: Sequence[str], graph: Graph, outputs: Sequence[str]) -> list[str]:
    """The names of the tensors to feed: those given, or the placeholders that the outputs need."""
    if names:
        return _full(names)
    waiting = [graph.as_graph_element(name).op for name in outputs]
    needed = set(waiting)
    while waiting:
        before = {tensor.op for tensor in waiting.pop().inputs} - needed
        needed |= before
        waiting += before
    return [op.outputs[0].name for op in graph.get_operations() if op in needed and op.type.startswith("Placeholder")]


def _outputs(names: Sequence[str], graph: Graph) -> list[str]:
    """The names of the tensors to fetch: those given, or that which nothing consumes."""
    if names:
        return _full(names)
    ends = _ends(graph)
    if len(ends) != 1:
        listing = (
            ", ".join(f"{op.name} {op.outputs[0].shape}" for op in ends[:8])
            or "nothing that is computed from what is fed"
        )
        raise ValueError(
            "Name the outputs (outputs=[...], or --outputs NAME,NAME on the command line): several tensors could be meant. "
            f"At the ends of the graph there is {listing}{', …' if len(ends) > 8 else ''}."
        )
    return [ends[0].outputs[0].name]


def _ends(graph: Graph) -> list[Operation]:
    """The operations that nothing consumes, without what only training, saving and summaries need."""
    operations = [op for op in graph.get_operations() if op.outputs]
    fed: dict[Operation, None] = {}
    for op in operations:
        # One with a default, such as the name of a checkpoint, need not be fed.
        if op.type in ("Placeholder", "PlaceholderV2") or any(tensor.op in fed for tensor in op.inputs):
            fed[op] = None
    # What changes variables is no result; what a summary tells of can be one.
    used = {tensor.op for op in fed if not op.type.endswith("Summary") for tensor in op.inputs}
    return [op for op in fed if op not in used and not op.decl.writes_state and not op.type.endswith("Summary")]


def module_of(
    source: str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    tags: Sequence[str] = ("serve",),
    signature: str = "serving_default",
) -> GraphModule:
    """A model in files as a module.

    Args:
        source: the folder of a SavedModel, a frozen graph (`.pb` or `.pbtxt`), or a checkpoint's `.meta` file.
        inputs, outputs: names of tensors of a graph; by default its placeholders, and the only tensor nothing consumes.
        tags, signature: what to take of a SavedModel.

    Raises:
        ValueError: if it is none of these, or the outputs are not clear.
    """
    if maybe_saved_model_directory(source):
        return from_saved_model(source, tags, signature)
    if not file_io.file_exists(source) or file_io.is_directory(source):
        raise ValueError(f"{source} is no SavedModel, frozen graph (.pb, .pbtxt) or .meta file.")
    with Graph().as_default() as graph, Session(graph=graph) as session:
        if source.endswith(".meta"):
            saver = import_meta_graph(source, clear_devices=True)
            if saver is not None:
                saver.restore(session, source.removesuffix(".meta"))
        else:
            message = read_message(source, protos.GraphDef())
            with faults_in(source, protos.GraphDef):
                import_graph_def(message, name="")
        found = _outputs(outputs, graph)
        return to_module({name.removesuffix(":0"): name for name in found}, _inputs(inputs, graph, found), session)


def _is_graph(source: str) -> bool:
    return source.endswith((".meta", ".pb", ".pbtxt")) or maybe_saved_model_directory(source)


def tensors_of(source: str, **chosen: Any) -> dict[str, torch.Tensor]:
    """The weights of a model in files by name: variables, or the constants that a frozen graph has for them."""
    if not _is_graph(source) and checkpoint_exists(source):
        return from_checkpoint(source)
    if source.endswith(".meta") and checkpoint_exists(source.removesuffix(".meta")):
        return from_checkpoint(source.removesuffix(".meta"))
    module = module_of(source, **chosen)
    found = {name: tensor.detach() for name, tensor in module.named_variables().items()}
    for node in () if found else module.graph_def.node:
        if node.op == "Const" and node.attr["value"].tensor.tensor_shape.dim:
            value = MakeNdarray(node.attr["value"].tensor)
            if value.dtype.kind == "f" and value.size:
                found[node.name] = to_tensor(value.copy())
    return found


def _described(module: GraphModule) -> str:
    """What a module takes and gives, in a line."""
    graph = module._graph
    kinds = []
    for names in (module.input_names, module._flat_outputs):
        tensors = [graph.get_tensor_by_name(name) for name in names]
        kinds.append(
            ", ".join(f"{tensor.op.name} {tensor.dtype.name}{tensor.shape}" for tensor in tensors) or "nothing"
        )
    return f"takes {kinds[0]}; gives {kinds[1]}; {_count(len(module.named_variables()), 'variable')}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def convert(source: str, target: str, to: str, **chosen: Any) -> str:
    """Writes a model in files as a file for PyTorch or ONNX.

    Args:
        source: as of `module_of`; a checkpoint's path too, for its weights.
        target: the file to write.
        to: "torch": the whole model, for `headrace.torch.load`; "safetensors": the weights alone; "onnx": the whole model.
        **chosen: further arguments of `module_of`.

    Returns:
        what has been written, in a line.

    Raises:
        NotImplementedError: if a library is missing, or an op has no counterpart in ONNX.
    """
    folder = os.path.dirname(target)
    if folder:
        os.makedirs(folder, exist_ok=True)
    if to == "safetensors":
        try:
            from safetensors.torch import save_file
        except ImportError:
            raise NotImplementedError("Writing safetensors needs the library: pip install safetensors") from None
        tensors = tensors_of(source, **chosen)
        save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, target)
        return f"{_count(len(tensors), 'tensor')} as safetensors"
    if to == "onnx":
        try:
            from headrace.torch.onnx import to_onnx
        except ImportError:
            raise NotImplementedError("Writing ONNX needs the library: pip install onnx") from None
        module = module_of(source, **chosen)
        to_onnx(module, target)
        return f"an ONNX model that {_described(module)}"
    if not _is_graph(source) and checkpoint_exists(source):
        weights = from_checkpoint(source)
        torch.save(weights, target)
        return f"a state dict of {_count(len(weights), 'tensor')}, for torch.load"
    module = module_of(source, **chosen)
    module.save(target)
    return f"a module for headrace.torch.load that {_described(module)}"
