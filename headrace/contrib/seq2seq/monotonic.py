"""Monotonic attention: alignments that only move forward (Raffel et al., arXiv:1704.00784)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.seq2seq.attention import (
    BaseAttentionMechanism,
    bahdanau_score,
    bahdanau_variables,
    luong_score,
    projection,
    scale_variable,
)
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.shapes import dimension_value
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.filling import ones, zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.scan import cumprod, cumsum
from headrace.ops.math.unary import exp, log, sigmoid
from headrace.ops.random.normal import random_normal
from headrace.recurrent.functional import scan
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike


def safe_cumprod(x: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    """`tf.cumprod` of values between 0 and 1, computed by logarithms: its gradient does not divide by zero.

    Args:
        x: the values.
        *args, **kwargs: as for `tf.cumsum`.
    """
    with name_scope(None, "SafeCumprod", [x]):
        x = convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return exp(cumsum(log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: TensorLike, previous_attention: TensorLike, mode: str) -> Tensor:
    """The distribution of the place attended to, moving forward from where the last step was.

    Args:
        p_choose_i: [batch, time]: the probabilities with which places are chosen when they are reached.
        previous_attention: [batch, time]: the distribution of the last step.
        mode: "recursive" (exact), "parallel" (by cumulative products, which may lose digits in long sequences), or
            "hard" (for probabilities that are 0 or 1).

    Returns:
        [batch, time].

    Raises:
        ValueError: for another mode.
    """
    p_choose_i = convert_to_tensor(p_choose_i, name="p_choose_i")
    previous_attention = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        return p_choose_i * _reached(p_choose_i, previous_attention)
    if mode == "parallel":
        passed = safe_cumprod(1 - p_choose_i, axis=1, exclusive=True)
        return p_choose_i * passed * cumsum(previous_attention / clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        chosen = p_choose_i * cumsum(previous_attention, axis=1)
        return chosen * cumprod(1 - chosen, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _reached(p_choose_i: Tensor, previous_attention: Tensor) -> Tensor:
    """The probabilities with which places are reached: that of the place before, if it was passed, or from the start."""
    batch = dimension_value(p_choose_i.shape[0]) or shape(p_choose_i)[0]
    passed = concat([ones((batch, 1)), 1 - p_choose_i[:, :-1]], 1)

    def step(before: Tensor, item: Sequence[Tensor]) -> Tensor:
        return reshape(item[0] * before + item[1], (batch,))

    return transpose(scan(step, [transpose(passed), transpose(previous_attention)], zeros((batch,))))


def monotonic_probability_fn(
    score: Tensor, previous_alignments: TensorLike, sigmoid_noise: float, mode: str, seed: int | None = None
) -> Tensor:
    """Alignments of scores: monotonic attention whose probabilities are the scores' sigmoids, with noise added first.

    Args:
        score: [batch, time].
        previous_alignments: those of the last step.
        sigmoid_noise: the deviation of the noise; none for 0.
        mode: as for `monotonic_attention`.
        seed: the seed of the noise.
    """
    if sigmoid_noise > 0:
        score = score + sigmoid_noise * random_normal(shape(score), dtype=score.dtype, seed=seed)
    chosen = cast(score > 0, score.dtype) if mode == "hard" else sigmoid(score)
    return monotonic_attention(chosen, previous_alignments, mode)


class BaseMonotonicAttentionMechanism(BaseAttentionMechanism):
    """A mechanism that begins at the first place of the memory."""

    def initial_alignments(self, batch_size: TensorLike, dtype: DTypeLike) -> Tensor:
        """The alignments before the first step: all on the first place."""
        return one_hot(zeros((batch_size,), dtype=int32), self._alignments_size, dtype=dtype)


def _alignments_of(noise: float, mode: str, seed: int | None) -> Callable[[Any, Any], Any]:
    return functools.partial(monotonic_probability_fn, sigmoid_noise=noise, mode=mode, seed=seed)


class BahdanauMonotonicAttention(BaseMonotonicAttentionMechanism):
    """Monotonic attention with Bahdanau's scores.

    Args:
        num_units, memory, memory_sequence_length, normalize, score_mask_value, dtype, name: as for `BahdanauAttention`.
        sigmoid_noise: the deviation of the noise added to scores.
        sigmoid_noise_seed: its seed.
        score_bias_init: the first value of the scores' bias.
        mode: as for `monotonic_attention`.
    """

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        memory_sequence_length: Sequence[int] | None = None,
        normalize: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DType | None = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=projection(num_units, "query_layer", dtype),
            memory_layer=projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_alignments_of(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name
        self._score_bias_init = score_bias_init

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """The alignments of queries [batch, depth] after those of `state`, and the next state, which they are."""
        with variable_scope(None, "bahdanau_monotonic_attention", [query]):
            processed = self._processed(query)
            variables = bahdanau_variables(query, self._num_units, self._normalize)
            score = bahdanau_score(processed, self._keys, *variables)
            score = score + get_variable(
                "attention_score_bias", dtype=processed.dtype, initializer=self._score_bias_init
            )
        return self._aligned(score, state)


class LuongMonotonicAttention(BaseMonotonicAttentionMechanism):
    """Monotonic attention with Luong's scores.

    Args:
        num_units, memory, memory_sequence_length, scale, score_mask_value, dtype, name: as for `LuongAttention`.
        sigmoid_noise: the deviation of the noise added to scores.
        sigmoid_noise_seed: its seed.
        score_bias_init: the first value of the scores' bias.
        mode: as for `monotonic_attention`.
    """

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        memory_sequence_length: Sequence[int] | None = None,
        scale: bool = False,
        score_mask_value: Any = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DType | None = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_alignments_of(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._score_bias_init = score_bias_init
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """The alignments of queries [batch, units] after those of `state`, and the next state, which they are."""
        with variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score(query, self._keys, scale_variable(query, self._scale))
            score = score + get_variable("attention_score_bias", dtype=query.dtype, initializer=self._score_bias_init)
        return self._aligned(score, state)
