"""Cross-entropies of logits: against distributions, against class numbers, and of independent classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dims import compatible_dims, element_count, is_fully_defined
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal
from headrace.kernels import composing
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import AxisLike, TensorLike


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: TensorLike | None = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross-entropy of softmax(logits) against the right classes, given as numbers.

    Called with two positional tensors it takes them as TensorFlow 0.x did: `(logits, labels)`.

    Args:
        labels: int32 or int64 class numbers in [0, num_classes), shaped as `logits` without the last axis.
        logits: unscaled log-probabilities, floats [..., num_classes].
        name: a name for the operation.

    Returns:
        the cross-entropies, of the shape of `labels` and the type of `logits`.

    Raises:
        ValueError: if an argument is missing or the shapes do not fit.
        InvalidArgumentError: when it runs, for a label out of range.

    Example:
        >>> tf.Session().run(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]))
        array([0.6931472], dtype=float32)
    """
    options = {"name": name}
    labels, logits = _labels_and_logits(
        "sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits, "name", options
    )
    name = options["name"]
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        short = logits.dtype.base_dtype.name == "float16"
        precise = composing.cast(logits, "float32") if short else logits
        labels_dims, logits_dims = labels.dims, logits.dims
        labels_shape = composing.shape(labels)
        static = is_fully_defined(labels_dims) and logits_dims is not None and is_fully_defined(logits_dims[:-1])
        _check_ranks(labels, logits, static)
        if logits_dims is not None and len(logits_dims) == 2:
            cost, _ = raw.SparseSoftmaxCrossEntropyWithLogits(precise, labels, name=name)
            return composing.cast(cost, "float16") if short else cost
        checks = []
        if not static:
            checks.append(assert_equal(composing.shape(labels), composing.shape(logits)[:-1]))
        with control_dependencies(checks):
            classes = composing.shape(logits)[composing.rank(logits) - 1]
            precise = raw.Reshape(precise, [-1, classes])
            labels = raw.Reshape(labels, [-1])
            cost, _ = raw.SparseSoftmaxCrossEntropyWithLogits(precise, labels, name=name)
            cost = raw.Reshape(cost, labels_shape)
            cost.set_shape(labels_dims)
            return composing.cast(cost, "float16") if short else cost


def _check_ranks(labels: Tensor, logits: Tensor, static: bool) -> None:
    if logits.dims == ():
        raise ValueError(f"Logits cannot be scalars - received shape {logits.get_shape()}.")
    if logits.dims is not None and labels.dims is not None and len(labels.dims) != len(logits.dims) - 1:
        raise ValueError(
            f"Rank mismatch: Rank of labels (received {len(labels.dims)}) should equal rank of logits minus 1 (received "
            f"{len(logits.dims)})."
        )
    if static and logits.dims is not None and labels.dims != logits.dims[:-1]:
        raise ValueError(
            f"Shape mismatch: The shape of labels (received {labels.get_shape()}) should equal the shape of logits except "
            f"for the last dimension (received {logits.get_shape()})."
        )


def _labels_and_logits(
    function: str,
    sentinel: TensorLike | None,
    labels: TensorLike | None,
    logits: TensorLike | None,
    third: str,
    options: dict[str, Any],
) -> tuple[Any, Any]:
    """The labels and logits of a call; positional ones are in the order of TensorFlow 0.x, (logits, labels, option).

    Args:
        function: its name, for errors.
        sentinel: the first positional argument.
        labels: the second, or the keyword.
        logits: the third, or the keyword.
        third: the option that came third in 0.x.
        options: the other arguments; a third positional one is put there.

    Raises:
        ValueError: for a mixture of both ways, or if one is missing.
    """
    if sentinel is not None:
        named_logits = isinstance(logits, (Tensor, np.ndarray, list, tuple)) or hasattr(logits, "get_shape")
        if labels is None or named_logits:
            raise ValueError(f"Only call `{function}` with named arguments (labels=..., logits=..., ...)")
        if logits is not None:
            options["name" if isinstance(logits, str) else third] = logits
        labels, logits = labels, sentinel
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")
    return labels, logits


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike, logits: TensorLike, axis: int | None = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """The cross-entropy of softmax(logits) against distributions, with gradients for both.

    Args:
        labels: distributions along `axis`, in the shape of `logits`.
        logits: unscaled log-probabilities, floats.
        axis: the axis of the classes, the last by default.
        name: a name scope.
        dim: the older name of `axis`.

    Returns:
        the cross-entropies, shaped as `logits` without `axis`.

    Example:
        >>> tf.Session().run(tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.5, 0.5]], logits=[[0.0, 1000.0]]))
        array([500.], dtype=float32)
    """
    axis = first_given("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        short = logits.dtype.base_dtype.name in ("float16", "bfloat16")
        precise = composing.cast(logits, "float32") if short else logits
        labels = composing.cast(labels, precise.dtype)
        rank = composing.rank(precise)
        if axis != -1:
            precise = _axis_last(precise, axis, rank)
            labels = _axis_last(labels, axis, rank)
        shape = composing.shape(precise)
        precise = _as_matrix(precise)
        labels = _as_matrix(labels)
        cost, _ = raw.SoftmaxCrossEntropyWithLogits(precise, labels, name=scope)
        outer = raw.Slice(shape, [0], [raw.Sub(rank, 1)])
        cost = raw.Reshape(cost, outer)
        if logits.dims is not None:
            dims = list(logits.dims)
            del dims[axis]
            cost.set_shape(dims)
        return composing.cast(cost, logits.dtype) if short else cost


def _axis_last(value: Tensor, axis: int, rank: Tensor) -> Tensor:
    order = composing.concat([composing.range_(axis), composing.range_(axis + 1, rank), [axis]], 0)
    return composing.transpose(value, order)


def _as_matrix(value: Tensor) -> Tensor:
    """`value` with all its axes but the last made one."""
    rank = composing.rank(value)
    last = raw.Slice(composing.shape(value), [raw.Sub(rank, 1)], [1])
    result = raw.Reshape(value, composing.concat([[-1], last], 0))
    if value.dims is not None and is_fully_defined(value.dims[:-1]):
        result.set_shape((element_count(value.dims[:-1]), value.dims[-1]))
    return result


def softmax_cross_entropy_with_logits(
    _sentinel: TensorLike | None = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    dim: Any = -1,
    name: str | None = None,
    axis: AxisLike | None = None,
) -> Tensor:
    """The cross-entropy of softmax(logits) against distributions, with a gradient for the logits only.

    Called with two positional tensors it takes them as TensorFlow 0.x did: `(logits, labels)`.

    Args:
        labels: distributions along `dim`, in the shape of `logits`.
        logits: unscaled log-probabilities, floats.
        dim: the axis of the classes.
        name: a name scope.
        axis: another name of `dim`.

    Returns:
        the cross-entropies, shaped as `logits` without `dim`.

    Raises:
        ValueError: if labels or logits are missing or given twice.

    Example:
        >>> tf.Session().run(tf.nn.softmax_cross_entropy_with_logits(labels=[[0.5, 0.5]], logits=[[0.0, 1000.0]]))
        array([500.], dtype=float32)
    """
    options = {"dim": dim, "name": name}
    labels, logits = _labels_and_logits("softmax_cross_entropy_with_logits", _sentinel, labels, logits, "dim", options)
    dim, name = options["dim"], options["name"]
    if axis is not None:
        if dim is not None and dim != -1:
            raise ValueError("Cannot specify both 'dim' and 'axis'")
        dim = axis
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = raw.StopGradient(labels, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=scope)


def _merged(labels: Tensor, logits: Tensor) -> None:
    if not compatible_dims(labels.dims, logits.dims):
        raise ValueError(f"logits and labels must have the same shape ({logits.get_shape()} vs {labels.get_shape()})")


def sigmoid_cross_entropy_with_logits(
    _sentinel: TensorLike | None = None,
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The cross-entropy of sigmoid(logits) against probabilities, for classes independent of one another.

    With x = logits and z = labels it is max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow. Called with
    two positional tensors it takes them as TensorFlow 0.x did: `(logits, labels)`.

    Args:
        labels: probabilities, in the type and shape of `logits`.
        logits: log-odds, floats.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `logits`.

    Raises:
        ValueError: if an argument is missing or the shapes differ.

    Example:
        >>> tf.Session().run(tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[0.0]))
        array([0.6931472], dtype=float32)
    """
    options = {"name": name}
    labels, logits = _labels_and_logits("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits, "name", options)
    with name_scope(options["name"], "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _merged(labels, logits)
        zeros = composing.zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        relu_logits = raw.Select(positive, logits, zeros)
        minus_abs = raw.Select(positive, -logits, logits)
        return raw.Add(relu_logits - logits * labels, raw.Log1p(raw.Exp(minus_abs)), name=scope)


def weighted_cross_entropy_with_logits(
    labels: TensorLike | np.ndarray | Sequence[float] | None = None,
    logits: TensorLike | None = None,
    pos_weight: Any = None,
    name: str | None = None,
    targets: Any = None,
) -> Tensor:
    """The sigmoid cross-entropy in which what is positive counts `pos_weight` times.

    Args:
        labels: probabilities, in the type and shape of `logits`.
        logits: log-odds, floats.
        pos_weight: the weight of the positive part, a number or a tensor that broadcasts.
        name: a name for the operation.
        targets: the older name of `labels`.

    Returns:
        a tensor of the shape of `logits`.

    Raises:
        ValueError: if the shapes differ.
    """
    labels = first_given("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _merged(labels, logits)
        weight = 1 + (pos_weight - 1) * labels
        return raw.Add(
            (1 - labels) * logits,
            weight * (raw.Log1p(raw.Exp(-raw.Abs(logits))) + raw.Relu(-logits)),
            name=scope,
        )
