"""Local response normalization: each channel is divided by a power of a sum of squares of its neighbours.

b = a / (bias + alpha * sum of squares of the channels within depth_radius) ** beta: section 3.3 of Krizhevsky,
Sutskever, Hinton, ImageNet Classification with Deep Convolutional Neural Networks, 2012.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.dims import merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.nn.windows import of_rank

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_SETTINGS = "*, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, T: {half, bfloat16, float} = float"

lrn_op = op("LRN", f"input: T, {_SETTINGS} -> output: T")
lrn_grad_op = op("LRNGrad", f"input_grads: T, input_image: T, output_image: T, {_SETTINGS} -> output: T").never_fails()


@lrn_op.shape
def lrn_shape(op):
    return [of_rank(op.inputs[0].dims, 4)]


@lrn_grad_op.shape
def lrn_grad_shape(op):
    dims = of_rank(op.inputs[0].dims, 4)
    for tensor in op.inputs[1:]:
        dims = merge_dims(dims, of_rank(tensor.dims, 4))
    return [dims]


def _neighbours(radius: int) -> Callable[..., Any]:
    """What sums the channels around each one: a product with a matrix of a band of ones, made once a size."""
    if radius < 0:
        raise InvalidArgumentError(None, None, f"depth_radius = {radius} larger than int max: it must not be negative")
    bands: dict[Any, Any] = {}

    def summed(x):
        channels = x.shape[-1]
        key = (channels, x.dtype, x.device)
        band = bands.get(key)
        if band is None:
            ones = torch.ones(channels, channels, dtype=x.dtype, device=x.device)
            band = bands[key] = ones.triu(-radius).tril(radius)
        return (x.flatten(0, -2) @ band).view(x.shape)

    return summed


@lrn_op.kernel
def lrn_kernel(node):
    bias, alpha, beta = (node.attrs[name] for name in ("bias", "alpha", "beta"))
    summed = _neighbours(node.attrs["depth_radius"])
    own = node.inputs[0].dtype.torch

    def normalize(x):
        if x.dim() != 4:
            raise InvalidArgumentError(None, None, "in must be 4-dimensional")
        x = x.float()
        return (x * summed(x * x).mul_(alpha).add_(bias).pow_(-beta)).to(own)

    return normalize


@lrn_grad_op.kernel
def lrn_grad_kernel(node):
    bias, alpha, beta = (node.attrs[name] for name in ("bias", "alpha", "beta"))
    summed = _neighbours(node.attrs["depth_radius"])
    own = node.inputs[0].dtype.torch

    def gradient_of(gradient, x, y):
        """Each input acts on its own output, and through the sum on those of its neighbours."""
        gradient, x, y = gradient.float(), x.float(), y.float()
        norm = summed(x * x).mul_(alpha).add_(bias)
        through = summed(gradient * y / norm).mul_(x).mul_(2.0 * alpha * beta)
        return (gradient * norm.pow_(-beta)).sub_(through).to(own)

    return gradient_of


@lrn_op.gradient
def lrn_gradient(op, grad):
    settings = {name: op.attrs[name] for name in ("depth_radius", "bias", "alpha", "beta")}
    return [raw.LRNGrad(grad, op.inputs[0], op.outputs[0], **settings)]


lrn_op.accepts([2, 3, 2, 8]).accepts([1, 2, 2, 3], depth_radius=1, bias=2.0, alpha=0.1, beta=0.75)
lrn_op.rejects([2, 3, 4], error=ValueError, match="rank 4")
lrn_grad_op.accepts(*[[1, 2, 2, 4]] * 3).accepts(*[[1, 2, 2, 3]] * 3, depth_radius=1, bias=2.0, alpha=0.1, beta=0.75)
lrn_grad_op.rejects([1, 2, 2, 4], [1, 2, 2, 3], [1, 2, 2, 4], error=ValueError)


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each value by (bias + alpha * sum of squares of the channels around it) ** beta.

    Args:
        input: float32, float16 or bfloat16, [batch, height, width, channels].
        depth_radius: how many channels on either side count.
        bias, alpha, beta: floats.
        name: a name for the operation.

    Returns:
        a tensor like `input`.
    """
    return raw.LRN(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


lrn = local_response_normalization
