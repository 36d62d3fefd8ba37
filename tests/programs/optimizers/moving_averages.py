"""Moving averages: names, values, the variables to restore; and the global step."""

import numpy as np
import tensorflow as tf
from tensorflow.python.training import moving_averages

results = {}


def operations():
    return [
        "%s = %s(%s) ^%s"
        % (op.name, op.type, ", ".join(t.name for t in op.inputs), " ".join(sorted(c.name for c in op.control_inputs)))
        for op in tf.get_default_graph().get_operations()
    ]


for use_resource in (False, True):
    for counted, debiased in ((False, False), (True, True)):
        tf.reset_default_graph()
        w = tf.get_variable("w", [2], initializer=tf.constant_initializer([1.0, 2.0]), use_resource=use_resource)
        v = tf.Variable(3.0, name="v", use_resource=use_resource)
        step = tf.train.get_or_create_global_step()
        doubled = w * 2.0
        average = tf.train.ExponentialMovingAverage(0.9, num_updates=step if counted else None, zero_debias=debiased)
        names = [average.average_name(w), average.average_name(doubled)]
        update = average.apply([w, v, doubled])
        names += [average.average_name(w), average.average_name(doubled), average.average(w).name]
        change = tf.group(w.assign_add([1.0, 1.0]), v.assign_add(2.0), step.assign_add(1))
        averages = [average.average(kept) for kept in (w, v, doubled)]
        key = "resource %s counted %s" % (use_resource, counted)
        results[key + " names"] = names
        results[key + " ops"] = operations()
        results[key + " restore"] = sorted(average.variables_to_restore())
        results[key + " collections"] = [x.name for x in tf.moving_average_variables() + tf.global_variables()]
        results[key + " unknown"] = str(average.average(tf.constant(1.0)))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values = []
            for _ in range(3):
                sess.run(change)
                sess.run(update)
                values += sess.run(averages)
            results[key] = values

    tf.reset_default_graph()
    with tf.variable_scope("outer"):
        w = tf.get_variable("w", [2], initializer=tf.zeros_initializer(), use_resource=use_resource)
        x = tf.constant([1.0, 2.0])
        updates = [
            moving_averages.assign_moving_average(w, x, 0.9),
            moving_averages.assign_moving_average(w, x, 0.8),
            moving_averages.assign_moving_average(w, x, 0.8, zero_debias=False, name="plain"),
        ]
    updates.append(moving_averages.weighted_moving_average(x, 0.9, 2.0 * x))
    results["assign %s ops" % use_resource] = operations()
    results["assign %s groups" % use_resource] = [
        str(op.colocation_groups()) for op in tf.get_default_graph().get_operations() if "AssignMovingAvg" in op.name
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results["assign %s" % use_resource] = [sess.run(update) for update in updates + updates]

tf.reset_default_graph()
seen = results["global step"] = [str(tf.train.get_global_step())]
step = tf.train.create_global_step()
seen += [step.name, step.dtype.name, str(tf.train.get_global_step() is step)]
for wrong in (
    lambda: tf.train.create_global_step(),
    lambda: tf.train.assert_global_step(tf.constant(1.0)),
    lambda: tf.train.assert_global_step(tf.constant([1, 2])),
    lambda: tf.train.assert_global_step(3),
    lambda: tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1)]),
):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        seen.append("%s %s" % (type(error).__name__, error))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.assign_add(step, 7))
    seen.append(tf.train.global_step(sess, step))
with tf.Graph().as_default():
    named = tf.Variable(np.int64(0), name="global_step", trainable=False)
    seen.append(tf.train.get_or_create_global_step().name)
