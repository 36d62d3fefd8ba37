"""Reductions over the replicas of all workers, by collective operations."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.defaults import control_dependencies, device, name_scope
from headrace.core.device import DeviceSpec
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.distribute import cross_device_utils
from headrace.distribute.cross_device_ops import CrossDeviceOps, get_device_map_from, get_devices_from
from headrace.distribute.values import Mirrored
from headrace.ops.collective.collective import all_gather, all_reduce
from headrace.state.modes import ReduceOp
from headrace.state.polymorphic_function import function
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class CollectiveCommunication(enum.Enum):
    """What carries values between workers: `torch.distributed`'s gloo between CPUs, NCCL between GPUs.

    RING is gloo on GPUs too; NCCL and AUTO are NCCL where all values are on GPUs, and gloo elsewhere.
    """

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CollectiveKeys:
    """The numbers by which the members of collectives find each other.

    Every worker makes the same collectives in the same order, so counting gives the same numbers in each.

    Args:
        group_key_start: the number of the first group.
        op_instance_key_start: that of the first collective.
        variable_instance_key_start: that of the first variable's initial value.
        by_thread: whether each thread counts for itself, as where threads are workers; a strategy counts for all replicas.
    """

    def __init__(
        self,
        group_key_start: int = 1,
        op_instance_key_start: int = 100,
        variable_instance_key_start: int = 1000000,
        by_thread: bool = True,
    ) -> None:
        self._next_group = group_key_start
        self._groups: dict[str, int] = {}
        self._starts = {"op": op_instance_key_start, "variable": variable_instance_key_start}
        self._by_thread = by_thread
        self._counted: Any = threading.local() if by_thread else SimpleNamespace()
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict[int, Any]) -> CollectiveKeys:
        # A copy of a strategy counts for itself, from where this one begins.
        made = memo[id(self)] = CollectiveKeys(
            self._next_group, self._starts["op"], self._starts["variable"], self._by_thread
        )
        made._groups = dict(self._groups)
        return made

    def get_group_key(self, devices: Sequence[str]) -> int:
        """The number of the group of some devices of this worker, and those of the same names of the others."""
        parsed = [DeviceSpec.from_string(name) for name in devices]
        names = ",".join(sorted(f"{spec.device_type}:{spec.device_index}" for spec in parsed))
        with self._lock:
            if names not in self._groups:
                self._groups[names] = self._next_group
                self._next_group += 1
            return self._groups[names]

    def get_op_instance_key(self) -> int:
        """The number of the next collective."""
        return self._next("op")

    def get_variable_instance_key(self) -> int:
        """The number of the next variable's initial value."""
        return self._next("variable")

    def _next(self, kind: str) -> int:
        with self._lock:
            number: int = getattr(self._counted, kind, self._starts[kind])
            setattr(self._counted, kind, number + 1)
        return number


def _in_function(compute: Callable[..., list[Tensor]]) -> Callable[..., list[Tensor]]:
    """`compute`, as a function where operations run as they are made: the members of a collective run together."""
    return function(compute) if executing_eagerly() else compute


def build_collective_reduce(
    input_tensors: Sequence[Tensor],
    num_workers: int,
    collective_keys: CollectiveKeys,
    reduction_op: str = "Add",
    unary_op: str = "Id",
    communication_hint: str = "auto",
) -> list[Tensor]:
    """Reduces tensors over the devices of all workers.

    Args:
        input_tensors: a tensor for each device of this worker.
        num_workers: how many workers there are, each with as many devices.
        collective_keys: counts the collectives.
        reduction_op, unary_op: how, as of `all_reduce`.
        communication_hint: what carries them.

    Returns:
        the result, on each device.
    """
    size = len(input_tensors) * num_workers
    if size < 2:
        return list(input_tensors)
    devices = [tensor.device for tensor in input_tensors]
    group, instance = collective_keys.get_group_key(devices), collective_keys.get_op_instance_key()

    def reduced(*tensors: Tensor) -> list[Tensor]:
        made = []
        for where, tensor in zip(devices, tensors, strict=True):
            with device(where):
                made.append(
                    all_reduce(
                        tensor,
                        size,
                        group,
                        instance,
                        reduction_op,
                        unary_op,
                        communication_hint=communication_hint,
                    )
                )
        return made

    return list(_in_function(reduced)(*input_tensors))


def build_collective_gather(
    input_tensors: Sequence[Tensor],
    num_workers: int,
    collective_keys: CollectiveKeys,
    communication_hint: str = "auto",
) -> list[Tensor]:
    """Joins the rows of tensors of the devices of all workers; arguments as of `build_collective_reduce`."""
    size = len(input_tensors) * num_workers
    if size < 2:
        return list(input_tensors)
    devices = [tensor.device for tensor in input_tensors]
    group, instance = collective_keys.get_group_key(devices), collective_keys.get_op_instance_key()

    def gathered(*tensors: Tensor) -> list[Tensor]:
        made = []
        for where, tensor in zip(devices, tensors, strict=True):
            with device(where):
                made.append(all_gather(tensor, size, group, instance, communication_hint=communication_hint))
        return made

    return list(_in_function(gathered)(*input_tensors))


def _together(devices: Sequence[str], results: Sequence[Tensor]) -> list[Tensor]:
    """The results of a collective, of which any has all its members run: a member alone would wait forever."""
    if executing_eagerly() or len(results) == 1:
        return list(results)
    made = []
    for where, result in zip(devices, results, strict=True):
        with device(where), control_dependencies(results):
            made.append(raw.Identity(result))
    return made


class CollectiveAllReduce(CrossDeviceOps):
    """Values are reduced over the replicas of all workers, so that each has the result.

    Tensors of one step go in buckets (`plan.collectives`), which travel while the rest of the step is computed.

    Args:
        num_workers: how many workers there are.
        num_gpus_per_worker: how many GPUs each has; told in the log.
        all_reduce_merge_scope: the names of how many reductions lie in one scope.
        collective_keys: counts the collectives; one of its own by default.
        communication: what carries values.
    """

    def __init__(
        self,
        num_workers: int = 1,
        num_gpus_per_worker: int = 0,
        all_reduce_merge_scope: int = 32,
        collective_keys: CollectiveKeys | None = None,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
    ) -> None:
        super().__init__()
        self._num_workers, self._num_gpus_per_worker = num_workers, num_gpus_per_worker
        self._merge_scope = all_reduce_merge_scope
        self._collective_keys = collective_keys or CollectiveKeys()
        self._hint = communication.value.lower()

    @property
    def _num_between_graph_workers(self) -> int:
        return self._num_workers

    def reduce_implementation(self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any) -> Any:
        """Reduces over all replicas, and takes the result to the destination."""
        reduced = self._batch_all_reduce(reduce_op, [per_replica_value])[0]
        device_map, logical_device = get_device_map_from(destinations)
        if device_map is reduced.device_map:
            return reduced
        copies = []
        for where in device_map.logical_to_actual_devices(logical_device):
            with device(where):
                value = reduced.get(where) if where in reduced.devices else reduced.primary
                copies.append(cross_device_utils.copy_tensor_or_indexed_slices_to_device(value, where))
        return Mirrored(device_map, copies, logical_device)

    def batch_reduce_implementation(self, reduce_op: ReduceOp, value_destination_pairs: list[tuple[Any, Any]]) -> Any:
        """Reduces all values together where they go to the devices they come from."""
        first = value_destination_pairs[0][0].devices
        if all(
            set(value.devices) == set(first) == set(get_devices_from(where)) for value, where in value_destination_pairs
        ):
            return self._batch_all_reduce(reduce_op, [value for value, _ in value_destination_pairs])
        logging.log_first_n(logging.WARN, "Efficient batch_reduce is not supported if destinations are different.", 10)
        return [self.reduce_implementation(reduce_op, value, where) for value, where in value_destination_pairs]

    def _batch_all_reduce(self, reduce_op: ReduceOp, per_replica_values: Sequence[Any]) -> list[Any]:
        dense, sparse, dense_places, sparse_places = cross_device_utils.split_by_sparsity(per_replica_values)
        found: list[tuple[list[Any], list[int]]] = []
        if dense:
            found.append((self._reduce_dense(reduce_op, dense), dense_places))
        if sparse:
            found.append((self._reduce_sparse(reduce_op, sparse), sparse_places))
        return cross_device_utils.stitch_values(found)

    def _reduce_dense(self, reduce_op: ReduceOp, values: Sequence[Any]) -> list[Any]:
        logging.log_first_n(
            logging.INFO,
            f"Collective batch_all_reduce: {len(values)} all-reduces, num_workers = {self._num_workers}",
            10,
        )
        results = []
        for begin in range(0, len(values), self._merge_scope):
            with name_scope("allreduce"):
                for value in values[begin : begin + self._merge_scope]:
                    totals = build_collective_reduce(
                        self._placed(value), self._num_workers, self._collective_keys, "Add", "Id", self._hint
                    )
                    results.append(self._mirrored(reduce_op, value, totals))
        return results

    def _placed(self, value: Any) -> list[Tensor]:
        """The tensors of a value, each under its device's name: collectives meet by it."""
        placed = []
        for where, part in zip(value.devices, value.values, strict=True):
            with device(where):
                placed.append(part if part.device == where else raw.Identity(part))
        return placed

    def _mirrored(self, reduce_op: ReduceOp, value: Any, totals: Sequence[Any]) -> Mirrored:
        made = []
        for where, total in zip(value.devices, _together(value.devices, totals), strict=True):
            if reduce_op == ReduceOp.MEAN:
                with device(where):
                    total = total / (len(value.devices) * self._num_workers)
            made.append(total)
        return Mirrored(value.device_map, made, value.logical_device)

    def _reduce_sparse(self, reduce_op: ReduceOp, values: Sequence[Any]) -> list[Any]:
        """Joins the rows of slices; those of one index are added where they are applied."""
        logging.log_first_n(
            logging.INFO,
            f"Collective batch_all_reduce for IndexedSlices: {len(values)} all-reduces, num_workers = {self._num_workers}",
            10,
        )
        results = []
        for value in values:
            rows, indices = [], []
            for where, part in zip(value.devices, value.values, strict=True):
                with device(where):
                    rows.append(raw.Identity(part.values))
                    indices.append(raw.Identity(part.indices))
            with name_scope("allreduce"):
                joined_rows = self._gathered(rows)
                joined_indices = self._gathered(indices)
            made = []
            parts = zip(value.devices, value.values, joined_rows, joined_indices, strict=True)
            for where, part, all_rows, all_indices in parts:
                with device(where):
                    if reduce_op == ReduceOp.MEAN:
                        all_rows = all_rows / (len(value.devices) * self._num_workers)
                    made.append(IndexedSlices(all_rows, all_indices, part.dense_shape))
            results.append(Mirrored(value.device_map, made, value.logical_device))
        return results

    def _gathered(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        joined = build_collective_gather(tensors, self._num_workers, self._collective_keys, self._hint)
        return _together([tensor.device for tensor in tensors], joined)
