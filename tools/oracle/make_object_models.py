"""Writes tests/fixtures/objects: models of objects, variables, functions, tables and files, saved by real TensorFlow.

    python tools/oracle/make_object_models.py tests/fixtures/objects

Run it with TensorFlow 1.15.5, which writes the folders tf1 and parts_tf1, and with TensorFlow 2, which
writes tf2 and parts_tf2.
"""

import os
import shutil
import sys
import tempfile

import tensorflow as tf

if tf.__version__.startswith("2."):
    from tensorflow.saved_model import Asset as TrackableAsset
else:
    from tensorflow.python.training.tracking.tracking import TrackableAsset

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


class Parts(tf.Module):
    """Tables, a file, and functions of sparse and ragged tensors."""

    def __init__(self, words):
        super().__init__()
        lookup = tf.lookup
        self.weights = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0])
        line, number = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER
        asset = TrackableAsset(words)
        self.asset = asset
        filled = lookup.TextFileInitializer(asset.asset_path, tf.string, line, tf.int64, number)
        self.ids = lookup.StaticHashTable(filled, -1)
        self.pairs = lookup.StaticHashTable(
            lookup.KeyValueTensorInitializer(["x", "y"], tf.constant([1, 2], tf.int64)), tf.constant(-1, tf.int64)
        )
        if tf.__version__.startswith("2."):
            self.changing = lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.0)
            self.changing.insert(tf.constant(["q"]), tf.constant([7.0]))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def __call__(self, words):
        return tf.gather(self.weights, self.ids.lookup(words))

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def pair(self, keys):
        return self.pairs.lookup(keys)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def change(self, keys):
        return self.changing.lookup(keys) if tf.__version__.startswith("2.") else keys

    @tf.function(input_signature=[])
    def text(self):
        return tf.io.read_file(self.asset.asset_path)

    @tf.function(input_signature=[tf.SparseTensorSpec([None, 5], tf.float32)])
    def product(self, x):
        return tf.sparse.sparse_dense_matmul(x, tf.expand_dims(self.weights, 1))

    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int64)])
    def sums(self, x):
        return tf.reduce_sum(x, axis=1), x * 2

    @tf.function(input_signature=[tf.TensorSpec([3], tf.float32)])
    def positive(self, x):
        found = x > 0
        return {"all": tf.sparse.SparseTensor(tf.where(found), tf.boolean_mask(x, found), [3]), "x": [x]}


net = Net()
net.loop(tf.constant([1.0, 2.0]))
which = "tf2" if tf.__version__.startswith("2.") else "tf1"
folder = os.path.join(sys.argv[1], which)
shutil.rmtree(folder, ignore_errors=True)
tf.saved_model.save(net, folder, signatures={"serving_default": net.serve, "pair": net.serve.get_concrete_function()})
with tempfile.TemporaryDirectory() as place:
    words = os.path.join(place, "words.txt")
    with open(words, "w") as file:
        file.write("a\nb\nc\n")
    parts = Parts(words)
    folder = os.path.join(sys.argv[1], "parts_" + which)
    shutil.rmtree(folder, ignore_errors=True)
    tf.saved_model.save(parts, folder, signatures=parts.__call__)
