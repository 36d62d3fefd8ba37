"""Custom gradients inside of functions, of tensors and variables that have values outside."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
outside, weight = tf.constant(2.0), tf.Variable(3.0)
fixed = tf.Variable(1.0, trainable=False)


@tf.custom_gradient
def product(a, b):
    return a * b, lambda upstream: (upstream * 10.0, upstream * 20.0)


@tf.custom_gradient
def weighted(a):
    def gradient(upstream, variables=None):
        return upstream * 10.0, [upstream * 5.0 for _ in variables]

    return a * weight * fixed, gradient


@tf.custom_gradient
def without_variables(a):
    return a * weight, lambda upstream: upstream


def gradients(function, sources, *args):
    def traced(*args):
        with tf.GradientTape() as tape:
            tape.watch(outside)
            for arg in args:
                tape.watch(arg)
            value = function(*args)
        return [made for made in tape.gradient(value, sources or list(args)) if made is not None]

    return [made.numpy() for made in tf.function(traced)(*args)]


results["of what is captured"] = gradients(lambda: product(outside, outside * 1.0), [outside])
results["of an argument"] = gradients(lambda x: product(x, outside), None, tf.constant(4.0))
results["of a variable"] = gradients(lambda: product(weight, outside), [weight])
results["of a variable inside"] = gradients(lambda: weighted(outside), [weight, fixed])
inner = tf.function(lambda x: weighted(x) * 1.0)
results["in a function of a function"] = gradients(lambda: inner(outside), [weight])
results["in a branch"] = gradients(lambda: tf.cond(outside > 0.0, lambda: weighted(outside), lambda: outside), [weight])
with tf.GradientTape() as tape:
    tape.watch(outside)
    value = tf.function(lambda x: product(x, outside))(outside)
results["from outside"] = tape.gradient(value, outside).numpy()
try:
    tf.function(lambda: without_variables(outside))()
except TypeError:
    results["a gradient that takes no variables"] = "TypeError"
