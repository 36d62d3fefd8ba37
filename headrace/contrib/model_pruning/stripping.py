"""Graphs of pruned models without what pruning added to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import latest_checkpoint
from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.core.defaults import get_default_graph
from headrace.core.graph import Graph
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_util import convert_variables_to_constants, extract_sub_graph
from headrace.messages.protos import GraphDef
from headrace.messages.tensor_proto import make_tensor_proto
from headrace.runtime.session import Session

if TYPE_CHECKING:
    from headrace.messages import protos


def strip_pruning_vars_fn(input_graph_def: protos.GraphDef, output_node_names: list[str]) -> protos.GraphDef:
    """A frozen graph in which masked weights are constants.

    Args:
        input_graph_def: a `GraphDef` without variables.
        output_node_names: the names of the nodes it shall compute.

    Returns:
        a `GraphDef`.
    """
    names = [node.name for node in input_graph_def.node if "masked_weight" in node.name]
    graph = Graph()
    with graph.as_default():
        import_graph_def(input_graph_def, name="")
        with Session(graph=graph) as sess:
            values = sess.run({name: f"{name}:0" for name in names})
    stripped = GraphDef()
    for node in input_graph_def.node:
        if node.name not in values:
            stripped.node.add().CopyFrom(node)
            continue
        weights = stripped.node.add(op="Const", name=node.name)
        weights.attr["dtype"].CopyFrom(node.attr["T"])
        weights.attr["value"].tensor.CopyFrom(make_tensor_proto(values[node.name]))
    return extract_sub_graph(stripped, output_node_names)


def graph_def_from_checkpoint(checkpoint_dir: str, output_node_names: list[str]) -> protos.GraphDef:
    """The frozen graph of the latest checkpoint.

    Args:
        checkpoint_dir: a directory of checkpoints with their meta graphs.
        output_node_names: the names of the nodes it shall compute.

    Returns:
        a `GraphDef`.

    Raises:
        ValueError: if there is no checkpoint.
    """
    path = latest_checkpoint(checkpoint_dir)
    if path is None:
        raise ValueError(f"Could not find a checkpoint at: {checkpoint_dir}.")
    saver: Any = import_meta_graph(f"{path}.meta", clear_devices=True)
    with Session() as sess:
        saver.restore(sess, path)
        return convert_variables_to_constants(sess, get_default_graph().as_graph_def(), output_node_names)
