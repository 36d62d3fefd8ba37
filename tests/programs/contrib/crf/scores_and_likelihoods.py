"""Conditional random fields: scores, likelihoods with gradients, decoding."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(4)
crf = tf.contrib.crf
for time in (5, 1):
    for fed in (False, True):
        scores = random.normal(size=[3, time, 4]).astype(np.float32)
        tags = random.randint(0, 4, size=[3, time]).astype(np.int32)
        lengths = np.minimum([5, 3, 1], time).astype(np.int32)
        lengths[2] = 0 if fed else lengths[2]
        moves = random.normal(size=[4, 4]).astype(np.float32)
        allowed = random.randint(0, 2, size=[3, time, 4]).astype(bool) | (np.arange(4) == 1)
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder_with_default(scores, [None, None, 4] if fed else [3, time, 4])
            t = tf.get_variable("t", initializer=moves)
            chosen = tf.placeholder_with_default(tags, [None, None] if fed else [3, time])
            sess.run(tf.global_variables_initializer())
            likelihood, returned = crf.crf_log_likelihood(x, chosen, tf.constant(lengths), t)
            key = "%s %s " % (time, fed)
            results[key + "likelihood"] = sess.run(
                [likelihood] + [g for g in tf.gradients(likelihood, [x, t]) if g is not None]
            )
            results[key + "norm"] = sess.run(crf.crf_log_norm(x, tf.constant(lengths), t))
            results[key + "score"] = sess.run(crf.crf_sequence_score(x, chosen, tf.constant(lengths), t))
            results[key + "multi"] = sess.run(crf.crf_multitag_sequence_score(x, allowed, tf.constant(lengths), t))
            results[key + "decoded"] = list(sess.run(crf.crf_decode(x, t, tf.constant(lengths))))
        best, value = crf.viterbi_decode(scores[0], moves)
        results[key + "viterbi"] = [[int(tag) for tag in best], value]
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 6, 3])
    with tf.variable_scope("top"):
        likelihood, transitions = crf.crf_log_likelihood(
            x, tf.placeholder(tf.int64, [None, 6]), tf.placeholder(tf.int64, [None])
        )
    results["variable"] = [transitions.name, str(transitions.shape), str(likelihood.shape)]
