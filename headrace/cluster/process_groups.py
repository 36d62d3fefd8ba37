"""Groups of processes on `torch.distributed`: how their members find each other, and the collectives they run.

Members find each other in a `TCPStore` of the group's leader. Each appends who it is to one list under the group's key; a
group is complete with the entry that brings the members to the number they are to be, and the next entry begins another
one: so a member that was restarted, and those that have lost it, form the group again. Who stands in a list twice was
restarted before it was complete, and its later entry counts.
"""

from __future__ import annotations

import datetime
import json
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import torch
import torch.distributed as dist

from headrace.core.errors import AbortedError, DeadlineExceededError, InvalidArgumentError
from headrace.kernels.collective.combining import place_order

_PAUSE = 0.01
_ANY_HOST = ("0.0.0.0", "::")
_REDUCTIONS = {
    "Add": dist.ReduceOp.SUM,
    "Mul": dist.ReduceOp.PRODUCT,
    "Min": dist.ReduceOp.MIN,
    "Max": dist.ReduceOp.MAX,
}
_Backend: TypeAlias = dist.Backend


@dataclass(frozen=True)
class Party:
    """What one process brings into a group.

    Attributes:
        entry: what tells this entry from others.
        name: the first of its devices.
        members: how many they are.
        size: how many members the group is to have.
        carrier: "gloo" or "nccl": what its values can travel by.
    """

    entry: str
    name: str
    members: int
    size: int
    carrier: str

    def line(self) -> str:
        """The entry as it stands in the list."""
        return json.dumps([self.entry, self.name, self.members, self.size, self.carrier]) + "\n"


def _parties(text: bytes) -> Iterable[Party]:
    for line in text.decode().splitlines():
        entry, name, members, size, carrier = json.loads(line)
        yield Party(str(entry), str(name), int(members), int(size), str(carrier))


class Membership:
    """The parties of a group that is complete, and which of them this process is.

    Args:
        key: what the group is called in the store.
        parties: all of them.
        own: that of this process.
    """

    def __init__(self, key: str, parties: Iterable[Party], own: Party) -> None:
        self.key = key
        self.parties = sorted(parties, key=lambda party: place_order(party.name))
        self.rank = self.parties.index(own)
        self.carrier = "nccl" if all(party.carrier == "nccl" for party in self.parties) else "gloo"


def join(store: dist.Store, group: int, own: Party, deadline: float, present: list[str]) -> Membership:
    """Enters a group and waits until it is complete.

    Args:
        store: the leader's.
        group: its key.
        own: what this process brings.
        deadline: until when to wait, a time of `time.perf_counter`.
        present: is told who has come.

    Raises:
        DeadlineExceededError: if it is not complete in time.
        InvalidArgumentError: if parties contradict each other.
        AbortedError: if another process has come as this one.
    """
    key = f"headrace/group/{group}"
    store.append(key, own.line())
    while True:
        found = _complete(key, store.get(key), own, present)
        if found is not None:
            return found
        if time.perf_counter() > deadline:
            raise DeadlineExceededError(
                None,
                None,
                f"Group {group} of {own.size} devices is not complete: {', '.join(present)} have come.",
            )
        time.sleep(_PAUSE)


def _complete(key: str, entries: bytes, own: Party, present: list[str]) -> Membership | None:
    """The group of a party, if it is complete."""
    current: dict[str, Party] = {}
    mine = False
    for party in _parties(entries):
        current[party.name] = party
        mine = mine or party.entry == own.entry
        if mine and party.size != own.size:
            raise InvalidArgumentError(
                None, None, f"A group is to have {own.size} members for {own.name}, and {party.size} for {party.name}"
            )
        if mine and current[own.name].entry != own.entry:
            raise AbortedError(None, None, f"Another process has come as {own.name}: this one was taken to be gone.")
        if sum(each.members for each in current.values()) >= party.size:
            if mine:
                return Membership(f"{key}/{party.entry}", current.values(), own)
            current = {}
    present[:] = sorted(current, key=place_order)
    return None


def new_entry() -> str:
    """What tells one entry from all others."""
    return uuid.uuid4().hex


class ProcessGroup:
    """A group that runs collectives.

    Args:
        store: the leader's.
        membership: who they are.
        host: the address at which this process listens for the others, "" for the machine's own name.
        timeout: how many seconds a collective may take.
    """

    def __init__(self, store: dist.Store, membership: Membership, host: str, timeout: float) -> None:
        self.membership = membership
        prefixed = dist.PrefixStore(membership.key, store)
        count, limit = len(membership.parties), datetime.timedelta(seconds=timeout)
        self.carrier = membership.carrier
        self.backend: _Backend
        if self.carrier == "nccl":
            options = dist.ProcessGroupNCCL.Options()
            options._timeout = limit
            self.backend = dist.ProcessGroupNCCL(prefixed, membership.rank, count, options)
            return
        options = dist.ProcessGroupGloo._Options()
        own = "" if host in _ANY_HOST else host
        options._devices = [
            dist.ProcessGroupGloo.create_device(hostname=own) if own else dist.ProcessGroupGloo.create_default_device()
        ]
        options._timeout = limit
        self.backend = dist.ProcessGroupGloo(prefixed, membership.rank, count, options)

    def all_reduce(self, value: torch.Tensor, merge: str) -> None:
        """Reduces a tensor over the parties, in its own memory."""
        options = dist.AllreduceOptions()
        options.reduceOp = _REDUCTIONS[merge]
        self.backend.allreduce([value], options).wait()

    def exchange(self, value: torch.Tensor) -> list[torch.Tensor]:
        """The tensors of all parties, in their order, all of one shape."""
        if self.carrier == "nccl":
            value = value.cuda()
        found = [torch.empty_like(value) for _ in self.membership.parties]
        self.backend.allgather([found], [value]).wait()
        return found

    def all_gather(self, value: torch.Tensor) -> list[torch.Tensor]:
        """The tensors of all parties, in their order, with as many rows for each of a party's members."""
        counts = [party.members for party in self.membership.parties]
        if len(set(counts)) == 1:
            return self.exchange(value)
        rows = value.shape[0] // counts[self.membership.rank]
        found = [value.new_empty(rows * count, *value.shape[1:]) for count in counts]
        found[self.membership.rank].copy_(value)
        for rank, each in enumerate(found):
            self.broadcast(each, rank)
        return found

    def broadcast(self, value: torch.Tensor, root: int) -> None:
        """Gives the tensor of one party to all, in their memory."""
        options = dist.BroadcastOptions()
        options.rootRank = root
        self.backend.broadcast([value], options).wait()

    def close(self) -> None:
        """Ends its connections, so that the others notice."""
        self.backend.abort()
