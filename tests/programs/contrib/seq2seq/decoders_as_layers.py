"""Decoders that are layers, and their samplers: outputs, states, lengths, names of variables, refusals."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.seq2seq.python.ops import basic_decoder, beam_search_decoder, decoder, sampler

results = {}
rng = np.random.RandomState(0)
X = rng.randn(2, 4, 3).astype(np.float32)
TABLE = rng.randn(7, 3).astype(np.float32)
KERNEL = rng.randn(4, 7).astype(np.float32)


def run(name, build):
    with tf.Graph().as_default():
        cell = tf.keras.layers.LSTMCell(
            4,
            kernel_initializer=tf.keras.initializers.Constant(0.1),
            recurrent_initializer=tf.keras.initializers.Constant(0.1),
        )
        layer = tf.keras.layers.Dense(7, kernel_initializer=tf.constant_initializer(KERNEL))
        state = cell.get_initial_state(batch_size=2, dtype=tf.float32)
        try:
            fetches = tf.contrib.framework.nest.flatten(build(cell, layer, state))
        except (TypeError, ValueError) as error:
            results[name] = type(error).__name__
            return
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            results[name] = {
                "values": sess.run(fetches),
                "shapes": [str(fetch.shape) for fetch in fetches],
                "variables": [variable.name for variable in tf.global_variables()],
            }


def training(cell, layer, state, **settings):
    made = basic_decoder.BasicDecoderV2(cell, sampler.TrainingSampler(), layer, **settings)
    return made(tf.constant(X), initial_state=state, sequence_length=[4, 2])


def greedy(cell, layer, state, function=None, embedding=None):
    made = basic_decoder.BasicDecoderV2(cell, sampler.GreedyEmbeddingSampler(function), layer, maximum_iterations=4)
    return made(embedding, initial_state=state, start_tokens=[1, 2], end_token=6)


def beams(cell, layer, state, function=None, embedding=None):
    made = beam_search_decoder.BeamSearchDecoderV2(cell, 3, function, layer, maximum_iterations=4)
    state = tf.contrib.seq2seq.tile_batch(state, multiplier=3)
    return made(embedding, start_tokens=[1, 2], end_token=6, initial_state=state)


def dynamic(cell, layer, state):
    made = basic_decoder.BasicDecoderV2(cell, sampler.TrainingSampler(), layer)
    arguments = {"initial_state": state, "sequence_length": [4, 2]}
    return decoder.dynamic_decode(
        made, maximum_iterations=3, decoder_init_input=tf.constant(X), decoder_init_kwargs=arguments
    )


def doubled(ids):
    return 2.0 * tf.nn.embedding_lookup(TABLE, ids)


run("training", training)
run("imputed", lambda *parts: training(*parts, impute_finished=True))
run("time major", lambda *parts: training(*parts, output_time_major=True, maximum_iterations=2))
run("dynamic", dynamic)
for kind, make in (("greedy", greedy), ("beams", beams)):
    run(kind + " table", lambda *parts, make=make: make(*parts, embedding=tf.constant(TABLE)))
    run(kind + " function", lambda *parts, make=make: make(*parts, function=doubled))
    run(kind + " both", lambda *parts, make=make: make(*parts, function=doubled, embedding=tf.constant(TABLE)))
    run(kind + " neither", lambda *parts, make=make: make(*parts))
run("no sampler", lambda cell, layer, state: basic_decoder.BasicDecoderV2(cell, 3))
run("no layer", lambda cell, layer, state: basic_decoder.BasicDecoderV2(cell, sampler.TrainingSampler(), 3))
