"""Graphs with their collections and savers, as files."""

from __future__ import annotations

import logging
from typing import Any

from headrace.files.checkpoint import atomic
from headrace.interop import protos

_logger = logging.getLogger("tensorflow")


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Any = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    try:
        from headrace.interop import meta_graph as _  # noqa: F401
    except ImportError:
        made = protos.MetaGraphDef(graph_def=graph_def, saver_def=saver_def)
        if filename:
            atomic.write(filename, made.SerializeToString())
        return made
    raise NotImplementedError
