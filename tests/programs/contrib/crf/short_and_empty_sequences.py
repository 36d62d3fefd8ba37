"""Conditional random fields: scores, likelihoods and their gradients, best sequences, short and empty sequences."""

import numpy as np
import tensorflow as tf

C = tf.contrib.crf
results = {}
rng = np.random.RandomState(3)
TAGS = 4


def compared(time, lengths, known=True, index=np.int32):
    batch = len(lengths)
    x = rng.randn(batch, time, TAGS).astype(np.float32)
    tags = rng.randint(0, TAGS, [batch, time]).astype(index)
    allowed = rng.rand(batch, time, TAGS) > 0.4
    allowed[:, :, 0] = True
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs = tf.placeholder_with_default(x, [batch, time, TAGS] if known else [None, None, TAGS])
        transitions = tf.constant(np.cos(np.arange(TAGS * TAGS)).reshape(TAGS, TAGS), tf.float32)
        lengths = tf.constant(lengths)
        tags = tf.placeholder_with_default(tags, [batch, time] if known else [None, None])
        likelihood, _ = C.crf_log_likelihood(inputs, tags, lengths, transitions)
        several = C.crf_multitag_sequence_score(inputs, tf.constant(allowed), lengths, transitions)
        made = {
            "score": C.crf_sequence_score(inputs, tags, lengths, transitions),
            "unary": C.crf_unary_score(tags, lengths, inputs),
            "binary": C.crf_binary_score(tags, lengths, transitions),
            "norm": C.crf_log_norm(inputs, lengths, transitions),
            "likelihood": likelihood,
            "several": several,
            "decoded": C.crf_decode(inputs, transitions, lengths),
        }
        if time > 1:
            made["gradients"] = tf.gradients(likelihood, [inputs, transitions])
            made["gradients of several"] = tf.gradients(several, [inputs, transitions])
        shapes = {name: str(made[name].shape) for name in ["score", "likelihood"]}
        return [sess.run(made), shapes, [t.dtype.name for t in made["decoded"]]]


results["three"] = compared(5, [5, 2, 1])
results["empty"] = compared(4, [4, 0, 3])
results["unknown"] = compared(4, [3, 4], known=False)
results["long indices"] = compared(3, [3, 1], index=np.int64)
results["one step"] = compared(1, [1, 1, 0])
results["one unknown step"] = compared(1, [1, 1, 0], known=False)

with tf.Graph().as_default(), tf.Session() as sess:
    inputs = tf.constant(rng.randn(2, 3, TAGS), tf.float32)
    with tf.variable_scope("tagger"):
        likelihood, transitions = C.crf_log_likelihood(inputs, tf.constant([[0, 1, 2], [3, 3, 0]]), tf.constant([3, 2]))
    results["variable"] = [v.name for v in tf.trainable_variables()] + [str(transitions.shape)]

score = rng.randn(6, 3).astype(np.float32)
path, best = C.viterbi_decode(score, rng.randn(3, 3).astype(np.float32))
results["viterbi"] = [[int(tag) for tag in path], float(best)]
cell = C.CrfForwardRnnCell(tf.zeros([3, 3]))
results["cells"] = [cell.state_size, cell.output_size, C.CrfDecodeBackwardRnnCell(3).state_size]

# A tagger that learns, as programs have them.
with tf.Graph().as_default(), tf.Session() as sess:
    words = rng.randn(8, 6, 5).astype(np.float32)
    gold = (words.sum(2) > 0).astype(np.int32) + (words[:, :, 0] > 1).astype(np.int32)
    lengths = tf.constant(np.array([6, 5, 4, 3, 2, 6, 6, 1], np.int32))
    weights = tf.get_variable("weights", initializer=tf.constant(np.sin(np.arange(15)).reshape(5, 3), tf.float32))
    unary = tf.reshape(tf.matmul(tf.reshape(tf.constant(words), [-1, 5]), weights), [8, 6, 3])
    likelihood, transitions = C.crf_log_likelihood(
        unary, tf.constant(gold), lengths, tf.get_variable("t", [3, 3], initializer=tf.zeros_initializer())
    )
    loss = tf.reduce_mean(-likelihood)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    sess.run(tf.global_variables_initializer())
    results["losses"] = [sess.run([loss, step])[0] for _ in range(10)]
    results["tags"] = sess.run(C.crf_decode(unary, transitions, lengths))
