"""tf.contrib.opt: decays of weights, signs, layers' rates, wrappers, SciPy."""

import os
import shutil
import tempfile

import numpy as np
import tensorflow as tf

opt = tf.contrib.opt
results = {}


def variables(use_resource):
    with tf.variable_scope("net", use_resource=use_resource):
        initial = tf.constant_initializer(np.arange(8).reshape(4, 2) * 0.25 - 1)
        w = tf.get_variable("w", [4, 2], initializer=initial)
        b = tf.get_variable("b", [2], initializer=tf.constant_initializer([0.5, -0.25]))
    return w, b


def loss_of(w, b, sparse, linear=False):
    rows = tf.gather(w, [0, 2, 0]) if sparse else w[:3] * 1.5
    if linear:
        # TensorFlow does not say whether a gradient is taken before or after a variable decays.
        return tf.reduce_sum(rows * tf.constant([[1.0], [-2.0], [3.0]])) + tf.reduce_sum(b * [2.0, 0.5])
    return tf.reduce_sum(tf.square(rows * tf.constant([[1.0], [2.0], [3.0]]) + b - 0.3))


AdagradW = opt.extend_with_decoupled_weight_decay(tf.train.AdagradOptimizer)
MAKERS = {
    "MomentumW": (lambda: opt.MomentumWOptimizer(0.01, 0.1, 0.9), True),
    "AdamW": (lambda: opt.AdamWOptimizer(0.01, 0.1), True),
    "AdagradW": (lambda: AdagradW(0.01, learning_rate=0.1), True),
    "AddSign": (lambda: opt.AddSignOptimizer(0.01), None),
    "AddSign decayed": (lambda: opt.AddSignOptimizer(0.01, sign_decay_fn=DECAY), None),
    "PowerSign": (lambda: opt.PowerSignOptimizer(0.01, base=2.0), None),
    "LARS": (lambda: opt.LARSOptimizer(0.5, skip_list=["b"]), False),
    "LARS nesterov": (lambda: opt.LARSOptimizer(0.5, use_nesterov=True, epsilon=1e-3), False),
    "RegAdagrad": (lambda: opt.RegAdagradOptimizer(0.1), True),
    "Clipping": (lambda: None, True),
    "MovingAverage": (lambda: opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.01), 0.5), True),
    "Multitask": (lambda: opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.01, 0.9)), False),
}


def DECAY(step):
    return tf.maximum(0.0, 1.0 - tf.cast(step, tf.float32) / 5.0)


for name in sorted(MAKERS):
    make, sparse_allowed = MAKERS[name]
    for use_resource in (False, True):
        for sparse in (False, True):
            if sparse and (sparse_allowed is False or (sparse_allowed is None and use_resource)):
                continue
            with tf.Graph().as_default():
                w, b = variables(use_resource)
                if name == "Clipping":
                    inner = tf.train.GradientDescentOptimizer(0.05)
                    optimizer = opt.VariableClippingOptimizer(inner, {w: [1]}, 0.5)
                else:
                    optimizer = make()
                step = tf.train.get_or_create_global_step()
                train = optimizer.minimize(
                    loss_of(w, b, sparse, name in ("AdamW", "AdagradW", "MomentumW")), global_step=step
                )
                with tf.Session() as sess:
                    sess.run(tf.global_variables_initializer())
                    for _ in range(3):
                        sess.run(train)
                    key = "%s %s %s" % (name, use_resource, sparse)
                    results[key] = [[v.name, sess.run(v)] for v in tf.global_variables()] + [train.name]

with tf.Graph().as_default():
    w, b = variables(False)
    optimizer = opt.AdamWOptimizer(0.1, 0.1)
    train = optimizer.apply_gradients(optimizer.compute_gradients(loss_of(w, b, False, True)), decay_var_list=[w])
    optimizer = opt.RegAdagradOptimizer(0.1, name="R")
    with optimizer.avoid_updating_slots():
        other = optimizer.minimize(loss_of(w, b, True))
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(loss_of(w, b, False))
    clipped, norm = opt.clip_gradients_by_global_norm(pairs + [(tf.zeros([2]), b)], 1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results["clipped"] = sess.run([norm] + [g for g, _ in clipped])
        sess.run(train)
        results["decayed some"] = sess.run([w, b])
        sess.run(other)
        results["slots left"] = sess.run([w, optimizer.get_slot(w, "accumulator")])

folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    w, b = variables(False)
    optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.01), 0.5)
    try:
        optimizer.swapping_saver()
    except RuntimeError as error:
        results["too early"] = str(error)
    train = optimizer.minimize(loss_of(w, b, False))
    saver = optimizer.swapping_saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = saver.save(sess, os.path.join(folder, "model"))
        reader = tf.train.NewCheckpointReader(path)
        results["swapped"] = [[key, reader.get_tensor(key)] for key in sorted(reader.get_variable_to_shape_map())]
shutil.rmtree(folder)

with tf.Graph().as_default():
    x = tf.get_variable("x", [2], initializer=tf.constant_initializer([7.0, -3.0]))
    y = tf.get_variable("y", [], initializer=tf.constant_initializer(4.0))
    loss = tf.reduce_sum(tf.square(x - [1.0, 2.0])) + tf.square(y - 3.0) + x[0] * y
    calls = []
    with tf.Session() as sess:
        for key, options in (
            ("plain", {}),
            ("bounded", {"var_to_bounds": {x: (1.0, [3.0, 1.5])}}),
            ("constrained", {"equalities": [x[0] + y - 2.0], "inequalities": [x[1] - 3.0], "method": "SLSQP"}),
            ("some", {"var_list": [x], "options": {"maxiter": 3}}),
        ):
            sess.run(tf.global_variables_initializer())
            optimizer = opt.ScipyOptimizerInterface(loss, **options)
            optimizer.minimize(sess, fetches=[loss], loss_callback=calls.append)
            results["scipy " + key] = np.round(np.append(sess.run(x), sess.run(y)), 3)
        results["called"] = len(calls) > 3
        errors = []
        for make in (
            lambda: opt.ScipyOptimizerInterface(loss, bounds=[1]).minimize(sess),
            lambda: opt.ScipyOptimizerInterface(loss, jac=True).minimize(sess),
            lambda: opt.ExternalOptimizerInterface(loss).minimize(sess),
            lambda: opt.MultitaskOptimizerWrapper(1),
            lambda: opt.LARSOptimizer(0.1, momentum=-1.0),
        ):
            try:
                make()
            except (ValueError, TypeError, NotImplementedError) as error:
                errors.append("%s: %s" % (type(error).__name__, error))
        results["errors"] = errors
