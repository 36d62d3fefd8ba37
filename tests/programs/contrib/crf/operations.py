"""The operations of conditional random fields and of a beta distribution, one by one."""

import tensorflow as tf

crf = tf.contrib.crf
results = {}


def made(make):
    tf.reset_default_graph()
    tf.set_random_seed(7)
    make()
    return " ".join(op.type for op in tf.get_default_graph().get_operations())


def scores():
    return tf.placeholder(tf.float32, [None, None, 7])


def lengths():
    return tf.placeholder(tf.int32, [None])


def transitions():
    return tf.get_variable("transitions", [7, 7])


results["decode"] = made(lambda: crf.crf_decode(scores(), transitions(), lengths()))
results["likelihood"] = made(
    lambda: tf.gradients(
        crf.crf_log_likelihood(scores(), tf.placeholder(tf.int32, [None, None]), lengths())[0], scores()
    )
)
results["many tags"] = made(
    lambda: crf.crf_multitag_sequence_score(
        scores(), tf.placeholder(tf.bool, [None, None, 7]), lengths(), transitions()
    )
)
results["mode of a beta distribution"] = made(
    lambda: tf.distributions.Beta(tf.placeholder(tf.float32, [None]), 2.0).mode()
)
