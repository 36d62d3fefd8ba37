"""Handwritten digits with TensorFlow 1.x: a two-layer and a convolutional classifier.

    python -m headrace examples/digits.py                      # scikit-learn's bundled 8x8 digits
    python -m headrace examples/digits.py --data ~/mnist       # a folder of MNIST idx files, gzipped or not
    python -m headrace examples/digits.py --model conv --epochs 30

Nothing here knows of Headrace: under TensorFlow 1.15, `python examples/digits.py` does the same.
"""

from __future__ import division, print_function

import argparse
import gzip
import os
import struct
import sys
import time

import numpy as np
import tensorflow as tf
from tensorflow.python.client import timeline

SEED = 2017
CLASSES = 10


# ---------------------------------------------------------------------------------------------------------- data


def read_idx(folder, name):
    """The array of an idx file (http://yann.lecun.com/exdb/mnist), gzipped or not."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        opener = open
    else:
        path, opener = path + ".gz", gzip.open
    with opener(path, "rb") as stream:
        zeros, kind, rank = struct.unpack(">HBB", stream.read(4))
        if zeros != 0 or kind != 8:
            raise ValueError("%s is no idx file of unsigned bytes" % path)
        shape = struct.unpack(">%dI" % rank, stream.read(4 * rank))
        return np.frombuffer(stream.read(), np.uint8).reshape(shape)


def split_off(images, labels, count):
    """The first `count` examples, and the others."""
    return (images[:count], labels[:count]), (images[count:], labels[count:])


def load_mnist(folder):
    def part(prefix):
        images = read_idx(folder, prefix + "-images-idx3-ubyte").astype(np.float32) / 255.0
        return images[..., np.newaxis], read_idx(folder, prefix + "-labels-idx1-ubyte").astype(np.int64)

    validation, train = split_off(*(part("train") + (2000,)))
    return train, validation, part("t10k")


def load_bundled():
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.RandomState(SEED).permutation(len(digits.target))
    images = (digits.images[order] / 16.0).astype(np.float32)[..., np.newaxis]
    labels = digits.target[order].astype(np.int64)
    test, rest = split_off(images, labels, 360)
    validation, train = split_off(rest[0], rest[1], 180)
    return train, validation, test


def batches(images, labels, size):
    """An iterator over one epoch: every example once, in a new order; the last batch may be smaller.

    A thread makes the next batches while a step computes. Returns its initializer as a function of a session, and what
    it gives.
    """
    held = [tf.placeholder(array.dtype, array.shape) for array in (images, labels)]
    dataset = tf.data.Dataset.from_tensor_slices(tuple(held)).shuffle(len(labels), seed=SEED).batch(size).prefetch(4)
    iterator = dataset.make_initializable_iterator()
    return lambda sess: sess.run(iterator.initializer, dict(zip(held, (images, labels)))), iterator.get_next()


# -------------------------------------------------------------------------------------------------------- models


def dense(x, units, name, activation=None):
    with tf.variable_scope(name):
        width = x.get_shape()[-1].value
        weights = tf.get_variable(
            "weights",
            [width, units],
            initializer=tf.truncated_normal_initializer(stddev=(2.0 / width) ** 0.5),
        )
        biases = tf.get_variable("biases", [units], initializer=tf.constant_initializer(0.0))
        y = tf.nn.bias_add(tf.matmul(x, weights), biases)
        return activation(y) if activation else y


def conv(x, channels, name, size=3):
    with tf.variable_scope(name):
        depth = x.get_shape()[-1].value
        stddev = (2.0 / (size * size * depth)) ** 0.5
        filters = tf.get_variable(
            "filters",
            [size, size, depth, channels],
            initializer=tf.truncated_normal_initializer(stddev=stddev),
        )
        biases = tf.get_variable("biases", [channels], initializer=tf.constant_initializer(0.0))
        y = tf.nn.conv2d(x, filters, strides=[1, 1, 1, 1], padding="SAME")
        return tf.nn.relu(tf.nn.bias_add(y, biases))


def flatten(x):
    return tf.reshape(x, [-1, int(np.prod(x.get_shape().as_list()[1:]))])


def mlp(images, keep_prob):
    hidden = dense(flatten(images), 256, "hidden", tf.nn.relu)
    return dense(tf.nn.dropout(hidden, keep_prob), CLASSES, "logits")


def convnet(images, keep_prob):
    h = conv(images, 32, "conv1")
    h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h = conv(h, 64, "conv2")
    h = tf.nn.max_pool(h, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    h = dense(flatten(h), 128, "hidden", tf.nn.relu)
    return dense(tf.nn.dropout(h, keep_prob), CLASSES, "logits")


MODELS = {"mlp": mlp, "conv": convnet}


# ------------------------------------------------------------------------------------------------------ timeline


class Trace(object):
    """Some steps of training as a timeline: what ran when, for chrome://tracing or https://ui.perfetto.dev."""

    FIRST, LAST = 10, 20

    def __init__(self):
        self.stats = {}
        self.times = []  # of each step: in all, and waiting for data, in milliseconds
        self.metadata = None

    def wants(self, step):
        """The arguments of `Session.run` for a step: how it is traced, or nothing."""
        self.gather()
        if not self.FIRST <= step < self.LAST:
            return {}
        self.metadata = tf.RunMetadata()
        return {"options": tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), "run_metadata": self.metadata}

    def gather(self):
        """Adds the step that was traced last to the others."""
        if self.metadata is None:
            return
        total = waited = 0.0
        for device in self.metadata.step_stats.dev_stats:
            self.stats.setdefault(device.device, []).extend(device.node_stats)
            if "input" not in device.device:  # what threads do beside the step
                for node in device.node_stats:
                    total += node.all_end_rel_micros / 1000.0
                    if node.node_name.startswith("IteratorGetNext"):
                        waited += node.all_end_rel_micros / 1000.0
        self.times.append((total, waited))
        self.metadata = None

    def save(self, path):
        """Writes the timeline, and prints how much of a step passes in waiting for data."""
        self.gather()
        merged = tf.RunMetadata().step_stats
        for device, nodes in self.stats.items():
            merged.dev_stats.add(device=device).node_stats.extend(nodes)
        with open(path, "w") as out:
            out.write(timeline.Timeline(merged).generate_chrome_trace_format())
        if self.times:
            total, waited = np.median(self.times, axis=0)
            print("  %s: of a step of %.2f ms, %.2f ms wait for data (medians)" % (path, total, waited))


# ------------------------------------------------------------------------------------------------------ training


def train_and_test(name, data, flags):
    """Train one model, keep an eye on the validation set, and return the accuracy on the test set."""
    (train_x, train_y), validation, test = data
    tf.reset_default_graph()
    tf.set_random_seed(SEED)

    begin_epoch, (images, labels) = batches(train_x, train_y, flags.batch_size)
    keep_prob = tf.placeholder(tf.float32, [], name="keep_prob")
    with tf.variable_scope(name):
        logits = MODELS[name](images, keep_prob)

    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    correct = tf.equal(tf.argmax(logits, 1), labels)
    right = tf.reduce_sum(tf.cast(correct, tf.int32))

    global_step = tf.Variable(0, trainable=False, name="global_step")
    steps_an_epoch = (len(train_y) + flags.batch_size - 1) // flags.batch_size
    rate = tf.train.exponential_decay(flags.learning_rate, global_step, steps_an_epoch, 0.95)
    train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=global_step)

    def accuracy(sess, xs, ys, size=1000):
        found = 0
        for start in range(0, len(ys), size):
            part = slice(start, start + size)
            found += sess.run(right, {images: xs[part], labels: ys[part], keep_prob: 1.0})
        return found / len(ys)

    count = sum(int(np.prod(v.get_shape().as_list())) for v in tf.trainable_variables())
    print("%s: %d parameters, %d training examples" % (name, count, len(train_y)))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        started = time.time()
        trace = Trace()
        for epoch in range(1, flags.epochs + 1):
            losses = []
            begin_epoch(sess)
            while True:
                traced = trace.wants(len(losses)) if flags.timeline and epoch == flags.epochs else {}
                try:
                    losses.append(sess.run([train, loss], {keep_prob: flags.keep_prob}, **traced)[1])
                except tf.errors.OutOfRangeError:
                    break
            progress = "epoch %2d/%d  loss %.4f  validation accuracy %.4f  %.1f s" % (
                epoch, flags.epochs, np.mean(losses), accuracy(sess, *validation), time.time() - started,
            )  # fmt: skip
            # One line that renews itself on a terminal, a line an epoch elsewhere.
            sys.stdout.write("\r  " + progress if sys.stdout.isatty() else "  " + progress + "\n")
            sys.stdout.flush()
        if sys.stdout.isatty():
            print()
        if flags.timeline:
            trace.save(flags.timeline)
        result = accuracy(sess, *test)
    print("%s test accuracy: %.4f" % (name, result))
    return result


def main():
    parser = argparse.ArgumentParser(description="Train and test classifiers of handwritten digits.")
    parser.add_argument("--model", choices=["mlp", "conv", "both"], default="both")
    parser.add_argument("--data", metavar="FOLDER", help="MNIST idx files (default: scikit-learn's digits)")
    parser.add_argument("--epochs", type=int, help="default: 30, with --data 5")
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--learning-rate", type=float, default=0.003)
    parser.add_argument("--timeline", metavar="FILE", help="trace some steps of the last epoch of the last model")
    parser.add_argument("--keep-prob", type=float, default=0.6, help="of dropout, while training")
    flags = parser.parse_args()
    if flags.epochs is None:
        flags.epochs = 5 if flags.data else 30

    data = load_mnist(flags.data) if flags.data else load_bundled()
    for name in ["mlp", "conv"] if flags.model == "both" else [flags.model]:
        train_and_test(name, data, flags)


if __name__ == "__main__":
    main()
