"""A checkpoint of 400 MB, written and read back: ten variables of 40 MB, the data on the disk before they are read.

TensorFlow leaves the writing to the system, and whoever waits for the disk next would wait for that, too.
"""

import os
import tempfile

BARS = {"save and restore 400 MB": 1.0}


def workload(tf, np):
    graph = tf.Graph()
    with graph.as_default():
        for i in range(10):
            tf.get_variable("v%d" % i, [2500, 4000], initializer=tf.random_normal_initializer(seed=i))
        saver = tf.train.Saver(max_to_keep=2)
        sess = tf.Session(graph=graph)
        sess.run(tf.global_variables_initializer())
    folder = tempfile.TemporaryDirectory()
    path = os.path.join(folder.name, "model")

    def round_trip(keep=folder):
        saved = saver.save(sess, path, write_meta_graph=False)
        for name in os.listdir(folder.name):
            with open(os.path.join(folder.name, name), "rb") as file:
                os.fsync(file.fileno())
        saver.restore(sess, saved)

    return {"save and restore 400 MB": round_trip}
