"""Writes tests/fixtures/objects: a model of objects, variables and functions, saved by real TensorFlow.

    python tools/oracle/make_object_models.py tests/fixtures/objects

Run it with TensorFlow 1.15.5, which writes the folder tf1, and with TensorFlow 2, which writes tf2.
"""

import os
import shutil
import sys

import tensorflow as tf

tf.compat.v1.enable_eager_execution()


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def add(self, x):
        self.total.assign_add(x)
        return self.total * 2.0

    @tf.function(input_signature=[])
    def reset(self):
        self.total.assign(0.0)


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.counter = Counter()
        self.parts = {"a": tf.Variable([1.0, 2.0], name="a"), "b": [tf.Variable(tf.ones([2, 2]), name="w/b")]}
        self.words = tf.constant(["x", "y"])

    @tf.function
    def loop(self, x, limit=100.0):
        steps = 0
        while tf.reduce_sum(x) < limit:
            x = x * self.parts["a"] + 1.0
            steps += 1
        if tf.reduce_sum(x) > 150.0:
            y = x - 1.0
        else:
            y = x + tf.matmul([x], self.parts["b"][0])[0]
        return {"x": x, "y": [y, steps], "words": self.words}

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 2], tf.float32, name="left"),
            tf.TensorSpec([2, 2], tf.float32, name="right"),
        ]
    )
    def serve(self, left, right):
        return {"product": tf.matmul(left, right) + self.parts["a"], "sum": tf.reduce_sum(left) + self.counter.total}


net = Net()
net.loop(tf.constant([1.0, 2.0]))
folder = os.path.join(sys.argv[1], "tf2" if tf.__version__.startswith("2.") else "tf1")
shutil.rmtree(folder, ignore_errors=True)
tf.saved_model.save(net, folder, signatures={"serving_default": net.serve, "pair": net.serve.get_concrete_function()})
