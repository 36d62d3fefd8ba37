"""Operations called again and again with other values: variables, lists, several outputs, devices, tapes, layers."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}


def say(name, value):
    results[name] = [np.array(v.numpy() if hasattr(v, "numpy") else v).tolist() for v in tf.nest.flatten(value)]


x = tf.constant([[1.0, -2.0], [3.0, 4.0]])
weights, bias = tf.Variable([[1.0, 2.0], [3.0, 5.0]]), tf.Variable([0.5, -0.5])
whole = tf.Variable([1, 2, 3])
for step in range(4):
    say("variable %d" % step, [tf.matmul(x, weights), tf.nn.bias_add(x, bias), x * weights, weights - x])
    before = weights.read_value()
    weights.assign_add([[1.0, 0.0], [0.0, -1.0]])
    bias.assign([0.25 * step, 1.0])
    say("read before %d" % step, [before, weights.value(), weights])
    with tf.device("/cpu:0"):
        say("on a device %d" % step, [x + weights, tf.reduce_sum(weights), tf.identity(bias)])
    with tf.device("/device:CPU:0"), tf.device(None):
        say("on none %d" % step, x * bias)
    say(
        "axes %d" % step,
        [tf.squeeze(x[:, :1], [1]), tf.squeeze(x[:1], [0]), tf.reduce_sum(x, [0]), tf.reduce_sum(x, [1])],
    )
    split = tf.nn.moments(x * float(step), [0])
    say("moments %d" % step, split)
    top = tf.nn.top_k(x, 1)
    say("top %d" % step, [top.values, top.indices, type(top).__name__])
    unique = tf.unique(tf.constant([step, 1, 1, step]))
    say("unique %d" % step, [unique.y, unique.idx])
    say("gathered %d" % step, tf.gather(whole, [2, step % 3]))
    say("stacked %d" % step, [tf.stack([bias, bias + 1.0]), tf.concat([weights, x], step % 2)])

for name, wrong in [
    ("types", lambda: tf.matmul(x, tf.Variable([[1, 2], [3, 4]]))),
    ("types again", lambda: x + whole),
    ("device", lambda: tf.device(lambda op: "/cpu:0").__enter__()),
    ("shapes", lambda: tf.matmul(x, tf.Variable([[1.0, 2.0, 3.0]]))),
]:
    for _ in range(2):
        try:
            wrong()
            results["wrong " + name] = "taken"
        except Exception as error:
            results["wrong " + name] = type(error).__name__

for step in range(3):
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.square(tf.matmul(x, weights) + bias))
        loss, spread = tf.nn.moments(tf.matmul(x, weights), [0, 1])
        crossed = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=weights * 1.0)
    say("gradient %d" % step, [tape.gradient(y, [weights, bias]), tape.gradient(spread, weights)])
    say("gradient of crossed %d" % step, [tape.gradient(crossed, weights), tape.gradient(loss, [weights])])
    bias.assign_sub([0.5, 0.125])

constant = tf.Variable(2.0, trainable=False)
for step in range(2):
    with tf.GradientTape() as tape:
        y = constant * constant
    results["not trained %d" % step] = tape.gradient(y, constant) is None


class Masked(tf.keras.layers.Layer):
    def __init__(self):
        super(Masked, self).__init__()
        self.supports_masking = True

    def compute_mask(self, inputs, mask=None):
        return mask if mask is not None else tf.reduce_any(inputs > 0.0, -1)

    def call(self, inputs, mask=None):
        return inputs * 2.0 if mask is None else inputs * tf.cast(mask, tf.float32)[:, None]


masked, plain = Masked(), tf.keras.layers.Dense(2, kernel_initializer="ones")
regular = tf.keras.layers.Dense(2, kernel_initializer="ones", activity_regularizer=tf.keras.regularizers.l2(0.5))
outer = tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones"), regular])
for step in range(3):
    given = x * float(step)
    first = masked(given)
    second = masked(first)
    third = plain(given)
    say("masks %d" % step, [first, second, first._keras_mask, second._keras_mask])
    say("plain %d" % step, [third, plain(np.ones([1, 2], "float32")), getattr(third, "_keras_mask", None) is None])
    regular(given)
    say("losses %d" % step, regular.losses)
    outer(given)
    say("losses of both %d" % step, [outer.losses, len(regular.losses)])
    try:
        plain(first)
        results["mask not supported %d" % step] = "taken"
    except TypeError as error:
        results["mask not supported %d" % step] = type(error).__name__
