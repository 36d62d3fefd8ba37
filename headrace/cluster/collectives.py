"""Collectives between the tasks of a cluster.

Each group has a thread of its own in each process, which runs the group's collectives one after the other, in the order
in which the step's plan has begun them: that is the same in all processes (`plan.collectives`). The step goes on
meanwhile, and waits where it needs a result.

Before each the processes tell each other which one they are at: gloo, which takes it for granted that they are at the
same, ends the process where they are not.
"""

from __future__ import annotations

import datetime
import itertools
import queue
import socket
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import grpc
import torch
import torch.distributed as dist

from headrace.cluster import messages
from headrace.cluster.channels import channels
from headrace.cluster.process_groups import Party, ProcessGroup, join, new_entry
from headrace.cluster.settings import PLAINTEXT, ClusterSettings
from headrace.cluster.statuses import error_of
from headrace.core import errors
from headrace.kernels.collective.call import BROADCAST, GATHER, REDUCE, Collective, CollectiveAttempt, timeout_seconds
from headrace.kernels.collective.combining import finished, joined, reduced
from headrace.kernels.collective.meetings import Meetings

if TYPE_CHECKING:
    from headrace.cluster.state import TaskState

_STORE_TIMEOUT = datetime.timedelta(seconds=30)
_LINE = 16
_KINDS = (REDUCE, GATHER, BROADCAST)


def make_store(settings: ClusterSettings, host: str) -> dist.TCPStore:
    """The store of a leader, at a free port of the address that the leader listens at.

    Args:
        settings: those of the leader.
        host: its host, as the cluster names it.
    """
    bound = settings.bind or host
    listening = socket.create_server((bound, 0), family=socket.AF_INET6 if ":" in bound else socket.AF_INET)
    port = listening.getsockname()[1]
    # Other processes of the machine and the cluster reach it there; so does this one.
    return dist.TCPStore(
        host if bound in ("0.0.0.0", "::") else bound,
        port,
        is_master=True,
        wait_for_workers=False,
        timeout=_STORE_TIMEOUT,
        master_listen_fd=listening.detach(),
    )


class ClusterCollectives:
    """Where the members of a task meet those of others.

    Args:
        task: the task.
        leader: the beginning of the names of the leader's devices, such as "/job:worker/replica:0/task:0".
    """

    def __init__(self, task: TaskState, leader: str) -> None:
        self._leader, self._settings, self._own = leader, task.settings, task.device
        self._host = task.address.rpartition(":")[0]
        # The state keeps this one, which must not keep it.
        self._store_of = weakref.WeakMethod(task.store)
        self._leader_address = task.addresses.get(leader, "")
        self._local = Meetings()
        self._store: dist.Store | None = None
        self._groups: dict[tuple[int, str], _Group] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _close, self._groups).atexit = False

    def begin(self, collective: Collective, values: Sequence[torch.Tensor]) -> CollectiveAttempt:
        """Takes part in a collective with the values of some members; the attempt ends when all have come.

        Raises:
            NotImplementedError: if the cluster's connections are to be encrypted.
        """
        group = collective.group
        if not isinstance(group, int):
            # Those of NCCL's operations are of one process.
            return self._local.begin(collective, values)
        if self._settings.uses_tls and PLAINTEXT not in self._settings.allowed:
            raise NotImplementedError(
                "Collectives travel by torch.distributed, which does not encrypt, and the cluster is set to TLS. On a "
                "network that encrypts or is the cluster's own, allow it by HEADRACE_CLUSTER_ALLOW=plaintext."
            )
        # Sessions may call the task by another name: that of the cluster is one.
        own = f"{self._own}/{collective.members[0].rpartition('/')[2]}"
        key = (group, own)
        with self._lock:
            found = self._groups.get(key)
            if found is None:
                found = self._groups[key] = _Group(group, own, self._host, self._connect)
        return found.begin(collective, values)

    def close(self) -> None:
        """Ends what is under way."""
        _close(self._groups)

    def _connect(self) -> dist.Store:
        """A connection to the leader's store, for one group.

        Raises:
            UnavailableError: if the leader cannot be reached in time.
        """
        if self._leader == self._own:
            make = self._store_of()
            if make is None:
                raise errors.CancelledError(None, None, "The server is gone.")
            return make().clone()
        if not self._leader_address:
            raise errors.InvalidArgumentError(
                None, None, f"The leader of collectives, {self._leader}, is no task of the cluster."
            )
        channel = channels.get(self._leader_address)
        try:
            answer = channel.ask(
                "Worker",
                "CollectiveStore",
                messages.Empty(),
                messages.CollectiveStoreResponse.FromString,
                timeout=timeout_seconds(),
                wait_for_ready=True,
            )
        except grpc.RpcError as error:
            raise error_of(error, self._leader)[0] from None
        host = self._leader_address.rpartition(":")[0]
        return dist.TCPStore(host, answer.port, is_master=False, timeout=_STORE_TIMEOUT)


def _close(groups: dict[tuple[int, str], _Group]) -> None:
    for group in list(groups.values()):
        group.close()


class _Group:
    """A group as the members of one plan take part in it.

    Args:
        key: the group.
        name: what these members are called among the others.
        host: the address at which this process listens.
        connect: gives the leader's store.
    """

    def __init__(self, key: int, name: str, host: str, connect: Callable[[], dist.Store]) -> None:
        self._key, self._name, self._host, self._connect = key, name, host, connect
        self._asked: queue.SimpleQueue[tuple[Collective, Sequence[torch.Tensor], CollectiveAttempt] | None] = (
            queue.SimpleQueue()
        )
        self._processes: ProcessGroup | None = None
        self._present: list[str] = []
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def begin(self, collective: Collective, values: Sequence[torch.Tensor]) -> CollectiveAttempt:
        """Asks for a collective."""
        attempt = CollectiveAttempt(collective, lambda: list(self._present))
        attempt.given_up = self._break
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"collectives {self._key}", daemon=True)
                self._thread.start()
            self._asked.put((collective, values, attempt))
        return attempt

    def close(self) -> None:
        """Ends what is under way, and the thread."""
        with self._lock:
            self._asked.put(None)
            self._thread = None
        self._break()

    def _break(self) -> None:
        """Leaves the processes as they are together: who is in the middle of a collective is not in step any more."""
        processes, self._processes = self._processes, None
        self._present = []
        if processes is not None:
            processes.close()

    def _run(self) -> None:
        while True:
            asked = self._asked.get()
            if asked is None:
                return
            collective, values, attempt = asked
            if attempt.done:
                continue
            try:
                attempt.end(self._result(collective, values, attempt.deadline))
            except Exception as error:  # noqa: BLE001  told by whoever waits
                self._break()
                lost = isinstance(error, RuntimeError)
                attempt.end(None, self._failure(collective, str(error).strip()) if lost else error)
            # Nothing of the step is kept until the next one.
            del asked, collective, values, attempt

    def _failure(self, collective: Collective, text: str) -> errors.OpError:
        if "imed out" in text or "timeout" in text.lower():
            return errors.DeadlineExceededError(
                None, None, f"Collective {collective}: members did not take part in time. {text}"
            )
        return errors.UnavailableError(
            None, None, f"Collective {collective}: the connection to another member is lost. {text}"
        )

    def _result(self, collective: Collective, values: Sequence[torch.Tensor], deadline: float) -> list[torch.Tensor]:
        processes = self._processes
        if processes is None:
            processes = self._processes = self._form(collective, values, deadline)
        if collective.kind == GATHER:
            found = [_gathered(processes, collective, values)]
        elif collective.kind == BROADCAST:
            found = [_broadcast(processes, collective, values)]
        else:
            found = _reduced(processes, collective, values)
        return [value for value in found for _ in collective.members]

    def _form(self, collective: Collective, values: Sequence[torch.Tensor], deadline: float) -> ProcessGroup:
        on_gpu = bool(values) and all(value.is_cuda for value in values) and dist.is_nccl_available()
        carrier = "nccl" if on_gpu and collective.hint != "ring" else "gloo"
        store = self._connect()
        own = Party(new_entry(), self._name, len(collective.members), collective.size, carrier)
        membership = join(store, self._key, own, deadline, self._present)
        remaining = max(1.0, deadline - time.perf_counter())
        return ProcessGroup(store, membership, self._host, max(remaining, timeout_seconds()))


def _check(processes: ProcessGroup, collective: Collective, elements: int) -> list[int]:
    """Makes sure that all processes are at the same collective; returns of each how many of its members send.

    What carries values takes it for granted, and ends the process if it is not so.

    Raises:
        InternalError: if they are not.
    """
    own = [_KINDS.index(collective.kind), collective.instance, elements, int(collective.sender >= 0)]
    found = [each.tolist() for each in processes.exchange(torch.tensor(own))]
    if any(other[:3] != own[:3] for other in found):
        others = zip(processes.membership.parties, found, strict=True)
        told = "; ".join(f"{party.name} at {_KINDS[a]} {b} of {c} elements" for party, [a, b, c, _] in others)
        raise errors.InternalError(
            None,
            None,
            f"The members of group {collective.group} are not at the same collective: {told}. All of them have to run the "
            "same collectives, of the same shapes, in each step.",
        )
    return [each[3] for each in found]


def _reduced(processes: ProcessGroup, collective: Collective, values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Reduces the members' values here, and the results over the processes, in one message."""
    members = len(collective.members)
    own = [
        values[i] if members == 1 else reduced(values[i : i + members], collective.merge)
        for i in range(0, len(values), members)
    ]
    ends = list(itertools.accumulate(_aligned(value.numel()) for value in own))
    starts = [0, *ends[:-1]]
    device = own[0].device
    on = device if processes.carrier == "nccl" else torch.device("cpu")
    carried = torch.empty(ends[-1], dtype=own[0].dtype, device=on)
    for start, end, value in zip(starts, ends, own, strict=True):
        carried[start : start + value.numel()] = value.reshape(-1)
        carried[start + value.numel() : end] = 0
    _check(processes, collective, ends[-1])
    processes.all_reduce(carried, collective.merge)
    carried = finished(carried, collective).to(device)
    return [carried[start : start + value.numel()].view(value.shape) for start, value in zip(starts, own, strict=True)]


def _aligned(elements: int) -> int:
    """The elements with those that fill up a cache line."""
    return -(-elements // _LINE) * _LINE


def _gathered(processes: ProcessGroup, collective: Collective, values: Sequence[torch.Tensor]) -> torch.Tensor:
    own = joined(values)
    device = own.device
    if processes.carrier == "gloo":
        own = own.cpu()
    _check(processes, collective, own.numel() // len(collective.members))
    return torch.cat(processes.all_gather(own.contiguous())).to(device)


def _broadcast(processes: ProcessGroup, collective: Collective, values: Sequence[torch.Tensor]) -> torch.Tensor:
    """Finds out which process sends, and takes what it gives."""
    senders = [i for i, sends in enumerate(_check(processes, collective, 0)) if sends]
    if len(senders) != 1:
        raise errors.InvalidArgumentError(
            None, None, f"Collective {collective}: one member sends, got {len(senders)} processes with one"
        )
    on = torch.device("cuda" if processes.carrier == "nccl" else "cpu")
    if values:
        carried = values[0].to(on).clone().contiguous()
    else:
        dims = collective.dims
        if dims is None or None in dims:
            raise errors.InvalidArgumentError(None, None, f"Collective {collective}: the shape {dims} is not known")
        carried = torch.empty([size for size in dims if size is not None], dtype=collective.dtype, device=on)
    processes.broadcast(carried, senders[0])
    return carried
