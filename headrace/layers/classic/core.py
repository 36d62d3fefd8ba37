"""`tf.layers`: dense, dropout and flatten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.layers import core
from headrace.layers.base import Layer
from headrace.layers.classic.functional import function_of
from headrace.state.initializers import Zeros

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Constraint, FunctionIdentifier, InitializerLike, Regularizer, TensorLike


ZEROS = Zeros()


class Dense(core.Dense, Layer):
    """activation(inputs @ kernel + bias), over the last axis of the inputs; arguments as in `tf.keras.layers.Dense`."""

    def __init__(
        self,
        units: int,
        activation: object = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | TensorLike | None = None,
        bias_initializer: InitializerLike | TensorLike = ZEROS,
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        kernel_constraint: Constraint | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units=units,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class Dropout(core.Dropout, Layer):
    """Sets elements to 0 at random in training; arguments as in `tf.keras.layers.Dropout`."""

    def __init__(
        self,
        rate: float = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            rate=rate,
            noise_shape=noise_shape,
            seed=seed,
            name=name,
            **kwargs,
        )

    def call(self, inputs: TensorLike, training: TensorLike | None = False) -> Tensor:
        """The inputs, with elements set to 0 in training."""
        return super().call(inputs, training=training)


class Flatten(core.Flatten, Layer):
    """Makes one axis of all but the batch's."""


dense = function_of(
    Dense,
    "dense",
    "activation(inputs @ kernel + bias), over the last axis of the inputs.",
    "logits = tf.layers.dense(hidden, 10)",
)
dropout = function_of(
    Dropout,
    "dropout",
    "Sets elements to 0 at random in training.",
    "y = tf.layers.dropout(x, rate=0.4, training=is_training)",
    before={"training": "name"},
)


def flatten(inputs: Tensor, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """Makes one axis of all but the batch's.

    Args:
        inputs: a tensor [batch, ...].
        name: a name for the operations.
        data_format: "channels_last", or "channels_first" for inputs whose channels are to be moved to the end before.

    Returns:
        a tensor [batch, all the rest].

    Example:
        >>> tf.layers.flatten(tf.zeros([8, 4, 4, 3])).shape
        TensorShape([Dimension(8), Dimension(48)])
    """
    return Flatten(name=name, data_format=data_format).apply(inputs)


FullyConnected = Dense
fully_connected = dense
