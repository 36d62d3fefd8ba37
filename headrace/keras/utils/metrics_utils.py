"""What metrics share: how they are updated in graphs, and counts of right and wrong predictions at thresholds."""

from __future__ import annotations

import enum
import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.shapes import dimension_value
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_greater_equal, assert_less_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.ragged.splits import assert_splits_match
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.functions.weights import broadcast_weights
from headrace.keras.utils.generic_utils import to_list
from headrace.keras.utils.losses_utils import squeeze_or_expand_dimensions
from headrace.kernels import composing
from headrace.ops.array.where import one_hot
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.ops.nn.topk import top_k as top_values
from headrace.state.replication import get_replica_context, has_strategy, in_cross_replica_context

if TYPE_CHECKING:
    pass

# The threshold below all predictions, and what stands for those that are not among the largest.
NEG_INF = -1e10


class Reduction(enum.Enum):
    """What a metric makes of the values of batches."""

    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"
    WEIGHTED_MEAN = "weighted_mean"


class ConfusionMatrix(enum.Enum):
    """The four ways in which a prediction is right or wrong."""

    TRUE_POSITIVES = "tp"
    FALSE_POSITIVES = "fp"
    TRUE_NEGATIVES = "tn"
    FALSE_NEGATIVES = "fn"


class AUCCurve(enum.Enum):
    """The curves whose area `AUC` gives."""

    ROC = "ROC"
    PR = "PR"

    @staticmethod
    def from_str(key: str) -> AUCCurve:
        """The curve of a name.

        Raises:
            ValueError: for other names.
        """
        for curve in AUCCurve:
            if key in (curve.value, curve.value.lower()):
                return curve
        raise ValueError(f'Invalid AUC curve value "{key}".')


class AUCSummationMethod(enum.Enum):
    """How the area between two points of a curve is taken."""

    INTERPOLATION = "interpolation"
    MAJORING = "majoring"
    MINORING = "minoring"

    @staticmethod
    def from_str(key: str) -> AUCSummationMethod:
        """The method of a name.

        Raises:
            ValueError: for other names.
        """
        for method in AUCSummationMethod:
            if key in (method.value, method.value.capitalize()):
                return method
        raise ValueError(f'Invalid AUC summation method value "{key}".')


def update_state_wrapper(update_state_fn: Callable[..., Any]) -> Callable[..., Any]:
    """`update_state` of a metric, which adds the operation it returns to the metric's updates."""

    @functools.wraps(update_state_fn)
    def decorated(metric_obj: Any, *args: Any, **kwargs: Any) -> Any:
        update = update_state_fn(*args, **kwargs)
        if update is not None and not executing_eagerly():
            metric_obj.add_update(update)
        return update

    return decorated


def result_wrapper(result_fn: Callable[..., Any]) -> Callable[..., Any]:
    """`result` of a metric, which gives a tensor of its own."""

    @functools.wraps(result_fn)
    def decorated(metric_obj: Any, *args: Any) -> Any:
        def compute(*_: Any) -> Any:
            return raw.Identity(convert_to_tensor(result_fn(*args)))

        if has_strategy() and not in_cross_replica_context():
            # Of what all replicas have gathered.
            result = get_replica_context().merge_call(compute)
        else:
            result = compute()
        if not executing_eagerly():
            # What the functions of models fetch.
            object.__setattr__(metric_obj, "_call_result", result)
        return result

    return decorated


def weakmethod(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method as a function that does not keep its object alive.

    Raises:
        ReferenceError: when called after the object is gone.
    """
    owner = weakref.ref(method.__self__)  # type: ignore[attr-defined]  # methods have it
    function = method.__func__  # type: ignore[attr-defined]  # methods have it

    @functools.wraps(method)
    def inner(*args: Any, **kwargs: Any) -> Any:
        found = owner()
        if found is None:
            raise ReferenceError(f"The object of the method {function.__name__} is gone.")
        return function(found, *args, **kwargs)

    return inner


def assert_thresholds_range(thresholds: Sequence[Any] | None) -> None:
    """Raises ValueError unless all thresholds are numbers from 0 to 1."""
    invalid = [t for t in thresholds or () if t is None or t < 0 or t > 1]
    if invalid:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {invalid}")


def parse_init_thresholds(thresholds: Any, default_threshold: float = 0.5) -> list[Any]:
    """The thresholds that an argument stands for: a number, numbers, or None for the default.

    Raises:
        ValueError: if one is not from 0 to 1.
    """
    if thresholds is not None:
        assert_thresholds_range(to_list(thresholds))
    return to_list(default_threshold if thresholds is None else thresholds)


def _filter_top_k(x: Tensor, k: int) -> Tensor:
    """The k largest values of the last dimension, a number below all thresholds for the others."""
    _, places = top_values(x, k, sorted=False)
    classes = dimension_value(x.shape[-1]) or composing.shape(x)[-1]
    kept = reduce_sum(one_hot(places, classes, axis=-1), axis=-2)
    return x * kept + NEG_INF * (1 - kept)


def ragged_assert_compatible_and_get_flat_values(values: Any, mask: Any = None) -> tuple[Any, Any]:
    """The values of ragged tensors without their rows, which must be the same; other tensors as they are.

    Args:
        values: a tensor, or a list of tensors.
        mask: weights, or None.

    Returns:
        (values, mask).

    Raises:
        TypeError: if some are ragged and others not.
    """
    if not isinstance(values, list):
        (flat,), mask = ragged_assert_compatible_and_get_flat_values([values], mask)
        return flat, mask
    everything = values if mask is None else [*values, mask]
    ragged = [isinstance(value, RaggedTensor) for value in everything]
    if not any(ragged):
        return values, mask
    if not all(ragged):
        raise TypeError("One of the inputs does not have acceptable types.")
    checks = assert_splits_match([value.nested_row_splits for value in everything])
    with control_dependencies([] if executing_eagerly() else checks):
        flat_values = [composing.expand_dims(value.flat_values, -1) for value in everything]
    return flat_values[: len(values)], None if mask is None else flat_values[-1]


# Which labels and predictions each count is of: whether they are positive.
_COUNTED = {
    ConfusionMatrix.TRUE_POSITIVES: (True, True),
    ConfusionMatrix.FALSE_NEGATIVES: (True, False),
    ConfusionMatrix.FALSE_POSITIVES: (False, True),
    ConfusionMatrix.TRUE_NEGATIVES: (False, False),
}


def update_confusion_matrix_variables(
    variables_to_update: Mapping[ConfusionMatrix, Any] | None,
    y_true: Any,
    y_pred: Any,
    thresholds: Any,
    top_k: int | None = None,
    class_id: int | None = None,
    sample_weight: Any = None,
) -> Any:
    """Adds the right and wrong predictions of a batch at each threshold to variables.

    Args:
        variables_to_update: `ConfusionMatrix` to the variable of that count, with an element for each threshold.
        y_true: labels, cast to bool.
        y_pred: numbers from 0 to 1; those greater than a threshold are positive.
        thresholds: numbers.
        top_k: count only the so many largest predictions along the last dimension as positive.
        class_id: count only this place of the last dimension.
        sample_weight: what each prediction counts.

    Returns:
        the operation that updates all.

    Raises:
        ValueError: if there is no valid count, or shapes do not fit.
        InvalidArgumentError: when run, if a prediction is not from 0 to 1.
    """
    if variables_to_update is None:
        return None
    y_true, y_pred = cast(y_true, "float32"), cast(y_pred, "float32")
    y_pred.get_shape().assert_is_compatible_with(y_true.get_shape())
    if not any(key in _COUNTED for key in variables_to_update):
        raise ValueError(
            "Please provide at least one valid confusion matrix variable to update. Valid variable key options are: "
            f'"{list(ConfusionMatrix)}". Received: "{variables_to_update.keys()}"'
        )
    checks = [
        assert_greater_equal(y_pred, cast(0.0, y_pred.dtype), message="predictions must be >= 0"),
        assert_less_equal(y_pred, cast(1.0, y_pred.dtype), message="predictions must be <= 1"),
    ]
    with control_dependencies([] if executing_eagerly() else checks):
        if sample_weight is None:
            y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        else:
            y_pred, y_true, sample_weight = squeeze_or_expand_dimensions(y_pred, y_true, cast(sample_weight, "float32"))
    if top_k is not None:
        y_pred = _filter_top_k(y_pred, top_k)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    thresholds = to_list(thresholds)
    count = len(thresholds)
    predictions_count = composing.size(y_pred)
    row = raw.Reshape(y_pred, [1, -1])
    labels_row = raw.Reshape(cast(y_true, "bool"), [1, -1])
    # One row a threshold.
    limits = composing.expand_dims(convert_to_tensor([float(t) for t in thresholds], dtype=y_pred.dtype), 1)
    limits = raw.Tile(limits, composing.stack([1, predictions_count]))
    positive = raw.Greater(raw.Tile(row, [count, 1]), limits)
    labelled = raw.Tile(labels_row, [count, 1])
    weights = None
    if sample_weight is not None:
        weights = raw.Tile(raw.Reshape(broadcast_weights(sample_weight, y_pred), [1, -1]), [count, 1])
    wanted = [(variables_to_update[key], *pair) for key, pair in _COUNTED.items() if key in variables_to_update]
    predicted, labels = {True: positive}, {True: labelled}
    if any(not prediction for _, _, prediction in wanted):
        predicted[False] = raw.LogicalNot(positive)
    if any(not label for _, label, _ in wanted):
        labels[False] = raw.LogicalNot(labelled)
    updates = []
    for variable, label, prediction in wanted:
        counted = cast(raw.LogicalAnd(labels[label], predicted[prediction]), variable.dtype)
        if weights is not None:
            counted = counted * weights
        updates.append(variable.assign_add(reduce_sum(counted, 1)))
    return group(*updates)
