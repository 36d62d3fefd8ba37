"""`SequentialHeadWrapper`: a head for each step of sequences."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import bool as bool_
from headrace.core.dtypes import int32, int64
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.estimator.heads.base_head import Head, Metrics
from headrace.estimator.heads.multi_head import MultiHead
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.functions.array.where import boolean_mask
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.kernels.composing import expand_dims
from headrace.kernels.composing import shape as shape_of
from headrace.kernels.composing.arranging import identity
from headrace.ops.math.cast import cast
from headrace.ops.sparse.reshape import sparse_reorder


class SequentialHead(Head):
    """A head whose logits are [batch, steps, ...], and that needs to know which steps there are."""

    @property
    @abc.abstractmethod
    def input_sequence_mask_key(self) -> str:
        """The key of the feature that says which steps there are."""


class SequentialHeadWrapper(SequentialHead):
    """A head that sees the steps of all sequences of a batch as so many examples.

    Args:
        static_head: the head of a step; no `MultiHead`.
        sequence_length_mask: the key of the feature that says which steps there are, [batch, steps].
        feature_columns: the keys of the features, such as weights, that have a value for each step too.

    Raises:
        TypeError: if a key is no string; ValueError: for a `MultiHead`.
    """

    def __init__(
        self,
        static_head: Head,
        sequence_length_mask: str = "sequence_length_mask",
        feature_columns: str | Iterable[str] | None = None,
    ) -> None:
        if not isinstance(sequence_length_mask, str):
            raise TypeError(f"`sequence_mask` column must be a string. Given type: {type(sequence_length_mask)}.")
        keys: list[str] = []
        if isinstance(feature_columns, str):
            keys = [feature_columns]
        elif feature_columns is not None and not isinstance(feature_columns, Iterable):
            raise TypeError(
                f"`feature_columns` must be either a string or an iterable of strings got {type(feature_columns)} instead."
            )
        elif feature_columns is not None:
            keys = list(feature_columns)
        for key in keys:
            if not isinstance(key, str):
                raise TypeError(f"Column must a string. Given type: {type(key)}.")
        if isinstance(static_head, MultiHead):
            raise ValueError("`MultiHead` is not supported with `SequentialHeadWrapper`.")
        self._mask_key, self._keys, self._static_head = sequence_length_mask, keys, static_head

    def _flatten(self, labels: Any, logits: Any, features: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        """Labels, logits and features of the steps that there are.

        Raises:
            ValueError: if the mask or a feature is missing, or the mask is no matrix.
        """
        if self._mask_key not in features:
            raise ValueError(
                f"The provided sequence_length_mask key `{self._mask_key}` should be included in the features dictionary, but "
                f"was not found. Found keys: {list(features)}."
            )
        with name_scope(None, "flatten", (labels, logits, *features.values())):
            mask = cast(features[self._mask_key], bool_)
            if len(mask.shape) != 2:
                raise ValueError(f"Mask is expected to have two dimensions, got {len(mask.shape)} instead.")
            count = reduce_sum(cast(mask, int32))
            flat_labels = flatten_tensor(labels, mask, count)
            flat_logits = flatten_tensor(logits, mask, count)
            kept = {}
            for key in self._keys:
                if key not in features:
                    raise ValueError(f"`{key}` column expected in features dictionary.")
                kept[key] = flatten_tensor(features[key], mask, count)
        return flat_labels, flat_logits, kept

    @property
    def logits_dimension(self) -> int:
        """That of a step."""
        return self._static_head.logits_dimension

    @property
    def loss_reduction(self) -> str:
        """How the losses of all steps become one."""
        return self._static_head.loss_reduction

    @property
    def name(self) -> str:
        """The name of the head of a step, and that it is sequential."""
        name = self._static_head.name
        return f"{name}_sequential" if name else "sequential_head"

    @property
    def static_head(self) -> Head:
        """The head of a step."""
        return self._static_head

    @property
    def input_sequence_mask_key(self) -> str:
        """The key of the feature that says which steps there are."""
        return self._mask_key

    def loss(  # type: ignore[override]  # the order of 1.15's wrapper, which differs from its base's
        self,
        logits: Any,
        labels: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> Tensor:
        """The loss of the steps of a batch; arguments as of `Head.loss`."""
        flat_labels, flat_logits, kept = self._flatten(labels, logits, features)
        return self._static_head.loss(
            logits=flat_logits,
            labels=flat_labels,
            features=kept,
            mode=mode,
            regularization_losses=regularization_losses,
        )

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        update_ops: Sequence[Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """What a model function returns; arguments as of `Head.create_estimator_spec`. Predictions have the mask."""
        if mode == ModeKeys.PREDICT:
            spec = self._static_head.create_estimator_spec(features=features, mode=mode, logits=logits)
            spec.predictions[self._mask_key] = features[self._mask_key]
            return spec._replace(predictions=spec.predictions)
        flat_labels, flat_logits, kept = self._flatten(labels, logits, features)
        return self._static_head.create_estimator_spec(
            features=kept,
            mode=mode,
            logits=flat_logits,
            labels=flat_labels,
            optimizer=optimizer,
            trainable_variables=trainable_variables,
            train_op_fn=train_op_fn,
            update_ops=update_ops,
            regularization_losses=regularization_losses,
        )

    def update_metrics(  # type: ignore[override]  # the order of 1.15's wrapper, which differs from its base's
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> Metrics:
        """Updates the metrics by the steps of a batch; arguments as of `Head.update_metrics`."""
        flat_labels, flat_logits, kept = self._flatten(labels, logits, features)
        return self._static_head.update_metrics(
            eval_metrics=eval_metrics,
            features=kept,
            logits=flat_logits,
            labels=flat_labels,
            regularization_losses=regularization_losses,
        )

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """The predictions of steps; arguments as of `Head.predictions`."""
        return self._static_head.predictions(logits, keys=keys)

    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects by name; arguments as of `Head.metrics`."""
        return self._static_head.metrics(regularization_losses)


def flatten_tensor(tensor: Any, sequence_mask: Tensor, expected_length: Any) -> Tensor:
    """The values of the steps that there are, [steps, ...] and at least a matrix.

    Args:
        tensor: dense or sparse, [batch, steps, ...].
        sequence_mask: bool [batch, steps].
        expected_length: how many steps there are, which is checked.

    Raises:
        ValueError: if the tensor is known to have less than 2 dimensions, or eagerly, if the mask has other steps.
        InvalidArgumentError: when the graph runs, if the mask has other steps.
    """
    shape = tensor.shape
    if shape.ndims is not None and shape.ndims < 2:
        raise ValueError(f"Input tensor expected to have at least 2 dimensions, got {shape.ndims} instead.")
    if isinstance(tensor, SparseTensor) and shape.ndims == 2:
        # The values of a sequence are its steps, whatever the mask says.
        flat = sparse_reorder(tensor).values
    elif isinstance(tensor, SparseTensor):
        flat = boolean_mask(sparse_tensor_to_dense(tensor), sequence_mask)
    else:
        flat = boolean_mask(tensor, sequence_mask)
    if flat.shape.ndims == 1:
        flat = expand_dims(flat, -1)
    text = "Tensor shape is incompatible with provided mask."
    if executing_eagerly():
        steps = flat.shape[0].value
        if steps != int(expected_length):
            raise ValueError(f"{text} It has {steps} steps, the mask {int(expected_length)}.")
        return flat
    with control_dependencies(
        [assert_equal(cast(shape_of(flat)[0], int64), cast(expected_length, int64), message=text)]
    ):
        return identity(flat)
