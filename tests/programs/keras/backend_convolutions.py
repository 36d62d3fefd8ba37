"""tf.keras.backend: convolutions, pooling, biases, normalization, CTC: values, shapes and operations on the CPU."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
results = {}
rng = np.random.RandomState(0)


def rec(key, function, *arrays, **keywords):
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as sess, tf.device("/cpu:0"):
        try:
            fed = [tf.placeholder(a.dtype, a.shape) for a in arrays]
            out = function(*fed)
            found = {"value": sess.run(out, dict(zip(fed, arrays)))}
            found["shapes"] = [o.shape.as_list() for o in (out if isinstance(out, (list, tuple)) else [out])]
            if keywords.get("ops", True):
                found["ops"] = [op.name for op in graph.get_operations()]
            results[key] = found
        except ValueError as error:
            results[key] = type(error).__name__


def f32(*shape):
    return rng.randn(*shape).astype("float32")


for order in ("channels_last", "channels_first", "other"):

    def moved(*shape):
        return (shape[0], shape[-1]) + shape[1:-1] if order == "channels_first" else shape

    for padding in ("valid", "same", "causal", "other"):
        for step, rate in ((1, 1), (2, 1), (1, 2)):
            rec(
                "conv1d %s %s %s %s" % (order, padding, step, rate),
                lambda x, k: K.conv1d(x, k, step, padding, order, rate),
                f32(*moved(2, 7, 3)),
                f32(3, 3, 4),
            )
    for padding in ("valid", "same"):
        tag = " %s %s" % (order, padding)
        for steps, rates in (((1, 1), (1, 1)), ((2, 1), (1, 1)), ((1, 1), (2, 2))):
            rec(
                "conv2d %s %s" % (steps, rates) + tag,
                lambda x, k: K.conv2d(x, k, steps, padding, order, rates),
                f32(*moved(2, 7, 6, 3)),
                f32(3, 2, 3, 4),
            )
            rec(
                "separable_conv2d %s %s" % (steps, rates) + tag,
                lambda x, k, p: K.separable_conv2d(x, k, p, (steps[0],) * 2, padding, order, rates),
                f32(*moved(2, 7, 6, 3)),
                f32(3, 2, 3, 2),
                f32(1, 1, 6, 5),
            )
        rec(
            "conv3d" + tag,
            lambda x, k: K.conv3d(x, k, (1, 2, 1), padding, order),
            f32(*moved(1, 4, 5, 6, 2)),
            f32(2, 2, 2, 2, 3),
        )
        large = (8, 10) if padding == "same" else (9, 11)
        rec(
            "conv2d_transpose" + tag,
            lambda x, k: K.conv2d_transpose(x, k, moved(2, large[0], large[1], 4), (2, 2), padding, order),
            f32(*moved(2, 4, 5, 3)),
            f32(3, 3, 4, 3),
        )
        wide = (4, 5) if padding == "same" else (8, 9)
        rec(
            "conv2d_transpose dilated" + tag,
            lambda x, k: K.conv2d_transpose(x, k, moved(2, wide[0], wide[1], 4), (1, 1), padding, order, (2, 2)),
            f32(*moved(2, 4, 5, 3)),
            f32(3, 3, 4, 3),
        )
        for mode in ("max", "avg", "other"):
            rec(
                "pool2d %s" % mode + tag,
                lambda x: K.pool2d(x, (2, 3), (2, 1), padding, order, mode),
                f32(*moved(2, 7, 6, 3)),
            )
            rec(
                "pool3d %s" % mode + tag,
                lambda x: K.pool3d(x, (2, 3, 2), (2, 1, 1), padding, order, mode),
                f32(*moved(1, 4, 5, 6, 2)),
            )
    for rank in (3, 4, 5):
        sizes = (2, 4, 5, 6)[: rank - 1] + (3,)
        rec("bias_add %d %s" % (rank, order), lambda x, v: K.bias_add(x, v, order), f32(*moved(*sizes)), f32(3))
        rec(
            "bias_add of all %d %s" % (rank, order),
            lambda x, v: K.bias_add(x, v, order),
            f32(*moved(*sizes)),
            f32(*sizes[1:]),
        )
    rec("bias_add 2 " + order, lambda x, v: K.bias_add(x, v, order), f32(2, 3), f32(3))
    rec("bias_add wrong " + order, lambda x, v: K.bias_add(x, v, order), f32(2, 3, 4, 4), f32(3, 2))
    rec(
        "local_conv1d " + order,
        lambda x, k: K.local_conv1d(x, k, (3,), (2,), order),
        f32(*moved(2, 7, 3)),
        f32(3, 9, 4),
    )
    rec(
        "local_conv2d " + order,
        lambda x, k: K.local_conv2d(x, k, (2, 3), (2, 1), (3, 4), order),
        f32(*moved(2, 7, 6, 3)),
        f32(12, 18, 4),
    )

x = f32(4, 5, 6, 3)
for axes in ([0, 1, 2], [0, 2, 3], [0, 1], [0]):
    kept = [x.shape[axis] for axis in range(4) if axis not in axes]
    rec(
        "normalize_batch_in_training %s" % axes,
        lambda x, gamma, beta: K.normalize_batch_in_training(x, gamma, beta, axes),
        x,
        f32(*kept),
        f32(*kept),
    )
    rec("normalize %s by itself" % axes, lambda x: K.normalize_batch_in_training(x, None, None, axes), x)
for axis in (3, -1):
    rec(
        "batch_normalization %d" % axis,
        lambda x, m, v, b, g: K.batch_normalization(x, m, v, b, g, axis=axis),
        x,
        f32(3),
        np.abs(f32(3)),
        f32(3),
        f32(3),
    )
rec(
    "batch_normalization by itself",
    lambda x, m, v: K.batch_normalization(x, m, v, None, None),
    x,
    f32(3),
    np.abs(f32(3)),
)
rec(
    "batch_normalization 2",
    lambda x, m, v: K.batch_normalization(x, m, v, None, None),
    f32(2, 3),
    f32(3),
    np.abs(f32(3)),
)

p = np.exp(f32(3, 6, 5))
p = (p / p.sum(-1, keepdims=True)).astype("float32")
truth, times, counts = np.array([[0, 1, 2], [2, 2, 0], [1, 0, 0]]), np.array([[6], [5], [4]]), np.array([[3], [2], [1]])
rec("ctc_batch_cost", K.ctc_batch_cost, truth, p, times, counts, ops=False)


def decoded(scores, lengths, **keywords):
    found, logs = K.ctc_decode(scores, lengths, **keywords)
    return found + [logs]


rec("ctc_decode", decoded, p, times[:, 0])
rec("ctc_decode by search", lambda s, t: decoded(s, t, greedy=False, top_paths=2), p, times[:, 0])
