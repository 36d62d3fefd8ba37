"""Reading what a watched run has written."""

from __future__ import annotations

import collections
import glob
import json
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.errors import DataLossError
from headrace.debug.debug_graphs import DebugGraph
from headrace.debug.dump_files import (
    CORE_METADATA_TAG,
    DEVICE_TAG,
    FEED_KEYS_INFO_FILE_TAG,
    FETCHES_INFO_FILE_TAG,
    GRAPH_FILE_TAG,
    HASH_TAG,
    METADATA_FILE_PREFIX,
    device_path_to_device_name,
)
from headrace.debug.dumped_tensors import DebugTensorDatum
from headrace.debug.values import get_node_name, load_event
from headrace.messages import protos

if TYPE_CHECKING:
    from headrace.core.graph import Graph


CoreMetadata = collections.namedtuple(
    "CoreMetadata",
    ["global_step", "session_run_index", "executor_step_index", "input_names", "output_names", "target_nodes"],
)


class WatchKeyDoesNotExistInDebugDumpDirError(ValueError):
    """A watch key for which nothing was dumped."""


class DebugDumpDir:
    """The dump of one run.

    Args:
        dump_root: the folder.
        partition_graphs: the graphs that ran, from `RunMetadata`; those in the dump by default.
        validate: whether to see to it that all that was dumped is in the graphs.

    Raises:
        IOError: if the folder does not exist.
        ValueError: if the dump and the graphs do not fit each other.

    Example:
        >>> from headrace.python import debug as tf_debug
        >>> watched = tf_debug.DumpingDebugWrapperSession(sess, "dumps")
        >>> value = watched.run(tf.log(-tf.square(w), name="of_negatives"))
        >>> dump = tf_debug.DebugDumpDir(tf.gfile.Glob("dumps/run_*")[0])
        >>> dump.find(tf_debug.has_inf_or_nan)[0].node_name
        'of_negatives'
    """

    def __init__(self, dump_root: str, partition_graphs: Sequence[Any] | None = None, validate: bool = True) -> None:
        if not os.path.isdir(dump_root):
            raise OSError(f"Dump root directory {dump_root} does not exist")
        self._dump_root = dump_root
        self._python_graph: Graph | None = None
        self._core_metadata = [
            extract_core_metadata_from_event_proto(event) for event in self._events(CORE_METADATA_TAG)
        ]
        self._fetches_info = [event.log_message.message for event in self._events(FETCHES_INFO_FILE_TAG)]
        self._feeds_info = [event.log_message.message for event in self._events(FEED_KEYS_INFO_FILE_TAG)]
        self._data: dict[str, list[DebugTensorDatum]] = {}
        self._graphs: dict[str, DebugGraph] = {}
        stored: dict[str, Any] = {}
        for folder in self._files(DEVICE_TAG):
            device = device_path_to_device_name(folder)
            data, graph_file = _load_device(dump_root, folder)
            self._data[device] = data
            if graph_file is not None:
                stored[device] = self._stored_graph(graph_file)
        self._load_graphs(partition_graphs, stored)
        self._t0 = min((data[0].timestamp for data in self._data.values() if data), default=None)
        self._by_key: dict[str, dict[str, list[DebugTensorDatum]]] = {}
        for device, data in self._data.items():
            keys = self._by_key[device] = {}
            for datum in data:
                keys.setdefault(datum.watch_key, []).append(datum)
        if validate and self._graphs:
            self._validate()

    def _files(self, tag: str) -> list[str]:
        return sorted(glob.glob(os.path.join(glob.escape(self._dump_root), f"{METADATA_FILE_PREFIX}{tag}*")))

    def _events(self, tag: str) -> list[Any]:
        return [load_event(path) for path in self._files(tag)]

    @staticmethod
    def _stored_graph(path: str) -> protos.GraphDef:
        from google.protobuf.message import DecodeError

        try:
            return protos.GraphDef.FromString(load_event(path).graph_def)
        except DecodeError:
            raise DataLossError(None, None, f"{path} holds no GraphDef.") from None

    def _load_graphs(self, given: Sequence[Any] | None, stored: dict[str, Any]) -> None:
        if given and len(self._data) <= 1:
            graphs = dict.fromkeys(self._data, given[0])
        elif given:
            graphs = {device: self._graph_of(device, given) for device in self._data}
        else:
            graphs = stored
        self._graphs = {device: DebugGraph(graph, device_name=device) for device, graph in graphs.items()}

    @staticmethod
    def _graph_of(device: str, graphs: Sequence[Any]) -> Any:
        for graph in graphs:
            if any(node.device == device for node in graph.node):
                return graph
        return graphs[0]

    def _validate(self) -> None:
        for device, data in self._data.items():
            graph = self._graphs.get(device)
            for datum in data:
                if graph is not None and datum.node_name not in graph.node_inputs:
                    raise ValueError(
                        f"Node name '{datum.node_name}' is not found in partition graphs of device {device}."
                    )
            if graph is not None:
                _check_order(data, graph)

    # ---- the dump as a whole ----

    def set_python_graph(self, python_graph: Graph) -> None:
        """Gives the dump the `tf.Graph`, which knows where its nodes were made."""
        self._python_graph = python_graph

    @property
    def python_graph(self) -> Any:
        """The `tf.Graph`, if it was set."""
        return self._python_graph

    @property
    def core_metadata(self) -> Any:
        """What was fed and fetched; a list where the dump holds several runs."""
        return self._core_metadata[0] if len(self._core_metadata) == 1 else self._core_metadata

    @property
    def dumped_tensor_data(self) -> list[DebugTensorDatum]:
        """All that was dumped, in the order it was made."""
        if len(self._data) == 1:
            return next(iter(self._data.values()))
        return sorted(
            (datum for data in self._data.values() for datum in data), key=lambda datum: datum.extended_timestamp
        )

    @property
    def t0(self) -> int | None:
        """When the first tensor was made, in microseconds since the epoch."""
        return self._t0

    @property
    def size(self) -> int:
        """How many tensors were dumped."""
        return sum(map(len, self._data.values()))

    def loaded_partition_graphs(self) -> bool:
        """Whether the graphs are known."""
        return bool(self._graphs)

    def partition_graphs(self) -> list[Any]:
        """The graphs that ran.

        Raises:
            LookupError: if none are known.
        """
        self._known_graphs()
        return [graph.debug_graph_def for graph in self._graphs.values()]

    def reconstructed_non_debug_partition_graphs(self) -> dict[str, Any]:
        """The graphs without the nodes that debugging put into them, by device."""
        self._known_graphs()
        return {device: graph.non_debug_graph_def for device, graph in self._graphs.items()}

    @property
    def run_fetches_info(self) -> Any:
        """The text of the fetches, where a wrapper session has written it."""
        return self._fetches_info[0] if len(self._fetches_info) == 1 else self._fetches_info

    @property
    def run_feed_keys_info(self) -> Any:
        """The text of the keys of the feeds, where a wrapper session has written it."""
        return self._feeds_info[0] if len(self._feeds_info) == 1 else self._feeds_info

    def _known_graphs(self) -> None:
        if not self._graphs:
            raise LookupError("No partition graphs have been loaded.")

    # ---- nodes ----

    def devices(self) -> list[str]:
        """The names of the devices."""
        return list(self._data)

    def nodes(self, device_name: str | None = None) -> list[str]:
        """The names of the nodes that ran.

        Raises:
            LookupError: if no graphs are known.
            ValueError: if there is no such device.
        """
        self._known_graphs()
        if device_name is None:
            return [name for graph in self._graphs.values() for name in graph.node_inputs]
        if device_name not in self._graphs:
            raise ValueError(f"Invalid device name: {device_name}")
        return list(self._graphs[device_name].node_inputs)

    def _graph_with(self, node_name: str, device_name: str | None) -> DebugGraph:
        self._known_graphs()
        if device_name is not None:
            if device_name not in self._graphs:
                raise ValueError(f"There is no device named '{device_name}'.")
            graph = self._graphs[device_name]
            if node_name in graph.node_inputs:
                return graph
            raise ValueError(f"Node '{node_name}' does not exist on device '{device_name}'.")
        found = [graph for graph in self._graphs.values() if node_name in graph.node_inputs]
        if not found:
            raise ValueError(f"None of the {len(self._graphs)} device(s) has a node named '{node_name}'.")
        if len(found) > 1:
            raise ValueError(f"There are multiple ({len(found)}) devices with nodes named '{node_name}'.")
        return found[0]

    def node_exists(self, node_name: str, device_name: str | None = None) -> bool:
        """Whether a node ran."""
        self._known_graphs()
        if device_name is not None and device_name not in self._graphs:
            raise ValueError(f"The specified device_name '{device_name}' cannot be found.")
        graphs = self._graphs.values() if device_name is None else [self._graphs[device_name]]
        return any(node_name in graph.node_inputs for graph in graphs)

    def node_attributes(self, node_name: str, device_name: str | None = None) -> Any:
        """The attributes of a node: name to `AttrValue`."""
        return self._graph_with(node_name, device_name).node_defs[node_name].attr

    def node_inputs(self, node_name: str, is_control: bool = False, device_name: str | None = None) -> list[str]:
        """The tensors that a node takes, or the nodes that it waits for; first outputs by the name of their node."""
        graph = self._graph_with(node_name, device_name)
        return list((graph.node_ctrl_inputs if is_control else graph.node_inputs)[node_name])

    def node_recipients(self, node_name: str, is_control: bool = False, device_name: str | None = None) -> list[str]:
        """The nodes that take what a node makes, or that wait for it."""
        graph = self._graph_with(node_name, device_name)
        return list((graph.node_ctrl_recipients if is_control else graph.node_recipients)[node_name])

    def transitive_inputs(
        self,
        node_name: str,
        include_control: bool = True,
        include_reversed_ref: bool = False,
        device_name: str | None = None,
    ) -> list[str]:
        """The nodes that lie before a node, near ones first.

        Args:
            node_name: the node.
            include_control: whether to follow control edges.
            include_reversed_ref: whether a variable has those that assign to it before it.
            device_name: the device to look at.
        """
        graph = self._graph_with(node_name, device_name)
        return graph.transitive_inputs(node_name, include_control, include_reversed_ref)

    def find_some_path(
        self,
        src_node_name: str,
        dst_node_name: str,
        include_control: bool = True,
        include_reversed_ref: bool = False,
        device_name: str | None = None,
    ) -> list[str] | None:
        """Nodes along which one node leads to another, both included; None where it does not."""
        graph = self._graph_with(src_node_name, device_name)
        if dst_node_name not in graph.node_inputs:
            raise ValueError(f"Node '{dst_node_name}' is not on the device of '{src_node_name}'.")
        return graph.path(src_node_name, dst_node_name, include_control, include_reversed_ref)

    def node_device(self, node_name: str) -> Any:
        """The device that a node ran on; a list where there are several."""
        self._known_graphs()
        found = [device for device, graph in self._graphs.items() if node_name in graph.node_inputs]
        if not found:
            raise ValueError(f"Node '{node_name}' does not exist in partition graphs.")
        return found[0] if len(found) == 1 else found

    def node_op_type(self, node_name: str, device_name: str | None = None) -> str:
        """The op type of a node."""
        return str(self._graph_with(node_name, device_name).node_defs[node_name].op)

    def node_traceback(self, element_name: str) -> tuple[tuple[str, int, str, str | None], ...]:
        """Where the program made a node: (file, line, function, text), outermost first.

        Raises:
            LookupError: if no `tf.Graph` was set.
            KeyError: if it has no such node.
        """
        if self._python_graph is None:
            raise LookupError("Python graph is not available for traceback lookup")
        name = get_node_name(element_name)
        try:
            operation = self._python_graph.get_operation_by_name(name)
        except KeyError:
            raise KeyError(f'Cannot find node "{name}" in Python graph') from None
        traceback: tuple[tuple[str, int, str, str | None], ...] = operation.traceback
        return traceback

    # ---- tensors ----

    def debug_watch_keys(self, node_name: str, device_name: str | None = None) -> list[str]:
        """The keys under which tensors of a node were dumped."""
        keys = []
        for device, by_key in self._by_key.items():
            if device_name in (None, device):
                keys += [key for key, data in by_key.items() if data[0].node_name == node_name]
        return list(dict.fromkeys(keys))

    def watch_key_to_data(self, debug_watch_key: str, device_name: str | None = None) -> list[DebugTensorDatum]:
        """What was dumped under a key, one in each iteration of a loop; nothing for keys that are not there.

        Raises:
            ValueError: if several devices have the key and none is named.
        """
        found = [device for device, keys in self._by_key.items() if debug_watch_key in keys]
        if device_name is not None:
            found = [device for device in found if device == device_name]
        elif len(found) > 1:
            raise ValueError(f"There are multiple ({len(found)}) devices with watch key '{debug_watch_key}'.")
        return self._by_key[found[0]][debug_watch_key] if found else []

    def find(
        self,
        predicate: Callable[[DebugTensorDatum, Any], bool],
        first_n: int = 0,
        device_name: str | None = None,
        exclude_node_names: str | None = None,
    ) -> list[DebugTensorDatum]:
        """What a filter says yes to, in the order it was made.

        Args:
            predicate: takes a `DebugTensorDatum` and its value.
            first_n: stop after so many; 0 is without end.
            device_name: the device to look at.
            exclude_node_names: a regular expression of nodes to pass over.
        """
        excluded = re.compile(exclude_node_names) if exclude_node_names else None
        matched: list[DebugTensorDatum] = []
        for datum in self.dumped_tensor_data:
            if device_name is not None and datum.device_name != device_name:
                continue
            if excluded is not None and excluded.match(datum.node_name):
                continue
            if predicate(datum, datum.get_tensor()):
                matched.append(datum)
                if len(matched) == first_n:
                    break
        return matched

    def _dumped(self, node_name: str, output_slot: int, debug_op: str, device: str | None) -> list[DebugTensorDatum]:
        key = f"{node_name}:{output_slot}:{debug_op}"
        data = self.watch_key_to_data(key, device)
        if not data:
            raise WatchKeyDoesNotExistInDebugDumpDirError(f'Watch key "{key}" does not exist in the debug dump')
        return data

    def get_tensor_file_paths(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[str]:
        """The files of a tensor.

        Raises:
            WatchKeyDoesNotExistInDebugDumpDirError: if it was not dumped.
        """
        return [datum.file_path for datum in self._dumped(node_name, output_slot, debug_op, device_name)]

    def get_tensors(self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None) -> list[Any]:
        """The values of a tensor."""
        return [datum.get_tensor() for datum in self._dumped(node_name, output_slot, debug_op, device_name)]

    def get_rel_timestamps(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[int]:
        """When the values of a tensor were made, in microseconds after `t0`."""
        assert self._t0 is not None
        return [datum.timestamp - self._t0 for datum in self._dumped(node_name, output_slot, debug_op, device_name)]

    def get_dump_sizes_bytes(
        self, node_name: str, output_slot: int, debug_op: str, device_name: str | None = None
    ) -> list[int | None]:
        """The sizes of the files of a tensor."""
        return [datum.dump_size_bytes for datum in self._dumped(node_name, output_slot, debug_op, device_name)]


# Nodes of control flow take what comes from one of several sides, or comes again.
_CONTROL_FLOW = frozenset(("Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"))


def _check_order(data: Sequence[DebugTensorDatum], graph: DebugGraph) -> None:
    """Raises ValueError if a tensor is older than one that it was computed from."""
    first: dict[tuple[str, int], int] = {}
    for datum in data:
        place = (datum.node_name, datum.output_slot)
        first[place] = min(first.get(place, datum.timestamp), datum.timestamp)
    for (name, _), stamp in first.items():
        node = graph.node_defs[name]
        if node.op.removeprefix("Ref") in _CONTROL_FLOW:
            continue
        late = []
        for text in graph.node_inputs[name]:
            before, _, slot = text.partition(":")
            source = graph.node_defs.get(before)
            made = first.get((before, int(slot or 0)))
            if made is not None and made > stamp and source is not None:
                late.append((text, made))
        if late:
            listed = ", ".join(f"{text} ({made})" for text, made in late)
            raise ValueError(
                f"Causality violated in timing relations of debug dumps: {name} ({stamp}) is older than what it was "
                f"computed from: {listed}. Files of several runs may have got into one folder; validate=False loads them."
            )


def _load_device(dump_root: str, folder: str) -> tuple[list[DebugTensorDatum], str | None]:
    """What was dumped for one device, in the order it was made, and the file of its graph."""
    data = []
    graph_file = None
    for root, _, files in os.walk(folder):
        for name in files:
            if name.startswith(METADATA_FILE_PREFIX + GRAPH_FILE_TAG + HASH_TAG):
                graph_file = os.path.join(root, name)
            else:
                data.append(DebugTensorDatum(dump_root, os.path.relpath(os.path.join(root, name), dump_root)))
    data.sort(key=lambda datum: datum.extended_timestamp)
    return data, graph_file


def extract_core_metadata_from_event_proto(event: protos.Event) -> CoreMetadata:
    """What an `Event` of a dump tells of the run: its number, what it was fed and what it gave."""
    try:
        found = json.loads(event.log_message.message)
        return CoreMetadata(*(found[field] for field in CoreMetadata._fields))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(
            f"What a dump tells of its run is no JSON object with {', '.join(CoreMetadata._fields)}: "
            f"{type(error).__name__}: {error}"
        ) from None
