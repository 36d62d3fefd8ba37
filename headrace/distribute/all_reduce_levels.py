"""All-reduce in two levels: among the devices of each task, then among the tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from headrace.core.defaults import colocate_with, control_dependencies, device
from headrace.core.registry import raw
from headrace.distribute.all_reduce import (
    build_recursive_hd_all_reduce,
    build_ring_all_reduce,
    build_shuffle_all_reduce,
    build_shuffle_gather,
    build_shuffle_scatter,
)
from headrace.distribute.all_reduce_pieces import Binary, Nary, Unary, flatten_tensors, reshape_tensors, split_by_task
from headrace.ops.collective.nccl import all_sum, broadcast
from headrace.ops.math.binary import add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

# What reduces the results of the tasks.
Level: TypeAlias = "Callable[[list[Tensor]], list[Tensor]]"


def build_nccl_all_reduce(input_tensors: Sequence[Tensor], red_op: Binary, un_op: Unary | None = None) -> list[Tensor]:
    """Sums tensors of several devices of a process by its collective operation.

    Args:
        input_tensors: a tensor a device.
        red_op: `tf.add`, the only reduction there is.
        un_op: what is made of the sum.

    Returns:
        the sum, on each device.

    Raises:
        ValueError: for another reduction.
    """
    if red_op is not add:
        raise ValueError(f"red_op not supported by NCCL all-reduce: {red_op!r}, expected tf.add")
    sums = all_sum(input_tensors)
    if un_op is None:
        return sums
    made = []
    for total in sums:
        with colocate_with(total):
            made.append(un_op(total))
    return made


def _nccl_hybrid(input_tensors: Sequence[Tensor], red_op: Binary, upper_level: Level) -> list[Tensor]:
    """Reduces within tasks, then the first devices of the tasks, and copies the result within tasks again."""
    flat, shape = flatten_tensors(input_tensors)
    devices = [tensor.device for tensor in flat]
    devices_of, values_of = split_by_task(devices, flat)
    sums = [build_nccl_all_reduce(values, red_op) for values in values_of]
    first = []
    # All members of a collective have to run, also those whose sum nothing takes.
    with control_dependencies([total for of_task in sums for total in of_task]):
        for of_task in sums:
            with device(of_task[0].device):
                first.append(raw.Identity(of_task[0]))
    reduced = upper_level(first)
    spread: dict[str, Tensor] = {}
    for listed, value in zip(devices_of, reduced, strict=True):
        with device(listed[0]):
            sent = broadcast(raw.Identity(value))
        for where in listed:
            with device(where):
                spread[where] = raw.Identity(sent)
    whole = [spread[where] for where in devices]
    return whole if shape.ndims == 1 else reshape_tensors(whole, shape)


def _finished(tensors: list[Tensor], un_op: Unary | None) -> list[Tensor]:
    """What is left to do where there is but one task."""
    return tensors if un_op is None else [un_op(tensor) for tensor in tensors]


def build_nccl_then_ring(
    input_tensors: Sequence[Tensor], subdiv: int, red_op: Binary, un_op: Unary | None = None
) -> list[Tensor]:
    """`build_nccl_all_reduce` within tasks, then `build_ring_all_reduce` across them.

    Args:
        input_tensors: a tensor a device.
        subdiv: into how many parts pieces go in rings.
        red_op: `tf.add`.
        un_op: what is made of the result.
    """

    def ring(tensors: list[Tensor]) -> list[Tensor]:
        if len(tensors) == 1:
            return _finished(tensors, un_op)
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return _nccl_hybrid(input_tensors, red_op, ring)


def build_nccl_then_recursive_hd(
    input_tensors: Sequence[Tensor], red_op: Binary, un_op: Unary | None = None
) -> list[Tensor]:
    """`build_nccl_all_reduce` within tasks, then `build_recursive_hd_all_reduce` across them."""
    return _nccl_hybrid(input_tensors, red_op, lambda tensors: build_recursive_hd_all_reduce(tensors, red_op, un_op))


def build_nccl_then_shuffle(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    nccl_red_op: Binary,
    shuffle_red_op: Nary,
    un_op: Unary | None = None,
) -> list[Tensor]:
    """`build_nccl_all_reduce` within tasks, then `build_shuffle_all_reduce` across them."""
    return _nccl_hybrid(
        input_tensors,
        nccl_red_op,
        lambda tensors: build_shuffle_all_reduce(tensors, gather_devices, shuffle_red_op, un_op),
    )


def _shuffle_hybrid(
    input_tensors: Sequence[Tensor], gather_devices: Sequence[str], red_op: Nary, upper_level: Level
) -> list[Tensor]:
    """Reduces within tasks, each on one device, then across tasks, and copies the result within tasks again."""
    flat, shape = flatten_tensors(input_tensors)
    devices = [tensor.device for tensor in flat]
    devices_of, values_of = split_by_task(devices, flat)
    if len(gather_devices) != len(devices_of):
        raise ValueError(
            f"gather_devices must name one device of each task, got {len(gather_devices)} for {len(devices_of)} tasks"
        )
    reduced = upper_level(
        [build_shuffle_gather(values, [at], red_op)[0] for values, at in zip(values_of, gather_devices, strict=True)]
    )
    whole: dict[str, Tensor] = {}
    for listed, value in zip(devices_of, reduced, strict=True):
        whole.update(zip(listed, build_shuffle_scatter([value], listed), strict=True))
    result = [whole[where] for where in devices]
    return result if shape.ndims == 1 else reshape_tensors(result, shape)


def build_shuffle_then_ring(
    input_tensors: Sequence[Tensor],
    gather_devices: Sequence[str],
    subdiv: int,
    red_n_op: Nary,
    red_op: Binary,
    un_op: Unary | None = None,
) -> list[Tensor]:
    """`build_shuffle_all_reduce` within tasks, then `build_ring_all_reduce` across them.

    Args:
        input_tensors: a tensor a device.
        gather_devices: the devices that reduce within tasks, one in each.
        subdiv: into how many parts pieces go in rings.
        red_n_op: what reduces several values.
        red_op: what reduces two.
        un_op: what is made of the result.
    """

    def ring(tensors: list[Tensor]) -> list[Tensor]:
        if len(tensors) == 1:
            return _finished(tensors, un_op)
        return build_ring_all_reduce(tensors, len(tensors), subdiv, [0], red_op, un_op)

    return _shuffle_hybrid(input_tensors, gather_devices, red_n_op, ring)


def build_shuffle_then_shuffle(
    input_tensors: Sequence[Tensor],
    first_gather_devices: Sequence[str],
    second_gather_devices: Sequence[str],
    red_op: Nary,
    un_op: Unary | None = None,
) -> list[Tensor]:
    """`build_shuffle_all_reduce` within tasks, then across them.

    Args:
        input_tensors: a tensor a device.
        first_gather_devices: the devices that reduce within tasks, one in each.
        second_gather_devices: those that reduce across tasks.
        red_op: what reduces several values.
        un_op: what is made of the result.
    """

    def shuffle(tensors: list[Tensor]) -> list[Tensor]:
        if len(tensors) == 1:
            return _finished(tensors, un_op)
        return build_shuffle_all_reduce(tensors, second_gather_devices, red_op, un_op)

    return _shuffle_hybrid(input_tensors, first_gather_devices, red_op, shuffle)
