"""Cross-device operations: how values of several devices become one, and one value goes to several devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.defaults import device
from headrace.core.device import DeviceSpec
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor
from headrace.distribute import cross_device_utils, device_names
from headrace.distribute.device_maps import DeviceMap, LogicalDeviceSpec, SingleDeviceMap
from headrace.distribute.values import DistributedValues, Mirrored, PerReplica, regroup
from headrace.ops.math.add_n import add_n
from headrace.state.modes import ReduceOp
from headrace.state.variable_class import Variable
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    Pairs = list[tuple[Any, Any]]


# ---- destinations ----


def check_destinations(destinations: Any) -> bool:
    """Whether there is a destination at all."""
    if isinstance(destinations, (Variable, Tensor)):
        return bool(destinations.device)
    return bool(destinations)


def validate_destinations(destinations: Any) -> None:
    """Checks what a value may be sent to.

    Raises:
        ValueError: if it is no variable, value, device or map of devices, or empty.
    """
    known = (Variable, Tensor, IndexedSlices, DistributedValues, str, DeviceMap, LogicalDeviceSpec)
    if not isinstance(destinations, known):
        raise ValueError(
            "destinations must be one of a `DistributedValues` object, a tf.Variable object, or a device string: "
            f"got {destinations!r}"
        )
    if not check_destinations(destinations):
        raise ValueError("destinations can not be empty")


def get_device_map_from(destinations: Any) -> tuple[DeviceMap, int]:
    """The devices that a destination means, and which logical device of these."""
    if isinstance(destinations, (DistributedValues, LogicalDeviceSpec)):
        return destinations.device_map, destinations.logical_device
    if isinstance(destinations, DeviceMap):
        return destinations, 0
    if isinstance(destinations, str):
        where = device_names.resolve(destinations)
    else:
        where = destinations.device
        where = device_names.canonicalize(where) if where else where
    return SingleDeviceMap(where), 0


def get_devices_from(destinations: Any) -> tuple[str, ...]:
    """The devices that a destination means."""
    device_map, logical_device = get_device_map_from(destinations)
    return device_map.logical_to_actual_devices(logical_device)


def _devices_match(left: Any, right: Any) -> bool:
    return set(get_devices_from(left)) == set(get_devices_from(right))


def _all_devices_match(pairs: Pairs) -> bool:
    return all(_devices_match(value, destinations) for value, destinations in pairs) and all(
        _devices_match(value, pairs[0][0]) for value, _ in pairs[1:]
    )


def _make_tensor_into_per_replica(input_tensor: Any) -> PerReplica | DistributedValues:
    if isinstance(input_tensor, DistributedValues):
        return input_tensor
    if isinstance(input_tensor, (tuple, list)):
        raise ValueError(
            f"Cannot convert `input_tensor` to a `PerReplica` object because it is a list: {input_tensor!r}"
        )
    if not hasattr(input_tensor, "device"):
        raise ValueError(
            f"Cannot convert `input_tensor` to a `PerReplica` object because it has no device: {input_tensor!r}"
        )
    return PerReplica(SingleDeviceMap(input_tensor.device), (input_tensor,))


def _valid_pairs(value_destination_pairs: Any) -> Pairs:
    """The pairs as values of several devices and destinations.

    Raises:
        ValueError: if they are none.
    """
    if not isinstance(value_destination_pairs, (list, tuple)) or not all(
        isinstance(pair, tuple) and len(pair) == 2 for pair in value_destination_pairs
    ):
        raise ValueError(
            "`value_destination_pairs` must be a list or a tuple of tuples of a value and its destinations"
        )
    pairs = [(_make_tensor_into_per_replica(value), destinations) for value, destinations in value_destination_pairs]
    for _, destinations in pairs:
        validate_destinations(destinations)
    return pairs


# ---- moving and adding values ----


def simple_broadcast(value: Any, destinations: Any, always_mirrored: bool = False) -> Any:
    """A value on the devices of a destination.

    Args:
        value: a tensor or an IndexedSlices.
        destinations: where it goes.
        always_mirrored: whether what goes to one device is put together as what goes to several.
    """
    device_map, logical_device = get_device_map_from(destinations)
    devices = device_map.logical_to_actual_devices(logical_device)
    if len(devices) == 1 and not always_mirrored:
        return cross_device_utils.copy_tensor_or_indexed_slices_to_device(value, devices[0])
    copies = [cross_device_utils.copy_tensor_or_indexed_slices_to_device(value, where) for where in devices]
    # One copy is no value of several devices.
    return regroup(device_map, copies, Mirrored)


def reduce_non_distributed_value(reduce_op: ReduceOp, device_map: DeviceMap, value: Any, destinations: Any) -> Any:
    """The reduction of a value that is the same for all replicas.

    Args:
        reduce_op: the reduction.
        device_map: the devices of the replicas.
        value: the value.
        destinations: where the result goes.

    Raises:
        ValueError: for a sum over several replicas, or a value of several devices.
    """
    if isinstance(value, DistributedValues):
        raise ValueError(
            "You are passing a `DistributedValue` to `reduce_non_distributed_value`, which is not allowed."
        )
    # The sum of zeros is zero; a mean of one value is that value.
    if not is_tensor(value) and value == 0:
        return 0
    if reduce_op == ReduceOp.MEAN:
        return value
    validate_destinations(destinations)
    if device_map.num_replicas_in_graph != 1:
        raise ValueError(
            f"A non-DistributedValues value {value} cannot be reduced with the given reduce op {reduce_op}."
        )
    return simple_broadcast(value, destinations)


def _reduced_on(value: DistributedValues, where: str, accumulate: Callable[..., Any], reduce_op: ReduceOp) -> Any:
    """The reduction of a value, computed on one device."""
    if not value.values:
        raise ValueError("`per_replica_value` must be non-empty")
    with device(where):
        reduced = cross_device_utils.aggregate_tensors_or_indexed_slices(value.values, accumulate)
        if reduce_op == ReduceOp.MEAN:
            return cross_device_utils.divide_by_n_tensors_or_indexed_slices(reduced, len(value.values))
        if reduce_op != ReduceOp.SUM:
            raise ValueError(f"`reduce_op` must be Reduce.SUM or Reduce.MEAN, got {reduce_op!r}.")
        return reduced


# ---- ways to do it ----


class CrossDeviceOps:
    """How values of several devices become one; the base class of the ways to do it.

    A subclass overrides `reduce_implementation` and `batch_reduce_implementation`.
    """

    def __init__(self) -> None:
        pass

    @property
    def _num_between_graph_workers(self) -> int:
        """How many processes, each with a graph of its own, take part."""
        return 1

    def reduce(self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any) -> Any:
        """The sum or the mean of the values of replicas.

        Args:
            reduce_op: the reduction.
            per_replica_value: a `PerReplica` value, or a tensor.
            destinations: where the result goes: a variable, a value, or the name of a device.

        Returns:
            a `Mirrored` value, or a tensor where the destination is one device.

        Raises:
            ValueError: for what is no value of replicas, or no destination.
        """
        value = _make_tensor_into_per_replica(per_replica_value)
        validate_destinations(destinations)
        if self._num_between_graph_workers == 1 and len(value.values) == 1 and _devices_match(value, destinations):
            # Nothing to be added.
            return regroup(value.device_map, value.values, Mirrored)
        return self.reduce_implementation(reduce_op, value, destinations)

    def batch_reduce(self, reduce_op: ReduceOp, value_destination_pairs: Iterable[Any]) -> list[Any]:
        """`reduce` of several values at once.

        Args:
            reduce_op: the reduction.
            value_destination_pairs: pairs of a value and its destinations.

        Raises:
            IndexError: in one process, if there are no pairs.
        """
        if not isinstance(value_destination_pairs, (list, tuple)):
            value_destination_pairs = list(value_destination_pairs)
        pairs = _valid_pairs(value_destination_pairs)
        if self._num_between_graph_workers == 1:
            if not pairs:
                raise IndexError("batch_reduce: expected at least one pair of a value and its destinations, got none.")
            if _all_devices_match(pairs) and len(pairs[0][0].values) == 1:
                return [regroup(value.device_map, value.values, Mirrored) for value, _ in pairs]
        return self.batch_reduce_implementation(reduce_op, pairs)

    def broadcast(self, tensor: Any, destinations: Any) -> Any:
        """A tensor on all devices of a destination, as a `Mirrored` value.

        Args:
            tensor: the tensor.
            destinations: where it goes.
        """
        validate_destinations(destinations)
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any) -> Any:
        """What `reduce` does with a `PerReplica` value; for subclasses to define."""
        raise NotImplementedError(f"{type(self).__name__} must define reduce_implementation.")

    def batch_reduce_implementation(self, reduce_op: ReduceOp, value_destination_pairs: Pairs) -> list[Any]:
        """What `batch_reduce` does with pairs; for subclasses to define."""
        raise NotImplementedError(f"{type(self).__name__} must define batch_reduce_implementation.")

    def broadcast_implementation(self, tensor: Any, destinations: Any) -> Any:
        """What `broadcast` does."""
        return simple_broadcast(tensor, destinations, always_mirrored=True)


class ReductionToOneDevice(CrossDeviceOps):
    """Values are copied to one device and added there; the sum is copied to where it goes.

    Args:
        reduce_to_device: the device; the first one of the destination by default.
        accumulation_fn: what adds a list of tensors; `tf.add_n` by default.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0", "/cpu:1"], cross_device_ops=tf.distribute.ReductionToOneDevice("/cpu:0")
        ... )
    """

    def __init__(self, reduce_to_device: str | None = None, accumulation_fn: Callable[..., Any] | None = None) -> None:
        super().__init__()
        self.reduce_to_device = reduce_to_device
        self.accumulation_fn = accumulation_fn or add_n

    def reduce_implementation(self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any) -> Any:
        """Adds on the device, then copies."""
        if check_destinations(destinations):
            devices = get_devices_from(destinations)
        else:
            devices = get_devices_from(per_replica_value)
        where = self.reduce_to_device or devices[0]
        reduced = _reduced_on(per_replica_value, where, self.accumulation_fn, reduce_op)
        return self.broadcast(reduced, destinations)

    def batch_reduce_implementation(self, reduce_op: ReduceOp, value_destination_pairs: Pairs) -> list[Any]:
        """`reduce_implementation` of each pair."""
        return [self.reduce_implementation(reduce_op, value, where) for value, where in value_destination_pairs]


class AllReduceCrossDeviceOps(CrossDeviceOps):
    """Values are added so that every device has the sum.

    Args:
        all_reduce_alg: "nccl" or, as which any other name counts, "hierarchical_copy". In one process both add on one
            device after the other, as the sums are read from there.
        num_packs: into how many tensors the values of a device are put before they are added; 0 adds each by itself.
        agg_small_grads_max_bytes, agg_small_grads_max_group: of tensors that are aggregated by size, where
            `num_packs` is 0.
    """

    def __init__(
        self,
        all_reduce_alg: str = "nccl",
        num_packs: int = 1,
        agg_small_grads_max_bytes: int = 0,
        agg_small_grads_max_group: int = 10,
    ) -> None:
        super().__init__()
        self._all_reduce_alg = all_reduce_alg
        self._num_packs = num_packs
        self._agg_small_grads_max_bytes = agg_small_grads_max_bytes
        self._agg_small_grads_max_group = agg_small_grads_max_group
        self._simple = ReductionToOneDevice()

    def reduce_implementation(self, reduce_op: ReduceOp, per_replica_value: Any, destinations: Any) -> Any:
        """Adds on all devices where the destination is all of them; else on its first one."""
        if _devices_match(per_replica_value, destinations) and not cross_device_utils.contains_indexed_slices(
            per_replica_value
        ):
            return self._batch_all_reduce(reduce_op, [per_replica_value])[0]
        return self._simple.reduce_implementation(reduce_op, per_replica_value, destinations)

    def batch_reduce_implementation(self, reduce_op: ReduceOp, value_destination_pairs: Pairs) -> list[Any]:
        """Adds all values together where they go to the devices they come from."""
        if _all_devices_match(value_destination_pairs):
            return self._batch_all_reduce(reduce_op, [value for value, _ in value_destination_pairs])
        return [self.reduce_implementation(reduce_op, value, where) for value, where in value_destination_pairs]

    def _batch_all_reduce(self, reduce_op: ReduceOp, per_replica_values: Sequence[Any]) -> list[Any]:
        dense, sparse, dense_places, sparse_places = cross_device_utils.split_by_sparsity(per_replica_values)
        found: list[tuple[list[Any], list[int]]] = []
        if dense:
            found.append((self._do_batch_all_reduce(reduce_op, dense), dense_places))
        if sparse:
            found.append((self._do_batch_all_reduce_sparse(reduce_op, sparse), sparse_places))
        return cross_device_utils.stitch_values(found)

    def _do_batch_all_reduce(self, reduce_op: ReduceOp, dense_values: Sequence[Any]) -> list[Any]:
        """The reductions of tensors, mirrored on their devices."""
        logging.log_first_n(
            logging.INFO,
            f"batch_all_reduce: {len(dense_values)} all-reduces with algorithm = {self._all_reduce_alg}, num_packs = "
            f"{self._num_packs}, agg_small_grads_max_bytes = {self._agg_small_grads_max_bytes} and "
            f"agg_small_grads_max_group = {self._agg_small_grads_max_group}",
            10,
        )
        devices = dense_values[0].devices
        # For each device the pairs of its part of a value, and that value, which tells the pairs apart.
        by_device = [[(value.values[i], value) for value in dense_values] for i in range(len(devices))]
        packer = cross_device_utils.packer_of(
            self._num_packs, self._agg_small_grads_max_bytes, self._agg_small_grads_max_group
        )
        packs = by_device if packer is None else packer.pack(by_device)
        summed = self._sum(devices, packs)
        pairs = summed if packer is None else packer.unpack(summed)
        return [
            self._mirrored(reduce_op, value, [pairs[i][number][0] for i in range(len(devices))])
            for number, value in enumerate(dense_values)
        ]

    def _sum(self, devices: Sequence[str], replica_grads: Sequence[Any]) -> list[Any]:
        """The sums of the tensors of all devices, on each, as pairs with what the tensors are paired with."""
        return cross_device_utils.aggregate_gradients_using_copy(devices, replica_grads)

    def _mirrored(self, reduce_op: ReduceOp, value: DistributedValues, sums: Sequence[Any]) -> Mirrored:
        made = []
        for where, total in zip(value.devices, sums, strict=True):
            with device(where):
                if reduce_op == ReduceOp.MEAN:
                    total = cross_device_utils.divide_by_n_tensors_or_indexed_slices(
                        total, len(sums) * self._num_between_graph_workers
                    )
                made.append(raw.Identity(total))
        return Mirrored(value.device_map, made, value.logical_device)

    def _do_batch_all_reduce_sparse(self, reduce_op: ReduceOp, sparse_values: Sequence[Any]) -> list[Any]:
        logging.log_first_n(
            logging.WARN, "Efficient allreduce is not supported for %d IndexedSlices", 10, len(sparse_values)
        )
        return [self._simple.reduce_implementation(reduce_op, value, value) for value in sparse_values]


class NcclAllReduce(AllReduceCrossDeviceOps):
    """All-reduce that NCCL does between GPUs; between the devices of one process, sums on these.

    Args:
        num_packs: into how many tensors the values of a device are put before they are added.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0", "/cpu:1"], cross_device_ops=tf.distribute.NcclAllReduce()
        ... )
    """

    def __init__(self, num_packs: int = 1) -> None:
        _check_packs(num_packs)
        super().__init__("nccl", num_packs)


class HierarchicalCopyAllReduce(AllReduceCrossDeviceOps):
    """All-reduce that adds on one device and copies the sum to the others.

    Args:
        num_packs: into how many tensors the values of a device are put before they are added.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(
        ...     ["/cpu:0", "/cpu:1"], cross_device_ops=tf.distribute.HierarchicalCopyAllReduce(num_packs=2)
        ... )
    """

    def __init__(self, num_packs: int = 1) -> None:
        _check_packs(num_packs)
        super().__init__("hierarchical_copy", num_packs)


def _check_packs(num_packs: int) -> None:
    if num_packs < 0:
        raise ValueError(f"NCCL all-reduce requires num_packs >= 0, but {num_packs} is specified")


def choose_the_best(devices: Iterable[str], session_config: Any = None) -> CrossDeviceOps:
    """The way that fits some devices best.

    Args:
        devices: their names.
        session_config: a `ConfigProto` that may leave some out.
    """
    kinds = {DeviceSpec.from_string(name).device_type for name in devices}
    counts = {} if session_config is None else session_config.device_count
    if kinds == {"GPU"} and counts.get("GPU", 1) > 0:
        return NcclAllReduce(num_packs=1)
    return ReductionToOneDevice()


__all__ = [
    "AllReduceCrossDeviceOps",
    "CrossDeviceOps",
    "HierarchicalCopyAllReduce",
    "NcclAllReduce",
    "ReductionToOneDevice",
    "choose_the_best",
]
