"""Translation with attention that is fed back, trained; drawn weights and dropout depend on every op before them."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import seq2seq
from tensorflow.python.layers.core import Dense

np.random.seed(0)
tf.set_random_seed(1)
V, H, B, T, BEAM = (30, 24, 8, 9, 3)


class Seq2SeqModel(object):
    def __init__(self, mode):
        self.mode = mode
        self.enc_in = tf.placeholder(tf.int32, [None, None], "enc_in")
        self.enc_len = tf.placeholder(tf.int32, [None], "enc_len")
        self.dec_in = tf.placeholder(tf.int32, [None, None], "dec_in")
        self.dec_len = tf.placeholder(tf.int32, [None], "dec_len")
        bs = tf.shape(self.enc_in)[0]
        with tf.variable_scope("encoder"):
            emb = tf.get_variable("embedding", [V, H], initializer=tf.random_uniform_initializer(-0.1, 0.1))
            x = tf.nn.embedding_lookup(emb, self.enc_in)
            (ofw, obw), (sfw, sbw) = tf.nn.bidirectional_dynamic_rnn(
                tf.contrib.rnn.LSTMCell(H // 2), tf.contrib.rnn.LSTMCell(H // 2), x, self.enc_len, dtype=tf.float32
            )
            enc_out = tf.concat([ofw, obw], -1)
            enc_state = tf.contrib.rnn.LSTMStateTuple(c=tf.concat([sfw.c, sbw.c], 1), h=tf.concat([sfw.h, sbw.h], 1))
        enc_len = self.enc_len
        if mode == "decode":
            enc_out = seq2seq.tile_batch(enc_out, BEAM)
            enc_len = seq2seq.tile_batch(enc_len, BEAM)
            enc_state = tf.contrib.framework.nest.map_structure(lambda s: seq2seq.tile_batch(s, BEAM), enc_state)
        with tf.variable_scope("decoder"):
            demb = tf.get_variable("embedding", [V, H], initializer=tf.random_uniform_initializer(-0.1, 0.1))
            mech = seq2seq.BahdanauAttention(
                num_units=H, memory=enc_out, memory_sequence_length=enc_len, normalize=True
            )
            cells = [
                tf.contrib.rnn.DropoutWrapper(
                    tf.contrib.rnn.LSTMCell(H), output_keep_prob=0.9 if mode == "train" else 1.0
                )
                for _ in range(2)
            ]

            def fn(inputs, attention):
                return Dense(H, dtype=tf.float32, name="attn_input_feeding")(tf.concat([inputs, attention], -1))

            cells[-1] = seq2seq.AttentionWrapper(
                cell=cells[-1],
                attention_mechanism=mech,
                attention_layer_size=H,
                cell_input_fn=fn,
                initial_cell_state=enc_state,
                alignment_history=False,
                name="Attention_Wrapper",
            )
            cell = tf.contrib.rnn.MultiRNNCell(cells)
            n = bs if mode == "train" else bs * BEAM
            init = [enc_state for _ in range(2)]
            init[-1] = cells[-1].zero_state(batch_size=n, dtype=tf.float32)
            init = tuple(init)
            out_layer = Dense(V, name="output_projection")
            if mode == "train":
                helper = seq2seq.TrainingHelper(
                    tf.nn.embedding_lookup(demb, self.dec_in[:, :-1]), self.dec_len, name="training_helper"
                )
                decoder = seq2seq.BasicDecoder(cell, helper, init, output_layer=out_layer)
                maxlen = tf.reduce_max(self.dec_len)
                outputs, _, _ = seq2seq.dynamic_decode(
                    decoder=decoder, output_time_major=False, impute_finished=True, maximum_iterations=maxlen
                )
                logits = tf.identity(outputs.rnn_output)
                masks = tf.sequence_mask(lengths=self.dec_len, maxlen=maxlen, dtype=tf.float32, name="masks")
                self.loss = seq2seq.sequence_loss(logits=logits, targets=self.dec_in[:, 1:], weights=masks)
                params = tf.trainable_variables()
                grads = tf.gradients(self.loss, params)
                clip, self.norm = tf.clip_by_global_norm(grads, 1.0)
                self.gs = tf.Variable(0, trainable=False, name="global_step")
                self.updates = tf.train.AdamOptimizer(0.005).apply_gradients(zip(clip, params), global_step=self.gs)
            else:
                decoder = seq2seq.BeamSearchDecoder(
                    cell=cell,
                    embedding=lambda i: tf.nn.embedding_lookup(demb, i),
                    start_tokens=tf.ones([bs], tf.int32) * 1,
                    end_token=2,
                    initial_state=init,
                    beam_width=BEAM,
                    output_layer=out_layer,
                    length_penalty_weight=0.6,
                )
                out, st, lens = seq2seq.dynamic_decode(decoder=decoder, output_time_major=False, maximum_iterations=12)
                self.predicted_ids, self.scores, self.lens = (out.predicted_ids, st.log_probs, lens)


src = np.random.randint(3, V, (B, T))
slen = np.array([9, 7, 5, 9, 3, 8, 6, 4])
tgt = np.concatenate([np.ones((B, 1), int), src[:, ::-1][:, :6], np.full((B, 1), 2)], 1)
tlen = np.array([7, 7, 6, 7, 5, 7, 4, 7])
with tf.variable_scope("m"):
    train = Seq2SeqModel("train")
with tf.variable_scope("m", reuse=True):
    dec = Seq2SeqModel("decode")
results = {"losses": [], "trainable": [v.name for v in tf.trainable_variables()]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        results["losses"].append(
            sess.run(
                [train.loss, train.norm, train.updates],
                {train.enc_in: src, train.enc_len: slen, train.dec_in: tgt, train.dec_len: tlen},
            )[:2]
        )
    fed = {dec.enc_in: src[:3], dec.enc_len: slen[:3]}
    results["beams"], results["scores"], results["lengths"] = sess.run([dec.predicted_ids, dec.scores, dec.lens], fed)
