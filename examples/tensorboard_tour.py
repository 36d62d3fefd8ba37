"""A small training run that shows everything TensorBoard can: a program of TensorFlow 1.x.

    python -m headrace examples/tensorboard_tour.py --logdir /tmp/tour
    tensorboard --logdir /tmp/tour

Nothing here knows of Headrace: under TensorFlow 1.15, `python examples/tensorboard_tour.py` does the same.
"""

from __future__ import division, print_function

import argparse
import os

import numpy as np
import tensorflow as tf
from tensorflow.contrib.tensorboard.plugins import projector

SIDE, CLASSES, RATE = 12, 3, 8000


def bars(count, state):
    """Noisy pictures of a horizontal, vertical or diagonal bar, and which of the three each is."""
    labels = state.randint(CLASSES, size=count)
    pictures = 0.3 * state.rand(count, SIDE, SIDE, 1).astype(np.float32)
    for picture, label in zip(pictures, labels):
        where = state.randint(2, SIDE - 2)
        if label == 0:
            picture[where] += 0.7
        elif label == 1:
            picture[:, where] += 0.7
        else:
            picture[np.arange(SIDE), np.arange(SIDE)] += 0.7
    return pictures, labels


def tone(step):
    """Half a second that rises with the steps."""
    seconds = np.arange(RATE // 2) / RATE
    return np.sin(2 * np.pi * (220 + 2 * step) * seconds).reshape(1, -1, 1).astype(np.float32)


def model(pictures, labels):
    """A convolutional classifier in name scopes, the beginning on one device and the end on another."""
    with tf.device("/cpu:0"):
        with tf.name_scope("convolution"):
            filters = tf.Variable(tf.truncated_normal([3, 3, 1, 8], stddev=0.2, seed=1), name="filters")
            bias = tf.Variable(tf.zeros([8]), name="bias")
            maps = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(pictures, filters, [1, 1, 1, 1], "SAME"), bias))
            pooled = tf.nn.max_pool(maps, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        with tf.name_scope("hidden"):
            flat = tf.reshape(pooled, [-1, SIDE * SIDE // 4 * 8])
            weights = tf.Variable(tf.truncated_normal([SIDE * SIDE // 4 * 8, 16], stddev=0.05, seed=2), name="weights")
            hidden = tf.nn.relu(tf.matmul(flat, weights) + tf.Variable(tf.zeros([16]), name="bias"))
    with tf.device("/cpu:1"):
        with tf.name_scope("output"):
            last = tf.Variable(tf.truncated_normal([16, CLASSES], stddev=0.2, seed=3), name="weights")
            logits = tf.matmul(hidden, last) + tf.Variable(tf.zeros([CLASSES]), name="bias")
        with tf.name_scope("loss"):
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        with tf.name_scope("accuracy"):
            right = tf.equal(tf.argmax(logits, 1), labels)
            accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    with tf.name_scope("summaries"):
        tf.summary.scalar("loss", loss)
        tf.summary.scalar("accuracy", accuracy)
        tf.summary.histogram("filters", filters)
        tf.summary.histogram("hidden_weights", weights)
        tf.summary.histogram("activations", hidden)
        tf.summary.image("pictures", pictures, 3)
        # The filters side by side, as one picture.
        tf.summary.image("filters_seen", tf.reshape(tf.transpose(filters, [2, 0, 3, 1]), [1, 3, 24, 1]))
    return loss, accuracy, hidden


def train(logdir, steps):
    """Trains, and writes two runs: `train` with everything, `test` with scalars."""
    state = np.random.RandomState(0)
    test_pictures, test_labels = bars(200, state)
    config = tf.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        with tf.name_scope("input"):
            pictures = tf.placeholder(tf.float32, [None, SIDE, SIDE, 1], name="pictures")
            labels = tf.placeholder(tf.int64, [None], name="labels")
            wave = tf.placeholder_with_default(tone(0), [1, RATE // 2, 1], name="wave")
        loss, accuracy, hidden = model(pictures, labels)
        tf.summary.audio("tone", wave, RATE, 1)
        settings = tf.constant([["optimizer", "Adam"], ["learning rate", "0.003"], ["batch", "32"]])
        tf.summary.text("settings", settings)
        tf.summary.text("remark", tf.constant("Bars: *horizontal*, *vertical*, **diagonal**."))
        embedding = tf.Variable(tf.zeros([len(test_labels), 16]), trainable=False, name="embedding")
        embed = tf.assign(embedding, hidden)
        step = tf.train.get_or_create_global_step()
        with tf.name_scope("train"):
            update = tf.train.AdamOptimizer(0.003).minimize(loss, global_step=step)
        merged = tf.summary.merge_all()

        writer = tf.summary.FileWriter(os.path.join(logdir, "train"), session.graph)
        test_writer = tf.summary.FileWriter(os.path.join(logdir, "test"))
        session.run(tf.global_variables_initializer())
        tested = {pictures: test_pictures, labels: test_labels}
        for i in range(steps):
            batch = dict(zip((pictures, labels), bars(32, state)))
            if i % 10 == 9:
                # The whole step with the time and memory of each operation.
                metadata = tf.RunMetadata()
                options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
                batch[wave] = tone(i)
                text, _ = session.run([merged, update], batch, options=options, run_metadata=metadata)
                writer.add_summary(text, i)
                writer.add_run_metadata(metadata, "step %03d" % i, i)
                values = session.run({"loss": loss, "accuracy": accuracy}, tested)
                summary = tf.Summary()
                for name, value in sorted(values.items()):
                    summary.value.add(tag="summaries/" + name, simple_value=value)
                test_writer.add_summary(summary, i)
            else:
                session.run(update, batch)

        # The projector reads the checkpoint where TensorFlow is installed beside TensorBoard, and the table otherwise.
        points = session.run(embed, tested)
        np.savetxt(os.path.join(logdir, "train", "embedding.tsv"), points, "%.4f", delimiter="\t")
        tf.train.Saver({"embedding": embedding}).save(session, os.path.join(logdir, "train", "model.ckpt"), steps)
        with open(os.path.join(logdir, "train", "labels.tsv"), "w") as file:
            file.writelines("%s\n" % ("horizontal", "vertical", "diagonal")[label] for label in test_labels)
        config = projector.ProjectorConfig()
        config.embeddings.add(tensor_name="embedding", tensor_path="embedding.tsv", metadata_path="labels.tsv")
        projector.visualize_embeddings(writer, config)
        writer.close()
        test_writer.close()
        print("accuracy %.3f" % session.run(accuracy, tested))


def main():
    parser = argparse.ArgumentParser(description="Trains a little, with summaries of every kind.")
    parser.add_argument("--logdir", required=True)
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    train(arguments.logdir, arguments.steps)


if __name__ == "__main__":
    main()
