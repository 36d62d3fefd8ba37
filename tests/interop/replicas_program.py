"""A model trained under a distribution strategy, for TensorFlow 1.15.5 and Headrace alike.

Its arguments are the strategy, the checkpoint to go on from ("-" for none), and the one to write. It prints the losses.
"""

import json
import sys

import numpy as np
import tensorflow as tf


def main(kind, read_from, write_to):
    x = np.linspace(-1.0, 1.0, 30).reshape(10, 3).astype(np.float32) ** 2
    y = x.sum(1, keepdims=True) ** 2
    strategy = {
        "mirrored": lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]),
        "central": lambda: tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"]),
        "one": lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
    }[kind]()
    first = tf.constant_initializer(np.linspace(-1.0, 1.0, 12).reshape(3, 4))
    with strategy.scope():
        optimizer, step_number = tf.train.AdamOptimizer(0.05), tf.train.get_or_create_global_step()
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(5))

        def step(inputs):
            hidden = tf.layers.dense(inputs[0], 4, tf.nn.tanh, name="hidden", kernel_initializer=first)
            hidden = tf.layers.batch_normalization(hidden, training=True, momentum=0.8, name="normal")
            out = tf.layers.dense(hidden, 1, name="out", kernel_initializer=tf.constant_initializer(0.1))
            loss = tf.reduce_mean(tf.square(out - inputs[1])) / strategy.num_replicas_in_sync
            with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
                train = optimizer.minimize(loss, global_step=step_number)
            with tf.control_dependencies([train]):
                return tf.identity(loss)

        losses = strategy.experimental_run_v2(step, args=(iterator.get_next(),))
        loss = strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)
        saver = tf.train.Saver()
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        sess.run([iterator.initialize(), tf.global_variables_initializer()])
        if read_from != "-":
            saver.restore(sess, read_from)
        print(json.dumps([float(sess.run(loss)) for _ in range(6)]))
        saver.save(sess, write_to, write_meta_graph=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
