"""tf.contrib.nn and tf.fingerprint: values, gradients, errors."""

import numpy as np
import tensorflow as tf

results = {}
nn = tf.contrib.nn
rng = np.random.RandomState(2)
x = rng.randn(3, 4).astype(np.float32)


def outcome(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(5)
        try:
            return sess.run(make())
        except (ValueError, TypeError, tf.errors.OpError) as error:
            return type(error).__name__


def softplus(clip):
    a, b = tf.constant(x), tf.constant([0.5, 1.0, 2.0, 0.1])
    y = nn.scaled_softplus(a, b, clip)
    return [y] + tf.gradients(y, [a, b])


labels = np.eye(4, dtype=np.float32)[[0, 3, 1]]
results["alpha dropout"] = outcome(lambda: nn.alpha_dropout(x, 0.6, seed=3))
results["alpha dropout rows"] = outcome(lambda: nn.alpha_dropout(x, tf.constant(0.6), noise_shape=[3, 1], seed=3))
results["alpha dropout all"] = outcome(lambda: nn.alpha_dropout(x, 1.0))
results["alpha dropout none"] = outcome(lambda: nn.alpha_dropout(x, 0.0))
results["softplus"] = outcome(lambda: softplus(None))
results["softplus clipped"] = outcome(lambda: softplus(1.0))
results["softmax"] = outcome(lambda: nn.deprecated_flipped_softmax_cross_entropy_with_logits(x, labels))
results["sparse"] = outcome(lambda: nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(x, [0, 3, 1]))
results["sigmoid"] = outcome(lambda: nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(x, labels))
results["nth"] = outcome(lambda: nn.nth_element(x, 1, reverse=True))

results["strings"] = outcome(lambda: tf.fingerprint(["abc", "", "d" * 100]))
results["string rows"] = outcome(lambda: tf.fingerprint([["abc", "d"], ["e", "f"]]))
results["ints"] = outcome(lambda: tf.fingerprint([[1, 2], [3, 4]]))
results["floats"] = outcome(lambda: tf.fingerprint(x))
results["bools"] = outcome(lambda: tf.fingerprint([True, False]))
results["scalar"] = outcome(lambda: tf.fingerprint("abc"))
results["method"] = outcome(lambda: tf.fingerprint(["abc"], method="x"))
