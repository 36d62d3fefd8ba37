"""tf.keras.backend: elementwise functions, reductions, activations, shapes and padding: values, shapes, operations."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
results = {}
rng = np.random.RandomState(0)


def rec(key, function, *arrays):
    graph = tf.Graph()
    with graph.as_default(), tf.Session() as sess:
        try:
            fed = [tf.placeholder(a.dtype, a.shape) for a in arrays]
            out = function(*fed)
            found = {"value": sess.run(out, dict(zip(fed, arrays)))}
            found["shapes"] = [o.shape.as_list() for o in (out if isinstance(out, (list, tuple)) else [out])]
            found["ops"] = [op.name for op in graph.get_operations()]
            results[key] = found
        except (ValueError, TypeError) as error:
            results[key] = [type(error).__name__, str(error)]


def f32(*shape):
    return rng.randn(*shape).astype("float32")


a, b, images, volumes = f32(3, 4), f32(2, 3, 4), f32(2, 3, 4, 5), f32(2, 3, 4, 5, 2)
for name in [
    "abs",
    "square",
    "round",
    "sign",
    "sin",
    "cos",
    "exp",
    "sigmoid",
    "tanh",
    "softmax",
    "softplus",
    "softsign",
    "hard_sigmoid",
    "elu",
    "relu",
    "l2_normalize",
    "batch_flatten",
    "flatten",
    "transpose",
    "expand_dims",
    "stop_gradient",
]:
    rec(name, getattr(K, name), a)
rec("sqrt", K.sqrt, a)
rec("log", K.log, np.abs(a))
for name in ["max", "min", "sum", "prod", "mean", "var", "std", "any", "all"]:
    for axis in (None, 0, -1, (0, 1)):
        for keepdims in (False, True):
            rec(
                "%s %s %s" % (name, axis, keepdims),
                lambda x: getattr(K, name)(x, axis=axis, keepdims=keepdims),
                b,
            )
rec("mean of bools", K.mean, a > 0)
rec("std of bools", K.std, a > 0)
rec("mean of ints", K.mean, np.arange(4))
for name in ["argmax", "argmin", "cumsum", "cumprod"]:
    rec(name, getattr(K, name), b)
    rec(name + " 1", lambda x: getattr(K, name)(x, axis=1), b)
for name in ["equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum"]:
    rec(name, getattr(K, name), a, f32(3, 4))
rec("pow", lambda x: K.pow(x, 2), a)
for low, high in ((-0.5, 0.5), (0, None), (1, 0), (0, 2)):
    rec("clip %s %s" % (low, high), lambda x: K.clip(x, low, high), a)
for alpha in (0.0, 0.1):
    for top in (None, 6, 3.0):
        for threshold in (0, 0.2):
            rec("relu %s %s %s" % (alpha, top, threshold), lambda x: K.relu(x, alpha, top, threshold), a)
rec("elu 0.5", lambda x: K.elu(x, 0.5), a)
rec("softmax 0", lambda x: K.softmax(x, axis=0), a)
for dtype in ("float64", "int32"):
    for name in ["relu", "hard_sigmoid", "sqrt", "elu"]:
        rec(name + " " + dtype, getattr(K, name), a.astype(dtype))

rec("permute", lambda x: K.permute_dimensions(x, (2, 0, 1)), b)
rec("squeeze", lambda x: K.squeeze(x, 0), f32(1, 3))
rec("concatenate", lambda x, y: K.concatenate([x, y]), a, f32(3, 2))
rec("concatenate 0", lambda x, y: K.concatenate([x, y], axis=0), a, f32(2, 4))
rec("stack", lambda x, y: K.stack([x, y], axis=1), a, a)
rec("reverse", lambda x: K.reverse(x, 1), a)
rec("reverse both", lambda x: K.reverse(x, (0, 1)), a)
rec("gather", lambda x: K.gather(x, [0, 2]), a)
rec("one_hot", lambda x: K.one_hot(x, 4), np.array([1, 3]))
rec("arange", lambda: K.arange(5))
rec("arange 1 7 2", lambda: K.arange(1, 7, 2))
rec("arange float", lambda: K.arange(3, dtype="float32"))
rec("arange below zero", lambda: K.arange(-3))
rec("tile", lambda x: K.tile(x, [2, 1]), a)
rec("repeat", lambda x: K.repeat(x, 3), a)
for axis in (0, 1, -1):
    rec("repeat_elements %d" % axis, lambda x: K.repeat_elements(x, 2, axis), b)
for order in ("channels_last", "channels_first", "other"):
    for interpolation in ("nearest", "bilinear", "other"):
        rec(
            "resize_images %s %s" % (order, interpolation),
            lambda x: K.resize_images(x, 2, 3, order, interpolation),
            images,
        )
    rec("resize_volumes " + order, lambda x: K.resize_volumes(x, 1, 2, 3, order), volumes)
    rec("pad images " + order, lambda x: K.spatial_2d_padding(x, ((1, 0), (2, 1)), order), images)
    rec("pad volumes " + order, lambda x: K.spatial_3d_padding(x, ((1, 0), (2, 1), (0, 3)), order), volumes)
rec("pad sequences", lambda x: K.temporal_padding(x, (1, 2)), b)
rec("map_fn", lambda x: K.map_fn(lambda e: e * 2, x), a)
rec("foldl", lambda x: K.foldl(lambda s, e: s + e, x), a)
rec("foldr", lambda x: K.foldr(lambda s, e: s - e, x), a)
rec("gradients", lambda x: K.gradients(x * x, [x]), a)
rec("cast", lambda x: K.cast(x, "int32"), a)
rec("reshape", lambda x: K.reshape(x, (4, 3)), a)
rec("in_top_k", lambda x: K.in_top_k(x, tf.constant([0, 1, 2]), 2), a)
rec("dropout", lambda x: K.dropout(x, 0.5, seed=3), a)
rec("ones_like", K.ones_like, a)
rec("zeros_like", lambda x: K.zeros_like(x, "int32"), a)
rec("to_dense", lambda: K.to_dense(tf.SparseTensor([[0, 1]], [2.0], [2, 2])))
for name in ["random_normal", "random_uniform", "truncated_normal", "random_binomial"]:
    rec(name, lambda: getattr(K, name)((2, 3), seed=3))
    rec(name + " 64", lambda: getattr(K, name)((2, 3), dtype="float64", seed=3))
np.random.seed(4)
rec("random_normal by NumPy's seed", lambda: K.random_normal((2,)))
