"""slim.evaluation: a checkpoint evaluated once, and the checkpoints of a folder."""

import os
import tempfile

import tensorflow as tf
import tensorflow.contrib.slim as slim

results = {}
folder = tempfile.mkdtemp()
logs = tempfile.mkdtemp()

v = tf.get_variable("v", [], initializer=tf.constant_initializer(2.5))
step = tf.train.get_or_create_global_step()
saver = tf.train.Saver([v, step])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    path = saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=7)
tf.reset_default_graph()

for key in ("once", "loop"):
    v = tf.get_variable("v", [])
    extra = tf.get_local_variable("extra", [], initializer=tf.constant_initializer(4.0))
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder_with_default([1.0, 3.0], [2], name="x")
    value, update = slim.metrics.streaming_mean(x * v + extra)
    tf.summary.scalar("mean", value)
    arguments = dict(
        num_evals=3,
        initial_op=tf.no_op(),
        eval_op=update,
        eval_op_feed_dict={x: [2.0, 4.0]},
        final_op=[value, v],
        variables_to_restore=[v, step],
    )
    if key == "once":
        results[key] = slim.evaluation.evaluate_once("", path, logs, **arguments)
    else:
        results[key] = slim.evaluation.evaluation_loop(
            "", folder, logs, eval_interval_secs=0, max_number_of_evaluations=1, **arguments
        )
    tf.reset_default_graph()
results["events"] = [name.startswith("events.out") for name in os.listdir(logs)] != []
results["waited"] = os.path.basename(slim.evaluation.wait_for_new_checkpoint(folder))
