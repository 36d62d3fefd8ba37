"""tf.train.sdca_optimizer and sdca_shrink_l1: one example exactly, many until they converge, labels that do not fit."""

import numpy as np
import tensorflow as tf

results = {}
LOSSES = ("squared_loss", "logistic_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss")


def attempt(function):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            return sess.run(function())
        except Exception as error:
            return type(error).__name__


def one(loss="squared_loss", partitions=1, label=1.0, l1=0.1, adaptative=False, indices=(0, 1, 2), features=(0, 2),
        iterations=1, dual=0.2, state_size=4, example=0, values=((1.5, -2.0),)):  # fmt: skip
    def build():
        state = np.zeros([1, state_size], np.float32)
        state[0, 0] = dual
        found = tf.train.sdca_optimizer(
            sparse_example_indices=[np.array([0, example], np.int64)],
            sparse_feature_indices=[np.array(features, np.int64)],
            sparse_feature_values=[np.array(value, np.float32) for value in values],
            dense_features=[np.array([[0.5, 2.0]], np.float32)],
            example_weights=[1.3],
            example_labels=[label],
            sparse_indices=[np.array(indices, np.int64)],
            sparse_weights=[np.array([0.3, 0.2, -0.4], np.float32)],
            dense_weights=[np.array([0.1, -0.7], np.float32)],
            example_state_data=state,
            loss_type=loss,
            l1=l1,
            l2=2.0,
            num_loss_partitions=partitions,
            num_inner_iterations=iterations,
            adaptative=adaptative,
        )
        return [found[0]] + list(found[1]) + list(found[2])

    return attempt(build)


for loss in LOSSES:
    for label in (0.0, 1.0, 0.5, 3.0, -1.0):
        for partitions in (1, 3):
            results["%s %s %d" % (loss, label, partitions)] = one(loss, partitions, label)
    results[loss + " adaptative"] = one(loss, adaptative=True)
    results[loss + " without l1"] = one(loss, l1=0.0)
results["iterations"] = one("squared_loss", 3, iterations=4)
results["by index"] = one(indices=(2, 7, 0))
results["ones"] = one(values=())
results["mistakes"] = {
    "feature": one(features=(0, 9)),
    "negative": one(features=(0, -1)),
    "duplicate": one(features=(2, 2)),
    "state": one(state_size=3),
    "loss": one("other_loss"),
    "partitions": one(partitions=0),
}

x = np.random.RandomState(0).randn(12, 3).astype(np.float32)
signs = (x @ [1.0, -2.0, 0.5] > 0.1).astype(np.float32)
for loss in LOSSES:
    for l1 in (0.0, 0.4):
        with tf.Graph().as_default(), tf.Session() as sess:
            w = tf.Variable(tf.zeros([3]))
            state = tf.Variable(tf.zeros([12, 4]))
            found = tf.train.sdca_optimizer(
                [],
                [],
                [],
                [x],
                np.ones(12, np.float32),
                signs,
                [],
                [],
                [w],
                state,
                loss,
                l1,
                1.0,
                1,
                1,
                adaptative=False,
            )
            with tf.control_dependencies([found[0], found[2][0]]):
                step = tf.group(tf.assign(state, found[0]), tf.assign_add(w, found[2][0]))
            sess.run(tf.global_variables_initializer())
            for _ in range(150):
                sess.run(step)
            shrink = tf.train.sdca_shrink_l1([w], l1, 1.0)
            sess.run(shrink)
            results["%s converged %s" % (loss, l1)] = np.round(sess.run(w), 2)
            results["names"] = [found[0].name, found[0].shape.as_list(), found[2][0].shape.as_list(), shrink.name]
