"""Graphs and MetaGraphs in text files: numbers with all their digits."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [None, 2], "x")
scaled = tf.add(x * 0.1, [1e-7, -3.5e20], name="scaled")
tf.nn.leaky_relu(scaled, alpha=0.2)
tf.constant([0.1, 7.0, float("inf"), float("nan")], tf.float64)
tf.constant(np.float16(0.1))
tf.constant(0.1 + 0.3j, tf.complex64)
tf.add_to_collection("rates", 0.1)
tf.add_to_collection("counts", 3)
path = tf.train.write_graph(tf.get_default_graph(), folder, "graph.pbtxt")
with tf.gfile.GFile(path) as file:
    results = {"graph": file.read()}
with tf.Session():
    tf.train.export_meta_graph(os.path.join(folder, "meta.pbtxt"), as_text=True)
with tf.gfile.GFile(os.path.join(folder, "meta.pbtxt")) as file:
    text = file.read()
results["numbers"] = [line.strip() for line in text.splitlines() if "_val:" in line or line.lstrip().startswith("f: ")]
results["collections"] = text[text.index("collection_def") :]
