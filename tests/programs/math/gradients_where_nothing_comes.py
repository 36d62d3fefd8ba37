"""Gradients of roots and reciprocals where nothing comes from above: 0, also of what is infinite or no number there."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_math_ops

results = {}
outputs = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 2.0, 0.0, 4.0, np.inf, 0.5])
above = np.array([0.0, 0.0, 0.0, -0.0, 0.0, -0.0, 1.0, 3.0, 0.0, 0.0])
with tf.Session() as session:
    for dtype in (np.float16, np.float32, np.float64, np.complex64):
        y, dy = (tf.placeholder(dtype, [None]) for _ in range(2))
        for name in ("reciprocal_grad", "sqrt_grad", "rsqrt_grad"):
            made = getattr(gen_math_ops, name)(y, dy)
            if dtype is np.complex64:
                fed = {y: outputs[[0, 2, 5, 7, 9]].astype(dtype), dy: above[[0, 2, 5, 7, 9]].astype(dtype)}
            else:
                fed = {y: outputs.astype(dtype), dy: above.astype(dtype)}
            results[f"{name} {np.dtype(dtype).name}"] = session.run(made, fed)
    # Few elements and many, alone and among other operations.
    for count in (4, 100000):
        x = tf.constant(np.arange(count) % 4, tf.float32)
        for name, function in (("sqrt", tf.sqrt), ("rsqrt", tf.rsqrt), ("reciprocal", tf.reciprocal)):
            safe = tf.where(x > 0, function(x), tf.zeros_like(x))
            (grad,) = tf.gradients(tf.reduce_sum(safe * 3.0), x)
            results[f"safe {name} of {count}"] = session.run(grad)[:4].tolist()
            both = session.run(tf.gradients(tf.reduce_sum(grad), x)[0])
            results[f"safe {name} of {count} twice"] = both[:4].tolist()
    points = tf.constant([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]])
    apart = tf.reduce_sum(tf.squared_difference(points[:, None], points[None]), 2)
    distances = tf.where(apart > 0.0, tf.sqrt(apart), apart)
    results["distances"] = session.run(tf.gradients(distances, points)[0]).tolist()
    symmetric = tf.constant([[2.0, 1.0], [1.0, 3.0]])
    values, _ = tf.self_adjoint_eig(symmetric)
    (first,) = tf.gradients(values[0] ** 2, symmetric)
    results["eigenvalues twice"] = bool(np.isfinite(session.run(tf.gradients(first[0, 0], symmetric)[0])).all())
