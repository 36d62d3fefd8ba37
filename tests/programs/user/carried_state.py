"""Truncated backpropagation: the state of a recurrent network is kept in variables and written before the gradients."""

import numpy as np
import tensorflow as tf

results = {}


def train(use_resource, name):
    with tf.Graph().as_default(), tf.Session() as sess:
        words = tf.placeholder(tf.int32, [3, None])
        with tf.variable_scope(
            name, use_resource=use_resource, initializer=tf.random_normal_initializer(stddev=0.3, seed=4)
        ):
            table = tf.get_variable("table", [11, 5])
            cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(6), tf.nn.rnn_cell.GRUCell(4)])
            zeros = tf.zeros_initializer()
            kept = [tf.get_variable(n, [3, s], trainable=False, initializer=zeros) for n, s in zip("chg", (6, 6, 4))]
            begin = (tf.nn.rnn_cell.LSTMStateTuple(kept[0], kept[1]), kept[2])
            outputs, final = tf.nn.dynamic_rnn(cell, tf.nn.embedding_lookup(table, words[:, :-1]), initial_state=begin)
            logits = tf.layers.dense(outputs, 11)
        loss = tf.contrib.seq2seq.sequence_loss(logits, words[:, 1:], tf.ones_like(words[:, 1:], tf.float32))
        ends = [final[0].c, final[0].h, final[1]]
        with tf.control_dependencies([tf.assign(v, end) for v, end in zip(kept, ends)]):
            optimizer = tf.train.RMSPropOptimizer(0.01)
            gradients, variables = zip(*optimizer.compute_gradients(loss))
            clipped, norm = tf.clip_by_global_norm(gradients, 1.0)
            step = optimizer.apply_gradients(zip(clipped, variables), tf.train.get_or_create_global_step())
        sess.run(tf.global_variables_initializer())
        told = []
        for i in range(5):
            batch = np.random.RandomState(i).randint(0, 11, (3, 5 + i))
            told.append([float(value) for value in sess.run([loss, norm, step], {words: batch})[:2]])
        return told, sess.run(kept[2])


# A gradient of TensorFlow's may see what the assignment has already made of a reference: only what comes before is compared.
results["references"] = train(False, "old")[0][0][0]
results["resources"], results["state of resources"] = train(True, "new")
