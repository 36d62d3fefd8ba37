"""Linear regression and classification as a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.keras.engine.training import Model
from headrace.layers import core, named
from headrace.layers.engine import Layer
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier


class LinearModel(Model):
    """activation(the sum of inputs @ kernel over the inputs, plus bias).

    Args:
        units: the number of outputs.
        activation: a function; None changes nothing.
        use_bias: whether there is a bias.
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer: as in `add_weight`; each input has a
            kernel.

    Example:
        >>> model = tf.keras.experimental.LinearModel()
        >>> model.compile("sgd", "mse")
        >>> history = model.fit(np.ones([8, 3]), np.ones([8, 1]), verbose=0)
    """

    def __init__(
        self,
        units: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        **kwargs: Any,
    ) -> None:
        self.units = units
        self.activation = named.get_activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = named.get_initializer(kernel_initializer)
        self.bias_initializer = named.get_initializer(bias_initializer)
        self.kernel_regularizer = named.get_regularizer(kernel_regularizer)
        self.bias_regularizer = named.get_regularizer(bias_regularizer)
        super().__init__(**kwargs)

    def build(self, input_shape: Any) -> None:
        """Makes the bias, and a layer for each input."""
        several = isinstance(input_shape, (list, tuple)) and isinstance(input_shape[0], (list, tuple, TensorShape))
        shapes = list(input_shape) if several else [input_shape]
        self.dense_layers = [
            core.Dense(
                units=self.units,
                use_bias=False,
                kernel_initializer=self.kernel_initializer,
                kernel_regularizer=self.kernel_regularizer,
                input_shape=TensorShape(shape)[1:],
            )
            for shape in shapes
        ]
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                shape=[self.units],
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: Any) -> Tensor:  # type: ignore[override]  # 1.15's takes no more either
        """activation(the sum of inputs @ kernel, plus bias)."""
        if not isinstance(inputs, (tuple, list)):
            inputs = [inputs]
        result: Any = None
        for tensor, layer in zip(inputs, self.dense_layers):
            output = layer(tensor)
            result = output if result is None else result + output
        if self.use_bias:
            result = bias_add(result, self.bias)
        return self.activation(result)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such model with."""
        config = Layer.get_config(self)
        return {
            **{key: config[key] for key in ("name", "trainable", "dtype")},
            "units": self.units,
            **named.settings(self, "activation"),
            "use_bias": self.use_bias,
            **named.settings(self, "kernel_initializer bias_initializer kernel_regularizer bias_regularizer"),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> LinearModel:
        """The model that `get_config` describes."""
        return cls(**config)
