"""The ops of cross-entropies of logits: against distributions, and against class numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.constant_value import constant_value
from headrace.core.defaults import name_scope
from headrace.core.dims import is_fully_defined, merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.math.elementwise import bracketed, broadcast_or_raise
from headrace.kernels.native import of_one_shape
from headrace.kernels.nn.entropies import at_once
from headrace.kernels.nn.softmax import log_softmax_of

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView

# torch has no cross-entropy of the short types on every device; they are computed wider.
_SHORT = (torch.float16, torch.bfloat16)
# No label is this, so that torch leaves none out.
_NO_LABEL = -(2**62)
_nll_loss = torch._C._nn.nll_loss_nd

# ---- against distributions ----

dense_op = op("SoftmaxCrossEntropyWithLogits", "features: T, labels: T, *, T: floating -> loss: T, backprop: T").costs(
    4
)


dense_op.fresh()


@dense_op.shape
def dense_shape(op):
    features, labels = op.inputs[0].dims, op.inputs[1].dims
    both = broadcast_or_raise(features, labels)
    if both is None:
        both = (None, None)
    elif len(both) != 2:
        raise ValueError(f"Shape must be broadcasted with rank 2, but is rank {len(both)}")
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

    if wide is None and node.device.type == "cpu":
        loss_and_backprop = at_once(loss_and_backprop)
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
        softmax = raw.Softmax(logits)
        # The order in which operations are made: the product as a whole stands under one matmul scope.
        product = _batch_matmul(raw.ExpandDims(grad_backprop, 1), raw.ExpandDims(softmax, 2))
        grad = grad + (grad_backprop - raw.Squeeze(product, squeeze_dims=[1])) * softmax
    return [grad, _times_rows(grad_loss, -raw.LogSoftmax(logits))]


def _batch_matmul(a: Tensor, b: Tensor) -> Tensor:
    with name_scope(None, "MatMul", [a, b]) as scope:
        return raw.BatchMatMulV2(a, b, name=scope)


# ---- against class numbers ----

sparse_op = op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels, *, T: floating, Tlabels: index = int64 -> loss: T, backprop: T",
).costs(4)


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


def _require_labels_in_range(labels: torch.Tensor, classes: int) -> None:
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


def _require_fitting(x: torch.Tensor, labels: torch.Tensor) -> None:
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


def _loss_and_backprop(node: NodeView, refuse: Callable[[torch.Tensor, torch.Tensor], None] | None) -> Kernel:
    """The loss of each row and its derivative by the logits.

    Args:
        node: the operation.
        refuse: called with logits and labels where torch refuses them, to say why as TensorFlow does.
    """
    dtype = node.inputs[0].dtype.torch
    narrow_labels = node.inputs[1].dtype.torch is not torch.int64
    wide = torch.float32 if dtype in _SHORT else None
    minus_one = torch.full((1, 1), -1.0, dtype=wide or dtype, device=node.device)

    def loss_and_backprop(x: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if narrow_labels:
            labels = labels.long()
        if wide is not None:
            x = x.to(wide)
        try:
            q = log_softmax_of(x)
            loss = _nll_loss(q, labels, None, 0, _NO_LABEL)
        except (IndexError, RuntimeError, ValueError):
            if refuse is not None:
                refuse(x, labels)
            raise
        q.exp_()
        q.scatter_add_(1, labels.unsqueeze(1), minus_one.expand(labels.shape[0], 1))
        if wide is not None:
            return loss.to(dtype), q.to(dtype)
        return loss, q

    return loss_and_backprop


@sparse_op.kernel
def sparse_kernel(node):
    loss_and_backprop = _loss_and_backprop(node, None)

    def compute(x, labels):
        _require_fitting(x, labels)
        labels = labels.long()
        valid = (labels >= 0) & (labels < x.shape[1])
        loss, backprop = loss_and_backprop(x, labels.clamp(0, x.shape[1] - 1))
        # A label out of range cannot stop a kernel on a GPU; its row becomes NaN.
        return loss.where(valid, torch.nan), backprop.where(valid.unsqueeze(1), torch.nan)

    return compute


@sparse_op.kernel_on("cpu")
def sparse_kernel_on_cpu(node):
    """Without a look at the labels first, which would cost each step two reductions: torch checks them there."""

    def refuse(x, labels):
        _require_fitting(x, labels)
        _require_labels_in_range(labels, x.shape[1])

    loss_and_backprop = _loss_and_backprop(node, refuse)
    return loss_and_backprop if node.inputs[0].dtype.torch in _SHORT else at_once(loss_and_backprop)


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


# ---- native instructions

dense_op.native(of_one_shape("softmax_cross_entropy"))
sparse_op.native(lambda node: applied("sparse_softmax_cross_entropy") if node.inputs[0].dims is not None else None)
