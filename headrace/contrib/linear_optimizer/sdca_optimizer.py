"""Stochastic dual coordinate ascent for feature columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.feature_columns import _BucketizedColumn, _CrossedColumn, _RealValuedColumn
from headrace.contrib.layers.sparse_columns import _SparseColumn, _WeightedSparseColumn
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.linear_optimizer.sdca_model import SdcaModel
from headrace.estimator.linear_optimizer.sparse_features import SparseFeatureColumn, feature_of_classes
from headrace.functions.flow.assertion import Assert
from headrace.kernels.composing import cast, ones, rank, shape
from headrace.ops.array.split import split
from headrace.ops.array.where import where

if TYPE_CHECKING:
    from headrace.core.typing import Partitioner, TensorLike


class SDCAOptimizer:
    """An optimizer for linear models over feature columns, by stochastic dual coordinate ascent.

    Args:
        example_id_column: the name of the feature that tells examples apart, strings.
        num_loss_partitions: how many train at once.
        num_table_shards: in how many parts the table with what is known of examples is; 1 by default.
        symmetric_l1_regularization, symmetric_l2_regularization: how much weights cost.
        adaptive: whether examples are drawn by how much they can gain.
        partitioner: how weights are partitioned; for who makes them.

    Example:
        >>> age, ages = tf.contrib.layers.real_valued_column("age"), tf.constant([[20.0], [30.0]])
        >>> features = {age: ages, "id": tf.constant(["a", "b"])}
        >>> optimizer = tf.contrib.linear_optimizer.SDCAOptimizer("id", symmetric_l2_regularization=2.0)
        >>> model, train = optimizer.get_train_step(
        ...     {age: [tf.Variable([[0.0]])]}, None, "logistic_loss", features, tf.constant([[0.0], [1.0]]), global_step
        ... )
    """

    def __init__(
        self,
        example_id_column: str,
        num_loss_partitions: int = 1,
        num_table_shards: int | None = None,
        symmetric_l1_regularization: float = 0.0,
        symmetric_l2_regularization: float = 1.0,
        adaptive: bool = True,
        partitioner: Partitioner | None = None,
    ) -> None:
        self.example_id_column = example_id_column
        self.num_loss_partitions = num_loss_partitions
        self.num_table_shards = num_table_shards
        self.symmetric_l1_regularization = symmetric_l1_regularization
        self.symmetric_l2_regularization = symmetric_l2_regularization
        self.adaptive = adaptive
        self.partitioner = partitioner

    def get_name(self) -> str:
        """What models call it."""
        return "SDCAOptimizer"

    def get_train_step(
        self,
        columns_to_variables: Mapping[Any, Sequence[Any]],
        weight_column_name: str | None,
        loss_type: str,
        features: Mapping[Any, Any],
        targets: Tensor,
        global_step: TensorLike,
    ) -> tuple[SdcaModel, Operation]:
        """A model over the columns, and the operation that trains it.

        Args:
            columns_to_variables: feature column to its weights: one variable, or its parts.
            weight_column_name: the feature with the examples' weights; None for ones.
            loss_type: see `SdcaModel`.
            features: name, and feature column, to tensor.
            targets: the labels.
            global_step: a variable that is increased by 1.

        Raises:
            ValueError: for a kind of column it does not know.
        """
        batch_size = targets.get_shape().as_list()[0]
        dense: list[tuple[Any, Any]] = []
        sparse: list[tuple[Any, Any]] = []
        for column in sorted(columns_to_variables, key=lambda c: c.key):
            variables, found = columns_to_variables[column], features[column]
            if isinstance(column, _RealValuedColumn):
                dense.append((_as_matrix(found), variables[0]))
                continue
            if isinstance(column, _BucketizedColumn):
                described = _of_matrix(column._to_dnn_input_layer(found))
            elif isinstance(column, _WeightedSparseColumn):
                weights = column.weight_tensor(found)
                described = feature_of_classes(column.id_tensor(found), raw.Reshape(weights.values, [-1]))  # type: ignore[union-attr]  # such a column has weights
            elif isinstance(column, (_CrossedColumn, _SparseColumn)):
                described = feature_of_classes(found, ones([shape(found.indices)[0]]))
            else:
                raise ValueError(f"SDCAOptimizer does not support column type {type(column).__name__}.")
            sparse.append((described, variables[0] if len(variables) == 1 else list(variables)))
        if weight_column_name:
            example_weights = raw.Reshape(features[weight_column_name], [-1])
        else:
            example_weights = ones([batch_size])
        examples = {
            "sparse_features": [feature for feature, _ in sparse],
            "dense_features": [feature for feature, _ in dense],
            "example_labels": cast(raw.Reshape(targets, [-1]), float32),
            "example_weights": example_weights,
            "example_ids": features[self.example_id_column],
        }
        trained = {
            "sparse_features_weights": [variables for _, variables in sparse],
            "dense_features_weights": [variables for _, variables in dense],
        }
        options = {
            "symmetric_l1_regularization": self.symmetric_l1_regularization,
            "symmetric_l2_regularization": self.symmetric_l2_regularization,
            "adaptive": self.adaptive,
            "num_loss_partitions": self.num_loss_partitions,
            "num_table_shards": self.num_table_shards,
            "loss_type": loss_type,
        }
        model = SdcaModel(examples=examples, variables=trained, options=options)
        return model, model.minimize(global_step=global_step)


def _as_matrix(numbers: Tensor) -> Tensor:
    """A real-valued feature as [n, size]."""
    check = Assert(raw.LessEqual(rank(numbers), 2), ["transformed_tensor should have rank at most 2."])
    with control_dependencies([check]):
        return raw.Reshape(numbers, [shape(numbers)[0], -1])


def _of_matrix(matrix: Tensor) -> SparseFeatureColumn:
    """The elements of a matrix that are not zero."""
    places = where(raw.NotEqual(matrix, cast(0.0, matrix.dtype)))
    values = raw.GatherNd(matrix, places)
    rows, columns = (raw.Reshape(split(value=places, num_or_size_splits=2, axis=1)[axis], [-1]) for axis in range(2))
    return SparseFeatureColumn(rows, columns, raw.Reshape(cast(values, float32), [-1]))
