"""All-reduce as graphs of additions and copies: rings, halving and doubling, shuffles.

The algorithms are those of Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations"
(2009), for rings, and of Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH"
(2005), for recursive halving and doubling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import colocate_with, device
from headrace.core.registry import raw
from headrace.distribute.all_reduce_pieces import (
    Binary,
    Nary,
    Unary,
    apply_unary_to_chunks,
    flatten_tensors,
    padded_split,
    ragged_split,
    reshape_tensors,
    strip_padding,
)
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.split import split

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def ring_permutations(
    num_workers: int, num_subchunks: int, gpu_perm: Sequence[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """The rings in which pieces go round, one for each part of a piece.

    A ring goes through the devices of one worker after the other; each next ring begins with another device of a worker,
    so that different links between workers are in use.

    Args:
        num_workers: how many workers.
        num_subchunks: how many rings.
        gpu_perm: the order in which a ring goes through the devices of a worker.

    Returns:
        for each ring the predecessor of each device, and its place.

    Raises:
        ValueError: if there are more rings than devices of a worker.
    """
    count = len(gpu_perm)
    if not num_workers or not count:
        return [], []
    if num_subchunks > count:
        raise ValueError(f"num_subchunks {num_subchunks} must be <= num_gpus {count}")
    shift = max(1, count // num_subchunks)
    predecessors, places = [], []
    for number in range(num_subchunks):
        turned = [gpu_perm[(i + number * shift) % count] for i in range(count)]
        ring = [worker * count + local for worker in range(num_workers) for local in turned]
        place, before = [0] * len(ring), [0] * len(ring)
        for i, at in enumerate(ring):
            place[at], before[at] = i, ring[i - 1]
        predecessors.append(before)
        places.append(place)
    return predecessors, places


def build_ring_gather(
    input_tensors: Sequence[Tensor],
    devices: Sequence[str],
    num_subchunks: int,
    pred_by_s_d: Sequence[Sequence[int]],
    rank_by_s_d: Sequence[Sequence[int]],
    red_op: Binary,
) -> Any:
    """The first half of a ring: after it each device has one piece of each ring reduced.

    Args:
        input_tensors: a vector a device.
        devices: the devices.
        num_subchunks: how many rings.
        pred_by_s_d, rank_by_s_d: the rings, as of `ring_permutations`.
        red_op: what reduces two values.

    Returns:
        the pieces of each device, and by how many zeros they are longer than its vector; where there is one vector or none,
        the vectors as they are.

    Raises:
        ValueError: if the tensors are no vectors.
    """
    count = len(input_tensors)
    if count < 2:
        # As in 1.15: without a ring there are no pieces, and nothing says of zeros.
        return input_tensors
    if len(input_tensors[0].shape) != 1:
        raise ValueError("input tensors must be 1D")
    chunks: list[list[Tensor]] = []
    padding = 0
    for tensor, where in zip(input_tensors, devices, strict=True):
        with device(where):
            pieces, padding = padded_split(tensor, count * num_subchunks)
        chunks.append(pieces)
    for turn in range(count - 1):
        received: dict[tuple[int, int], Tensor] = {}
        for at, where in enumerate(devices):
            with device(where):
                for ring in range(num_subchunks):
                    number = (rank_by_s_d[ring][at] - turn - 1) % count * num_subchunks + ring
                    received[at, number] = red_op(chunks[pred_by_s_d[ring][at]][number], chunks[at][number])
        for (at, number), value in received.items():
            chunks[at][number] = value
    return chunks, padding


def build_ring_scatter(
    pred_by_s_d: Sequence[Sequence[int]], rank_by_s_d: Sequence[Sequence[int]], chunks_by_dev: Sequence[list[Tensor]]
) -> list[Tensor]:
    """The second half of a ring: pieces that are reduced go round to all devices.

    Args:
        pred_by_s_d, rank_by_s_d: the rings.
        chunks_by_dev: what `build_ring_gather` returned.

    Returns:
        the whole vector, on each device.
    """
    chunks = [list(pieces) for pieces in chunks_by_dev]
    count, rings = len(chunks), len(rank_by_s_d)
    for turn in range(count - 1):
        received: dict[tuple[int, int], Tensor] = {}
        for at in range(count):
            with colocate_with(chunks[at][0]):
                for ring in range(rings):
                    number = (rank_by_s_d[ring][at] - turn) % count * rings + ring
                    received[at, number] = raw.Identity(chunks[pred_by_s_d[ring][at]][number])
        for (at, number), value in received.items():
            chunks[at][number] = value
    whole = []
    for pieces in chunks:
        with colocate_with(pieces[0]):
            whole.append(concat(pieces, 0))
    return whole


def build_ring_all_reduce(
    input_tensors: Sequence[Tensor],
    num_workers: int,
    num_subchunks: int,
    gpu_perm: Sequence[int],
    red_op: Binary,
    un_op: Unary | None = None,
) -> list[Tensor]:
    """Reduces tensors of several devices in rings: each device sends and receives each piece twice.

    Args:
        input_tensors: a tensor a device, all of one shape, those of one worker after those of another.
        num_workers: how many workers.
        num_subchunks: into how many parts each piece goes, which take rings of their own.
        gpu_perm: the order in which rings go through the devices of a worker.
        red_op: what reduces two values, such as `tf.add`.
        un_op: what is made of the result.

    Returns:
        the result, on each device.

    Raises:
        ValueError: if there are fewer than two tensors.

    Example:
        >>> tensors = [tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])]
        >>> total = tf.contrib.all_reduce.build_ring_all_reduce(tensors, 1, 1, [0, 1], tf.add)
        >>> tf.Session().run(total[0])
        array([4., 6.], dtype=float32)
    """
    if len(input_tensors) < 2:
        raise ValueError(f"input_tensors must be length 2 or longer, got {len(input_tensors)}")
    flat, shape = flatten_tensors(input_tensors)
    devices = [tensor.device for tensor in flat]
    predecessors, places = ring_permutations(num_workers, num_subchunks, gpu_perm)
    chunks, padding = build_ring_gather(flat, devices, num_subchunks, predecessors, places, red_op)
    if un_op is not None:
        chunks = apply_unary_to_chunks(un_op, chunks)
    whole = build_ring_scatter(predecessors, places, chunks)
    if padding:
        whole = strip_padding(whole, padding)
    return whole if shape.ndims == 1 else reshape_tensors(whole, shape)


# ---- halving and doubling


def build_recursive_hd_all_reduce(
    input_tensors: Sequence[Tensor], red_op: Binary, un_op: Unary | None = None
) -> list[Tensor]:
    """Reduces tensors of several devices by exchanging halves, then quarters and so on, and back.

    Args:
        input_tensors: a tensor a device, all of one shape; their number is a power of 2, and so divides their size.
        red_op: what reduces two values.
        un_op: what is made of the result.

    Returns:
        the result, on each device.

    Raises:
        ValueError: if the number of devices is no power of 2, or does not divide the size.
    """
    flat, shape = flatten_tensors(input_tensors)
    devices = [tensor.device for tensor in flat]
    reduced = _halved(flat, devices, red_op)
    if un_op is not None:
        reduced = [chunks[0] for chunks in apply_unary_to_chunks(un_op, [[piece] for piece in reduced])]
    whole = _doubled(reduced, devices)
    return whole if shape.ndims == 1 else reshape_tensors(whole, shape)


def _halved(pieces: Sequence[Tensor], devices: Sequence[str], red_op: Binary) -> list[Tensor]:
    """After it each device has one part of the vector, reduced."""
    count = len(devices)
    if count & (count - 1):
        raise ValueError(f"num_devices must be a power of 2, got {count}")
    found, distance = list(pieces), count // 2
    while distance:
        halves = [split(piece, 2) for piece in found]
        for at, where in enumerate(devices):
            # Partners differ in one bit; the lower one keeps the lower half.
            kept = int(bool(at & distance))
            with device(where):
                found[at] = red_op(halves[at & ~distance][kept], halves[at | distance][kept])
        distance //= 2
    return found


def _doubled(pieces: Sequence[Tensor], devices: Sequence[str]) -> list[Tensor]:
    """The whole vector on each device, of the parts that each has."""
    found, distance = list(pieces), 1
    while distance < len(devices):
        before = list(found)
        for at, where in enumerate(devices):
            with device(where):
                found[at] = concat([before[at & ~distance], before[at | distance]], 0)
        distance *= 2
    return found


# ---- shuffles


def build_shuffle_all_reduce(
    input_tensors: Sequence[Tensor], gather_devices: Sequence[str], red_op: Nary, un_op: Unary | None = None
) -> list[Tensor]:
    """Reduces tensors of several devices in shards, each on a device of its own.

    Args:
        input_tensors: a tensor a device, all of one shape.
        gather_devices: the devices that reduce, one a shard.
        red_op: what reduces several values, such as `tf.add_n`.
        un_op: what is made of the result.

    Returns:
        the result, on each device of `input_tensors`.
    """
    flat, shape = flatten_tensors(input_tensors)
    devices = [tensor.device for tensor in flat]
    shards = build_shuffle_gather(flat, gather_devices, red_op, un_op)
    whole = build_shuffle_scatter(shards, devices)
    return whole if shape.ndims == 1 else reshape_tensors(whole, shape)


def build_shuffle_gather(
    input_tensors: Sequence[Tensor], gather_devices: Sequence[str], red_op: Nary, un_op: Unary | None = None
) -> list[Tensor]:
    """The shards of the reduced vector, each on its device; arguments as of `build_shuffle_all_reduce`."""
    pieces = []
    for tensor in input_tensors:
        with device(tensor.device):
            pieces.append(ragged_split(tensor, len(gather_devices)))
    shards = []
    for number, where in enumerate(gather_devices):
        with device(where):
            shard = red_op([of_one[number] for of_one in pieces])
            shards.append(shard if un_op is None else un_op(shard))
    return shards


def build_shuffle_scatter(reduced_shards: Sequence[Tensor], dst_devices: Sequence[str]) -> list[Tensor]:
    """The whole vector, on each of some devices."""
    whole = []
    for where in dst_devices:
        with device(where):
            whole.append(concat(list(reduced_shards), 0))
    return whole
