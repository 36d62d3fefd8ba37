"""Attention of TensorFlow 1.0: functions over keys and values, for `dynamic_rnn_decoder`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headrace.contrib.layers.dense import linear
from headrace.core.dtypes import float32
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.array.shape import reshape
from headrace.ops.math.unary import tanh
from headrace.ops.nn.softmax import softmax
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

# Takes queries [batch, units], keys and values [batch, time, units]; returns [batch, units].
AttentionFunction = Callable[["Tensor", "Tensor", "Tensor"], "Tensor"]


def prepare_attention(
    attention_states: Tensor, attention_option: str, num_units: int, reuse: bool = False
) -> tuple[Tensor, Tensor, AttentionFunction, AttentionFunction]:
    """Keys, values and functions for `attention_decoder_fn_train` and `attention_decoder_fn_inference`.

    Args:
        attention_states: [batch, time, num_units]: what is attended to.
        attention_option: "luong" compares by products, "bahdanau" by a sum through tanh.
        num_units: the depth of the cell's output.
        reuse: whether the variables are there already.

    Returns:
        the keys; the values; a function of queries, keys and values that gives what is attended to, a mean of the values;
        and one that makes the attention of that and the queries.

    Raises:
        ValueError: for another `attention_option`.

    Example:
        >>> keys, values, score_fn, construct_fn = tf.contrib.seq2seq.prepare_attention(tf.ones([2, 6, 4]), "bahdanau", 4)
    """
    if attention_option not in ("luong", "bahdanau"):
        raise ValueError(
            f'prepare_attention: `attention_option` must be "luong" or "bahdanau", got {attention_option!r}.'
        )
    with variable_scope("attention_keys", reuse=reuse) as keys_scope:
        keys = linear(attention_states, num_units, biases_initializer=None, scope=keys_scope)
    scores_of: Callable[[Tensor, Tensor], Tensor] = _scores_by_products
    if attention_option == "bahdanau":
        with variable_scope("attention_score", reuse=reuse):
            scores_of = _scores_by_sums(num_units)

    def score_fn(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        alignments = softmax(scores_of(query, keys))
        seen = reduce_sum(expand_dims(alignments, 2) * values, [1])
        seen.set_shape([None, num_units])
        return seen

    with variable_scope("attention_construct", reuse=reuse) as construct_scope:

        def construct_fn(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
            both = concat([query, score_fn(query, keys, values)], 1)
            return linear(both, num_units, biases_initializer=None, scope=construct_scope)

    return keys, attention_states, score_fn, construct_fn


def _scores_by_products(query: Tensor, keys: Tensor) -> Tensor:
    return reduce_sum(keys * expand_dims(query, 1), [2])


def _scores_by_sums(num_units: int) -> Callable[[Tensor, Tensor], Tensor]:
    weights = get_variable("attnW", [num_units, num_units], dtype=float32)
    v = get_variable("attnV", [num_units], dtype=float32)

    def scores(query: Tensor, keys: Tensor) -> Tensor:
        turned = reshape(matmul(query, weights), [-1, 1, num_units])
        return reduce_sum(v * tanh(keys + turned), [2])

    return scores
