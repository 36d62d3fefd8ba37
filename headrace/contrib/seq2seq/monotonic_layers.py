"""Monotonic attention mechanisms that are layers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.attention import luong_score
from headrace.contrib.seq2seq.attention_layers import BaseAttentionMechanismV2, OfBahdanau, projection, type_name
from headrace.contrib.seq2seq.monotonic import monotonic_probability_fn
from headrace.core.dtypes import int32
from headrace.keras import initializers
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.where import one_hot
from headrace.state.initializers import Constant

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


class BaseMonotonicAttentionMechanismV2(BaseAttentionMechanismV2):
    """A mechanism that begins at the first place of the memory."""

    def _noisy(self, noise: float, seed: int | None, bias: float, mode: str) -> Callable[[Any, Any], Any]:
        self.sigmoid_noise, self.sigmoid_noise_seed = noise, seed
        self.score_bias_init, self.mode = bias, mode
        self.attention_score_bias: Any = None
        return functools.partial(monotonic_probability_fn, sigmoid_noise=noise, mode=mode, seed=seed)

    def _make_bias(self) -> None:
        first = Constant(self.score_bias_init)
        self.attention_score_bias = self.add_weight("attention_score_bias", shape=(), initializer=first)

    def initial_alignments(self, batch_size: int | Tensor, dtype: DTypeLike) -> Tensor:
        """The alignments before the first step: all on the first place."""
        return one_hot(zeros((batch_size,), dtype=int32), self._alignments_size, dtype=dtype)

    def _noise_config(self) -> dict[str, Any]:
        return {
            name: getattr(self, name) for name in ("sigmoid_noise", "sigmoid_noise_seed", "score_bias_init", "mode")
        }


class BahdanauMonotonicAttentionV2(OfBahdanau, BaseMonotonicAttentionMechanismV2):
    """`BahdanauMonotonicAttention` as a layer.

    Args:
        units, memory, memory_sequence_length, normalize, kernel_initializer, dtype, name, **kwargs: as for
            `BahdanauAttentionV2`.
        sigmoid_noise: the deviation of the noise added to scores.
        sigmoid_noise_seed: its seed.
        score_bias_init: the first value of the scores' bias.
        mode: as for `tf.contrib.seq2seq.monotonic_attention`.
    """

    def __init__(
        self,
        units: int,
        memory: TensorLike | None,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        kernel_initializer: Any = "glorot_uniform",
        dtype: DTypeLike | None = None,
        name: str = "BahdanauMonotonicAttention",
        **kwargs: Any,
    ) -> None:
        self._begin(units, normalize, kernel_initializer)
        super().__init__(
            memory,
            self._noisy(sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode),
            query_layer=projection(kwargs.pop("query_layer", None), units, "query_layer", dtype),
            memory_layer=projection(kwargs.pop("memory_layer", None), units, "memory_layer", dtype),
            memory_sequence_length=memory_sequence_length,
            dtype=type_name(dtype),
            name=name,
            **kwargs,
        )

    def _calculate_attention(self, query: Any, state: Any) -> Any:
        return self._aligned(self._score(query) + self.attention_score_bias, state)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such mechanism with; the memory is none of them."""
        own = {"units": self.units, "normalize": self.normalize, **self._noise_config()}
        return {**super().get_config(), **own, "kernel_initializer": initializers.serialize(self.kernel_initializer)}


class LuongMonotonicAttentionV2(BaseMonotonicAttentionMechanismV2):
    """`LuongMonotonicAttention` as a layer.

    Args:
        units, memory, memory_sequence_length, scale, dtype, name, **kwargs: as for `LuongAttentionV2`.
        sigmoid_noise: the deviation of the noise added to scores.
        sigmoid_noise_seed: its seed.
        score_bias_init: the first value of the scores' bias.
        mode: as for `tf.contrib.seq2seq.monotonic_attention`.
    """

    def __init__(
        self,
        units: int,
        memory: TensorLike | None,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "LuongMonotonicAttention",
        **kwargs: Any,
    ) -> None:
        self.units = units
        self.scale = scale
        self.attention_g: Any = None
        super().__init__(
            memory,
            self._noisy(sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode),
            memory_layer=projection(kwargs.pop("memory_layer", None), units, "memory_layer", dtype),
            memory_sequence_length=memory_sequence_length,
            dtype=type_name(dtype),
            name=name,
            **kwargs,
        )

    def build(self, input_shape: Any) -> None:
        """Makes the variables: the layers', and those of the scores."""
        super().build(input_shape)
        if self.scale and self.attention_g is None:
            self.attention_g = self.add_weight("attention_g", initializer=initializers.get("ones"), shape=())
        if self.attention_score_bias is None:
            self._make_bias()

    def _calculate_attention(self, query: Any, state: Any) -> Any:
        score = luong_score(query, self.keys, self.attention_g)
        return self._aligned(score + self.attention_score_bias, state)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such mechanism with; the memory is none of them."""
        return {**super().get_config(), "units": self.units, "scale": self.scale, **self._noise_config()}


_BaseMonotonicAttentionMechanismV2 = BaseMonotonicAttentionMechanismV2
