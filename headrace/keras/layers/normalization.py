"""Layer normalization (Ba, Kiros and Hinton 2016, arXiv:1607.06450)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.nn.moments import batch_normalization, moments
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike
    from headrace.state.variables import Variable


class LayerNormalization(Layer):
    """(inputs - mean) / sqrt(variance + epsilon) * gamma + beta, with the moments of each example (arXiv:1607.06450).

    Args:
        axis: the axis, or axes, over which the moments are taken: that of the features.
        epsilon: added to the variance.
        center, scale: whether there is a beta, a gamma.
        beta_initializer, gamma_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint: as in
            `add_weight`.
        trainable: whether gamma and beta are trained.
        name: a name of the layer.

    Raises:
        ValueError: if `axis` is neither an int nor a list of such.

    Example:
        >>> y = tf.keras.layers.LayerNormalization()(x)
    """

    def __init__(
        self,
        axis: int | Sequence[int] = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: FunctionIdentifier | None = "zeros",
        gamma_initializer: FunctionIdentifier | None = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        if not isinstance(axis, (int, list, tuple)):
            raise ValueError(
                f"Expected an int or a list/tuple of ints for the argument 'axis', but received instead: {axis}"
            )
        self.axis: Any = list(axis) if isinstance(axis, list) else axis
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = named.get_initializer(beta_initializer)
        self.gamma_initializer = named.get_initializer(gamma_initializer)
        self.beta_regularizer = named.get_regularizer(beta_regularizer)
        self.gamma_regularizer = named.get_regularizer(gamma_regularizer)
        self.beta_constraint = named.get_constraint(beta_constraint)
        self.gamma_constraint = named.get_constraint(gamma_constraint)
        self.supports_masking = True

    def build(self, input_shape: ShapeLike) -> None:
        """Makes gamma and beta."""
        known = TensorShape(input_shape)
        rank = known.ndims
        if rank is None:
            raise ValueError(f"Input shape {known} has undefined rank.")
        given = [self.axis] if isinstance(self.axis, int) else self.axis
        axes = [axis + rank if axis < 0 else axis for axis in given]
        for axis in axes:
            if axis < 0 or axis >= rank:
                raise ValueError(f"Invalid axis: {axis}")
        # A tuple stays one, as its configuration shows.
        self.axis = tuple(axes) if isinstance(self.axis, tuple) else axes
        if len(axes) != len(set(axes)):
            raise ValueError(f"Duplicate axis: {tuple(axes)}")
        param_shape = [known[axis].value for axis in axes]
        if None in param_shape:
            raise TypeError(f"The axes {axes} of the inputs of {self.name} should be defined. Found shape: {known}")
        self.gamma = self._add_parameter("gamma", param_shape) if self.scale else None
        self.beta = self._add_parameter("beta", param_shape) if self.center else None
        self.built = True

    def _add_parameter(self, name: str, param_shape: list[Any]) -> Variable:
        return self.add_weight(
            name=name,
            shape=param_shape,
            initializer=getattr(self, f"{name}_initializer"),
            regularizer=getattr(self, f"{name}_regularizer"),
            constraint=getattr(self, f"{name}_constraint"),
            trainable=True,
            experimental_autocast=False,
        )

    def call(self, inputs: Any) -> Tensor:
        """The normalized inputs."""
        known = inputs.shape
        rank = len(known)
        mean, variance = moments(inputs, list(self.axis), keep_dims=True)
        broadcast_shape = [known[axis].value if axis in self.axis else 1 for axis in range(rank)]

        def broadcast(value: Any) -> Any:
            if value is not None and len(value.shape) != rank and list(self.axis) != [rank - 1]:
                return reshape(value, broadcast_shape)
            return value

        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        outputs = batch_normalization(inputs, mean, variance, offset=offset, scale=scale, variance_epsilon=self.epsilon)
        outputs.set_shape(known)
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {
            **super().get_config(),
            **{key: getattr(self, key) for key in ("axis", "epsilon", "center", "scale")},
            **named.settings(
                self,
                "beta_initializer gamma_initializer beta_regularizer gamma_regularizer beta_constraint gamma_constraint",
            ),
        }
