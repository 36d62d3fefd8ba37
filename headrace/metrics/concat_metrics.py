"""Metrics that concatenate and keep every value: `streaming_concat`, and areas under curves computed from all predictions."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_greater_equal, assert_less_equal
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_max, reduce_min, reduce_sum
from headrace.functions.math.segments import segment_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.metrics.local_variables import aligned, collect, metric_variable
from headrace.ops.array.pad import pad
from headrace.ops.array.reverse import reverse
from headrace.ops.array.unique import unique, unique_with_counts
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.division import truediv
from headrace.ops.math.scan import cumsum
from headrace.ops.nn.topk import top_k
from headrace.state.updates import assign
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike


_EPSILON = 1e-7


def next_array_size(required_size: TensorLike, growth_factor: TensorLike = 1.5) -> Tensor:
    """The least power of `growth_factor`, rounded up, that is not less than `required_size`: an int32 scalar."""
    required = raw.Log(composing.cast(required_size, "float32"))
    exponent = raw.Ceil(required / raw.Log(composing.cast(growth_factor, "float32")))
    return composing.cast(raw.Ceil(growth_factor**exponent), "int32")


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Operation]:
    """All values so far, one after another.

    Args:
        values: tensor of known rank, whose dimensions other than `axis` are known.
        axis: along which dimension they are put.
        max_size: keep no more than so many.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (all values, update operation).

    Raises:
        ValueError: if a size is not known, or there is no such axis.
    """
    with variable_scope(name, "streaming_concat", [values]):
        dims = values.get_shape().dims
        if dims is None:
            raise ValueError("`values` must have known statically known rank")
        rank = len(dims)
        axis = axis + rank if axis < 0 else axis
        if not 0 <= axis < rank:
            raise ValueError(f"axis = {axis!r} not in [0, {rank!r})")
        others = [dim.value for place, dim in enumerate(dims) if place != axis]
        if any(size is None for size in others):
            raise ValueError(
                "all dimensions of `values` other than the dimension to concatenate along must have statically known "
                "size"
            )
        first = 0 if max_size is None else max_size
        # Values lie along the first dimension of a variable with room for more than there are.
        array = metric_variable([first, *others], values.dtype, validate_shape=False, name="array")
        size = metric_variable([], "int32", name="size")
        kept = array[:size]
        kept.set_shape([None, *others])
        back = [0 if place == axis else place + 1 if place < axis else place for place in range(rank)]
        value = composing.transpose(kept, back, name="concat")
        number = composing.shape(values)[axis]
        if max_size is not None:
            number = raw.Minimum(number, max_size - size)
        order = [axis, *(place for place in range(rank) if place != axis)]
        batch = composing.transpose(values, order)[:number]
        new_size = size + number

        def enlarged() -> Operation:
            sizes = composing.stack([next_array_size(new_size), *others])
            zeros = composing.zeros(sizes, dtype=values.dtype)
            old = array.value()
            with control_dependencies([old]):
                larger = assign(array, zeros, validate_shape=False)
            with control_dependencies([larger]):
                copied = array[:size].assign(old[:size])
            with control_dependencies([copied]):
                return no_op()

        room = shape_internal(array, optimize=False)[0]
        with control_dependencies([cond(new_size > room, enlarged, no_op)]):
            appended = array[size:new_size].assign(batch)
        with control_dependencies([appended]):
            update = size.assign(new_size)
        collect(metrics_collections, value)
        collect(updates_collections, update)
        return value, update


def _zero_or_one(labels: Tensor) -> list[Operation]:
    below = "labels must be 0 or 1, at least one is <0"
    above = "labels must be 0 or 1, at least one is >1"
    return [
        assert_greater_equal(labels, composing.zeros_like(labels, "int64"), message=below),
        assert_less_equal(labels, composing.ones_like(labels, "int64"), message=above),
    ]


def _exact_area(labels: Tensor, predictions: Tensor, curve: str, weights: Tensor | None) -> Tensor:
    """The area under the curve through all predictions by trapezoids, 0 if the labels are all the same."""
    size = composing.size(predictions)
    if weights is None:
        weights = composing.ones_like(labels, dtype="float64")
    labels, predictions, weights = aligned(labels, predictions, weights)
    total = reduce_sum(weights)
    ones = raw.Greater(labels, 0)
    positive = reduce_sum(raw.Select(ones, weights, composing.zeros_like(labels, dtype="float64")))

    def area() -> Tensor:
        ordered, order = top_k(predictions, k=size)
        ordered_labels, ordered_weights = composing.gather(labels, order), composing.gather(weights, order)
        counts = unique_with_counts(ordered)[2]
        # Equal predictions make one step of the curve.
        steps = composing.cast(pad(cumsum(counts), paddings=[[1, 0]]), "int32")

        def at_steps(amounts: Tensor) -> Tensor:
            return composing.gather(pad(cumsum(amounts), paddings=[[1, 0]]), steps)

        ones = raw.Greater(ordered_labels, 0)
        right = at_steps(raw.Select(ones, ordered_weights, composing.zeros_like(ordered_labels, dtype="float64")))
        if curve == "ROC":
            zeros = raw.Less(ordered_labels, 1)
            wrong = at_steps(raw.Select(zeros, ordered_weights, composing.zeros_like(ordered_labels, dtype="float64")))
            x, y = truediv(wrong, total - positive), truediv(right, positive)
        else:
            x = truediv(right, positive)
            precision = truediv(right, at_steps(ordered_weights))
            y = raw.Select(raw.Greater(steps, 0), precision, composing.ones_like(right, dtype="float64"))
        heights = raw.Add(y[1:], y[:-1]) / 2.0
        return reduce_sum(raw.Mul(heights, raw.Abs(raw.Sub(x[1:], x[:-1]))))

    only_one = raw.LogicalOr(raw.Equal(positive, 0), raw.Equal(positive, total))
    return cond(only_one, lambda: convert_to_tensor(0, "float64"), area)


def streaming_dynamic_auc(
    labels: Tensor,
    predictions: Tensor,
    curve: str = "ROC",
    metrics_collections: CollectionNames = (),
    updates_collections: CollectionNames = (),
    name: str | None = None,
    weights: Tensor | None = None,
) -> tuple[Tensor, Operation]:
    """The exact area under a curve, from all predictions so far.

    Args:
        labels: 0 and 1.
        predictions: numbers of that shape.
        curve: "ROC" or "PR".
        metrics_collections, updates_collections, name: as for every metric.
        weights: what each prediction counts.

    Returns:
        (area, update operation); a float64 scalar.

    Raises:
        ValueError: for another curve, or if shapes do not fit.
        InvalidArgumentError: when run, for other labels.
    """
    if curve not in ("PR", "ROC"):
        raise ValueError(f"curve must be either ROC or PR, {curve} unknown")
    with variable_scope(name, default_name="dynamic_auc"):
        labels.get_shape().assert_is_compatible_with(predictions.get_shape())
        predictions = raw.Reshape(composing.cast(predictions, "float64"), [-1])
        labels = raw.Reshape(composing.cast(labels, "int64"), [-1])
        with control_dependencies(_zero_or_one(labels)):
            all_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
            all_labels, update_labels = streaming_concat(labels, name="concat_labels")
            all_weights = None
            updates = [update_labels, update_predictions]
            if weights is not None:
                weights = raw.Reshape(composing.cast(weights, "float64"), [-1])
                all_weights, update_weights = streaming_concat(weights, name="concat_weights")
                updates.append(update_weights)
            update = group(*updates)
            area = _exact_area(all_labels, all_predictions, curve, all_weights)
            collect(updates_collections, update)
            collect(metrics_collections, area)
            return area, update


class AucData(NamedTuple):
    """An area and the bounds of its confidence interval."""

    auc: Tensor
    lower: Tensor
    upper: Tensor


def _placement_area(
    labels: Tensor, predictions: Tensor, weights: Tensor, alpha: float, logit: bool, is_valid: Tensor
) -> AucData:
    """The area under ROC by placement values, with DeLong's variance.

    DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating
    characteristic curves", Biometrics 44 (1988); Hanley and Hajian-Tilaki, "Sampling variability of nonparametric
    estimates of the areas under receiver operating characteristic curves", Academic Radiology 4 (1997).
    """
    size = composing.size(predictions)
    total_0 = reduce_sum(composing.cast(1 - labels, weights.dtype) * weights)
    total_1 = reduce_sum(composing.cast(labels, weights.dtype) * weights)
    ordered, order = top_k(predictions, k=size, sorted=True)
    first_axis = composing.zeros([1], "int32")
    ordered, order = reverse(ordered, axis=first_axis), reverse(order, axis=first_axis)
    ordered_labels, ordered_weights = composing.gather(labels, order), composing.gather(weights, order)
    segments = unique(ordered)[1]
    positive = composing.cast(ordered_labels, "float32")
    negative = 1.0 - positive

    def placements(against: Tensor) -> Tensor:
        """For each prediction the fraction of the other class's weight below it, ties counting half."""
        totals = segment_sum(against, segments)
        below = cumsum(totals, exclusive=True) + totals / 2.0
        return composing.gather(below / (reduce_sum(totals) + _EPSILON), segments)

    placed = placements(ordered_weights * negative) * positive + placements(ordered_weights * positive) * negative
    is_0 = composing.cast(1 - ordered_labels, weights.dtype)
    is_1 = composing.cast(ordered_labels, weights.dtype)
    placed_0, weights_0, placed_1, weights_1 = (
        placed * is_0,
        ordered_weights * is_0,
        placed * is_1,
        ordered_weights * is_1,
    )
    area_0 = reduce_sum(weights_0 * (1.0 - placed_0)) / (total_0 + _EPSILON)
    area_1 = reduce_sum(weights_1 * placed_1) / (total_1 + _EPSILON)
    area = raw.Select(raw.Less(total_0, total_1), area_1, area_0)
    variance_0 = reduce_sum(weights_0 * raw.Square(1.0 - placed_0 - area_0)) / (total_0 - 1.0 + _EPSILON)
    variance_1 = reduce_sum(weights_1 * raw.SquaredDifference(placed_1, area_1)) / (total_1 - 1.0 + _EPSILON)
    error = raw.Sqrt(variance_0 / (total_0 + _EPSILON) + variance_1 / (total_1 + _EPSILON))
    quantile = statistics.NormalDist().inv_cdf((1.0 - alpha) / 2.0)
    if logit:
        middle = raw.Log(area / (1.0 - area + _EPSILON))
        error = error / (area * (1.0 - area + _EPSILON))
        ends = [middle + quantile * error, middle - quantile * error]
        ends = [1.0 / (1.0 + raw.Exp(raw.Neg(end)) + _EPSILON) for end in ends]
    else:
        ends = [area + quantile * error, area - quantile * error]
    at_one, at_zero = raw.Equal(area, composing.ones_like(area)), raw.Equal(area, composing.zeros_like(area))
    extreme = raw.LogicalOr(at_one, at_zero)
    lower, upper = (raw.Select(extreme, area, end) for end in ends)
    nothing = convert_to_tensor(0.0)
    return AucData(*cond(is_valid, lambda: [area, lower, upper], lambda: [nothing] * 3))


def auc_with_confidence_intervals(
    labels: Tensor,
    predictions: Tensor,
    weights: Tensor | None = None,
    alpha: float = 0.95,
    logit_transformation: bool = True,
    metrics_collections: CollectionNames = (),
    updates_collections: CollectionNames = (),
    name: str | None = None,
) -> tuple[AucData, Operation]:
    """The exact area under the ROC curve and its confidence interval, from all predictions so far.

    Args:
        labels: 0 and 1.
        predictions: float32 numbers of that shape.
        weights: what each prediction counts.
        alpha: how much of the distribution the interval covers.
        logit_transformation: compute the interval of the logit, which keeps it between 0 and 1.
        metrics_collections, updates_collections, name: as for every metric.

    Returns:
        (AucData of float32 scalars, update operation).

    Raises:
        ValueError: for another alpha, or if shapes do not fit.
        InvalidArgumentError: when run, for other labels.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be between 0 and 1; currently {alpha:.02f}")
    if weights is None:
        weights = composing.ones_like(predictions)
    with variable_scope(name, "auc_with_confidence_intervals", [labels, predictions, weights]):
        predictions, labels, weights = aligned(predictions, labels, weights)
        total = reduce_sum(weights)
        weights = raw.Reshape(weights, [-1])
        predictions = raw.Reshape(composing.cast(predictions, "float64"), [-1])
        labels = raw.Reshape(composing.cast(labels, "int64"), [-1])
        with control_dependencies(_zero_or_one(labels)):
            all_predictions, update_predictions = streaming_concat(predictions, name="concat_preds")
            all_labels, update_labels = streaming_concat(labels, name="concat_labels")
            all_weights, update_weights = streaming_concat(weights, name="concat_weights")
            updates = group(update_labels, update_predictions, update_weights)
            both = raw.LogicalAnd(raw.Equal(reduce_min(labels), 0), raw.Equal(reduce_max(labels), 1))
            enough = raw.GreaterEqual(total, 1.0)
            is_valid = raw.LogicalAnd(both, enough)
            update = cond(enough, lambda: updates, no_op)
            area = _placement_area(all_labels, all_predictions, all_weights, alpha, logit_transformation, is_valid)
            collect(updates_collections, update)
            collect(metrics_collections, area)
            return area, update
