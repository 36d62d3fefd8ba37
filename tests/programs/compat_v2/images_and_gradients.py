"""tf.compat.v2: pooling, dilation, sparse reductions, gradients and others by the arguments that TensorFlow 2 gives them."""

import numpy as np
import tensorflow as tf
from tensorflow.compat import v2
from tensorflow.python.ops import nn_impl, nn_ops, sparse_ops

results = {}
random = np.random.RandomState(1)
images = random.randn(2, 6, 6, 3).astype(np.float32)
kernel = random.randn(2, 2, 3).astype(np.float32)
rows = random.randn(4, 3).astype(np.float32)
chances = random.rand(4, 3).astype(np.float32)
sparse = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 4.0, -2.0], [2, 3])
x = tf.constant([1.0, 2.0])

calls = {
    "max_pool": lambda: v2.nn.max_pool(images, 2, 2, "VALID", "NHWC", "largest"),
    "avg_pool": lambda: v2.nn.avg_pool(images[:, :, 0], 2, 1, "SAME"),
    "argmax": lambda: v2.nn.max_pool_with_argmax(images, 2, [2, 1], "SAME", "NHWC", tf.int64, True, "where"),
    "fractional max": lambda: v2.nn.fractional_max_pool(images, 1.5, False, False, 3)[0],
    "fractional avg": lambda: v2.nn.fractional_avg_pool(images, [1.0, 1.2, 1.4, 1.0], False, True, 3)[0],
    "dilation2d": lambda: v2.nn.dilation2d(images, kernel, [1, 2, 2, 1], "SAME", "NHWC", [1, 1, 1, 1], "grown"),
    "erosion2d": lambda: v2.nn.erosion2d(images, kernel, [1, 1, 1, 1], "VALID", "NHWC", [1, 2, 1, 1], "shrunk"),
    "weighted": lambda: v2.nn.weighted_cross_entropy_with_logits(chances, rows, 2.0, "loss"),
    "global": lambda: v2.nn.batch_norm_with_global_normalization(
        images, rows[0], chances[0], rows[1], rows[2], 0.01, True, "normal"
    ),
    "reduce_sum": lambda: v2.sparse.reduce_sum(sparse, 1, True),
    "reduce_max": lambda: v2.sparse.reduce_max(sparse, 1),
    "sparse": lambda: v2.sparse.reduce_sum(sparse, 1, output_is_sparse=True).values,
    "bincount": lambda: v2.math.bincount([1, 2, 2], [0.5, 1.5, 1.0], 4, 5, tf.float32),
    "resize": lambda: v2.image.resize(images, [3, 4], "bicubic", False, True),
    "decode_raw": lambda: v2.io.decode_raw([b"abc", b"de"], tf.uint8, True, 4),
    "gradients": lambda: v2.gradients(x * x, x, [x], "slopes")[0],
    "zero": lambda: v2.gradients(x, tf.constant(2.0), unconnected_gradients=v2.UnconnectedGradients.ZERO)[0],
    "hessians": lambda: v2.hessians(tf.reduce_sum(x * x * x), x)[0],
    "vectorized_map": lambda: v2.vectorized_map(lambda row: tf.reduce_sum(row), rows),
    "inner argmax": lambda: nn_ops.max_pool_with_argmax_v2(images, 2, 2, "VALID"),
    "inner weighted": lambda: nn_impl.weighted_cross_entropy_with_logits_v2(chances, rows, 2.0),
    "inner sum": lambda: sparse_ops.sparse_reduce_sum_v2(sparse),
    "inner dilation": lambda: nn_ops.dilation2d_v2(images, kernel, [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]),
}
values, names = {}, {}
with tf.Session() as session:
    for name in sorted(calls):
        made = calls[name]()
        values[name] = [session.run(made)] if isinstance(made, tf.Tensor) else [session.run(part) for part in made]
        first = made if isinstance(made, tf.Tensor) else made[0]
        # How the rows of a vectorized_map are computed, and so what it is called, is another matter.
        names[name] = [first.name if name != "vectorized_map" else "", str(first.shape), first.dtype.name]
results["values"] = values
results["names"] = names


def refused(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = [
    refused(lambda: v2.nn.dilation2d(images, kernel, [1, 1, 1, 1], "SAME", "NCHW", [1, 1, 1, 1])),
    refused(lambda: v2.nn.max_pool_with_argmax(images, 2, 2, "SAME", "NCHW")),
    refused(lambda: v2.nn.dilation2d(images, kernel, [1, 1, 1, 1], "SAME")),
]

variable = v2.Variable([1.0, 2.0], True, True, name="plain", dtype=tf.float32)
results["variable"] = [
    variable.name,
    isinstance(variable, tf.Variable),
    isinstance(variable, v2.Variable),
    isinstance(tf.Variable(1.0), v2.Variable),
    issubclass(type(variable), v2.Variable),
    isinstance(1.0, v2.Variable),
    [one.name for one in tf.trainable_variables()],
    variable.op.type,
]
with v2.device(v2.DeviceSpec(device_type="CPU", device_index=0)):
    results["placed"] = tf.constant(1).device
results["no function"] = refused(lambda: v2.device(lambda op: "/cpu:0"))
results["methods"] = sorted(
    value for key, value in vars(v2.image.ResizeMethod).items() if not key.startswith("_") and isinstance(value, str)
)
padded = v2.image.resize_with_pad(images, 4, 8, "lanczos3", True)
glimpse = v2.image.extract_glimpse(images, [3, 3], [[0.0, 0.0], [0.9, 0.9]], noise="zero")
box = v2.image.sample_distorted_bounding_box([10, 20, 3], [[[0.1, 0.1, 0.9, 0.9]]], min_object_covered=1.0)
generator = v2.random.experimental.Generator.from_seed(3, alg=1)
drawn = generator.normal([3])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    results["later"] = session.run([padded, glimpse, drawn, variable + 1.0])
results["box"] = [[part.dtype.name, str(part.shape)] for part in box]
results["text"] = [v2.compat.as_str(b"a"), v2.compat.as_bytes("b"), v2.newaxis is None]
