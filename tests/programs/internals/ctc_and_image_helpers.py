"""Helpers of connectionist temporal classification and of functions on images, as tests import them."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import ctc_ops, image_ops_impl

results = {}
random = np.random.RandomState(3)


def run(value, feed=None):
    with tf.Session() as session:
        return session.run(value, feed)


def alone(make):
    with tf.Graph().as_default():
        return run(make())


add = lambda total, x: total + x
numbers = np.array([1.0, 2.0, 4.0], np.float32)
for reverse in (False, True):
    for inclusive in (False, True):
        for final in (False, True):
            kwargs = {"reverse": reverse, "inclusive": inclusive, "final_only": final}
            results["scan, %s, %s, %s" % (reverse, inclusive, final)] = alone(
                lambda: ctc_ops._scan(add, numbers, 0.5, **kwargs)
            )
results["scan of several"] = alone(
    lambda: ctc_ops._scan(
        lambda a, x: (a[0] + x[0] * x[1], a[1] - x[0]), (numbers, numbers[::-1].copy()), (0.0, tf.zeros([2]))
    )
)

results["state log probs"] = run(ctc_ops.ctc_state_log_probs(tf.constant([3, 1]), 4))

labels = np.array([[1, 2, 2], [3, 0, 0]], np.int32)
states = np.log(random.dirichlet(np.ones(8), size=(4, 2))).astype(np.float32)
results["labels of states"] = run(ctc_ops._state_to_olabel(labels, 4, tf.constant(states)))

initial = np.log(random.dirichlet(np.ones(3), size=2)).astype(np.float32)
final = np.log(random.dirichlet(np.ones(3), size=2)).astype(np.float32)
observed = np.log(random.dirichlet(np.ones(3), size=(5, 2))).astype(np.float32)
for batched in (False, True):
    transitions = np.log(random.dirichlet(np.ones(3), size=(2, 3) if batched else 3)).astype(np.float32)
    results["states and likelihood, %s" % batched] = alone(
        lambda: ctc_ops._forward_backward_log(
            state_trans_log_probs=tf.constant(transitions),
            initial_state_log_probs=initial,
            final_state_log_probs=final,
            observed_log_probs=tf.constant(observed),
            sequence_length=[5, 3],
        )
    )


def error(function):
    try:
        return function()
    except (TypeError, ValueError, tf.errors.InvalidArgumentError) as caught:
        return type(caught).__name__


image, part = tf.zeros([2, 3, 1]), tf.placeholder(tf.float32, [None, 3, 1])
results["sizes"] = image_ops_impl._ImageDimensions(image, rank=3)
sizes = image_ops_impl._ImageDimensions(part, rank=3)
results["sizes known in part"] = [str(size) for size in sizes]
results["a size"] = run(sizes[0], {part: np.zeros([4, 3, 1])})
for name in ("_Assert3DImage", "_AssertAtLeast3DImage", "_AssertGrayscaleImage"):
    check = getattr(image_ops_impl, name)
    results[name] = [
        check(image) is image,
        run(check(part), {part: np.ones([1, 3, 1])}).shape,
        error(lambda: run(check(part), {part: np.ones([0, 3, 1])}).shape),
        error(lambda: check(tf.zeros([3])).shape.as_list()),
        error(lambda: check(tf.zeros([2, 0, 3])).shape.as_list()),
        error(lambda: check(tf.zeros([5, 4, 3, 1])).shape.as_list()),
    ]
results["asserts"] = [
    image_ops_impl._assert(True, ValueError, "no"),
    error(lambda: image_ops_impl._assert(False, ValueError, "no")),
    len(image_ops_impl._assert(tf.constant(True), ValueError, "no")),
]
