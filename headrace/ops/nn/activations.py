"""Activation functions, and the ops that are their gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dims import merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.math.elementwise import bracketed, same_shape, widened
from headrace.kernels.math.in_place import gradient_in_place, unary_in_place
from headrace.kernels.native import named, of_one_shape

if TYPE_CHECKING:
    from headrace.core.module import ModuleMembers
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, TensorLike


_FLOATS = "{bfloat16, half, float, double}"

# Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515: mean 0 and variance 1 are a fixed point.
SELU_SCALE = 1.0507009873554805
SELU_ALPHA = 1.6732632423543772

# From here on log(1 + exp(x)) is x to the last bit.
_SOFTPLUS_LINEAR = {torch.float64: 37.0}

# The gradients of activations have no torch function of their own; one such call costs less than a comparison,
# a conversion and a product.
_threshold_backward = torch.ops.aten.threshold_backward.default
_hardtanh_backward = torch.ops.aten.hardtanh_backward.default
_leaky_relu_backward = torch.ops.aten.leaky_relu_backward.default
_elu_backward = torch.ops.aten.elu_backward.default
_softplus_backward = torch.ops.aten.softplus_backward.default


def _activation(op_type: str, types: str, rule: Callable[..., Any], attrs: str = "") -> OpDecl:
    decl = op(op_type, f"features: T, *, {attrs}T: {types} -> activations: T")
    decl.shape(same_shape)
    decl.kernel(rule)
    return decl.fresh().accepts([2, 3]).accepts([]).accepts([0, 3])


def _merged_shape(op):
    return [merge_dims(op.inputs[0].dims, op.inputs[1].dims)]


def _activation_gradient(op_type: str, types: str, second: str, rule: Callable[..., Any], attrs: str = "") -> OpDecl:
    decl = op(op_type, f"gradients: T, {second}: T, *, {attrs}T: {types} -> backprops: T")

    decl.shape(_merged_shape)
    decl.kernel(_of_same_size(rule))
    return decl.fresh().accepts([2, 3], [2, 3]).accepts([0], [0]).rejects([2], [3], error=ValueError)


def _of_same_size(rule: Callable[..., Any]) -> Callable[..., Any]:
    """The rule, with TensorFlow's refusal of inputs of different shapes where they show in the step alone."""

    def careful_rule(node: NodeView) -> Callable[..., Any]:
        function = rule(node)
        dims = [value.dims for value in node.inputs]
        if dims[0] == dims[1] and dims[0] is not None and None not in dims[0]:
            return function
        # Where both ranks are known, what torch refuses is enough: it costs a usual step nothing.
        ranked = None not in dims

        def careful(gradients: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
            try:
                if ranked or gradients.shape == second.shape:
                    return function(gradients, second)
            except RuntimeError:
                if gradients.shape == second.shape:
                    raise
            raise InvalidArgumentError(
                None,
                None,
                f"Inputs to operation {node.name} of type {node.type} must have the same size and shape.  "
                f"Input 0: {bracketed(gradients.shape)} != input 1: {bracketed(second.shape)}",
            )

        return careful

    return careful_rule


# ---- kernels ----


def _relu_rule(node):
    if node.inputs[0].dtype.is_unsigned:
        return torch.clone
    return torch.relu


def _relu_grad_rule(node):
    if node.inputs[0].dtype.is_integer:
        return widened(node, lambda gradients, features: _threshold_backward(gradients, features, 0))
    # Where a feature is NaN this gives 0, as TensorFlow does; the threshold would let the gradient through.
    return lambda gradients, features: _leaky_relu_backward(gradients, features, 0.0, False)


def _relu6_rule(node):
    return widened(node, lambda features: torch.clamp(features, 0, 6))


def _relu6_grad_rule(node):
    if node.inputs[0].dtype.is_integer:
        return widened(node, lambda gradients, features: gradients * ((features > 0) & (features < 6)))
    return lambda gradients, features: _hardtanh_backward(gradients, features, 0.0, 6.0)


def _alpha_of(node):
    """The slope, in the precision of the features."""
    return float(torch.tensor(node.attrs["alpha"], dtype=node.outputs[0].dtype.torch))


def _leaky_relu_rule(node):
    alpha = _alpha_of(node)
    return lambda features: torch.nn.functional.leaky_relu(features, alpha)


def _leaky_relu_grad_rule(node):
    alpha = _alpha_of(node)
    return lambda gradients, features: _leaky_relu_backward(gradients, features, alpha, False)


def _elu_rule(node):
    return torch.nn.functional.elu


def _elu_grad_rule(node):
    return lambda gradients, outputs: _elu_backward(gradients, 1.0, 1.0, 1.0, True, outputs)


def _selu_rule(node):
    return torch.selu


def _selu_grad_rule(node):
    # torch counts 0 as negative, where the slope is another one; the smallest number is positive.
    smallest = torch.finfo(node.inputs[0].dtype.torch).tiny
    return lambda gradients, outputs: _elu_backward(gradients, SELU_ALPHA, SELU_SCALE, 1.0, True, outputs + smallest)


def _softplus_rule(node):
    threshold = _SOFTPLUS_LINEAR.get(node.inputs[0].dtype.torch, 20.0)
    return lambda features: torch.nn.functional.softplus(features, 1.0, threshold)


def _softplus_grad_rule(node):
    threshold = _SOFTPLUS_LINEAR.get(node.inputs[0].dtype.torch, 20.0)
    return lambda gradients, features: _softplus_backward(gradients, features, 1.0, threshold)


def _softsign_rule(node):
    return torch.nn.functional.softsign


def _softsign_grad_rule(node):
    return lambda gradients, features: gradients / (features.abs() + 1).square()


relu_op = _activation(
    "Relu",
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}",
    _relu_rule,
).keeps_shape()
relu_grad_op = _activation_gradient("ReluGrad", "realnumeric", "features", _relu_grad_rule).never_fails()
relu6_op = _activation("Relu6", "realnumeric", _relu6_rule).keeps_shape()
relu6_grad_op = _activation_gradient("Relu6Grad", "realnumeric", "features", _relu6_grad_rule).never_fails()
leaky_relu_op = op("LeakyRelu", "features: T, *, alpha=0.2, T: floating = float -> activations: T")
leaky_relu_op.shape(same_shape)
leaky_relu_op.kernel(_leaky_relu_rule)
leaky_relu_op.accepts([2, 3]).accepts([2, 3], alpha=0.0).accepts([0])
leaky_relu_op.accepts(np.array([[-9, 7, -5], [3, -1, -7]], np.float16))
leaky_relu_grad_op = op(
    "LeakyReluGrad", "gradients: T, features: T, *, alpha=0.2, T: floating = float -> backprops: T"
).never_fails()
leaky_relu_grad_op.shape(_merged_shape)
leaky_relu_grad_op.kernel(_of_same_size(_leaky_relu_grad_rule))
leaky_relu_grad_op.accepts([2, 3], [2, 3]).rejects([2], [3], error=ValueError)
elu_op = _activation("Elu", "floating", _elu_rule).keeps_shape().costs(4)
elu_grad_op = _activation_gradient("EluGrad", "floating", "outputs", _elu_grad_rule).never_fails()
selu_op = _activation("Selu", "floating", _selu_rule).keeps_shape().costs(4)
selu_grad_op = _activation_gradient("SeluGrad", "floating", "outputs", _selu_grad_rule).never_fails()
softplus_op = _activation("Softplus", "floating", _softplus_rule).keeps_shape().costs(4)
softplus_grad_op = _activation_gradient("SoftplusGrad", "floating", "features", _softplus_grad_rule).never_fails()
softsign_op = _activation("Softsign", "floating", _softsign_rule).keeps_shape()
softsign_grad_op = _activation_gradient("SoftsignGrad", "floating", "features", _softsign_grad_rule).never_fails()

relu_op.reuses(unary_in_place(torch.relu_))
relu6_op.reuses(unary_in_place(lambda features: features.clamp_(0, 6)))
leaky_relu_op.reuses(
    lambda node, index: functools.partial(torch.nn.functional.leaky_relu_, negative_slope=node.attrs["alpha"])
)
relu_grad_op.reuses(gradient_in_place(torch.ops.aten.leaky_relu_backward.grad_input, 0.0, False))
relu6_grad_op.reuses(gradient_in_place(torch.ops.aten.hardtanh_backward.grad_input, 0.0, 6.0))


# ---- gradients ----


@relu_op.gradient
def relu_gradient(op, grad):
    return [raw.ReluGrad(grad, op.outputs[0])]


@relu6_op.gradient
def relu6_gradient(op, grad):
    return [raw.Relu6Grad(grad, op.outputs[0])]


@leaky_relu_op.gradient
def leaky_relu_gradient(op, grad):
    return [raw.LeakyReluGrad(grad, op.inputs[0], alpha=op.attrs["alpha"])]


@elu_op.gradient
def elu_gradient(op, grad):
    return [raw.EluGrad(grad, op.outputs[0])]


@selu_op.gradient
def selu_gradient(op, grad):
    return [raw.SeluGrad(grad, op.outputs[0])]


@softplus_op.gradient
def softplus_gradient(op, grad):
    return [grad * raw.Sigmoid(op.inputs[0])]


@softsign_op.gradient
def softsign_gradient(op, grad):
    return [raw.SoftsignGrad(grad, op.inputs[0])]


def _no_curvature(x: Tensor) -> Tensor:
    return composing.zeros(composing.shape(x), x.dtype)


@relu_grad_op.gradient
def relu_grad_gradient(op, grad):
    x = op.inputs[1]
    return [raw.ReluGrad(grad, x), _no_curvature(x)]


@relu6_grad_op.gradient
def relu6_grad_gradient(op, grad):
    x = op.inputs[1]
    return [raw.Relu6Grad(grad, x), _no_curvature(x)]


@leaky_relu_grad_op.gradient
def leaky_relu_grad_gradient(op, grad):
    x = op.inputs[1]
    return [raw.LeakyReluGrad(grad, x, alpha=op.attrs["alpha"]), _no_curvature(x)]


def _where_negative(op: Operation, grad: Tensor) -> Tensor:
    outputs = op.inputs[1]
    return raw.Select(outputs < 0, grad * op.inputs[0], composing.zeros_like(outputs))


@elu_grad_op.gradient
def elu_grad_gradient(op, grad):
    return [raw.EluGrad(grad, op.inputs[1]), _where_negative(op, grad)]


@selu_grad_op.gradient
def selu_grad_gradient(op, grad):
    return [raw.SeluGrad(grad, op.inputs[1]), _where_negative(op, grad)]


@softplus_grad_op.gradient
def softplus_grad_gradient(op, grad):
    dy, x = op.inputs
    with control_dependencies([grad]):
        ddy = raw.SoftplusGrad(grad, x)
        d2x = grad * dy / (raw.Exp(-x) + 2.0 + raw.Exp(x))
        return [ddy, d2x]


# ---- public functions ----


def relu(features: TensorLike | ModuleMembers, name: str | None = None) -> Tensor:
    """max(features, 0).

    Args:
        features: real numbers of any shape.
        name: a name for the operation.

    Example:
        >>> tf.Session().run(tf.nn.relu([-1.0, 2.0]))
        array([0., 2.], dtype=float32)
    """
    return raw.Relu(features, name=name)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6).

    Args:
        features: real numbers of any shape.
        name: a name for the operation.

    Example:
        >>> tf.Session().run(tf.nn.relu6([-1.0, 9.0]))
        array([0., 6.], dtype=float32)
    """
    with name_scope(name, "Relu6", [features]) as scope:
        return raw.Relu6(convert_to_tensor(features, name="features"), name=scope)


def leaky_relu(features: TensorLike, alpha: TensorLike = 0.2, name: str | None = None) -> Tensor:
    """features where positive, alpha * features elsewhere (Maas, Hannun and Ng, ICML 2013).

    Args:
        features: floats of any shape; integers become float32.
        alpha: the slope where features are negative, a Python number.
        name: a name for the operation.

    Example:
        >>> tf.Session().run(tf.nn.leaky_relu([-1.0, 2.0]))
        array([-0.2,  2. ], dtype=float32)
    """
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = composing.cast(features, "float32")
        if isinstance(alpha, np.ndarray):
            alpha = alpha.item()
        return raw.LeakyRelu(features, alpha=alpha, name=scope)


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """exp(features) - 1 where negative, features elsewhere (Clevert et al., arXiv:1511.07289).

    Args:
        features: floats of any shape.
        name: a name for the operation.
    """
    return raw.Elu(features, name=name)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """The scaled exponential linear function of self-normalizing networks (Klambauer et al., arXiv:1706.02515).

    Args:
        features: floats of any shape.
        name: a name for the operation.
    """
    return raw.Selu(features, name=name)


def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(exp(features) + 1).

    Args:
        features: floats of any shape.
        name: a name for the operation.
    """
    return raw.Softplus(features, name=name)


def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """features / (abs(features) + 1).

    Args:
        features: floats of any shape.
        name: a name for the operation.
    """
    return raw.Softsign(features, name=name)


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> Tensor:
    """relu of features and of their negatives, one after the other along `axis` (arXiv:1603.05201).

    Args:
        features: signed numbers of any shape but a scalar.
        name: a name scope.
        axis: the axis that becomes twice as long.

    Example:
        >>> tf.Session().run(tf.nn.crelu([-1.0, 2.0]))
        array([0., 2., 1., 0.], dtype=float32)
    """
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return raw.Relu(composing.concat([features, -features], axis, name=scope))


# ---- native instructions

named((relu_op, "relu"), (relu6_op, "relu6"), (elu_op, "elu"), (selu_op, "selu"), (softplus_op, "softplus"))
named((softsign_op, "softsign"))
for _decl, _name in ((relu_grad_op, "relu"), (relu6_grad_op, "relu6"), (elu_grad_op, "elu"), (selu_grad_op, "selu")):
    _decl.native(of_one_shape(f"{_name}_grad"))
for _decl, _name in ((softplus_grad_op, "softplus"), (softsign_grad_op, "softsign")):
    _decl.native(of_one_shape(f"{_name}_grad"))
leaky_relu_op.native(lambda node: applied("leaky_relu", floats=[node.attrs["alpha"]]))
leaky_relu_grad_op.native(lambda node: of_one_shape("leaky_relu_grad", floats=[node.attrs["alpha"]])(node))
