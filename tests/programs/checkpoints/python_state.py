"""Python objects and arrays in checkpoints of objects, containers, and names that are made unique."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()


class Position(tf.train.experimental.PythonState):
    def __init__(self):
        self.line = 0

    def serialize(self):
        return "line %d" % self.line

    def deserialize(self, string_value):
        self.line = int(string_value.split()[1])


def described(path):
    graph = tf.contrib.checkpoint.object_metadata(path)
    return [
        [
            sorted([c.local_name, c.node_id] for c in n.children),
            [[a.name, a.full_name, a.checkpoint_key] for a in n.attributes],
        ]
        for n in graph.nodes
    ]


def build():
    scale = [tf.get_variable(name, [], initializer=tf.ones_initializer(), use_resource=True) for name in "abcdef"]
    tracker = tf.contrib.checkpoint.UniqueNameTracker()
    tracker.track(scale[0], "x")
    tracker.track(scale[1], "x")
    holder = tf.contrib.checkpoint.Checkpointable()
    holder.numbers = 3
    holder.listed = [scale[2], {"in/side": scale[3]}]
    holder.plain = tf.contrib.checkpoint.NoDependency([scale[4]])
    holder.kept = tf.contrib.checkpoint.Mapping({"key": scale[5]})
    return scale, tf.train.Checkpoint(
        position=Position(), arrays=tf.contrib.checkpoint.NumpyState(), tracker=tracker, holder=holder
    )


try:
    with tf.Graph().as_default(), tf.Session() as sess:
        variables, checkpoint = build()
        checkpoint.position.line = 12
        checkpoint.arrays.seen = np.arange(4)
        sess.run(tf.global_variables_initializer())
        first = checkpoint.save(os.path.join(folder, "ckpt"))
        checkpoint.position.line = 15
        checkpoint.arrays.seen = np.arange(2.0)
        second = checkpoint.save(os.path.join(folder, "ckpt"))
        results["graph"] = described(second)
        results["keys"] = [name for name, _ in tf.train.list_variables(second)]
        results["type of list"] = isinstance(checkpoint.holder.listed, list)
        try:
            checkpoint.arrays.wrong = "text"
        except NotImplementedError:
            results["not an array"] = True

    with tf.Graph().as_default(), tf.Session() as sess:
        variables, checkpoint = build()
        for path in (first, second):
            status = checkpoint.restore(path)
            results[os.path.basename(path)] = [checkpoint.position.line, checkpoint.arrays.seen]
            status.assert_consumed().run_restore_ops()
        results["values"] = sess.run([v for v in variables if v is not variables[4]])
finally:
    shutil.rmtree(folder)
