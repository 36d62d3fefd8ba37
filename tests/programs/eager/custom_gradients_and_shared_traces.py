"""Second derivatives through what a custom gradient keeps, functions computed anew, traces that equal numbers share."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
weight = tf.Variable(2.0)


@tf.custom_gradient
def softplus(x):
    grown = tf.exp(x)
    return tf.log(1 + grown), lambda upstream: upstream * (1 - 1 / (1 + grown))


def both(function, x, *sources):
    """First and second derivatives."""
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = function(x)
        first = inner.gradient(value, x)
    return [None if t is None else t.numpy() for t in (value, first, *outer.gradient(first, [x, *sources]))]


for number in (1.0, -3.0, 100.0):
    results[f"softplus {number}"] = both(softplus, tf.constant(number))

again = tf.recompute_grad(lambda x: tf.sin(x) * x)
with tf.GradientTape() as tape:
    x = tf.constant(1.0)
    tape.watch(x)
    y = again(x)
results["computed anew"] = [y.numpy(), tape.gradient(y, x).numpy()]
weighted = tf.recompute_grad(lambda x: x * x * weight)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = weighted(x)
results["with a variable"] = [made.numpy() for made in tape.gradient(y, [x, weight])]
scaled = tf.recompute_grad(lambda x, scale=1.0: x * scale)
results["with a keyword"] = scaled(x, scale=tf.constant(3.0)).numpy()
with tf.GradientTape() as tape:
    tape.watch(x)
    y = weighted(x) + again(3.0 * x)
results["a sum"] = tape.gradient(y, x).numpy()

traces = []


@tf.function
def counted(x):
    traces.append(x)
    return x + 1


values = (
    1,
    2,
    1,
    1.0,
    True,
    np.float32(1),
    tf.constant(1),
    tf.constant(2),
    tf.constant([1]),
    np.array([1]),
    np.int64(7),
)
results["counted"] = [counted(value).numpy() for value in values]
results["traces"] = len(traces)
results["kinds"] = [isinstance(x, tf.Tensor) for x in traces]


@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def described(x):
    return x * 2


results["described"] = [described(value).numpy() for value in (np.float32(5), np.int64(5), 3)]
fixed = counted.get_concrete_function(np.int64(9))
results["fixed"] = [fixed().numpy(), len(fixed.inputs)]

orders = []


@tf.function
def keyed(given, **more):
    orders.append(sorted(given) + sorted(more))
    return given["a"] - given.get("b", 0)


calls = [({"a": 1}, {}), ({"a": 1, "b": 2}, {}), ({"b": 2, "a": 1}, {}), ({"a": 1.0}, {})]
calls += [({"a": 1}, {"x": 1, "y": 2}), ({"a": 1}, {"y": 2, "x": 1})]
results["keyed"] = [keyed(given, **more).numpy() for given, more in calls]
results["orders"] = orders
