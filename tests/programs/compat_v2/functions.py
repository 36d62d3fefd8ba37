"""tf.compat.v1 and tf.compat.v2: functions by the arguments that TensorFlow 2 gives them."""

import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as v1
import tensorflow.compat.v1.nn as v1_nn
from tensorflow.compat import v2
from tensorflow.compat.v2 import nn as v2_nn

results = {}
results["same"] = [
    v1.nn.conv2d is tf.nn.conv2d,
    v1_nn.relu is tf.nn.relu,
    v2_nn.relu is tf.nn.relu,
    v2.math.add is tf.math.add,
    v2.nn.conv2d is tf.nn.conv2d,
    v1.layers.dense is tf.layers.dense,
]
random = np.random.RandomState(0)
images = random.randn(2, 6, 6, 3).astype(np.float32)
kernel = random.randn(2, 2, 3, 4).astype(np.float32)
rows = random.randn(4, 3).astype(np.float32)
labels = np.eye(3, dtype=np.float32)[[0, 2, 1, 1]]
serialized = tf.train.Example(
    features=tf.train.Features(feature={"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
).SerializeToString()

calls = {
    "argmax": lambda: v2.argmax(rows, 1, tf.int32, "largest"),
    "argmin": lambda: v2.math.argmin(rows),
    "batch_to_space": lambda: v2.batch_to_space(images[:, :, :2], [2, 1], [[0, 0], [0, 0]]),
    "space_to_batch": lambda: v2.space_to_batch(images, [2, 3], [[0, 0], [0, 0]]),
    "boolean_mask": lambda: v2.boolean_mask(rows, [True, False, True], 1),
    "cond": lambda: v2.cond(tf.constant(True), lambda: [tf.constant(1)], lambda: [tf.constant(2)])[0],
    "convert": lambda: v2.convert_to_tensor([1, 2], None, tf.float32),
    "gather": lambda: v2.gather(rows, [1, 0], None, 1),
    "gather_nd": lambda: v2.gather_nd(rows.reshape(2, 2, 3), [[1], [0]], 1),
    "ones_like": lambda: v2.ones_like(input=rows, dtype=tf.int32),
    "zeros_like": lambda: v2.zeros_like(rows, name="none"),
    "pad": lambda: v2.pad(rows, [[1, 0], [0, 2]], "CONSTANT", 7),
    "shape": lambda: v2.shape(tf.placeholder_with_default(rows, [None, 3]), tf.int64),
    "size": lambda: v2.size(rows, tf.int64),
    "transpose": lambda: v2.transpose(rows, [1, 0], False, "turned"),
    "tuple": lambda: v2.tuple([tf.constant(1)], [tf.no_op()])[0],
    "while": lambda: v2.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])[0],
    "where": lambda: v2.where([[True], [False]], [1, 2], 3),
    "reduce": lambda: v2.reduce_sum(rows, 1, True, "total"),
    "squeeze": lambda: v2.squeeze(images[:1], [0]),
    "norm": lambda: v2.norm(rows, 1, 0, True),
    "crop": lambda: v2.image.crop_and_resize(images, [[0.1, 0.1, 0.8, 0.9]], [1], [3, 3], "nearest", 2.0),
    "draw": lambda: v2.image.draw_bounding_boxes(images, [[[0.1, 0.1, 0.8, 0.9]]] * 2, [[1.0, 0.0, 0.0]]),
    "csv": lambda: v2.io.decode_csv(["1,b"], [[0]], ",", True, "", [0])[0],
    "example": lambda: v2.io.parse_example([serialized], {"x": tf.FixedLenFeature([2], tf.int64)}, None)["x"],
    "single": lambda: v2.io.parse_single_example(serialized, {"x": tf.FixedLenFeature([2], tf.int64)})["x"],
    "confusion": lambda: v2.math.confusion_matrix([0, 1, 1], [0, 1, 0], 2, [1, 2, 3], tf.int64),
    "nonzero": lambda: v2.math.count_nonzero([[0, 1], [2, 3]], 1, True, tf.int32),
    "in_top_k": lambda: v2.math.in_top_k([0, 2, 1, 1], rows, 2),
    "avg_pool2d": lambda: v2_nn.avg_pool2d(images, 2, 2, "VALID"),
    "conv1d": lambda: v2_nn.conv1d(images[0], kernel[0], 2, "SAME", "NWC", 1),
    "conv2d": lambda: v2_nn.conv2d(images, kernel, 1, "VALID", "NHWC", [2, 2]),
    "conv2d_transpose": lambda: v2_nn.conv2d_transpose(images, kernel.transpose(0, 1, 3, 2), [2, 12, 12, 4], 2, "SAME"),
    "conv3d": lambda: v2_nn.conv3d(images[:, None], kernel[None], [1, 1, 1, 1, 1], "VALID"),
    "convolution": lambda: v2_nn.convolution(images, kernel, 2, "SAME"),
    "crelu": lambda: v2_nn.crelu(rows, 0, "both"),
    "depth_to_space": lambda: v2_nn.depth_to_space(kernel, 2, "NHWC"),
    "space_to_depth": lambda: v2_nn.space_to_depth(images, 2),
    "depthwise": lambda: v2_nn.depthwise_conv2d(images, kernel, [1, 1, 1, 1], "SAME", None, [2, 2]),
    "dropout": lambda: v2_nn.dropout(rows, 0.0),
    "lookup": lambda: v2_nn.embedding_lookup([rows[:2], rows[2:]], [0, 1, 3]),
    "moments": lambda: v2_nn.moments(tf.constant(rows), [0], None, True)[1],
    "weighted": lambda: v2_nn.weighted_moments(tf.constant(rows), [0], [[1.0], [2.0], [0.0], [1.0]], True)[0],
    "sufficient": lambda: v2_nn.sufficient_statistics(tf.constant(rows), [0], None, True, "enough")[1],
    "pool": lambda: v2_nn.pool(images, [2, 2], "MAX", [2, 2], "SAME", None, [1, 1]),
    "separable": lambda: v2_nn.separable_conv2d(images, kernel[..., :1], kernel[:1, :1], [1, 1, 1, 1], "SAME"),
    "sigmoid": lambda: v2_nn.sigmoid_cross_entropy_with_logits(labels, rows[:, :3]),
    "softmax": lambda: v2_nn.softmax_cross_entropy_with_logits(labels, rows, -1, "loss"),
    "sparse_softmax": lambda: v2_nn.sparse_softmax_cross_entropy_with_logits([0, 2, 1, 1], rows),
    "segments": lambda: v2.sparse.segment_sum(rows, [0, 1], [0, 2], 4),
    "sparse_concat": lambda: tf.sparse.to_dense(
        v2.sparse.concat(0, [tf.SparseTensor([[0, 0]], [1], [1, 2]), tf.SparseTensor([[0, 2]], [3], [1, 3])], True)
    ),
    "sparse_split": lambda: tf.sparse.to_dense(v2.sparse.split(tf.SparseTensor([[0, 3]], [1], [1, 4]), 2, 1)[1]),
    "length": lambda: v2.strings.length(["héé"], "UTF8_CHAR"),
    "reduce_join": lambda: v2.strings.reduce_join([["a", "b"], ["c", "d"]], 1, True, "-"),
    "strings_split": lambda: v2.strings.split(["a b", "c"]).flat_values,
    "substr": lambda: v2.strings.substr("héé", 1, 1, "UTF8_CHAR"),
    "bucket": lambda: v2.strings.to_hash_bucket(["a"], 10, "hash"),
    "number": lambda: v2.strings.to_number(["3"], tf.int32, "number"),
}
with tf.Session() as sess:
    for name in sorted(calls):
        found = calls[name]()
        results[name] = [found.name, sess.run(found)]
    checked = [v2.debugging.assert_rank(rows, 2, "rank"), v2.assert_less(rows, 9.0, "less", 3, "small")]
    results["checks"] = [op.name for op in checked if op is not None]
    sess.run([op for op in checked if op is not None])
    try:
        sess.run(v2.debugging.assert_positive(tf.placeholder_with_default(rows, None), "not positive"))
    except tf.errors.InvalidArgumentError as error:
        results["failed"] = "not positive" in str(error)
    v2.random.set_seed(3)
    results["seed"] = list(tf.get_seed(5))
for name, call in [
    ("surplus", lambda: v2.argmax(rows, 1, tf.int32, "x", 2)),
    ("old", lambda: v2.argmax(rows, dimension=1)),
]:
    try:
        call()
    except TypeError as error:
        results["error_" + name] = type(error).__name__
