"""Candidate samplers with seeds, accidental hits, and the losses over sampled classes."""

import numpy as np
import tensorflow as tf

results = {}
true_classes = np.array([[0, 3], [5, 9], [3, 3]], np.int64)


def fixed(unigrams):
    def sampler(true_classes, num_true, num_sampled, unique, range_max, seed):
        return tf.nn.fixed_unigram_candidate_sampler(
            true_classes,
            num_true,
            num_sampled,
            unique,
            range_max,
            unigrams=unigrams[:range_max],
            distortion=0.75,
            seed=seed,
        )

    return sampler


weights = [float(w) for w in np.random.RandomState(0).uniform(0.5, 20, size=64)]
samplers = {
    "uniform": tf.nn.uniform_candidate_sampler,
    "log_uniform": tf.nn.log_uniform_candidate_sampler,
    "learned": tf.nn.learned_unigram_candidate_sampler,
    "fixed": fixed(weights),
}
for name, sampler in sorted(samplers.items()):
    for unique in (False, True):
        for limit in (50, 64):
            parts = sampler(true_classes, 2, 12, unique, limit, seed=3)
            with tf.Session() as sess:
                results["%s %s %d" % (name, unique, limit)] = [list(sess.run(parts)) for _ in range(3)]
parts = tf.nn.all_candidate_sampler(true_classes, 2, 10, True, seed=3)
shapes = [str(p.get_shape()) for p in tf.nn.uniform_candidate_sampler(true_classes, 2, 5, True, 10)]
results["shapes"] = shapes
reserved = tf.nn.fixed_unigram_candidate_sampler(
    true_classes, 2, 8, False, 6, unigrams=[4.0, 1.0, 1.0, 2.0], num_reserved_ids=2, seed=8
)
with tf.Session() as sess:
    results["all"] = list(sess.run(parts))
    results["reserved"] = list(sess.run(reserved))
    results["hits"] = list(
        sess.run(tf.nn.compute_accidental_hits(true_classes, tf.constant([9, 3, 4, 0, 3], tf.int64), 2))
    )
    results["no hits"] = list(sess.run(tf.nn.compute_accidental_hits(true_classes, tf.constant([1], tf.int64), 2)))
    try:
        sess.run(tf.nn.uniform_candidate_sampler(true_classes, 2, 12, True, 10))
    except tf.errors.InvalidArgumentError as error:
        results["too few"] = "range is too small" in str(error)

random = np.random.RandomState(17)
table, offsets = random.normal(size=[20, 4]).astype(np.float32), random.normal(size=[20]).astype(np.float32)
inputs = random.normal(size=[3, 4]).astype(np.float32)
tf.set_random_seed(5)
with tf.Session() as sess:
    for name, loss in (("nce", tf.nn.nce_loss), ("sampled softmax", tf.nn.sampled_softmax_loss)):
        for num_true, labels in ((1, [[1], [4], [19]]), (2, true_classes)):
            for hits in (False, True):
                w, b, x = tf.constant(table), tf.constant(offsets), tf.constant(inputs)
                value = loss(
                    w, b, tf.constant(labels, tf.int64), x, 6, 20, num_true=num_true, remove_accidental_hits=hits
                )
                dw, db, dx = tf.gradients(value, [w, b, x])
                dense = [tf.convert_to_tensor(dw), tf.convert_to_tensor(db), dx]
                results["%s %d %s" % (name, num_true, hits)] = sess.run([value] + dense)
    halves = [tf.constant(table[0::2]), tf.constant(table[1::2])]
    values = tf.nn.uniform_candidate_sampler(true_classes, 2, 5, True, 20, seed=2)
    results["divided"] = sess.run(
        tf.nn.sampled_softmax_loss(
            halves, tf.constant(offsets), tf.constant(true_classes), tf.constant(inputs), 5, 20, 2, values
        )
    )

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.int32, [None, 1], name="y")
    w, b = tf.zeros([20, 4]), tf.zeros([20])
    tf.gradients(tf.nn.nce_loss(w, b, y, x, 5, 20), [x])
    tf.nn.sampled_softmax_loss(w, b, y, x, 5, 20, seed=4)
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
