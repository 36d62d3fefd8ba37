"""Mixed precision: policies, layers of them, variables that follow their layers, and scaling of losses."""

import numpy as np
import tensorflow as tf

results = {}
X = tf.keras.mixed_precision.experimental
K = tf.keras.backend


def refused(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)[:60]
    return "no error"


for name in (
    "infer",
    "float16",
    "mixed_float16",
    "mixed_bfloat16",
    "float32_with_float32_vars",
    "infer_with_float32_vars",
):
    policy = X.Policy(name)
    results[name] = [policy.name, str(policy.compute_dtype), str(policy.variable_dtype), policy.should_cast_variables]
    results[name + " text"] = repr(policy)
results["loss scale"] = [
    repr(X.Policy("float32", loss_scale=2.0).loss_scale),
    repr(X.Policy("mixed_float16", None).loss_scale),
]
results["global"] = repr(X.global_policy())
results["refused"] = [
    refused(lambda: X.Policy("nothing")),
    refused(lambda: X.Policy(3)),
    refused(lambda: X.set_policy("mixed_float16")),
    refused(lambda: X.LossScaleOptimizer(3, 1.0)),
    refused(lambda: X.LossScaleOptimizer(tf.keras.optimizers.SGD(clipnorm=1.0), 1.0)),
]

x = tf.keras.layers.Input((3,))
ones = tf.keras.initializers.Constant(1.0 + 2.0**-12)
layer = tf.keras.layers.Dense(2, kernel_initializer=ones, dtype=X.Policy("mixed_float16"))
half = layer(tf.cast(x, tf.float16))
results["layer"] = [
    half.dtype.name,
    layer.kernel.dtype.name,
    layer.dtype,
    repr(layer.kernel),
    layer.get_config()["dtype"],
]
whole = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="float32")(tf.cast(half, tf.float32))
model = tf.keras.Model(x, whole)
optimizer = X.LossScaleOptimizer(tf.keras.optimizers.SGD(2.0**-12), "dynamic")
model.compile(optimizer, "mse")
rows = np.array([[1.0, 2.0, 3.0], [0.5, 0.25, 0.125]], np.float32)
losses = [float(model.train_on_batch(rows, np.array([[1.0], [2.0]]))) for _ in range(3)]
results["losses"] = np.array(losses)
results["kernel"] = K.get_value(layer.kernel)
results["iterations"] = int(K.get_value(optimizer.iterations))
results["weights"] = [w.dtype.name for w in model.trainable_weights]

w = tf.Variable([1.0, 2.0], use_resource=True)
factor = tf.placeholder_with_default(1.0, [])
optimizer = X.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), tf.train.experimental.DynamicLossScale(8.0, 2, 2.0))
step = optimizer.minimize(lambda: tf.reduce_sum(w) * factor, [w])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    found = []
    for f in (1.0, 1.0, float("inf"), 1.0, 1.0, 1.0, float("nan"), 1.0):
        sess.run(step, {factor: f})
        found.append(np.append(sess.run(w), [sess.run(optimizer.loss_scale()), sess.run(optimizer.iterations)]))
    results["steps"] = np.array(found)
fixed = X.LossScaleOptimizer(tf.keras.optimizers.SGD(0.5), 4.0)
with tf.Session() as sess:
    results["scaled"] = float(sess.run(fixed.get_scaled_loss(tf.constant(3.0))))
    results["unscaled"] = float(sess.run(fixed.get_unscaled_gradients([tf.constant(3.0)])[0]))
