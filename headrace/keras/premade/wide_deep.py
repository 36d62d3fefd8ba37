"""A linear model and a deep one, trained together (Cheng et al. 2016, arXiv:1606.07792)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.keras import activations
from headrace.keras.engine.training import Model
from headrace.keras.utils.generic_utils import serialize_keras_object
from headrace.layers import named
from headrace.layers.engine import Layer

if TYPE_CHECKING:
    from headrace.autodiff.gradient_tape import GradientTape
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier


class WideDeepModel(Model):
    """activation of the mean of a linear and a deep model; each may have an optimizer of its own.

    It is called with [inputs of the linear model, inputs of the deep model], or with inputs for both.

    Args:
        linear_model: the wide one, such as a `LinearModel`.
        dnn_model: the deep one.
        activation: a function; None changes nothing.

    Example:
        >>> wide = tf.keras.experimental.LinearModel()
        >>> deep = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dense(1)])
        >>> model = tf.keras.experimental.WideDeepModel(wide, deep)
        >>> model.compile(optimizer=["sgd", "adam"], loss="mse")
        >>> history = model.fit([np.ones([8, 3]), np.ones([8, 2])], np.ones([8, 1]), verbose=0)
    """

    def __init__(
        self, linear_model: Any, dnn_model: Any, activation: FunctionIdentifier | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.linear_model = linear_model
        self.dnn_model = dnn_model
        self.activation = named.get_activation(activation)

    def call(self, inputs: Any) -> Tensor:  # type: ignore[override]  # 1.15's takes no more either
        """activation(half of the sum of what both models give)."""
        linear_inputs = dnn_inputs = inputs
        if isinstance(inputs, (tuple, list)) and len(inputs) == 2:
            linear_inputs, dnn_inputs = inputs
        linear_output = self.linear_model(linear_inputs)
        dnn_output = self.dnn_model(dnn_inputs)
        return self.activation(0.5 * (linear_output + dnn_output))

    def _get_optimizers(self) -> tuple[Any, Any]:
        """The optimizer of the linear model, and that of the deep one."""
        if isinstance(self.optimizer, (list, tuple)):
            return self.optimizer[0], self.optimizer[1]
        return self.optimizer, self.optimizer

    def _optimizer_updates(self) -> list[Any]:
        parts = zip((self.linear_model, self.dnn_model), self._get_optimizers())
        return [
            update
            for part, optimizer in parts
            for update in optimizer.get_updates(params=part._unique_trainable_weights, loss=self.total_loss)
        ]

    def _backwards(self, tape: GradientTape, loss: Tensor) -> None:
        """Trains both models eagerly by a loss that the tape has seen."""
        parts = [part._unique_trainable_weights for part in (self.linear_model, self.dnn_model)]
        gradients = tape.gradient(loss, parts)
        for optimizer, weights, grads in zip(self._get_optimizers(), parts, gradients):
            optimizer.apply_gradients(zip(grads, weights))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such model with."""
        config = Layer.get_config(self)
        return {
            **{key: config[key] for key in ("name", "trainable", "dtype")},
            "linear_model": serialize_keras_object(self.linear_model),
            "dnn_model": serialize_keras_object(self.dnn_model),
            **named.settings(self, "activation"),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> WideDeepModel:
        """The model that `get_config` describes.

        Args:
            config: its settings.
            custom_objects: classes and functions of the program, by name.
        """
        own = dict(config)
        for part in ("linear_model", "dnn_model"):
            own[part] = slots.keras_layer_from_config(own[part], custom_objects)
        own["activation"] = activations.deserialize(own.get("activation"), custom_objects)
        return cls(**own)
