"""The logistic loss of labels between 0 and 1, which programs build of ten element-wise ops, and its gradient of another ten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from headrace.core.registry import op
from headrace.core.tensor import Tensor
from headrace.kernels.math.elementwise import checked
from headrace.kernels.native import equal_dims, of_one_shape, same_shape
from headrace.plan.fusion import API, Fetches, Fusion, tensor
from headrace.plan.ir import ADDITIONS, Node, Value, new_node

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import Kernel, NodeView

logistic_loss = op("_LogisticLoss", "logits: T, labels: T, *, T: {float, double} -> loss: T").not_differentiable()
logistic_loss.fresh()


@logistic_loss.kernel
def logistic_loss_kernel(node: NodeView) -> Kernel:
    """max(x, 0) - x * z + log(1 + exp(-|x|)), which is -z log s - (1 - z) log(1 - s) for s = sigmoid(x).

    For -log s = log(1 + exp(-x)), -log(1 - s) = x - log s, and log(1 + exp(-x)) = max(-x, 0) + log(1 + exp(-|x|)).
    """
    log_sigmoid, relu = torch.nn.functional.logsigmoid, torch.relu

    def loss(x: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
        ramp = relu(x)
        if z.shape == x.shape:
            ramp.addcmul_(x, z, value=-1)
        else:
            ramp = ramp - x * z
        return ramp.sub_(log_sigmoid(x.abs()))

    return checked(node, loss)


logistic_loss_grad = op(
    "_LogisticLossGrad", "logits: T, labels: T, gradient: T, *, T: {float, double} -> output: T"
).not_differentiable()
logistic_loss_grad.fresh().never_fails()


@logistic_loss_grad.kernel
def logistic_loss_grad_kernel(node: NodeView) -> Kernel:
    """(sigmoid(x) - z) * gradient, exact too where the sigmoid is next to the label.

    The sigmoid is 1 - s or s, depending on the sign of x, with s = sigmoid(-|x|); 1 - z comes first.
    """
    ge, empty_like = torch.ge, torch.empty_like

    def slope(x: torch.Tensor, z: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
        # Of a zero with a sign, x + 0 has none.
        small = x.abs().neg_().sigmoid_().copysign_(x + 0.0)
        to_label = ge(x, 0, out=empty_like(x))
        if z.shape == x.shape == gradient.shape:
            return to_label.sub_(z).sub_(small).mul_(gradient)
        return ((to_label - z - small) * gradient).sum_to_size(x.shape)

    return slope


_TYPES = frozenset({"float32", "float64"})
# The gradients with respect to the logits that come by the four ways from the loss.
_WAYS = 4


def fuse_logistic_losses(
    nodes: list[Node], keep: set[Node], fetched: list[Value]
) -> tuple[list[Node], dict[Value, Value]]:
    """max(x, 0) - x * z + log(1 + exp(-|x|)) becomes `_LogisticLoss(x, z)`, and the sum of its gradients one op too.

    The pattern is that of `tf.nn.sigmoid_cross_entropy_with_logits`, where -|x| and max(x, 0) are chosen by x >= 0.
    """
    replaced: dict[Value, Value] = {}
    instead: dict[Node, Node] = {}
    losses: dict[Value, _Loss] = {}
    for node in nodes:
        loss = _loss(node)
        if loss is not None:
            losses[loss.exponential] = loss
            output = node.outputs[0]
            fused = new_node("_LogisticLoss", node, [loss.logits, loss.labels], [(output.dtype, output.dims)])
            # It is the product that labels of another shape do not fit.
            fused.origin = loss.product.origin
            instead[node] = fused
            replaced[output] = fused.outputs[0]
    if not losses:
        return nodes, {}
    for node in nodes:
        if node.type == "AddN" and len(node.inputs) >= _WAYS and not node.guard:
            summed = _with_gradient(node, losses)
            if summed is not None:
                instead[node] = summed[-1]
                replaced[node.outputs[0]] = summed[-1].outputs[0]
    result = []
    for node in nodes:
        new = instead.get(node, node)
        if new.type == "AddN" and new is not node:
            # The gradient stands before the sum of what else there is.
            result.append(new.inputs[0].node)
        result.append(new)
    return result, replaced


class _Loss(NamedTuple):
    """What one loss is made of: `product` is x * z, `exponential` is exp(-|x|), `positive` is x >= 0."""

    logits: Value
    labels: Value
    product: Node
    positive: Value
    exponential: Value


def _loss(node: Node) -> _Loss | None:
    if node.type not in ADDITIONS or node.control or node.guard or node.outputs[0].dtype.name not in _TYPES:
        return None
    for linear, logarithm in (node.inputs, reversed(node.inputs)):
        if linear.node.type != "Sub" or logarithm.node.type != "Log1p":
            continue
        exponential = logarithm.node.inputs[0]
        ramp, product = linear.node.inputs
        if exponential.node.type != "Exp" or ramp.node.type != "Select" or product.node.type != "Mul":
            continue
        positive, x, zeros = ramp.node.inputs
        if (
            not _is_zero(zeros)
            or not _is_sign(positive, x)
            or not _is_distance(exponential.node.inputs[0], positive, x)
        ):
            continue
        if x in product.node.inputs:
            z = product.node.inputs[1 if product.node.inputs[0] is x else 0]
            if x.dims is not None and z.dims is not None and len(x.dims) == len(z.dims):
                return _Loss(x, z, product.node, positive, exponential)
    return None


def _is_zero(value: Value) -> bool:
    constant = value.constant
    return value.node.type == "ZerosLike" if constant is None else not constant.any()


def _is_sign(positive: Value, x: Value) -> bool:
    return positive.node.type == "GreaterEqual" and positive.node.inputs[0] is x and _is_zero(positive.node.inputs[1])


def _is_distance(value: Value, positive: Value, x: Value) -> bool:
    """Whether `value` is -|x|."""
    node = value.node
    if node.type != "Select" or node.inputs[0] is not positive or node.inputs[2] is not x:
        return False
    return node.inputs[1].node.type == "Neg" and node.inputs[1].node.inputs[0] is x


def _bare(value: Value) -> Value:
    """`value` before it was summed up to the shape of what it is a gradient of: all here is linear in it."""
    while value.node.type == "_SumLike":
        value = value.node.inputs[0]
    return value


def _with_gradient(total: Node, losses: dict[Value, _Loss]) -> list[Node] | None:
    """The nodes that stand for a sum with all four gradients of one loss among its terms."""
    for term in map(_bare, total.inputs):
        # The way over the exponential, for logits below 0.
        if term.node.type != "Select" or not _is_zero(term.node.inputs[1]):
            continue
        found = _through_exponential(term.node.inputs[2], losses)
        if found is None or term.node.inputs[0] is not found[0].positive:
            continue
        loss, gradient = found
        ways = {term}
        for other in map(_bare, total.inputs):
            if _is_way(other, loss, gradient, term.node.inputs[2]):
                ways.add(other)
        rest = [value for value in total.inputs if _bare(value) not in ways]
        if len(ways) != _WAYS or len(rest) != len(total.inputs) - _WAYS:
            continue
        output = total.outputs[0]
        fused = new_node(
            "_LogisticLossGrad", total, [loss.logits, loss.labels, gradient], [(output.dtype, output.dims)]
        )
        if not rest:
            return [fused]
        attrs = {**total.attrs, "N": len(rest) + 1}
        return [fused, new_node("AddN", total, [fused.outputs[0], *rest], [(output.dtype, output.dims)], attrs)]
    return None


def _through_exponential(value: Value, losses: dict[Value, _Loss]) -> tuple[_Loss, Value] | None:
    """For g / (1 + e) * e, where e is the exponential of a loss: that loss and g."""
    if value.node.type != "Mul":
        return None
    for scaled, exponential in (value.node.inputs, reversed(value.node.inputs)):
        loss = losses.get(exponential)
        if loss is None or scaled.node.type != "Mul":
            continue
        for gradient, inverse in (scaled.node.inputs, reversed(scaled.node.inputs)):
            gradient = _bare(gradient)
            if inverse.node.type in ("Reciprocal", "Inv") and _is_one_more(inverse.node.inputs[0], exponential):
                return loss, gradient
    return None


def _is_one_more(value: Value, exponential: Value) -> bool:
    if value.node.type not in ADDITIONS or exponential not in value.node.inputs:
        return False
    one = value.node.inputs[1 if value.node.inputs[0] is exponential else 0].constant
    return one is not None and bool((one == 1).all())


def _is_way(value: Value, loss: _Loss, gradient: Value, through: Value) -> bool:
    """Whether `value` is one of the other three: over max(x, 0), over -x * z, and over -x in the exponential."""
    node = value.node
    if node.type == "Select":
        return node.inputs[0] is loss.positive and _bare(node.inputs[1]) is gradient and _is_zero(node.inputs[2])
    if node.type == "Neg":
        chosen = node.inputs[0].node
        return (
            chosen.type == "Select"
            and chosen.inputs[0] is loss.positive
            and chosen.inputs[1] is through
            and _is_zero(chosen.inputs[2])
        )
    if node.type != "Mul":
        return False
    return any(
        label is loss.labels and negated.node.type == "Neg" and _bare(negated.node.inputs[0]) is gradient
        for label, negated in ((one, _bare(other)) for one, other in (node.inputs, reversed(node.inputs)))
    )


fusion = Fusion(
    "compute the logistic loss of labels, and its gradient, in a call each",
    fuse_logistic_losses,
    [{"Log1p"}, {"Exp"}, {"Select"}],
    makes=[logistic_loss, logistic_loss_grad],
)
_LABELS = tensor("rows", 3, low=0.0, high=1.0)


@fusion.example(tensor("rows", 3, low=-20.0, high=20.0), _LABELS)
def loss_and_gradient(tf: API, logits: Tensor, labels: Tensor) -> Fetches:
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return [loss, *tf.gradients(loss * 2.0, logits)]


@fusion.example(tensor("rows", 3), _LABELS)
def with_another_loss_of_the_logits(tf: API, logits: Tensor, labels: Tensor) -> Fetches:
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.gradients(tf.reduce_mean(loss) + tf.reduce_sum(tf.square(logits)), logits)


# ---- native instructions

logistic_loss.native(of_one_shape("sigmoid_cross_entropy"))


@logistic_loss_grad.native
def _logistic_loss_grad_native(node: NodeView) -> Lowering | None:
    alike = equal_dims(*node.inputs)

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        """As the kernel: 1 - z - s or -z - s, with s = sigmoid(-|x|) and the sign of x."""
        x, z, gradient = inputs
        if not alike:
            same_shape(b, x, z, gradient)
        dtype = node.inputs[0].dtype.as_numpy_dtype
        zero, one, minus = (b.constant(np.asarray(number, dtype)) for number in (0, 1, -1))
        (far,) = b.apply("abs", [x])
        (far,) = b.apply("neg", [far])
        (small,) = b.apply("sigmoid", [far])
        (right,) = b.apply("greater_equal", [x, zero])
        (small,) = b.apply("mul", [small, b.apply("select", [right, one, minus])[0]])
        (label,) = b.apply("select", [right, one, zero])
        (label,) = b.apply("sub", [label, z])
        (slope,) = b.apply("sub", [label, small])
        return b.apply("mul", [slope, gradient])

    return lower
