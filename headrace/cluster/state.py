"""A task of a cluster in its own process: the state that sessions share, and the runtimes of sessions on the cluster."""

from __future__ import annotations

import random
import threading
import uuid
import weakref
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import grpc
import torch

from headrace.cluster import messages
from headrace.cluster.channels import channels
from headrace.cluster.collectives import ClusterCollectives, make_store
from headrace.cluster.encryption import no_agreement
from headrace.cluster.remote_parts import RemotePart, TaskLink
from headrace.cluster.settings import FILES, ClusterSettings
from headrace.cluster.statuses import error_of
from headrace.core import errors
from headrace.core.device import DeviceSpec
from headrace.core.waiting import check_step, remaining_time
from headrace.kernels.collective.combining import place_order
from headrace.runtime.session_devices import SessionDevice
from headrace.runtime.shared_state import SharedState, SharingRuntime
from headrace.util import tf_logging

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import TCPStore

    from headrace.core.typing import Runtime
    from headrace.messages import protos
    from headrace.plan.task_parts import TaskPart

# How long a task is waited for before a line says so, in seconds.
_PATIENCE = 10.0
_CLEAR_TIMEOUT = 10.0
# Of these jobs the first that there is has the task in whose store members of collectives find each other.
_LEADERS = ("chief", "master", "worker")


class TaskState(SharedState):
    """What the sessions of a server share, and where the other tasks of its cluster are.

    Args:
        device: the beginning of the names of its devices, such as "/job:worker/replica:0/task:0".
        config: a `ConfigProto` for sessions without one of their own, or None.
        addresses: of each other task, by the beginning of the names of its devices, where it listens.
        settings: what the owner allows.
        address: where it listens itself, as the cluster names it.
    """

    def __init__(
        self,
        device: str,
        config: protos.ConfigProto | None,
        addresses: Mapping[str, str],
        settings: ClusterSettings,
        address: str = "localhost:0",
    ) -> None:
        super().__init__(device, config)
        self.addresses, self.settings, self.address = dict(addresses), settings, address
        # As its target says, with the port that it was given.
        self.listens_at = address
        self._store: TCPStore | None = None
        self._collectives: dict[str, ClusterCollectives] = {}
        # Another one after each start: who has known the task before must not take it for the one it knew.
        self.incarnation = random.SystemRandom().getrandbits(63) | 1

    def runtime_for(self, device: torch.device, config: protos.ConfigProto | None) -> SharingRuntime:
        """The runtime of a session on the cluster, or on one of its own, which then has a state of its own too.

        Raises:
            InvalidArgumentError: if `config` describes a cluster that the server is no task of, or one in which it has
                the name that it has in its own.
        """
        described = _described(config)
        own, others = self.device, self.addresses
        renamed = bool(described) and set(described) != {self.device, *self.addresses}
        if renamed:
            own = self._name_in(described)
            others = {name: address for name, address in described.items() if name != own}
        isolated = renamed or (config is not None and config.isolate_session_state)
        state: SharedState = SharedState(self.device, self.config) if isolated else self
        filters = list(config.device_filters) if config is not None else []
        others = {name: address for name, address in others.items() if not filters or _passes(name, filters)}
        return ClusterRuntime(device, state, self, own, others, config, isolated)

    def _name_in(self, described: Mapping[str, str]) -> str:
        """What this task is called in the cluster of a session, by where it listens."""
        target = f"grpc://{self.listens_at}"
        found = [name for name, address in described.items() if address == self.listens_at]
        if not found:
            problem = f"it has no task at {target}, which is the target of the session"
        elif len(found) > 1:
            problem = f"its tasks {' and '.join(found)} are both at {target}, which is the target of the session"
        elif found[0] == self.device:
            problem = f"it calls {target} {found[0]}, as the server's own cluster does. Take another name there"
        else:
            return found[0]
        tasks = ", ".join(f"{name} at {address}" for name, address in described.items())
        raise errors.InvalidArgumentError(None, None, f"ConfigProto.cluster_def: {problem}. The cluster: {tasks}.")

    def _passing(self, filters: Collection[str]) -> dict[str, str]:
        """The addresses of the other tasks that pass the filters."""
        return {name: address for name, address in self.addresses.items() if not filters or _passes(name, filters)}

    def collectives(self, leader: str = "") -> ClusterCollectives | None:
        """What brings collectives together with those of other tasks; None where there are no others.

        Args:
            leader: the task in whose store members find each other; the chief, or else the first, by default.
        """
        if not self.addresses:
            return None
        name = leader or min((self.device, *self.addresses), key=_leads)
        with self.lock:
            found = self._collectives.get(name)
            if found is None:
                found = self._collectives[name] = ClusterCollectives(self, name)
        return found

    def store(self) -> TCPStore:
        """The store in which the members of collectives find each other, where this task leads."""
        with self.lock:
            if self._store is None:
                self._store = make_store(self.settings, self.address.rpartition(":")[0])
            return self._store

    def end_collectives(self) -> None:
        """Ends the collectives that are under way."""
        with self.lock:
            found, self._collectives = self._collectives, {}
        for each in found.values():
            each.close()

    def reset(self, containers: Collection[str] | None, filters: Collection[str] = ()) -> None:
        """Forgets state, here and in the other tasks that pass the filters; sessions that are there are over.

        Raises:
            OpError: if a task does not answer.
        """
        super().reset(containers)
        request = messages.ResetRequest(containers=list(containers or ()))
        calls = []
        for name, address in self._passing(filters).items():
            channel = channels.get(address)
            call = channel.call("Worker", "Clear")
            calls.append(
                (name, call.future(request.SerializeToString(), timeout=_CLEAR_TIMEOUT, metadata=channel.metadata))
            )
        for name, call in calls:
            try:
                call.result()
            except grpc.RpcError as error:
                raise error_of(error, name)[0] from None


def _described(config: protos.ConfigProto | None) -> dict[str, str]:
    """The tasks of the cluster that a session describes, and where they are."""
    jobs = () if config is None else config.cluster_def.job
    return {f"/job:{job.name}/replica:0/task:{i}": address for job in jobs for i, address in sorted(job.tasks.items())}


def _leads(name: str) -> tuple[int, list[str | int]]:
    """What tasks are sorted by, the one first that leads."""
    job = DeviceSpec.from_string(name).job or ""
    return (_LEADERS.index(job) if job in _LEADERS else len(_LEADERS), place_order(name))


def _passes(name: str, filters: Collection[str]) -> bool:
    """Whether a task is among those that a session sees."""
    spec = DeviceSpec.from_string(name)
    return any(_fits(DeviceSpec.from_string(each), spec) for each in filters)


def _fits(wanted: DeviceSpec, spec: DeviceSpec) -> bool:
    pairs = [(wanted.job, spec.job), (wanted.replica, spec.replica), (wanted.task, spec.task)]
    return all(want is None or want == have for want, have in pairs)


class RemoteDevice(SessionDevice):
    """A device of another task.

    Args:
        name: its full name.
        memory: the bytes of memory it has.
    """

    def __init__(self, name: str, memory: int) -> None:
        super().__init__(name)
        object.__setattr__(self, "_memory", memory)

    @property
    def memory_limit_bytes(self) -> int:
        """The bytes of memory its operations may take."""
        memory: int = self.__dict__["_memory"]
        return memory


class ClusterRuntime(SharingRuntime):
    """The runtime of a session on a cluster, whose own task is that of the session's target.

    Args:
        device: where its nodes run unless something says otherwise.
        state: what it shares with other sessions.
        task: the task.
        own: what the session calls the task.
        others: the other tasks that it sees, and where they are.
        config: its `ConfigProto`, or None.
        isolated: whether its state is its own.
    """

    def __init__(
        self,
        device: torch.device,
        state: SharedState,
        task: TaskState,
        own: str,
        others: Mapping[str, str],
        config: protos.ConfigProto | None,
        isolated: bool,
    ) -> None:
        super().__init__(device, state, own)
        # The server's own state lives as long as the sessions that use it.
        self._task = task
        self._links: SessionTasks | None = None
        leader = config.experimental.collective_group_leader if config is not None else ""
        # Whether it runs on a cluster of the session's own.
        self.renamed = renamed = own != task.device
        self.collectives = None if renamed else task.collectives(leader)
        if others:
            self._links = SessionTasks(own, others, config, isolated, renamed)
            self.tasks = self._links

    def device_names(self) -> tuple[str, ...]:
        """The full names of the devices, those of other tasks after its own."""
        own = super().device_names()
        return own if self._links is None else (*own, *self._links.device_names())

    def devices(self) -> list[SessionDevice]:
        """The devices that the session can use."""
        found = [SessionDevice(name) for name in super().device_names()]
        return found if self._links is None else [*found, *self._links.devices()]

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets what is the session's own, in other tasks too."""
        super().clear(containers)
        if self._links is not None:
            self._links.end()


class SessionTasks:
    """The tasks of a cluster as one session sees them; the session's own has number 0.

    Args:
        own: the name of the session's own task.
        others: the names of the others, and where they are.
        config: the session's `ConfigProto`, or None.
        isolated: whether the session has a state of its own.
        renamed: whether the names are those of a cluster of the session's own.
    """

    def __init__(
        self,
        own: str,
        others: Mapping[str, str],
        config: protos.ConfigProto | None,
        isolated: bool,
        renamed: bool = False,
    ) -> None:
        self.names = [own, *others]
        session = uuid.uuid4().hex
        serialized = b"" if config is None else config.SerializeToString()
        self._links = [
            TaskLink(name, channels.get(address), session, serialized, isolated, renamed)
            for name, address in others.items()
        ]
        self._specs = [DeviceSpec.from_string(name) for name in self.names]
        self._numbers: dict[tuple[str, bool, bool], int] = {}
        self._statuses: list[Any] | None = None
        self._callers: weakref.WeakKeyDictionary[Any, Callable[..., Any]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def task_of(self, device: str, shared: bool, moves: bool) -> int:
        """The number of the task that a device scope asks for: see `core.typing.Tasks`."""
        key = (device, shared, moves)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self._task_of(device, shared, moves)
        return number

    def _task_of(self, device: str, shared: bool, moves: bool) -> int:
        wanted = DeviceSpec.from_string(device)
        fitting = [i for i, spec in enumerate(self._specs) if _fits(wanted, spec)]
        if not fitting or (0 in fitting and not shared):
            return 0
        # TensorFlow takes the first in the order of the names, as texts.
        number = min(fitting, key=lambda i: self.names[i])
        if moves and number and not self._status(number).runs_file_operations:
            return 0
        return number

    def caller(self, part: TaskPart, runtime: Runtime) -> Callable[..., Any]:
        """A function of what a part is given that begins a call of its task and returns the attempt."""
        self._status(part.task)
        registered: RemotePart = self._links[part.task - 1].register(part)
        begin = registered.begin
        return lambda *values: begin(values)

    def device_names(self) -> list[str]:
        """The full names of the other tasks' devices."""
        return [device.name for device in self.devices()]

    def devices(self) -> list[SessionDevice]:
        """The devices of the other tasks."""
        found: list[SessionDevice] = []
        for number in range(1, len(self.names)):
            for device in self._status(number).devices:
                # The task answers by the names it has in its own cluster.
                name = f"{self.names[number]}/device:{device.name.rpartition('/device:')[2]}"
                found.append(RemoteDevice(name, device.memory_limit))
        return found

    def _status(self, number: int) -> Any:
        if self._statuses is None:
            with self._lock:
                if self._statuses is None:
                    self._statuses = self._connect()
        return self._statuses[number - 1]

    def _connect(self) -> list[Any]:
        """Waits until all tasks have said what they are.

        Raises:
            CancelledError, DeadlineExceededError: if the step ends first.
            UnavailableError: if one has other ideas of TLS.
            OpError: if one refuses.
        """
        statuses: list[Any] = [None] * len(self._links)
        pending = dict(enumerate(self._links))
        while pending:
            check_step()
            limit = remaining_time()
            timeout = _PATIENCE if limit is None else min(_PATIENCE, limit)
            calls = {i: link.channel.ask_status(timeout) for i, link in pending.items()}
            for i, call in calls.items():
                link = pending[i]
                try:
                    statuses[i] = messages.StatusResponse.FromString(call.result())
                    link.incarnation = statuses[i].incarnation
                    del pending[i]
                except grpc.RpcError as error:
                    made = error_of(error, link.name)[0]
                    if not isinstance(made, (errors.DeadlineExceededError, errors.UnavailableError)):
                        raise made from None
                    reason, helps = link.channel.obstacle()
                    if not helps:
                        # Waiting does not help.
                        raise no_agreement(f"{link.name} at {link.channel.address}", reason) from None
                    if limit is not None and limit <= _PATIENCE:
                        raise errors.DeadlineExceededError(
                            None, None, f"{link.name} at {link.channel.address} does not answer in time: {reason}"
                        ) from None
                    tf_logging.warning(
                        "CreateSession still waiting for response from worker: %s (%s)", link.name, reason
                    )
        return statuses

    def end(self) -> None:
        """Tells the tasks that the session is over."""
        if self._statuses is not None:
            for link in self._links:
                link.end()


def devices_of(state: TaskState, runtime: SharingRuntime) -> list[Any]:
    """The devices of a task as messages."""
    names = SharingRuntime.device_names(runtime)
    found = [SessionDevice(name) for name in names]
    return [
        messages.Device(
            name=device.name,
            device_type=device.device_type,
            memory_limit=device.memory_limit_bytes,
            incarnation=state.incarnation,
        )
        for device in found
    ]


def runs_files(settings: ClusterSettings) -> bool:
    """Whether a task reads and writes files for others."""
    return FILES in settings.allowed
