"""Trains three steps from a checkpoint, if there is one, and saves, alone or on a cluster: `program.py MODULE PLACE FOLDER`.

Runs under TensorFlow 1.15.5 too.
"""

import importlib
import socket
import sys


def main(module, place, folder):
    tf = importlib.import_module(module)
    tf.logging.set_verbosity(tf.logging.ERROR)
    target, setter = "", None
    if place == "cluster":
        sockets = [socket.socket() for _ in range(3)]
        for each in sockets:
            each.bind(("localhost", 0))
        addresses = [f"localhost:{each.getsockname()[1]}" for each in sockets]
        for each in sockets:
            each.close()
        cluster = tf.train.ClusterSpec({"ps": addresses[:2], "worker": addresses[2:]})
        servers = [tf.train.Server(cluster, *task) for task in (("ps", 0), ("ps", 1), ("worker", 0))]
        target, setter = servers[-1].target, tf.train.replica_device_setter(cluster=cluster)
    with tf.Graph().as_default(), tf.device(setter):
        step = tf.train.get_or_create_global_step()
        table = tf.get_variable(
            "table", [7, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.ones_initializer()
        )
        bias = tf.get_variable("bias", [2], initializer=tf.zeros_initializer(), use_resource=True)
        rows = tf.nn.embedding_lookup(table, tf.constant([0, 3, 6], tf.int64), partition_strategy="div")
        loss = tf.reduce_sum(tf.square(rows + bias - 3.0))
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        whole = tf.convert_to_tensor(table)
        with tf.train.MonitoredTrainingSession(
            target,
            checkpoint_dir=folder,
            save_checkpoint_steps=3,
            save_checkpoint_secs=None,
            save_summaries_steps=None,
            save_summaries_secs=None,
            log_step_count_steps=None,
        ) as sess:
            for _ in range(3):
                sess.run(train)
            count, values, offsets = sess.run([step, whole, bias])
    print("RESULT", int(count), values.ravel().tolist() + offsets.tolist())
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
    # The servers of 1.15.5 do not end by themselves.
    importlib.import_module("os")._exit(0)
