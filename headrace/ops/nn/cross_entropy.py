"""Cross-entropies of logits: against distributions, against class numbers, and of independent classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import compatible_dims, element_count, is_fully_defined, merge_dim
from headrace.ops import composing
from headrace.ops.composing import first_given
from headrace.ops.flow.checks import assert_equal
from headrace.ops.math.elementwise import bracketed, broadcast_or_raise
from headrace.ops.nn.softmax import along_axis, log_softmax_of, log_softmax_op, softmax_op

# torch has no cross-entropy of the short types on every device; they are computed wider.
_SHORT = (torch.float16, torch.bfloat16)
# No label is this, so that torch leaves none out.
_NO_LABEL = -(2**62)
_nll_loss = torch._C._nn.nll_loss_nd

# ---- against distributions ----

dense_op = op("SoftmaxCrossEntropyWithLogits", "features: T, labels: T, *, T: floating -> loss: T, backprop: T")


dense_op.fresh()


@dense_op.shape
def dense_shape(op):
    features, labels = op.inputs[0].dims, op.inputs[1].dims
    both = broadcast_or_raise(features, labels)
    if both is None:
        both = (None, None)
    elif len(both) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(both)}")
    return [(both[0],), both]


@dense_op.kernel
def dense_kernel(node):
    features, labels = node.inputs[0], node.inputs[1]
    wide = torch.float32 if features.dtype.torch in _SHORT else None

    def loss_and_backprop(x, p):
        log_q = log_softmax_of(x)
        loss = torch.linalg.vecdot(p, log_q).neg_()
        # The log-probabilities are done with, so the backpropagation takes their place.
        return loss, log_q.exp_().sub_(p)

    if wide is None and is_fully_defined(features.dims) and features.dims == labels.dims:
        return loss_and_backprop

    def checked(x, p):
        if x.shape != p.shape:
            try:
                x, p = torch.broadcast_tensors(x, p)
            except RuntimeError:
                raise InvalidArgumentError(
                    None,
                    None,
                    "logits and labels must be broadcastable: "
                    f"logits_size={bracketed(x.shape)} labels_size={bracketed(p.shape)}",
                ) from None
        if x.dim() != 2:
            raise InvalidArgumentError(
                None, None, "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional"
            )
        if wide is None:
            return loss_and_backprop(x, p)
        loss, backprop = loss_and_backprop(x.to(wide), p.to(wide))
        return loss.to(x.dtype), backprop.to(x.dtype)

    return checked


dense_op.accepts([2, 3], [2, 3]).accepts([0, 3], [0, 3]).accepts([2, 3], [1, 3])
dense_op.rejects([2, 3], [2, 4], error=ValueError).rejects([3], [3], error=ValueError)


def _times_rows(vector: Tensor, matrix: Tensor) -> Tensor:
    return raw.ExpandDims(vector, -1) * matrix


def _is_zero(gradient: Tensor) -> bool:
    if gradient._op.type not in ("Const", "Fill"):
        return gradient._op.type == "ZerosLike"
    value = constant_value(gradient)
    return value is not None and not np.any(value)


@dense_op.gradient
def dense_gradient(op, grad_loss, grad_backprop):
    """The first derivative is the op's own output; that of the output is the Jacobian of softmax."""
    grad = _times_rows(grad_loss, op.outputs[1])
    logits = op.inputs[0]
    if grad_backprop is not None and not _is_zero(grad_backprop):
        softmax = softmax_op(logits)
        # The order in which operations are made: the product as a whole stands under one matmul scope.
        product = _batch_matmul(raw.ExpandDims(grad_backprop, 1), raw.ExpandDims(softmax, 2))
        grad = grad + (grad_backprop - raw.Squeeze(product, squeeze_dims=[1])) * softmax
    return [grad, _times_rows(grad_loss, -along_axis(log_softmax_op, logits, -1, None))]


def _batch_matmul(a: Tensor, b: Tensor) -> Tensor:
    with name_scope(None, "MatMul", [a, b]) as scope:
        return raw.BatchMatMulV2(a, b, name=scope)


# ---- against class numbers ----

sparse_op = op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels, *, T: floating, Tlabels: index = int64 -> loss: T, backprop: T",
)


sparse_op.fresh()


@sparse_op.shape
def sparse_shape(op):
    features, labels = op.inputs[0].dims, op.inputs[1].dims
    if features is not None and len(features) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(features)}")
    if labels is not None and len(labels) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(labels)}")
    features = features or (None, None)
    first = features[0]
    if labels is not None:
        if None not in (first, labels[0]) and first != labels[0]:
            raise ValueError(f"Dimensions must be equal, but are {first} and {labels[0]}")
        first = merge_dim(first, labels[0])
    return [(first,), (first, features[1])]


def _require_labels_in_range(labels: Any, classes: int) -> None:
    if labels.numel() == 0:
        return
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= classes:
        raise InvalidArgumentError(
            None,
            None,
            f"Received a label value of {low if low < 0 else high} which is outside the valid range of [0, {classes}).  "
            f"Label values: {' '.join(str(v) for v in labels.tolist())}",
        )


def _require_fitting(x: Any, labels: Any) -> None:
    if x.dim() != 2:
        raise InvalidArgumentError(None, None, f"logits must be 2-D, but got shape {bracketed(x.shape)}")
    if labels.dim() != 1:
        raise InvalidArgumentError(None, None, f"labels must be 1-D, but got shape {bracketed(labels.shape)}")
    if x.shape[0] != labels.shape[0]:
        raise InvalidArgumentError(
            None,
            None,
            "logits and labels must have the same first dimension, got logits shape "
            f"{bracketed(x.shape)} and labels shape {bracketed(labels.shape)}",
        )
    if x.shape[1] == 0:
        raise InvalidArgumentError(
            None, None, f"Must have at least one class, but got logits shape {bracketed(x.shape)}"
        )


@sparse_op.kernel
def sparse_kernel(node):
    dtype = node.inputs[0].dtype.torch
    narrow_labels = node.inputs[1].dtype.torch is not torch.int64
    wide = torch.float32 if dtype in _SHORT else None
    minus_one = torch.full((1, 1), -1.0, dtype=wide or dtype, device=node.device)

    def loss_and_backprop(x, labels):
        if narrow_labels:
            labels = labels.long()
        if wide is not None:
            x = x.to(wide)
        try:
            q = log_softmax_of(x)
            loss = _nll_loss(q, labels, None, 0, _NO_LABEL)
        except (IndexError, RuntimeError, ValueError):
            # torch checks the labels on its own; asking first would cost each step two reductions.
            _require_fitting(x, labels)
            _require_labels_in_range(labels, x.shape[1])
            raise
        q.exp_()
        q.scatter_add_(1, labels.unsqueeze(1), minus_one.expand(labels.shape[0], 1))
        if wide is not None:
            return loss.to(dtype), q.to(dtype)
        return loss, q

    def on_gpu(x, labels):
        _require_fitting(x, labels)
        labels = labels.long()
        valid = (labels >= 0) & (labels < x.shape[1])
        loss, backprop = loss_and_backprop(x, labels.clamp(0, x.shape[1] - 1))
        # A label out of range cannot stop a kernel there; its row becomes NaN.
        return loss.where(valid, torch.nan), backprop.where(valid.unsqueeze(1), torch.nan)

    return loss_and_backprop if node.device.type == "cpu" else on_gpu


sparse_op.accepts([2, 3], np.array([0, 2])).accepts([0, 3], np.zeros([0], np.int32))
sparse_op.rejects([2, 3], np.array([0, 1, 2]), error=ValueError)
sparse_op.rejects([2, 3], np.array([0, 3]), error=InvalidArgumentError, match="outside the valid range")

_ONCE_ONLY = (
    "Currently there is no way to take the second derivative of sparse_softmax_cross_entropy_with_logits due to the fused "
    "implementation's interaction with tf.gradients()"
)


@sparse_op.gradient
def sparse_gradient(op, grad_loss, _):
    backprop = raw.PreventGradient(op.outputs[1], message=_ONCE_ONLY)
    return [_times_rows(grad_loss, backprop), None]


# ---- public functions ----


def _labels_and_logits(
    function: str, sentinel: Any, labels: Any, logits: Any, third: str, options: dict[str, Any]
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
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
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


def _axis_last(value: Tensor, axis: Any, rank: Tensor) -> Tensor:
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
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: Any = -1,
    name: str | None = None,
    axis: Any = None,
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


def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None
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


def _merged(labels: Tensor, logits: Tensor) -> None:
    if not compatible_dims(labels.dims, logits.dims):
        raise ValueError(f"logits and labels must have the same shape ({logits.get_shape()} vs {labels.get_shape()})")


def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None
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
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None
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
