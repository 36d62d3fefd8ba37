"""The configuration of TensorBoard's embedding projector."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from headrace.files import file_io

if TYPE_CHECKING:
    from headrace.messages import protos
    from headrace.summary.writer import FileWriter


PROJECTOR_FILENAME = "projector_config.pbtxt"
_MESSAGES = ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata")


def __getattr__(name: str) -> type:
    if name not in _MESSAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tensorboard.plugins.projector import projector_config_pb2

    return getattr(projector_config_pb2, name)


def visualize_embeddings(summary_writer: FileWriter, config: protos.ConfigProto) -> None:
    """Writes what the projector is to show into the folder of a writer.

    Args:
        summary_writer: a `tf.summary.FileWriter`.
        config: a `ProjectorConfig`.

    Raises:
        ValueError: if the writer has no folder.

    Example:
        >>> projector = tf.contrib.tensorboard.plugins.projector
        >>> config = projector.ProjectorConfig()
        >>> config.embeddings.add().tensor_name = w.name
        >>> projector.visualize_embeddings(tf.summary.FileWriter("logs"), config)
    """
    from google.protobuf import text_format

    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    file_io.write_string_to_file(os.path.join(logdir, PROJECTOR_FILENAME), text_format.MessageToString(config))
