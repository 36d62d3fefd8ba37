"""Columns of counts of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    Read,
    SequenceDenseColumn,
    StateManager,
    TensorSequenceLengthPair,
)
from headrace.feature_column.sequences import (
    refuse_sequence,
    require_sequence,
    sequence_lengths,
)
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.sparse.building import sparse_merge, sparse_tensor_to_dense
from headrace.ops.array.scatter import scatter_nd
from headrace.ops.array.where import one_hot
from headrace.ops.sparse.slice import sparse_slice


class _IndicatorFields(NamedTuple):
    categorical_column: CategoricalColumn


class IndicatorColumn(DenseColumn, SequenceDenseColumn, _IndicatorFields):
    """How often an example has each class, or the sum of its weights; made by `indicator_column`."""

    @property
    def name(self) -> str:
        """That of the classes, and what is made of them."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def parents(self) -> list[Any]:
        """The column of the classes."""
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """That of the classes."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """A place for each class."""
        return TensorShape([1, self.categorical_column.num_buckets])

    def _transformed(self, read: Read, state_manager: StateManager | None) -> Tensor:
        ids, weights = self.categorical_column._pair(read)
        classes = self.variable_shape[-1].value
        assert classes is not None  # a number of buckets
        if weights is not None:
            merged = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=int(classes))
            # Classes that are none (-1) come out left of the first.
            merged = sparse_slice(merged, [0, 0], merged.dense_shape)
            return scatter_nd(merged.indices, merged.values, merged.dense_shape)
        dense = sparse_tensor_to_dense(ids, default_value=-1)
        return reduce_sum(one_hot(dense, depth=classes, on_value=1.0, off_value=0.0), axis=[-2])

    def get_dense_tensor(self, transformation_cache: Any, state_manager: StateManager | None) -> Tensor:
        """The counts of a batch.

        Raises:
            ValueError: for classes in sequence.
        """
        refuse_sequence(self, self.categorical_column, "indicator_column")
        return transformation_cache.get(self, state_manager)

    def _get_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> Tensor:
        refuse_sequence(self, self.categorical_column, "indicator_column", "_SequenceCategoricalColumn")
        return inputs.get(self)

    def get_sequence_dense_tensor(
        self, transformation_cache: Any, state_manager: StateManager | None
    ) -> TensorSequenceLengthPair:
        """The counts of each step, and how long the sequences are."""
        self._check_sequence()
        return self._sequence(lambda key: transformation_cache.get(key, state_manager))

    def _get_sequence_dense_tensor(
        self, inputs: Any, weight_collections: Sequence[str] | None = None, trainable: bool | None = None
    ) -> TensorSequenceLengthPair:
        self._check_sequence("_SequenceCategoricalColumn", "sequence_input_layer")
        return self._sequence(inputs.get)

    def _sequence(self, read: Read) -> TensorSequenceLengthPair:
        ids = self.categorical_column._pair(read).id_tensor
        return TensorSequenceLengthPair(read(self), sequence_lengths(ids))

    def _check_sequence(self, kind: str = "SequenceCategoricalColumn", user: str = "SequenceFeatures") -> None:
        require_sequence(self, self.categorical_column, "indicator_column", kind, user)

    def get_config(self) -> dict[str, Any]:
        """The fields."""
        return self._asdict()


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """A dense column of classes: how often an example has each, or the sum of its weights.

    Args:
        categorical_column: the classes.

    Example:
        >>> color = tf.feature_column.categorical_column_with_vocabulary_list("color", ["red", "green"])
        >>> tf.feature_column.input_layer({"color": [["red"], ["green"]]}, [tf.feature_column.indicator_column(color)])
    """
    return IndicatorColumn(categorical_column)
