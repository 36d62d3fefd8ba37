"""Names and values in dumps, and the filter that every debugger begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.errors import DataLossError
from headrace.files import gfile
from headrace.messages import protos
from headrace.messages.tensor_proto import MakeNdarray

if TYPE_CHECKING:
    from headrace.debug.dumped_tensors import DebugTensorDatum


class InconvertibleTensorProto:
    """A dumped tensor that NumPy has no value for: one of resources, or of a variable without a value.

    Attributes:
        initialized: whether there was a value.
    """

    def __init__(self, tensor_proto: protos.TensorProto, initialized: bool = True) -> None:
        self._tensor_proto = tensor_proto
        self._initialized = initialized

    def __str__(self) -> str:
        return str(self._tensor_proto) if self._initialized else "Uninitialized tensor:\n" + str(self._tensor_proto)

    @property
    def initialized(self) -> bool:
        """Whether there was a value."""
        return self._initialized


def load_tensor_from_event(event: protos.Event) -> Any:
    """The value in an `Event` of a dump: an array, or an `InconvertibleTensorProto`."""
    if not event.summary.value:
        raise DataLossError(None, None, "An Event of a dump holds no tensor.")
    tensor = event.summary.value[0].tensor
    has_data = any(field.name not in ("dtype", "tensor_shape", "version_number") for field, _ in tensor.ListFields())
    is_empty = any(dim.size == 0 for dim in tensor.tensor_shape.dim)
    if not has_data and not is_empty:
        return InconvertibleTensorProto(tensor, False)
    if tensor.dtype in (protos.types_pb2.DT_RESOURCE, protos.types_pb2.DT_VARIANT):
        return InconvertibleTensorProto(tensor)
    return MakeNdarray(tensor)


def load_tensor_from_event_file(event_file_path: str) -> Any:
    """The value in a file of a dump.

    Raises:
        DataLossError: naming the file, if it holds no tensor.
    """
    event = load_event(event_file_path)
    try:
        return load_tensor_from_event(event)
    except (DataLossError, TypeError, ValueError) as error:
        why = error.message if isinstance(error, DataLossError) else error
        raise DataLossError(None, None, f"{event_file_path}: {why}") from None


def load_event(path: str) -> protos.Event:
    """The `Event` that a file of a dump holds.

    Raises:
        DataLossError: if it holds none.
    """
    from google.protobuf.message import DecodeError

    with gfile.GFile(path, "rb") as file:
        data = file.read()
    try:
        return protos.Event.FromString(data)
    except DecodeError:
        raise DataLossError(None, None, f"{path} holds no Event of a dump.") from None


def has_inf_or_nan(datum: DebugTensorDatum | None, tensor: InconvertibleTensorProto | np.ndarray) -> bool:
    """A tensor filter: whether a dumped tensor holds an infinity or a NaN.

    Args:
        datum: a `DebugTensorDatum`; any will do.
        tensor: its value.

    Example:
        >>> has_inf_or_nan(None, np.array([1.0, np.nan]))
        True
    """
    if not isinstance(tensor, (np.ndarray, np.generic)):
        return False
    if not np.issubdtype(tensor.dtype, np.inexact):
        return False
    return not bool(np.all(np.isfinite(tensor)))


def parse_node_or_tensor_name(name: str) -> tuple[str, int | None]:
    """The node's name and the output's number, None where `name` is a node's.

    Example:
        >>> parse_node_or_tensor_name("y:1")
        ('y', 1)
    """
    node, colon, slot = name.rpartition(":")
    if colon and slot.isdigit():
        return node, int(slot)
    return name, None


def get_node_name(element_name: str) -> str:
    """The name of the node that a node's or tensor's name speaks of."""
    return parse_node_or_tensor_name(element_name)[0]


def get_output_slot(element_name: str) -> int:
    """The number of the output that a node's or tensor's name speaks of."""
    return parse_node_or_tensor_name(element_name)[1] or 0


def get_graph_element_name(element: object) -> str:
    """The name of a fetch or feed, or its text where it has none."""
    name = getattr(element, "name", None)
    return name if isinstance(name, str) else str(element)


def get_flattened_names(fetches: Any) -> list[str]:
    """The names of all that a structure of fetches holds."""
    if isinstance(fetches, (list, tuple)):
        return [name for item in fetches for name in get_flattened_names(item)]
    if isinstance(fetches, dict):
        return [name for item in fetches.values() for name in get_flattened_names(item)]
    return [get_graph_element_name(fetches)]


def bytes_to_readable_str(num_bytes: int | None, include_b: bool = False) -> str:
    """A size for people: "1.50k"."""
    if num_bytes is None:
        return "None"
    unit, size = "", float(num_bytes)
    for unit in ("", "k", "M", "G"):
        if size < 1024 or unit == "G":
            break
        size /= 1024
    return (f"{size:.2f}{unit}" if unit else f"{num_bytes}") + "B" * include_b


def time_to_readable_str(value_us: float, force_time_unit: str | None = None) -> str:
    """A time in microseconds for people: "1.5ms".

    Raises:
        ValueError: if `force_time_unit` is none of "us", "ms", "s".
    """
    units = ("us", "ms", "s")
    if force_time_unit is not None and force_time_unit not in units:
        raise ValueError(f"Invalid time unit: {force_time_unit}")
    if not value_us:
        return "0"
    if force_time_unit is not None:
        return f"{value_us / 1000 ** units.index(force_time_unit):.10g}{force_time_unit}"
    order = 0
    while order < 2 and value_us > 1000 ** (order + 1):
        order += 1
    return f"{value_us / 1000**order:.3g}{units[order]}"
