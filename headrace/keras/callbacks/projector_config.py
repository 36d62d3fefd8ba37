"""The file that tells TensorBoard's projector which tensors of a checkpoint are embeddings."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from headrace.files import file_io

_FILE = "projector_config.pbtxt"


def write_projector_config(log_dir: str, tensors: Mapping[str, str | None]) -> None:
    """Writes the file.

    Args:
        log_dir: the folder.
        tensors: the names of tensors, each with the file of what its rows are called, or None.
    """
    lines = []
    for name, metadata in tensors.items():
        lines += ["embeddings {", f"  tensor_name: {json.dumps(name)}"]
        if metadata is not None:
            lines.append(f"  metadata_path: {json.dumps(metadata)}")
        lines.append("}")
    file_io.recursive_create_dir(log_dir)
    file_io.write_string_to_file(os.path.join(log_dir, _FILE), "".join(f"{line}\n" for line in lines))
