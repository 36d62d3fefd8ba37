"""The area under the ROC curve from two histograms of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.counting import histogram_fixed_width
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.convolution_functions import conv2d
from headrace.functions.squeezing import remove_squeezable_dimensions
from headrace.kernels import composing
from headrace.ops.array.pad import pad
from headrace.ops.array.reverse import reverse
from headrace.ops.flow.grouping import group
from headrace.ops.math.division import truediv
from headrace.state.initializers import zeros_initializer
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def auc_using_histogram(
    boolean_labels: TensorLike,
    scores: TensorLike,
    score_range: TensorLike,
    nbins: int = 100,
    collections: Any = None,
    check_shape: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Operation]:
    """The area under the ROC curve, approximated by histograms of the scores of both classes.

    Args:
        boolean_labels: bool vector.
        scores: numbers, a vector as long.
        score_range: the least and the greatest score.
        nbins: how many bins the histograms have.
        collections: the collections of the histograms' variables, LOCAL_VARIABLES by default.
        check_shape: whether the ranks are checked when run.
        name: the name of the scope of the variables.

    Returns:
        (area, update operation); a float32 scalar.

    Raises:
        ValueError: if labels are not bool.
    """
    collections = [GraphKeys.LOCAL_VARIABLES] if collections is None else collections
    with variable_scope(name, "auc_using_histogram", [boolean_labels, scores, score_range]):
        scores, boolean_labels = remove_squeezable_dimensions(scores, boolean_labels)
        score_range = convert_to_tensor(score_range, name="score_range")
        labels, scores = _checked(boolean_labels, scores, check_shape)
        with variable_scope(None, "make_auc_histograms", [labels, scores, nbins]):
            batch = []
            for chosen, which in ((labels, "hist_true"), (None, "hist_false")):
                mask = raw.LogicalNot(labels) if chosen is None else chosen
                values = boolean_mask(scores, mask)
                batch.append(histogram_fixed_width(values, score_range, nbins=nbins, dtype="int64", name=which))
        with variable_scope(None, "hist_accumulate", batch):
            sums = [
                get_variable(
                    which,
                    shape=[nbins],
                    dtype="int64",
                    initializer=zeros_initializer(),
                    collections=collections,
                    trainable=False,
                )
                for which in ("hist_true_acc", "hist_false_acc")
            ]
            added = [total.assign_add(more) for total, more in zip(sums, batch, strict=True)]
            update = group(*added, name="update_op")
        return _area(sums[0], sums[1], nbins), update


def _checked(labels: TensorLike, scores: TensorLike, check_shape: bool) -> tuple[Tensor, Tensor]:
    with name_scope(None, "_check_labels_and_scores", [labels, scores]):
        labels = convert_to_tensor(labels, name="boolean_labels")
        scores = convert_to_tensor(scores, name="scores")
        if labels.dtype.base_dtype.name != "bool":
            raise ValueError(f"Argument boolean_labels should have dtype bool.  Found: {labels.dtype}")
        if not check_shape:
            return labels, scores
        checks = []
        for tensor, argument in ((labels, "boolean_labels"), (scores, "scores")):
            data = [f"Argument {argument} should have rank 1.  Found: ", tensor.name, composing.shape(tensor)]
            checks.append(Assert(raw.Equal(1, composing.rank(tensor)), data))
        with control_dependencies(checks):
            return labels, scores


def _area(positive: TensorLike, negative: TensorLike, nbins: int) -> Tensor:
    """The area by trapezoids, the greatest scores first."""
    of_positive = truediv(positive, reduce_sum(positive))
    of_negative = truediv(negative, reduce_sum(negative))
    up = reverse(of_positive, [0], name="delta_y_t")
    along = reverse(of_negative, [0], name="delta_x_t")
    up, along = composing.cast(up, "float32"), composing.cast(along, "float32")
    height = strict_1d_cumsum(up, nbins)
    first = along[0] * height[0] / 2.0
    others = along[1:] * (height[1:] + height[: nbins - 1]) / 2.0
    return raw.Add(first, reduce_sum(others), name="auc")


def strict_1d_cumsum(values: Tensor, length: int) -> Tensor:
    """The cumulative sum by a convolution, as TensorFlow's graph has it."""
    with name_scope(None, "strict_1d_cumsum", [values]):
        if length == 0:
            return convert_to_tensor([])
        padded = pad(values, [[length - 1, 0]])
        window = composing.ones_like(padded)
        with name_scope(None, "strict_conv1d", [padded, window]):
            image = raw.Reshape(padded, (1, -1, 1, 1))
            kernel = raw.Reshape(window, (-1, 1, 1, 1))
            summed = raw.Reshape(conv2d(image, kernel, [1, 1, 1, 1], "SAME"), [-1])
        return summed[:length]
