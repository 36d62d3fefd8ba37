"""Recipes of a guide to graph programs: shapes static where known, batched gathers, entropies, towers, Python ops."""

import numpy as np
import tensorflow as tf

results = {}


def sizes_of(tensor):
    static = tensor.shape.as_list()
    dynamic = tf.unstack(tf.shape(tensor))
    return [d if s is None else s for s, d in zip(static, dynamic)]


def collapsed(tensor, groups):
    sizes = sizes_of(tensor)
    wanted = []
    for group in groups:
        if isinstance(group, int):
            wanted.append(sizes[group])
        elif all(isinstance(sizes[axis], int) for axis in group):
            wanted.append(np.prod([sizes[axis] for axis in group]))
        else:
            wanted.append(tf.reduce_prod([sizes[axis] for axis in group]))
    return tf.reshape(tensor, wanted)


def batch_gather(tensor, indices):
    sizes = sizes_of(tensor)
    flat = tf.reshape(tensor, [sizes[0] * sizes[1]] + sizes[2:])
    indices = tf.convert_to_tensor(indices)
    offset = tf.reshape(tf.range(sizes[0]) * sizes[1], [sizes[0]] + [1] * (indices.shape.ndims - 1))
    return tf.gather(flat, indices + offset)


def log_probabilities(logits, axis=-1):
    return logits - tf.reduce_logsumexp(logits, axis=axis, keep_dims=True)


def softmax(logits, dims=-1):
    powers = tf.exp(logits - tf.reduce_max(logits, dims, keep_dims=True))
    return powers / tf.reduce_sum(powers, dims, keep_dims=True)


def entropy(logits, dims=-1):
    probs = softmax(logits, dims)
    return tf.reduce_sum(probs * (tf.reduce_logsumexp(logits, dims, keep_dims=True) - logits), dims)


def gaussian_divergence(p, q):
    (m, logvar), (n, other) = p, q
    return 0.5 * tf.reduce_sum(other - logvar + (tf.exp(logvar) + tf.square(m - n)) / tf.exp(other) - 1.0, -1)


def leaky_relu(tensor, alpha=0.1):
    return tf.maximum(tensor, alpha * tensor)


def normalized(tensor, training, decay=0.9):
    size = tensor.shape.as_list()[-1]
    with tf.variable_scope("norm", reuse=tf.AUTO_REUSE):
        gain = tf.get_variable("gain", [size], initializer=tf.ones_initializer())
        average = tf.get_variable("average", [size], initializer=tf.zeros_initializer(), trainable=False)
        mean, variance = tf.nn.moments(tensor, [0])
        if training:
            kept = tf.assign(average, average * decay + mean * (1.0 - decay))
            with tf.control_dependencies([kept]):
                return tf.nn.batch_normalization(tensor, mean, variance, None, gain, 1e-3)
        return tensor - average


def on_towers(fn, count, **inputs):
    pieces = {key: tf.split(value, count) for key, value in inputs.items()}
    outputs = []
    for i in range(count):
        place = tf.DeviceSpec(device_type="CPU", device_index=0)
        with tf.device(place), tf.variable_scope(tf.get_variable_scope(), reuse=i > 0):
            outputs.append(fn(**{key: value[i] for key, value in pieces.items()}))
    return tf.concat(outputs, axis=0)


def tower(x, y):
    w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer([[0.5], [-1.0], [2.0]]))
    f = tf.stack([tf.square(x), x, tf.ones_like(x)], 1)
    return tf.square(tf.squeeze(tf.matmul(f, w), 1) - y)


@tf.RegisterGradient("GuideReluGrad")
def relu_gradient(op, grad):
    return grad * tf.cast(op.inputs[0] > 0.0, tf.float32)


def python_relu(x):
    with tf.get_default_graph().gradient_override_map({"PyFunc": "GuideReluGrad"}):
        y = tf.py_func(lambda value: np.maximum(value, np.float32(0.0)), [x], tf.float32, name="relu")
    y.set_shape(x.get_shape())
    return y


batch = tf.placeholder(tf.float32, [None, 2, 3], name="batch")
value = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
known = [str(d) if isinstance(d, int) else d.name for d in sizes_of(batch)]
folded, merged = collapsed(batch, [0, [1, 2]]), collapsed(batch, [[0, 1], 2])
gathered = batch_gather(batch, [[1], [0]])
logits = tf.constant([[0.5, -1.0, 2.0], [1000.0, 0.0, -1000.0]])
x = tf.constant([[1.0, 5.0], [3.0, -1.0]], name="points")
trained, used = normalized(x, True), normalized(x, False)
with tf.variable_scope("towers"):
    losses = on_towers(tower, 2, x=tf.constant([1.0, 2.0, 3.0, 4.0]), y=tf.constant([0.0, 1.0, 0.0, 1.0]))
    mean = tf.reduce_mean(losses)
    train = tf.train.GradientDescentOptimizer(0.001).minimize(mean, colocate_gradients_with_ops=True)
points = tf.constant([-1.0, 0.5, 2.0])
rectified = python_relu(points)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["sizes"] = known
    results["static shapes"] = [str(t.get_shape()) for t in (folded, merged, gathered, losses, rectified)]
    results["collapsed"] = sess.run([folded, merged], {batch: value})
    results["gathered"] = sess.run(gathered, {batch: value})
    results["probabilities"] = sess.run(
        [log_probabilities(logits), softmax(logits), entropy(logits), entropy(logits, 0)]
    )
    results["divergence"] = sess.run(
        gaussian_divergence((tf.zeros([2]), tf.zeros([2])), (tf.constant([1.0, 2.0]), tf.constant([0.5, -0.5])))
    )
    results["leaky"] = sess.run(leaky_relu(points))
    results["normalized"] = sess.run(trained)
    results["by its average"] = sess.run(used)
    results["towers"] = sess.run([losses, mean])
    sess.run(train)
    results["after a step"] = sess.run(tf.contrib.framework.get_variables_by_name("w"))
    results["variables"] = [v.name for v in tf.global_variables()]
    results["tower devices"] = [op.device for op in tf.get_default_graph().get_operations() if op.type == "MatMul"]
    results["python op"] = sess.run([rectified] + tf.gradients(rectified, points))
    results["python op, error"] = float(tf.test.compute_gradient_error(points, [3], rectified, [3])) < 1e-3
    results["printed"] = [str(folded), repr(trained), str(tf.matmul(tf.zeros([10, 10]), tf.ones([10, 10])))]
