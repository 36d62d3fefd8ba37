"""Files that plugins of TensorBoard want beside the events of a graph."""

from __future__ import annotations

import abc
import os
from typing import Any, TypeVar

from headrace.core.defaults import get_default_graph
from headrace.core.graph import Graph
from headrace.files import file_io

_PLUGIN_ASSET_PREFIX = "__tensorboard_plugin_asset__"


class PluginAsset(abc.ABC):
    """The files of one plugin; a graph has at most one object of each such class.

    Attributes:
        plugin_name: the plugin.
    """

    plugin_name: str | None = None

    @abc.abstractmethod
    def assets(self) -> dict[str, Any]:
        """The contents of the files by their names."""


A = TypeVar("A", bound=PluginAsset)


def get_plugin_asset(plugin_asset_cls: type[A], graph: Graph | None = None) -> A:
    """The object of a class of plugin files that belongs to a graph, made at the first call.

    Args:
        plugin_asset_cls: the class.
        graph: the graph, the default one if None.

    Raises:
        ValueError: if the class names no plugin, or another class has its name in this graph.
    """
    graph = graph or get_default_graph()
    plugin = plugin_asset_cls.plugin_name
    if not plugin:
        raise ValueError(f"Class {plugin_asset_cls.__name__} has no plugin_name")
    if not graph.get_collection(_PLUGIN_ASSET_PREFIX + plugin):
        graph.add_to_collection(_PLUGIN_ASSET_PREFIX + plugin, plugin_asset_cls())
        graph.add_to_collection(_PLUGIN_ASSET_PREFIX, plugin)
    found = _only(graph, plugin)
    if not isinstance(found, plugin_asset_cls):
        raise ValueError(
            f"Plugin name collision between classes {plugin_asset_cls.__name__} and {type(found).__name__}"
        )
    return found


def get_all_plugin_assets(graph: Graph | None = None) -> list[Any]:
    """The objects of a graph, the default one if None, that have files for plugins."""
    graph = graph or get_default_graph()
    return [_only(graph, plugin) for plugin in graph.get_collection(_PLUGIN_ASSET_PREFIX)]


def _only(graph: Graph, plugin: str) -> Any:
    found = graph.get_collection(_PLUGIN_ASSET_PREFIX + plugin)
    if len(found) != 1:
        raise ValueError(f"Collection for {_PLUGIN_ASSET_PREFIX}{plugin} had {len(found)} items, expected 1")
    return found[0]


def write_plugin_assets(graph: Graph, logdir: str) -> None:
    """Writes the files that plugins want of a graph to `plugins/NAME` in a folder."""
    for container in get_all_plugin_assets(graph):
        folder = os.path.join(os.fspath(logdir), "plugins", container.plugin_name)
        file_io.recursive_create_dir(folder)
        for name, content in container.assets().items():
            with file_io.FileIO(os.path.join(folder, name), "w") as file:
                file.write(content)
