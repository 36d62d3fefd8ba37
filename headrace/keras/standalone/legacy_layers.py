"""Layers that ended with Keras 1: Highway and MaxoutDense; dilated convolutions and TimeDistributedDense by old names."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.math.products import tensordot
from headrace.functions.math.reduction import reduce_max
from headrace.keras import activations, constraints, initializers, regularizers
from headrace.keras.layers.wrappers import TimeDistributed
from headrace.keras.standalone import layers
from headrace.keras.standalone.legacy_base import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.math.unary import sigmoid

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Constraint, InitializerLike, Regularizer, ShapeLike


class _OldDense(Layer):  # type: ignore[misc, valid-type]  # the class is made when it runs
    """Weights `W` and `b` over the last axis of a matrix, with the arguments of Keras 1."""

    def __init__(
        self,
        init: InitializerLike | str = "glorot_uniform",
        weights: Any = None,
        W_regularizer: Regularizer | None = None,
        b_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        W_constraint: Constraint | None = None,
        b_constraint: Constraint | None = None,
        bias: bool = True,
        input_dim: int | None = None,
        **kwargs: Any,
    ) -> None:
        if input_dim:
            kwargs["input_shape"] = (input_dim,)
        if weights is not None:
            kwargs["weights"] = weights
        super().__init__(activity_regularizer=regularizers.get(activity_regularizer), **kwargs)
        self.init = initializers.get(init)
        self.W_regularizer, self.b_regularizer = regularizers.get(W_regularizer), regularizers.get(b_regularizer)
        self.W_constraint, self.b_constraint = constraints.get(W_constraint), constraints.get(b_constraint)
        self.bias, self.input_dim = bias, input_dim
        self.input_spec = InputSpec(ndim=2)

    def _make(self, kernel: tuple[int, ...], bias: tuple[int, ...]) -> None:
        self.input_spec = InputSpec(shape=(None, kernel[-2]))
        self.W = self.add_weight(
            shape=kernel, initializer=self.init, name="W", regularizer=self.W_regularizer, constraint=self.W_constraint
        )
        self.b = None
        if self.bias:
            self.b = self.add_weight(
                shape=bias, initializer="zeros", name="b", regularizer=self.b_regularizer, constraint=self.b_constraint
            )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        config: dict[str, Any] = super().get_config()
        return config | {
            "init": initializers.serialize(self.init),
            "W_regularizer": regularizers.serialize(self.W_regularizer),
            "b_regularizer": regularizers.serialize(self.b_regularizer),
            "activity_regularizer": regularizers.serialize(self.activity_regularizer),
            "W_constraint": constraints.serialize(self.W_constraint),
            "b_constraint": constraints.serialize(self.b_constraint),
            "bias": self.bias,
            "input_dim": self.input_dim,
        }


class MaxoutDense(_OldDense):
    """The elementwise maximum of several dense layers (Goodfellow et al., 2013, https://arxiv.org/abs/1302.4389).

    Args:
        output_dim: the number of units.
        nb_feature: how many dense layers there are.
        init, W_regularizer, b_regularizer, W_constraint, b_constraint: of the weights.
        weights: their values to begin with.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        bias: whether there are biases.
        input_dim: the number of features, for the first layer of a model.
    """

    def __init__(
        self, output_dim: int, nb_feature: int = 4, init: InitializerLike | str = "glorot_uniform", **kwargs: Any
    ) -> None:
        super().__init__(init, **kwargs)
        self.output_dim, self.nb_feature = output_dim, nb_feature

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the weights of all its dense layers."""
        features = TensorShape(input_shape).as_list()[1] or 0
        self._make((self.nb_feature, features, self.output_dim), (self.nb_feature, self.output_dim))
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """The largest of the dense layers' outputs."""
        outputs = tensordot(inputs, self.W, [[1], [1]])
        return reduce_max(outputs if self.b is None else outputs + self.b, axis=1)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """A row of `output_dim` for each row."""
        return TensorShape([TensorShape(input_shape).as_list()[0], self.output_dim])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return super().get_config() | {"output_dim": self.output_dim, "nb_feature": self.nb_feature}


class Highway(_OldDense):
    """A dense layer beside the inputs, mixed by a gate (Srivastava et al., 2015, https://arxiv.org/abs/1505.00387).

    Args:
        init, W_regularizer, b_regularizer, W_constraint, b_constraint: of the weights.
        activation: a function of the dense layer's outputs.
        weights: the weights to begin with.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        bias: whether there are biases.
        input_dim: the number of features, for the first layer of a model.
    """

    def __init__(self, init: InitializerLike | str = "glorot_uniform", activation: Any = None, **kwargs: Any) -> None:
        if kwargs.pop("transform_bias", None) is not None:
            warnings.warn("Highway: `transform_bias` is ignored; the gate's bias begins at one.", stacklevel=2)
        super().__init__(init, **kwargs)
        self.activation = activations.get(activation)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the weights of the dense layer and of its gate."""
        features = TensorShape(input_shape).as_list()[1] or 0
        self.input_spec = InputSpec(shape=(None, features))
        settings = {"regularizer": self.W_regularizer, "constraint": self.W_constraint}
        self.W = self.add_weight(shape=(features, features), initializer=self.init, name="W", **settings)
        self.W_carry = self.add_weight(shape=(features, features), initializer=self.init, name="W_carry")
        self.b = self.b_carry = None
        if self.bias:
            settings = {"regularizer": self.b_regularizer, "constraint": self.b_constraint}
            self.b = self.add_weight(shape=(features,), initializer="zeros", name="b", **settings)
            self.b_carry = self.add_weight(shape=(features,), initializer="ones", name="b_carry")
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """gate * activation(inputs @ W + b) + (1 - gate) * inputs"""

        def dense(kernel: Any, bias: Any) -> Tensor:
            product = tensordot(inputs, kernel, 1)
            return product if bias is None else product + bias

        gate = sigmoid(dense(self.W_carry, self.b_carry))
        return gate * self.activation(dense(self.W, self.b)) + (1 - gate) * inputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return super().get_config() | {"activation": activations.serialize(self.activation)}


def AtrousConvolution1D(*args: Any, atrous_rate: int = 1, **kwargs: Any) -> Any:
    """A `Conv1D` with `dilation_rate`, as Keras 1 called it."""
    return layers.__getattr__("Conv1D")(*args, dilation_rate=atrous_rate, **kwargs)


def AtrousConvolution2D(*args: Any, atrous_rate: Any = (1, 1), **kwargs: Any) -> Any:
    """A `Conv2D` with `dilation_rate`, as Keras 1 called it."""
    return layers.__getattr__("Conv2D")(*args, dilation_rate=atrous_rate, **kwargs)


AtrousConv1D, AtrousConv2D = AtrousConvolution1D, AtrousConvolution2D


def TimeDistributedDense(
    *args: Any, input_length: int | None = None, input_dim: int | None = None, **kwargs: Any
) -> Any:
    """A dense layer on each step of a sequence, as Keras 1 called it: `TimeDistributed(Dense(...))`."""
    outer = {"name": kwargs.pop("name")} if "name" in kwargs else {}
    shape = kwargs.pop("input_shape", None)
    if input_dim is not None:
        shape = (input_length, input_dim)
    if shape is not None:
        outer["input_shape"] = shape
    return TimeDistributed(layers.__getattr__("Dense")(*args, **kwargs), **outer)
