"""Every op a perceptron, its gradients and Adam make: names, types, inputs, devices aside; and the variables."""

import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
images = tf.placeholder(tf.float32, [None, 12], name="images")
labels = tf.placeholder(tf.int64, [None], name="labels")

with tf.variable_scope("model"):
    with tf.variable_scope("hidden"):
        w = tf.get_variable("w", [12, 8])
        b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
        h = tf.nn.relu(tf.matmul(images, w) + b)
    with tf.variable_scope("logits"):
        w2 = tf.get_variable("w", [8, 3], initializer=tf.truncated_normal_initializer(stddev=0.1))
        b2 = tf.get_variable("b", [3], initializer=tf.constant_initializer(0.1))
        logits = tf.nn.bias_add(tf.matmul(h, w2), b2)

loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name="loss")
loss += 1e-3 * tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables()])
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.01, step, 10, 0.9, staircase=True)
train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)
init = tf.global_variables_initializer()

graph = tf.get_default_graph()
results = {
    "ops": ["%s = %s(%s)" % (op.name, op.type, ", ".join(t.name for t in op.inputs)) for op in graph.get_operations()],
    "control inputs": [
        "%s: %s" % (op.name, ", ".join(sorted(c.name for c in op.control_inputs)))
        for op in graph.get_operations()
        if op.control_inputs
    ],
    "outputs": ["%s %s %s" % (t.name, t.dtype.name, t.shape) for op in graph.get_operations() for t in op.outputs],
    "variables": [v.name for v in tf.global_variables()],
    "trainable": [v.name for v in tf.trainable_variables()],
    "fetched by name": [
        graph.get_tensor_by_name("model/hidden/Relu:0").name,
        graph.get_operation_by_name("Adam").type,
    ],
}

random = np.random.RandomState(2)
feed = {images: random.normal(size=[20, 12]), labels: random.randint(3, size=[20])}
with tf.Session() as sess:
    sess.run(init)
    results["initial values"] = sess.run(tf.trainable_variables())
    results["losses"] = np.array([sess.run([loss, train], feed)[0] for _ in range(20)])
    results["after"] = sess.run([step, rate, accuracy], feed)
