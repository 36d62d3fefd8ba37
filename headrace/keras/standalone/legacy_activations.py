"""SReLU and ParametricSoftplus, activations with variables of their own that ended with Keras 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.keras import initializers
from headrace.keras.standalone.legacy_base import Layer
from headrace.state.initializers import Constant

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, ShapeLike

_SReLU_PARTS = ("t_left", "a_left", "t_right", "a_right")


class _Elementwise(Layer):  # type: ignore[misc, valid-type]  # the class is made when it runs
    """What both share: variables as large as a sample, or of size 1 along axes that share them."""

    def __init__(self, shared_axes: int | Sequence[int] | None = None, weights: Any = None, **kwargs: Any) -> None:
        if weights is not None:
            kwargs["weights"] = weights
        super().__init__(**kwargs)
        self.supports_masking = True
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else shared_axes and list(shared_axes)

    def _one_each(self, input_shape: ShapeLike, name: str, initializer: InitializerLike) -> Any:
        sizes = TensorShape(input_shape).as_list()
        shared = self.shared_axes or ()
        shape = [1 if axis in shared else size for axis, size in enumerate(sizes)][1:]
        return self.add_weight(shape=tuple(shape), name=name, initializer=initializer)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        config: dict[str, Any] = super().get_config()
        return config | {"shared_axes": self.shared_axes}


class SReLU(_Elementwise):
    """A line of three pieces, whose ends and slopes are learned (Jin et al., arXiv:1512.07030).

    t_left + a_left * (x - t_left) below t_left, x up to t_right, t_right + a_right * (x - t_right) above; t_right is at
    t_left + |its variable|, so that it never lies below t_left.

    Args:
        t_left_init, a_left_init, t_right_init, a_right_init: initializers of the variables.
        shared_axes: the axes, from 1 on, along which there is one of each only.
        weights: the values to begin with.
        **kwargs: those of layers.
    """

    def __init__(
        self,
        t_left_init: InitializerLike | str = "zero",
        a_left_init: InitializerLike | str = "glorot_uniform",
        t_right_init: InitializerLike | str = "glorot_uniform",
        a_right_init: InitializerLike | str = "one",
        shared_axes: int | Sequence[int] | None = None,
        weights: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(shared_axes, weights, **kwargs)
        given = (t_left_init, a_left_init, t_right_init, a_right_init)
        for part, initializer in zip(_SReLU_PARTS, given):
            setattr(self, f"{part}_init", initializers.get(initializer))

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the ends and the slopes."""
        for part in _SReLU_PARTS:
            setattr(self, part, self._one_each(input_shape, part, getattr(self, f"{part}_init")))
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """The pieces put together."""
        left = self.t_left + 0.0
        right = left + raw.Abs(self.t_right + 0.0)
        below, above = raw.Minimum(inputs - left, 0.0), raw.Maximum(inputs - right, 0.0)
        between = raw.Minimum(raw.Maximum(inputs, left), right)
        return between + self.a_left * below + self.a_right * above

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        parts = {f"{part}_init": initializers.serialize(getattr(self, f"{part}_init")) for part in _SReLU_PARTS}
        return super().get_config() | parts


class ParametricSoftplus(_Elementwise):
    """alpha * log(1 + exp(beta * x)), both learned.

    Args:
        alpha_init, beta_init: the numbers to begin with.
        weights: other values to begin with.
        shared_axes: the axes, from 1 on, along which there is one of each only.
        **kwargs: those of layers.
    """

    def __init__(
        self,
        alpha_init: float = 0.2,
        beta_init: float = 5.0,
        weights: Any = None,
        shared_axes: int | Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(shared_axes, weights, **kwargs)
        self.alpha_init, self.beta_init = float(alpha_init), float(beta_init)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes alpha and beta."""
        self.alphas = self._one_each(input_shape, "alphas", Constant(self.alpha_init))
        self.betas = self._one_each(input_shape, "betas", Constant(self.beta_init))
        self.built = True

    def call(self, inputs: Tensor) -> Tensor:
        """The softplus of each number."""
        return raw.Softplus(self.betas * inputs) * self.alphas

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return super().get_config() | {"alpha_init": self.alpha_init, "beta_init": self.beta_init}
