"""The strategy in force outside of all scopes: one replica, on whatever device operations ask for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with as colocate_operations
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.data.dataset import DatasetV2, make_initializable_iterator
from headrace.distribute.checks import require_scope
from headrace.distribute.extended import StrategyExtendedV1, strategy_of
from headrace.distribute.numpy_datasets import one_host_numpy_dataset
from headrace.distribute.replica_context import ReplicaContext, UpdateContext
from headrace.distribute.strategy import InputContext, StrategyV1
from headrace.state.modes import ReduceOp
from headrace.state.replication import has_strategy
from headrace.state.scoping import variable_creator_scope

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


class _DefaultScope:
    """What `scope()` of the default strategy opens: nothing, where no other strategy is in force."""

    def __init__(self, strategy: Any) -> None:
        self._strategy = strategy
        self._opened: list[Any] = []

    def __enter__(self) -> Any:
        if has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        self._opened.append(variable_creator_scope(self._creator))
        self._opened[-1].__enter__()
        return self._strategy

    def __exit__(self, *exc: Any) -> None:
        self._opened.pop().__exit__(*exc)

    def _creator(self, next_creator: Any, **kwargs: Any) -> Any:
        require_scope(self._strategy)
        return next_creator(**kwargs)


class DefaultInputIterator:
    """An iterator over a dataset, as strategies have them.

    Args:
        dataset: the dataset.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        if not isinstance(dataset, DatasetV2):
            raise AttributeError(f"make_dataset_iterator: expected a tf.data.Dataset, got {dataset!r}")
        self._iterator: Any = iter(dataset) if executing_eagerly() else make_initializable_iterator(dataset)

    def get_next(self) -> Any:
        """The next element."""
        return self._iterator.get_next()

    def initialize(self) -> list[Any]:
        """The operations that begin anew."""
        if executing_eagerly():
            self._iterator = iter(self._dataset)
            return []
        return [self._iterator.initializer]


class DefaultExtended(StrategyExtendedV1):
    """`extended` of the default strategy."""

    def _scope(self, strategy: Any) -> Any:
        return _DefaultScope(strategy)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context in which operations go where a variable is."""
        return colocate_operations(colocate_with_variable)

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made in no strategy's scope."""
        return strategy_of(v) is None

    def value_container(self, value: Any) -> Any:
        """The value itself."""
        return value

    def read_var(self, v: Any) -> Any:
        """The variable's value."""
        return raw.Identity(convert_to_tensor(v))

    def _allow_variable_partition(self) -> bool:
        return True

    # ---- input ----

    def _make_dataset_iterator(self, dataset: Any) -> DefaultInputIterator:
        return DefaultInputIterator(dataset)

    def _make_input_fn_iterator(
        self, input_fn: Callable[..., Any], replication_mode: Any = None
    ) -> DefaultInputIterator:
        return DefaultInputIterator(input_fn(InputContext()))

    def _experimental_distribute_dataset(self, dataset: Any) -> Any:
        return dataset

    def _experimental_distribute_datasets_from_function(self, dataset_fn: Callable[..., Any]) -> Any:
        return dataset_fn(InputContext())

    def _experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None) -> Any:
        return one_host_numpy_dataset(numpy_input, None, session)

    # ---- running ----

    def _broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        if destinations is None:
            return tensor
        raise NotImplementedError(
            "broadcast_to of the default strategy to a place: there is one replica; use the tensor."
        )

    def _call_for_each_replica(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        with ReplicaContext(self._container_strategy(), 0):
            return fn(*args, **kwargs)

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value

    def _update(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool) -> Any:
        return self._update_non_slot(var, fn, (var, *tuple(args)), kwargs, group)

    def _update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool
    ) -> Any:
        with colocate_operations(colocate_with), UpdateContext(colocate_with):
            result = fn(*args, **kwargs)
        return result if group else nest.map_structure(self._local_results, result)

    def non_slot_devices(self, var_list: Any) -> Any:
        """Where the first variable is."""
        return min(var_list, key=lambda variable: variable.name)

    def _local_results(self, distributed_value: Any) -> tuple[Any, ...]:
        return (distributed_value,)

    # ---- settings ----

    @property
    def _num_replicas_in_sync(self) -> int:
        return 1

    @property
    def _global_batch_size(self) -> bool:
        return True

    @property
    def worker_devices(self) -> Any:
        """Not known.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> Any:
        """Not known.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("parameter_devices() method unsupported by default tf.distribute.Strategy.")


class DefaultStrategy(StrategyV1):
    """The strategy in force outside of all scopes; there is one."""

    def __init__(self) -> None:
        super().__init__(DefaultExtended(self))
        # That of code outside of all scopes.
        self.replica_context = ReplicaContext(self, 0)

    def __deepcopy__(self, memo: Any) -> DefaultStrategy:
        raise RuntimeError("Should only create a single instance of the default strategy.")


@functools.cache
def default_strategy() -> DefaultStrategy:
    """The strategy in force outside of all scopes."""
    return DefaultStrategy()


def default_replica_context() -> ReplicaContext:
    """The context of code outside of all scopes."""
    return default_strategy().replica_context
