"""What feature columns of 1.x's first generation are, for columns that programs write: the methods its layers call.

The columns of `base` are both: they count as of these classes, and have these methods.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    IdWeightPair,
    Reading,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor
    from headrace.feature_column.base import Read, TransformationCache


class LegacyFeatureColumn(abc.ABC):
    """A function of features: raw ones by name, and other columns.

    Example:
        >>> class Doubled(LegacyDenseColumn):
        ...     name, _parse_example_spec = "doubled", {"x": tf.FixedLenFeature([1], tf.float32)}
        ...     _variable_shape = tf.TensorShape([1])
        ...     def _transform_feature(self, inputs):
        ...         return inputs.get("x") * 2.0
        ...     def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
        ...         return inputs.get(self)
        >>> tf.feature_column.input_layer({"x": [[1.0]]}, [Doubled()])
    """

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Its name, in those of its variables."""

    @abc.abstractmethod
    def _transform_feature(self, inputs: TransformationCache) -> Any:
        """What it makes of the features in a cache."""

    @property
    @abc.abstractmethod
    def _parse_example_spec(self) -> dict[str, Any]:
        """How the raw features lie in a `tf.Example`."""

    @property
    def _var_scope_name(self) -> str:
        return self.name

    # What columns that are made of it ask.

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """How the raw features lie in a `tf.Example`."""
        return self._parse_example_spec

    @property
    def parents(self) -> list[Any]:
        """None that are known."""
        return []

    @property
    def _is_v2_column(self) -> bool:
        return False

    def __lt__(self, other: object) -> bool:
        """By text, so that structures of columns and names have an order."""
        return str(self) < str(other)

    def __gt__(self, other: object) -> bool:
        return str(self) > str(other)


class LegacyDenseColumn(LegacyFeatureColumn):
    """A column of dense tensors, [batch, …]."""

    @property
    @abc.abstractmethod
    def _variable_shape(self) -> TensorShape:
        """The shape of an example's tensor."""

    @abc.abstractmethod
    def _get_dense_tensor(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> Tensor:
        """The tensor of a batch."""


class LegacyCategoricalColumn(LegacyFeatureColumn):
    """A column of classes, any number of them for an example."""

    @property
    @abc.abstractmethod
    def _num_buckets(self) -> int:
        """How many classes there are."""

    @property
    def num_buckets(self) -> int:
        """How many classes there are."""
        return self._num_buckets

    def _pair(self, read: Read) -> IdWeightPair:
        return self._get_sparse_tensors(Reading(read))

    @abc.abstractmethod
    def _get_sparse_tensors(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> IdWeightPair:
        """The classes of a batch, with their weights if it has any."""


class LegacySequenceDenseColumn(LegacyFeatureColumn):
    """A column of sequences of dense tensors."""

    @abc.abstractmethod
    def _get_sequence_dense_tensor(
        self,
        inputs: TransformationCache,
        weight_collections: Sequence[str] | None = None,
        trainable: bool | None = None,
    ) -> TensorSequenceLengthPair:
        """The sequences of a batch, and how long they are."""


_OWN_AND_LEGACY: list[tuple[Any, Any, Any]] = [
    (FeatureColumn, LegacyFeatureColumn, None),
    (DenseColumn, LegacyDenseColumn, None),
    (CategoricalColumn, LegacyCategoricalColumn, IdWeightPair),
    (SequenceDenseColumn, LegacySequenceDenseColumn, TensorSequenceLengthPair),
]
for _own, _legacy, _given in _OWN_AND_LEGACY:
    _legacy.register(_own)
    # Columns that programs write find in their class what they give.
    for _class in (_own, _legacy) if _given else ():
        setattr(_class, _given.__name__, _given)
