"""A translator as programs write it: attention, teacher forcing, clipped gradients, greedy and beam search decoding."""

import numpy as np
import tensorflow as tf

seq2seq = tf.contrib.seq2seq
results = {}
rng = np.random.RandomState(11)
WORDS, PAD, START, END, UNITS, DEPTH, WIDTH = 12, 0, 1, 2, 16, 8, 4


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    values = np.sin(np.arange(size) * 1.3 + 0.5 * len(shape)) * np.sqrt(3.0 / (shape[0] + shape[-1]))
    return tf.constant(values.reshape(shape), dtype)


def batch(size=16, longest=6):
    """Sentences and their translations: the words in reverse, each replaced by the next one."""
    lengths = rng.randint(2, longest + 1, size)
    source = np.zeros([size, longest], np.int32)
    target = np.zeros([size, longest + 1], np.int32)
    for i, length in enumerate(lengths):
        words = rng.randint(3, WORDS, length)
        source[i, :length] = words
        target[i, :length] = (words[::-1] - 2) % (WORDS - 3) + 3
        target[i, length] = END
    return source, lengths.astype(np.int32), target, lengths.astype(np.int32) + 1


class Translator(object):
    """The graphs of training and decoding, which share their variables."""

    def __init__(self, mode):
        self.mode = mode
        self.source = tf.placeholder(tf.int32, [None, None], "source")
        self.source_length = tf.placeholder(tf.int32, [None], "source_length")
        self.size = tf.shape(self.source)[0]
        with tf.variable_scope("translator", initializer=init, reuse=None if mode == "train" else True):
            with tf.variable_scope("encoder"):
                embedding = tf.get_variable("embedding", [WORDS, DEPTH])
                embedded = tf.nn.embedding_lookup(embedding, self.source)
                cells = [tf.nn.rnn_cell.LSTMCell(UNITS // 2) for _ in range(2)]
                outputs, states = tf.nn.bidirectional_dynamic_rnn(
                    cells[0], cells[1], embedded, self.source_length, dtype=tf.float32
                )
                self.memory = tf.concat(outputs, 2)
                self.state = tf.nn.rnn_cell.LSTMStateTuple(
                    tf.concat([s.c for s in states], 1), tf.concat([s.h for s in states], 1)
                )
            self.build_decoder()

    def build_decoder(self):
        with tf.variable_scope("decoder") as scope:
            embedding = tf.get_variable("embedding", [WORDS, DEPTH])
            words = tf.layers.Dense(WORDS, use_bias=False, name="words")
            memory, lengths, state, size = self.memory, self.source_length, self.state, self.size
            if self.mode == "beam":
                memory, lengths, state = [seq2seq.tile_batch(part, WIDTH) for part in (memory, lengths, state)]
                size = size * WIDTH
            attention = seq2seq.BahdanauAttention(UNITS, memory, lengths, normalize=True)
            cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(UNITS), tf.nn.rnn_cell.GRUCell(UNITS)])
            cell = seq2seq.AttentionWrapper(cell, attention, attention_layer_size=UNITS, name="attention")
            first = cell.zero_state(size, tf.float32)
            first = first.clone(cell_state=(state, state.h))
            starts = tf.fill([self.size], START)
            if self.mode == "train":
                self.target = tf.placeholder(tf.int32, [None, None], "target")
                self.target_length = tf.placeholder(tf.int32, [None], "target_length")
                inputs = tf.concat([tf.expand_dims(starts, 1), self.target[:, :-1]], 1)
                helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, inputs), self.target_length)
                decoder = seq2seq.BasicDecoder(cell, helper, first, words)
                outputs, _, self.lengths = seq2seq.dynamic_decode(decoder, impute_finished=True, scope=scope)
                longest = tf.reduce_max(self.target_length)
                weights = tf.sequence_mask(self.target_length, longest, tf.float32)
                self.loss = seq2seq.sequence_loss(outputs.rnn_output, self.target[:, :longest], weights)
                variables = tf.trainable_variables()
                gradients, self.norm = tf.clip_by_global_norm(tf.gradients(self.loss, variables), 1.0)
                optimizer = tf.train.AdamOptimizer(0.01)
                self.step = optimizer.apply_gradients(zip(gradients, variables), tf.train.get_or_create_global_step())
                return
            if self.mode == "greedy":
                helper = seq2seq.GreedyEmbeddingHelper(embedding, starts, END)
                decoder = seq2seq.BasicDecoder(cell, helper, first, words)
            else:
                decoder = seq2seq.BeamSearchDecoder(
                    cell, embedding, starts, END, first, WIDTH, words, length_penalty_weight=0.5
                )
            longest = tf.reduce_max(self.source_length) * 2
            outputs, _, self.lengths = seq2seq.dynamic_decode(
                decoder, maximum_iterations=longest, scope=scope, output_time_major=False
            )
            self.ids = outputs.sample_id if self.mode == "greedy" else outputs.predicted_ids


trainer, greedy, beams = Translator("train"), Translator("greedy"), Translator("beam")
results["variables"] = [[v.name, v.shape.as_list()] for v in tf.trainable_variables()]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses, norms = [], []
    for _ in range(25):
        source, source_length, target, target_length = batch()
        feed = {
            trainer.source: source,
            trainer.source_length: source_length,
            trainer.target: target,
            trainer.target_length: target_length,
        }
        loss, norm, _ = sess.run([trainer.loss, trainer.norm, trainer.step], feed)
        losses.append(loss)
        norms.append(norm)
    results["losses"] = np.array(losses[:12])
    results["later losses"] = ["%.3f" % loss for loss in losses[12:]]
    results["norms"] = np.array(norms[:8])
    results["learns"] = bool(losses[-1] < losses[0])
    source, source_length, _, _ = batch(4)
    ids, lengths = sess.run([greedy.ids, greedy.lengths], {greedy.source: source, greedy.source_length: source_length})
    results["greedy"] = [ids, lengths]
    ids, lengths = sess.run([beams.ids, beams.lengths], {beams.source: source, beams.source_length: source_length})
    results["beams"] = [ids[:, :, 0], lengths]
