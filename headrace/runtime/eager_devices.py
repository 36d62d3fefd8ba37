"""Where tensors of eager execution are: several devices of the one CPU differ in name only, so names are all that is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.device import DeviceSpec
from headrace.core.eager import EagerOperation, EagerSource
from headrace.core.origins import origin_of
from headrace.plan.place import is_there
from headrace.runtime.resources import Runtime

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.graph_scopes import OpenScopes
    from headrace.core.typing import Collectives


class EagerDevices:
    """The part of the eager graph that knows which device its scopes ask for.

    Attributes:
        source: stands for the operations behind tensors of the first device.
    """

    source: EagerSource
    runtime: Runtime
    _scopes: OpenScopes
    # By what a scope asks for, of devices that are there.
    _sources: dict[str, EagerSource]

    def join(self, task: str, collectives: Collectives | None) -> None:
        """Makes the process a task of a cluster: `Runtime.join` with the same arguments."""
        self.runtime.join(task, collectives)
        self._sources.clear()

    def source_in_scope(self) -> EagerSource:
        """What stands for the operations of the device scope in force; one that is missing is replaced by the first."""
        asked = self._asked()
        if not asked:
            return self.source
        found = self._sources.get(asked)
        if found is None:
            # Not before it is used: a program may still say how many devices the CPU is.
            spec = DeviceSpec.from_string(asked)
            place = f"{self.runtime.task_name}/device:CPU:{spec.device_index}"
            names = self.runtime.device_names()
            if not is_there(asked, names, False):
                return self.source
            found = self.source
            if (spec.device_type or "").upper() == "CPU" and place in names[1:]:
                found = EagerSource(self.source._graph, place)
            self._sources[asked] = found
        return found

    def source_of(self, given: Sequence[Any]) -> EagerSource:
        """What stands for an operation on `given`: those on variables are where the variable is."""
        if given and given[0]._dtype.name == "resource":
            found: EagerSource = given[0]._op
            return found
        return self.source_in_scope() if self._scopes.devices else self.source

    def source_for(self, op: EagerOperation) -> EagerSource:
        """What stands for an operation: one of its own where its output tells what made it."""
        shared = self.source_of(op._inputs)
        if not op.decl.is_remembered:
            return shared
        own = EagerSource(shared._graph, shared.place)
        own.origin = origin_of(op)
        return own

    def source_of_value(self, dtype: DType) -> EagerSource:
        """What stands for a value that the program gives: it is not put elsewhere, as operations are.

        Args:
            dtype: its type; integers of 32 bits, which are sizes and axes, are always on the first device.

        Raises:
            RuntimeError: if the device scope in force asks for a device that is not there.
        """
        if not self._scopes.devices:
            return self.source
        asked, is_size = self._asked(), dtype.name == "int32"
        if asked and asked not in self._sources:
            names = self.runtime.device_names()
            if not is_there(asked, names, is_size):
                spec = DeviceSpec.from_string(names[0]).make_merged_spec(DeviceSpec.from_string(asked))
                raise RuntimeError(f"{spec.to_string()} unknown device.")
        return self.source if is_size else self.source_in_scope()

    def _asked(self) -> str:
        """The device that the innermost scope asks for, or ""."""
        devices = self._scopes.devices
        if not devices or devices[-1] is None:
            return ""
        told = getattr(devices[-1], "of_all", None)
        return told if told is not None else str(devices[-1](self.source))
