"""Trains three steps from a checkpoint, if there is one, and saves: `program.py MODULE FOLDER`, alone or as TF_CONFIG says.

Runs under TensorFlow 1.15.5 too.
"""

import importlib
import json
import os
import sys

import numpy as np


def main(module, folder):
    tf = importlib.import_module(module)
    tf.logging.set_verbosity(tf.logging.ERROR)
    told = json.loads(os.environ.get("TF_CONFIG", "{}"))
    inputs = np.random.RandomState(0).randn(16, 4).astype(np.float32)
    target, config, index = "", None, 0
    if told:
        index = told["task"]["index"]
        inputs = inputs[index * 8 : (index + 1) * 8]
        strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        config = strategy.update_config_proto(tf.ConfigProto())
        server = tf.distribute.Server(told["cluster"], job_name="worker", task_index=index, config=config)
        target = server.target
    else:
        strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        count = tf.train.get_or_create_global_step()
        optimizer = tf.train.AdamOptimizer(0.05)

        def step():
            hidden = tf.layers.dense(
                tf.constant(inputs), 3, tf.nn.tanh, kernel_initializer=tf.glorot_uniform_initializer(seed=1)
            )
            output = tf.layers.dense(hidden, 1, kernel_initializer=tf.glorot_uniform_initializer(seed=2))
            loss = tf.reduce_mean(tf.square(output - inputs.sum(1, keepdims=True))) / strategy.num_replicas_in_sync
            with tf.control_dependencies([optimizer.minimize(loss, global_step=count)]):
                return tf.identity(loss)

        loss = strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.experimental_run_v2(step))
        saver = tf.train.Saver()
        initializer = tf.global_variables_initializer()
        reads = [strategy.extended.read_var(v) for v in [count, *tf.trainable_variables()]]
        with tf.Session(target, config=config) as sess:
            last = tf.train.latest_checkpoint(folder)
            if last:
                saver.restore(sess, last)
            else:
                sess.run(initializer)
            losses = [float(sess.run(loss)) for _ in range(3)]
            reached, *values = sess.run(reads)
            if index == 0:
                saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=int(reached))
    print("RESULT", int(reached), losses + np.concatenate([value.ravel() for value in values]).tolist())
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
    # The servers of 1.15.5 do not end by themselves.
    os._exit(0)
