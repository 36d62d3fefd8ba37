"""Graphs in files written for TensorBoard to show."""

from __future__ import annotations

from headrace.core.graph import Graph
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_files import read_message
from headrace.saved_model.loading import maybe_saved_model_directory, meta_graph_of_tags, parse_saved_model
from headrace.summary.writer import FileWriter


def import_to_tensorboard(model_dir: str, log_dir: str) -> None:
    """Writes the graph of a model as an event file.

    Args:
        model_dir: the file of a GraphDef (`.pb` or `.pbtxt`), as `freeze_graph` writes it, or the folder of a SavedModel,
            whose graph with the tag "serve" is meant.
        log_dir: the folder that TensorBoard will read.

    Raises:
        NotFoundError: if there is no such file.
        ValueError: if the file holds no graph.

    Example:
        >>> path = tf.train.write_graph(tf.get_default_graph(), "frozen", "model.pb", as_text=False)
        >>> import_to_tensorboard(path, "logs")
        Model Imported. Visualize by running: tensorboard --logdir=logs
    """
    if maybe_saved_model_directory(model_dir):
        graph_def = meta_graph_of_tags(parse_saved_model(model_dir), {"serve"}).graph_def
    else:
        graph_def = read_message(model_dir, protos.GraphDef())
    with Graph().as_default() as graph, faults_in(model_dir, protos.GraphDef):
        import_graph_def(graph_def, name="")
        with FileWriter(log_dir) as writer:
            writer.add_graph(graph)
    print(f"Model Imported. Visualize by running: tensorboard --logdir={log_dir}")
