"""Integers of a range: conversions in every mode and type, arithmetic, convolution, pools, normalization."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_array_ops, gen_image_ops, gen_math_ops, gen_nn_ops

results = {}
rng = np.random.RandomState(5)
sess = tf.Session()
TYPES = [tf.quint8, tf.qint8, tf.quint16, tf.qint16, tf.qint32]


def run(key, tensors):
    try:
        values = sess.run(tensors)
    except (tf.errors.OpError, ValueError) as error:
        results[key] = type(error).__name__
        return None
    values = values if isinstance(values, (list, tuple)) else [values]
    results[key] = [np.asarray(v).astype("int64") if v.dtype.kind in "iuV" else v for v in map(np.asarray, values)]
    return values


x = np.concatenate([[-1.2, 0.0, 0.3, 0.9, 2.0, 5.0, -0.5, 1.5], rng.uniform(-2, 3.5, 40)]).astype("float32")
for dtype in TYPES:
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        for rounding in ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"):
            key = "%s %s %s" % (dtype.name, mode, rounding)
            for low, high in [(-1.0, 3.0), (0.5, 2.0), (-3.0, -1.0), (0.0, 0.0)]:
                out = tf.quantize_v2(x, low, high, dtype, mode=mode, round_mode=rounding)
                run(key + " %s %s" % (low, high), out)
                if rounding == "HALF_AWAY_FROM_ZERO":
                    run(key + " back %s %s" % (low, high), tf.dequantize(*out, mode=mode))
run("upside down", tf.quantize(x, 2.0, 1.0, tf.quint8))
out = tf.quantization.quantize(x, -1.0, 1.0, tf.quint8, name="named")
results["names"] = [t.name for t in out] + [type(out).__name__, str(out[0].shape), out[0].dtype.name]
results["dequantize name"] = tf.quantization.dequantize(*out).name


def integers(shape, dtype, low, high, seed):
    values = np.random.RandomState(seed).uniform(low, high, shape).astype("float32")
    return tf.quantize(values, low, high, dtype)


a, b = integers((3, 4), tf.quint8, -1.0, 3.0, 1), integers((4, 5), tf.quint8, -2.0, 1.0, 2)
products = gen_math_ops.quantized_mat_mul(a[0], b[0], a[1], a[2], b[1], b[2])
run("matmul", products)
run(
    "matmul flipped",
    gen_math_ops.quantized_mat_mul(b[0], a[0], b[1], b[2], a[1], a[2], transpose_a=True, transpose_b=True),
)
results["matmul shape"] = [str(t.shape) for t in products]
run("shrink", gen_math_ops.quantize_down_and_shrink_range(*products, out_type=tf.quint8))
used = gen_math_ops.requantization_range(*products)
run("used", used)
run("requantize", gen_math_ops.requantize(*products, used[0], used[1], out_type=tf.quint8))
run("requantize other", gen_math_ops.requantize(*products, -3.0, 4.0, out_type=tf.quint8))
run("requantize refused", gen_math_ops.requantize(*products, 1.0, 4.0, out_type=tf.quint8))

c, bias = integers((2, 3, 4), tf.quint8, -1.0, 3.0, 3), integers((4,), tf.quint8, -2.0, 1.0, 4)
run("add", gen_math_ops.quantized_add(c[0], bias[0], c[1], c[2], bias[1], bias[2]))
run("mul", gen_math_ops.quantized_mul(c[0], bias[0], c[1], c[2], bias[1], bias[2]))
run("bias", gen_nn_ops.quantized_bias_add(c[0], bias[0], c[1], c[2], bias[1], bias[2], out_type=tf.qint32))
run("relu", gen_nn_ops.quantized_relu(*c))
run("relu6", gen_nn_ops.quantized_relu6(*integers((20,), tf.quint8, -4.0, 9.0, 5)))
run("reshape", gen_array_ops.quantized_reshape(c[0], [4, -1], c[1], c[2]))
for dtype in (tf.quint8, tf.qint32):
    parts = [integers((2, 3), dtype, -1.0, 2.0, 6), integers((2, 2), dtype, -3.0, 1.0, 7)]
    out = tf.quantized_concat(1, *[[p[i] for p in parts] for i in range(3)])
    run("concat " + dtype.name, out)
    results["concat shape " + dtype.name] = str(out[0].shape)
    same = [integers((2, 3), dtype, 0.0, 2.0, 6), integers((2, 2), dtype, 0.0, 2.0, 7)]
    run("concat same " + dtype.name, tf.quantized_concat(1, *[[p[i] for p in same] for i in range(3)]))

image, kernel = integers((2, 6, 7, 3), tf.quint8, -1.0, 2.0, 8), integers((3, 2, 3, 4), tf.quint8, -1.0, 1.5, 9)
for stride in (1, 2):
    for padding in ("SAME", "VALID"):
        out = tf.nn.quantized_conv2d(
            image[0], kernel[0], image[1], image[2], kernel[1], kernel[2], [1, stride, stride, 1], padding
        )
        run("conv %d %s" % (stride, padding), out)
        results["conv shape %d %s" % (stride, padding)] = str(out[0].shape)
        for name in ("max", "avg"):
            pool = getattr(tf.nn, "quantized_%s_pool" % name)
            out = pool(image[0], image[1], image[2], [1, 3, 2, 1], [1, stride, stride, 1], padding)
            run("%s %d %s" % (name, stride, padding), out)
            results["%s shape %d %s" % (name, stride, padding)] = str(out[0].shape)

moments = [
    integers((3,), tf.quint8, low, high, 10 + i)
    for i, (low, high) in enumerate([(-1.0, 1.0), (0.0, 2.0), (-1.0, 1.0), (0.0, 2.0)])
]
flat = [t for part in moments for t in part]
for scaled in (True, False):
    out = gen_nn_ops.quantized_batch_norm_with_global_normalization(
        *list(image) + flat, out_type=tf.qint32, variance_epsilon=0.001, scale_after_normalization=scaled
    )
    run("batch norm %s" % scaled, out)
run("instance norm", gen_array_ops.quantized_instance_norm(*image))
run(
    "instance norm given",
    gen_array_ops.quantized_instance_norm(*image, output_range_given=True, given_y_min=-2.0, given_y_max=3.0),
)
for size in ([3, 4], [9, 11]):
    for how in ({}, {"align_corners": True}, {"half_pixel_centers": True}):
        key = "resize %s %s" % (size, sorted(how))
        run(key, gen_image_ops.quantized_resize_bilinear(image[0], size, image[1], image[2], **how))
        run(
            key + " float",
            gen_image_ops.quantized_resize_bilinear(
                rng.uniform(0, 1, (1, 5, 6, 2)).astype("float32"), size, 0.0, 1.0, **how
            ),
        )
