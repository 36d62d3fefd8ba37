"""Sums of gradients and Hessians in a session, which checkpoints keep."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.contrib.boosted_trees.resource_saving import ResourceSaveable
from headrace.contrib.boosted_trees.scheduled_ops import ScheduledStampedResourceOp
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.sessions.resources import register_resource

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike

_NO_WORD = re.compile(r"[\W_]+")
_PARTS = ("_stamp", "_num_updates", "_partition_ids", "_feature_ids", "_gradients", "hessians")


class StatsAccumulatorSaveable(ResourceSaveable):
    """How savers save the sums.

    Args:
        resource_handle: the handle of the sums.
        create_op: what makes them.
        is_scalar: whether gradients and Hessians are numbers.
        name: the name they are saved under.
    """

    def __init__(self, resource_handle: Tensor, create_op: Operation, is_scalar: bool, name: str) -> None:
        self._handle, self._is_scalar = resource_handle, is_scalar
        parts = zip(_PARTS, self.serialize(), strict=True)
        super().__init__(
            resource_handle,
            create_op,
            {f"{resource_handle.name}{part}": tensor for part, tensor in parts},
            name,
            lambda tensors: self.deserialize(*tensors),
        )

    def serialize(self) -> tuple[Tensor, ...]:
        """The stamp, the number of batches, partitions, features, gradients and Hessians."""
        serialize = raw.StatsAccumulatorScalarSerialize if self._is_scalar else raw.StatsAccumulatorTensorSerialize
        return tuple(serialize(self._handle))

    def deserialize(
        self,
        stamp_token: TensorLike,
        num_updates: TensorLike,
        partition_ids: TensorLike,
        feature_ids: TensorLike,
        gradients: TensorLike,
        hessians: TensorLike,
    ) -> Operation:
        """The operation that takes what `serialize` gave."""
        deserialize = (
            raw.StatsAccumulatorScalarDeserialize if self._is_scalar else raw.StatsAccumulatorTensorDeserialize
        )
        return deserialize(self._handle, stamp_token, num_updates, partition_ids, feature_ids, gradients, hessians)


class StatsAccumulator(Trackable):
    """Sums of gradients and Hessians by partition of examples and feature.

    Args:
        stamp_token: the stamp of the first round.
        gradient_shape: the shape of one gradient.
        hessian_shape: the shape of one Hessian.
        name: a name for them.
        container: where the session keeps them.

    Example:
        >>> from headrace.contrib.boosted_trees.python.ops.stats_accumulator_ops import StatsAccumulator
        >>> sums = StatsAccumulator(0, tf.TensorShape([]), tf.TensorShape([]), name="sums")
        >>> add = sums.add(0, partition_ids=[1, 1], feature_ids=[[2, 0], [2, 0]], gradients=[0.5, 1.0], hessians=[1.0, 1.0])
        >>> count, partitions, features, gradients, hessians = sums.flush(stamp_token=0, next_stamp_token=1)
    """

    def __init__(
        self,
        stamp_token: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        name: str | None = None,
        container: str | None = None,
    ) -> None:
        self._stamp_token, self._gradient_shape, self._hessian_shape = stamp_token, gradient_shape, hessian_shape
        self._container = container
        self._is_scalar = gradient_shape.ndims == 0 and hessian_shape.ndims == 0
        with name_scope(_NO_WORD.sub("", name) if name else None, "StatsAccumulator") as scope:
            self._name = scope
            kind = "Scalar" if self._is_scalar else "Tensor"
            make = getattr(raw, f"StatsAccumulator{kind}ResourceHandleOp")
            self.resource_handle = make(container=container or "", shared_name=scope, name=scope)
            if self._is_scalar:
                self._initializer = raw.CreateStatsAccumulatorScalar(self.resource_handle, stamp_token)
            else:
                self._initializer = raw.CreateStatsAccumulatorTensor(
                    self.resource_handle, stamp_token, gradient_shape.as_list(), hessian_shape.as_list()
                )
            register_resource(self.resource_handle, self._initializer, self.is_initialized())
        self._saveable = StatsAccumulatorSaveable(self.resource_handle, self._initializer, self._is_scalar, self._name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def initializer(self) -> Operation:
        """The operation that makes them."""
        return self._initializer

    @property
    def saveable(self) -> StatsAccumulatorSaveable:
        """How savers save them."""
        return self._saveable

    def is_initialized(self) -> Tensor:
        """Whether they have been made, as a tensor."""
        kind = "Scalar" if self._is_scalar else "Tensor"
        is_initialized: Tensor = getattr(raw, f"StatsAccumulator{kind}IsInitialized")(self.resource_handle)
        return is_initialized

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"stats_accumulator": lambda name=None: self._saveable}

    def _add(self, handles: Sequence[Tensor], stamp_token: TensorLike, **rows: Any) -> Operation:
        add = raw.StatsAccumulatorScalarAdd if self._is_scalar else raw.StatsAccumulatorTensorAdd
        return add(list(handles), stamp_token, **rows)

    def _make_summary(
        self, partition_ids: TensorLike, feature_ids: TensorLike, gradients: TensorLike, hessians: TensorLike
    ) -> tuple[Tensor, ...]:
        summarize = raw.StatsAccumulatorScalarMakeSummary if self._is_scalar else raw.StatsAccumulatorTensorMakeSummary
        return tuple(summarize(partition_ids, feature_ids, gradients, hessians))

    def add(
        self,
        stamp_token: TensorLike,
        partition_ids: TensorLike,
        feature_ids: TensorLike,
        gradients: TensorLike,
        hessians: TensorLike,
    ) -> Operation:
        """The operation that adds the rows of a batch.

        Args:
            stamp_token: the stamp of the round; rows of another round do not count.
            partition_ids: the partition of each row.
            feature_ids: of shape [rows, 2], the bucket or category, and the dimension.
            gradients: the gradients.
            hessians: the Hessians.
        """
        rows = self._make_summary(partition_ids, feature_ids, gradients, hessians)
        names = ("partition_ids", "feature_ids", "gradients", "hessians")
        lists = {name: [value] for name, value in zip(names, rows, strict=True)}
        return self._add([self.resource_handle], stamp_token, **lists)

    def schedule_add(
        self, partition_ids: TensorLike, feature_ids: TensorLike, gradients: TensorLike, hessians: TensorLike
    ) -> ScheduledStampedResourceOp:
        """As `add`, to run with that of other sums."""
        rows = self._make_summary(partition_ids, feature_ids, gradients, hessians)
        names = ("partition_ids", "feature_ids", "gradients", "hessians")
        add = raw.StatsAccumulatorScalarAdd if self._is_scalar else raw.StatsAccumulatorTensorAdd
        return ScheduledStampedResourceOp(self.resource_handle, add, **dict(zip(names, rows, strict=True)))

    def flush(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> tuple[Tensor, ...]:
        """Ends a round.

        Args:
            stamp_token: the stamp of the round.
            next_stamp_token: that of the next one.

        Returns:
            the number of batches; partitions, features, gradients and Hessians, sorted.
        """
        flush = raw.StatsAccumulatorScalarFlush if self._is_scalar else raw.StatsAccumulatorTensorFlush
        return tuple(flush(self.resource_handle, stamp_token, next_stamp_token))
