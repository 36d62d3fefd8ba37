"""Collectives by group and instance: each member runs an operation of its own, on its device, and they meet.

Those of one plan are brought together by `plan.collectives`. What runs in plans is `_Collective`, where all members are
in one plan, and otherwise `_CollectiveStart`, which does not wait, with `_CollectiveResult` behind all else that can run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.registry import op
from headrace.core.shapes import TensorShape
from headrace.kernels.collective.call import CollectiveAttempt, wait_for
from headrace.kernels.collective.meetings import Meetings
from headrace.kernels.collective.nodes import collective_of, collectives_of

if TYPE_CHECKING:
    import torch

    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, NodeView, OpView, ShapeLike, TensorLike

_KEYS = "T: {float, half, double, int32, int64}, group_size: int, group_key: int, instance_key: int"
_SHAPED = f"{_KEYS}, shape: shape, communication_hint='auto'"

collective_reduce_op = op(
    "CollectiveReduce",
    f"input: T, *, {_KEYS}, merge_op: {{'Min', 'Max', 'Mul', 'Add'}}, final_op: {{'Id', 'Div'}}, "
    "subdiv_offsets: list(int), wait_for: list(int) = [], communication_hint='auto' -> data: T",
    stateful=True,
).keeps_shape()
collective_gather_op = op("CollectiveGather", f"input: T, *, {_SHAPED} -> data: T", stateful=True)
collective_bcast_send_op = op("CollectiveBcastSend", f"input: T, *, {_SHAPED} -> data: T", stateful=True)
collective_bcast_recv_op = op("CollectiveBcastRecv", f"*, {_SHAPED} -> data: T", stateful=True)


@collective_reduce_op.shape
def collective_reduce_shape(op: OpView) -> list[Dims]:
    return [op.inputs[0].dims]


@collective_gather_op.shape
def collective_gather_shape(op: OpView) -> list[Dims]:
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    rows = dims[0]
    return [(None if rows is None else rows * op.attrs["group_size"], *dims[1:])]


@collective_bcast_send_op.shape
@collective_bcast_recv_op.shape
def collective_bcast_shape(op: OpView) -> list[Dims]:
    dims: Dims = op.attrs["shape"]
    return [dims]


@collective_reduce_op.kernel
@collective_gather_op.kernel
@collective_bcast_send_op.kernel
@collective_bcast_recv_op.kernel
def collective_kernel(node: NodeView) -> Callable[..., torch.Tensor]:
    """Takes part alone, where the operation is not one of a plan's that has been looked through for others."""
    collective, meet, waits = collective_of(node), collectives_of(node.runtime), node.runtime.waits
    return lambda *values: wait_for(meet.begin(collective, values), waits)[0]


# ---- what stands for them in plans

collective_op = op(
    "_Collective", "inputs: *Tin, *, Tin: list(type) >= 0, Tout: list(type) -> outputs: *Tout", stateful=True
)
collective_start_op = op("_CollectiveStart", "inputs: *Tin, *, Tin: list(type) >= 0 -> attempt: variant", stateful=True)
collective_result_op = op(
    "_CollectiveResult", "attempt: variant, *, Tout: list(type) -> outputs: *Tout", stateful=True
).comes_late()


@collective_op.kernel
def collective_complete_kernel(node: NodeView) -> Callable[..., Sequence[torch.Tensor]]:
    """Meets where all members are there."""
    collective, meetings = node.notes["collective"], Meetings()

    def meet(*values: torch.Tensor) -> Sequence[torch.Tensor]:
        found: Sequence[torch.Tensor] = meetings.begin(collective, values).value()
        return found

    return meet


@collective_start_op.kernel
def collective_start_kernel(node: NodeView) -> Callable[..., CollectiveAttempt]:
    """Takes part and returns the attempt, which is under way."""
    collective, meet = node.notes["collective"], collectives_of(node.runtime)
    return lambda *values: meet.begin(collective, values)


@collective_result_op.kernel
def collective_result_kernel(node: NodeView) -> Callable[..., Any]:
    """Waits for the other members and returns what each of its own gets."""
    waits = node.runtime.waits
    return lambda attempt: wait_for(attempt, waits)


for _decl in (collective_op, collective_start_op, collective_result_op):
    _decl.not_differentiable().no_case("Only plans have it: tests/ops/collective.")


_ALONE = "The op meets others of its group, each on a device of its own: tests/ops/collective."
for _decl in (collective_reduce_op, collective_gather_op, collective_bcast_send_op, collective_bcast_recv_op):
    _decl.no_case(_ALONE)


# ---- as functions


def _check_size(group_size: int, name: str) -> None:
    if group_size <= 1:
        raise ValueError(f"Parameter group_size to {name} must be at least 2, got {group_size}.")


def _placed(value: TensorLike, data: Tensor) -> Tensor:
    if not executing_eagerly() and not data.device and not getattr(value, "device", ""):
        raise ValueError(
            "Device assignment required for collective ops: make each under a scope such as tf.device('/cpu:0')."
        )
    return data


def all_reduce(
    t: TensorLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    merge_op: str,
    final_op: str,
    subdiv_offsets: Sequence[int] = (0,),
    communication_hint: str = "auto",
) -> Tensor:
    """Reduces a tensor over the devices of a group, each of which makes this operation for itself.

    Args:
        t: this device's value.
        group_size: how many devices take part.
        group_key: says which group; the same for all of its members.
        instance_key: says which of the group's collectives this is.
        merge_op: "Add", "Mul", "Min" or "Max".
        final_op: "Id", or "Div" by the size of the group.
        subdiv_offsets: where in the ring parts of the tensor begin; torch's collectives divide tensors themselves.
        communication_hint: what carries it between processes: "auto", "ring" or "nccl".

    Raises:
        ValueError: if the group is smaller than two, or no device has been asked for.

    Example:
        >>> from headrace.ops.collective.collective import all_reduce
        >>> with tf.device("/cpu:0"):
        ...     a = all_reduce(tf.constant([1.0]), 2, group_key=1, instance_key=1, merge_op="Add", final_op="Div")
        >>> with tf.device("/cpu:1"):
        ...     b = all_reduce(tf.constant([3.0]), 2, group_key=1, instance_key=1, merge_op="Add", final_op="Div")
        >>> with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        ...     sess.run([a, b])
        [array([2.], dtype=float32), array([2.], dtype=float32)]
    """
    _check_size(group_size, "all_reduce")
    return _placed(
        t,
        collective_reduce_op(
            t,
            group_size=group_size,
            group_key=group_key,
            instance_key=instance_key,
            merge_op=merge_op,
            final_op=final_op,
            subdiv_offsets=list(subdiv_offsets),
            communication_hint=communication_hint.lower(),
        ),
    )


def all_gather(
    t: TensorLike, group_size: int, group_key: int, instance_key: int, communication_hint: str = "auto"
) -> Tensor:
    """Joins the tensors of the devices of a group along the first axis, in the order of the devices.

    Args:
        t: this device's value; all have one shape.
        group_size, group_key, instance_key, communication_hint: see `all_reduce`.

    Raises:
        ValueError: if the group is smaller than two, or no device has been asked for.
    """
    _check_size(group_size, "all_gather")
    return _placed(
        t,
        collective_gather_op(
            t,
            shape=[0],
            group_size=group_size,
            group_key=group_key,
            instance_key=instance_key,
            communication_hint=communication_hint.lower(),
        ),
    )


def broadcast_send(
    t: TensorLike,
    shape: ShapeLike,
    dtype: DTypeLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """Gives a tensor to the other devices of a group, which receive it by `broadcast_recv`.

    Args:
        t: the value.
        shape, dtype: those of the value, as the others expect them.
        group_size, group_key, instance_key, communication_hint: see `all_reduce`.

    Raises:
        ValueError: if the group is smaller than two, the value is another one, or no device has been asked for.
    """
    _check_size(group_size, "broadcast_send")
    value = convert_to_tensor(t)
    if value.shape.as_list() != TensorShape(shape).as_list():
        raise ValueError(f"Shape of broadcast_send tensor, {value.shape}, is not the declared one, {shape}")
    if value.dtype != as_dtype(dtype):
        raise ValueError(
            f"Type of broadcast_send tensor, {value.dtype!r}, is not the declared one, {as_dtype(dtype)!r}"
        )
    return _placed(
        value,
        collective_bcast_send_op(
            value,
            shape=shape,
            group_size=group_size,
            group_key=group_key,
            instance_key=instance_key,
            communication_hint=communication_hint.lower(),
        ),
    )


def broadcast_recv(
    shape: ShapeLike,
    dtype: DTypeLike,
    group_size: int,
    group_key: int,
    instance_key: int,
    communication_hint: str = "auto",
) -> Tensor:
    """Receives the tensor that one device of a group gives by `broadcast_send`.

    Args:
        shape, dtype: those of the value.
        group_size, group_key, instance_key, communication_hint: see `all_reduce`.

    Raises:
        ValueError: if the group is smaller than two.
    """
    _check_size(group_size, "broadcast_recv")
    return collective_bcast_recv_op(
        shape=shape,
        T=as_dtype(dtype),
        group_size=group_size,
        group_key=group_key,
        instance_key=instance_key,
        communication_hint=communication_hint.lower(),
    )
