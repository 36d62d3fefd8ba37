"""`tf.layers`: batch normalization."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.layers import normalization
from headrace.layers.base import Layer
from headrace.state.initializers import Ones, Zeros

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Constraint, FunctionIdentifier, InitializerLike, Regularizer, TensorLike


ZEROS, ONES = Zeros(), Ones()


class BatchNormalization(normalization.BatchNormalization, Layer):
    """Normalizes by the moments of the batch or their moving averages; arguments as in `tf.keras.layers.BatchNormalization`."""

    def __init__(
        self,
        axis: int | str | Sequence[int] = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = ZEROS,
        gamma_initializer: InitializerLike = ONES,
        moving_mean_initializer: InitializerLike = ZEROS,
        moving_variance_initializer: InitializerLike = ONES,
        beta_regularizer: FunctionIdentifier | None = None,
        gamma_regularizer: Regularizer | None = None,
        beta_constraint: FunctionIdentifier | None = None,
        gamma_constraint: Constraint | None = None,
        renorm: bool = False,
        renorm_clipping: Mapping[str, float] | None = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[..., Any] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            axis=axis,
            momentum=momentum,
            epsilon=epsilon,
            center=center,
            scale=scale,
            beta_initializer=beta_initializer,
            gamma_initializer=gamma_initializer,
            moving_mean_initializer=moving_mean_initializer,
            moving_variance_initializer=moving_variance_initializer,
            beta_regularizer=beta_regularizer,
            gamma_regularizer=gamma_regularizer,
            beta_constraint=beta_constraint,
            gamma_constraint=gamma_constraint,
            renorm=renorm,
            renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_momentum,
            fused=fused,
            trainable=trainable,
            virtual_batch_size=virtual_batch_size,
            adjustment=adjustment,
            name=name,
            **kwargs,
        )

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The normalized inputs."""
        return super().call(inputs, training=training)


def batch_normalization(
    inputs: Tensor,
    axis: int | str | Sequence[int] = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: InitializerLike = ZEROS,
    gamma_initializer: InitializerLike = ONES,
    moving_mean_initializer: InitializerLike = ZEROS,
    moving_variance_initializer: InitializerLike = ONES,
    beta_regularizer: FunctionIdentifier | None = None,
    gamma_regularizer: Regularizer | None = None,
    beta_constraint: FunctionIdentifier | None = None,
    gamma_constraint: Any = None,
    training: TensorLike | None = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
    renorm: bool = False,
    renorm_clipping: Mapping[str, float] | None = None,
    renorm_momentum: float = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Callable[..., Any] | None = None,
) -> Tensor:
    """Normalizes by the moments of the batch in training, by their moving averages otherwise.

    The updates of the moving averages join `tf.GraphKeys.UPDATE_OPS`; run them with the training step.

    Args:
        inputs: a tensor.
        training: a bool or a bool tensor: whether this is training.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.BatchNormalization`.

    Returns:
        the normalized inputs.

    Example:
        >>> is_training = tf.placeholder_with_default(False, [])
        >>> y = tf.layers.batch_normalization(x, training=is_training)
        >>> with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        ...     train_op = optimizer.minimize(loss)
    """
    layer = BatchNormalization(
        axis=axis,
        momentum=momentum,
        epsilon=epsilon,
        center=center,
        scale=scale,
        beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer,
        gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint,
        gamma_constraint=gamma_constraint,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum,
        fused=fused,
        trainable=trainable,
        virtual_batch_size=virtual_batch_size,
        adjustment=adjustment,
        name=name,
        _reuse=reuse,
        _scope=name,
    )
    return layer.apply(inputs, training=training)


BatchNorm = BatchNormalization
batch_norm = batch_normalization
