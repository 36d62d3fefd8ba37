"""One tensor that a watched run has written: its file, and what the file's name says."""

from __future__ import annotations

import os
from typing import Any

from headrace.debug.dump_files import device_path_to_device_name, folder_scope
from headrace.debug.values import load_tensor_from_event_file


class DebugTensorDatum:
    """One dumped tensor: a file, and what its name says.

    Args:
        dump_root: the folder of the dump.
        debug_dump_rel_path: the file below it.
    """

    def __init__(self, dump_root: str, debug_dump_rel_path: str) -> None:
        device_dir, _, path = debug_dump_rel_path.replace(os.sep, "/").partition("/")
        base, _, stamp = (path or device_dir).rpartition("_")
        if "-" in stamp:
            # A file that was written twice in one microsecond.
            stamp, _, extra = stamp.partition("-")
            self._extended_timestamp = float(f"{stamp}.{extra}")
        else:
            self._extended_timestamp = float(stamp)
        self._timestamp = int(stamp)
        base, _, self._debug_op = base.rpartition("_")
        node, _, slot = base.rpartition("_")
        scope, slash, leaf = node.rpartition("/")
        self._node_name = f"{folder_scope(scope)}{slash}{leaf}"
        self._output_slot = int(slot)
        self._device_name = device_path_to_device_name(device_dir)
        self._file_path = os.path.join(dump_root, debug_dump_rel_path)
        self._dump_size_bytes = os.path.getsize(self._file_path) if os.path.exists(self._file_path) else None

    def __str__(self) -> str:
        return (
            f"{{DebugTensorDatum ({self.device_name}) {self.node_name}:{self.output_slot} @ {self.debug_op} @ "
            f"{self.timestamp}}}"
        )

    __repr__ = __str__

    def get_tensor(self) -> Any:
        """The value: an array, or an `InconvertibleTensorProto`."""
        return load_tensor_from_event_file(self._file_path)

    @property
    def timestamp(self) -> int:
        """When it was written, in microseconds since the epoch."""
        return self._timestamp

    @property
    def extended_timestamp(self) -> float:
        """The time, with what tells apart files of one microsecond."""
        return self._extended_timestamp

    @property
    def debug_op(self) -> str:
        """What was made of the tensor: "DebugIdentity" is the tensor itself."""
        return self._debug_op

    @property
    def device_name(self) -> str:
        """The device it was made on."""
        return self._device_name

    @property
    def node_name(self) -> str:
        """The operation that made it."""
        return self._node_name

    @property
    def output_slot(self) -> int:
        """Which output of the operation it is."""
        return self._output_slot

    @property
    def tensor_name(self) -> str:
        """The tensor's name."""
        return f"{self._node_name}:{self._output_slot}"

    @property
    def watch_key(self) -> str:
        """The tensor's name and the debug op: "y:0:DebugIdentity"."""
        return f"{self.tensor_name}:{self._debug_op}"

    @property
    def file_path(self) -> str:
        """The file."""
        return self._file_path

    @property
    def dump_size_bytes(self) -> int | None:
        """How large the file is."""
        return self._dump_size_bytes
