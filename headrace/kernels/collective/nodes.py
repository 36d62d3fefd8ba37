"""What the operations of a graph say of the collectives that they are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from headrace.core.device import DeviceSpec
from headrace.core.errors import InvalidArgumentError
from headrace.kernels.collective.call import BROADCAST, GATHER, REDUCE, Collective
from headrace.kernels.collective.meetings import Meetings

if TYPE_CHECKING:
    from headrace.core.typing import Collectives, NodeView, Runtime

_NCCL_MERGE = {"sum": "Add", "prod": "Mul", "min": "Min", "max": "Max"}


def device_of(node: NodeView) -> str:
    """The full name of the device of a node, by its device scope: which processors of one memory it means matters here."""
    own = node.runtime.device_names()[0]
    asked = DeviceSpec.from_string(node.origin.device if node.origin is not None else "")
    task = DeviceSpec.from_string(own)
    kind = asked.device_type or ("GPU" if node.device.type == "cuda" else "CPU")
    named = task.replace(device_type=kind.upper().removeprefix("XLA_"), device_index=asked.device_index or 0)
    return named.to_string()


def collective_of(node: NodeView) -> Collective:
    """The collective that a node is.

    Raises:
        InvalidArgumentError: if the group has no members.
    """
    attrs, type_ = node.attrs, node.decl.type
    members = (device_of(node),)
    if type_ == "NcclAllReduce":
        # Its calls share a name; only those of one process meet.
        name = ("nccl", attrs["shared_name"])
        return Collective(
            REDUCE,
            name,
            attrs["num_devices"],
            0,
            members,
            attrs["T"].torch,
            merge=_NCCL_MERGE[attrs["reduction"]],
            hint="nccl",
        )
    size = attrs["group_size"]
    if size < 1:
        raise InvalidArgumentError(None, node.origin, f"group_size must be positive, got {size}")
    found = Collective(
        REDUCE,
        attrs["group_key"],
        size,
        attrs["instance_key"],
        members,
        attrs["T"].torch,
        hint=attrs["communication_hint"],
    )
    if type_ == "CollectiveReduce":
        return replace(found, merge=attrs["merge_op"], final=attrs["final_op"])
    if type_ == "CollectiveGather":
        return replace(found, kind=GATHER, dims=attrs["shape"])
    sender = 0 if type_ == "CollectiveBcastSend" else -1
    return replace(found, kind=BROADCAST, dims=attrs["shape"], sender=sender)


def together(parts: Sequence[Collective]) -> Collective:
    """The collective in which several members of one plan take part.

    Raises:
        InvalidArgumentError: if they contradict each other.
    """
    first = parts[0]
    members = tuple(itertools.chain.from_iterable(part.members for part in parts))
    if len(set(members)) < len(members):
        raise InvalidArgumentError(
            None,
            None,
            f"Collective {first}: a device takes part once, got {', '.join(members)}. Put each member under a device scope "
            "of its own, such as tf.device('/cpu:1').",
        )
    if len(members) > first.size:
        raise InvalidArgumentError(
            None, None, f"Collective {first}: more members than the group has, {', '.join(members)}"
        )
    senders = [i for i, part in enumerate(parts) if part.sender >= 0]
    for part in parts:
        if replace(part, members=(), sender=-1) != replace(first, members=(), sender=-1):
            raise InvalidArgumentError(
                None, None, f"Members of a collective contradict each other: {first!r} and {part!r}"
            )
    if len(senders) > 1:
        raise InvalidArgumentError(None, None, f"Collective {first}: several members send.")
    return replace(first, members=members, sender=senders[0] if senders else -1)


def collectives_of(runtime: Runtime) -> Collectives:
    """What brings the members of a session together: its cluster, or this process where it has none."""
    return runtime.collectives or runtime.object(("collective meetings",), Meetings)
