"""Datasets of names that no file has, of negative pauses and of negative counts."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.data.experimental.ops import matching_files, sleep

results = {}
folder = tempfile.mkdtemp()
for name in ("a.py", "b.txt"):
    with open(os.path.join(folder, name), "w"):
        pass


def elements(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            iterator = tf.data.make_initializable_iterator(make())
            step = iterator.get_next()
            sess.run(iterator.initializer)
        except tf.errors.OpError as error:
            return [f"{type(error).__name__} before"]
        found = []
        try:
            while True:
                found.append(sess.run(step))
        except tf.errors.OpError as error:
            return [*found, type(error).__name__]


for patterns in [["*.py"], ["none*", "*.py"], ["*.py", "none*"], ["none*"], ["none*", "nor*"], ["nowhere/*"]]:
    paths = [os.path.join(folder, pattern) for pattern in patterns]
    found = elements(lambda paths=paths: matching_files.MatchingFilesDataset(paths))
    results[f"files {patterns}"] = [os.path.basename(item) for item in found]
for pause in (1, -1):
    results[f"pause {pause}"] = elements(lambda pause=pause: tf.data.Dataset.range(2).apply(sleep.sleep(pause)))
with tf.Graph().as_default(), tf.Session() as sess:
    numbers = tf.data.Dataset.range(5)
    results["counts"] = [
        sess.run(tf.data.experimental.cardinality(dataset))
        for dataset in (numbers.take(-1), numbers.take(2), numbers.take(9), numbers.repeat().take(-1))
    ]
