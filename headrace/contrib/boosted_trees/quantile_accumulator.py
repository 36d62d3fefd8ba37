"""Quantile sketches of features in a session, which checkpoints keep."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.contrib.boosted_trees.resource_saving import ResourceSaveable
from headrace.contrib.boosted_trees.scheduled_ops import ScheduledStampedResourceOp
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.sessions.resources import register_resource

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike

_NO_WORD = re.compile(r"[\W_]+")


class QuantileAccumulatorSaveable(ResourceSaveable):
    """How savers save the sketch of a feature.

    Args:
        resource_handle: its handle.
        create_op: what makes it.
        name: the name it is saved under.
    """

    def __init__(self, resource_handle: Tensor, create_op: Operation, name: str) -> None:
        parts = zip(
            ("_stamp", "_state", "_are_buckets_ready", "buckets"),
            raw.QuantileAccumulatorSerialize(resource_handle),
            strict=True,
        )
        super().__init__(
            resource_handle,
            create_op,
            {f"{name}{part}": tensor for part, tensor in parts},
            name,
            lambda tensors: raw.QuantileAccumulatorDeserialize(resource_handle, *tensors),
        )


class QuantileAccumulator(Trackable):
    """A sketch of the values of a feature, and the boundaries of buckets that were made of one round's values.

    Args:
        init_stamp_token: the stamp of the first round.
        epsilon: by how much ranks may be wrong, as a share of the weight.
        num_quantiles: how many boundaries.
        max_elements: how many values may come.
        name: a name for it, which it has to have.
        container: where the session keeps it.
        generate_quantiles: whether there are exactly as many boundaries.

    Example:
        >>> from headrace.contrib.boosted_trees.python.ops.quantile_ops import QuantileAccumulator
        >>> sketch = QuantileAccumulator(0, epsilon=0.1, num_quantiles=3, name="heights")
        >>> add = sketch.add_summary(0, column=tf.constant([[1.5], [1.8]]), example_weights=tf.ones([2, 1]))
        >>> flush = sketch.flush(stamp_token=0, next_stamp_token=1)
        >>> are_ready, buckets = sketch.get_buckets(stamp_token=1)
    """

    def __init__(
        self,
        init_stamp_token: TensorLike,
        epsilon: float,
        num_quantiles: int,
        max_elements: int | None = None,
        name: str | None = None,
        container: str | None = None,
        generate_quantiles: bool = False,
    ) -> None:
        self._init_stamp_token, self._epsilon, self._num_quantiles = init_stamp_token, epsilon, num_quantiles
        self._max_elements, self._container, self._generate_quantiles = max_elements, container, generate_quantiles
        most = {} if max_elements is None else {"max_elements": max_elements}
        with name_scope(_NO_WORD.sub("", name) if name else None, "QuantileAccumulator") as scope:
            self._name = scope
            self.resource_handle = raw.QuantileStreamResourceHandleOp(
                container=container or "", shared_name=scope, name=scope
            )
            self._initializer = raw.CreateQuantileAccumulator(
                self.resource_handle,
                init_stamp_token,
                epsilon=epsilon,
                num_quantiles=num_quantiles,
                generate_quantiles=generate_quantiles,
                **most,
            )
            register_resource(self.resource_handle, self._initializer, self.is_initialized())
        self._saveable = QuantileAccumulatorSaveable(self.resource_handle, self._initializer, self._name)
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    @property
    def initializer(self) -> Operation:
        """The operation that makes it."""
        return self._initializer

    @property
    def saveable(self) -> QuantileAccumulatorSaveable:
        """How savers save it."""
        return self._saveable

    def is_initialized(self) -> Tensor:
        """Whether it has been made, as a tensor."""
        return raw.QuantileAccumulatorIsInitialized(self.resource_handle)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"quantile_accumulator": lambda name=None: self._saveable}

    def get_buckets(self, stamp_token: TensorLike) -> tuple[Tensor, Tensor]:
        """Whether there are boundaries for the round of this stamp, and the boundaries."""
        ready, buckets = raw.QuantileAccumulatorGetBuckets([self.resource_handle], stamp_token)
        return _only(ready), _only(buckets)

    def schedule_get_buckets(self) -> ScheduledStampedResourceOp:
        """As `get_buckets`, to run with that of other sketches."""
        return ScheduledStampedResourceOp(self.resource_handle, raw.QuantileAccumulatorGetBuckets)

    def _make_summary(self, column: Tensor | SparseTensor, example_weights: TensorLike) -> Tensor:
        if isinstance(column, SparseTensor):
            dense: list[Tensor] = []
            sparse = [column.indices], [column.values], [column.dense_shape]
        else:
            dense, sparse = [column], ([], [], [])
        found = raw.MakeQuantileSummaries(dense, *sparse, example_weights, epsilon=self._epsilon)
        return _only(found[bool(sparse[0])])

    def add_summary(
        self, stamp_token: TensorLike, column: Tensor | SparseTensor, example_weights: TensorLike
    ) -> Operation:
        """The operation that takes the values of a batch into account.

        Args:
            stamp_token: the stamp of the round; values of another round do not count.
            column: a matrix of values, or a sparse one.
            example_weights: the weights of the examples, of shape [examples, 1].
        """
        return self.add_prebuilt_summary(stamp_token, self._make_summary(column, example_weights))

    def add_prebuilt_summary(self, stamp_token: TensorLike, summary: TensorLike) -> Operation:
        """The operation that takes a summary into account, a serialized `QuantileSummaryState`."""
        return raw.QuantileAccumulatorAddSummaries([self.resource_handle], stamp_token, [summary])

    def schedule_add_summary(
        self, stamp_token: TensorLike | None, column: Tensor | SparseTensor, example_weights: TensorLike
    ) -> ScheduledStampedResourceOp:
        """As `add_summary`, to run with that of other sketches; the stamp is that of the run."""
        summary = self._make_summary(column, example_weights)
        return ScheduledStampedResourceOp(self.resource_handle, raw.QuantileAccumulatorAddSummaries, summaries=summary)

    def flush(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> Operation:
        """The operation that ends a round: it makes boundaries of what has come, and forgets it."""
        return raw.QuantileAccumulatorFlush(self.resource_handle, stamp_token, next_stamp_token)

    def flush_summary(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> Tensor:
        """Ends a round: gives the summary of what has come, and forgets it."""
        return raw.QuantileAccumulatorFlushSummary(self.resource_handle, stamp_token, next_stamp_token)


def _only(tensors: Tensor | list[Tensor]) -> Tensor:
    return tensors if isinstance(tensors, Tensor) else tensors[0]
