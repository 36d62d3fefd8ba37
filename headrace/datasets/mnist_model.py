"""The tutorials' network for digits: two hidden layers, its loss, training and evaluation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.filling import zeros
from headrace.losses.supervised import sparse_softmax_cross_entropy
from headrace.ops.math.cast import cast
from headrace.ops.nn.activations import relu
from headrace.ops.nn.topk import in_top_k
from headrace.ops.random.normal import truncated_normal
from headrace.optimizers.descent import GradientDescentOptimizer
from headrace.state.variables import Variable
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(name: str, inputs: TensorLike, size: int, units: int) -> Tensor:
    with name_scope(name):
        stddev = 1.0 / math.sqrt(float(size))
        weights = Variable(truncated_normal([size, units], stddev=stddev), name="weights")
        biases = Variable(zeros([units]), name="biases")
        product = matmul(inputs, weights) + biases
        return product if name == "softmax_linear" else relu(product)


def inference(images: TensorLike, hidden1_units: int, hidden2_units: int) -> Tensor:
    """The logits of images.

    Args:
        images: float32 [batch, 784].
        hidden1_units, hidden2_units: the sizes of the hidden layers.

    Returns:
        float32 [batch, 10].
    """
    first = _layer("hidden1", images, IMAGE_PIXELS, hidden1_units)
    second = _layer("hidden2", first, hidden1_units, hidden2_units)
    return _layer("softmax_linear", second, hidden2_units, NUM_CLASSES)


def loss(logits: TensorLike, labels: TensorLike) -> Tensor:
    """The mean cross entropy of logits [batch, 10] and integer labels [batch]."""
    return sparse_softmax_cross_entropy(labels=cast(convert_to_tensor(labels), "int64"), logits=logits)


def training(loss: Tensor, learning_rate: float) -> Operation:
    """A step of gradient descent on `loss`, which a summary follows and a global step counts."""
    scalar("loss", loss)
    global_step = Variable(0, name="global_step", trainable=False)
    return GradientDescentOptimizer(learning_rate).minimize(loss, global_step=global_step)


def evaluation(logits: TensorLike, labels: TensorLike) -> Tensor:
    """How many of a batch are classified rightly: an int32 scalar."""
    return reduce_sum(cast(in_top_k(logits, labels, 1), "int32"))
