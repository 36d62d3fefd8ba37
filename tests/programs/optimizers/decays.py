"""Learning rates that follow the global step: their ops and their values."""

import tensorflow as tf

train = tf.train
DECAYS = {
    "exponential": lambda step: train.exponential_decay(0.1, step, 10, 0.9),
    "staircase": lambda step: train.exponential_decay(0.1, step, 10, 0.9, staircase=True, name="stairs"),
    "double": lambda step: train.exponential_decay(tf.constant(0.1, tf.float64), step, 10, 0.9),
    "natural": lambda step: train.natural_exp_decay(0.1, step, 10, 0.9),
    "inverse": lambda step: train.inverse_time_decay(0.1, step, 10, 0.9),
    "inverse staircase": lambda step: train.inverse_time_decay(0.1, step, 10, 0.9, True),
    "polynomial": lambda step: train.polynomial_decay(0.1, step, 10, 0.01, power=0.5),
    "polynomial cycle": lambda step: train.polynomial_decay(0.1, step, 10, 0.01, cycle=True),
    "cosine": lambda step: train.cosine_decay(0.1, step, 20, alpha=0.1),
    "restarts": lambda step: train.cosine_decay_restarts(0.1, step, 7, t_mul=1.5, m_mul=0.9),
    "equal restarts": lambda step: train.cosine_decay_restarts(0.1, step, 7, t_mul=1.0, m_mul=0.9, alpha=0.1),
    "linear cosine": lambda step: train.linear_cosine_decay(0.1, step, 30, num_periods=1.5),
    "noisy": lambda step: train.noisy_linear_cosine_decay(0.1, step, 30),
    "pieces": lambda step: train.piecewise_constant(step, [5, 13], [1.0, 0.5, 0.1]),
    "two pieces": lambda step: train.piecewise_constant_decay(step, [5], [1.0, 0.5]),
}

results = {}
for name in sorted(DECAYS):
    for kind in ("int32", "int64", "variable"):
        tf.reset_default_graph()
        tf.set_random_seed(3)
        if kind == "variable":
            step = train.get_or_create_global_step()
        else:
            step = tf.placeholder(kind, [], name="step")
        rate = DECAYS[name](step)
        key = "%s %s" % (name, kind)
        results[key + " ops"] = [
            "%s = %s(%s)" % (op.name, op.type, ", ".join(t.name for t in op.inputs))
            for op in tf.get_default_graph().get_operations()
        ]
        with tf.Session() as sess:
            if kind == "variable":
                sess.run(tf.global_variables_initializer())
                results[key] = sess.run(rate)
            else:
                results[key] = [sess.run(rate, {step: at}) for at in (0, 1, 5, 6, 13, 14, 25, 40)]

tf.reset_default_graph()
refused = results["refused"] = []
for make in (
    lambda: train.piecewise_constant(tf.constant(1), [1.0], [1.0, 2.0]),
    lambda: train.piecewise_constant(tf.constant(1), [1], [1.0, 2]),
    lambda: train.piecewise_constant(tf.constant(1), [1], [1.0]),
):
    try:
        make()
    except ValueError as error:
        refused.append(str(error))
for make in (
    lambda: train.exponential_decay(0.1, None, 10, 0.9),
    lambda: train.cosine_decay(0.1, None, 10),
    lambda: train.polynomial_decay(0.1, None, 10),
):
    try:
        make()
    except ValueError:
        refused.append("no step")
