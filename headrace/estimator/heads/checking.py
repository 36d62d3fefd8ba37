"""What heads check: logits, labels, weights, ranges of labels, loss functions and other arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.core.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.feature_column.base import TransformationCache
from headrace.feature_column.numeric import NumericColumn, numeric_column
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.checks import assert_equal, assert_greater, assert_less_equal, assert_non_negative
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.reduction import reduce_all, reduce_any
from headrace.keras.utils.losses_utils import ReductionV2
from headrace.kernels.composing import concat, expand_dims, shape
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import ones_like, zeros_like
from headrace.ops.array.slice import slice as slice_
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.cast import to_float
from headrace.util.inspection import fn_args

LossFn = Callable[..., Any]


def check_logits_final_dim(logits: Any, expected_logits_dimension: int | Tensor | None) -> Tensor:
    """Logits as a tensor whose last dimension is the expected one.

    Raises:
        ValueError: if it is known to be another; InvalidArgumentError when run, if it turns out to be.
    """
    with name_scope(None, "logits", (logits,)) as scope:
        logits = to_float(logits)
        sizes = shape(logits)
        text = f"logits shape must be [D0, D1, ... DN, logits_dimension={expected_logits_dimension}], got "
        at_least_matrix = assert_rank_at_least(logits, 2, data=[sizes], message=text)
        with control_dependencies([at_least_matrix]):
            if expected_logits_dimension is not None and logits.shape.ndims is not None:
                last = logits.shape[-1].value
                # A tensor's value is that of a step, and so is an unknown size: TensorFlow takes both as they are.
                if (
                    last is not None
                    and last != expected_logits_dimension
                    and not isinstance(expected_logits_dimension, Tensor)
                ):
                    raise ValueError(f"{text}{logits.shape}.")
                return logits
            if expected_logits_dimension is None:
                return identity(logits, name=scope)
            told: Any = [text, sizes]
            fits = assert_equal(expected_logits_dimension, sizes[-1], data=told)
            with control_dependencies([fits]):
                return identity(logits, name=scope)


def split_logits(logits: Any, sizes: Mapping[str, int]) -> dict[str, Tensor]:
    """Logits of several heads in one tensor, parted in its last dimension.

    Args:
        logits: the tensor.
        sizes: from the name of a head to how many of the last dimension are its own, in their order.

    Raises:
        ValueError: if the last dimension is known to have another size than all together.
    """
    parts: dict[str, Tensor] = {}
    begin = 0
    with name_scope(None, "split_logits", (logits,)):
        logits = convert_to_tensor(logits)
        last = logits.shape[-1].value if logits.shape.ndims else None
        if last is not None and last != sum(sizes.values()):
            raise ValueError(
                f"Could not split logits of shape {logits.shape.as_list()} among the heads with individual logits dimensions: "
                f"{list(sizes.values())}. The last dimension of the logits tensor should equal {sum(sizes.values())} but is "
                f"{last}."
            )
        batch = shape(logits)[:-1]
        from_the_first, to_the_last = zeros_like(batch), -1 * ones_like(batch)
        for name, size in sizes.items():
            start = concat([from_the_first, [begin]], axis=0)
            parts[name] = slice_(logits, start, concat([to_the_last, [size]], axis=0))
            begin += size
    return parts


def check_labels(labels: Any, logits: Tensor, expected_labels_dimension: int, sizes_first: bool = False) -> Tensor:
    """Labels as a dense tensor of the shape of the logits but for the last dimension, which is `expected_labels_dimension`.

    Args:
        labels, logits: the tensors.
        expected_labels_dimension: the last dimension.
        sizes_first: whether the operations of the shapes come before those of the check of the rank.

    Raises:
        ValueError: if there are none, they are sparse, or their shape is known not to fit; InvalidArgumentError when run.
    """
    expected = expected_labels_dimension
    if labels is None:
        raise ValueError("You must provide a labels Tensor. Given: None. Look whether your input_fn returns labels.")
    with name_scope(None, "labels", (labels, logits)) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            raise ValueError(
                f"SparseTensor labels are not supported. Labels must be a Tensor of shape [D0, D1, ..., DN, {expected}], e.g. "
                f"[batch_size, {expected}]. Make them one with tf.sparse_tensor_to_dense() in your input_fn."
            )
        known, of_logits = labels.shape.ndims, logits.shape.ndims
        if known is not None and of_logits is not None and known == of_logits - 1:
            labels = expand_dims(labels, -1)
        sizes = shape(labels) if sizes_first else None
        sizes_of_logits = shape(logits) if sizes_first else None
        text = (
            f"labels shape must be [D0, D1, ... DN, {expected}]. Look at the n_classes of the head and at the labels."
        )
        at_least_matrix = assert_rank_at_least(labels, 2, message=text)
        with control_dependencies([at_least_matrix]):
            last = labels.shape[-1].value if labels.shape.ndims else None
            if last is not None and last != expected:
                raise ValueError(
                    f"Mismatched label shape. Expected labels dimension={expected}.  Received {last}. Look at the n_classes "
                    "of the estimator, if labels are one-hot, or at the shape of the labels."
                )
            sizes_of_logits = shape(logits) if sizes_of_logits is None else sizes_of_logits
            wanted = concat([sizes_of_logits[:-1], [expected]], axis=0)
            sizes = shape(labels) if sizes is None else sizes
            data: Any = ["expected_labels_shape: ", wanted, "labels_shape: ", sizes]
            fits = assert_equal(wanted, sizes, message=text, data=data)
            with control_dependencies([fits]):
                return identity(labels, name=scope)


def check_label_range(labels: Tensor, n_classes: int | Tensor, message: str, scope: str = "assert_range") -> Tensor:
    """Labels that are at least 0 and less than `n_classes`, which is asserted when they are used."""
    with name_scope(None, scope, (labels,)):
        highest = convert_to_tensor(n_classes - 1, dtype=labels.dtype)
        below = assert_less_equal(labels, highest, message=message)
        positive = assert_non_negative(labels, message=message.replace("<= n_classes - 1", ">= 0"))
        with control_dependencies((below, positive)):
            return identity(labels)


def weights_of(features: Any, weight_column: Any, logits: Tensor, allow_per_logit_weights: bool = False) -> Any:
    """The weights of examples: a tensor that fits the logits, or 1.0 without a column.

    Args:
        features: from key to tensor.
        weight_column: a key, a numeric column, or None.
        logits: the logits.
        allow_per_logit_weights: whether each logit may have its own.

    Raises:
        TypeError: for another column; ValueError: if the weights are no numbers.
    """
    known = "[D0, D1, ... DN] or [D0, D1, ... DN, 1]"
    if allow_per_logit_weights:
        known = "[D0, D1, ... DN], [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]"
    text = f"weights shape must be {known}"
    if weight_column is None:
        return 1.0
    values = tuple(features.values()) if isinstance(features, Mapping) else (features,)
    with name_scope(None, "weights", (*values, logits)) as scope:
        if isinstance(weight_column, str):
            weight_column = numeric_column(key=weight_column, shape=(1,))
        if not isinstance(weight_column, NumericColumn):
            raise TypeError(
                f"Weight column must be either a string or NumericColumn. Given type: {type(weight_column)}."
            )
        weights = weight_column._get_dense_tensor(TransformationCache(features))
        if not (weights.dtype.is_floating or weights.dtype.is_integer):
            raise ValueError(f"Weight column should be castable to float. Given dtype: {weights.dtype}")
        return _fitting_weights(to_float(weights, name="weights"), logits, text, allow_per_logit_weights, scope)


def _fitting_weights(weights: Tensor, logits: Tensor, text: str, per_logit: bool, scope: str) -> Tensor:
    sizes, sizes_of_logits = shape(weights, name="weights_shape"), shape(logits, name="logits_shape")
    data: Any = ["logits_shape: ", sizes_of_logits, "weights_shape: ", sizes]
    known, of_logits = weights.shape.ndims, logits.shape.ndims
    if known is not None and of_logits is not None and known == of_logits - 1:
        fits = assert_equal(sizes_of_logits[:-1], sizes, message=text, data=data)
        with control_dependencies([fits]):
            return expand_dims(weights, -1, name=scope)
    wanted = concat([sizes_of_logits[:-1], [1]], axis=0)
    if per_logit:
        either = reduce_any([reduce_all(raw.Equal(sizes_of_logits, sizes)), reduce_all(raw.Equal(wanted, sizes))])
        fits = Assert(either, data=[text, *data])
    else:
        fits = assert_equal(wanted, sizes, message=text, data=data)
    with control_dependencies([fits]):
        return identity(weights, name=scope)


# ---- loss functions ----


def check_loss_fn(loss_fn: LossFn | None) -> None:
    """Raises ValueError unless a function takes `labels` and `logits`, and else only `features` and `loss_reduction`."""
    if loss_fn is None:
        return
    found = fn_args(loss_fn)
    for needed in ("labels", "logits"):
        if needed not in found:
            raise ValueError(f"loss_fn must contain argument: {needed}. Given arguments: {found}")
    others = sorted(set(found) - {"labels", "logits", "features", "loss_reduction"})
    if others:
        raise ValueError(f"loss_fn has unexpected args: {others}")


def call_loss_fn(loss_fn: LossFn, labels: Tensor, logits: Tensor, features: Any, expected_loss_dim: int = 1) -> Tensor:
    """The losses that a function gives, whose shape is checked when they are used: [D0, …, DN, expected_loss_dim]."""
    more = {"features": features} if "features" in fn_args(loss_fn) else {}
    with name_scope(None, "call_loss_fn", (labels, logits, features)):
        losses = convert_to_tensor(loss_fn(labels=labels, logits=logits, **more))
        sizes_of_logits = shape(logits, name="logits_shape")
        wanted = concat([sizes_of_logits[:-1], [expected_loss_dim]], axis=0, name="expected_loss_shape")
        sizes = shape(losses, name="loss_shape")
        text = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {expected_loss_dim}]. "
        data = [text, "logits_shape: ", sizes_of_logits, "loss_shape: ", sizes]
        fits = Assert(reduce_all(raw.Equal(sizes, wanted)), data=data, name="check_loss_shape")
        with control_dependencies([fits]):
            return identity(losses)


# ---- other arguments ----


def check_loss_reduction(loss_reduction: str) -> None:
    """Raises ValueError unless a reduction is one of Keras that gives a scalar."""
    if loss_reduction not in ReductionV2.all() or loss_reduction == ReductionV2.NONE:
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}. See `tf.losses.Reduction` for valid options.")


def checked_n_classes(n_classes: int | Tensor | None) -> int | Tensor:
    """A number of classes, as it is given.

    Raises:
        ValueError: for 2 and less, or None. Of a tensor this is asserted: InvalidArgumentError, at once if its value is known.
        TypeError: for what is no integer.
    """
    if n_classes is None:
        raise ValueError("n_classes cannot be None")
    if isinstance(n_classes, int) and n_classes <= 2:
        raise ValueError(f"n_classes must be > 2: {n_classes}.")
    # TensorFlow checks it in the graph, too: seeds of what comes after these operations count on their number.
    more_than_two = assert_greater(convert_to_tensor(n_classes), 2, message="n_classes must be greater than 2")
    with control_dependencies([more_than_two]):
        no_op()
    return n_classes


def check_thresholds(thresholds: Sequence[float]) -> None:
    """Raises ValueError for a threshold that is not between 0 and 1."""
    for threshold in thresholds:
        if threshold <= 0.0 or threshold >= 1.0:
            raise ValueError(f"thresholds not in (0, 1): {tuple(thresholds)}.")


def check_vocabulary(label_vocabulary: Sequence[str] | None) -> None:
    """Raises ValueError unless a vocabulary is a list or a tuple."""
    if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
        raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}")


def check_keys(pred_keys: Sequence[str], valid_keys: Sequence[str]) -> None:
    """Raises ValueError for a key of predictions that the head does not make."""
    for key in pred_keys:
        if key not in valid_keys:
            raise ValueError(
                f"Prediction key must be in PredictionKeys, given: {key}. Valid prediction keys include {valid_keys}."
            )


def checked_list(values: Any, what: str) -> Any:
    """A list or tuple, or None.

    Raises:
        ValueError: for something else.
    """
    if values is not None and not isinstance(values, (list, tuple, set)):
        raise ValueError(f"{what} should be a list or a tuple. Given type: {type(values)}.")
    return values
