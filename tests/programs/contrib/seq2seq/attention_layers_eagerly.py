"""Attention mechanisms that are layers, eagerly: tapes, wrappers, decoders with them, beam search."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import attention_wrapper, basic_decoder, beam_search_decoder, loss, sampler

tf.enable_eager_execution()
tf.set_random_seed(6)
results = {}
rng = np.random.RandomState(4)
MEMORY = rng.randn(2, 4, 3).astype(np.float32)
QUERY = rng.randn(2, 5).astype(np.float32)
BEFORE = rng.dirichlet(np.ones(4), 2).astype(np.float32)
TABLE = rng.randn(7, 3).astype(np.float32)
MECHANISMS = ("BahdanauAttentionV2", "LuongAttentionV2", "BahdanauMonotonicAttentionV2", "LuongMonotonicAttentionV2")
nest = tf.contrib.framework.nest


def filled(mechanism):
    """Gives its variables values that no generator chose."""
    for variable in mechanism.weights:
        size = int(np.prod(variable.shape.as_list()))
        variable.assign(np.sin(np.arange(1, size + 1)).reshape(variable.shape.as_list()).astype(np.float32))
    return mechanism


def ready(kind, memory, lengths):
    mechanism = getattr(attention_wrapper, kind)(5, None)
    given = [memory, lengths]
    mechanism(given, setup_memory=True)
    mechanism([tf.constant(QUERY[:1]), tf.constant(BEFORE[:1])])
    return filled(mechanism)


def values(structure):
    return [part.numpy() for part in nest.flatten(structure) if hasattr(part, "numpy")]


for kind in MECHANISMS:
    mechanism = ready(kind, tf.constant(MEMORY), tf.constant([4, 2]))
    with tf.GradientTape() as tape:
        tape.watch(mechanism.keys)
        alignments, state = mechanism([tf.constant(QUERY), tf.constant(BEFORE)])
        first = tf.reduce_sum(alignments[:, 0])
    watched = [mechanism.keys] + [part for part in mechanism.trainable_variables if part.shape.as_list() != [3, 5]]
    results[kind] = {
        "alignments": alignments.numpy(),
        "gradients": values(tape.gradient(first, watched)),
        "variables": [variable.name for variable in mechanism.weights],
        "first": mechanism.initial_state(2, tf.float32).numpy(),
        "weights": [weight.shape for weight in mechanism.get_weights()],
    }


def wrapper(kind, width):
    memory = tf.contrib.seq2seq.tile_batch(tf.constant(MEMORY), width)
    lengths = tf.contrib.seq2seq.tile_batch(tf.constant([4, 2]), width)
    mechanism = getattr(attention_wrapper, kind)(5, memory, lengths)
    query = tf.contrib.seq2seq.tile_batch(tf.constant(QUERY), width)
    mechanism([query, tf.contrib.seq2seq.tile_batch(tf.constant(BEFORE), width)])
    filled(mechanism)
    cell = tf.keras.layers.LSTMCell(
        5,
        kernel_initializer=tf.keras.initializers.Constant(0.1),
        recurrent_initializer=tf.keras.initializers.Constant(0.2),
    )
    layer = tf.keras.layers.Dense(5, kernel_initializer=tf.keras.initializers.Constant(0.3))
    return attention_wrapper.AttentionWrapper(cell, mechanism, attention_layer=layer)


def decoded(kind, width):
    made = wrapper(kind, width)
    kernel = tf.constant_initializer(np.cos(np.arange(35)).reshape(5, 7))
    output = tf.keras.layers.Dense(7, kernel_initializer=kernel)
    state = made.zero_state(2 * width, tf.float32)
    if width == 1:
        decoder = basic_decoder.BasicDecoderV2(made, sampler.GreedyEmbeddingSampler(), output, maximum_iterations=4)
    else:
        decoder = beam_search_decoder.BeamSearchDecoderV2(
            made,
            width,
            output_layer=output,
            maximum_iterations=4,
            length_penalty_weight=0.5,
            coverage_penalty_weight=0.2 if "Monotonic" not in kind else 0.0,
        )
    return decoder(tf.constant(TABLE), start_tokens=tf.constant([1, 2]), end_token=6, initial_state=state)


for kind in MECHANISMS:
    for width in (1, 3):
        outputs, state, lengths = decoded(kind, width)
        results[f"{kind} {width}"] = [values(outputs), lengths.numpy()]

state = wrapper("LuongAttentionV2", 1).zero_state(2, tf.float32)
results["clone"] = values(state.clone(cell_state=[tf.ones([2, 5]), tf.zeros([2, 5])]).cell_state)
try:
    state.clone(attention=tf.ones([2, 4]))
except ValueError as error:
    results["clone of another shape"] = str(error)

logits = tf.Variable(rng.randn(2, 3, 4).astype(np.float32))
weights = tf.constant([[1.0, 1.0, 0.0], [1.0, 0.5, 2.0]])
with tf.GradientTape() as tape:
    made = loss.SequenceLoss()(tf.constant([[0, 1, 2], [3, 0, 1]]), logits, weights)
results["loss"] = [made.numpy(), tape.gradient(made, logits).numpy()]
