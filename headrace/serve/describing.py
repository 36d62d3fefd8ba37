"""What a model offers, as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from headrace.messages import protos
from headrace.saved_model.loading import maybe_saved_model_directory, meta_graph_of_tags, parse_saved_model
from headrace.saved_model.names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from headrace.serve.graph_files import describe_graph, read_graph
from headrace.serve.model_configs import ModelConfig, versions_in


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
    return _table(folder, meta_graph.signature_def)


def describe_model(model: ModelConfig) -> str:
    """The signature of a graph that is no SavedModel, as a table.

    Raises:
        OSError, OpError: if there is none, or it lacks a tensor.
    """
    versions = model.versions()
    if model.graph is None or not versions:
        raise OSError(f"There is no graph and no checkpoint at {model.base_path}")
    path = versions[max(versions)]
    return _table(path, {DEFAULT_SERVING_SIGNATURE_DEF_KEY: describe_graph(read_graph(path), model.graph)})


def _table(where: str, signature_defs: Mapping[str, Any]) -> str:
    rows: list[tuple[str, ...]] = [("signature", "method", "", "name", "dtype", "shape")]
    for key in sorted(signature_defs):
        if key.startswith("__saved_model_"):
            continue
        signature = signature_defs[key]
        head = (key, signature.method_name)
        for kind, infos in (("input", signature.inputs), ("output", signature.outputs)):
            for alias in sorted(infos):
                rows.append((*head, kind, alias, *_type(infos[alias])))
                head = ("", "")
    return os.path.abspath(where) + "\n" + "\n".join(_aligned(rows))


def _type(info: Any) -> tuple[str, str]:
    dtype = protos.types_pb2.DataType.Name(info.dtype).removeprefix("DT_").lower()
    if info.tensor_shape.unknown_rank:
        return dtype, "any"
    return dtype, f"[{', '.join('?' if dim.size < 0 else str(dim.size) for dim in info.tensor_shape.dim)}]"


def _aligned(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
