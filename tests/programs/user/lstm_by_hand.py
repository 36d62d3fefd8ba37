"""An LSTM written out by hand: state kept in variables, clipped gradients, a decayed rate, sampling one step at a time."""

import numpy as np
import tensorflow as tf

TEXT = "it was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, "
CHARS = sorted(set(TEXT))
BATCH, UNROLLED, NODES, SIZE = 3, 5, 8, len(CHARS)
results = {}
codes = np.eye(SIZE, dtype=np.float32)[[CHARS.index(c) for c in TEXT]]
graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(12)
    inputs_to_gates = tf.Variable(tf.truncated_normal([SIZE, 4 * NODES], -0.1, 0.1))
    output_to_gates = tf.Variable(tf.truncated_normal([NODES, 4 * NODES], -0.1, 0.1))
    biases = tf.Variable(tf.zeros([1, 4 * NODES]))
    saved_output = tf.Variable(tf.zeros([BATCH, NODES]), trainable=False)
    saved_state = tf.Variable(tf.zeros([BATCH, NODES]), trainable=False)
    w = tf.Variable(tf.truncated_normal([NODES, SIZE], -0.1, 0.1))
    b = tf.Variable(tf.zeros([SIZE]))

    def cell(x, output, state):
        gates = tf.matmul(x, inputs_to_gates) + tf.matmul(output, output_to_gates) + biases
        write, keep, new, read = tf.split(gates, 4, 1)
        state = tf.sigmoid(keep) * state + tf.sigmoid(write) * tf.tanh(new)
        return tf.sigmoid(read) * tf.tanh(state), state

    data = [tf.placeholder(tf.float32, [BATCH, SIZE]) for _ in range(UNROLLED + 1)]
    outputs = []
    output, state = saved_output, saved_state
    for x in data[:UNROLLED]:
        output, state = cell(x, output, state)
        outputs.append(output)
    with tf.control_dependencies([saved_output.assign(output), saved_state.assign(state)]):
        logits = tf.nn.xw_plus_b(tf.concat(outputs, 0), w, b)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=tf.concat(data[1:], 0), logits=logits))
    global_step = tf.Variable(0)
    rate = tf.train.exponential_decay(5.0, global_step, 5, 0.7, staircase=True)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, norm = tf.clip_by_global_norm(gradients, 1.25)
    train = optimizer.apply_gradients(zip(gradients, variables), global_step=global_step)

    sampled = tf.placeholder(tf.float32, [1, SIZE])
    one_output, one_state = tf.Variable(tf.zeros([1, NODES])), tf.Variable(tf.zeros([1, NODES]))
    reset = tf.group(one_output.assign(tf.zeros([1, NODES])), one_state.assign(tf.zeros([1, NODES])))
    next_output, next_state = cell(sampled, one_output, one_state)
    with tf.control_dependencies([one_output.assign(next_output), one_state.assign(next_state)]):
        prediction = tf.nn.softmax(tf.nn.xw_plus_b(next_output, w, b))

results["variables"] = [v.name for v in graph.get_collection("trainable_variables")]
results["ops"] = [(op.name, op.type) for op in graph.get_operations()]
with tf.Session(graph=graph) as sess:
    tf.global_variables_initializer().run()
    results["training"] = []
    for step in range(15):
        feed = {data[u]: codes[(np.arange(BATCH) * 30 + step * UNROLLED + u) % len(codes)] for u in range(UNROLLED + 1)}
        results["training"].append(sess.run([train, loss, rate, norm], feed)[1:])
    results["state"] = [saved_state.eval(), saved_output.eval(), global_step.eval()]
    reset.run()
    results["sampling"] = [prediction.eval({sampled: codes[i : i + 1]}) for i in range(4)]
    reset.run()
    results["after reset"] = prediction.eval({sampled: codes[:1]})
