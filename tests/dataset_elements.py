"""What datasets of TensorFlow 1.x give, for tests of the files that they read."""

from __future__ import annotations

import headrace as tf


def elements(dataset):
    """All elements of the dataset that `dataset()` makes in a graph of its own."""
    found = []
    with tf.Graph().as_default(), tf.Session() as session:
        following = tf.data.make_one_shot_iterator(dataset()).get_next()
        while True:
            try:
                found.append(session.run(following))
            except tf.errors.OutOfRangeError:
                return found
