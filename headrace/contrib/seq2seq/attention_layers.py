"""Attention mechanisms that are layers: what they attend to may come after they are made, and they have configurations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.seq2seq.attention import (
    AttentionMechanism,
    bahdanau_score,
    hardmax,
    luong_score,
    mask_score,
    prepare_memory,
)
from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, float32
from headrace.core.shapes import TensorShape, dimension_value
from headrace.keras import initializers
from headrace.keras.layers import serialization
from headrace.kernels.composing.shapes import shape
from headrace.layers.core import Dense
from headrace.layers.engine import Layer
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.sizes import zero_state_tensors
from headrace.state.initializers import Constant

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {"softmax": softmax, "hardmax": hardmax}


def _checked_layer(layer: Any, name: str) -> Any:
    if layer is not None and not isinstance(layer, Layer):
        raise TypeError(f"{name} is not a Layer: {type(layer).__name__}")
    return layer


def projection(layer: Any, units: int, name: str, dtype: Any) -> Any:
    """The layer given by a configuration, or a new one without bias."""
    return Dense(units, name=name, use_bias=False, dtype=type_name(dtype)) if layer is None else layer


def type_name(dtype: Any) -> str:
    """The name of a type, of float32 for None."""
    return as_dtype(dtype or float32).name


class BaseAttentionMechanismV2(AttentionMechanism, Layer):
    """What the mechanisms that are layers share: setting up the memory, and asking it.

    `mechanism(memory, setup_memory=True)`, or with `[memory, lengths]`, keeps another memory; the constructor does it where
    it gets one. `mechanism([query, state])` gives alignments and the next state. Of a memory with lengths what is past them
    is zero, and its scores count as others do; scores outside of a mask are -inf.

    Args:
        memory: [batch, time, ...]: what is attended to; None where it comes later.
        probability_fn: takes scores and the state, returns alignments.
        query_layer: the layer for queries, or None.
        memory_layer: the layer that turns the memory into keys, or None.
        memory_sequence_length: [batch]: how much of the memory of each sequence counts.
        **kwargs: as for layers; `dtype` has to be given.

    Raises:
        TypeError: if a layer is none, or `probability_fn` no function.
    """

    def __init__(
        self,
        memory: TensorLike | None,
        probability_fn: Callable[[Any, Any], Any],
        query_layer: Any = None,
        memory_layer: Any = None,
        memory_sequence_length: TensorLike | None = None,
        **kwargs: Any,
    ) -> None:
        self.query_layer = _checked_layer(query_layer, "query_layer")
        self.memory_layer = _checked_layer(memory_layer, "memory_layer")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        super().__init__(**kwargs)
        self.score_mask_value = as_dtype(self.dtype).as_numpy_dtype(-np.inf)
        self._probability_of = probability_fn
        self.probability_fn: Any = None
        self.keys: Any = None
        self.values: Any = None
        self.batch_size: Any = None
        self._memory_initialized = False
        self.supports_masking = True
        if memory is not None:
            memory = memory if memory_sequence_length is None else [memory, memory_sequence_length]
            # A model of tensors may have made another one of it, which it knows as the layer's.
            self.values = self(memory, setup_memory=True)

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the memory's layer, or of the queries' once there is a memory."""
        first = input_shape[0] if isinstance(input_shape, list) else input_shape
        layer = self.query_layer if self._memory_initialized else self.memory_layer
        if layer is not None and not layer.built:
            layer.build(TensorShape(first))
            layer.built = True
        self.built = self._memory_initialized

    def _make_bias(self) -> None:
        """Makes what is added to all scores: nothing here."""

    def __call__(self, inputs: Any, **kwargs: Any) -> Any:
        """Sets up the memory, or gives the alignments of queries and the next state; see the class.

        Raises:
            ValueError: for another number of tensors than asked, or a query before there is a memory.
        """
        if kwargs.get("setup_memory", False):
            self._memory_initialized = False
        elif self._memory_initialized:
            if len(inputs) not in (2, 3):
                raise ValueError(f"Expect the inputs to have 2 or 3 tensors, got {len(inputs)}")
            if len(inputs) == 2:
                # A model of tensors knows by it that alignments depend on the memory.
                inputs = [*inputs, self.values]
        return super().__call__(inputs, **kwargs)

    def call(self, inputs: Any, mask: Any = None, setup_memory: bool = False, **kwargs: Any) -> Any:
        """What `__call__` gives.

        Args:
            inputs: a memory, [memory, lengths], or [query, state].
            mask: bool [batch, time]: what of the memory counts; a list of such where there are several inputs.
            setup_memory: whether `inputs` are a memory.
        """
        if not setup_memory:
            if not self._memory_initialized:
                raise ValueError("Cannot query the attention before the setup of memory")
            return self._calculate_attention(inputs[0], inputs[1])
        lengths = None
        if isinstance(inputs, list):
            if len(inputs) not in (1, 2):
                raise ValueError(f"Expect inputs to have 1 or 2 tensors, got {len(inputs)}")
            memory, lengths = inputs[0], inputs[1] if len(inputs) == 2 else None
            mask = mask[0] if isinstance(mask, list) else mask
        else:
            memory = inputs
        self._setup_memory(memory, lengths, mask)
        # The variables for queries are made when the first one comes.
        self.built = False
        self._memory_initialized = True
        return self.values

    def _setup_memory(self, memory: Any, memory_sequence_length: Any = None, memory_mask: Any = None) -> None:
        if memory_sequence_length is not None and memory_mask is not None:
            raise ValueError("memory_sequence_length and memory_mask cannot be used at same time for attention.")
        with name_scope(self.name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            self.values = prepare_memory(memory, memory_sequence_length, memory_mask)
            self.keys = self.values if self.memory_layer is None else self.memory_layer(self.values)
            self.batch_size = dimension_value(self.keys.shape[0]) or shape(self.keys)[0]
            self._alignments_size = dimension_value(self.keys.shape[1]) or shape(self.keys)[1]
            self.probability_fn = lambda score, state: self._probability_of(
                mask_score(score, memory_mask=memory_mask, score_mask_value=self.score_mask_value), state
            )

    def _calculate_attention(self, query: Any, state: Any) -> Any:
        """The alignments [batch, time] of queries [batch, depth], and the next state; subclasses define it."""
        raise NotImplementedError(
            "_calculate_attention needs to be implemented by subclasses of the attention mechanism."
        )

    def _aligned(self, score: Tensor, state: Any) -> tuple[Any, Any]:
        alignments = self.probability_fn(score, state)
        return alignments, alignments

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """None for alignments and the state: they have no steps that do not count."""
        return None, None

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such mechanism with; the memory is none of them."""
        config = super().get_config()
        for name in ("query_layer", "memory_layer"):
            layer = getattr(self, name)
            if layer is not None:
                config[name] = {"class_name": type(layer).__name__, "config": layer.get_config()}
        return {**config, "memory": None}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The mechanism that `get_config` describes; it has no memory yet, unless `memory` holds one.

        Args:
            config: the arguments of the constructor, layers as configurations.
            custom_objects: classes and functions of the program, by name.
        """
        config = dict(config)
        for name in ("query_layer", "memory_layer"):
            if config.get(name) is not None:
                config[name] = serialization.deserialize(config[name], custom_objects=custom_objects)
        return cls(**config)

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


def _named_function(name: Any) -> Callable[[Any, Any], Any]:
    if name not in ("softmax", "hardmax"):
        raise ValueError(f"Invalid probability function: {name}, options are {_FUNCTIONS.keys()}")
    return lambda score, _: _FUNCTIONS[name](score)


class LuongAttentionV2(BaseAttentionMechanismV2):
    """`LuongAttention` as a layer.

    Args:
        units: the depth of queries, and of the keys that are made of the memory.
        memory, memory_sequence_length: [batch, time, depth] and [batch]; None where they come later.
        scale: whether scores are scaled by a variable.
        probability_fn: "softmax" or "hardmax".
        dtype: the type of the weights, float32 by default.
        name: the name of the layer.
        **kwargs: as for layers, and `memory_layer`, which makes the keys.

    Raises:
        ValueError: for another probability function.

    Example:
        >>> from headrace.contrib.seq2seq.attention_layers import LuongAttentionV2
        >>> attention = LuongAttentionV2(16, tf.ones([2, 5, 8]))
        >>> alignments, state = attention([tf.ones([2, 16]), attention.initial_state(2, tf.float32)])
    """

    def __init__(
        self,
        units: int,
        memory: TensorLike | None,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        probability_fn: str = "softmax",
        dtype: DTypeLike | None = None,
        name: str = "LuongAttention",
        **kwargs: Any,
    ) -> None:
        self.units = units
        self.scale = scale
        self.scale_weight: Any = None
        self._function_name = probability_fn
        super().__init__(
            memory,
            _named_function(probability_fn),
            memory_layer=projection(kwargs.pop("memory_layer", None), units, "memory_layer", dtype),
            memory_sequence_length=memory_sequence_length,
            dtype=type_name(dtype),
            name=name,
            **kwargs,
        )

    def build(self, input_shape: Any) -> None:
        """Makes the variables: the layers', and the one that scales scores."""
        super().build(input_shape)
        if self.scale and self.scale_weight is None:
            self.scale_weight = self.add_weight("attention_g", initializer=initializers.get("ones"), shape=())

    def _calculate_attention(self, query: Any, state: Any) -> Any:
        return self._aligned(luong_score(query, self.keys, self.scale_weight), state)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such mechanism with; the memory is none of them."""
        own = {"units": self.units, "scale": self.scale, "probability_fn": self._function_name}
        return {**super().get_config(), **own}


class OfBahdanau(BaseAttentionMechanismV2):
    """The variables and the scores that the two mechanisms of Bahdanau share."""

    def _begin(self, units: int, normalize: bool, kernel_initializer: Any) -> None:
        self.units = units
        self.normalize = normalize
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.attention_v: Any = None
        self.attention_g: Any = None
        self.attention_b: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the variables: the layers', and those of the scores."""
        super().build(input_shape)
        if self.attention_v is not None:
            return
        self.attention_v = self.add_weight("attention_v", [self.units], initializer=self.kernel_initializer)
        self._make_bias()
        if self.normalize:
            length = Constant(math.sqrt(1.0 / self.units))
            self.attention_g = self.add_weight("attention_g", initializer=length, shape=())
            self.attention_b = self.add_weight("attention_b", shape=[self.units], initializer=initializers.get("zeros"))

    def _score(self, query: Any) -> Tensor:
        query = query if self.query_layer is None else self.query_layer(query)
        return bahdanau_score(query, self.keys, self.attention_v, self.attention_g, self.attention_b)


class BahdanauAttentionV2(OfBahdanau):
    """`BahdanauAttention` as a layer.

    Args:
        units: the depth in which queries and keys are compared.
        memory, memory_sequence_length: [batch, time, depth] and [batch]; None where they come later.
        normalize: whether the weights of scores are normalized (Salimans and Kingma, arXiv:1602.07868).
        probability_fn: "softmax" or "hardmax".
        kernel_initializer: of the weights of scores.
        dtype: the type of the weights, float32 by default.
        name: the name of the layer.
        **kwargs: as for layers, and `query_layer` and `memory_layer`.

    Raises:
        ValueError: for another probability function.

    Example:
        >>> from headrace.contrib.seq2seq.attention_layers import BahdanauAttentionV2
        >>> attention = BahdanauAttentionV2(16, tf.ones([2, 5, 8]), memory_sequence_length=[5, 3])
        >>> alignments, state = attention([tf.ones([2, 4]), attention.initial_state(2, tf.float32)])
    """

    def __init__(
        self,
        units: int,
        memory: TensorLike | None,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        probability_fn: str = "softmax",
        kernel_initializer: Any = "glorot_uniform",
        dtype: DTypeLike | None = None,
        name: str = "BahdanauAttention",
        **kwargs: Any,
    ) -> None:
        self._begin(units, normalize, kernel_initializer)
        self._function_name = probability_fn
        super().__init__(
            memory,
            _named_function(probability_fn),
            query_layer=projection(kwargs.pop("query_layer", None), units, "query_layer", dtype),
            memory_layer=projection(kwargs.pop("memory_layer", None), units, "memory_layer", dtype),
            memory_sequence_length=memory_sequence_length,
            dtype=type_name(dtype),
            name=name,
            **kwargs,
        )

    def _calculate_attention(self, query: Any, state: Any) -> Any:
        return self._aligned(self._score(query), state)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such mechanism with; the memory is none of them."""
        own = {"units": self.units, "normalize": self.normalize, "probability_fn": self._function_name}
        return {**super().get_config(), **own, "kernel_initializer": initializers.serialize(self.kernel_initializer)}


_BaseAttentionMechanismV2 = BaseAttentionMechanismV2
