"""Pools of windows of two sizes: seeded regions, overlapping ones, every type, gradients, refusals."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(3)
images = np.round(rng.uniform(-5, 5, (1, 11, 14, 2)), 2)
sess = tf.Session()

for kind in ("max", "avg"):
    pool = getattr(tf.nn, "fractional_%s_pool" % kind)
    for dtype in ("float32", "float64", "int32", "int64"):
        for pseudo in (False, True):
            for overlapping in (False, True):
                x = tf.constant(np.asarray(images, dtype))
                out = pool(x, [1.0, 1.5, 1.73, 1.0], pseudo, overlapping, deterministic=True, seed=7, seed2=pseudo + 9)
                key = "%s %s %s %s" % (kind, dtype, pseudo, overlapping)
                results[key] = sess.run(out)
                results[key + " again"] = sess.run(out[1])
                results[key + " shapes"] = str(out[0].shape)
                if dtype.startswith("float"):
                    weights = np.asarray(np.round(rng.uniform(-1, 1, out[0].shape.as_list()), 1), dtype)
                    results[key + " gradient"] = sess.run(tf.gradients(out[0] * weights, x)[0])
    out = pool(tf.constant(images[:, 1:]), [1.0, 2.0, 2.0, 1.0])
    results[kind + " whole"] = sess.run(out)
    results[kind + " name"] = [out[0].name, type(out).__name__, list(out._fields), out[0].op.type]
    for name, args, keywords in [
        ("three", [[1.0, 1.5, 1.5]], {}),
        ("seeds", [[1.0, 1.5, 1.5, 1.0]], {"seed": 4}),
    ]:
        try:
            sess.run(pool(tf.constant(images), *args, **keywords))
            results[kind + " " + name] = "fine"
        except (tf.errors.OpError, ValueError) as error:
            results[kind + " " + name] = type(error).__name__

ties = np.zeros((1, 5, 5, 1), "float32")
x = tf.constant(ties)
for overlapping in (False, True):
    out = tf.nn.fractional_max_pool(x, [1.0, 1.5, 1.5, 1.0], False, overlapping, True, 1, 2)
    results["ties %s" % overlapping] = sess.run(tf.gradients(out[0], x)[0])

labels = tf.constant([[3, 3, 1, 3], [0, 0, 0, 0], [4, 3, 2, 1]])
ids, indices = tf.nn.ctc_unique_labels(labels)
results["unique"] = sess.run([ids, indices])
results["unique names"] = [ids.name, indices.name, str(ids.shape), str(indices.shape)]
