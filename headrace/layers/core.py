"""Layers of units, and those without variables: dense, dropout, flatten."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.math.products import tensordot
from headrace.functions.nn.dropout import dropout
from headrace.kernels.composing.arranging import identity, transpose
from headrace.kernels.composing.shapes import shape
from headrace.layers import named
from headrace.layers.conditions import smart_cond
from headrace.layers.context import training_phase
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import normalize_data_format
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.nn.bias import bias_add
from headrace.ops.sparse.matmul import sparse_tensor_dense_matmul

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Constraint, InitializerLike, Regularizer, ShapeLike, TensorLike


class Dense(Layer):
    """activation(inputs @ kernel + bias), over the last axis of the inputs.

    Args:
        units: the size of the last axis of the outputs.
        activation: a function; None changes nothing.
        use_bias: whether to add `bias`.
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint:
            as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
    """

    def __init__(
        self,
        units: int,
        activation: object = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | TensorLike | None = "glorot_uniform",
        bias_initializer: InitializerLike | TensorLike = "zeros",
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        kernel_constraint: Constraint | None = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        if "input_shape" not in kwargs and "input_dim" in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_dim"),)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        self.activation = named.get_activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = named.get_initializer(kernel_initializer)
        self.bias_initializer = named.get_initializer(bias_initializer)
        self.kernel_regularizer = named.get_regularizer(kernel_regularizer)
        self.bias_regularizer = named.get_regularizer(bias_regularizer)
        self.kernel_constraint = named.get_constraint(kernel_constraint)
        self.bias_constraint = named.get_constraint(bias_constraint)
        self.supports_masking = True
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: TensorShape) -> None:
        """Makes kernel and bias."""
        dtype = as_dtype(self.dtype or "float32")
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(f"Unable to build `Dense` layer with non-floating point dtype {dtype}")
        last = TensorShape(input_shape)[-1].value
        if last is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            "kernel",
            shape=[last, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            dtype=self.dtype,
            trainable=True,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """activation(inputs @ kernel + bias)."""
        rank = inputs.shape.ndims
        if rank is not None and rank > 2:
            outputs = tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        else:
            inputs = cast(inputs, self._compute_dtype)
            if isinstance(inputs, SparseTensor):
                outputs = sparse_tensor_dense_matmul(inputs, self.kernel)
            else:
                outputs = raw.MatMul(inputs, self.kernel)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the inputs with `units` in the last axis."""
        known = TensorShape(input_shape).with_rank_at_least(2)
        if known[-1].value is None:
            raise ValueError(f"The innermost dimension of input_shape must be defined, but saw: {known}")
        return known[:-1].concatenate(self.units)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {
            **super().get_config(),
            "units": self.units,
            **named.settings(self, "activation"),
            "use_bias": self.use_bias,
            **named.settings(
                self,
                "kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
                "kernel_constraint bias_constraint",
            ),
        }


class Dropout(Layer):
    """Sets elements to 0 at random in training and scales up the others (Srivastava et al., JMLR 15, 2014).

    Args:
        rate: the share of elements to set to 0.
        noise_shape: the shape of the choices, which are broadcast; None entries are sizes of the inputs.
        seed: a seed of the choices.
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True

    def _get_noise_shape(self, inputs: TensorLike) -> Any:
        if self.noise_shape is None:
            return None
        sizes = shape(inputs)
        return convert_to_tensor([sizes[i] if size is None else size for i, size in enumerate(self.noise_shape)])

    def call(self, inputs: TensorLike, training: TensorLike | None = None) -> Tensor:
        """The inputs, with elements set to 0 in training."""

        def dropped() -> Tensor:
            return dropout(inputs, noise_shape=self._get_noise_shape(inputs), seed=self.seed, rate=self.rate)

        return smart_cond(training_phase(training), dropped, lambda: identity(inputs))

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "rate": self.rate, "noise_shape": self.noise_shape, "seed": self.seed}


class Flatten(Layer):
    """Makes one axis of all but the batch's.

    Args:
        data_format: "channels_last", or "channels_first" for inputs whose channels are to be moved to the end before.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        """The inputs as [batch, all the rest]."""
        rank = inputs.shape.ndims
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = transpose(inputs, perm=[0, *range(2, rank), 1])
        outputs = reshape(inputs, (inputs.shape[0].value or shape(inputs)[0], -1))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """[batch, the product of the other sizes]."""
        batch, *others = TensorShape(input_shape).as_list()
        return TensorShape([batch, math.prod(filter(None, others)) if all(others) else None])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "data_format": self.data_format}
