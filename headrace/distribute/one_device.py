"""`OneDeviceStrategy`: everything on one device, through the interface of strategies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.defaults import colocate_with as colocate_operations
from headrace.core.defaults import device
from headrace.core.registry import raw
from headrace.distribute import device_names
from headrace.distribute.device_maps import SingleDeviceMap
from headrace.distribute.extended import StrategyExtendedV1
from headrace.distribute.input_workers import InputWorkers
from headrace.distribute.numpy_datasets import SingleDevice, one_host_numpy_dataset
from headrace.distribute.replica_context import ReplicaContext, UpdateContext
from headrace.distribute.step_loops import run_steps
from headrace.distribute.strategy import InputContext, Strategy, StrategyV1
from headrace.ops.array.constant import constant
from headrace.state.modes import ReduceOp

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


class OneDeviceExtended(StrategyExtendedV1):
    """`extended` of `OneDeviceStrategy`.

    Args:
        container_strategy: the strategy.
        device: the device.
    """

    def __init__(self, container_strategy: Any, device: str) -> None:
        super().__init__(container_strategy)
        if not device and not isinstance(device, str):
            raise AssertionError(f"OneDeviceStrategy needs the name of a device, got {device!r}.")
        self._device = device_names.resolve(device)
        self._input_device = device_names.get_host_for_device(self._device)

    # ---- variables ----

    def _create_variable(self, next_creator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        colocated = kwargs.pop("colocate_with", None)
        if colocated is None:
            with device(self._device):
                return next_creator(*args, **kwargs)
        if isinstance(colocated, SingleDevice):
            with device(colocated.device):
                return next_creator(*args, **kwargs)
        with colocate_operations(colocated):
            return next_creator(*args, **kwargs)

    def _validate_colocate_with_variable(self, colocate_with_variable: Any) -> None:
        self._validate_colocate(colocate_with_variable)

    def value_container(self, value: Any) -> Any:
        """The value itself."""
        return value

    def read_var(self, v: Any) -> Any:
        """The variable's value."""
        return raw.Identity(v)

    # ---- input ----

    def _input_workers(self) -> InputWorkers:
        return InputWorkers(SingleDeviceMap(self._device), [(self._input_device, self.worker_devices)])

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        return self._input_workers().dataset_iterator(dataset, self._container_strategy(), None)

    def _make_input_fn_iterator(self, input_fn: Callable[..., Any], replication_mode: Any) -> Any:
        return self._input_workers().input_function_iterator(input_fn, [InputContext()], self._container_strategy())

    def _experimental_distribute_dataset(self, dataset: Any) -> Any:
        return self._input_workers().distributed_dataset(dataset, self._container_strategy(), None)

    def _experimental_distribute_datasets_from_function(self, dataset_fn: Callable[..., Any]) -> Any:
        return self._input_workers().distributed_datasets(dataset_fn, [InputContext()], self._container_strategy())

    def _experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None) -> Any:
        return one_host_numpy_dataset(numpy_input, SingleDevice(self._input_device), session)

    # ---- running ----

    def _experimental_run_steps_on_iterator(
        self, fn: Callable[..., Any], iterator: Any, iterations: int, initial_loop_values: Any
    ) -> Any:
        return run_steps(self._container_strategy(), fn, iterator, iterations, initial_loop_values)

    def _call_for_each_replica(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        strategy = self._container_strategy()
        with device(self._device), _OneDeviceReplicaContext(strategy):
            return fn(*args, **kwargs)

    def _broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        return tensor

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value

    def _update(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool) -> Any:
        return self._update_non_slot(var, fn, (var, *tuple(args)), kwargs, group)

    def _update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool
    ) -> Any:
        with device(self._device), UpdateContext(self._device):
            result = fn(*args, **kwargs)
        return result if group else nest.map_structure(self._local_results, result)

    def _local_results(self, distributed_value: Any) -> tuple[Any, ...]:
        return (distributed_value,)

    def non_slot_devices(self, var_list: Any) -> tuple[str, ...]:
        """The device."""
        return (self._device,)

    # ---- settings ----

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The device."""
        return (self._device,)

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The device."""
        return (self._device,)

    @property
    def _num_replicas_in_sync(self) -> int:
        return 1

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each worker has a graph of its own: no."""
        return False

    @property
    def experimental_should_init(self) -> bool:
        """Whether this worker initializes the variables: yes."""
        return True

    @property
    def should_checkpoint(self) -> bool:
        """Whether this worker writes checkpoints: yes."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether this worker writes summaries: yes."""
        return True

    @property
    def _global_batch_size(self) -> bool:
        """Whether batches of datasets are those of all replicas together: yes."""
        return True


class _OneDeviceReplicaContext(ReplicaContext):
    def __init__(self, strategy: Any) -> None:
        super().__init__(strategy, replica_id_in_sync_group=constant(0))

    @property
    def devices(self) -> tuple[str, ...]:
        """The device."""
        return self._strategy.extended.worker_devices


class OneDeviceStrategy(Strategy):
    """Everything on one device: a program for strategies on a machine with nothing to spread.

    Args:
        device: the name of the device.

    Example:
        >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
        >>> with strategy.scope():
        ...     v = tf.Variable(1.0)
        >>> v.device
        '/replica:0/task:0/device:CPU:0'
    """

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, device))


class OneDeviceStrategyV1(StrategyV1):
    """`tf.distribute.OneDeviceStrategy` of 1.x; arguments as of the later one.

    Example:
        >>> tf.compat.v1.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
        1
    """

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, device))
