"""The operations public functions and their gradients add to a graph, by type and name and in order: the seeds of later
unseeded ops follow from how many there are."""

import numpy as np
import tensorflow as tf

results = {}


def note(key, build, *dims, dtype=tf.float32, gradient=True):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(dtype, dims)
        made = build(x)
        count = len(graph.get_operations())
        y = made if isinstance(made, tf.Tensor) else None
        if gradient and y is not None and y.dtype.is_floating and x.dtype.is_floating:
            tf.gradients(y, [x] + tf.trainable_variables())
        listed = [op.type + " " + op.name for op in graph.get_operations()]
        results[key] = listed[:count]
        if len(listed) > count:
            results[key + " gradient"] = listed[count:]


def ctc(x):
    labels = tf.SparseTensor([[0, 0]], [1], [2, 1])
    return tf.nn.ctc_loss(labels, x, [3, 3])


def rows_of_branches(x):
    table = tf.Variable(np.ones((3, 2), np.float32))
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.gather(table, [1]) * x, lambda: table[:1])


note("ctc_loss", ctc, None, 2, 5)
note("slices of a branch", rows_of_branches, 1, 2)
note("alpha_dropout", lambda x: tf.contrib.nn.alpha_dropout(x, 0.5), None, 4, gradient=False)
note("resize_image_with_pad", lambda x: tf.image.resize_image_with_pad(x, 4, 6), None, 8, 8, 3, gradient=False)
note("rot90", lambda x: tf.image.rot90(x, 2), None, 8, 8, 3, gradient=False)
note("psnr", lambda x: tf.image.psnr(x, x, 1.0), None, 8, 8, 3, gradient=False)
note("decode_image", lambda x: tf.image.decode_image(x, 3, tf.float32), dtype=tf.string)
for name, build in [
    ("ssim", lambda x: tf.image.ssim(x, x, 1.0)),
    ("ssim_multiscale", lambda x: tf.image.ssim_multiscale(x, x, 1.0)),
]:
    with tf.Graph().as_default() as graph:
        build(tf.placeholder(tf.float32, [None, 200, 200, 3]))
        results[name + " count"] = len(graph.get_operations())
note("rotate", lambda x: tf.contrib.image.rotate(x, [0.3]), None, 8, 8, 3, gradient=False)
note("translate", lambda x: tf.contrib.image.translate(x, [1.0, 2.0]), None, 8, 8, 3, gradient=False)
note("compose_transforms", lambda x: tf.contrib.image.compose_transforms(x, x), None, 8, gradient=False)
note("from_row_splits", lambda x: tf.RaggedTensor.from_row_splits(x, [0, 2, 3]), None)
note("from_row_lengths", lambda x: tf.RaggedTensor.from_row_lengths(x, [2, 1]), None)
note("from_row_starts", lambda x: tf.RaggedTensor.from_row_starts(x, [0, 2]), None)
note("from_value_rowids", lambda x: tf.RaggedTensor.from_value_rowids(tf.cast(x, tf.float32), x), None, dtype=tf.int64)
note("from_tensor", lambda x: tf.RaggedTensor.from_tensor(x), None, 3)
note("bytes_split", lambda x: tf.strings.bytes_split(x), None, dtype=tf.string)
note(
    "map_and_batch",
    lambda x: (
        tf.data.Dataset.range(9)
        .apply(tf.data.experimental.map_and_batch(lambda i: i, 3))
        .apply(tf.data.experimental.ignore_errors())
        .make_initializable_iterator()
        .get_next()
    ),
)

session = tf.Session()
for text in ["a b  c", "c", "", "  a ", "a ", " "]:
    for most in (-1, 0, 1, 2, 3):
        parts = tf.strings.split([text], maxsplit=most, result_type="SparseTensor").values
        results["split %r %d" % (text, most)] = session.run(parts).tolist()
ids = [0, 0, 1, 1, 2, 2]
joined = tf.strings.unsorted_segment_join(["", "b", "c", "", "", ""], ids, 4, separator="-")
results["unsorted_segment_join"] = session.run(joined).tolist()
frames = tf.contrib.image.rotate(tf.reshape(tf.range(18.0), [2, 3, 3, 1]), [0.5, -1.0])
results["rotated"] = session.run(frames)
