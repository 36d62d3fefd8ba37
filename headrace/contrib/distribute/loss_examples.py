"""Small models with one loss that strategies are tested on, as 1.15's `single_loss_example` has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from headrace.contrib.distribute.steps import StandardSingleLossStep
from headrace.core.collections import GraphKeys
from headrace.core.defaults import control_dependencies, get_collection
from headrace.core.tensor import Tensor
from headrace.data.dataset import Dataset
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.layers.classic.core import Dense
from headrace.layers.classic.normalization import BatchNormalization
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape

Example: TypeAlias = tuple[Callable[[Tensor], Any], Callable[[], Dataset], Any]


def single_loss_example(
    optimizer_fn: Callable[[], Any], distribution: Any, use_bias: bool = False, iterations_per_step: int = 1
) -> tuple[StandardSingleLossStep, Dense]:
    """A step that trains a linear layer to give 1 for 1.

    Args:
        optimizer_fn: makes the optimizer.
        distribution: the strategy.
        use_bias: whether the layer has a bias.
        iterations_per_step: how many batches a step takes.

    Returns:
        the step and the layer.
    """
    layer = Dense(1, use_bias=use_bias)

    def loss_fn(_: Any, x: Tensor) -> Tensor:
        return _distance_from_one(layer, x)

    step = StandardSingleLossStep(_one, loss_fn, optimizer_fn(), distribution, iterations_per_step)
    return step, layer


def minimize_loss_example(optimizer: Any, use_bias: bool = False, use_callable_loss: bool = True) -> Example:
    """A linear layer that is to give 1 for 1.

    Args:
        optimizer: of `tf.train` or of `tf.keras`.
        use_bias: whether the layer has a bias.
        use_callable_loss: whether the optimizer is given a function, and not its value.

    Returns:
        the function that does a step of training, the function that makes the dataset, and the layer.
    """
    layer = Dense(1, use_bias=use_bias)

    def model_fn(x: Tensor) -> Any:
        def loss_fn() -> Tensor:
            return _distance_from_one(layer, x)

        return _minimized(optimizer, loss_fn if use_callable_loss else loss_fn(), layer)

    return model_fn, lambda: _one().batch(1, drop_remainder=True), layer


def batchnorm_example(
    optimizer_fn: Callable[[], Any],
    batch_per_epoch: int = 1,
    momentum: float = 0.9,
    renorm: bool = False,
    update_ops_in_replica_mode: bool = False,
) -> Example:
    """A linear layer behind batch normalization.

    Args:
        optimizer_fn: makes the optimizer.
        batch_per_epoch: how many batches there are; the numbers of each are greater by 100 than those of the one before.
        momentum, renorm: of the normalization.
        update_ops_in_replica_mode: whether a replica's step waits for the updates that the graph knows when it is made.

    Returns:
        the function that does a step of training, the function that makes the dataset, and the normalization.
    """
    optimizer = optimizer_fn()
    normalization = BatchNormalization(momentum=momentum, renorm=renorm, fused=False)
    layer = Dense(1, use_bias=False)

    def dataset_fn() -> Any:
        batches = [
            [[8.0 * row + column + 100.0 * batch for column in range(8)] for row in range(16)]
            for batch in range(batch_per_epoch)
        ]
        return Dataset.from_tensor_slices(batches).repeat()

    def model_fn(x: Tensor) -> Any:
        def loss_fn() -> Tensor:
            outputs = layer(normalization(x, training=True))
            return reduce_mean(reduce_sum(outputs, axis=1) - constant(1.0))

        updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops_in_replica_mode else []
        with control_dependencies(updates):
            return _minimized(optimizer, loss_fn, layer)

    return model_fn, dataset_fn, normalization


def _one() -> Any:
    return Dataset.from_tensors([[1.0]]).repeat()


def _distance_from_one(layer: Dense, x: Tensor) -> Tensor:
    y = reshape(layer(x), []) - constant(1.0)
    return y * y


def _minimized(optimizer: Any, loss: Any, layer: Dense) -> Any:
    if isinstance(optimizer, OptimizerV2):
        return optimizer.minimize(loss, lambda: layer.trainable_variables)
    return optimizer.minimize(loss)
