"""The state of boosted trees in a session: the ensemble, and the quantiles of features; both are saved in checkpoints."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.checkpoints.tracking import Trackable
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.sessions.resources import register_resource

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike


class PruningMode(enum.IntEnum):
    """When splits that lose are dropped: never, before they are made, or after a tree is finished."""

    NO_PRUNING = 0
    PRE_PRUNING = 1
    POST_PRUNING = 2

    @classmethod
    def from_str(cls, mode: str) -> PruningMode:
        """The mode that users call "none", "pre" or "post".

        Raises:
            ValueError: for another word.
        """
        modes = {"none": cls.NO_PRUNING, "pre": cls.PRE_PRUNING, "post": cls.POST_PRUNING}
        if mode not in modes:
            raise ValueError(f"pruning_mode mode must be one of: {', '.join(sorted(modes))}, got {mode!r}")
        return modes[mode]


class _ResourceSaveable(SaveableObject):
    """A resource that is saved as tensors.

    Args:
        handle: its handle.
        create_op: what makes it, which restoring waits for.
        specs: what is saved.
        name: the name it is saved under.
        restored: makes the operation that takes the tensors back.
    """

    def __init__(
        self,
        handle: Tensor,
        create_op: Operation,
        specs: Sequence[SaveSpec],
        name: str,
        restored: Callable[[Sequence[Tensor]], Operation],
    ) -> None:
        super().__init__(handle, specs, name)
        self._create_op, self._restored = create_op, restored

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None) -> Operation:
        """The operation that gives the resource what was saved."""
        with self._create_op.graph.control_dependencies([self._create_op]):
            return self._restored(restored_tensors)


class TreeEnsemble(Trackable):
    """An ensemble of trees in a session.

    Args:
        name: a name for it.
        stamp_token: its first stamp, which changes with each change of the trees.
        is_local: whether it belongs to one worker.
        serialized_proto: the trees to begin with, as a serialized `TreeEnsemble` message.

    Example:
        >>> ensemble = TreeEnsemble("trees")
        >>> stamp, trees, finished, layers, nodes = ensemble.get_states()
    """

    def __init__(
        self, name: str, stamp_token: int = 0, is_local: bool = False, serialized_proto: bytes | str = ""
    ) -> None:
        with name_scope(name, "TreeEnsemble") as scope:
            self._name = scope
            self.resource_handle = raw.BoostedTreesEnsembleResourceHandleOp(container="", shared_name=name, name=scope)
            self._initializer = raw.BoostedTreesCreateEnsemble(self.resource_handle, stamp_token, serialized_proto)
            self._is_initialized = raw.IsBoostedTreesEnsembleInitialized(self.resource_handle)
            if not is_local:
                stamp, serialized = raw.BoostedTreesSerializeEnsemble(self.resource_handle)
                saved_as = self.resource_handle.name
                specs = [SaveSpec(stamp, "", f"{saved_as}_stamp"), SaveSpec(serialized, "", f"{saved_as}_serialized")]
                self._saveable = _ResourceSaveable(
                    self.resource_handle, self._initializer, specs, saved_as, lambda tensors: self.deserialize(*tensors)
                )
                add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)
            register_resource(self.resource_handle, self._initializer, self._is_initialized, is_shared=not is_local)

    @property
    def initializer(self) -> Operation:
        """The operation that makes it."""
        return self._initializer

    def is_initialized(self) -> Tensor:
        """Whether it has been made, as a tensor."""
        return self._is_initialized

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"tree_ensemble": lambda name=None: self._saveable}

    def get_stamp_token(self) -> Tensor:
        """The stamp of the trees."""
        return raw.BoostedTreesGetEnsembleStates(self.resource_handle)[0]

    def get_states(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The stamp, the counts of trees, finished trees and attempted layers, and the range of the last layer's nodes."""
        stamp, trees, finalized, layers, nodes = raw.BoostedTreesGetEnsembleStates(self.resource_handle)
        return (
            raw.Identity(stamp, name="stamp_token"),
            raw.Identity(trees, name="num_trees"),
            raw.Identity(finalized, name="num_finalized_trees"),
            raw.Identity(layers, name="num_attempted_layers"),
            raw.Identity(nodes, name="last_layer_nodes_range"),
        )

    def serialize(self) -> tuple[Tensor, Tensor]:
        """The stamp and the serialized trees."""
        return tuple(raw.BoostedTreesSerializeEnsemble(self.resource_handle))

    def deserialize(self, stamp_token: TensorLike, serialized_proto: TensorLike) -> Operation:
        """The operation that takes other trees.

        Args:
            stamp_token: their stamp.
            serialized_proto: a serialized `TreeEnsemble` message.
        """
        return raw.BoostedTreesDeserializeEnsemble(self.resource_handle, stamp_token, serialized_proto)


class QuantileAccumulator(Trackable):
    """Quantile sketches of features in a session, and the boundaries of buckets that were made of them.

    Args:
        epsilon: by how much ranks may be wrong, as a share of the weight.
        num_streams: how many features.
        num_quantiles: how many buckets.
        name: a name for it.
        max_elements: how many values may come.

    Example:
        >>> quantiles = QuantileAccumulator(0.01, num_streams=2, num_quantiles=100)
        >>> heights, widths = tf.constant([1.7, 1.8]), tf.constant([0.4, 0.5])
        >>> add = quantiles.add_summaries([heights, widths], example_weights=[1.0, 1.0])
    """

    def __init__(
        self,
        epsilon: float,
        num_streams: int,
        num_quantiles: int,
        name: str | None = None,
        max_elements: int | None = None,
    ) -> None:
        self._eps, self._num_streams, self._num_quantiles = epsilon, num_streams, num_quantiles
        with name_scope(name, "QuantileAccumulator") as scope:
            self._name = scope
            self.resource_handle = raw.BoostedTreesQuantileStreamResourceHandleOp(
                container="", shared_name=scope.rstrip("/"), name=scope
            )
            most = {} if max_elements is None else {"max_elements": max_elements}
            self._initializer = raw.BoostedTreesCreateQuantileStreamResource(
                self.resource_handle, epsilon, num_streams, **most
            )
            self._is_initialized = raw.IsBoostedTreesQuantileStreamResourceInitialized(self.resource_handle)
        saved_as = self.resource_handle.name
        specs = [
            SaveSpec(boundaries, "", f"{saved_as}_bucket_boundaries_{number}")
            for number, boundaries in enumerate(self.get_bucket_boundaries())
        ]
        self._saveable = _ResourceSaveable(
            self.resource_handle,
            self._initializer,
            specs,
            saved_as,
            lambda tensors: raw.BoostedTreesQuantileStreamResourceDeserialize(self.resource_handle, list(tensors)),
        )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)
        register_resource(self.resource_handle, self._initializer, self._is_initialized)

    @property
    def initializer(self) -> Operation:
        """The operation that makes it."""
        return self._initializer

    @property
    def saveable(self) -> SaveableObject:
        """How savers save it."""
        return self._saveable

    def is_initialized(self) -> Tensor:
        """Whether it has been made, as a tensor."""
        return self._is_initialized

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"quantile_accumulator": lambda name=None: self._saveable}

    def add_summaries(self, float_columns: Sequence[Tensor], example_weights: TensorLike) -> Operation:
        """The operation that takes the values of a batch into account.

        Args:
            float_columns: a vector of values for each feature.
            example_weights: a vector of weights, or of one weight for all.
        """
        summaries = raw.BoostedTreesMakeQuantileSummaries(float_columns, example_weights, self._eps)
        return raw.BoostedTreesQuantileStreamResourceAddSummaries(self.resource_handle, _listed(summaries))

    def flush(self) -> Operation:
        """The operation that makes the boundaries of buckets of what has come, and forgets it."""
        return raw.BoostedTreesQuantileStreamResourceFlush(self.resource_handle, self._num_quantiles)

    def get_bucket_boundaries(self) -> list[Tensor]:
        """The boundaries, a vector for each feature."""
        return _listed(
            raw.BoostedTreesQuantileStreamResourceGetBucketBoundaries(
                self.resource_handle, num_features=self._num_streams
            )
        )


def _listed(tensors: Any) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)
