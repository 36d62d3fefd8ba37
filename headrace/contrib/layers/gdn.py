"""Generalized divisive normalization (https://arxiv.org/abs/1511.06281)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.registry import RegisterGradient
from headrace.core.shapes import TensorShape
from headrace.functions.math.matrices import eye
from headrace.functions.nn.convolution_functions import convolution
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.layers.base import InputSpec, Layer
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.logical import logical_or
from headrace.ops.math.unary import sqrt, square
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Regularizer, ShapeLike, TensorLike
    from headrace.state.modes import _ReuseMode


_AXES = {"channels_first": 1, "channels_last": -1}


@RegisterGradient("GDNLowerBound")
def _lower_bound_gradient(op: Operation, grad: Tensor) -> list[Any]:
    """Passes what would bring a value that is below the bound back."""
    inputs, bound = op.inputs
    passes = logical_or(inputs >= bound, grad < 0)
    return [cast(passes, grad.dtype) * grad, None]


class GDN(Layer):
    """inputs[i] / sqrt(beta[i] + sum over j of gamma[i, j] * inputs[j] ** 2), over the channels.

    Args:
        inverse: whether to multiply rather than divide.
        beta_min: the least value of beta.
        gamma_init: what the diagonal of gamma starts from.
        reparam_offset: added in the form in which beta and gamma are trained, so that they stay above 0.
        data_format: "channels_last" or "channels_first".
        activity_regularizer, trainable, name: as in `tf.layers.Layer`.

    Raises:
        ValueError: for another layout.
    """

    def __init__(
        self,
        inverse: bool = False,
        beta_min: float = 1e-6,
        gamma_init: float = 0.1,
        reparam_offset: float = 2**-18,
        data_format: str = "channels_last",
        activity_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.inverse = inverse
        self._beta_min = beta_min
        self._gamma_init = gamma_init
        self._reparam_offset = reparam_offset
        self.data_format = data_format
        self._channel_axis()
        self.input_spec = InputSpec(min_ndim=3, max_ndim=5)

    def _channel_axis(self) -> int:
        if self.data_format not in _AXES:
            raise ValueError(f"Unsupported `data_format` for GDN layer: {self.data_format}.")
        return _AXES[self.data_format]

    @staticmethod
    def _lower_bound(inputs: TensorLike, bound: Tensor, name: str | None = None) -> Tensor:
        with name_scope(name, "GDNLowerBound", [inputs, bound]) as scope:
            inputs = convert_to_tensor(inputs, name="inputs")
            bound = convert_to_tensor(bound, name="bound")
            with get_default_graph().gradient_override_map({"Maximum": "GDNLowerBound"}):
                return maximum(inputs, bound, name=scope)

    def build(self, input_shape: TensorShape) -> None:
        """Makes beta and gamma."""
        axis = self._channel_axis()
        known = TensorShape(input_shape)
        channels = known[axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs to `GDN` must be defined.")
        self._input_rank = len(known)
        self.input_spec = InputSpec(ndim=known.ndims, axes={axis: channels})
        pedestal = constant(self._reparam_offset**2, dtype=self.dtype)
        beta_bound = constant((self._beta_min + self._reparam_offset**2) ** 0.5, dtype=self.dtype)
        gamma_bound = constant(self._reparam_offset, dtype=self.dtype)

        def beta_initializer(shape: Sequence[int], dtype: DType | None = None, partition_info: Any = None) -> Tensor:
            offset = constant(self._reparam_offset**2, dtype=self.dtype)
            return sqrt(ones(shape, dtype=dtype) + offset)

        def gamma_initializer(shape: Sequence[int], dtype: DType | None = None, partition_info: Any = None) -> Tensor:
            diagonal = eye(shape[0], dtype=dtype)
            offset = constant(self._reparam_offset**2, dtype=self.dtype)
            return sqrt(self._gamma_init * diagonal + offset)

        beta = self.add_variable(
            "reparam_beta", shape=[channels], initializer=beta_initializer, dtype=self.dtype, trainable=True
        )
        self.beta = square(self._lower_bound(beta, beta_bound)) - pedestal
        gamma = self.add_variable(
            "reparam_gamma",
            shape=[channels, channels],
            initializer=gamma_initializer,
            dtype=self.dtype,
            trainable=True,
        )
        self.gamma = square(self._lower_bound(gamma, gamma_bound)) - pedestal
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """The normalized inputs."""
        inputs = convert_to_tensor(inputs, dtype=self.dtype)
        rank = self._input_rank
        gamma = reshape(self.gamma, (rank - 2) * [1] + self.gamma.shape.as_list())
        if self.data_format == "channels_last":
            norm = bias_add(convolution(square(inputs), gamma, "VALID"), self.beta, data_format="NHWC")
        else:
            norm = convolution(square(inputs), gamma, "VALID", data_format="NC" + "DHW"[-(rank - 2) :])
            if rank == 3:
                norm = squeeze(bias_add(expand_dims(norm, 2), self.beta, data_format="NCHW"), [2])
            elif rank == 5:
                sizes = shape(norm)
                flat = reshape(norm, [*(sizes[i] for i in range(3)), -1])
                norm = reshape(bias_add(flat, self.beta, data_format="NCHW"), sizes)
            else:
                norm = bias_add(norm, self.beta, data_format="NCHW")
        norm = sqrt(norm)
        outputs = inputs * norm if self.inverse else inputs / norm
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        known = TensorShape(input_shape)
        if known.ndims is None or not 3 <= known.ndims <= 5:
            raise ValueError("`input_shape` must be of rank 3 to 5, inclusive.")
        if known[self._channel_axis()].value is None:
            raise ValueError("The channel dimension of `input_shape` must be defined.")
        return known


def gdn(
    inputs: Tensor,
    inverse: bool = False,
    beta_min: float = 1e-6,
    gamma_init: float = 0.1,
    reparam_offset: float = 2**-18,
    data_format: str = "channels_last",
    activity_regularizer: Regularizer | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | _ReuseMode | None = None,
) -> Tensor:
    """Makes and applies a `GDN`; arguments as there, and whether to use the variables of `name` that are there."""
    layer = GDN(
        inverse=inverse,
        beta_min=beta_min,
        gamma_init=gamma_init,
        reparam_offset=reparam_offset,
        data_format=data_format,
        activity_regularizer=activity_regularizer,
        trainable=trainable,
        name=name,
        dtype=inputs.dtype.base_dtype,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs)
