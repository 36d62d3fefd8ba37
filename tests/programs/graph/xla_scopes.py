"""tf.xla.experimental: results, marks of operations, errors; tf.autograph without conversion."""

import tensorflow as tf

results = {}


def outcome(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            made = make()
            sess.run(tf.global_variables_initializer())
            return sess.run(made)
        except (ValueError, TypeError, tf.errors.OpError) as error:
            return type(error).__name__


compiled = tf.xla.experimental.compile


def with_variable(x):
    return x * tf.get_variable("w", [], initializer=tf.constant_initializer(4.0))


results["sum"] = outcome(lambda: compiled(lambda a, b: a + b, [1.0, 2.0]))
results["pair"] = outcome(lambda: compiled(lambda a, b: (a + b, a - b), [1.0, 2.0]))
results["operation"] = outcome(lambda: compiled(lambda: tf.no_op()))
results["both"] = outcome(lambda: compiled(lambda a: (a, tf.no_op()), [3.0]))
results["wrong order"] = outcome(lambda: compiled(lambda a: (tf.no_op(), a), [3.0]))
results["structure"] = outcome(lambda: compiled(lambda a: {"x": a, "y": [a, a + 1.0]}, [1.0]))
results["structured inputs"] = outcome(lambda: compiled(lambda a: a["u"] + a["v"], [{"u": 1.0, "v": 2.0}]))
results["operation in structure"] = outcome(lambda: compiled(lambda a: {"x": tf.no_op()}, [1.0]))
results["no list"] = outcome(lambda: compiled(lambda a: a, 3.0))
results["variable"] = outcome(lambda: compiled(with_variable, [2.0]))

with tf.Graph().as_default():
    marks = []
    with tf.xla.experimental.jit_scope():
        a = tf.constant(1.0)
        with tf.xla.experimental.jit_scope(compile_ops=False, separate_compiled_gradients=True):
            b = tf.constant(2.0)
    c = tf.constant(3.0)
    with tf.contrib.compiler.jit.experimental_jit_scope():
        d = tf.constant(4.0)
    for tensor in (a, b, c, d):
        attrs = tensor.op.node_def.attr
        marks.append([[key, str(attrs[key]).strip()] for key in sorted(attrs) if key.startswith("_Xla")])
    results["marks"] = marks


@tf.autograph.experimental.do_not_convert
def plain(x):
    return x + 1


results["plain"] = plain(2)
tf.autograph.set_verbosity(0)
results["features"] = sorted(feature.name for feature in tf.autograph.experimental.Feature)
