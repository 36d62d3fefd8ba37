"""`tf.distribute.Strategy`: what programs call of every strategy."""

from __future__ import annotations

import copy
import enum
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import int64
from headrace.core.registry import raw
from headrace.distribute.checks import require_cross_replica_or_default_context
from headrace.distribute.replica_context import reduction_of
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.ops.array.gather import gather
from headrace.ops.math.cast import cast
from headrace.ops.math.division import truediv
from headrace.state.modes import ReduceOp

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.tensor import Tensor
    from headrace.core.typing import SessionLike


class InputReplicationMode(enum.Enum):
    """How an input function is called for several replicas."""

    PER_WORKER = "PER_WORKER"


class InputContext:
    """What an input function is told of where its elements go.

    Args:
        num_input_pipelines: how many input pipelines there are.
        input_pipeline_id: the number of this one.
        num_replicas_in_sync: how many replicas share a global batch.

    Example:
        >>> context = tf.distribute.InputContext(num_replicas_in_sync=4)
        >>> context.get_per_replica_batch_size(64)
        16
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._num_input_pipelines = num_input_pipelines
        self._input_pipeline_id = input_pipeline_id
        self._num_replicas_in_sync = num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas share a global batch."""
        return self._num_replicas_in_sync

    @property
    def input_pipeline_id(self) -> int:
        """The number of this input pipeline."""
        return self._input_pipeline_id

    @property
    def num_input_pipelines(self) -> int:
        """How many input pipelines there are."""
        return self._num_input_pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The batch of a replica.

        Args:
            global_batch_size: the batch of all replicas together.

        Raises:
            ValueError: if it cannot be divided evenly.
        """
        if global_batch_size % self._num_replicas_in_sync != 0:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size!r} is not divisible by `num_replicas_in_sync` "
                f"{self._num_replicas_in_sync!r} "
            )
        return global_batch_size // self._num_replicas_in_sync


class Strategy:
    """How a program is spread over devices and processes; the base class of strategies.

    Variables made in its scope are kept for all replicas, a function given to `experimental_run_v2` is called for each,
    and what replicas compute is put together by `reduce`, or by an optimizer.

    Args:
        extended: a `StrategyExtended`, which says how all of that is done.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
        >>> with strategy.scope():
        ...     v = tf.Variable(2.0, aggregation=tf.VariableAggregation.SUM)
        >>> def step():
        ...     return v * 3.0
        >>> total = strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.experimental_run_v2(step), axis=None)
    """

    def __init__(self, extended: Any) -> None:
        self._extended = extended
        # What an estimator may set: its losses are then divided by the number of replicas.
        self._scale_loss_for_estimator = False

    @property
    def extended(self) -> Any:
        """What libraries call of the strategy."""
        return self._extended

    def _in_multi_worker_mode(self) -> bool:
        """Whether several workers train one model."""
        return self._extended._in_multi_worker_mode()

    def _scale_loss_for_estimator_enabled(self) -> bool:
        return self._scale_loss_for_estimator

    def scope(self) -> AbstractContextManager[Any]:
        """A context in which this strategy is in force, in cross-replica context.

        Example:
            >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope() as strategy:
            ...     tf.distribute.get_strategy() is strategy
            True
        """
        return self._extended._scope(self)

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """`extended.colocate_vars_with`."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    # ---- input ----

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator over a dataset of global batches, each divided among the replicas.

        Args:
            dataset: the dataset, whose batches are those of all replicas together.
        """
        return self._extended._make_dataset_iterator(dataset)

    def make_input_fn_iterator(
        self, input_fn: Callable[..., Any], replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    ) -> Any:
        """An iterator over what an input function gives, a batch for each replica.

        Args:
            input_fn: called with an `InputContext`; returns a dataset, or a function that returns a batch.
            replication_mode: `InputReplicationMode.PER_WORKER`.

        Raises:
            ValueError: for another mode.
        """
        if replication_mode != InputReplicationMode.PER_WORKER:
            raise ValueError(f"Input replication mode not supported: {replication_mode!r}")
        with self.scope():
            return self._extended._make_input_fn_iterator(input_fn, replication_mode=replication_mode)

    def experimental_make_numpy_dataset(self, numpy_input: Any) -> Any:
        """A dataset of the rows of arrays, which are kept once as variables.

        Args:
            numpy_input: an array, or a structure of arrays.
        """
        return self._extended.experimental_make_numpy_dataset(numpy_input, session=None)

    def experimental_distribute_dataset(self, dataset: Any) -> Any:
        """A dataset of global batches, whose elements are `PerReplica` values: the parts of a batch.

        Args:
            dataset: the dataset, whose batches are those of all replicas together.

        Example:
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        """
        return self._extended._experimental_distribute_dataset(dataset)

    def experimental_distribute_datasets_from_function(self, dataset_fn: Callable[[InputContext], Any]) -> Any:
        """The elements of the dataset that a function makes for each worker, a batch for each replica.

        Args:
            dataset_fn: called with an `InputContext`; returns a dataset of batches of one replica.
        """
        return self._extended._experimental_distribute_datasets_from_function(dataset_fn)

    # ---- running ----

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """Calls `fn` for each replica, with the next element of an iterator if one is given."""
        with self.scope():
            args = (input_iterator.get_next(),) if input_iterator is not None else ()
        return self.experimental_run_v2(fn, args=args)

    def experimental_run_v2(self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None) -> Any:
        """Calls `fn` for each replica, in replica context.

        Args:
            fn: the function.
            args, kwargs: its arguments; of `PerReplica` values each replica gets its own.

        Returns:
            what it returned, where replicas differ as `PerReplica` values.

        Example:
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> strategy.experimental_run_v2(lambda x: x + 1, args=(2,))
            3
        """
        with self.scope():
            return self._extended.call_for_each_replica(fn, args=args, kwargs=kwargs)

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: int | None) -> Any:
        """The sum or the mean of what replicas computed.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a `PerReplica` value, or one that is the same for all.
            axis: the axis of each replica's value to reduce too, None for none. A mean is that of all elements, whatever
                the sizes of the replicas' parts are.

        Raises:
            ValueError: if `axis` is none of the value's, or the reduction has no such name.
            TypeError: for another reduction along an axis, or an axis that is no integer.

        Example:
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> strategy.reduce(tf.distribute.ReduceOp.MEAN, 1.5, axis=None)
            1.5
        """
        require_cross_replica_or_default_context(self._extended)
        reduce_op = reduction_of(reduce_op)
        if axis is None:
            return self._extended._reduce(reduce_op, value)
        if reduce_op == ReduceOp.SUM:
            summed = self.experimental_run_v2(lambda part: reduce_sum(part, axis=axis), args=(value,))
            return self._extended._reduce(ReduceOp.SUM, summed)
        if reduce_op != ReduceOp.MEAN:
            raise TypeError(f"Expected `reduce_op` to be a `tf.distribute.ReduceOp`, not: {reduce_op!r}")
        if not isinstance(axis, int):
            raise TypeError(f"Expected `axis` to be an integer not: {axis!r}")
        total, count = self.experimental_run_v2(_sum_and_count, args=(value, axis))
        total = self._extended._reduce(ReduceOp.SUM, total)
        count = self._extended._reduce(ReduceOp.SUM, count)
        return truediv(total, cast(count, total.dtype))

    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The older name of `experimental_local_results`."""
        return self._extended._local_results(value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of this process's replicas.

        Args:
            value: what `experimental_run_v2` returned, or a variable made in the scope.

        Example:
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> strategy.experimental_local_results(1)
            (1,)
        """
        return self._extended._local_results(value)

    def group(self, value: Any, name: str | None = None) -> Any:
        """An operation that has run when the values of all replicas have been computed.

        Args:
            value: what `experimental_run_v2` or `extended.update` returned.
            name: a name for the operation.
        """
        return self._extended._group(value, name)

    # ---- settings ----

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas whose gradients are put together."""
        return self._extended._num_replicas_in_sync

    def configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> Any:
        """Tells the strategy of the cluster it runs in.

        Args:
            session_config: a `ConfigProto`, which it may change.
            cluster_spec: the cluster.
            task_type, task_id: the task of this process.
        """
        return self._extended._configure(session_config, cluster_spec, task_type, task_id)

    def update_config_proto(self, config_proto: Any) -> Any:
        """A copy of a `ConfigProto` with what the strategy needs of sessions."""
        return self._extended._update_config_proto(config_proto)

    def __deepcopy__(self, memo: Any) -> Any:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in vars(self).items():
            setattr(made, name, copy.deepcopy(value, memo))
        return made

    def __copy__(self) -> Any:
        # Its `extended` would still be that of the original.
        raise RuntimeError("Must only deepcopy DistributionStrategy.")


class StrategyV1(Strategy):
    """`tf.distribute.Strategy` of 1.x; arguments and methods as of the later one.

    Example:
        >>> isinstance(tf.distribute.get_strategy(), tf.distribute.Strategy)
        True
    """

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None = None) -> Any:
        """A dataset of the rows of arrays, which are kept once as variables.

        Args:
            numpy_input: an array, or a structure of arrays.
            session: the session in which the variables get their values; needed in graphs.
        """
        return self._extended.experimental_make_numpy_dataset(numpy_input, session=session)

    def reduce(self, reduce_op: ReduceOp | str, value: Any, axis: int | None = None) -> Any:
        """`Strategy.reduce`, where the axis may be left out."""
        return super().reduce(reduce_op, value, axis)


def _sum_and_count(part: Any, axis: int) -> tuple[Tensor, Tensor | int]:
    """The sum of a tensor along an axis, and the size of that axis: a number of Python's where it is known.

    Such numbers of several replicas are often one object, which as in 1.15 is no value of each replica that could be summed.
    """
    total = reduce_sum(part, axis=axis)
    dims = part.shape.dims
    if dims is not None:
        rank = len(dims)
        if not -rank <= axis < rank:
            raise ValueError(f"`axis` = {axis!r} out of range for `value` with rank {rank}")
        size = dims[axis].value
        if size is not None:
            return total, size
        return total, gather(shape_of(part, out_type=int64), axis % rank)
    if axis < 0:
        axis = raw.Rank(part) + axis
    return total, gather(shape_of(part, out_type=int64), axis)
