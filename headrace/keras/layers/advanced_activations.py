"""Activations that have settings or variables of their own, as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.keras.backend.activations import elu, relu, softmax
from headrace.keras.backend_config import floatx
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike


def _as_float(value: float | None) -> Any:
    """A number in the type of Keras' floats, as an array."""
    return np.asarray(value, dtype=floatx())


class _Elementwise(Layer):
    """What the layers share whose outputs have the shape of the inputs."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)


class LeakyReLU(_Elementwise):
    """x for positive x, alpha * x for others.

    Args:
        alpha: the slope below 0.
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = _as_float(alpha)

    def call(self, inputs: Any) -> Tensor:
        """The inputs, those below 0 times alpha."""
        return relu(inputs, alpha=self.alpha)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "alpha": float(self.alpha)}


class PReLU(_Elementwise):
    """x for positive x, alpha * x for others, with an alpha that is learned (He et al., arXiv:1502.01852).

    Args:
        alpha_initializer, alpha_regularizer, alpha_constraint: as in `add_weight`.
        shared_axes: the axes, from 1 on, along which there is one alpha only, such as [1, 2] for images.
    """

    def __init__(
        self,
        alpha_initializer: FunctionIdentifier | None = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.alpha_initializer = named.get_initializer(alpha_initializer)
        self.alpha_regularizer = named.get_regularizer(alpha_regularizer)
        self.alpha_constraint = named.get_constraint(alpha_constraint)
        self.shared_axes: list[int] | None = None
        if shared_axes is not None:
            axes: Any = shared_axes
            self.shared_axes = list(axes) if isinstance(axes, (list, tuple)) else [axes]

    def build(self, input_shape: ShapeLike) -> None:
        """Makes alpha."""
        sizes = TensorShape(input_shape).as_list()
        shared = self.shared_axes or []
        param_shape = sizes[1:]
        for axis in shared:
            # From 1 on; those before count from the end, and one that is not there is an IndexError, as in 1.15.
            param_shape[axis - 1] = 1
        self.alpha = self.add_weight(
            shape=param_shape,
            name="alpha",
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        if shared:
            own: dict[int, Any] = {axis: size for axis, size in enumerate(sizes) if axis > 0 and axis not in shared}
            self.input_spec = InputSpec(ndim=len(sizes), axes=own)
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """The inputs, those below 0 times alpha."""
        positive = raw.Relu(inputs)
        negative = -self.alpha * raw.Relu(-inputs)
        return positive + negative

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {
            **super().get_config(),
            **named.settings(self, "alpha_initializer alpha_regularizer alpha_constraint"),
            "shared_axes": self.shared_axes,
        }


class ELU(_Elementwise):
    """x for positive x, alpha * (exp(x) - 1) for others (Clevert et al., arXiv:1511.07289).

    Args:
        alpha: the bound below which it does not fall, negated.
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = _as_float(alpha)

    def call(self, inputs: Any) -> Tensor:
        """The inputs, those below 0 bent."""
        return elu(inputs, self.alpha)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "alpha": float(self.alpha)}


class ThresholdedReLU(_Elementwise):
    """x where it is above theta, else 0 (Konda et al., arXiv:1402.3337).

    Args:
        theta: the threshold.
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.theta = _as_float(theta)

    def call(self, inputs: Any) -> Tensor:
        """The inputs, 0 where they are not above theta."""
        return inputs * cast(inputs > self.theta, floatx())

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "theta": float(self.theta)}


class Softmax(_Elementwise):
    """Exponentials that are scaled to the sum 1 along an axis.

    Args:
        axis: that axis.
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Tensor:
        """The softmax of the inputs."""
        return softmax(inputs, axis=self.axis)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "axis": self.axis}


class ReLU(_Elementwise):
    """x above a threshold and up to a largest value; below the threshold a line of another slope.

    Args:
        max_value: the largest value of the outputs; None for no bound.
        negative_slope: the slope below the threshold: negative_slope * (x - threshold).
        threshold: where that line begins.

    Raises:
        ValueError: if `max_value` or `negative_slope` is negative.

    Example:
        >>> relu6 = tf.keras.layers.ReLU(max_value=6)
    """

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0, threshold: float = 0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = False
        if max_value is not None and max_value < 0.0:
            raise ValueError(f"max_value of Relu layer cannot be negative value: {max_value}")
        if negative_slope < 0.0:
            raise ValueError(f"negative_slope of Relu layer cannot be negative value: {negative_slope}")
        self.max_value = None if max_value is None else _as_float(max_value)
        self.negative_slope = _as_float(negative_slope)
        self.threshold = _as_float(threshold)

    def call(self, inputs: Any) -> Tensor:
        """The rectified inputs."""
        return relu(inputs, alpha=self.negative_slope, max_value=self.max_value, threshold=self.threshold)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with; numbers are arrays, as 1.15 has them."""
        own = {key: getattr(self, key) for key in ("max_value", "negative_slope", "threshold")}
        return {**super().get_config(), **own}
