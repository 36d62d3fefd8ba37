"""What a model offers, as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from headrace.messages import protos
from headrace.saved_model.loading import maybe_saved_model_directory, meta_graph_of_tags, parse_saved_model
from headrace.serve.model_configs import versions_in


def describe(path: str, tags: tuple[str, ...]) -> str:
    """The signatures of a SavedModel, or of the highest version in a folder of versions, as a table.

    Raises:
        OSError, RuntimeError: if there is none.
    """
    folder = path
    if not maybe_saved_model_directory(folder):
        versions = versions_in(path)
        if versions:
            folder = versions[max(versions)]
    meta_graph = meta_graph_of_tags(parse_saved_model(folder), tags)
    rows: list[tuple[str, ...]] = [("signature", "method", "", "name", "dtype", "shape")]
    for key in sorted(meta_graph.signature_def):
        if key.startswith("__saved_model_"):
            continue
        signature = meta_graph.signature_def[key]
        head = (key, signature.method_name)
        for kind, infos in (("input", signature.inputs), ("output", signature.outputs)):
            for alias in sorted(infos):
                rows.append((*head, kind, alias, *_type(infos[alias])))
                head = ("", "")
    return os.path.abspath(folder) + "\n" + "\n".join(_aligned(rows))


def _type(info: Any) -> tuple[str, str]:
    dtype = protos.types_pb2.DataType.Name(info.dtype).removeprefix("DT_").lower()
    if info.tensor_shape.unknown_rank:
        return dtype, "any"
    return dtype, f"[{', '.join('?' if dim.size < 0 else str(dim.size) for dim in info.tensor_shape.dim)}]"


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
