"""Optimizers of workers around shared variables: their variables, where these are kept, and some steps in one process."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import opt as contrib_opt

results = {}
features = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]], np.float32)
labels = np.array([[1.0], [0.0], [2.0]], np.float32)


def names_of(key):
    return [variable.name for variable in tf.get_collection(key)]


def model(getter, **options):
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=tf.constant([[0.5], [-0.5]]), **options)
        b = tf.get_variable("b", initializer=tf.constant([0.1]))
        tf.get_variable(
            "fixed", initializer=tf.constant(3.0), trainable=False, collections=[tf.GraphKeys.GLOBAL_VARIABLES]
        )
        tf.get_variable("kept", initializer=1.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        return w, b, tf.reduce_mean(tf.squared_difference(tf.matmul(features, w) + b, labels))


def trained(name, train_op, init_op, watched, steps=5, hook=None):
    results[name + " collections"] = [
        names_of(key)
        for key in (tf.GraphKeys.GLOBAL_VARIABLES, tf.GraphKeys.LOCAL_VARIABLES, tf.GraphKeys.TRAINABLE_VARIABLES)
    ]
    results[name + " step"] = [train_op.op.type if hasattr(train_op, "op") else train_op.type]
    if hook is not None:
        hook.begin()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        if init_op is not None:
            sess.run(init_op)
        if hook is not None:
            hook.after_create_session(sess, None)
        seen = []
        for _ in range(steps):
            sess.run(train_op)
            seen.append(sess.run(watched))
        results[name] = [[np.array(value) for value in row] for row in seen]
        return sess


for inner_name, make in (
    ("descent", lambda: tf.train.GradientDescentOptimizer(0.1)),
    ("adam", lambda: tf.train.AdamOptimizer(0.1)),
    ("momentum", lambda: tf.train.MomentumOptimizer(0.1, 0.9)),
):
    tf.reset_default_graph()
    step = tf.train.get_or_create_global_step()
    getter = contrib_opt.AGNCustomGetter("/cpu:0")
    w, b, loss = model(getter)
    optimizer = contrib_opt.AGNOptimizer(make(), 1, getter, communication_period=2)
    train_op = optimizer.minimize(loss, global_step=step)
    centers = [tf.global_variables()[i] for i in (1, 2)]
    trained("accumulated " + inner_name, train_op, optimizer.get_init_op(0), [w, b, step] + centers)

for inner_name, make, options in (
    ("descent", lambda: tf.train.GradientDescentOptimizer(0.1), {"moving_rate": 0.3, "rho": 0.2}),
    ("momentum", lambda: tf.train.MomentumOptimizer(0.1, 0.9), {}),
    ("adam", lambda: tf.train.AdamOptimizer(0.1), {"rho": 0.0, "synchronous": True}),
):
    if "rho" not in options and inner_name == "adam":
        continue
    tf.reset_default_graph()
    step = tf.train.get_or_create_global_step()
    getter = contrib_opt.ElasticAverageCustomGetter("/cpu:0")
    w, b, loss = model(getter)
    inner = make()
    optimizer = contrib_opt.ElasticAverageOptimizer(inner, 1, getter, communication_period=2, **options)
    results["elastic rate " + inner_name] = [optimizer._moving_rate, optimizer._rho]
    pairs = optimizer.compute_gradients(loss)
    train_op = optimizer.apply_gradients(pairs, global_step=step)
    centers = [v for v in tf.global_variables() if v.name.startswith("global_center")]
    hook = optimizer.make_session_run_hook(True, 0)
    trained("elastic " + inner_name, train_op, None, [w, b, step] + centers, hook=hook)
    saver = optimizer.swapping_saver()
    results["elastic saver " + inner_name] = sorted(
        name.decode()
        for name in tf.get_default_graph()
        .get_operation_by_name("swapping_saver/SaveV2/tensor_names")
        .get_attr("value")
        .string_val
    )

tf.reset_default_graph()
step = tf.train.get_or_create_global_step()
getter = contrib_opt.ModelAverageCustomGetter("/cpu:0")
w, b, loss = model(getter)
optimizer = contrib_opt.ModelAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, True, getter, interval_steps=3)
train_op = optimizer.minimize(loss, global_step=step)
centers = [v for v in tf.global_variables() if v.name.startswith("global_center")]
hook = optimizer.make_session_run_hook()
hook.begin()
trained("averaged", train_op, hook._variable_init_op, [w, b, step] + centers, steps=6)
results["averaged hook"] = [hasattr(hook, name) for name in ("_local_init_op", "_global_init_op", "_chief_init_op")]

tf.reset_default_graph()
step = tf.train.get_or_create_global_step()
w, b, loss = model(None)
optimizer = contrib_opt.DropStaleGradientOptimizer(tf.train.MomentumOptimizer(0.1, 0.5), staleness=0)
pairs = optimizer.compute_gradients(loss)
train_op = optimizer.apply_gradients(pairs, global_step=step)
trained("fresh", train_op, None, [w, b, step, optimizer.get_slot(w, "momentum")], steps=3)
results["fresh slots"] = optimizer.get_slot_names()
results["fresh summaries"] = [t.name for t in tf.get_collection(tf.GraphKeys.SUMMARIES)]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    # Gradients of a step that is over.
    results["stale"] = [sess.run([train_op, step], {optimizer._local_step: -1}) for _ in range(2)]


def mistake(name, function):
    tf.reset_default_graph()
    try:
        function()
        results[name] = "nothing"
    except Exception as error:
        results[name] = [type(error).__name__, str(error)]


def averaging(resource=False, with_step=True, pairs=None):
    step = tf.train.get_or_create_global_step()
    getter = contrib_opt.ModelAverageCustomGetter("/cpu:0")
    _, _, loss = model(getter, **({"use_resource": True} if resource else {}))
    optimizer = contrib_opt.ModelAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, True, getter)
    optimizer.apply_gradients(
        optimizer.compute_gradients(loss) if pairs is None else pairs, global_step=step if with_step else None
    )


def without_variables():
    getter = contrib_opt.ElasticAverageCustomGetter("/cpu:0")
    return contrib_opt.ElasticAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, getter)


mistake("averages nothing", lambda: averaging(pairs=[]))
mistake("averages without a step", lambda: averaging(with_step=False))
mistake("no centers", lambda: without_variables().get_init_op(0))
mistake("nothing to swap", lambda: without_variables().swapping_saver())
