"""Layers of attention: means of values, weighted by how well keys fit queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend_config import floatx
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones, ones_like
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.layers.engine import Layer
from headrace.ops.math.cast import cast
from headrace.ops.math.scan import cumsum
from headrace.state.initializers import GlorotUniform, Ones

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike
    from headrace.state.variables import Variable


class BaseDenseAttention(Layer):
    """What the layers of attention share: they are called with [query, value] or [query, value, key].

    Args:
        causal: whether a step sees none after itself.
    """

    def __init__(self, causal: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.causal = causal
        self.supports_masking = True

    def _calculate_scores(self, query: Tensor, key: Tensor) -> Tensor:
        """How well each key fits each query, [batch, queries, keys]."""
        raise NotImplementedError

    def _apply_scores(self, scores: Tensor, value: Tensor, scores_mask: Tensor | None = None) -> Tensor:
        if scores_mask is not None:
            # So large that nothing is left of what is masked.
            hidden = raw.LogicalNot(scores_mask)
            scores = scores - 1.0e9 * cast(hidden, dtype=floatx())
        return matmul(raw.Softmax(scores), value)

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        """For each query the mean of the values, [batch, queries, size of values].

        Args:
            inputs: [query, value] or [query, value, key]; the values are the keys if there is no key.
            mask: [query_mask, value_mask]: which steps there are; entries may be None.

        Raises:
            ValueError: if `inputs` or `mask` are no such lists.
        """
        self._validate_call_args(inputs, mask)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        query_mask = mask[0] if mask else None
        value_mask = mask[1] if mask else None
        scores = self._calculate_scores(query=query, key=key)
        if value_mask is not None:
            value_mask = expand_dims(value_mask, axis=-2)
        scores_mask = value_mask
        if self.causal:
            sizes = shape(scores)
            seen = _lower_triangular_mask(concat([ones_like(sizes[:-2]), sizes[-2:]], 0))
            scores_mask = seen if value_mask is None else raw.LogicalAnd(value_mask, seen)
        result = self._apply_scores(scores=scores, value=value, scores_mask=scores_mask)
        if query_mask is not None:
            result = result * cast(expand_dims(query_mask, axis=-1), dtype=result.dtype)
        return result

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the queries."""
        self._validate_call_args(inputs, mask)
        return None if not mask or mask[0] is None else convert_to_tensor(mask[0])

    def _validate_call_args(self, inputs: Any, mask: Any) -> None:
        name = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{name} layer must be called on a list of inputs, namely [query, value] or [query, value, key]."
            )
        if len(inputs) < 2 or len(inputs) > 3:
            raise ValueError(
                f"{name} layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
                f"Given length: {len(inputs)}"
            )
        if mask:
            if not isinstance(mask, list):
                raise ValueError(f"{name} layer mask must be a list, namely [query_mask, value_mask].")
            if len(mask) != 2:
                raise ValueError(
                    f"{name} layer mask must be a list of length 2, namely [query_mask, value_mask]. Given length: "
                    f"{len(mask)}"
                )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "causal": self.causal}


class Attention(BaseDenseAttention):
    """Attention whose scores are products of queries and keys (Luong et al., arXiv:1508.04025).

    Args:
        use_scale: whether the scores are multiplied by a scalar that is learned.
        causal: whether a step sees none after itself.

    Example:
        >>> query, value = tf.keras.Input((3, 8)), tf.keras.Input((5, 8))
        >>> context = tf.keras.layers.Attention()([query, value])
    """

    def __init__(self, use_scale: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Any) -> None:
        """Makes the scale."""
        self.scale: Variable | None = None
        if self.use_scale:
            self.scale = self.add_weight(name="scale", shape=(), initializer=Ones(), dtype=self.dtype, trainable=True)
        super().build(input_shape)

    def _calculate_scores(self, query: Tensor, key: Tensor) -> Tensor:
        scores = matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "use_scale": self.use_scale}


class AdditiveAttention(BaseDenseAttention):
    """Attention whose scores are sums of tanh(query + key) (Bahdanau et al., arXiv:1409.0473).

    Args:
        use_scale: whether the terms are multiplied by a vector that is learned.
        causal: whether a step sees none after itself.
    """

    def __init__(self, use_scale: bool = True, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: list[ShapeLike]) -> None:
        """Makes the scale."""
        self.scale: Variable | None = None
        if self.use_scale:
            size = TensorShape(input_shape[1])[-1]
            self.scale = self.add_weight(
                name="scale", shape=[size], initializer=GlorotUniform(), dtype=self.dtype, trainable=True
            )
        super().build(input_shape)

    def _calculate_scores(self, query: Tensor, key: Tensor) -> Tensor:
        # [batch, queries, 1, size] and [batch, 1, keys, size].
        terms = raw.Tanh(expand_dims(query, axis=-2) + expand_dims(key, axis=-3))
        return reduce_sum((1.0 if self.scale is None else self.scale) * terms, axis=-1)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "use_scale": self.use_scale}


def _lower_triangular_mask(sizes: Tensor) -> Tensor:
    """Where the last axis is not beyond the one before it."""
    rows = cumsum(ones(shape=sizes, dtype=int32), axis=-2)
    columns = cumsum(ones(shape=sizes, dtype=int32), axis=-1)
    return raw.GreaterEqual(rows, columns)
