"""Attention to a memory: the mechanisms of Bahdanau and Luong."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, float32, int32
from headrace.core.shapes import dimension_value
from headrace.core.tensor import Tensor
from headrace.functions.array.where import sequence_mask
from headrace.functions.flow.checks import assert_positive
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones, ones_like
from headrace.kernels.composing.shapes import expand_dims, rank, shape, squeeze
from headrace.layers.classic.core import Dense
from headrace.layers.engine import Layer
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot, where
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import rsqrt, square, tanh
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.sizes import zero_state_tensors
from headrace.state.initializers import constant_initializer, ones_initializer, zeros_initializer
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, FloatLike, TensorLike
    from headrace.state.variables import Variable


class AttentionMechanism:
    """What `AttentionWrapper` calls: `mechanism(query, state=...)` gives alignments and the next state."""

    @property
    def alignments_size(self) -> Any:
        """The number of places in the memory."""
        raise NotImplementedError

    @property
    def state_size(self) -> Any:
        """The size of the state that is carried from step to step."""
        raise NotImplementedError


def hardmax(logits: TensorLike, name: str | None = None) -> Tensor:
    """One where a row's largest element is, zero elsewhere.

    Args:
        logits: [..., classes].
        name: a name for the operation.

    Returns:
        a tensor of the type and shape of `logits`.

    Example:
        >>> tf.contrib.seq2seq.hardmax([[1.0, 3.0, 2.0]])  # [[0.0, 1.0, 0.0]]
    """
    with name_scope(name, "Hardmax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        depth = dimension_value(logits.get_shape()[-1])
        return one_hot(argmax(logits, -1), shape(logits)[-1] if depth is None else depth, dtype=logits.dtype)


def prepare_memory(
    memory: TensorLike,
    memory_sequence_length: TensorLike | None = None,
    memory_mask: TensorLike | None = None,
    check_inner_dims_defined: bool = True,
) -> Any:
    """The memory as tensors, zero past the sequences' ends.

    Args:
        memory: [batch, time, ...], or a structure of such tensors.
        memory_sequence_length: [batch], or None for full length.
        memory_mask: bool [batch, time]: what of the memory counts, in place of lengths.
        check_inner_dims_defined: whether the inner axes have to be of known size.

    Raises:
        ValueError: if they are not, or for lengths and a mask.
    """
    if memory_sequence_length is not None and memory_mask is not None:
        raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
    memory = nest.map_structure(lambda part: convert_to_tensor(part, name="memory"), memory)
    if memory_sequence_length is not None:
        memory_sequence_length = convert_to_tensor(memory_sequence_length, name="memory_sequence_length")
    if check_inner_dims_defined:
        for part in nest.flatten(memory):
            if not part.get_shape()[2:].is_fully_defined():
                raise ValueError(
                    f"Expected memory {part.name} to have fully defined inner dims, but saw shape: {part.get_shape()}"
                )
    first = nest.flatten(memory)[0]
    if memory_sequence_length is not None:
        mask = sequence_mask(memory_sequence_length, maxlen=shape(first)[1], dtype=first.dtype)
    elif memory_mask is not None:
        mask = cast(memory_mask, first.dtype)
    else:
        return memory

    def masked(part: Tensor) -> Tensor:
        dims = part.get_shape().ndims
        inner = ones((rank(part) if dims is None else dims) - 2, dtype=int32)
        return part * reshape(mask, concat((shape(mask), inner), 0))

    return nest.map_structure(masked, memory)


def mask_score(
    score: Tensor,
    memory_sequence_length: TensorLike | None = None,
    memory_mask: TensorLike | None = None,
    score_mask_value: FloatLike | None = None,
) -> Tensor:
    """Scores [batch, time] with `score_mask_value`, -inf by default, past the sequences' ends, or outside of a mask.

    Raises:
        ValueError: for lengths and a mask.
        InvalidArgumentError: when run, for a sequence without length.
    """
    if score_mask_value is None:
        score_mask_value = score.dtype.as_numpy_dtype(-np.inf)
    if memory_mask is not None:
        if memory_sequence_length is not None:
            raise ValueError("memory_sequence_length and memory_mask can't be provided at same time.")
        return where(memory_mask, score, score_mask_value * ones_like(score))
    if memory_sequence_length is None:
        return score
    positive = assert_positive(
        memory_sequence_length, message="All values in memory_sequence_length must be greater than zero."
    )
    with control_dependencies([positive]):
        mask = sequence_mask(memory_sequence_length, maxlen=shape(score)[1])
    return where(mask, score, score_mask_value * ones_like(score))


def luong_score(query: Tensor, keys: Tensor, scale: Variable | None) -> Tensor:
    """The products of queries [batch, depth] and keys [batch, time, depth], times `scale` unless that is None.

    Raises:
        ValueError: if the depths differ.
    """
    depth, units = query.get_shape()[-1], keys.get_shape()[-1]
    if depth != units:
        raise ValueError(
            f"Incompatible or unknown inner dimensions between query and keys.  Query ({query}) has units: {depth}.  "
            f"Keys ({keys}) have units: {units}.  Perhaps you need to set num_units to the keys' dimension ({units})?"
        )
    score = squeeze(matmul(expand_dims(query, 1), keys, transpose_b=True), [1])
    return score if scale is None else scale * score


def bahdanau_score(
    query: Tensor, keys: Tensor, v: Variable, g: Variable | None = None, b: Variable | None = None
) -> Tensor:
    """`v · tanh(keys + query)`, with `v` normalized to the length `g` and the bias `b` where they are given.

    Args:
        query: [batch, units].
        keys: [batch, time, units].
        v: [units].
        g: a scalar.
        b: [units].
    """
    query = expand_dims(query, 1)
    if g is None or b is None:
        return reduce_sum(v * tanh(keys + query), [2])
    v = g * v * rsqrt(reduce_sum(square(v)))
    return reduce_sum(v * tanh(keys + query + b), [2])


def scale_variable(query: Tensor, enabled: bool) -> Variable | None:
    """The variable that scales Luong's scores, or None."""
    if not enabled:
        return None
    return get_variable("attention_g", dtype=query.dtype, initializer=ones_initializer, shape=())


def bahdanau_variables(query: Tensor, units: int, normalize: bool) -> tuple[Any, Any, Any]:
    """The variables v, g and b of `bahdanau_score`; the last two are None unless `normalize`."""
    v = get_variable("attention_v", [units], dtype=query.dtype)
    if not normalize:
        return v, None, None
    g = get_variable(
        "attention_g", dtype=query.dtype, initializer=constant_initializer(math.sqrt(1.0 / units)), shape=()
    )
    return v, g, get_variable("attention_b", [units], dtype=query.dtype, initializer=zeros_initializer())


def projection(units: int, name: str, dtype: Any) -> Dense:
    """The layer that turns queries or the memory into what is compared."""
    return Dense(units, name=name, use_bias=False, dtype=float32 if dtype is None else dtype)


def _checked_layer(layer: Dense | None, name: str) -> Any:
    if layer is not None and not isinstance(layer, Layer):
        raise TypeError(f"{name} is not a Layer: {type(layer).__name__}")
    return layer


class BaseAttentionMechanism(AttentionMechanism):
    """What the mechanisms share: the memory as keys and values, and the masking of scores.

    Args:
        query_layer: the layer for queries, or None.
        memory: [batch, time, ...]: what is attended to.
        probability_fn: takes scores and the state, returns alignments.
        memory_sequence_length: [batch]: how much of the memory of each sequence counts.
        memory_layer: the layer that turns the memory into keys.
        check_inner_dims_defined: whether the inner axes of the memory have to be of known size.
        score_mask_value: the score past the sequences' ends, -inf by default.
        custom_key_value_fn: takes keys and values, returns those to be used.
        name: a name for the operations.

    Raises:
        TypeError: if a layer is none, or `probability_fn` no function.
    """

    def __init__(
        self,
        query_layer: Dense | None,
        memory: Tensor,
        probability_fn: Callable[[Any, Any], Any],
        memory_sequence_length: Tensor | Sequence[int] | None = None,
        memory_layer: Any = None,
        check_inner_dims_defined: bool = True,
        score_mask_value: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str | None = None,
    ) -> None:
        self._query_layer = _checked_layer(query_layer, "query_layer")
        self._memory_layer = _checked_layer(memory_layer, "memory_layer")
        self.dtype = memory_layer.dtype
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        if score_mask_value is None:
            score_mask_value = as_dtype(self.dtype).as_numpy_dtype(-np.inf)
        # Made anew in each step: an op's number in the graph is the seed of those after it that are random.
        self._masked = lambda score: mask_score(score, memory_sequence_length, score_mask_value=score_mask_value)
        self._probability_fn = lambda score, state: probability_fn(self._masked(score), state)
        with name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            self._values = prepare_memory(
                memory, memory_sequence_length, check_inner_dims_defined=check_inner_dims_defined
            )
            self._keys = self._values if self.memory_layer is None else self.memory_layer(self._values)
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = dimension_value(self._keys.shape[0]) or shape(self._keys)[0]
            self._alignments_size = dimension_value(self._keys.shape[1]) or shape(self._keys)[1]

    @property
    def memory_layer(self) -> Any:
        """The layer that turned the memory into keys."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer for queries, or None."""
        return self._query_layer

    @property
    def values(self) -> Any:
        """The memory, zero past the sequences' ends."""
        return self._values

    @property
    def keys(self) -> Any:
        """What queries are compared with."""
        return self._keys

    @property
    def batch_size(self) -> Any:
        """The number of sequences in the memory."""
        return self._batch_size

    @property
    def alignments_size(self) -> Any:
        """The length of the memory."""
        return self._alignments_size

    @property
    def state_size(self) -> Any:
        """The length of the memory: the state is the last alignments."""
        return self._alignments_size

    def initial_alignments(self, batch_size: int | Tensor, dtype: DTypeLike) -> Tensor:
        """The alignments before the first step: zeros."""
        return zero_state_tensors(self._alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Tensor:
        """The state before the first step: the first alignments."""
        return self.initial_alignments(batch_size, dtype)

    def by(self, probability_fn: Callable[[Any], Any]) -> BaseAttentionMechanism:
        """A mechanism of the same layers and memory that turns masked scores into alignments by another function."""
        other = copy.copy(self)
        other._probability_fn = lambda score, _: probability_fn(other._masked(score))
        return other

    def _processed(self, query: Tensor) -> Tensor:
        return self.query_layer(query) if self.query_layer else query

    def _aligned(self, score: Tensor, state: TensorLike) -> tuple[Tensor, Tensor]:
        alignments = self._probability_fn(score, state)
        return alignments, alignments


def _of_score(function: Callable[[Any], Any] | None) -> Callable[[Any, Any], Any]:
    chosen = softmax if function is None else function
    return lambda score, _: chosen(score)


class LuongAttention(BaseAttentionMechanism):
    """Scores by products of queries and keys (Luong et al., arXiv:1508.04025).

    Args:
        num_units: the depth of queries, and of the keys that are made of the memory.
        memory, memory_sequence_length: as for all mechanisms: [batch, time, depth] and [batch].
        scale: whether scores are scaled by a variable.
        probability_fn: turns scores into alignments; softmax by default.
        score_mask_value: the score past the sequences' ends, -inf by default.
        dtype: the type of the weights, float32 by default.
        custom_key_value_fn: takes keys and values, returns those to be used.
        name: a name for the operations.

    Example:
        >>> attention = tf.contrib.seq2seq.LuongAttention(128, inputs, memory_sequence_length=[5, 3])
        >>> cell = tf.nn.rnn_cell.GRUCell(128)
        >>> cell = tf.contrib.seq2seq.AttentionWrapper(cell, attention, attention_layer_size=128)
    """

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        memory_sequence_length: Tensor | Sequence[int] | None = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: float | None = None,
        dtype: DType | None = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            query_layer=None,
            memory_layer=projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_of_score(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._scale = scale
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """The alignments of queries [batch, units], and the next state, which they are."""
        with variable_scope(None, "luong_attention", [query]):
            score = luong_score(query, self._keys, scale_variable(query, self._scale))
        return self._aligned(score, state)


class BahdanauAttention(BaseAttentionMechanism):
    """Scores by a layer of sums of queries and keys (Bahdanau et al., arXiv:1409.0473).

    Args:
        num_units: the depth in which queries and keys are compared.
        memory, memory_sequence_length: as for all mechanisms: [batch, time, depth] and [batch].
        normalize: whether the layer's weights are normalized (Salimans and Kingma, arXiv:1602.07868).
        probability_fn: turns scores into alignments; softmax by default.
        score_mask_value: the score past the sequences' ends, -inf by default.
        dtype: the type of the weights, float32 by default.
        custom_key_value_fn: takes keys and values, returns those to be used.
        name: a name for the operations.

    Example:
        >>> attention = tf.contrib.seq2seq.BahdanauAttention(128, inputs, memory_sequence_length=[5, 3])
    """

    def __init__(
        self,
        num_units: int,
        memory: Tensor,
        memory_sequence_length: Tensor | Sequence[int] | None = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: Any = None,
        dtype: DType | None = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            query_layer=projection(num_units, "query_layer", dtype),
            memory_layer=projection(num_units, "memory_layer", dtype),
            memory=memory,
            probability_fn=_of_score(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._name = name

    def __call__(self, query: Any, state: Any) -> tuple[Any, Any]:
        """The alignments of queries [batch, depth], and the next state, which they are."""
        with variable_scope(None, "bahdanau_attention", [query]):
            processed = self._processed(query)
            variables = bahdanau_variables(query, self._num_units, self._normalize)
            score = bahdanau_score(processed, self._keys, *variables)
        return self._aligned(score, state)
