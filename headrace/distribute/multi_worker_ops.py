"""`MultiWorkerAllReduce`: values of the devices of several workers, in one graph, are added by a chosen algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.distribute.all_reduce import build_ring_all_reduce, build_shuffle_all_reduce
from headrace.distribute.all_reduce_levels import (
    build_nccl_all_reduce,
    build_nccl_then_recursive_hd,
    build_nccl_then_ring,
    build_nccl_then_shuffle,
    build_shuffle_then_shuffle,
)
from headrace.distribute.cross_device_ops import AllReduceCrossDeviceOps
from headrace.distribute.device_names import get_host_for_device
from headrace.ops.math.add_n import add_n
from headrace.ops.math.binary import add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class AllReduceSpecTuple(NamedTuple):
    """Which algorithm adds tensors up to a size.

    Args:
        alg: "nccl", "nccl/xring", "nccl/rechd", "nccl/pscpu", "xring", "pscpu" or "pscpu/pscpu".
        shards: how many parts a tensor is added in, where the algorithm divides it.
        limit: the most elements of such a tensor; -1 for any number.
    """

    alg: str
    shards: int
    limit: int


def _specs(given: Any) -> list[AllReduceSpecTuple]:
    """One or several descriptions of algorithms, as tuples.

    Raises:
        ValueError: if they are not tuples.
    """
    if isinstance(given, str):
        return [AllReduceSpecTuple(given, 1, -1)]
    listed = [given] if isinstance(given, tuple) else given
    if not isinstance(listed, list) or not listed or not all(isinstance(spec, tuple) for spec in listed):
        raise ValueError(f"A tuple is expected for all-reduce spec: {given!r}")
    return [AllReduceSpecTuple(*spec) for spec in listed]


def sum_grad_and_var_all_reduce(
    grad_and_vars: Sequence[tuple[Tensor, Any]],
    num_workers: int,
    alg: str,
    gpu_indices: Sequence[int],
    aux_devices: Sequence[str] = (),
    num_shards: int = 1,
) -> list[tuple[Tensor, Any]]:
    """Adds the tensors that devices have for one variable.

    Args:
        grad_and_vars: a pair for each device; those of one worker after those of another.
        num_workers: how many workers.
        alg: the algorithm, as of `AllReduceSpecTuple`.
        gpu_indices: the order in which rings go through the devices of a worker.
        aux_devices: the CPUs of the workers.
        num_shards: how many parts a tensor is added in.

    Returns:
        the pairs with the sum.

    Raises:
        ValueError: for another algorithm.
    """
    parts = [grad for grad, _ in grad_and_vars]
    gather = [aux_devices[i % len(aux_devices)] for i in range(num_shards)] if aux_devices else []
    if alg == "nccl":
        sums = build_nccl_all_reduce(parts, add)
    elif alg == "xring":
        sums = build_ring_all_reduce(parts, num_workers, num_shards, gpu_indices, add)
    elif alg == "nccl/xring":
        sums = build_nccl_then_ring(parts, num_shards, add)
    elif alg == "nccl/rechd":
        sums = build_nccl_then_recursive_hd(parts, add)
    elif alg == "nccl/pscpu":
        sums = build_nccl_then_shuffle(parts, gather, add, add_n)
    elif alg == "pscpu/pscpu":
        sums = build_shuffle_then_shuffle(parts, aux_devices, gather, add_n)
    elif alg == "pscpu":
        sums = build_shuffle_all_reduce(parts, gather, add_n)
    else:
        raise ValueError(f"unsupported all_reduce alg: {alg!r}")
    return [(total, variable) for total, (_, variable) in zip(sums, grad_and_vars, strict=True)]


class MultiWorkerAllReduce(AllReduceCrossDeviceOps):
    """Adds values of the devices of several workers that are in one graph.

    Args:
        worker_devices: the devices, those of one worker after those of another.
        num_gpus_per_worker: how many GPUs each worker has; 0 where they compute on CPUs.
        all_reduce_spec: which algorithm adds tensors: its name, or a tuple of the name, of how many parts tensors are
            added in, and -1; or a list of such tuples, in which the last number is the most elements of tensors that are
            added so. The last of them adds all others.
        num_packs, agg_small_grads_max_bytes, agg_small_grads_max_group: as of `AllReduceCrossDeviceOps`.

    Raises:
        ValueError: for specifications that are not tuples.

    Example:
        >>> devices = ["/job:worker/task:0/cpu:0", "/job:worker/task:1/cpu:0"]
        >>> sums = tf.contrib.distribute.MultiWorkerAllReduce(devices, 0, ("pscpu", 1, -1))
    """

    def __init__(
        self,
        worker_devices: Sequence[str],
        num_gpus_per_worker: int,
        all_reduce_spec: Any = ("pscpu/pscpu", 2, -1),
        num_packs: int = 0,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        super().__init__("nccl", num_packs, agg_small_grads_max_bytes, agg_small_grads_max_group)
        self._hosts = list(dict.fromkeys(get_host_for_device(name) for name in worker_devices))
        self._gpu_indices = list(range(max(num_gpus_per_worker, 1)))
        self._all_reduce_spec = _specs(all_reduce_spec)

    def _sum(self, devices: Sequence[str], replica_grads: Sequence[Any]) -> list[Any]:
        made: list[list[Any]] = [[] for _ in replica_grads]
        for pairs in zip(*replica_grads, strict=True):
            spec = self._spec_for(pairs[0][0].shape.num_elements())
            summed = sum_grad_and_var_all_reduce(
                pairs, len(self._hosts), spec.alg, self._gpu_indices, self._hosts, spec.shards
            )
            for replica, pair in enumerate(summed):
                made[replica].append(pair)
        return made

    def _spec_for(self, size: int | None) -> AllReduceSpecTuple:
        """What adds tensors of a size, or of an unknown one."""
        for spec in self._all_reduce_spec[:-1]:
            if spec.limit < 0 or (size is not None and size <= spec.limit):
                return spec
        return self._all_reduce_spec[-1]
