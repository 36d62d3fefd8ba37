"""Writing the tensors of a watched run to files, in the layout of TensorFlow's debugger.

<dump root>/_tfdbg_core_metadata_...                       what was fed and fetched
<dump root>/_tfdbg_device_,job_localhost,.../              one folder a device, in it:
    _tfdbg_graph_hash...                                   the graph
    <scope>/<node>_<slot>_<debug op>_<microseconds>        a tensor, in an Event message
"""

from __future__ import annotations

import itertools
import json
import os
import re
import weakref
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import Dims
from headrace.core.errors import FailedPreconditionError
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.files.failures import failures_of
from headrace.messages import protos
from headrace.messages.tensor_proto import array_to_proto
from headrace.plan.watched import WatchedPlan
from headrace.runtime.watching import Reader, micros, part_of_graph

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike


METADATA_FILE_PREFIX = "_tfdbg_"
CORE_METADATA_TAG = "core_metadata_"
GRAPH_FILE_TAG = "graph_"
DEVICE_TAG = "device_"
HASH_TAG = "hash"
FETCHES_INFO_FILE_TAG = "fetches_info_"
FEED_KEYS_INFO_FILE_TAG = "feed_keys_info_"

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
_DEBUG_OP = re.compile(r"(\w+)(?:\((.*)\))?")

_steps: weakref.WeakKeyDictionary[WatchedPlan, Iterator[int]] = weakref.WeakKeyDictionary()
_graphs: weakref.WeakKeyDictionary[WatchedPlan, bytes] = weakref.WeakKeyDictionary()
# Sessions count their runs in the names of the files; the process is all they tell apart here.
_runs = iter(range(1, 1 << 62)).__next__


def device_name_to_device_path(device_name: str) -> str:
    """The name of the folder that holds a device's tensors."""
    return METADATA_FILE_PREFIX + DEVICE_TAG + device_name.replace("/", ",").replace(":", "_")


def device_path_to_device_name(device_dir: str) -> str:
    """The device whose tensors a folder holds."""
    name = os.path.basename(device_dir)[len(METADATA_FILE_PREFIX + DEVICE_TAG) :]
    parts = [part.replace("_", ":", 2 if part.startswith("device") else 1) for part in name.split(",")]
    return "/".join(parts)


# Parts of names of nodes that mean another folder to the system. No name of a node holds a "%".
_ELSEWHERE = {".": "%2E", "..": "%2E%2E"}
_NAMED = {written: part for part, written in _ELSEWHERE.items()}


def scope_folder(scope: str) -> str:
    """The folder, below that of the device, for what is in a scope; never one that is elsewhere."""
    return "/".join(_ELSEWHERE.get(part, part) for part in scope.split("/"))


def folder_scope(folder: str) -> str:
    """The scope for which there is a folder; undoes `scope_folder`."""
    return "/".join(_NAMED.get(part, part) for part in folder.split("/"))


class FileWatcher:
    """Writes the tensors of one run below a folder.

    Args:
        url: "file://" and the folder.
        watches: the `DebugTensorWatch` messages that say which tensors to write, and how.
        global_step: what the program says the step is.
    """

    def __init__(self, url: str, watches: Sequence[Any], global_step: int = -1) -> None:
        self._root = url.partition("://")[2]
        self._folder = os.path.join(self._root, device_name_to_device_path(_DEVICE))
        self._asked: dict[tuple[str, int], list[str]] = {}
        self._last = 0
        self._step = global_step
        self._tolerant: set[tuple[str, int]] = set()
        for watch in watches:
            ops = self._asked.setdefault((watch.node_name, watch.output_slot), [])
            ops.extend(name for name in watch.debug_ops if name not in ops)
            if watch.tolerate_debug_op_creation_failures:
                self._tolerant.add((watch.node_name, watch.output_slot))

    def begin(self, plan: WatchedPlan) -> None:
        """Writes what is known before the run: the graph, what is fed and fetched."""
        os.makedirs(self._folder, exist_ok=True)
        graph = _graphs.get(plan)
        if graph is None:
            graph = _graphs[plan] = part_of_graph(plan).SerializeToString()
        now = self._now()
        event = protos.Event(wall_time=now, graph_def=graph)
        self._write(self._folder, f"{METADATA_FILE_PREFIX}{GRAPH_FILE_TAG}{HASH_TAG}{zlib.crc32(graph)}_{now}", event)
        number = _runs()
        metadata = {
            "global_step": self._step,
            "session_run_index": number,
            "executor_step_index": next(_steps.setdefault(plan, itertools.count())),
            "input_names": [tensor.name for tensor in plan.fed],
            "output_names": [item.name for item in plan.fetches if isinstance(item, Tensor)],
            "target_nodes": [item.name for item in plan.fetches if isinstance(item, Operation)],
        }
        event = protos.Event(wall_time=now)
        event.log_message.message = json.dumps(metadata)
        name = f"{METADATA_FILE_PREFIX}{CORE_METADATA_TAG}sessionrun{number:014d}_{now}"
        self._write(self._root, name, event)

    def before(self, operation: Operation) -> None:
        """Nothing is written before an operation has run."""

    def tensor(self, tensor: Tensor, read: Reader) -> None:
        """Writes a tensor, if it is watched."""
        name, slot = tensor.op.name, tensor.value_index
        asked = [*self._asked.get((name, slot), ()), *self._asked.get((name, -1), ()), *self._asked.get(("*", -1), ())]
        if not asked:
            return
        dtype = tensor.dtype.base_dtype
        if dtype.name == "variant":
            return
        value = read()
        tolerant = not self._tolerant.isdisjoint(((name, slot), (name, -1), ("*", -1)))
        for number, debug_op in enumerate(dict.fromkeys(asked)):
            kind = debug_op.partition("(")[0]
            if kind == "DebugNumericSummary" and not (dtype.is_floating or dtype.is_integer or dtype.is_bool):
                if tolerant:
                    continue
                raise FailedPreconditionError(
                    None, tensor.op, f"Failed to create debug node {kind} for tensor {tensor.name}, which holds no "
                    f"numbers but {dtype.name}. tolerate_debug_op_creation_failures=True leaves it out."
                )  # fmt: skip
            if dtype.name == "resource":
                proto = _resource(tensor)
            else:
                made = applied(debug_op, value, dtype, tensor.dims, f"__dbg_{tensor.name}_{number}_{kind}")
                if made is _HEALTHY:
                    continue
                proto = protos.TensorProto(dtype=dtype.as_datatype_enum) if made is None else _as_bytes(made)
            now = self._now()
            event = protos.Event(wall_time=now)
            entry = event.summary.value.add(tag=name, node_name=f"{name}:{slot}:{kind}", tensor=proto)
            entry.metadata.plugin_data.plugin_name = "debugger"
            place = {"device": _DEVICE, "outputSlot": slot, "numChunks": 1, "chunkIndex": 0}
            entry.metadata.plugin_data.content = json.dumps(place).encode()
            scope, _, leaf = name.rpartition("/")
            self._write(os.path.join(self._folder, scope_folder(scope)), f"{leaf}_{slot}_{kind}_{now}", event)

    def end(self) -> None:
        """All has been written as it came."""

    def _now(self) -> int:
        """A time that no other file of this run has: names and order rest on it."""
        self._last = max(self._last + 1, micros())
        return self._last

    @staticmethod
    def _write(folder: str, name: str, event: protos.Event) -> None:
        # Names of nodes come from graphs, which may have any length.
        with failures_of(os.path.join(folder, name)):
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(event.SerializeToString())


def write_log_message(path: str, text: str) -> None:
    """Writes a file of a dump that holds one line of text."""
    event = protos.Event()
    event.log_message.message = text
    with open(path, "wb") as file:
        file.write(event.SerializeToString())


def _as_bytes(array: np.ndarray) -> protos.TensorProto:
    """A TensorProto that holds its elements as bytes: TensorFlow takes any other for one without a value."""
    proto = array_to_proto(array)
    if array.dtype.kind == "O":
        return proto
    content = type(proto)(dtype=proto.dtype, tensor_shape=proto.tensor_shape)
    content.tensor_content = np.ascontiguousarray(array).tobytes()
    return content


_HEALTHY: Any = object()


def _resource(tensor: Tensor) -> protos.TensorProto:
    """A TensorProto of a handle: who it belongs to, as bytes, for there is no value."""
    name = f"{_DEVICE} {tensor.op.name}".encode()
    proto = protos.TensorProto(dtype=tensor.dtype.base_dtype.as_datatype_enum, tensor_content=name)
    proto.tensor_shape.SetInParent()
    return proto


def applied(
    debug_op: str, value: np.ndarray | None, dtype: DTypeLike, dims: Dims = None, debug_node: str = ""
) -> np.ndarray | None:
    """What a debug op makes of a tensor's value, None being that of an uninitialized variable.

    Args:
        debug_op: its name, with arguments in parentheses.
        value: the value.
        dtype: the tensor's type.
        dims: its shape, as far as the graph tells.
        debug_node: the name of the debug op's node, for errors.

    Raises:
        ValueError: if there is no such debug op.
        FailedPreconditionError: if it takes no such argument.
    """
    match = _DEBUG_OP.fullmatch(debug_op)
    known = None if match is None else _DEBUG_OPS.get(match[1])
    if match is None or known is None:
        raise ValueError(f"There is no debug op {debug_op!r}; there are {', '.join(sorted(_DEBUG_OPS))}.")
    arguments = {}
    for item in (match[2] or "").split(";"):
        if item.strip():
            key, _, text = item.partition("=")
            arguments[key.strip()] = text.strip()
    # Sending waits for nobody here: there is no remote debugger.
    arguments.pop("gated_grpc", None)
    made = known(value, dtype, dims, arguments)
    if arguments:
        raise FailedPreconditionError(
            None,
            None,
            f"{len(arguments)} attribute key(s) were not valid for debug node {debug_node}: {', '.join(arguments)}",
        )
    return made


def _identity(value: np.ndarray | None, dtype: DType, dims: Dims, arguments: dict[str, str]) -> np.ndarray | None:
    return value


def _nan_count(value: np.ndarray | None, dtype: DType, dims: Dims, arguments: dict[str, str]) -> np.ndarray:
    count = 0 if value is None or not np.issubdtype(value.dtype, np.inexact) else int(np.isnan(value).sum())
    return np.array([count], np.int64)


def _numeric_summary(value: np.ndarray | None, dtype: DType, dims: Dims, arguments: dict[str, str]) -> np.ndarray:
    """What TensorFlow's op of the name gives: counts of kinds of elements, then moments, then type and shape."""
    low = float(arguments.pop("lower_bound", "-inf"))
    high = float(arguments.pop("upper_bound", "inf"))
    mute = arguments.pop("mute_if_healthy", "false").lower() == "true"
    if value is None:
        sizes = [len(dims), *dims] if dims is not None and None not in dims else [-1]
        return np.array([0.0] * 8 + [np.inf, -np.inf, np.nan, np.nan, dtype.as_datatype_enum, *sizes], np.float64)
    numbers = value.astype(np.float64).ravel() if value.dtype.kind in "fiub" else np.zeros(0)
    nans, below, above = np.isnan(numbers), numbers <= low, numbers >= high
    below, above = below & ~nans, above & ~nans
    within = ~(nans | below | above)
    if mute and within.all():
        return _HEALTHY
    finite = numbers[np.isfinite(numbers)]
    kinds = [nans, below, within & (numbers < 0), within & (numbers == 0), within & (numbers > 0), above]
    moments = (
        [finite.min(), finite.max(), finite.mean(), finite.var()] if finite.size else [np.inf, -np.inf] + [np.nan] * 2
    )
    counts = [int(kind.sum()) for kind in kinds]
    shape = [dtype.as_datatype_enum, value.ndim, *value.shape]
    return np.array([1, numbers.size, *counts, *moments, *shape], np.float64)


_DEBUG_OPS: dict[str, Callable[[Any, Any, Dims, dict[str, str]], Any]] = {
    "DebugIdentity": _identity,
    "DebugNanCount": _nan_count,
    "DebugNumericSummary": _numeric_summary,
}
