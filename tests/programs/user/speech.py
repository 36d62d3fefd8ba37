"""Speech with stacked LSTMs in both directions, CTC loss and both decoders."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(3)
rng = np.random.RandomState(0)
inputs = tf.placeholder(tf.float32, [None, None, 13])
targets = tf.sparse_placeholder(tf.int32)
seq_len = tf.placeholder(tf.int32, [None])
shape = tf.shape(inputs)
fw = tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.LSTMCell(32, state_is_tuple=True) for _ in range(2)])
bw = tf.contrib.rnn.MultiRNNCell([tf.contrib.rnn.LSTMCell(32) for _ in range(2)])
outputs, _ = tf.nn.bidirectional_dynamic_rnn(fw, bw, inputs, seq_len, dtype=tf.float32)
outputs = tf.reshape(tf.concat(outputs, 2), [-1, 64])
W = tf.Variable(tf.truncated_normal([64, 10], stddev=0.1))
b = tf.Variable(tf.constant(0.0, shape=[10]))
logits = tf.transpose(tf.reshape(tf.matmul(outputs, W) + b, [shape[0], -1, 10]), (1, 0, 2))
cost = tf.reduce_mean(tf.nn.ctc_loss(targets, logits, seq_len))
op = tf.train.MomentumOptimizer(0.005, 0.9).minimize(cost)
dec, lp = tf.nn.ctc_beam_search_decoder(logits, seq_len)
gd, _ = tf.nn.ctc_greedy_decoder(logits, seq_len)
ler = tf.reduce_mean(tf.edit_distance(tf.cast(dec[0], tf.int32), targets))
X = rng.randn(4, 30, 13)
L = [30, 22, 28, 17]
lab = [rng.randint(0, 9, n) for n in (6, 4, 8, 3)]
idx = np.array([(i, j) for i, s in enumerate(lab) for j in range(len(s))])
sp = (idx, np.concatenate(lab).astype("i"), np.array([4, 8]))
results = {"losses": [], "trainable": [v.name for v in tf.trainable_variables()]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(4):
        results["losses"].append(sess.run([cost, op], {inputs: X, targets: sp, seq_len: L})[0])
    results["error"], results["probability"] = sess.run([ler, lp], {inputs: X, targets: sp, seq_len: L})
    results["greedy"] = sess.run(gd[0], {inputs: X, seq_len: L}).values
